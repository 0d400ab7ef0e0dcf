#!/bin/sh
# `bench`: what it refuses, and what it says of a tiny workload; scripts/bench.sh with stubs in the programs' places.
set -u
program=${SOLILOQUY:?names the program to test}
work=${TEST_DIRECTORY:?names a scratch directory}
failures=0 why=''
verdict() {
    if [ -z "$why" ]; then echo "pass bench: $1"
    else
        echo "fail bench: $1:$why"
        failures=$((failures + 1))
    fi
    why=''
}
wrong() { why="$why [$1]"; }
says() { grep -qF -- "$2" "$work/$1" || wrong "$1 lacks '$2': $(cat "$work/$1")"; }

# --- both kinds of output, measured while the refusals are tested

tiny='--context 5 --channels 6 --head-size 7 --batch-size 3 --vocabulary-size 11 --threads 1'
# shellcheck disable=SC2086 # words
"$program" bench --json $tiny >"$work/json" 2>"$work/json.err" &
json=$!
# shellcheck disable=SC2086
"$program" bench $tiny >"$work/table" 2>"$work/table.err" &
table=$!

# --- refusals: a fragment of the message, then the words

while read -r line; do
    fragment=${line%%|*} words=${line#*|}
    # shellcheck disable=SC2086
    "$program" bench $words >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq 2 ] || wrong "status $status"
    [ "$(wc -l <"$work/err")" -eq 1 ] || wrong "$(wc -l <"$work/err") lines of error"
    [ ! -s "$work/out" ] || wrong 'it printed results'
    says err "soliloquy bench: "
    says err "$fragment"
    verdict "refuses $words"
done <<'END'
no workload 'defalt'; did you mean default|defalt
no workload 'zzzzzzzz'; `bench --help` lists them|zzzzzzzz
--precision: 'half' is not one of float, bf16|--precision half
unknown option --head-sizes; did you mean --head-size?|--head-sizes 8
--context: '0' is not a whole number from 1 to 16777216|--context 0
--context: '-1' is not a whole number|--context -1
--context: '16777217' is not a whole number|--context 16777217
--channels: '1e3' is not a whole number|--channels 1e3
--head-size: '0' is not a whole number|--head-size 0
--batch-size: '1.5' is not a whole number|--batch-size 1.5
--vocabulary-size: '99999999999999999999' is not a whole number|--vocabulary-size 99999999999999999999
--vocabulary-size needs a value|--vocabulary-size
--context is given twice|--context 8 --context 8
--threads: '0' is not a whole number from 1 to 1024|--threads 0
GB; choose a smaller --batch-size|--context 16777216 --channels 16777216
GB; choose a smaller --batch-size|--batch-size 16777216 --context 16777216 --vocabulary-size 16777216 --head-size 16777216
--batch-size makes a workload of its own and 'long' has its sizes; leave one of them out|long --batch-size 2
--channels makes a workload of its own and 'wide' has its sizes|--channels 3 wide long
END

"$program" bench --help >"$work/out" 2>"$work/err" || wrong "status $?"
[ ! -s "$work/err" ] || wrong "$(cat "$work/err")"
for option in json threads precision context channels head-size batch-size vocabulary-size; do says out "  --$option "; done
verdict '--help lists the options'

# --- what it says

wait "$table" || wrong "status $?: $(cat "$work/table.err")"
says table '1 thread, vectors of '
says table 'custom: T 5, C 6, H 7, V 11, B 3'
[ "$(grep -c '^custom  *[0-9.]* .* x  *1.00$' "$work/table")" -eq 1 ] || wrong "$(cat "$work/table")"
[ "$(wc -l <"$work/table")" -eq 5 ] || wrong "$(cat "$work/table")"
verdict 'a workload of the sizes given'

wait "$json" || wrong "status $?: $(cat "$work/json.err")"
for key in name ms_per_step tokens_per_second gflops peak_gflops share_of_peak resident_bytes threads batch_size; do
    says json "\"$key\": "
done
says json '"name": "custom"'
says json '"batch_size": 3, "config": {"context": 5, "channels": 6, "head_size": 7, "vocabulary_size": 11, '
! grep -qiwE 'nan|inf|null' "$work/json" || wrong "$(cat "$work/json")"
# 15 characters and 3 B T (2 H (T+1) + 2 H V) + 18 (V+T) C H = 22806 operations a step
sed -n 's/.*"ms_per_step": \([^,]*\), "tokens_per_second": \([^,]*\), "gflops": \([^,]*\),.*/\1 \2 \3/p' "$work/json" |
    awk '{ a = $1 * $2 / 15e3 - 1; b = $1 * $3 / 22806e-6 - 1 }
         END { exit !(NR == 1 && a <= 1e-6 && a >= -1e-6 && b <= 1e-6 && b >= -1e-6) }' || wrong "$(cat "$work/json")"
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import json, sys; [row] = json.load(open(sys.argv[1])); assert row["config"]["context"] == 5' \
        "$work/json" 2>"$work/err" || wrong "$(tail -n 1 "$work/err")"
fi
verdict 'and the same in JSON'

# --- scripts/bench.sh and the yardstick, with a stub that says what it measured

cat >"$work/stub" <<'END'
#!/bin/sh
echo "$*" >>"$0.asked"
[ "${3:-}" = --json ] || { echo measured; exit "$(cat "$0.status")"; }
echo '[{"name": "tiny", "tokens_per_second": 1e9, "threads": 1, "batch_size": 2, "config": {"context": 4, "channels": 3,'
echo '"head_size": 3, "vocabulary_size": 9, "positions": "learned", "mask": "causal", "mixing": "attention",'
echo '"scale": "sqrt", "bytes": false}}]'
END
chmod +x "$work/stub"

echo 3 >"$work/stub.status"
scripts/bench.sh "$work/stub" >"$work/out" 2>"$work/err"
status=$?
[ "$status" -eq 3 ] || wrong "status $status"
[ "$(cat "$work/out")" = measured ] || wrong "$(cat "$work/out")"
verdict 'a failed benchmark ends make bench with its status'

echo 0 >"$work/stub.status"
PYTHON="$work/none /bin/false" scripts/bench.sh "$work/stub" >"$work/out" 2>"$work/err" || wrong "status $?"
[ ! -s "$work/err" ] || wrong "$(cat "$work/err")"
[ "$(grep -c '^no python3 with torch is here' "$work/out")" -eq 1 ] || wrong "$(cat "$work/out")"
verdict 'without PyTorch make bench says so in one line and is done'

name='PyTorch beside the program'
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import torch' 2>/dev/null; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
    echo "skip bench: $name: no python3 with torch"
else
    "$python" scripts/yardstick.py "$work/stub" tiny --seconds 0.001 >"$work/out" 2>"$work/err" || wrong "status $?"
    [ ! -s "$work/err" ] || wrong "$(tail -n 1 "$work/err")"
    grep -qE '^tiny +[0-9.]+ k? +1 +1 G +[0-9.]+ +1 G +[0-9.]+$' "$work/out" || wrong "$(cat "$work/out")"
    tail -n 1 "$work/stub.asked" | grep -qx 'bench tiny --json --precision bf16' || wrong "$(cat "$work/stub.asked")"
    "$python" scripts/yardstick.py /bin/false tiny >"$work/out" 2>"$work/err" && wrong 'a failed bench is no failure'
    [ "$(wc -l <"$work/err")" -eq 1 ] || wrong "$(tail -n 1 "$work/err")"
    verdict "$name"
fi

[ "$failures" -eq 0 ]

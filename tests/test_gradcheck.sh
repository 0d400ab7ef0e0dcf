#!/bin/sh
# soliloquy gradcheck: a trained model passes, each classic mistake is refused where it is, and the words of --break.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
case ${SOLILOQUY:?names the program} in /*) ;; *) SOLILOQUY=$PWD/$SOLILOQUY ;; esac
cd "${TEST_DIRECTORY:-$(mktemp -d)}" || exit 1
failures=0

pass() { echo "pass gradcheck: $1"; }
fail() { echo "fail gradcheck: $1: $2"; failures=$((failures + 1)); }

# check NAME STATUS PATTERN WORD...: standard output and errors together must hold the pattern.
check() {
    name=$1 status=$2 pattern=$3
    shift 3
    "$SOLILOQUY" gradcheck "$@" >out 2>err
    got=$?
    if [ "$got" -ne "$status" ]; then fail "$name" "status $got, not $status: $(cat err; tail -n 2 out)"
    elif ! cat out err | grep -q -e "$pattern"; then fail "$name" "no '$pattern' in: $(cat err; tail -n 2 out)"
    elif [ "$status" -eq 2 ] && { [ -s out ] || [ "$(wc -l <err)" -ne 1 ]; }
    then fail "$name" "not one line of error: $(cat err)"
    else pass "$name"
    fi
}

# refused NAME TENSOR...: those tensors, and no others, are refused.
refused() {
    name=$1
    shift
    check "--break $name" 1 "^gradcheck: the mistake $name (.*) is refused at " run --break "$name"
    expected=$(printf '%s\n' "$@")
    if [ "$(sed -n 's/  *[0-9]* .* FAIL at .*//p' out)" = "$expected" ]; then pass "$name: where"
    else fail "$name: where" "$(cat out)"
    fi
}

train() {
    "$SOLILOQUY" train --data "$root/data/sample.txt" --steps 20 --context 9 --channels 7 --batch-size 8 --quiet "$@" \
        >out 2>err || fail 'a trained model' "$(cat err)"
}

token=token_embedding_table.weight position=position_embedding_table.weight
query=sa_head.query.weight key=sa_head.key.weight value=sa_head.value.weight
train --head-size 5 --out run
check 'a trained model' 0 '^gradcheck: largest relative error [0-9.]*e-[01][0-9] over 28 tensors in 4' run
cp out right
check '--break none' 0 'over 28 tensors' run --break none
if cmp -s out right; then pass 'none is no mistake'; else fail 'none is no mistake' "$(cat out)"; fi
for mistake in no-scale diagonal-softmax channels; do
    refused "$mistake" $token $position $query $key
done
refused later-queries $token $position $key $value
for mistake in sum adam-step; do
    refused "$mistake" $token $position $query $key $value lm_head.weight lm_head.bias
done
train --head-size 7 --out square
check 'one that changes nothing' 0 'channels changes nothing here' square --break channels

check '--break list' 0 '^adam-step  *[A-Z]' --break list
[ "$(wc -l <out)" -eq 6 ] && pass 'names them all' || fail 'names them all' "$(cat out)"
check 'an unknown name, near one' 2 'did you mean diagonal-softmax?' --break diagonal-sotfmax
check 'an unknown name' 2 'not one of none, no-scale' --break frobnicate
check 'no name' 2 '\-\-break' --break
check 'help' 0 '\-\-break NAME' --help

[ "$failures" -eq 0 ]

#!/bin/sh
# `train` on texts, directories and machines that do not suit it: one clear line, and files that were whole stay whole.
. tests/train_cases.sh

# fails FRAGMENT OPTION...: exit status 1, one line that says so (progress may stand before it), no result.
fails() {
    fragment=$1
    shift
    train "$@"
    ends 1
    says err "$fragment"
    [ "$(grep -c '^soliloquy train: ' "$work/err")" -eq 1 ] || wrong "not one line of error: $(tail -n 3 "$work/err")"
    [ "$(tail -n 1 "$work/err" | cut -c 1-17)" = 'soliloquy train: ' ] || wrong 'the error is not the last line'
    [ ! -s "$work/out" ] || wrong 'it printed results'
}
root() { [ "$(id -u)" -eq 0 ]; }

# --- the text

: >"$work/empty.txt"
printf 'To be, or not to be' >"$work/short.txt"
fails "$work/none.txt" --data "$work/none.txt" --out "$work/x"
fails "$work/empty.txt" --data "$work/empty.txt" --out "$work/x"
fails '/dev/null' --data /dev/null --out "$work/x"
fails 'directory' --data "$work" --out "$work/x"
[ ! -e "$work/x" ] || wrong 'it made the output directory'
verdict 'a missing or empty text and a directory are refused by name'

if root; then skip 'a text without permission is refused' 'root may read everything'
else
    printf 'secret' >"$work/secret.txt" && chmod 0 "$work/secret.txt"
    fails 'ermission' --data "$work/secret.txt" --out "$work/x"
    verdict 'a text without permission is refused'
fi

fails 'a context of 64 needs at least 65' --data "$work/short.txt" --out "$work/x"
says err '17 of its 19 characters'
says err '--context'
fails '--validation-fraction' --data "$work/short.txt" --out "$work/x" --context 8
[ ! -e "$work/x" ] || wrong 'it made the output directory'
verdict 'a text shorter than the context is refused with sizes and options'

printf 'good text, then \377\n' >"$work/latin.txt"
fails '--bytes' --data "$work/latin.txt" --out "$work/x"
says err '16'
says err '0xFF'
verdict 'bytes that are not UTF-8 are refused with offset and value, naming --bytes'

# --- a resume

fails "$work/none" --resume "$work/none"
[ ! -e "$work/none" ] || wrong 'it made the directory'
mkdir "$work/hollow"
fails 'last.safetensors' --resume "$work/hollow"
verdict 'a resume of a missing or empty directory is refused'

printf 'abcabcabdbcabcadbcabd%.0s' 1 2 3 4 5 6 7 8 9 >"$work/one.txt"
tr d e <"$work/one.txt" >"$work/two.txt"
tr ab ba <"$work/one.txt" >"$work/three.txt"
tiny='--context 4 --channels 3 --head-size 2 --batch-size 2'
# shellcheck disable=SC2086
train --data "$work/one.txt" $tiny --steps 5 --out "$work/run"
ends 0
cp -R "$work/run" "$work/copy"
fails "added 'e' (U+0065)" --resume "$work/run" --data "$work/two.txt"
says err "removed 'd' (U+0064)"
fails 'the content differs' --resume "$work/run" --data "$work/three.txt"
diff -r "$work/run" "$work/copy" >/dev/null || wrong 'the run was touched'
verdict 'a resume on another text is refused, listing symbols added and removed'

mv "$work/one.txt" "$work/moved.txt"
fails "$work/one.txt" --resume "$work/run"
train --resume "$work/run" --data "$work/moved.txt" --steps 9
ends 0
verdict 'a text that moved is given with --data'

head -c 200 "$work/run/last.safetensors" >"$work/cut" && mv "$work/cut" "$work/run/last.safetensors"
fails 'last.safetensors' --resume "$work/run" --data "$work/moved.txt"
verdict 'a damaged checkpoint is refused'

# --- the directory

fails 'not a directory' --data "$text" --out "$work/short.txt" --steps 1
fails 'not a directory' --data "$text" --out "$work/short.txt/below" --steps 1
[ "$(cat "$work/short.txt")" = 'To be, or not to be' ] || wrong 'the file was touched'
verdict 'a file in the place of the output directory is refused'

if root; then skip 'an output directory without permission is refused' 'root may write everywhere'
else
    mkdir "$work/locked" && chmod 555 "$work/locked"
    fails 'ermission' --data "$text" --out "$work/locked" --steps 1
    fails 'ermission' --data "$text" --out "$work/locked/below" --steps 1
    verdict 'an output directory without permission is refused'
fi

train_small --out "$work/deep/er/run" --steps 1
exists "$work/deep/er/run/last.safetensors"
verdict 'missing parents of the output directory are made'

# A limit on the size of files (in blocks of 512 or 1024 bytes) fails as a full disk does.
train --data "$text" --context 8 --channels 80 --head-size 5 --batch-size 8 --out "$work/full" --steps 40 --pause-at 20
ends 0
cp -R "$work/full" "$work/before"
(ulimit -f 24 && "$program" train --resume "$work/full") >"$work/out" 2>"$work/err"
status=$?
ends 1
says err 'cannot write'
says err '.safetensors'
same "$work/full/last.safetensors" "$work/before/last.safetensors"
same "$work/full/best.safetensors" "$work/before/best.safetensors"
no_temporaries "$work/full"
train --resume "$work/full"
ends 0
verdict 'a full disk is reported, the checkpoint before stays, and the run can go on'

if [ -c /dev/full ]; then
    "$program" train --data "$text" --steps 1 --out "$work/nowhere" >/dev/full 2>"$work/err"
    status=$?
    ends 1
    says err 'standard output'
    exists "$work/nowhere/last.safetensors"
    verdict 'results that cannot be printed are a failure'
else
    skip 'results that cannot be printed are a failure' 'no /dev/full'
fi
"$program" train --data "$text" --steps 1 --out "$work/headless" 2>"$work/err" | head -n 1 >"$work/out"
exists "$work/headless/attention/attention.png"
! grep -q '^soliloquy train: ' "$work/err" || wrong "$(cat "$work/err")"
verdict 'a reader that goes away stops nothing'

# --- two at once, and what a killed process leaves

if command -v flock >/dev/null 2>&1; then
    train_small --out "$work/busy" --steps 60 --pause-at 20
    cp "$work/busy/log.jsonl" "$work/log"
    flock "$work/busy" "$program" train --resume "$work/busy" >"$work/out" 2>"$work/err"
    status=$?
    ends 1
    says err "another process trains in $work/busy"
    same "$work/busy/log.jsonl" "$work/log"
    flock "$work/busy" "$program" train --data "$text" --out "$work/busy" --overwrite >"$work/out" 2>"$work/err"
    says err "another process trains in $work/busy"
    same "$work/busy/log.jsonl" "$work/log"
    verdict 'a directory in which another process trains is left alone'
else
    skip 'a directory in which another process trains is left alone' 'no flock'
fi
train_small --out "$work/litter" --steps 60 --pause-at 20
: >"$work/litter/last.safetensors.123-0.tmp"
: >"$work/litter/last.safetensors.mine.tmp"
train --resume "$work/litter"
ends 0
[ ! -e "$work/litter/last.safetensors.123-0.tmp" ] || wrong 'the temporary is left'
[ -e "$work/litter/last.safetensors.mine.tmp" ] || wrong 'a file of the user is gone'
verdict 'a resume clears away what a killed process left half written, and nothing else'
(cd "$work" && "$(cd - >/dev/null && cd "$(dirname "$program")" && pwd)/$(basename "$program")" train --resume litter --steps 70) \
    >"$work/out" 2>"$work/err"
says err 'name its place with --data'
verdict 'a resume that does not find its text says what to do'

# --- numbers out of bounds

train --data "$text" --context 8 --channels 6 --head-size 5 --batch-size 8 --warmup 0 --learning-rate 10 --steps 100 \
    --out "$work/rate10"
no_nan "$work/out"
if [ "$status" -eq 0 ]; then no_nan "$work/err" "$work/rate10/log.jsonl"; else says err 'not finite'; fi
verdict 'a learning rate of 10 prints no NaN'

fails 'is not finite' --data "$text" --context 8 --channels 6 --head-size 5 --batch-size 8 --warmup 0 \
    --learning-rate 1e30 --out "$work/rate1e30"
says err 'step 2'
says err 'weight'
says err '--learning-rate'
train --resume "$work/rate1e30" --pause-at 0
ends 0
verdict 'a run that diverges stops at that step, names a tensor, and keeps its last good checkpoint'

for words in '--context 16777216 --batch-size 16777216' '--batch-size 16777216 --context 1000' '--channels 16777216' \
    '--channels 16777216 --head-size 16777216' '--context 16777216 --batch-size 16777216 --channels 16777216'; do
    # 4 GB of address space: had it begun to take what it asks for, this would be the end of it
    case ${BUILD:-} in *-sanitize*) limit=unlimited ;; *) limit=4000000 ;; esac
    # shellcheck disable=SC2086,SC3045
    (ulimit -v $limit 2>/dev/null; "$program" train --data "$text" $words --out "$work/huge") >"$work/out" 2>"$work/err"
    status=$?
    ends 1
    says err 'GB of memory and this machine has'
    says err '--batch-size'
    [ ! -e "$work/huge" ] || wrong 'it made the output directory'
done
verdict 'sizes beyond the memory are refused by their estimate'
finish

#!/bin/sh
# `train` on unusual texts: each ends well, without a NaN, and with all of its files.
. tests/train_cases.sh

tiny='--context 5 --channels 4 --head-size 3 --batch-size 4 --steps 30 --eval-every 10'
# trains NAME SYMBOLS OPTION...: of that many symbols, with every file there.
trains() {
    name=$1 symbols=$2
    shift 2
    # shellcheck disable=SC2086
    train --data "$work/$name.txt" $tiny --out "$work/$name" "$@"
    ends 0
    says err "$symbols symbols"
    no_nan "$work/out" "$work/err" "$work/$name/log.jsonl"
    for file in last.safetensors attention/attention.npy attention/attention.csv attention/attention.json \
        attention/attention.png; do
        exists "$work/$name/$file"
    done
    train --resume "$work/$name" --steps 31
    ends 0
}
# repeated TEXT: enough of it for both splits.
repeated() { i=0; while [ $i -lt 40 ]; do printf '%b' "$1"; i=$((i + 1)); done; }

repeated 'aaaaa' >"$work/constant.txt"
trains constant 1
grep -E '^this head +0\.0000 +0\.0000$' "$work/out" >/dev/null || wrong "$(grep 'this head' "$work/out")"
verdict 'one symbol only: V = 1, loss 0'

repeated 'one\r\ntwo\r\n' >"$work/crlf.txt"
trains crlf 7
verdict 'carriage returns are symbols'

{ printf '\357\273\277'; repeated 'to be '; } >"$work/mark.txt"
trains mark 5
train --data "$work/mark.txt" --context 5 --steps 0 --out "$work/mark2"
says err 'byte-order mark'
verdict 'a byte-order mark is dropped, and said'

repeated 'ab\0000c' >"$work/nul.txt"
[ "$(tr -d -c '\000' <"$work/nul.txt" | wc -c)" -eq 40 ] || wrong 'the test has no NUL'
trains nul 4
verdict 'NUL bytes are symbols'

{ repeated 'be not\n'; printf 'end'; } >"$work/open.txt"
trains open 8
verdict 'a text without a last newline'

LC_ALL=C awk 'BEGIN { for (i = 0; i < 3; i++) for (b = 184; b < 192; b++) for (c = 128; c < 192; c++)
    printf "%c%c%c", 228, b, c }' >"$work/chinese.txt"
trains chinese 512
verdict 'Chinese: hundreds of symbols'
LC_ALL=C trains chinese 512 --overwrite
verdict 'Chinese, with LC_ALL=C'
trains chinese 65 --overwrite --bytes
verdict 'the same as bytes'

head -c 20000 "$program" >"$work/binary.txt"
# shellcheck disable=SC2086
train --data "$work/binary.txt" $tiny --out "$work/binary" --bytes
ends 0
no_nan "$work/binary/log.jsonl"
verdict 'any bytes with --bytes'

repeated 'to be or not ' >"$work/whole.txt"
trains whole 7 --validation-fraction 0
says out 'no validation split'
grep -q '"validation_loss": null' "$work/whole/log.jsonl" || wrong 'the log has a validation loss'
[ ! -e "$work/whole/best.safetensors" ] || wrong 'a best model without a validation'
! grep -q 'best.safetensors' "$work/out" || wrong 'it names a file that is not there'
verdict '--validation-fraction 0 trains without one'

for positions in learned sinusoidal none; do
    for rest in '--mask none' '--mixing uniform' '--scale none' '--schedule constant --clip 1 --weight-decay 0.1'; do
        # shellcheck disable=SC2086
        trains whole 7 --overwrite --positions $positions $rest
    done
done
verdict 'every ablation trains and resumes'

# shellcheck disable=SC2086
train --data "$work/whole.txt" $tiny --out "$work/maps" --maps-text 'not to be'
ends 0
grep -q -- '--maps-text' "$work/maps/attention/attention.json" || wrong 'the maps are of another text'
verdict '--maps-text is the text of the maps'

train --data "$text" --context 1100 --channels 4 --head-size 4 --batch-size 1 --steps 0 --out "$work/long"
ends 0
"$program" attend "$work/long" --data "$text" --out "$work/asked" >"$work/out" 2>"$work/err"
status=$?
ends 0
for map in long/attention asked; do
    bytes=$(wc -c <"$work/$map/attention.npy")
    [ "$bytes" -eq $((128 + 4 * 1024 * 1024)) ] || wrong "$map/attention.npy has $bytes bytes"
done
verdict 'a map of no named text has at most 1,024 characters of a longer context'

printf 'tobeornot ' | cat - "$work/whole.txt" | "$program" train --data - --context 5 --steps 3 --out "$work/pipe" \
    >"$work/out" 2>"$work/err"
status=$?
ends 0
verdict 'a text from a pipe'
finish

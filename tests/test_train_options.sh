#!/bin/sh
# `train` refuses, each with exit status 2 and one line that says why, and touches nothing.
. tests/train_cases.sh

# Each row: a fragment of the message, then the words.
while read -r line; do
    fragment=${line%%|*} words=${line#*|}
    # shellcheck disable=SC2086
    train --data "$text" --out "$work/refused" $words
    ends 2
    one_line
    says err "$fragment"
    [ ! -s "$work/out" ] || wrong 'it printed results'
    [ ! -e "$work/refused" ] || wrong 'it made the directory'
    verdict "refuses $words"
done <<'END'
unknown option --channel; did you mean --channels?|--channel 8
unknown option --learning_rate; did you mean --learning-rate?|--learning_rate 1
unknown option|--zzzzzzzz 8
unknown option -s|-s 3
unexpected argument 'extra'|extra
unexpected argument '--steps'|-- --steps
--steps needs a value: a whole number|--steps
--out needs a value|--steps 5 --out --quiet
--steps is given twice|--steps 1 --steps 2
--quiet takes no value|--quiet=yes
'1e' is not a number above 0|--learning-rate 1e
'abc' is not a number above 0|--learning-rate abc
'nan' is not a number above 0|--learning-rate nan
'inf' is not a number above 0|--learning-rate inf
'-1' is not a number above 0|--learning-rate -1
'0' is not a number above 0|--learning-rate 0
'1e999' is not a number above 0|--learning-rate=1e999
'0x10' is not a number above 0|--learning-rate=0x10
'1e-2x' is not a number above 0|--learning-rate=1e-2x
--min-learning-rate is above --learning-rate|--min-learning-rate 1
--min-learning-rate|--min-learning-rate -1
'99999999999999999999' is not a whole number from 1 to 16777216|--context 99999999999999999999
'0' is not a whole number from 1 to 16777216|--context 0
'-1' is not a whole number|--context -1
'1.5' is not a whole number|--context 1.5
'1e3' is not a whole number|--context 1e3
'8x' is not a whole number|--context 8x
'16777217' is not a whole number|--context 16777217
--channels: '0'|--channels 0
--head-size: '0'|--head-size 0
--batch-size: '0'|--batch-size 0
--steps: '-1' is not a whole number from 0|--steps -1
--eval-every: '0' is not a whole number from 1|--eval-every 0
--pause-at: '-1'|--pause-at -1
--warmup: '-1'|--warmup -1
--threads: '0' is not a whole number from 1 to 1024|--threads 0
--threads: '1025'|--threads 1025
--checkpoint-every: '0' is not a number above 0|--checkpoint-every 0
--max-time: '0' is not a number above 0|--max-time 0
--max-time: 'nan'|--max-time nan
--validation-fraction: '1'|--validation-fraction 1
--validation-fraction: '-0.1'|--validation-fraction -0.1
--beta1: '1'|--beta1 1
--beta2: '1.5'|--beta2 1.5
--epsilon: '0'|--epsilon 0
--epsilon: '1e-50'|--epsilon 1e-50
--weight-decay: '-1'|--weight-decay -1
--clip: '-1'|--clip -1
--seed: '-1'|--seed -1
--seed: '18446744073709551616'|--seed 18446744073709551616
'cosin' is not one of cosine, constant; did you mean cosine?|--schedule cosin
'absolute' is not one of learned, sinusoidal, none|--positions absolute
'left' is not one of causal, none|--mask left
'all' is not one of attention, uniform|--mixing all
'2' is not one of sqrt, none|--scale 2
'big' is not one of default, lecture|--preset big
--precision: 'half' is not one of float, bf16|--precision half
'bf61' is not one of float, bf16; did you mean bf16?|--precision bf61
--precision needs a value|--precision
--maps-text is empty|--maps-text=
END

train --data "$text" --out "$work/refused" --maps-text 'two ~ three'
ends 2
says err "'~' (U+007E)"
[ ! -e "$work/refused" ] || wrong 'it made the directory'
verdict 'refuses a --maps-text with an unknown character before it trains'

for empty in --data= --out= --resume=; do
    train "$empty"
    ends 2
    one_line
    says err "${empty%=}"
done
verdict 'refuses an empty path'

train --help
ends 0
[ ! -s "$work/err" ] || wrong 'it wrote on stderr'
for option in data out steps learning-rate context resume preset maps-text precision; do says out "--$option"; done
says out 'data/tinyshakespeare.txt'
[ "$(awk 'length > 100' "$work/out" | wc -l)" -eq 0 ] || wrong 'a line is longer than 100'
verdict '--help lists the options'

# --- what a resume may not change

train_small --out "$work/run" --steps 20
cp -R "$work/run" "$work/copy"
for words in '--channels 6' '--context=8' '--seed 1' '--learning-rate 1' '--batch-size 8' '--bytes' '--overwrite' \
    '--out elsewhere' '--preset lecture' '--validation-fraction 0.1' '--eval-every 5' '--precision bf16'; do
    # shellcheck disable=SC2086
    train --resume "$work/run" $words
    ends 2
    one_line
    option=${words%%[ =]*}
    says err "$option cannot be given with --resume"
done
diff -r "$work/run" "$work/copy" >/dev/null || wrong 'the run was touched'
verdict 'a resume refuses options that belong to the run'

train_small --out "$work/run" --steps 30 # ends with 2
why=''
ends 2
one_line
says err "$work/run already holds a run"
says err "--resume $work/run"
says err '--overwrite'
diff -r "$work/run" "$work/copy" >/dev/null || wrong 'the run was touched'
verdict 'a directory that holds a run is refused, naming --resume and --overwrite, and left alone'

for file in best.safetensors last.safetensors log.jsonl; do
    mkdir "$work/part.$file"
    echo precious >"$work/part.$file/$file"
    train --data "$text" --out "$work/part.$file"
    ends 2
    [ "$(cat "$work/part.$file/$file")" = precious ] || wrong "$file was touched"
done
verdict 'any one file of a run makes a directory a run'

echo mine >"$work/run/notes.txt"
train_small --out "$work/run" --steps 30 --seed 5 --overwrite
train_small --out "$work/fresh" --steps 30 --seed 5
same_run "$work/run" "$work/fresh"
[ "$(cat "$work/run/notes.txt")" = mine ] || wrong 'a foreign file was touched'
train_small --out "$work/run" --steps 30 --validation-fraction 0 --overwrite
[ ! -e "$work/run/best.safetensors" ] || wrong 'the best model of the run before is still there'
verdict '--overwrite replaces the run and nothing else'

train_small --out "$work/float" --steps 20 --precision float
same_run "$work/float" "$work/copy"
train_small --out "$work/bf16" --steps 20 --precision bf16
differ "$work/bf16/last.safetensors" "$work/float/last.safetensors"
no_nan "$work/bf16/log.jsonl"
grep -qF '\"precision\": \"bf16\"' "$work/bf16/last.safetensors" || wrong 'last.safetensors lacks the precision'
train_small --out "$work/paused bf16" --steps 20 --precision bf16 --pause-at 7
train --resume "$work/paused bf16"
ends 0
same_run "$work/paused bf16" "$work/bf16"
verdict '--precision bf16 trains otherwise than float, which is the default, and a resume goes on in it'

train --data "$text" --steps 2 --threads 5 --out "$work/threads"
ends 0
says err '5 threads'
train --data "$text" --steps 0 --threads 40 --out "$work/many"
ends 0
says err '16 threads (as many as a step has shards)'
train_small --steps 2 --threads 5 --out "$work/few"
says err '1 thread (a step is too small to share)'
case ${BUILD:-} in
*-serial*) ;;
*)
    OMP_NUM_THREADS=3 train --data "$text" --steps 0 --out "$work/omp"
    says err '3 threads'
    ;;
esac
verdict '--threads and OMP_NUM_THREADS are honoured and printed'

train_small --out "$work/silent" --steps 60 --quiet
[ ! -s "$work/err" ] || wrong "$(head -n 1 "$work/err")"
says out 'validation loss'
verdict '--quiet writes nothing on stderr'
train_small --out "$work/silent pause" --steps 60 --quiet --pause-at 5
one_line
says err 'paused after step 5'
says err "train --resume '$work/silent pause'"
verdict '--quiet tells that a run is only paused, and how to go on, in words for a shell'
train --data "$text" --maps-text '2+2' --out "$work/unknown"
ends 2
says err "'2' (U+0032) at byte 0 is not in the model's vocabulary; leave it out"
verdict '--maps-text with an unknown character is refused without naming an option that train lacks'
OMP_NUM_THREADS=99999 train --data "$text" --steps 0 --out "$work/omp many"
ends 0
case ${BUILD:-} in
*-serial*) ;;
*) says err "16 threads (as many as a step has shards)" ;;
esac
verdict "OMP_NUM_THREADS may be any number"

if command -v script >/dev/null 2>&1 && script --version 2>/dev/null | grep -q util-linux; then
    escape=$(printf '\033')
    # shellcheck disable=SC2086
    NO_COLOR=1 TERM=xterm script -qec "'$program' train --data $text $small --steps 400 --out '$work/terminal'" \
        /dev/null >"$work/out" 2>"$work/err" </dev/null
    grep -q "${escape}\[K" "$work/out" || wrong 'no live line'
    ! grep -q "${escape}\[[0-9;]*m" "$work/out" || wrong 'colours'
    verdict 'a terminal has a live line, without colours under NO_COLOR'
else
    skip 'a terminal has a live line, without colours under NO_COLOR' 'no util-linux script'
fi
finish

#!/bin/sh
# `train`: the same bits for any number of threads, and whatever stopped a run on its way: a pause, a signal, kill -9.
. tests/train_cases.sh

# --- equal bits

# equal_on_threads NAME OPTION...: of a model whose steps are large enough to be shared.
equal_on_threads() {
    name=$1
    shift
    for threads in 1 2 3 7; do
        train --data "$text" --steps 24 --eval-every 8 --warmup 2 --out "$work/$name$threads" --threads $threads "$@"
        ends 0
        says err "$threads thread"
        same_run "$work/${name}1" "$work/$name$threads"
    done
}
equal_on_threads wide --context 32 --channels 18 --head-size 15 --batch-size 64
verdict 'checkpoints are equal on 1, 2, 3 and 7 threads'
equal_on_threads long --context 900 --channels 9 --head-size 7 --batch-size 1
verdict 'checkpoints are equal on 1, 2, 3 and 7 threads that share one long window'

train_small --out "$work/straight" --steps 200
train_small --out "$work/again" --steps 200
same_run "$work/straight" "$work/again"
train_small --out "$work/seed2" --steps 200 --seed 2
differ "$work/straight/last.safetensors" "$work/seed2/last.safetensors"
verdict 'two runs of a seed are equal, another seed differs'

train --data="$text" --context=8 --channels=6 --head-size=5 --batch-size=8 --warmup=10 --eval-every=50 --steps=200 \
    --out="$work/equals"
ends 0
same_run "$work/straight" "$work/equals"
verdict '--name=value is --name value'

# --- a pause

for pause in 100 73 0; do
    train_small --out "$work/paused$pause" --steps 200 --pause-at $pause
    says err "paused after step $pause"
    stands_at "$work/paused$pause" $pause
    says err "train --resume $work/paused$pause"
    train --resume "$work/paused$pause"
    ends 0
    same_run "$work/straight" "$work/paused$pause"
done
verdict 'a run paused at a step and resumed is the straight run'

train_small --out "$work/bits" --steps 200 --pause-at 60
for pause in 61 62 150 200; do
    train --resume "$work/bits" --pause-at $pause
    ends 0
done
same_run "$work/straight" "$work/bits"
verdict 'a run resumed many times is the straight run'

cp "$work/straight/last.safetensors" "$work/finished"
train --resume "$work/straight"
ends 0
same "$work/straight/last.safetensors" "$work/finished"
verdict 'resuming a finished run changes nothing'

train --data "$text" --context 32 --channels 18 --head-size 15 --batch-size 64 --steps 24 --eval-every 8 --warmup 2 \
    --out "$work/shared" --threads 2 --pause-at 11
train --resume "$work/shared" --threads 3
ends 0
same_run "$work/wide1" "$work/shared"
verdict 'a run may go on with another number of threads'

train_small --out "$work/longer" --steps 50 --schedule constant
train --resume "$work/longer" --steps 120
ends 0
[ "$(log_steps "$work/longer")" = '0 50 100 120 ' ] || wrong "steps $(log_steps "$work/longer")"
train --resume "$work/longer" --steps 119
ends 1
one_line
says err '--steps'
verdict '--steps makes a resumed run longer, and is refused below where it stands'

# --- signals

# Starts an endless run in $work/NAME and returns when it has logged its second evaluation of steps.
begin() {
    name=$1
    shift
    rm -rf "${work:?}/$name"
    # shellcheck disable=SC2086
    "$program" train --data "$text" $small --steps 2000000000 --out "$work/$name" "$@" >"$work/out" 2>"$work/err" &
    process=$!
    await "$name" 4
}
# Waits until the log has that many lines.
await() {
    tries=0
    while [ "$({ wc -l <"$work/$1/log.jsonl" || echo 0; } 2>/dev/null)" -lt "$2" ] && [ $tries -lt 400 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ $tries -lt 400 ] || wrong "no progress in 20 s"
}
# The run in $work/$1 is the one that a straight run paused at its step is, and goes on like it.
same_as_straight() {
    step=$2
    stands_at "$work/$1" "$step"
    train_small --steps 2000000000 --out "$work/$1.straight" --pause-at "$step"
    same "$work/$1/last.safetensors" "$work/$1.straight/last.safetensors"
    for run in "$1" "$1.straight"; do
        train --resume "$work/$run" --pause-at $((step + 77))
        ends 0
    done
    same_run "$work/$1" "$work/$1.straight"
}

for signal in INT TERM; do
    begin "$signal"
    kill -s "$signal" "$process"
    wait "$process"
    status=$?
    ends 130
    says err 'stopped after step'
    says err "soliloquy train --resume $work/$signal"
    no_temporaries "$work/$signal"
    same_as_straight "$signal" "$(sed -n 's/^stopped after step \([0-9]*\).*/\1/p' "$work/err")"
    verdict "SIG$signal saves, ends with 130, says how to go on, and the resumed run is the straight run"
done

begin quiet --quiet
kill -s INT "$process"
wait "$process"
status=$?
ends 130
one_line
says err '--resume'
verdict 'a quiet run says how to go on when it is stopped'

# A step of many seconds: the second signal does not wait for its end.
rm -f "$work/out" "$work/err"
"$program" train --data "$text" --context 4096 --batch-size 256 --out "$work/twice" >"$work/out" 2>"$work/err" &
process=$!
await twice 2
sleep 0.5 # until it is in its first step
kill -s INT "$process"
sleep 0.2
if kill -s INT "$process" 2>/dev/null; then
    wait "$process"
    status=$?
    ends 130
    ! grep -q 'stopped after' "$work/err" || wrong 'it finished the step'
    train --resume "$work/twice" --pause-at 0
    ends 0
else
    wrong 'the step was over too soon for a test'
fi
verdict 'a second Ctrl-C ends at once and leaves a whole checkpoint'

# --- kill -9

begin killed --checkpoint-every 0.01
for lines in 6 9 12; do
    kill -s KILL "$process"
    wait "$process" 2>/dev/null
    "$program" train --resume "$work/killed" --checkpoint-every 0.01 >"$work/out" 2>"$work/err" &
    process=$!
    await killed $lines
done
kill -s KILL "$process"
wait "$process" 2>/dev/null
last=$(log_steps "$work/killed" | tr ' ' '\n' | tail -n 1)
train --resume "$work/killed" --pause-at $((last + 100))
ends 0
train_small --steps 2000000000 --out "$work/alive" --pause-at $((last + 100))
same_run "$work/alive" "$work/killed"
verdict 'kill -9, four times, leaves a checkpoint, and the resumed run is the straight run'

# --- other ends

train_small --out "$work/timed" --steps 2000000000 --max-time 0.2
says err 'out of time after step'
says err "--resume $work/timed"
exists "$work/timed/attention/attention.npy"
verdict '--max-time saves, reports and says how to go on'

train_small --out "$work/initial" --steps 0
for file in best.safetensors last.safetensors log.jsonl attention/attention.npy attention/attention.csv \
    attention/attention.json attention/attention.png; do
    exists "$work/initial/$file"
done
[ "$(log_steps "$work/initial")" = '0 ' ] || wrong "steps $(log_steps "$work/initial")"
verdict '--steps 0 writes the initial model and its maps'

number='(null|-?[0-9][-+.0-9e]*)'
pattern='^\{"step": [0-9]+'
for field in train_loss validation_loss learning_rate gradient_norm tokens seconds tokens_per_second; do
    pattern="$pattern, \"$field\": $number"
done
lines=$(wc -l <"$work/straight/log.jsonl")
[ "$(grep -cE "$pattern\}\$" "$work/straight/log.jsonl")" -eq $((lines - 1)) ] || wrong 'a line has other fields'
head -n 1 "$work/straight/log.jsonl" | grep -q '^{.*"config": {.*"training": {.*}$' || wrong 'no config in the first line'
[ "$(log_steps "$work/straight")" = '0 50 100 150 200 ' ] || wrong "steps $(log_steps "$work/straight")"
verdict 'log.jsonl holds the config and then the evaluations, with their fields'

finish

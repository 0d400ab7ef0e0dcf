# shellcheck shell=sh
# train_cases.sh -- what the test_train*.sh share; they source it. Not a test itself.
#
# Needs SOLILOQUY (the program) and TEST_DIRECTORY, as tests/run.sh sets them, and the project's folder as the current
# one. A case collects what is wrong in $why and ends with `verdict NAME`.
set -u
program=${SOLILOQUY:?names the program to test}
work=${TEST_DIRECTORY:?names a scratch directory}
text=data/sample.txt
small='--context 8 --channels 6 --head-size 5 --batch-size 8 --warmup 10 --eval-every 50'
failures=0 why=''

verdict() {
    if [ -z "$why" ]; then echo "pass train: $1"
    else
        echo "fail train: $1:$why"
        failures=$((failures + 1))
    fi
    why=''
}
skip() { echo "skip train: $1: $2"; why=''; }
wrong() { why="$why [$1]"; }

# train OPTION...: status in $status, what it printed in $work/out and $work/err.
train() {
    "$program" train "$@" >"$work/out" 2>"$work/err"
    status=$?
}
# A small model on the sample; for a case that needs it to succeed.
train_small() {
    # shellcheck disable=SC2086 # words
    train --data "$text" $small "$@"
    ends 0
}

ends() { [ "$status" -eq "$1" ] || wrong "status $status instead of $1: $(tail -n 1 "$work/err")"; }
says() { grep -qF -- "$2" "$work/$1" || wrong "std$1 lacks '$2': $(tail -n 1 "$work/$1")"; }
one_line() {
    [ "$(wc -l <"$work/err")" -eq 1 ] || wrong "$(wc -l <"$work/err") lines on stderr: $(head -n 3 "$work/err")"
}
same() { cmp -s "$1" "$2" || wrong "$(basename "$(dirname "$1")")/$(basename "$1") and $2 differ"; }
differ() { ! cmp -s "$1" "$2" || wrong "$1 and $2 are the same"; }
exists() { [ -s "$1" ] || wrong "no $1"; }
no_nan() { ! grep -qiwE 'nan|inf' "$@" || wrong "$(grep -iwE 'nan|inf' "$@" | head -n 1)"; }
no_temporaries() { [ -z "$(find "$1" -name '*.tmp')" ] || wrong "temporaries are left in $1"; }

stands_at() { grep -q "\"step\":\"$2\"" "$1/last.safetensors" || wrong "last.safetensors is not at step $2"; }

# The steps of a run's log, in one line.
log_steps() { sed -n 's/^{"step": \([0-9]*\),.*/\1/p' "$1/log.jsonl" | tr '\n' ' '; }
# Two runs ended alike: both checkpoints, and the log but for its times.
same_run() {
    same "$1/last.safetensors" "$2/last.safetensors"
    same "$1/best.safetensors" "$2/best.safetensors"
    [ "$(log_steps "$1")" = "$(log_steps "$2")" ] || wrong "logged steps $(log_steps "$1")and $(log_steps "$2")"
    [ "$(log_losses "$1")" = "$(log_losses "$2")" ] || wrong "the logged losses differ"
}
log_losses() { sed -n 's/^\({"step": .*\), "seconds".*/\1/p' "$1/log.jsonl"; }
finish() { [ "$failures" -eq 0 ]; }

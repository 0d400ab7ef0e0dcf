#!/bin/sh
# Full-size runs on tiny Shakespeare, which SOLILOQUY_SHAKESPEARE names: the losses that the presets reach, and a resume.
. tests/train_cases.sh
lecture='the lecture preset ends at a validation loss of at most 2.42'
default='the default preset ends at a validation loss of at most 2.290'
resumed='1,000 steps are those of a run paused at step 500 and resumed'
shakespeare=${SOLILOQUY_SHAKESPEARE:-}
reason=
[ -r "$shakespeare" ] || reason='SOLILOQUY_SHAKESPEARE does not name tiny Shakespeare'
case ${BUILD:-} in *-sanitize*) reason='too slow under sanitizers' ;; esac
if [ -n "$reason" ]; then
    for name in "$lecture" "$default" "$resumed"; do skip "$name" "$reason"; done
    exit 0
fi

# ends_at LIMIT RUN: the last validation loss in the log, and the one that is reported as the best.
ends_at() {
    last=$(sed -n '$s/.*"validation_loss": \([0-9.]*\),.*/\1/p' "$2/log.jsonl")
    best=$(sed -n 's/^this head *\([0-9.]*\) .*/\1/p' "$work/out")
    echo "$last $best" | awk -v limit="$1" '{ exit !(NF == 2 && $1 > 1 && $2 > 1 && $1 <= limit && $2 <= limit) }' ||
        wrong "last '$last', best '$best'"
}

train --data "$shakespeare" --preset lecture --out "$work/lecture"
ends 0
ends_at 2.42 "$work/lecture"
verdict "$lecture"

train --data "$shakespeare" --out "$work/default"
ends 0
ends_at 2.290 "$work/default"
verdict "$default"

train --data "$shakespeare" --steps 1000 --eval-every 250 --out "$work/straight"
ends 0
train --data "$shakespeare" --steps 1000 --eval-every 250 --out "$work/paused" --pause-at 500
says err 'paused after step 500'
train --resume "$work/paused"
ends 0
same_run "$work/straight" "$work/paused"
verdict "$resumed"
finish

#!/bin/sh
# PyTorch loads what `train` wrote into the lecture's classes and finds the same validation loss.
. tests/train_cases.sh
name='PyTorch finds the validation loss of'
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import torch' 2>/dev/null; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
    skip "$name a checkpoint" 'no python3 with torch'
    exit 0
fi

# agrees NAME OPTION...
agrees() {
    case=$1
    shift
    train --data "$text" --steps 60 --eval-every 20 --warmup 5 --context 9 --channels 10 --head-size 7 --batch-size 8 \
        --out "$work/run" --overwrite "$@"
    ends 0
    ours=$(sed -n 's/.*"validation_loss": \([0-9.]*\),.*/\1/p' "$work/run/log.jsonl" | sort -n | head -n 1) # the best
    theirs=$("$python" scripts/load_in_torch.py "$work/run" 2>"$work/err" |
        sed -n 's/^validation loss \([0-9.]*\) .*/\1/p')
    echo "$ours $theirs" | awk '{ d = $1 - $2; exit !(NF == 2 && $1 > 1 && d <= 1e-4 && d >= -1e-4) }' ||
        wrong "ours '$ours', theirs '$theirs' $(tail -n 1 "$work/err")"
    verdict "$name $case"
}
agrees 'the default model'
agrees 'sinusoidal positions, no mask' --positions sinusoidal --mask none
agrees 'no positions, uniform mixing' --positions none --mixing uniform
agrees 'unscaled scores, bytes' --scale none --bytes
finish

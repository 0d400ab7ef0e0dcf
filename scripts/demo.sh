#!/bin/sh
# The main job, from nothing: a text, a trained head, a sample of its writing, and what it attends to.
# usage: scripts/demo.sh PROGRAM [DATA_DIRECTORY]     in the project's folder; writes runs/demo
set -u
program=${1:?usage: scripts/demo.sh PROGRAM [DATA_DIRECTORY]}
data=${2:-data}
run=runs/demo

text=$data/tinyshakespeare.txt
if ! reason=$(scripts/fetch_shakespeare.sh "$data" 2>&1 >/dev/null); then
    text=data/sample.txt
    echo "demo: tiny Shakespeare is not here (${reason#fetch_shakespeare.sh: }); training on data/sample.txt instead"
fi

overwrite=
if [ -e "$run/last.safetensors" ] || [ -e "$run/best.safetensors" ] || [ -e "$run/log.jsonl" ]; then
    echo "demo: replacing the earlier demo in $run"
    overwrite=--overwrite
fi

"$program" train --data "$text" --out "$run" $overwrite || exit
echo
echo 'What the head reads, for each character of a short line:'
"$program" attend "$run" --text 'First Citizen:'

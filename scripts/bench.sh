#!/bin/sh
# What `make bench` does: the program's own measurements, then the same training in PyTorch where there is a python3
# with torch.
# usage: scripts/bench.sh PROGRAM     in the project's folder; PYTHON names another python3 to look for torch in
set -u
program=${1:?usage: scripts/bench.sh PROGRAM}

"$program" bench || exit
echo
for python in ${PYTHON:-python3 /usr/bin/python3}; do
    if "$python" -c 'import torch' 2>/dev/null; then
        exec "$python" scripts/yardstick.py "$program"
    fi
done
echo 'no python3 with torch is here (Debian: python3-torch; or PYTHON=PATH), so PyTorch is not measured'

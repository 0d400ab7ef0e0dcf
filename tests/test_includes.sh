#!/bin/sh
# The includes of src/ keep the direction of the rooms, and the script that says so refuses what does not.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
work=$(mktemp -d "${TEST_DIRECTORY:-/tmp}/includes.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
check=$root/scripts/check_includes.sh

pass() { echo "pass includes: $1"; }
fail() { echo "fail includes: $1: $2"; failures=$((failures + 1)); }

if output=$("$check" 2>&1) && [ -z "$output" ]; then pass 'the tree keeps the direction'
else fail 'the tree keeps the direction' "$(echo "$output" | head -n 3)"
fi

# refuses ROOM LINE: a copy of the tree with one more file, of one line in that room, is refused by that line.
copy() { rm -rf "$work/src" && cp -R "$root/src" "$work/src"; }
refuses() {
    copy && mkdir -p "$work/src/$1" && printf '\n%s\n' "$2" >"$work/src/$1/added.c"
    output=$("$check" "$work/src" 2>&1)
    status=$?
    case $status:$output in
    "1:$work/src/$1/added.c:2: includes "*) [ "$(echo "$output" | wc -l)" -eq 1 ] && return ;;
    esac
    wrong="$wrong [$1: $2: status $status, '$output']"
}
accepts() {
    copy && mkdir -p "$work/src/$1" && printf '\n%s\n' "$2" >"$work/src/$1/added.c"
    output=$("$check" "$work/src" 2>&1) || wrong="$wrong [$1: $2: '$output']"
}
verdict() { if [ -z "$wrong" ]; then pass "$1"; else fail "$1" "$wrong"; fi; }

wrong=
refuses base '#include "cli/options.h"'
refuses base '#include "text/ids.h"'
refuses layers '#include "model/model.h"'
refuses training '#  include "report/svg.h" /* a comment */'
refuses storage '#include <training/trainer.h>'
verdict 'an include of a room further up is refused'

wrong=
refuses text '#include "kernels/gemm.h"'
refuses kernels '#include "text/ids.h"'
refuses optimizer '#include "storage/npy.h"'
refuses inference '#include "training/trainer.h"'
refuses training '#include "inference/sampler.h"'
refuses report '#include "lab/lab.h"'
refuses lab '#include "report/svg.h"'
verdict 'an include of the neighbouring room is refused'

wrong=
refuses layers '#include "linear.h"'
refuses layers '#include "../model/model.h"'
refuses layers '#include "base/../model/model.h"'
refuses layers '#include "common/things.h"'
verdict 'an include that does not begin with a room is refused'

wrong=
accepts cli '#include "lab/lab.h"'
accepts storage '#include "text/vocabulary.h"'
accepts layers '#include "layers/linear.h"'
accepts text '#include "base/error.h"'
accepts base '#include <sys/stat.h>'
accepts report '#include "inference/sampler.h"'
verdict 'includes along the direction are accepted'

name='no source files is a failure, too'
mkdir "$work/empty"
if "$check" "$work/empty" >/dev/null 2>&1; then fail "$name" 'an empty folder was accepted'; else pass "$name"; fi

[ "$failures" -eq 0 ]

#!/bin/sh
# scripts/fetch_banking77.sh with --from, and against a server on the loopback. What it shares with the other fetch
# script (curl's and wget's failures, the tools that verify) is tested with that one.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
work=$(mktemp -d "${TEST_DIRECTORY:-/tmp}/fetch.XXXXXX") || exit 1
server=
stop() { if [ -n "$server" ]; then kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; server=; fi; }
trap 'stop; rm -rf "$work"' EXIT
failures=0
fetch=$root/scripts/fetch_banking77.sh
good=${SOLILOQUY_BANKING77:-}
data=$work/data/banking77
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
SOLILOQUY_BANKING77_URL=http://127.0.0.1:9/none
export SOLILOQUY_BANKING77_URL

verdict() {
    if [ -z "$why" ]; then echo "pass fetch Banking77: $1"
    else
        echo "fail fetch Banking77: $1: $why"
        failures=$((failures + 1))
    fi
}
skip() { echo "skip fetch Banking77: $1: $2"; }

# run STATUS LINES WORDS [ARGUMENT...]: the script ends so, prints that many lines, the last of which holds WORDS, on
# stdout when it ends with 0; a failure's one line is on stderr. No temporary is left. The result is in $why.
run() {
    expected=$1 lines=$2 words=$3
    shift 3
    "$fetch" "$@" >"$work/stdout" 2>"$work/stderr"
    status=$? why=
    if [ "$status" -eq 0 ]; then said=$work/stdout; else said=$work/stderr; fi
    [ "$status" -eq "$expected" ] || why="status $status instead of $expected;"
    [ "$(wc -l <"$said")" -eq "$lines" ] || why="$why $(wc -l <"$said") lines instead of $lines;"
    tail -n 1 "$said" | grep -qF -- "$words" || why="$why no '$words';"
    [ -z "$(find "$work/data" -name '.t*' 2>/dev/null)" ] || why="$why a temporary is left;"
    [ -z "$why" ] || why="$why $(cat "$work/stdout" "$work/stderr")"
}
# refuses NAME WORDS [ARGUMENT...]: ends with 1, and there is no file afterwards.
refuses() {
    name=$1
    shift
    rm -rf "$work/data"
    run 1 1 "$@"
    [ ! -e "$data/train.csv" ] && [ ! -e "$data/test.csv" ] || why="$why a file is in place"
    verdict "$name"
}
has_good() { cmp -s "$good/train.csv" "$data/train.csv" && cmp -s "$good/test.csv" "$data/test.csv"; }

mkdir "$work/bad" "$work/empty"
printf 'text,category\n' >"$work/bad/train.csv"
refuses 'a copy of another text is refused' "not Banking77's train.csv: it has 14 bytes instead of 839073" \
    --from "$work/bad" "$work/data"
refuses 'a folder without the file is refused' 'no such file' --from="$work/empty" "$work/data"
refuses 'a missing folder is refused' 'no such folder' --from "$work/none" "$work/data"
refuses 'without a network' 'cannot fetch http://127.0.0.1:9/none/train.csv' "$work/data"
run 2 1 'unknown option --form' --form "$work/bad"
verdict 'an unknown option is refused'
run 2 1 '--from needs a FOLDER' --from
verdict '--from without a folder is refused'
"$fetch" --help >"$work/stdout" 2>&1 && grep -q '^usage: ' "$work/stdout" && grep -q 'CC BY 4.0' "$work/stdout" &&
    grep -q 'arxiv.org/abs/2003.04807' "$work/stdout" && why='' || why=$(cat "$work/stdout")
verdict '--help names the licence and the paper'

if [ ! -r "$good/train.csv" ] || [ ! -r "$good/test.csv" ]; then
    skip 'the good files' 'SOLILOQUY_BANKING77 does not name their folder'
    [ "$failures" -eq 0 ]
    exit
fi
rm -rf "$work/data"
run 0 2 verified --from "$good" "$work/data"
has_good || why="$why the files are not the good ones"
verdict '--from copies the good files and makes the folders'
run 0 2 'is there already' "$work/data"
verdict 'good files are kept, without a network'
printf 'x' >>"$data/test.csv"
before=$(ls -i "$data/train.csv")
run 0 2 'verified' --from "$good" "$work/data"
has_good && [ "$before" = "$(ls -i "$data/train.csv")" ] || why="$why not only the damaged file was replaced"
verdict 'a damaged file is replaced, the other kept'

if ! command -v python3 >/dev/null || ! { command -v curl || command -v wget; } >/dev/null; then
    skip 'with a server' 'it needs python3, and curl or wget'
    [ "$failures" -eq 0 ]
    exit
fi
mkdir -p "$work/site/good" "$work/site/wrong"
cp "$good/train.csv" "$good/test.csv" "$work/site/good"
tr 'a' 'b' <"$good/train.csv" >"$work/site/wrong/train.csv"
python3 -u -m http.server --bind 127.0.0.1 --directory "$work/site" 0 >"$work/port" 2>/dev/null &
server=$!
tries=0
while ! grep -q port "$work/port" && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
address=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$work/port")
SOLILOQUY_BANKING77_URL=$address/none refuses 'a server without the files' 'cannot fetch' "$work/data"
SOLILOQUY_BANKING77_URL=$address/wrong refuses 'right length, other bytes' 'its SHA-256 is' "$work/data"
rm -rf "$work/data"
SOLILOQUY_BANKING77_URL=$address/good run 0 2 verified "$work/data"
has_good || why="$why the files are not the good ones"
verdict 'the good files from a server'

[ "$failures" -eq 0 ]

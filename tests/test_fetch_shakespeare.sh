#!/bin/sh
# scripts/fetch_shakespeare.sh against a server on the loopback, with curl and with wget, and with --from.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
work=$(mktemp -d "${TEST_DIRECTORY:-/tmp}/fetch.XXXXXX") || exit 1
server=
stop() { if [ -n "$server" ]; then kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; server=; fi; }
trap 'stop; rm -rf "$work"' EXIT
failures=0
fetch=$root/scripts/fetch_shakespeare.sh
good=${SOLILOQUY_SHAKESPEARE:-}
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY SOLILOQUY_SHAKESPEARE_URL

pass() { echo "pass fetch: $1"; }
fail() { echo "fail fetch: $1: $2"; failures=$((failures + 1)); }
skip() { echo "skip fetch: $1: $2"; }

# run STATUS WORDS [ARGUMENT...]: the script ends so, prints one line that holds WORDS, on stdout only when it
# ends with 0, and leaves no temporary. The result is in $why, empty when all is well.
run() {
    expected=$1 words=$2
    shift 2
    PATH=$tools "$fetch" "$@" >"$work/stdout" 2>"$work/stderr"
    status=$? why=
    if [ "$status" -eq 0 ]; then said=$work/stdout silent=$work/stderr; else said=$work/stderr silent=$work/stdout; fi
    [ "$status" -eq "$expected" ] || why="status $status instead of $expected;"
    [ "$(wc -l <"$said")" -eq 1 ] || why="$why $(wc -l <"$said") lines instead of one;"
    [ ! -s "$silent" ] || why="$why the other stream is not empty;"
    grep -qF -- "$words" "$said" || why="$why no '$words';"
    [ -z "$(find "$work/data" -name '.tiny*' 2>/dev/null)" ] || why="$why a temporary is left;"
    [ -z "$why" ] || why="$why $(cat "$said" "$silent")"
}
# refuses NAME WORDS [ARGUMENT...]: ends with 1, and data/ has no file afterwards.
refuses() {
    name=$1
    shift
    rm -rf "$work/data"
    run 1 "$@"
    [ ! -e "$work/data/tinyshakespeare.txt" ] || why="$why a file is in place"
    if [ -z "$why" ]; then pass "$name"; else fail "$name" "$why"; fi
}
has_good() { cmp -s "$good" "$work/data/tinyshakespeare.txt"; }
verdict() { if [ -z "$why" ]; then pass "$1"; else fail "$1" "$why"; fi; }

# toolbox NAME TOOL...: a folder of links to the commands that the script always needs and to those tools.
toolbox() {
    mkdir "$work/$1"
    box=$work/$1
    shift
    for tool in sh cat cut wc rm mv mkdir mktemp chmod dirname timeout "$@"; do
        path=$(command -v "$tool") && ln -s "$path" "$box/$tool"
    done
}

# --- without a server

tools=$PATH
printf 'To be' >"$work/bad.txt"
refuses 'a copy of another text is refused' 'it has 5 bytes instead of 1115394' --from "$work/bad.txt" "$work/data"
refuses 'a missing file is refused' 'no such file' --from "$work/none.txt" "$work/data"
refuses 'a directory is refused' 'is a directory' --from="$work" "$work/data"
run 2 'unknown option --form' --form "$work/bad.txt"
verdict 'an unknown option is refused'
run 2 '--from needs a FILE' --from
verdict '--from without a file is refused'
: >"$work/plain"
run 1 'cannot create the directory' --from "$work/bad.txt" "$work/plain/data"
verdict 'a directory that cannot be made is refused'
if "$fetch" --help >"$work/stdout" 2>&1 && grep -q '^usage: ' "$work/stdout"; then pass '--help'
else fail '--help' "$(cat "$work/stdout")"
fi
toolbox bare sha256sum
tools=$work/bare
refuses 'neither curl nor wget' 'neither curl nor wget is installed' "$work/data"
tools=$PATH

if [ ! -r "$good" ]; then
    skip '--from, and a file that is there' 'SOLILOQUY_SHAKESPEARE does not name the file'
else
    rm -rf "$work/data"
    run 0 verified --from "$good" "$work/data"
    has_good || why="$why the file is not the good one"
    verdict '--from copies the good file and makes the directory'
    before=$(ls -i "$work/data/tinyshakespeare.txt")
    SOLILOQUY_SHAKESPEARE_URL=http://127.0.0.1:1/ run 0 'is there already' "$work/data"
    [ "$before" = "$(ls -i "$work/data/tinyshakespeare.txt")" ] && has_good || why="$why it was replaced"
    verdict 'a good file is kept, without a network'
    run 0 'is there already' --from "$work/bad.txt" "$work/data"
    has_good || why="$why it was replaced"
    verdict 'a good file is kept from a bad copy'
    printf 'x' >>"$work/data/tinyshakespeare.txt"
    run 0 verified --from "$good" "$work/data"
    has_good || why="$why it was not replaced"
    verdict 'a damaged file is replaced'
    for hasher in sha256sum shasum openssl; do
        if ! command -v "$hasher" >/dev/null; then
            skip "verified with $hasher" "$hasher is missing"
            continue
        fi
        toolbox "only-$hasher" "$hasher"
        tools=$work/only-$hasher
        rm -rf "$work/data"
        run 0 verified --from "$good" "$work/data"
        verdict "verified with $hasher"
    done
    toolbox none
    tools=$work/none
    refuses 'no way to verify' 'cannot be checked without' --from "$good" "$work/data"
    tools=$PATH
fi

# --- with a server

if ! command -v python3 >/dev/null; then
    skip 'with a server' 'python3 is missing'
    [ "$failures" -eq 0 ]
    exit
fi
if [ -r "$good" ]; then python3 "$root/tests/loopback_server.py" "$work/port" "$good" &
else python3 "$root/tests/loopback_server.py" "$work/port" &
fi
server=$!
tries=0
while [ ! -f "$work/port" ] && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
if [ ! -f "$work/port" ]; then
    fail 'a server on the loopback' 'it does not start'
    exit 1
fi
address=http://127.0.0.1:$(cat "$work/port")
export SOLILOQUY_SHAKESPEARE_URL

# from PATH: the address the next call fetches.
from() { SOLILOQUY_SHAKESPEARE_URL=$address/$1; }
fetchers=
for fetcher in curl wget; do
    if ! command -v "$fetcher" >/dev/null; then
        skip "with $fetcher" "$fetcher is missing"
        continue
    fi
    fetchers="$fetchers $fetcher"
    toolbox "$fetcher" "$fetcher" sha256sum
    tools=$work/$fetcher
    from missing; refuses "$fetcher: 404" 'the server answered with' "$work/data"
    from short; refuses "$fetcher: cut short" 'it has 700000 bytes instead of 1115394' "$work/data"
    from cut; refuses "$fetcher: shorter than announced" 'cut short' "$work/data"
    from empty; refuses "$fetcher: empty" 'it has 0 bytes instead of 1115394' "$work/data"
    from wrong; refuses "$fetcher: right length, other bytes" 'its SHA-256 is' "$work/data"
    mkdir -p "$work/data" && printf 'mine' >"$work/data/tinyshakespeare.txt"
    run 1 'its SHA-256 is' "$work/data"
    [ "$(cat "$work/data/tinyshakespeare.txt")" = mine ] || why="$why the file was touched"
    verdict "$fetcher: a failure leaves the file as it was"
    if [ ! -r "$good" ]; then
        skip "$fetcher: the good file" 'SOLILOQUY_SHAKESPEARE does not name the file'
        continue
    fi
    for path in good moved; do
        rm -rf "$work/data"
        from "$path"; run 0 verified "$work/data"
        has_good || why="$why the file is not the good one"
        verdict "$fetcher: the good file ($path)"
    done
done
stop
for fetcher in $fetchers; do
    tools=$work/$fetcher
    from good; refuses "$fetcher: no server" 'the host does not answer' "$work/data"
done

[ "$failures" -eq 0 ]

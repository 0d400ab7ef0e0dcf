#!/bin/sh
# Puts tiny Shakespeare into data/: fetches or copies it, verifies size and SHA-256, and moves it into place.
set -u

name=tinyshakespeare.txt
size=1115394
sum=86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed
url=${SOLILOQUY_SHAKESPEARE_URL:-https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt}
limit=20 # seconds, for the whole transfer
temporary=

usage() {
    cat <<END
usage: fetch_shakespeare.sh [--from FILE] [DIRECTORY]

Puts tiny Shakespeare ($size bytes) at DIRECTORY/$name; DIRECTORY is the data folder of this
project when it is not given. The file is fetched with curl or wget within $limit seconds, or copied from FILE,
and moved into place only when its size and SHA-256 are right. A right file that is there already is kept.

  --from FILE   copy FILE instead of fetching
  --help        this text

SOLILOQUY_SHAKESPEARE_URL overrides the address:
  $url
Exit status: 0 the file is there, 1 it could not be had, 2 wrong usage.
END
}

fail() {
    echo "fetch_shakespeare.sh: $1" >&2
    exit "${2:-1}"
}

clean() {
    if [ -n "$temporary" ]; then rm -f "$temporary"; fi
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

sum_of() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"
    elif command -v shasum >/dev/null; then shasum -a 256 <"$1"
    elif command -v openssl >/dev/null; then openssl dgst -sha256 -r <"$1"
    else echo none
    fi | cut -d ' ' -f 1
}

# Prints why the file is not tiny Shakespeare; prints nothing when it is.
fault_of() {
    found=$(($(wc -c <"$1")))
    if [ "$found" -ne "$size" ]; then
        echo "it has $found bytes instead of $size"
        return
    fi
    found=$(sum_of "$1")
    case $found in
    "$sum") ;;
    none) echo "its SHA-256 cannot be checked without sha256sum, shasum or openssl" ;;
    *) echo "its SHA-256 is $found instead of $sum" ;;
    esac
}

# Each fetches $url into $temporary and says in one line why it could not.
fetch_with_curl() {
    code=$(curl -fsSL --max-time "$limit" -o "$temporary" -w '%{http_code}' -- "$url" 2>/dev/null)
    status=$?
    case $status in
    0) return ;;
    6) why="the host's name is not known; is there a network?" ;;
    7) why="the host does not answer; is there a network?" ;;
    18) why="the transfer was cut short" ;;
    22) why="the server answered with status $code" ;;
    28) why="it took more than $limit seconds" ;;
    *) why="curl ended with status $status" ;;
    esac
    fail "cannot fetch $url: $why"
}

fetch_with_wget() {
    bounded=
    if command -v timeout >/dev/null; then bounded="timeout $limit"; fi
    $bounded wget -q -t 1 -T "$limit" -O "$temporary" -- "$url" 2>/dev/null
    status=$?
    case $status in
    0) return ;;
    4) why="the host does not answer, or the transfer was cut short; is there a network?" ;;
    8) why="the server answered with an error" ;;
    124) why="it took more than $limit seconds" ;;
    *) why="wget ended with status $status" ;;
    esac
    fail "cannot fetch $url: $why"
}

from='' directory=''
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage; exit 0 ;;
    --from) [ $# -ge 2 ] || fail "--from needs a FILE; see --help" 2
        from=$2; shift ;;
    --from=*) from=${1#--from=} ;;
    -*) fail "unknown option $1; see --help" 2 ;;
    *) [ -z "$directory" ] || fail "one DIRECTORY is enough, but $1 is a second; see --help" 2
        directory=$1 ;;
    esac
    shift
done
if [ -z "$directory" ]; then
    home=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
    directory=$home/data
fi
target=$directory/$name

[ ! -d "$target" ] || fail "$target is a directory"
if [ -f "$target" ] && [ -r "$target" ] && [ -z "$(fault_of "$target")" ]; then
    echo "$target is there already, verified"
    exit 0
fi
if [ -n "$from" ]; then
    [ -e "$from" ] || fail "$from: no such file"
    [ ! -d "$from" ] || fail "$from is a directory, not a file"
    [ -r "$from" ] || fail "$from: permission denied"
fi
mkdir -p "$directory" 2>/dev/null || fail "cannot create the directory $directory"
temporary=$(mktemp "$directory/.$name.XXXXXX" 2>/dev/null) || fail "cannot write in $directory"

if [ -n "$from" ]; then
    cat <"$from" >"$temporary" || fail "cannot copy $from to $directory"
    origin=$from
elif command -v curl >/dev/null; then
    fetch_with_curl
    origin=$url
elif command -v wget >/dev/null; then
    fetch_with_wget
    origin=$url
else
    fail "neither curl nor wget is installed; get $url another way and give it with --from FILE"
fi
fault=$(fault_of "$temporary")
[ -z "$fault" ] || fail "$origin is not tiny Shakespeare: $fault"
chmod '=rw' "$temporary" # as the umask has it; mktemp allows only the owner
mv -f "$temporary" "$target" 2>/dev/null || fail "cannot move the file to $target"
temporary=
echo "$target: $size bytes from $origin, verified"

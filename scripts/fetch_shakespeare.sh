#!/bin/sh
# Puts tiny Shakespeare into data/: fetches or copies it, verifies size and SHA-256, and moves it into place.
set -u
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
. "$scripts/fetch_file.sh"

name=tinyshakespeare.txt
what='tiny Shakespeare'
size=1115394
sum=86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed
url=${SOLILOQUY_SHAKESPEARE_URL:-https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt}

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
put_file "${directory:-${scripts%/*}/data}/$name" "$from"

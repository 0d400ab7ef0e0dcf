#!/bin/sh
# Puts Banking77 into data/banking77: fetches or copies its two files, verifies size and SHA-256, moves each into place.
set -u
scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
. "$scripts/fetch_file.sh"

base=${SOLILOQUY_BANKING77_URL:-https://raw.githubusercontent.com/PolyAI-LDN/task-specific-datasets/master/banking_data}

usage() {
    cat <<END
usage: fetch_banking77.sh [--from FOLDER] [DIRECTORY]

Puts Banking77's train.csv (10,003 queries) and test.csv (3,080) into DIRECTORY/banking77; DIRECTORY is the data
folder of this project when it is not given. Each file is fetched with curl or wget within $limit seconds, or copied
from FOLDER, and moved into place only when its size and SHA-256 are right. A right file that is there already is
kept.

  --from FOLDER  copy FOLDER/train.csv and FOLDER/test.csv instead of fetching
  --help         this text

Banking77 is by PolyAI, under the licence CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/). Cite: I. Casanueva,
T. Temcinas, D. Gerz, M. Henderson, I. Vulic, "Efficient Intent Detection with Dual Sentence Encoders", Proceedings of
the 2nd Workshop on NLP for ConvAI, ACL 2020; https://arxiv.org/abs/2003.04807.

SOLILOQUY_BANKING77_URL overrides the folder's address:
  $base
Exit status: 0 the files are there, 1 one of them could not be had, 2 wrong usage.
END
}

from='' directory=''
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage; exit 0 ;;
    --from) [ $# -ge 2 ] || fail "--from needs a FOLDER; see --help" 2
        from=$2; shift ;;
    --from=*) from=${1#--from=} ;;
    -*) fail "unknown option $1; see --help" 2 ;;
    *) [ -z "$directory" ] || fail "one DIRECTORY is enough, but $1 is a second; see --help" 2
        directory=$1 ;;
    esac
    shift
done
folder=${directory:-${scripts%/*}/data}/banking77
if [ -n "$from" ] && [ ! -d "$from" ]; then fail "$from: no such folder"; fi

# put NAME SIZE SHA-256
put() {
    what="Banking77's $1" size=$2 sum=$3 url=$base/$1
    put_file "$folder/$1" "${from:+$from/$1}"
}
put train.csv 839073 b06e26ac675513959a63135f11b94ea7786ed02da65db93a5650d8838cbc664b
put test.csv 239961 d12d6e3bc4c3103966ae786dc435913c0c563dfa328f5a3646d0e62cfeeb474d

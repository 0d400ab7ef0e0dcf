#!/bin/sh
# Fails on an #include in src/ that runs against the direction of the rooms, or does not name its room:
#   base <- {kernels, text} <- layers <- model <- {optimizer, storage} <- {training, inference} <- {lab, report} <- cli
# A file may include its own room and those further left, not the other room of its braces.
# usage: check_includes.sh [SRC]     one line an offence; exit status 1 when there is one
set -u

src=${1:-$(dirname -- "$0")/../src}
if [ -z "$(find "$src" -name '*.[ch]')" ]; then
    echo "check_includes.sh: no source files in $src" >&2
    exit 1
fi
offences=$(find "$src" -name '*.[ch]' -exec awk -v start="${#src}" '
    BEGIN {
        count = split("base kernels,text layers model optimizer,storage training,inference lab,report cli", levels, " ")
        for (level = 1; level <= count; level++) {
            members = split(levels[level], names, ",")
            for (i = 1; i <= members; i++) rank[names[i]] = level
        }
    }
    FNR == 1 { # the file is SRC/ROOM/...
        room = substr(FILENAME, start + 2)
        sub(/\/.*/, "", room)
        if (!(room in rank)) print FILENAME ":1: lies in no room of src"
    }
    /^[ \t]*#[ \t]*include[ \t]*["<]/ {
        quoted = $0 ~ /include[ \t]*"/
        path = $0
        sub(/^[^"<]*["<]/, "", path)
        sub(/[">].*$/, "", path)
        other = substr(path, 1, index(path, "/") - 1)
        if (!(other in rank)) {
            if (quoted) print FILENAME ":" FNR ": includes " path ", which does not begin with a room of src"
        } else if (path ~ /\/\.\.?\// || (other != room && rank[other] >= rank[room])) {
            print FILENAME ":" FNR ": includes " path " against the direction"
        }
    }' {} + | sort -t : -k 1,1 -k 2,2n)
if [ -n "$offences" ]; then
    printf '%s\n' "$offences"
    exit 1
fi

#!/bin/sh
# scripts/demo.sh, with a stub in the program's place that notes what it is asked for.
set -u
root=$PWD
work=${TEST_DIRECTORY:?names a scratch directory}
failures=0 why=''
verdict() {
    if [ -z "$why" ]; then echo "pass demo: $1"
    else
        echo "fail demo: $1:$why"
        failures=$((failures + 1))
    fi
    why=''
}
wrong() { why="$why [$1]"; }

mkdir -p "$work/home" && cd "$work/home" || exit 1
cp -R "$root/scripts" "$root/data" . && rm -f data/tinyshakespeare.txt
cat >stub <<'END'
#!/bin/sh
echo "$*" >>asked
mkdir -p runs/demo && : >runs/demo/last.safetensors
exit "$(cat status)"
END
chmod +x stub
export SOLILOQUY_SHAKESPEARE_URL=http://127.0.0.1:9/none
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY

# demo STATUS LINES [DATA]: the stub is told to end so; the demo adds that many lines about itself.
demo() {
    rm -f asked
    echo "$1" >status
    lines=$2
    shift 2
    scripts/demo.sh ./stub "$@" >out 2>err
    status=$?
    [ "$(grep -c '^demo: ' out)" -eq "$lines" ] || wrong "$(cat out)"
    [ ! -s err ] || wrong "$(cat err)"
}
asks() { grep -qxF -- "$1" asked || wrong "not asked for '$1' but for $(cat asked)"; }

demo 0 1
[ "$status" -eq 0 ] || wrong "status $status"
asks 'train --data data/sample.txt --out runs/demo'
asks 'attend runs/demo --text First Citizen:'
grep -q '^demo: tiny Shakespeare is not here (.*); training on data/sample.txt' out || wrong "$(cat out)"
verdict 'without the file and a network it trains on the sample, and says so in one line'

demo 0 2
asks 'train --data data/sample.txt --out runs/demo --overwrite'
grep -q '^demo: replacing' out || wrong "$(cat out)"
verdict 'a repeated demo replaces its own run, and says so in one line'

rm -r runs
demo 3 1
[ "$status" -eq 3 ] || wrong "status $status"
[ "$(wc -l <asked)" -eq 1 ] || wrong 'it went on'
verdict 'a failed training ends it with that status'

if [ -r "${SOLILOQUY_SHAKESPEARE:-}" ]; then
    rm -r runs
    mkdir elsewhere && cp "$SOLILOQUY_SHAKESPEARE" elsewhere/tinyshakespeare.txt
    demo 0 0 elsewhere
    asks 'train --data elsewhere/tinyshakespeare.txt --out runs/demo'
    verdict 'tiny Shakespeare is used where it is'
else
    echo 'skip demo: tiny Shakespeare is used where it is: SOLILOQUY_SHAKESPEARE does not name it'
fi
[ "$failures" -eq 0 ]

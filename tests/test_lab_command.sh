#!/bin/sh
# soliloquy lab: its words and options, its table, its last line and exit statuses.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
case ${SOLILOQUY:?names the program} in /*) ;; *) SOLILOQUY=$PWD/$SOLILOQUY ;; esac
work=${TEST_DIRECTORY:-$(mktemp -d)}
cd "$work" || exit 1
unset NO_COLOR COLUMNS
failures=0

pass() { echo "pass lab: $1"; }
fail() { echo "fail lab: $1: $2"; failures=$((failures + 1)); }

# check NAME STATUS PATTERN WORD...: standard output and errors together must hold the pattern.
check() {
    name=$1 status=$2 pattern=$3
    shift 3
    "$SOLILOQUY" lab "$@" >out 2>err
    got=$?
    if [ "$got" -ne "$status" ]; then fail "$name" "status $got, not $status: $(cat err; tail -n 3 out)"
    elif ! cat out err | grep -q -e "$pattern"; then fail "$name" "no '$pattern' in: $(cat err; tail -n 3 out)"
    elif [ "$status" -eq 0 ] && [ -s err ]; then fail "$name" "on standard error: $(cat err)"
    elif [ "$status" -eq 2 ] && { [ -s out ] || [ "$(wc -l <err)" -ne 1 ]; }
    then fail "$name" "not one line of error: $(cat err)"
    else pass "$name"
    fi
}

# verdict NAME: by the status of the command before it.
verdict() { if [ "$?" -eq 0 ]; then pass "$1"; else fail "$1" "$(cat out err)"; fi; }

check 'list' 0 '^hand  *000 ex. 1  *attention' list
check 'one experiment' 0 '^lab: [1-9][0-9]* exact, 0 within, 1 hold, 0 failed, 0 skipped$' hand
tail -n 1 out | grep -q '^lab: '
verdict 'the last line counts'
head -n 1 out | grep -q '^experiment  *source  *claim  *published  *ours  *verdict$'
verdict 'the columns have titles'
grep -q "^hand  *000 ex. 1  *scaled scores.*0.7071 0. 1.4142 1.4142  *0.7071 0. 1.4142 1.4142  *exact$" out
verdict 'a row has published and ours side by side'
cp out once
check 'a name twice is one run' 0 'exact' hand hand
cmp -s once out
verdict 'and the same table'
[ "$(awk '{ if (length($0) > longest) longest = length($0) } END { print longest }' out)" -le 120 ]
verdict 'not wider than 120 columns'
COLUMNS=80 "$SOLILOQUY" lab hand >out 2>err && ! grep -q '.\{81\}' out && grep -q '^lab: ' out
verdict 'nor than COLUMNS'
grep -q '^  .* 1.4142  *1.4142$' out
verdict 'what is too long goes on below'

check 'what needs no data is exact' 0 '^lab: 1[0-9][0-9] exact, 0 within, 3[0-9] hold, 0 failed, 0 skipped$' hand mask \
    positions scale simplex kernel rank
"$SOLILOQUY" lab scale --threads 1 >one 2>err && "$SOLILOQUY" lab scale --threads 3 >three 2>err && cmp -s one three
verdict 'any number of threads gives the same table'

mkdir -p folder && cp "$root/data/sample.txt" folder/tinyshakespeare.txt
check 'without the mask the future leaks' 0 '^lab: 0 exact, 0 within, 5 hold, 0 failed, 0 skipped$' leak --data folder \
    --out leak --threads 2
[ "$(wc -l <leak/leak.csv)" -eq 11 ] && grep -q '^</svg>$' leak/leak.svg
verdict 'as a table and a plot'
cp out two && "$SOLILOQUY" lab leak --data folder --threads 1 >out 2>err && cmp -s out two
verdict 'which any number of threads trains alike'
check 'no text to train on' 0 '^lab: 0 exact, 0 within, 0 hold, 0 failed, 5 skipped$' leak --data nowhere
grep -q 'scripts/fetch_shakespeare.sh' out
verdict 'names the script that fetches it'
check 'patterns of another text, which is not taken for the lecture'"'"'s' 1 \
    '^lab: 0 exact, 0 within, 5 hold, 2 failed, 0 skipped$' patterns --data folder --out patterns
[ "$(wc -c <patterns/patterns.png)" -gt 1000000 ]
verdict 'as a picture'
check 'no text to look at' 0 '^lab: 0 exact, 0 within, 0 hold, 0 failed, 7 skipped$' patterns --data nowhere
check 'the cost of a square matrix' 0 '^lab: 32 exact, 0 within, 8 hold, 0 failed, 0 skipped$' cost --out costs
[ "$(sed -n '7s/,[^,]*,[^,]*$//p' costs/cost.csv)" = 8192,268435456,2097152,2097152,274726912,8388608 ]
verdict 'bytes in a table'
check 'the classic mistakes' 0 '^lab: 0 exact, 0 within, 15 hold, 0 failed, 0 skipped$' mistakes

if "$SOLILOQUY" train --data "$root/data/sample.txt" --out run --steps 30 --context 16 --channels 12 --head-size 8 \
    --batch-size 16 --quiet >out 2>err; then
    check 'a trained head, its text where the model remembers it' 0 ' 0 failed, 0 skipped$' simplex rank --model run
    [ "$(grep -c 'trained head:' out)" -eq 5 ]
    verdict 'the propositions are asserted on it'
    check 'a trained head beside the untrained ones' 0 ' 2 hold, 0 failed, 7 skipped$' patterns --model run \
        --data nowhere --out beside
    [ -s beside/patterns.png ]
    verdict 'has its picture'
    check 'how much of it is a positional kernel' 0 ' 11 hold, 0 failed, 0 skipped$' kernel --model run --out beside
    [ -s beside/kernel.png ] && [ -s beside/kernel_trained.png ] && grep -q 'by the kernel alone' beside/lab.csv
    verdict 'with both pictures'
    cp "$root/data/sample.txt" moved.txt &&
        "$SOLILOQUY" train --data moved.txt --out other --steps 1 --context 16 --quiet >out 2>err && rm moved.txt
    check 'its text in the folder of data' 0 ' 0 failed' simplex --model other --data folder
    check 'its text nowhere' 1 ' 1 failed' simplex --model other
    grep -q "the model's text is not there" out
    verdict 'which the row says'
    "$SOLILOQUY" train --data "$root/data/sample.txt" --out mean --steps 3 --context 70 \
        --mixing uniform --quiet >out 2>err
    check 'a running mean is a positional kernel' 0 ' 11 hold, 0 failed, 0 skipped$' kernel --model mean --out beside
    grep -q 'it is the running mean itself.*holds' beside/lab.csv &&
        grep -q '"100 % of a row.s weight' beside/lab.csv &&
        grep -q ',"\([0-9.]*\) nats a character; \1 by the kernel alone, \1 by a running mean' beside/lab.csv
    verdict 'all of it, and costs nothing'
else fail 'a trained head' "$(cat err)"
fi

check 'an unknown name, near one' 2 "no experiment 'hnad'; did you mean hand?" hnad
check 'an unknown name' 2 'lab list` names them' frobnicate
check 'an unknown name after a known one' 2 "no experiment 'frobnicate'" hand frobnicate
check 'a nearly listed one' 2 'did you mean list?' lst
check 'list with a name' 2 'takes no names' list hand
check 'an unknown option' 2 'did you mean --data' --dta x
check 'no threads' 2 '\-\-threads' hand --threads 0
check 'help' 0 '^usage: soliloquy lab' --help
check 'a model that is not there' 1 'none: no such file' hand --model none
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]
verdict 'is said once, before anything runs'

check 'a table of every row' 0 'exact' hand --out made/here
[ "$(head -n 1 made/here/lab.csv)" = 'experiment,source,claim,published,ours,verdict,why,figures' ] &&
    grep -q '^hand,000 ex. 1,raw scores S = Q K^T,1. 0. 2. 2.,1. 0. 2. 2.,exact,,4$' made/here/lab.csv
verdict 'has the rows of the terminal'
: >file
check 'a file where the folder should be' 1 'file' hand --out file

[ "$failures" -eq 0 ]

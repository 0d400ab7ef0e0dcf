#!/bin/sh
# sample, score, attend, info and the program itself: exit statuses, results and messages, on a small trained model.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
case ${SOLILOQUY:?names the program} in /*) ;; *) SOLILOQUY=$PWD/$SOLILOQUY ;; esac
work=${TEST_DIRECTORY:-$(mktemp -d)}
cd "$work" || exit 1
unset NO_COLOR COLUMNS
failures=0

pass() { echo "pass $1"; }
fail() { echo "fail $1: $2"; failures=$((failures + 1)); }

# check NAME STATUS PATTERN WORD...: runs the program on the file `input`; standard output and errors together must
# hold the pattern, an error must be one line that names the program, and status 0 must leave standard error to notes.
check() {
    name=$1 status=$2 pattern=$3
    shift 3
    "$SOLILOQUY" "$@" <input >out 2>err
    got=$?
    if [ "$got" -ne "$status" ]; then fail "$name" "status $got, not $status: $(cat err)"
    elif ! cat out err | grep -q -e "$pattern"; then fail "$name" "no '$pattern' in: $(cat out err)"
    elif [ "$status" -eq 0 ] && grep -v ': note: ' err | grep -q .; then fail "$name" "on standard error: $(cat err)"
    elif [ "$status" -ne 0 ] && [ "${several:-}" = '' ] && { [ "$(wc -l <err)" -ne 1 ] || ! grep -q '^soliloquy' err; }
    then fail "$name" "not one line of error: $(cat err)"
    else pass "$name"
    fi
}

# same NAME A B: two files are equal.
same() { if cmp -s "$2" "$3"; then pass "$1"; else fail "$1" "$2 and $3 differ"; fi; }

# verdict NAME: by the status of the command before it.
verdict() { if [ "$?" -eq 0 ]; then pass "$1"; else fail "$1" "$(cat out err)"; fi; }

: >input

# --- the program itself

several=yes
check 'no command' 2 'usage: soliloquy COMMAND'
several=
check '--help' 0 'usage: soliloquy COMMAND' --help
check 'help' 0 'usage: soliloquy COMMAND' help
check '--version' 0 '^soliloquy [0-9]' --version
check 'an unknown command, near one' 2 "did you mean 'sample'" sampel
check 'an unknown command' 2 'lists the commands' frobnicate
check 'help on an unknown command' 2 "unknown command 'frobnicate'" help frobnicate
for command in train sample score attend gradcheck lab info; do
    check "help $command" 0 "usage: soliloquy $command" help "$command"
    check "$command --help" 0 "usage: soliloquy $command" "$command" --help
    check "$command with an unknown option" 2 'unknown option' "$command" --frobnicate
done
for command in sample score attend info; do
    check "$command without a model" 2 'name a' "$command"
    [ "$command" = score ] && text=$root/data/sample.txt || text=
    check "$command of a missing file" 1 'none: no such file' "$command" none ${text:+"$text"}
done
check 'sample of a text' 1 'sample.txt' sample "$root/data/sample.txt"
mkdir -p empty
check 'sample of a directory without a run' 1 'no best.safetensors' sample empty
check 'sample of an empty file' 1 '/dev/null' sample /dev/null

# --- a model

cp "$root/data/sample.txt" text.txt
if ! "$SOLILOQUY" train --data text.txt --out run --steps 40 --context 16 --channels 12 --head-size 8 --batch-size 16 \
    --quiet >train.out 2>&1; then
    fail 'a model to look at' "train failed: $(cat train.out)"
    exit 1
fi
pass 'a model to look at'

# --- sample

check 'sample' 0 '.' sample run
cp out first
check 'sample of the file itself' 0 '.' sample run/best.safetensors
same 'a run means its best model' out first
[ "$(wc -c <first)" -ge 300 ] && [ "$(wc -c <first)" -le 301 ]
verdict '300 characters'
check 'another seed' 0 '.' sample run --seed 2
! cmp -s out first
verdict 'another seed draws another text'
check 'a prompt comes first' 0 '^MILLER: I' sample run --prompt 'MILLER: I' --length 5
printf 'MILLER: I' >input
check 'a prompt from standard input' 0 '^MILLER: I' sample run --prompt-file - --length 5
cp out second
check 'a prompt from a file' 0 '^MILLER: I' sample run --prompt-file input --length 5
same 'and both are the same' out second
: >input
check 'an empty prompt from standard input' 0 '.' sample run --prompt-file -
same 'is the same as none' out first
check 'a prompt longer than the context' 0 'longer than the context' sample run --prompt 'Good morrow, neighbours'
check 'past the context' 0 'past 16 characters the window slides' sample run --length 40
"$SOLILOQUY" sample run --length 16 >out 2>err
! [ -s err ]
verdict 'no note within the context'
check 'and one just beyond' 0 'past 16' sample run --length 17
check 'three texts' 0 '^---$' sample run --count 3 --length 20
[ "$(grep -c '^---$' out)" -eq 2 ]
verdict 'two lines between three texts'
"$SOLILOQUY" sample run --length 20 --seed 1337 >one 2>err
head -c "$(wc -c <one)" out >start
same 'the first of three texts is the one alone' start one
check 'temperature 0' 0 '.' sample run --temperature 0
cp out first
check 'top-k 1' 0 '.' sample run --top-k 1 --temperature 3 --seed 9
same 'is the same' out first
check 'a tiny top-p' 0 '.' sample run --top-p 1e-9 --seed 9
same 'is the same too' out first
check 'a tiny temperature' 0 '.' sample run --temperature 1e-300
same 'and so is a tiny temperature' out first
check 'a huge temperature' 0 '.' sample run --temperature 1e300
check 'top-k above V' 0 '.' sample run --top-k 100000

while IFS='|' read -r name pattern words; do
    # shellcheck disable=SC2086 # the words of a row are words
    check "sample: $name" 2 "$pattern" sample run $words
done <<'ROWS'
length 0|whole number from 1|--length 0
length -1|whole number from 1|--length -1
length abc|whole number from 1|--length abc
length of 20 nines|whole number from 1|--length 99999999999999999999
length 1e3|whole number from 1|--length 1e3
count 0|whole number from 1|--count 0
no length|needs a value|--length
temperature -1|at least 0|--temperature -1
temperature nan|at least 0|--temperature nan
temperature inf|at least 0|--temperature inf
top-k -1|whole number from 0|--top-k -1
top-p 0|above 0|--top-p 0
top-p 1.5|at most 1|--top-p 1.5
top-p 0x1|at most 1|--top-p 0x1
seed -1|whole number from 0|--seed -1
unknown maybe|refuse, skip, replace|--unknown maybe
temprature|did you mean --temperature|--temprature 1
two prompts|give one|--prompt A --prompt-file text.txt
a prompt twice|given twice|--prompt A --prompt B
two models|unexpected argument|text.txt
an unknown digit|'2' (U+0032) at byte 0 |--prompt=2+2
ROWS
check 'sample: an unknown tab' 2 'tab (U+0009) at byte 1 ' sample run --prompt 'a	b'
check 'sample: an unknown letter' 2 "U+00E9) at byte 3 " sample run --prompt 'cafés'
check 'sample: a prompt that is not UTF-8' 2 'byte 0xE9 at offset 2' sample run --prompt "$(printf 'ab\351')"
check 'sample: the unknown is skipped' 0 '2 characters .* left out' sample run --prompt '2+A' --unknown skip
check 'sample: the unknown is replaced' 0 '^ A' sample run --prompt '+A' --unknown replace
check 'sample: a missing prompt file' 1 'none: no such file' sample run --prompt-file none
{ "$SOLILOQUY" sample run --length 100000 2>err; echo $? >status; } | head -n 1 >out
! grep -q -v ': note: ' err && [ "$(cat status)" -eq 0 ]
verdict 'a reader that leaves'
if [ -c /dev/full ]; then
    "$SOLILOQUY" sample run >/dev/full 2>err
    got=$?
    [ "$got" -eq 1 ] && grep -q 'cannot write' err
    verdict 'a full disk'
fi

# --- score

check 'score' 0 'nats/char' score run text.txt
cp out first
for threads in 1 2 3 7; do
    check "score on $threads threads" 0 'bits/char' score run text.txt --threads "$threads"
    same "$threads threads, the same result" out first
done
tail -c 500 text.txt >tail.txt
check 'score of a part' 0 '500 characters, 499 predictions, windows of 16' score run tail.txt
grep '^loss' out >first
cp tail.txt input
check 'score of standard input' 0 '^standard input: 500' score run -
check 'score --each' 0 '^character	499	' score run tail.txt --each
grep '^loss' out >second
same 'the same loss with --each' first second
awk -F '\t' -v expected="$(sed 's/^loss *//; s/ .*//' first)" '
    $1 == "character" { sum += $4; count++ }
    $1 == "line" { lines += $3 * $4; predictions += $3 }
    END { d = sum / count - expected; e = lines / predictions - expected
          exit !(count == 499 && predictions == 499 && d <= 2e-6 && d >= -2e-6 && e <= 2e-6 && e >= -2e-6) }' out
verdict 'whose mean is that of its characters, and of its lines'
: >input
check 'score without a text' 2 'and a FILE' score
check 'score of a model alone' 2 'FILE, the text' score run
check 'score of an empty text' 1 'is empty' score run -
printf a >input
check 'score of one character' 1 'at least 2' score run -
printf 'a2b' >input
check 'score: an unknown character' 1 "'2' (U+0032) at byte 1" score run -
check 'score: an unknown character is skipped' 0 '2 characters, 1 predictions' score run - --unknown skip
check 'score of a directory' 1 'it is a directory' score run empty
check 'score: threads 0' 2 'whole number from 1' score run text.txt --threads 0

# --- attend

: >input
check 'attend' 0 'row = query (reads), column = key (is read)' attend run
[ "$(wc -l <out)" -eq 20 ]
verdict 'a title, two lines of help, the keys, 16 queries'
! grep -q "$(printf '\033')" out
verdict 'no colours in a pipe'
check 'attend of a text' 0 '↵' attend run --text 'Ah
me'
[ "$(wc -l <out)" -eq 9 ]
verdict 'five queries'
COLUMNS=10 ; export COLUMNS
check 'attend in a narrow terminal' 0 'strongest' attend run
unset COLUMNS
check 'a note on further windows' 0 'the first of 2 windows' attend run --text 'Good morrow, neighbour'
check 'attend into files' 0 '16 windows of 16 characters' attend run --file text.txt --out maps
for file in attention.npy attention.json attention.csv attention.png; do
    [ -s "maps/$file" ]
    verdict "$file"
done
check 'which are a part' 0 'the first 16 of [0-9,]* windows' attend run --file text.txt --out maps
check 'one window' 0 '1 window of 16 ' attend run --file text.txt --out one-window --windows 1
check 'all windows' 0 '32 windows of 16 ' attend run --file tail.txt --out maps --windows 0
check 'a length' 0 '3 windows of 16 ' attend run --file text.txt --out maps --length 40
check 'the validation text' 0 '1 window of 16 ' attend run --out default --format npy
[ -s default/attention.json ] && [ ! -e default/attention.png ]
verdict 'npy brings json'
[ "$(wc -c <default/attention.npy)" -eq 1152 ]
verdict 'of the size it says'
cmp -s default/attention.npy run/attention/attention.npy
verdict 'as train wrote it'
check 'terminal and file' 0 'row = query' attend run --out both --format term,csv
if command -v python3 >/dev/null; then
    python3 -c "import json; m = json.load(open('default/attention.json')); t = open('text.txt').read()
assert m['axes'] == ['query', 'key'] and m['shape'] == [1, 16, 16] and m['starts'] == [0]
first = m['text']['first']
assert first == int(0.9 * len(t)) and ''.join(m['characters'][0]) == t[first:first + 16]
assert m['model']['context'] == 16 and m['model']['step'] >= 0"
    verdict 'attention.json says what it is'
else
    echo 'skip attention.json says what it is: python3 is missing'
fi
while IFS='|' read -r name pattern words; do
    # shellcheck disable=SC2086
    check "attend: $name" 2 "$pattern" attend run $words
done <<'ROWS'
two texts|give one|--text A --file text.txt
a text and data|give one|--text A --data text.txt
an unknown format|none of npy|--out maps --format npy,gif
a mistyped format|did you mean 'term'|--format tern
no format|none of npy|--out maps --format=
files without a place|--out DIR|--format csv
a place without files|leave one|--out maps --format term
windows without a place|--out DIR|--windows 3
length 0|whole number from 1|--length 0
windows -1|whole number from 0|--out maps --windows -1
an unknown character|'2' (U+0032) at byte 1 |--text=a2
an empty text|is empty|--text=
ROWS
check 'attend: a place that is a file' 1 'text.txt' attend run --out text.txt
check 'attend: a missing file' 1 'none: no such file' attend run --file none
check 'attend: unwritable' 1 'proc' attend run --out /proc/none
mv text.txt moved.txt
check 'attend: the text is gone' 1 'name its place with --data' attend run
check 'attend: and is found again' 0 'moved.txt, validation text' attend run --data moved.txt
check 'attend: another text' 1 'is not the text' attend run --data tail.txt
mv moved.txt text.txt

# --- info

check 'info of a run' 0 'token_embedding_table.weight' info run
check 'its trained text' 0 'text.txt' info run
check 'its steps' 0 'steps done  *[0-9]' info run/last.safetensors
check 'and moments' 0 'can go on' info run/last.safetensors
head -c 1000 run/best.safetensors >cut.safetensors
check 'info of a damaged model' 1 'cut.safetensors: ' info cut.safetensors
cp run/best.safetensors model
check 'info knows a model without its name' 0 'a model' info model
check 'info --bytes of a model' 2 'is for texts' info model --bytes
check 'info of a text' 0 'characters  *[0-9,]*, in [0-9,]* bytes' info text.txt
check 'with baselines' 0 'bigram  *[0-9.]* nats/char' info text.txt
printf '\357\273\277a\r\nb\rc\n\000\303\251' >odd.txt
check 'a mark' 0 'one at the start' info odd.txt
check 'line ends' 0 'LF 1, CRLF 1, CR 1; the last one by nothing' info odd.txt
check 'a NUL' 0 'odd symbols  *NUL (U+0000) 1$' info odd.txt
check 'rare symbols' 0 "rarest .*(U+00E9) 1" info odd.txt
check 'as bytes' 0 'odd bytes  *byte 0x00 1, byte 0xA9 1' info odd.txt --bytes
printf 'ab\300cd' >malformed.txt
check 'a malformed text' 0 'byte 0xC0 at offset 2' info malformed.txt
printf x >input
check 'one character' 0 'too short' info -
printf 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' >ones.txt
check 'one symbol, often' 0 'bigram  *0.0000' info ones.txt
: >input
check 'info of nothing' 1 'is empty' info -
check 'info of a missing file' 1 'none: no such file' info none

[ "$failures" -eq 0 ]

#!/bin/sh
# The README's tables of scaling, measured here: what a step costs when one size doubles, and what a long context costs.
# usage: scripts/scaling.sh [PROGRAM]     prints Markdown; takes about a minute and a half on two cores
set -eu
program=${1:-./soliloquy}

# measure OPTION...: the numbers of a training step, as "operations milliseconds bytes times_one_thread threads".
measure() {
    json=$("$program" bench --json "$@") || exit
    echo "$json" | awk '
        function of(key, from) {
            from = index($0, "\"" key "\": ") + length(key) + 4
            return substr($0, from) + 0
        }
        /"name"/ {
            printf "%.0f %.9g %.0f %.9g %d\n", of("gflops") * of("ms_per_step") * 1e6, of("ms_per_step"),
                   of("resident_bytes"), of("times_one_thread"), of("threads")
        }'
}

base=$(measure --context 64)
row() { # NAME OPTION...
    name=$1
    shift
    doubled=$(measure "$@")
    echo "$base $doubled" | awk -v name="$name" '{
        printf "| %s | %.3g | %.2f | %.2f | %.1f MB |\n", name, $7, $6 / $1, $7 / $2, $8 / 1e6 }'
}
echo '| one size doubled | ms/step | operations, times | measured, times | resident |'
echo '|---|---|---|---|---|'
echo "$base" | awk '{ printf "| T 64, B 64, V 65, H 64, C 64 | %.3g | 1 | 1 | %.1f MB |\n", $2, $3 / 1e6 }'
row 'T 128' --context 128
row 'B 128' --batch-size 128
row 'V 130' --vocabulary-size 130
row 'H 128' --head-size 128
row 'C 128' --channels 128
echo "$base" | awk '$5 > 1 { printf "| 1 thread instead of %d | %.3g | 1 | %.2f | |\n", $5, $2 * $4, $4 }'

echo
echo '| T, at B 1 | ms/step | characters/s | resident | one T x T matrix of floats |'
echo '|---|---|---|---|---|'
for context in 1024 8192 65536; do
    long=$(measure --context "$context" --batch-size 1)
    echo "$long" | awk -v T="$context" '{
        printf "| %d | %.3g | %.3g k | %.0f MB | %.0f MB |\n", T, $2, T / $2, $3 / 1e6, 4 * T * T / 1e6 }'
done

#!/bin/sh
# Runs the test programs and scripts named on the command line and counts their `pass`, `fail` and `skip` lines.
# A program that ends otherwise than it says (a crash, a sanitizer report, no line at all) counts as a failure.
# Prints failures, skips and a line a program; the last line is `N passed, N failed, N skipped`.
set -u
passed=0 failed=0 skipped=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
for test in "$@"; do
    name=$(basename "$test")
    TEST_DIRECTORY="$work/$name" ; export TEST_DIRECTORY
    mkdir -p "$TEST_DIRECTORY"
    "$test" >"$work/output" 2>"$work/errors"
    status=$?
    p=$(grep -c '^pass ' "$work/output") f=$(grep -c '^fail ' "$work/output") s=$(grep -c '^skip ' "$work/output")
    grep -E '^(fail|skip) ' "$work/output"
    if { [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; } || [ $((p + f + s)) -eq 0 ]; then
        f=$((f + 1))
        echo "fail $name: ended with status $status"
    fi
    if [ "$f" -gt 0 ]; then tail -n 20 "$work/errors"; fi
    echo "$name: $p passed, $f failed, $s skipped"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

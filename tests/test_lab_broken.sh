#!/bin/sh
# The lab fails loudly when a layer is wrong: the program is linked anew with one layer broken on purpose.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
work=${TEST_DIRECTORY:-$(mktemp -d)}
cd "$root" || exit 1 # the flags of the build name src/ from here
case ${BUILD:?names the folder of the build} in /*) ;; *) BUILD=$root/$BUILD ;; esac
failures=0

pass() { echo "pass broken layers: $1"; }
fail() { echo "fail broken layers: $1: $2"; failures=$((failures + 1)); }

# run FUNCTION EXPERIMENT...: links the program with broken.c around that function and runs the experiments.
run() {
    function=$1
    shift
    # The first file holds the compiler and its flags, as a shell reads them.
    eval "$(cat "$BUILD/flags")" '"-Wl,--wrap=$function" -o "$work/broken" "$work/broken.c"' \
        '"$BUILD/cli/main.o" "$BUILD/gradient_check_double.o" "$BUILD/libsoliloquy.a" -lm' >"$work/log" 2>&1 ||
        { echo "does not link: $(head -n 3 "$work/log")" >"$work/err"; return 9; }
    "$work/broken" lab "$@" --data "$work/data" >"$work/out" 2>"$work/err"
}

# fails NAME FUNCTION EXPERIMENT
fails() {
    run "$2" "$3"
    status=$?
    if [ "$status" -ne 1 ]; then fail "$1" "status $status, not 1: $(cat "$work/err")"
    elif ! grep -q '  FAILED$' "$work/out"; then fail "$1" 'no row says FAILED'
    elif tail -n 1 "$work/out" | grep -q ' 0 failed'; then fail "$1" 'the last line counts no failure'
    else pass "$1"
    fi
}

# around_X BODY: broken.c with that body in the place of the layer's function, whose own is called __real_...
around_attention() {
    cat >"$work/broken.c" <<END
#include "layers/attention.h"
void __real_attention_forward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix output);
void __wrap_attention_forward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix output);
void __wrap_attention_forward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix output) { $1 }
END
}
around_softmax() {
    cat >"$work/broken.c" <<END
#include "kernels/rows.h"
void __real_softmax_rows(Matrix rows, int visible, real scale);
void __wrap_softmax_rows(Matrix rows, int visible, real scale);
void __wrap_softmax_rows(Matrix rows, int visible, real scale) { $1 }
END
}
around_positions() {
    cat >"$work/broken.c" <<END
#include "layers/positions.h"
void __real_positions_sinusoidal(Matrix table);
void __wrap_positions_sinusoidal(Matrix table);
void __wrap_positions_sinusoidal(Matrix table) { $1 }
END
}
around_check() {
    cat >"$work/broken.c" <<END
#include "training/gradient_check.h"
bool __real_gradient_check_double(const GradientCheckRequest *request, GradientCheckResult *result, Error *error);
bool __wrap_gradient_check_double(const GradientCheckRequest *request, GradientCheckResult *result, Error *error);
bool __wrap_gradient_check_double(const GradientCheckRequest *request, GradientCheckResult *result, Error *error) { $1 }
END
}
around_adam() {
    cat >"$work/broken.c" <<END
#include "optimizer/adam.h"
void __wrap_adam_update(Adam *adam, Parameters *p, const Parameters *gradient, double norm, double rate, int threads);
void __wrap_adam_update(Adam *adam, Parameters *p, const Parameters *gradient, double norm, double rate, int threads) {
    (void)adam; (void)p; (void)gradient; (void)norm; (void)rate; (void)threads; $1 }
END
}

mkdir -p "$work/data" && cp data/sample.txt "$work/data/tinyshakespeare.txt" || exit 1

around_attention '__real_attention_forward(rule, inputs, weights, output);'
name='as it is, nothing fails'
if run attention_forward hand mask positions scale simplex leak kernel; then pass "$name"
else fail "$name" "$(cat "$work/err") $(tail -n 1 "$work/out")"
fi

around_attention 'rule.scale = 1; __real_attention_forward(rule, inputs, weights, output);'
fails 'scores without 1/sqrt(d)' attention_forward hand

around_attention 'rule.visible = weights.columns; __real_attention_forward(rule, inputs, weights, output);'
fails 'no causal mask' attention_forward simplex
fails 'a future that leaks' attention_forward leak
fails 'a mean over the future' attention_forward kernel

around_attention '__real_attention_forward(rule, inputs, weights, output); matrix_row(output, 0)[1] += weights.rows;'
fails 'an output that depends on its block' attention_forward cost

around_softmax '__real_softmax_rows(rows, visible + 1, scale);'
fails 'a row that sees one more' softmax_rows mask

around_softmax '__real_softmax_rows(rows, visible, scale * (real)0.999);'
fails 'another temperature' softmax_rows scale
fails 'another bandwidth' softmax_rows kernel

around_softmax '__real_softmax_rows(rows, visible, scale);
    for (int r = 0; r < rows.rows; r++) matrix_row(rows, r)[0] *= (real)1.001;'
fails 'weights a thousandth too large' softmax_rows mask

around_positions '__real_positions_sinusoidal(table);
    for (int r = 0; r + 1 < table.rows; r++)
        for (int c = 0; c < table.columns; c++) matrix_row(table, r)[c] = matrix_row(table, r + 1)[c];'
fails 'positions that begin at 1' positions_sinusoidal positions

around_check 'GradientCheckRequest blind = *request; blind.mistake = MISTAKE_NONE;
    return __real_gradient_check_double(&blind, result, error);'
fails 'a gradient check that sees no mistake' gradient_check_double mistakes

around_check 'bool done = __real_gradient_check_double(request, result, error);
    result->rows[1].passed = false; return done;'
fails 'a gradient check that refuses what is right' gradient_check_double mistakes

around_adam ''
fails 'an optimizer that moves nothing' adam_update mistakes

[ "$failures" -eq 0 ]

#include "layers/attention.h"

#include "kernels/gemm.h"
#include "kernels/rows.h"

#include <string.h>

void attention_mix_forward(AttentionRule rule, Matrix scores, Matrix value, Matrix output)
{
    softmax_rows(scores, rule.visible, rule.scale);
    multiply_causal_left(scores, value, output, rule.visible, rule.pairs);
}

void attention_mix_backward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix d_output,
                            Matrix d_scores, AttentionGradients gradients)
{
    multiply_causal_transposed(weights, d_output, gradients.d_value, rule.visible, gradients.fresh, rule.pairs);
    if (rule.uniform)
        return;
    multiply_causal(d_output, inputs.value_transposed, d_scores, rule.visible, rule.pairs);
    softmax_rows_backward(weights, d_scores, rule.visible, rule.scale);
}

void attention_forward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix output)
{
    if (rule.uniform)
        for (int r = 0; r < weights.rows; r++)
            memset(matrix_row(weights, r), 0, (size_t)weights.columns * sizeof(real));
    else
        multiply_causal(inputs.query, inputs.key_transposed, weights, rule.visible, rule.pairs);
    attention_mix_forward(rule, weights, inputs.value, output);
}

void attention_backward(AttentionRule rule, AttentionInputs inputs, Matrix weights, Matrix d_output, Matrix d_scores,
                        AttentionGradients gradients)
{
    attention_mix_backward(rule, inputs, weights, d_output, d_scores, gradients);
    if (rule.uniform)
        return;
    multiply_causal_left(d_scores, inputs.key, gradients.d_query, rule.visible, rule.pairs);
    multiply_causal_transposed(d_scores, inputs.query, gradients.d_key, rule.visible, gradients.fresh, rule.pairs);
}

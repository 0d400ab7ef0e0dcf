/* tables.h -- the vocabulary, projected: what the head needs of each character and of each position.
 *
 *   X [R,C]   the embeddings of the U characters that occur, and from row padded(U) those of the T positions
 *   [Q K V] = X [W_Q W_K W_V]^T
 *
 * Since x_t = E[c_t] + P[t] and the projections are linear, W x_t = (W E)[c_t] + (W P)[t]: a step projects the table
 * instead of B T rows of text, and adds two of its rows for each character. Exact, and the same in reverse: gradients
 * are collected by row and go through the projections once. Two further products may move from the text to the table:
 *
 *   linear_first  the lm_head is linear and attention's rows sum to 1, so it may stand before the mix:
 *                 logits[t] = W (sum_j A[t,j] v_j) + b = sum_j A[t,j] (W v_j + b). Softmax sees only how logits
 *                 differ, so W and b stand for their rows less the last one, and the value table has V - 1 columns
 *   score_table   q_t . k_j is a sum of four entries of G = Q K^T [R,R] (layers/score_table.h)
 *
 * tables_pack, tables_project and tables_backward are called by all threads of a team at once, and share the work
 * among themselves. The memory belongs to the arena that tables_layout took it from. */
#ifndef SOLILOQUY_MODEL_TABLES_H
#define SOLILOQUY_MODEL_TABLES_H

#include "base/arena.h"
#include "model/parameters.h"

#include <stdint.h>

/* Where the two movable products stand; the results are the same but for rounding. */
typedef struct TablesPlan {
    bool linear_first, score_table;
    bool pairs; /* gradients by products of rounded pairs (kernels/gemm.h) */
} TablesPlan;

/* What the factors of a training step's products are rounded to; sums, weights and validation are float in any case. */
typedef enum Precision { PRECISION_FLOAT, PRECISION_BF16 } Precision;

extern const char *const precision_names[]; /* as on the command line, NULL at the end */

/* The plan with the fewest operations for steps of `batch` windows. */
TablesPlan tables_plan(const ModelConfig *config, int batch, Precision precision);

/* One row for each character and position. */
typedef struct HeadTables {
    Matrix query, key; /* [R,H]; no rows with score_table */
    Matrix scores;     /* G [R,R] with score_table */
    Matrix value;      /* [R,D], D = V - 1 with linear_first, otherwise H */
} HeadTables;

typedef struct Tables {
    ModelConfig config;
    TablesPlan plan;
    int token_limit;          /* the most characters */
    int token_rows;           /* U, set by tables_number */
    int position_first;       /* padded(U), so that positions start on a whole vector where rows are columns, too */
    int position_rows;        /* T, or 0 without positions */
    Matrix embedding;         /* X [R,C]; the rows between U and padded(U) are 0 */
    Matrix projected;         /* [R,3H'], H' = padded(H): Q, K and V side by side */
    Matrix output;            /* [R,V] with linear_first: W v + b, b on the characters' rows alone; the last column 0 */
    Matrix scores;            /* G [R,R] with score_table */
    Matrix key_transposed;    /* [H,R] with score_table */
    Matrix projection;        /* [3H',C], rows between H and H' zero */
    Matrix projection_transposed;
    Matrix lm_weight;         /* [V,H]; with linear_first less its last row, as lm_bias less its last entry */
    Matrix lm_weight_transposed;
    real *lm_bias;            /* [V] */
    Matrix d_projected, d_embedding, d_projection, d_lm_weight; /* as their namesakes */
} Tables;

/* The most different characters that `batch` windows can hold. */
int tables_token_limit(const ModelConfig *config, int batch);

/* Takes room for up to `token_limit` characters. */
void tables_layout(Tables *tables, Arena *arena, const ModelConfig *config, TablesPlan plan, int token_limit);

/* R: all rows in use. */
int tables_rows(const Tables *tables);

/* How many characters the next projection has; called by one thread. */
void tables_number(Tables *tables, int count);

/* Copies the weights. Does not wait: a barrier must stand between this, tables_number, and tables_project. */
void tables_pack(Tables *tables, const Parameters *parameters);

/* Projects the characters tokens[0..count) and all positions; the threads return together. `pairs` is a thread's own
 * scratch for products of pairs (kernels/gemm.h), or NULL. */
void tables_project(Tables *tables, const Parameters *parameters, const int32_t *tokens, real *pairs);

HeadTables tables_head(const Tables *tables);

/* D: the columns of the value table. */
int tables_value_columns(const Tables *tables);

/* The characters' and the positions' part of a table of rows. */
Matrix tables_token_part(const Tables *tables, Matrix rows);
Matrix tables_position_part(const Tables *tables, Matrix rows);

#endif

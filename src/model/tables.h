/* tables.h -- the vocabulary, projected: what the head needs of each character and of each position.
 *
 *   X [U+T,C]   the embeddings of the U characters that occur, then those of the T positions
 *   [Q K V] = X [W_Q W_K W_V]^T
 *
 * Since x_t = E[c_t] + P[t] and the projections are linear, W x_t = (W E)[c_t] + (W P)[t]: a step projects U + T
 * rows instead of B T, and adds two of them for each character. Exact, and the same in reverse: gradients are
 * collected by row and go through the projections once.
 *
 * The lm_head is linear too, and attention's rows sum to 1, so it may stand before the mix instead of after it:
 *   logits[t] = W (sum_j A[t,j] v_j) + b = sum_j A[t,j] (W v_j + b).
 * With `linear_first` the tables carry W v + b (V columns) in place of v (H columns); the mix then gives the
 * logits, and the B T rows never meet the lm_head. Fewer operations where V (T+1) < H (T+1) + 2 H V.
 *
 * tables_forward and tables_backward are called by all threads of a team at once: they share the work among
 * themselves and return together. The memory belongs to the arena that tables_layout took it from. */
#ifndef SOLILOQUY_MODEL_TABLES_H
#define SOLILOQUY_MODEL_TABLES_H

#include "base/arena.h"
#include "model/parameters.h"

#include <stdint.h>

/* Views of one row per character or position. */
typedef struct HeadTables {
    Matrix query, key; /* [U+T,H] */
    Matrix value;      /* [U+T,D], D = V with linear_first, otherwise H */
} HeadTables;

/* What a pass over text collects: gradients by table row, and those of the lm_head where the text meets it. */
typedef struct TableGradients {
    HeadTables head;
    Matrix lm_weight; /* [V,H]; no rows with linear_first */
    real *lm_bias;    /* [V]; NULL with linear_first */
    real *memory;     /* borrows: all of the above as one run of numbers */
    size_t count;
} TableGradients;

typedef struct Tables {
    ModelConfig config;
    bool linear_first;
    int token_rows;             /* U, set by tables_forward */
    int position_rows;          /* T, or 0 without positions */
    Matrix embedding;           /* X [U+T,C] */
    Matrix projected;           /* [U+T,3H'], H' = padded(H): Q, K and V side by side */
    Matrix output;              /* [U+T,V], with linear_first: W v + b, b on the characters' rows alone */
    Matrix projection;          /* [3H',C], rows between H and H' zero */
    Matrix projection_transposed;
    Matrix lm_weight;           /* [V,H] */
    Matrix lm_weight_transposed;
    real *lm_bias;              /* [V] */
    Matrix d_projected, d_embedding, d_projection, d_lm_weight; /* as their namesakes */
} Tables;

/* Whether linear_first saves operations at this shape. */
bool tables_prefer_linear_first(const ModelConfig *config);

/* Takes room for up to `token_rows` characters. */
void tables_layout(Tables *tables, Arena *arena, const ModelConfig *config, bool linear_first, int token_rows);
void table_gradients_layout(TableGradients *gradients, Arena *arena, const Tables *tables, int token_rows);

/* Projects the characters tokens[0..count) and all positions. */
void tables_forward(Tables *tables, const Parameters *parameters, const int32_t *tokens, int count);

HeadTables tables_head(const Tables *tables);

/* The characters' and the positions' part of a table of rows. */
Matrix tables_token_part(const Tables *tables, Matrix rows);
Matrix tables_position_part(const Tables *tables, Matrix rows);

/* Adds up shards[0..shard_count) in order and takes the sum through the projections: gradient = (all of it). */
void tables_backward(Tables *tables, const TableGradients *shards, int shard_count, const int32_t *tokens,
                     Parameters *gradient);

#endif

/* lesson_layer.h -- the untrained attention layer of document 003, on this program's layers.
 *
 *   x = E[ids];   q, k, v = x W^T + b;   A = softmax(mask(scale q k^T));   out = A v
 *   E [V,d]   x, q, k, v, out [n,d]   W [d,d]   A [n,n]
 *
 * Everything is drawn after manual_seed(42), as its scripts do: nn.Embedding(V, d, padding_idx=0), then three
 * nn.Linear(d, d) for queries, keys and values. V is the size of its vocabulary, so that the stream goes on where the
 * document's does; the words of its examples have their ids here, too (lab/banking77.h finds both in the data, and the
 * experiment `padding` compares them). */
#ifndef SOLILOQUY_LAB_LESSON_LAYER_H
#define SOLILOQUY_LAB_LESSON_LAYER_H

#include "layers/attention.h"
#include "layers/padding.h"

#include <stdint.h>

enum { LESSON_VOCABULARY = 2202 };
enum { WORD_PAD = 0, WORD_QUESTION = 3, WORD_MY = 4, WORD_STOP = 5, WORD_CARD = 9, WORD_IS = 11, WORD_WHERE = 62,
       WORD_NEVER = 248, WORD_ARRIVED = 274 };

enum { LESSON_WORDS = 5 };
extern const int32_t lesson_ask[LESSON_WORDS];     /* Where is my card? */
extern const int32_t lesson_told[LESSON_WORDS];    /* Where is my card. */
extern const int32_t lesson_arrived[LESSON_WORDS]; /* My card never arrived. */

typedef struct LessonLayer {
    int width;        /* d */
    Matrix embedding; /* [V,d], dense rows; row 0, the padding's, is 0 */
    Matrix query_weight, key_weight, value_weight; /* [d,d]: transposed, as products read them */
    Matrix query_bias, key_bias, value_bias;       /* [1,d] */
    Arena memory;     /* owned: everything above */
} LessonLayer;

bool lesson_layer_open(LessonLayer *layer, int width, Error *error);
void lesson_layer_close(LessonLayer *layer); /* accepts a zeroed one */

/* Which keys a query must not look at. All zero: it may look at all. */
typedef struct LessonMask {
    bool causal;
    PaddingMask padding; /* blocked = NULL: none */
    bool zero_filled;    /* the mistake: 0 instead of minus infinity */
} LessonMask;

/* One sequence on its way through a layer. */
typedef struct LessonTokens {
    int count;              /* n */
    real scale;             /* 1/sqrt(d); whoever wants another sets it before lesson_attend */
    Matrix x;               /* [n,d] */
    AttentionInputs inputs; /* the projections */
    Matrix weights, output; /* [n,n], [n,d]: of the last lesson_attend */
    Arena memory;           /* owned: everything above */
} LessonTokens;

/* Memory for `count` tokens. */
bool lesson_tokens_open(LessonTokens *tokens, const LessonLayer *layer, int count, Error *error);
void lesson_tokens_close(LessonTokens *tokens); /* accepts a zeroed one */

/* Embeds and projects ids[0..n). */
void lesson_project(LessonTokens *tokens, const LessonLayer *layer, const int32_t *ids);

void lesson_attend(LessonTokens *tokens, LessonMask mask);

/* All of it for one sequence. */
bool lesson_run(LessonTokens *tokens, const LessonLayer *layer, const int32_t *ids, int count, LessonMask mask,
                Error *error);

#endif

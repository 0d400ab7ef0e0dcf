/* parameters.h -- the tensors of a model in one block of memory, and the list that everything walks.
 *
 * Gradients and Adam's moments are Parameters too, of the same layout. The names are those of the lecture's
 * PyTorch classes. Rows are dense (the stride is the number of columns). */
#ifndef SOLILOQUY_MODEL_PARAMETERS_H
#define SOLILOQUY_MODEL_PARAMETERS_H

#include "base/arena.h"
#include "base/random.h"
#include "kernels/matrix.h"
#include "model/config.h"

enum { TENSOR_COUNT = 7 };

/* One tensor of the list. */
typedef struct Tensor {
    const char *name; /* as in the checkpoint */
    Matrix values;    /* borrows; a bias is one row */
    int rank;         /* 1 for a bias, 2 otherwise */
    bool trained;     /* false: a constant of this model (sinusoidal positions; W_Q = W_K = 0), without gradient */
} Tensor;

typedef struct Parameters {
    ModelConfig config;
    Tensor tensors[TENSOR_COUNT]; /* in the order below; without positions the second has 0 rows */
    Matrix token_embedding;       /* [V,C]  token_embedding_table.weight */
    Matrix position_embedding;    /* [T,C]  position_embedding_table.weight */
    Matrix query, key, value;     /* [H,C]  sa_head.{query,key,value}.weight */
    Matrix lm_weight;             /* [V,H]  lm_head.weight */
    Matrix lm_bias;               /* [1,V]  lm_head.bias */
    size_t count;                 /* numbers in all tensors; they stand one behind the other from tensors[0] */
    Arena memory;                 /* owned */
} Parameters;

/* Allocates, all zero. A row may be read one vector beyond its end. */
bool parameters_open(Parameters *parameters, const ModelConfig *config, Error *error);
void parameters_close(Parameters *parameters);

/* The same list without memory: names, shapes and counts of a model that is not built. */
Parameters parameters_shape(const ModelConfig *config);

/* As PyTorch's classes: embeddings N(0,1), weights and bias of a linear map uniform in +-1/sqrt(its inputs).
 * Constant tensors get their constants. */
void parameters_initialise(Parameters *parameters, Random random);

/* How many numbers are trained. */
size_t parameters_trained_count(const Parameters *parameters);

/* The first tensor that holds a NaN or an infinity, or NULL. */
const Tensor *parameters_find_nonfinite(const Parameters *parameters);

#endif

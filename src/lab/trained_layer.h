/* trained_layer.h -- a trained model's attention on inputs of one's own, as document 002 asks of its untrained head. */
#ifndef SOLILOQUY_LAB_TRAINED_LAYER_H
#define SOLILOQUY_LAB_TRAINED_LAYER_H

#include "lab/source_head.h"
#include "lab/trained.h"

enum { TRAINED_LAYER_LONGEST = 256 }; /* characters: what is asked grows with the square, and is the same for all */

/* The first window of the validation text, at most that long, into ids; returns its length. */
int trained_layer_window(const Trained *trained, int32_t ids[TRAINED_LAYER_LONGEST]);

/* The trained W_Q, W_K and W_V for sequences of n. A model without the scale gets it into its queries. */
bool trained_layer_open(SourceHead *head, const Parameters *parameters, int n, bool causal, Error *error);

/* x[t,:] = E[ids[t],:], and + P[t,:] with positions, where the model has any; x is [n,C], dense. */
void trained_layer_embed(const Parameters *parameters, const int32_t *ids, int n, bool positions, float *x);

#endif

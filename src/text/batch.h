/* batch.h -- the windows a training step learns from, drawn with replacement. */
#ifndef SOLILOQUY_TEXT_BATCH_H
#define SOLILOQUY_TEXT_BATCH_H

#include "base/random.h"
#include "text/ids.h"

/* Windows of `length` symbols: row b of inputs[B,length] is text[s_b .. s_b+length) and row b of targets is
 * the same one symbol later. The starts s_b are uniform on all that fit. text.count > length. */
void batch_draw(Random *random, Ids text, int count, int length, int32_t *inputs, int32_t *targets);

/* The window that starts at `start`: inputs[length], targets[length]. start + length < text.count. */
void batch_window(Ids text, size_t start, int length, int32_t *inputs, int32_t *targets);

#endif

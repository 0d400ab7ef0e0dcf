/* lecture_stream.h -- where document 002's one stream of random numbers stands as its cells run in order.
 *
 * Seed 0. Its printed reference figures come out when two heads, of 3 x 16 x 32 weights each, have been drawn before
 * the first input: the head of section 4.1 is the second. Then come, in this order, x (4,8,32), the perturbation
 * (4,32), queries and keys (8,d_k) of lemma 4.5 for d_k = 16, 64, 256, and the scores (8,8) of exercise 4. Section 4.3
 * draws a head, a permutation of 8, embeddings (8,32), (65,32) and (8,32), and 8 of 65 characters; section 4.4 begins
 * with the embeddings of its characters and positions. */
#ifndef SOLILOQUY_LAB_LECTURE_STREAM_H
#define SOLILOQUY_LAB_LECTURE_STREAM_H

#include "lab/torch_random.h"

enum { LECTURE_CHANNELS = 32, LECTURE_HEAD_SIZE = 16, LECTURE_CONTEXT = 8, LECTURE_BATCH = 4 };
enum { LECTURE_VOCABULARY = 65 };

/* What is drawn next. */
typedef enum LecturePoint {
    LECTURE_HEAD, LECTURE_INPUT, LECTURE_LEMMA, LECTURE_EXERCISE_4, LECTURE_EQUIVARIANCE, LECTURE_PATTERNS
} LecturePoint;

TorchRandom lecture_stream(LecturePoint next);

#endif

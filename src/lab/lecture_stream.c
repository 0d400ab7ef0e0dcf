#include "lab/lecture_stream.h"

enum { WIDEST = LECTURE_VOCABULARY * LECTURE_CHANNELS };
_Static_assert(WIDEST >= LECTURE_CONTEXT * 256, "what is drawn on the way fits");

static void skip_head(TorchRandom *random)
{
    float weight[LECTURE_HEAD_SIZE * LECTURE_CHANNELS];
    for (int i = 0; i < 3; i++)
        torch_linear(random, weight, NULL, LECTURE_CHANNELS, LECTURE_HEAD_SIZE);
}

TorchRandom lecture_stream(LecturePoint next)
{
    TorchRandom random = torch_random_seed(0);
    float numbers[WIDEST];
    int64_t tokens[LECTURE_CONTEXT];
    skip_head(&random);
    if (next == LECTURE_HEAD)
        return random;
    skip_head(&random);
    if (next == LECTURE_INPUT)
        return random;
    torch_normal(&random, numbers, LECTURE_BATCH * LECTURE_CONTEXT * LECTURE_CHANNELS);
    torch_normal(&random, numbers, LECTURE_BATCH * LECTURE_CHANNELS);
    if (next == LECTURE_LEMMA)
        return random;
    for (size_t width = 16; width <= 256; width *= 4)
        for (int i = 0; i < 2; i++)
            torch_normal(&random, numbers, LECTURE_CONTEXT * width);
    if (next == LECTURE_EXERCISE_4)
        return random;
    torch_normal(&random, numbers, LECTURE_CONTEXT * LECTURE_CONTEXT);
    if (next == LECTURE_EQUIVARIANCE)
        return random;
    skip_head(&random);
    torch_permutation(&random, tokens, LECTURE_CONTEXT);
    torch_embedding(&random, numbers, LECTURE_CONTEXT, LECTURE_CHANNELS, false);
    torch_embedding(&random, numbers, LECTURE_VOCABULARY, LECTURE_CHANNELS, false);
    torch_embedding(&random, numbers, LECTURE_CONTEXT, LECTURE_CHANNELS, false);
    torch_integers(&random, LECTURE_VOCABULARY, tokens, LECTURE_CONTEXT);
    return random;
}

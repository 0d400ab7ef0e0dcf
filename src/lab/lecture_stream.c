#include "lab/lecture_stream.h"

enum { WIDEST = LECTURE_CONTEXT * 256 };

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
    return random;
}

/* Ids in their widths, and the windows drawn from them. */
#include "test.h"

#include "text/batch.h"

#include <stdlib.h>

static void check_ids(void)
{
    static const struct {
        int size, width;
    } widths[] = {{1, 1}, {2, 1}, {256, 1}, {257, 2}, {65536, 2}, {65537, 4}, {1112064, 4}};
    test_case("ids: the width follows the vocabulary, the largest id survives");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        Ids ids;
        Error error = {0};
        CHECK(ids_allocate(&ids, 5, widths[i].size, &error), "%s", error.message);
        CHECK(ids.width == widths[i].width && ids.count == 5, "V = %d: width %d", widths[i].size, ids.width);
        for (size_t k = 0; k < 5; k++)
            ids_put(ids, k, k % 2 == 0 ? widths[i].size - 1 : 0);
        const Ids slice = ids_slice(ids, 2, 3);
        CHECK(slice.count == 3 && ids_at(slice, 0) == widths[i].size - 1 && ids_at(slice, 1) == 0);
        CHECK(ids_at(ids, 3) == 0 && ids_at(ids, 4) == widths[i].size - 1);
        ids_free(&ids);
        CHECK(ids.data == NULL && ids.count == 0);
    }
    test_case("ids: none at all, and more than memory");
    Ids ids;
    Error error = {0};
    CHECK(ids_allocate(&ids, 0, 3, &error) && ids.count == 0, "%s", error.message);
    CHECK(ids_slice(ids, 0, 0).count == 0);
    ids_free(&ids);
    CHECK(!ids_allocate(&ids, SIZE_MAX, 70000, &error) && ids.data == NULL && strstr(error.message, "memory"));
    CHECK(!ids_allocate(&ids, SIZE_MAX / 2 + 2, 2, &error) && ids.data == NULL);
}

/* A text in which every symbol is its own place. */
static Ids counting_text(size_t count)
{
    Ids text;
    Error error = {0};
    CHECK(ids_allocate(&text, count, 70000, &error), "%s", error.message);
    for (size_t i = 0; i < count; i++)
        ids_put(text, i, (int32_t)i);
    return text;
}

static void check_draw(void)
{
    enum { ROWS = 20000, LENGTH = 7, PLACES = 20 };
    static int32_t inputs[ROWS * LENGTH], targets[ROWS * LENGTH];
    int hits[PLACES] = {0};
    Random random = random_seed(11);
    Ids text = counting_text(PLACES);
    test_case("batch: every start that fits is drawn, equally often, and no other");
    batch_draw(&random, text, ROWS, LENGTH, inputs, targets);
    for (int row = 0; row < ROWS; row++) {
        const int32_t start = inputs[row * LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            CHECK(inputs[row * LENGTH + i] == start + i, "row %d", row);
            CHECK(targets[row * LENGTH + i] == start + i + 1, "row %d", row);
        }
        CHECK(start >= 0 && start < PLACES - LENGTH, "start %d", (int)start);
        hits[start]++;
    }
    double chi_square = 0;
    const double expected = (double)ROWS / (PLACES - LENGTH);
    for (int start = 0; start < PLACES - LENGTH; start++)
        chi_square += (hits[start] - expected) * (hits[start] - expected) / expected;
    CHECK(chi_square <= 32.9, "%g: 12 degrees of freedom pass 32.9 once in a thousand", chi_square);
    ids_free(&text);
}

static void check_same(void)
{
    enum { ROWS = 5, LENGTH = 9 };
    int32_t inputs[2][ROWS * LENGTH], targets[2][ROWS * LENGTH];
    Ids text = counting_text(1000);
    test_case("batch: the same state draws the same windows, the next draw others");
    Random random = random_seed(5);
    const Random kept = random;
    batch_draw(&random, text, ROWS, LENGTH, inputs[0], targets[0]);
    batch_draw(&random, text, ROWS, LENGTH, inputs[1], targets[1]);
    CHECK(memcmp(inputs[0], inputs[1], sizeof inputs[0]) != 0);
    random = kept;
    batch_draw(&random, text, ROWS, LENGTH, inputs[1], targets[1]);
    CHECK(memcmp(inputs[0], inputs[1], sizeof inputs[0]) == 0);
    CHECK(memcmp(targets[0], targets[1], sizeof targets[0]) == 0);
    test_case("batch: the only window that fits, and one at a given start");
    const Ids tight = ids_slice(text, 100, LENGTH + 1);
    batch_draw(&random, tight, ROWS, LENGTH, inputs[0], targets[0]);
    for (int row = 0; row < ROWS; row++)
        CHECK(inputs[0][row * LENGTH] == 100 && targets[0][row * LENGTH + LENGTH - 1] == 100 + LENGTH, "row %d", row);
    batch_window(text, 1000 - LENGTH - 1, LENGTH, inputs[0], targets[0]);
    CHECK(inputs[0][0] == 1000 - LENGTH - 1 && targets[0][LENGTH - 1] == 999);
    ids_free(&text);
}

int main(void)
{
    check_ids();
    check_draw();
    check_same();
    return test_finish();
}

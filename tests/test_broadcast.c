/* Shapes that line up and shapes that do not: document 003's masks. */
#include "lab/broadcast.h"

#include "test.h"

static void check_both(Shape a, Shape b, Shape expected)
{
    Shape both = {0}, reversed = {0};
    Error error = {""};
    bool fits = broadcast(a, b, &both, &error) && broadcast(b, a, &reversed, &error);
    CHECK(fits, "%s", error.message);
    CHECK(both.rank == expected.rank && reversed.rank == expected.rank, "rank %d", both.rank);
    for (int i = 0; fits && i < expected.rank; i++)
        CHECK(both.sizes[i] == expected.sizes[i] && reversed.sizes[i] == expected.sizes[i], "size %d is %d", i,
              both.sizes[i]);
}

int main(void)
{
    test_case("broadcast: shapes line up on the right");
    check_both((Shape){3, {32, 1, 48}}, (Shape){3, {32, 48, 48}}, (Shape){3, {32, 48, 48}});
    check_both((Shape){3, {32, 1, 48}}, (Shape){2, {48, 48}}, (Shape){3, {32, 48, 48}});
    check_both((Shape){2, {48, 48}}, (Shape){3, {48, 48, 48}}, (Shape){3, {48, 48, 48}});
    check_both((Shape){4, {32, 1, 1, 48}}, (Shape){4, {32, 1, 48, 48}}, (Shape){4, {32, 1, 48, 48}});
    check_both((Shape){3, {32, 1, 48}}, (Shape){4, {32, 1, 48, 48}}, (Shape){4, {32, 32, 48, 48}});
    check_both((Shape){1, {7}}, (Shape){1, {1}}, (Shape){1, {7}});

    test_case("broadcast: the first sizes from the right that do not fit are named");
    Shape both;
    Error error = {""};
    CHECK(!broadcast((Shape){2, {32, 48}}, (Shape){3, {32, 48, 48}}, &both, &error), "32 against 48");
    CHECK(strcmp(error.message, "The size of tensor a (32) must match the size of tensor b (48) at non-singleton "
                 "dimension 1") == 0, "%s", error.message);
    CHECK(!broadcast((Shape){3, {2, 3, 4}}, (Shape){3, {5, 3, 6}}, &both, &error), "two at once");
    CHECK(strcmp(error.message, "The size of tensor a (4) must match the size of tensor b (6) at non-singleton "
                 "dimension 2") == 0, "%s", error.message);

    test_case("broadcast: strides, 0 where something is repeated");
    const Shape scores = {3, {48, 48, 48}}, four = {4, {32, 1, 48, 48}};
    CHECK(broadcast_stride((Shape){3, {48, 1, 48}}, scores, 0) == 48, "a query's mask");
    CHECK(broadcast_stride((Shape){3, {48, 1, 48}}, scores, 1) == 0, "the same for every row");
    CHECK(broadcast_stride((Shape){3, {48, 1, 48}}, scores, 2) == 1, "a key");
    CHECK(broadcast_stride((Shape){2, {48, 48}}, scores, 0) == 0, "the same for every query");
    CHECK(broadcast_stride((Shape){2, {48, 48}}, scores, 1) == 48, "a row each");
    CHECK(broadcast_stride((Shape){4, {32, 1, 1, 48}}, four, 0) == 48, "four dimensions");
    CHECK(broadcast_stride((Shape){4, {32, 1, 1, 48}}, four, 2) == 0, "four dimensions, rows");
    return test_finish();
}

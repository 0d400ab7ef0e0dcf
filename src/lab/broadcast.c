#include "lab/broadcast.h"

/* The size at `dimension` of a shape of `rank` dimensions that lines up with this one on the right. */
static int size_at(Shape shape, int rank, int dimension)
{
    int own = dimension - (rank - shape.rank);
    return own < 0 ? 1 : shape.sizes[own];
}

bool broadcast(Shape a, Shape b, Shape *both, Error *error)
{
    both->rank = a.rank > b.rank ? a.rank : b.rank;
    for (int i = both->rank - 1; i >= 0; i--) {
        int of_a = size_at(a, both->rank, i), of_b = size_at(b, both->rank, i);
        if (of_a != of_b && of_a != 1 && of_b != 1)
            return error_set(error, "The size of tensor a (%d) must match the size of tensor b (%d) at non-singleton "
                             "dimension %d", of_a, of_b, i);
        both->sizes[i] = of_a == 1 ? of_b : of_a;
    }
    return true;
}

ptrdiff_t broadcast_stride(Shape from, Shape to, int dimension)
{
    if (size_at(from, to.rank, dimension) == 1)
        return 0;
    ptrdiff_t stride = 1;
    for (int i = dimension + 1; i < to.rank; i++)
        stride *= size_at(from, to.rank, i);
    return stride;
}

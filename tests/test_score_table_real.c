/* Scores looked up in G = Q K^T: against the four products they stand for, and the adjoint entry by entry. Numbers are
 * small and whole, so that sums are exact in either flavour. */
#include "layers/score_table.h"

#include "real_matrix.h"
#include "test.h"

typedef struct Shape {
    int characters, T, R, J, first, visible;
} Shape;

/* A text, its table of products, and the scores of a block. */
typedef struct Case {
    ScoreRows rows;
    Matrix table, scores, d_table;
    Matrix collected; /* one row more than there are characters */
    int32_t *row_of;  /* owned; behind the text no row of the table */
} Case;

static void fill(Matrix m, Random *random)
{
    for (int r = 0; r < m.rows; r++)
        for (int c = 0; c < m.columns; c++)
            matrix_row(m, r)[c] = (real)random_below(random, 17) - 8;
}

/* Padding of the tables is 0, as in the model's memory: rows of sums are added whole. */
static Matrix table_open(int rows, Random *random)
{
    Matrix m = test_matrix(rows, rows);
    memset(m.data, 0, (size_t)rows * (size_t)m.row_stride * sizeof(real));
    fill(m, random);
    return m;
}

static void case_open(Case *c, Shape s, bool positions, Random *random)
{
    static const int32_t hostile[] = {INT32_MAX, -1, INT32_MIN, 1 << 24};
    int position_first = padded(s.characters), rows = positions ? position_first + s.T : s.characters;
    *c = (Case){.table = table_open(rows, random), .d_table = table_open(rows, random), .scores = test_matrix(s.R, s.J),
                .collected = test_matrix(s.characters + 1, s.R),
                .row_of = malloc((size_t)padded(s.T) * sizeof *c->row_of)};
    if (c->row_of == NULL)
        abort();
    for (int t = 0; t < padded(s.T); t++)
        c->row_of[t] = t < s.T ? (int32_t)random_below(random, (uint64_t)s.characters) : hostile[t % 4];
    c->row_of[s.T - 1] = s.characters - 1;
    memset(c->collected.data, 0, (size_t)s.characters * (size_t)c->collected.row_stride * sizeof(real));
    c->rows = (ScoreRows){.row_of = c->row_of, .characters = s.characters, .first = s.first,
                          .position_first = positions ? position_first : -1, .visible = s.visible};
}

static void case_close(Case *c)
{
    test_matrix_free(c->table);
    test_matrix_free(c->d_table);
    test_matrix_free(c->scores);
    test_matrix_free(c->collected);
    free(c->row_of);
}

/* The rows of the table that query t (or key t) is the sum of; returns how many. */
static int parts_of(const Case *c, int t, int parts[2])
{
    parts[0] = c->row_of[t];
    parts[1] = c->rows.position_first + t;
    return c->rows.position_first < 0 ? 1 : 2;
}

static int seen_by(Shape s, int r)
{
    return s.visible + r < s.J ? s.visible + r : s.J;
}

static void check_forward(Case *c, Shape s)
{
    score_table_forward(c->table, c->rows, c->scores);
    for (int r = 0; r < s.R; r++)
        for (int j = 0; j < seen_by(s, r); j++) {
            int of_query[2], of_key[2], queries = parts_of(c, s.first + r, of_query), keys = parts_of(c, j, of_key);
            real expected = 0;
            for (int x = 0; x < queries; x++)
                for (int y = 0; y < keys; y++)
                    expected += matrix_row(c->table, of_query[x])[of_key[y]];
            CHECK(matrix_row(c->scores, r)[j] == expected, "first %d, [%d,%d]: %g, not %g", s.first, r, j,
                  (double)matrix_row(c->scores, r)[j], (double)expected);
        }
}

static void check_backward(Case *c, Shape s, Random *random)
{
    Matrix expected = test_matrix_copy(c->d_table);
    int end = (s.J + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES; /* nothing looks behind the last vector */
    fill(c->scores, random);
    for (int r = 0; r < s.R; r++) {
        for (int j = seen_by(s, r); j < end; j++)
            matrix_row(c->scores, r)[j] = 0;
        for (int j = 0; j < seen_by(s, r); j++) {
            int of_query[2], of_key[2], queries = parts_of(c, s.first + r, of_query), keys = parts_of(c, j, of_key);
            for (int x = 0; x < queries; x++)
                for (int y = 0; y < keys; y++)
                    matrix_row(expected, of_query[x])[of_key[y]] += matrix_row(c->scores, r)[j];
        }
    }
    score_table_backward(c->scores, c->rows, c->collected, c->d_table);
    for (int x = 0; x < expected.rows; x++)
        for (int y = 0; y < expected.columns; y++)
            CHECK(matrix_row(c->d_table, x)[y] == matrix_row(expected, x)[y], "first %d, d_G[%d,%d]: %g, not %g",
                  s.first, x, y, (double)matrix_row(c->d_table, x)[y], (double)matrix_row(expected, x)[y]);
    for (int u = 0; u <= s.characters; u++)
        for (int r = 0; r < s.R; r++)
            CHECK(u < s.characters ? matrix_row(c->collected, u)[r] == 0 : isnan(matrix_row(c->collected, u)[r]),
                  "first %d: collected[%d,%d] stays %g", s.first, u, r, (double)matrix_row(c->collected, u)[r]);
    test_matrix_free(expected);
}

int main(void)
{
    static const Shape shapes[] = {
        {1, 1, 1, 1, 0, 1},     {5, 7, 7, 7, 0, 1},     {16, 20, 5, 9, 4, 5},    {17, 33, 9, 33, 24, 25},
        {3, 70, 64, 64, 0, 1},  {40, 70, 6, 70, 64, 65}, {9, 21, 21, 21, 0, 21}, {65, 48, 16, 48, 20, 48},
        {100, 50, 20, 50, 30, 31}, {128, 33, 7, 33, 0, 33}, /* as many characters as registers may hold */
        {129, 40, 17, 33, 16, 17}, {200, 75, 33, 75, 42, 75}, /* and more */
    };
    for (int positions = 0; positions < 2; positions++) {
        const char *named = positions ? "with positions" : "without positions";
        char name[128];
        Random random = random_seed(1);
        for (int backward = 0; backward < 2; backward++) {
            snprintf(name, sizeof name, "score table: %s, %s",
                     backward ? "each gradient goes to every entry that was used" : "the sum of the products' parts",
                     named);
            test_case(name);
            for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
                Case c;
                case_open(&c, shapes[i], positions, &random);
                if (backward)
                    check_backward(&c, shapes[i], &random);
                else
                    check_forward(&c, shapes[i]);
                case_close(&c);
            }
        }
    }
    return test_finish();
}

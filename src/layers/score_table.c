#include "layers/score_table.h"

#include "kernels/rows.h"

#include <string.h>

static int visible_columns(ScoreRows rows, Matrix scores, int row)
{
    return rows.visible + row < scores.columns ? rows.visible + row : scores.columns;
}

void score_table_forward(Matrix table, ScoreRows rows, real *scratch, Matrix scores)
{
    for (int r = 0; r < scores.rows; r++) {
        const real *character = matrix_row(table, rows.row_of[rows.first + r]);
        int seen = visible_columns(rows, scores, r);
        if (rows.position_first < 0) {
            row_look_up(matrix_row(scores, r), character, rows.row_of, seen);
            continue;
        }
        const real *position = matrix_row(table, rows.position_first + rows.first + r);
        row_sum(scratch, character, position, rows.position_first + seen);
        row_look_up_add(matrix_row(scores, r), scratch, rows.row_of, scratch + rows.position_first, seen);
    }
}

void score_table_backward(Matrix d_scores, ScoreRows rows, real *scratch, Matrix d_table)
{
    int characters = rows.position_first < 0 ? d_table.columns : rows.position_first;
    for (int r = 0; r < d_scores.rows; r++) {
        const real *d_row = matrix_row(d_scores, r);
        real *d_character = matrix_row(d_table, rows.row_of[rows.first + r]);
        int seen = visible_columns(rows, d_scores, r);
        memset(scratch, 0, (size_t)characters * sizeof(real));
        row_collect(scratch, rows.row_of, d_row, seen);
        if (rows.position_first < 0) {
            row_add(d_character, scratch, characters);
            continue;
        }
        real *d_position = matrix_row(d_table, rows.position_first + rows.first + r);
        row_add_both(d_character, d_position, scratch, characters);
        row_add_both(d_character + rows.position_first, d_position + rows.position_first, d_row, seen);
    }
}

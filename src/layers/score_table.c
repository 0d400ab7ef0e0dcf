#include "layers/score_table.h"

#include "kernels/lookup.h"
#include "kernels/rows.h"

static int visible_columns(ScoreRows rows, Matrix scores, int row)
{
    return rows.visible + row < scores.columns ? rows.visible + row : scores.columns;
}

void score_table_forward(Matrix table, ScoreRows rows, Matrix scores)
{
    for (int r = 0; r < scores.rows; r++) {
        const real *character = matrix_row(table, rows.row_of[rows.first + r]);
        int seen = visible_columns(rows, scores, r);
        if (rows.position_first < 0)
            look_up(matrix_row(scores, r), character, table.columns, rows.row_of, seen);
        else
            look_up_sum(matrix_row(scores, r), character, matrix_row(table, rows.position_first + rows.first + r),
                        rows.position_first, rows.row_of, seen);
    }
}

void score_table_backward(Matrix d_scores, ScoreRows rows, Matrix collected, Matrix d_table)
{
    const int32_t *query_rows = rows.row_of + rows.first;
    Matrix of_columns = matrix_columns(matrix_rows(collected, 0, rows.characters), 0, d_scores.rows), none = {0};
    Matrix d_positions = rows.position_first < 0
                             ? none
                             : matrix_rows(d_table, rows.position_first + rows.first, d_scores.rows);
    collect_columns(d_scores, rows.row_of, rows.visible, of_columns);
    spread_columns(of_columns, query_rows, d_table, d_positions);
    for (int r = 0; r < d_positions.rows; r++)
        row_add_both(matrix_row(d_table, query_rows[r]) + rows.position_first,
                     matrix_row(d_positions, r) + rows.position_first, matrix_row(d_scores, r),
                     visible_columns(rows, d_scores, r));
}

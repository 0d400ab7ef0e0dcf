#include "cli/nearest_name.h"

#include <stddef.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance; both words are at most LONGEST_NAME letters. Row i holds the distances
 * between the first i letters of `a` and every beginning of `b`; the swap needs the row before the last. */
static int edit_distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][LONGEST_NAME + 1];
    for (int j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (int i = 1; i <= a_length; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int replace = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(replace, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *nearest_name(const char *word, const char *const *names, int count)
{
    size_t length = strlen(word);
    if (length < 2 || length > LONGEST_NAME)
        return NULL;
    int limit = length < 6 ? 1 : (int)(length / 3);
    const char *nearest = NULL, *completed = NULL;
    for (int i = 0; i < count; i++) {
        size_t name_length = strlen(names[i]);
        if (completed == NULL && length >= 3 && strncmp(names[i], word, length) == 0)
            completed = names[i];
        if (name_length > LONGEST_NAME)
            continue;
        int distance = edit_distance(word, (int)length, names[i], (int)name_length);
        if (distance <= limit) {
            nearest = names[i];
            limit = distance - 1;
        }
    }
    return nearest != NULL ? nearest : completed;
}

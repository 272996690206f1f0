/* edit_distance.c - Measures how much two words differ.
 *
 * SPDX-License-Identifier: MIT
 */
#include "edit_distance.h"

#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t edit_distance(const char *a, const char *b, size_t most)
{
    size_t rows[2][LONGEST + 1];
    size_t a_size = strlen(a);
    size_t b_size = strlen(b);
    if (a_size > LONGEST || b_size > LONGEST)
        return strcmp(a, b) == 0 ? 0 : most + 1;
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 2];
        const size_t *above = rows[1 - i % 2];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++)
            row[j] = least(least(above[j], row[j - 1]) + 1,
                above[j - 1] + (a[i - 1] != b[j - 1]));
    }
    return least(rows[a_size % 2][b_size], most + 1);
}

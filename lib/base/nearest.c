/* nearest.c - Computes the edit distance with one row of the matrix, and stops
 * early.
 *
 * SPDX-License-Identifier: MIT
 */
#include "nearest.h"

#include <string.h>

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t difference(size_t a, size_t b)
{
    return a < b ? b - a : a - b;
}

/* Updates the row from the distances between the prefixes of `b` and a prefix
 * of `a` to those of the prefix with one more byte, `c`. Returns the smallest
 * of them. */
static size_t next_row(size_t *row, char c, const char *b, size_t b_size)
{
    size_t before = row[0]; /* diagonal element */
    size_t least = ++row[0];
    for (size_t i = 0; i < b_size; i++) {
        size_t above = row[i + 1];
        size_t edited = smaller(smaller(above, row[i]), before) + 1;
        row[i + 1] = b[i] == c ? before : edited;
        least = smaller(least, row[i + 1]);
        before = above;
    }
    return least;
}

size_t vv_edit_distance(
    const char *a, size_t a_size, const char *b, size_t b_size, size_t bound)
{
    if (a_size == b_size && memcmp(a, b, a_size) == 0)
        return 0;
    if (difference(a_size, b_size) > bound || a_size > VV_NEAREST_MAX_SIZE ||
        b_size > VV_NEAREST_MAX_SIZE)
        return bound + 1;
    /* Equal bytes at the ends do not change the distance. */
    for (; a_size && b_size && *a == *b; a_size--, b_size--)
        a++, b++;
    while (a_size && b_size && a[a_size - 1] == b[b_size - 1])
        a_size--, b_size--;
    if (a_size == 0 || b_size == 0)
        return a_size + b_size > bound ? bound + 1 : a_size + b_size;
    if (bound == 0)
        return 1;
    size_t row[VV_NEAREST_MAX_SIZE + 1];
    for (size_t i = 0; i <= b_size; i++)
        row[i] = i;
    for (size_t i = 0; i < a_size; i++) {
        if (next_row(row, a[i], b, b_size) > bound)
            return bound + 1;
    }
    return row[b_size] > bound ? bound + 1 : row[b_size];
}

static bool nearest_is_part(
    const char *part, size_t part_size, const char *all, size_t all_size)
{
    for (size_t i = 0; i + part_size <= all_size; i++) {
        if (memcmp(all + i, part, part_size) == 0)
            return true;
    }
    return false;
}

/* Returns true if two adjacent characters are swapped, the most common typing
 * error. */
static bool is_swapped(const char *a, const char *b, size_t size)
{
    size_t i = 0;
    while (i < size && a[i] == b[i])
        i++;
    return i + 1 < size && a[i] == b[i + 1] && a[i + 1] == b[i] &&
           memcmp(a + i + 2, b + i + 2, size - i - 2) == 0;
}

bool vv_is_near(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t longer = a_size > b_size ? a_size : b_size;
    if (a_size == b_size && a_size > 2 && is_swapped(a, b, a_size))
        return true;
    size_t bound = longer / 3 > 1 ? longer / 3 : 1;
    size_t distance = vv_edit_distance(a, a_size, b, b_size, bound);
    /* they have something in common */
    if (distance <= bound && distance < longer)
        return true;
    if (a_size > b_size)
        return b_size >= 3 && nearest_is_part(b, b_size, a, a_size);
    return a_size >= 3 && nearest_is_part(a, a_size, b, b_size);
}

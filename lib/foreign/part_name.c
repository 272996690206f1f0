/* part_name.c - Parses the name of a file of a split model from its end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "part_name.h"

#include <string.h>

#include "directory.h"

enum { FEWEST_DIGITS = 4, MOST_DIGITS = 9 };

/* Parses the digits that end before `end`. Returns their number. */
static size_t digits_before(const char *begin, const char *end, uint64_t *value)
{
    size_t size = 0;
    *value = 0;
    while (size < (size_t)(end - begin) && end[-1 - (ptrdiff_t)size] >= '0' &&
           end[-1 - (ptrdiff_t)size] <= '9')
        size++;
    for (size_t i = size; i > 0 && size <= MOST_DIGITS; i--)
        *value = 10 * *value + (uint64_t)(end[-(ptrdiff_t)i] - '0');
    return size;
}

bool vv_part_name(const char *path, uint64_t *number, uint64_t *count)
{
    static const char between[] = "-of-";
    const size_t between_size = sizeof between - 1;
    const char *name = vv_path_name(path), *end = strrchr(name, '.');
    if (!end)
        return false;
    size_t size = digits_before(name, end, count);
    end -= size;
    if (size < FEWEST_DIGITS || size > MOST_DIGITS ||
        (size_t)(end - name) < between_size + size + 1 ||
        memcmp(end - between_size, between, between_size) != 0)
        return false;
    end -= between_size;
    return digits_before(name, end, number) == size &&
           end[-1 - (ptrdiff_t)size] == '-' && *number > 0 && *number <= *count;
}

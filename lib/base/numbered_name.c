/* numbered_name.c - Parses numbers, and the names that end in one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "numbered_name.h"

#include <string.h>

bool vv_parse_decimal(const char *text, size_t size, uint64_t *value)
{
    if (size == 0 || (text[0] == '0' && size > 1))
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9' ||
            __builtin_mul_overflow(sum, 10u, &sum) ||
            __builtin_add_overflow(sum, (unsigned)(text[i] - '0'), &sum))
            return false;
    }
    *value = sum;
    return true;
}

bool vv_parse_padded(
    const char *text, size_t size, uint64_t *value, bool *is_padded)
{
    size_t zeros = 0;
    while (size == VV_PADDED_DIGITS && zeros < size - 1 && text[zeros] == '0')
        zeros++;
    *is_padded = zeros > 0;
    return vv_parse_decimal(text + zeros, size - zeros, value);
}

bool vv_numbered_name_parse(const char *name, char separator,
    const char *ending, struct vv_numbered_name *parsed)
{
    size_t size = strlen(name), behind = strlen(ending);
    if (size < behind || strcmp(name + size - behind, ending) != 0)
        return false;
    size -= behind;
    size_t begin = size;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9')
        begin--;
    if (begin == 0 || name[begin - 1] != separator)
        return false;
    parsed->stem_size = begin - 1;
    return vv_parse_padded(
        name + begin, size - begin, &parsed->number, &parsed->is_padded);
}

/* ancestry.c - Finds, prints and parses the ancestors of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ancestry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "name.h"

enum { HASH_DIGITS = 16 };

uint64_t vv_run_hash(const char *run)
{
    uint64_t hash = vv_hash_of(run, strlen(run));
    return !*run ? 0 : hash ? hash : 1;
}

size_t vv_ancestry_find(const struct vv_ancestry *a, uint64_t run)
{
    size_t i = 0;
    while (i < a->count && a->all[i].run != run)
        i++;
    return i;
}

void vv_ancestry_add(struct vv_ancestry *a, uint64_t run, uint64_t counter)
{
    if (a->count < VV_MOST_ANCESTORS)
        a->all[a->count++] = (struct vv_ancestor){ run, counter };
}

void vv_ancestry_print(
    const struct vv_ancestry *a, size_t count, char text[VV_ANCESTRY_SIZE])
{
    *text = '\0';
    for (size_t i = 0; i < a->count && i < count; i++)
        text += snprintf(text, 40, "%s%016" PRIx64 ":%" PRIu64,
            i == 0 ? "" : ",", a->all[i].run, a->all[i].counter);
}

bool vv_ancestry_parse(struct vv_ancestry *a, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t length = (size_t)((comma ? comma : end) - text);
        uint64_t run, counter;
        if (length <= HASH_DIGITS + 1 || text[HASH_DIGITS] != ':' ||
            !vv_parse_hexadecimal(text, HASH_DIGITS, &run) ||
            !vv_parse_decimal(
                text + HASH_DIGITS + 1, length - HASH_DIGITS - 1, &counter))
            return false;
        vv_ancestry_add(a, run, counter);
        text += length + (comma != NULL);
    }
    return true;
}

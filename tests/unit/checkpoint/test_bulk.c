/* test_bulk.c - lib/checkpoint/bulk.c: large values, copied by several
 * threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "worlds.h"

enum { SMALL = 5, LARGE = (7 << 20) + 123 };

/* Byte i, different at every distance that chunks could be mixed up by. */
static unsigned char pattern(size_t i, unsigned which)
{
    return (unsigned char)(i * 31 + (i >> 8) * 7 + (i >> 20) * 3 + which);
}

static void fill(unsigned char *bytes, size_t size, unsigned which)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(i, which);
}

static bool is_filled(const unsigned char *bytes, size_t size, unsigned which)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != pattern(i, which))
            return false;
    }
    return true;
}

TEST(bulk, copies_every_byte_of_large_values_there_and_back)
{
    size_t size = LARGE;
    unsigned char *memory = malloc(2 * size + 2 * SMALL);
    cr_assert(memory != NULL);
    unsigned char *parts[] = { memory, memory + SMALL,
        memory + SMALL + size, memory + 2 * SMALL + size };
    size_t sizes[] = { SMALL, size, SMALL, size };
    static const char *const names[] = { "a", "b", "c", "d" };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_error error = { 0 };
    for (unsigned i = 0; i < 4; i++) {
        fill(parts[i], sizes[i], i);
        varve_add_variable(root, names[i], varve_array(parts[i], sizes[i]));
    }
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert(s != NULL);
    memset(memory, 0, 2 * size + 2 * SMALL);
    cr_assert(varve_snapshot_restore(s, &error) == VARVE_OK);
    for (unsigned i = 0; i < 4; i++)
        cr_assert(is_filled(parts[i], sizes[i], i));
    varve_snapshot_free(s);
    varve_graph_free(graph);
    free(memory);
}

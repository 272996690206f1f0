/* readers.h - what stands in a file, as a reader finds it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_READERS_H
#define TEST_READERS_H

#include "arrays.h"

static inline varve_reader *open_bytes(struct world *w, const char *path,
    const struct vv_buffer *bytes, varve_error *error)
{
    memory_put(w->memory, path, bytes->data, bytes->size);
    return vv_reader_open_in(&w->context, path, error);
}

/* Opens, and asserts how that fails. */
static inline void check_refused(const char *path,
    const struct vv_buffer *bytes, varve_status status, const char *says)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_null(open_bytes(&w, path, bytes, &error));
    cr_assert_eq(error.status, status, "%s: %s",
        varve_status_name(error.status), error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert_eq(strncmp(error.message, path, strlen(path)), 0, "%s",
        error.message);
    world_free(&w);
}

/* Asserts that a path has this value: its type as text, and its bytes. */
static inline void check_value(varve_reader *reader, const char *path,
    const char *type, const void *expected, size_t size)
{
    varve_saved_node node;
    varve_error error = { 0 };
    char text[VARVE_TENSOR_TEXT_SIZE];
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    cr_assert(node.has_value, "%s", path);
    cr_assert_str_eq(varve_tensor_text(&node.value, text), type);
    cr_assert_eq(node.size, size, "%s: %d", path, (int)node.size);
    unsigned char *bytes = malloc(size + 1);
    cr_assert_ok(varve_reader_read(reader, node.id, bytes, size, &error),
        error);
    cr_assert_eq(memcmp(bytes, expected, size), 0, "%s", path);
    free(bytes);
}

/* Opening one, whatever the allocation that fails, leaves nothing. */
static inline void check_without_memory(
    const char *path, const struct vv_buffer *bytes)
{
    struct world w = world_new();
    varve_reader *reader = NULL;
    memory_put(w.memory, path, bytes->data, bytes->size);
    for (long n = 0; !reader; n++) {
        varve_error error = { 0 };
        long before = test_block_count();
        test_fail_allocation(n, false);
        reader = vv_reader_open_in(&w.context, path, &error);
        test_fail_allocation(-1, false);
        cr_assert(reader || error.status == VARVE_NO_MEMORY, "%s",
            error.message);
        cr_assert(reader || test_block_count() == before);
        cr_assert(n < 1000);
    }
    varve_reader_free(reader);
    world_free(&w);
}

#endif

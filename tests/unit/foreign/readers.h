/* readers.h - Checks the content of a file with a reader.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_READERS_H
#define TEST_READERS_H

#include <stdio.h>

#include "arrays.h"
#include "convert.h"
#include "foreign_format.h"

static inline varve_reader *open_bytes(struct world *w, const char *path,
    const struct vv_buffer *bytes, varve_error *error)
{
    memory_put(w->memory, path, bytes->data, bytes->size);
    return vv_reader_open_in(&w->context, path, error);
}

/* Opens a file and asserts the error. */
static inline void check_refused(const char *path,
    const struct vv_buffer *bytes, varve_status status, const char *says)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_null(open_bytes(&w, path, bytes, &error));
    cr_assert_eq(error.status, status, "%s: %s",
        varve_status_name(error.status), error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert_eq(
        strncmp(error.message, path, strlen(path)), 0, "%s", error.message);
    world_free(&w);
}

/* Asserts the type, as text, and the bytes of the value at a path. */
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
    cr_assert_ok(
        varve_reader_read(reader, node.id, bytes, size, &error), error);
    cr_assert_eq(memcmp(bytes, expected, size), 0, "%s", path);
    free(bytes);
}

/* Asserts that the value at a path is 0 to 5 in two rows; as bool, false for 0
 * and true otherwise. */
static inline void check_count(
    varve_reader *reader, const char *path, varve_dtype dtype)
{
    unsigned char bytes[6 * 16];
    double found[6 * 2];
    varve_saved_node node;
    varve_error error = { 0 };
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    cr_assert_eq(node.value.dtype, dtype);
    cr_assert(node.value.rank == 2 && node.value.shape[1] == 3);
    cr_assert_ok(
        varve_reader_read(reader, node.id, bytes, sizeof bytes, &error), error);
    vv_convert(VARVE_COMPLEX128, found, dtype, bytes, 6);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(found[2 * i], dtype == VARVE_BOOL ? !!i : i, "%s: %g",
            path, found[2 * i]);
}

/* Returns the probe result of a format for a file that consists of these bytes.
 */
static inline enum vv_probe_result probe_of(
    const struct vv_foreign_format *format, const char *path, const void *bytes,
    size_t size)
{
    struct vv_candidate c = { .path = path,
        .size = size,
        .head = bytes,
        .head_size = size < VV_CANDIDATE_HEAD ? size : VV_CANDIDATE_HEAD };
    return format->probe(&c);
}

static inline void check_no_bid_for_noise(
    const struct vv_foreign_format *format)
{
    uint64_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        unsigned char bytes[64];
        for (size_t b = 0; b < sizeof bytes; b++) {
            seed = seed * UINT64_C(6364136223846793005) + 1;
            bytes[b] = (unsigned char)(seed >> 56);
        }
        cr_assert_eq(probe_of(format, "a", bytes, sizeof bytes), VV_PROBE_NONE);
    }
}

/* Copies a file from a folder of tests/golden/foreign to the directory "d". */
static inline void put_golden(
    struct world *w, const char *folder, const char *name)
{
    char path[500];
    size_t size;
    snprintf(path, sizeof path, GOLDEN "/foreign/%s/%s", folder, name);
    char *bytes = test_read_file(path, &size);
    snprintf(path, sizeof path, "d/%s", name);
    memory_put(w->memory, path, bytes, size);
    free(bytes);
}

/* Fails each allocation while opening a checkpoint; nothing may be leaked. */
static inline void check_opening_without_memory(
    struct world *w, const char *path)
{
    varve_reader *reader = NULL;
    for (long n = 0; !reader; n++) {
        varve_error error = { 0 };
        long before = test_block_count();
        test_fail_allocation(n, false);
        reader = vv_reader_open_in(&w->context, path, &error);
        test_fail_allocation(-1, false);
        cr_assert(
            reader || error.status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert(reader || test_block_count() == before);
        cr_assert(n < 10000);
    }
    varve_reader_free(reader);
}

/* The same for a single file. */
static inline void check_without_memory(
    const char *path, const struct vv_buffer *bytes)
{
    struct world w = world_new();
    memory_put(w.memory, path, bytes->data, bytes->size);
    check_opening_without_memory(&w, path);
    world_free(&w);
}

#endif

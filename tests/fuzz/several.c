/* several.c - Checks names in messages and bytes of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/several.h"

#include <string.h>

#include "fuzz/fuzz.h"
#include "reader.h"

struct several *several_new(const uint8_t *bytes, size_t size)
{
    struct several *s = calloc(1, sizeof *s);
    many_files_init(&s->files);
    many_files_add(
        &s->files, FUZZ_PATH, sizeof FUZZ_PATH - 1, bytes, size);
    s->size = size;
    return s;
}

static bool has_bad_bool(
    const varve_saved_node *node, const uint8_t *bytes)
{
    size_t at = 0;
    while (at < node->size && bytes[at] <= 1)
        at++;
    return node->value.dtype == VARVE_BOOL && at < node->size;
}

/* Checks that a value equals the bytes of `file`. Reading must fail if and only
 * if a byte of a bool is neither 0 nor 1. */
static void check_value(varve_reader *reader, const varve_saved_node *node,
    const uint8_t *file)
{
    varve_error error;
    size_t size = (size_t)node->size;
    const uint8_t *expected = file + node->offset;
    unsigned char *value = malloc(size);
    varve_status status =
        varve_reader_read(reader, node->id, value, size, &error);
    if (has_bad_bool(node, expected)) {
        FUZZ_CHECK(status == VARVE_CORRUPT, "node %u: a bad bool was read",
            node->id);
    } else {
        FUZZ_CHECK(!status, "node %u: %s", node->id, error.message);
        FUZZ_CHECK(memcmp(value, expected, size) == 0,
            "node %u has other bytes", node->id);
    }
    free(value);
}

/* Returns the number of bytes of all values except strings, which are texts of
 * the header. If `file` is not NULL, each value is compared with the bytes of
 * `file` at its offset. */
uint64_t several_total(
    varve_reader *reader, const uint8_t *file, size_t size)
{
    varve_saved_node node;
    uint64_t total = 0;
    for (size_t i = 1; varve_reader_node_at(reader, i, &node); i++) {
        FUZZ_CHECK(node.has_value == (node.kind != VARVE_OBJECT), "node %zu",
            i);
        if (!node.has_value || node.size == 0 ||
            node.value.dtype == VARVE_STRING)
            continue;
        total += node.size;
        if (!file)
            continue;
        FUZZ_CHECK(node.offset < size && node.size <= size - node.offset,
            "node %zu at %llu", i, (unsigned long long)node.offset);
        check_value(reader, &node, file);
    }
    return total;
}

/* Checks that a message begins with the name of one of the files. */
static void check_failure(const struct several *s, varve_error *error)
{
    for (size_t i = 1; i < s->files.count; i++) {
        const char *name = s->files.files[i].name;
        size_t size = strlen(name);
        if (strncmp(error->message, name, size) == 0 &&
            error->message[size] == ':' &&
            strcmp(name, FUZZ_PATH) != 0)
            return; /* the status was checked for the first file only */
    }
    fuzz_check_failure(error->status, error);
}

void several_read(struct several *s, const uint64_t *most)
{
    varve_error error = { 0 };
    struct vv_context context = {
        .allocator = bounded_allocator(&s->bounded),
        .system = &s->files.one.system,
    };
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, &error);
    if (!reader) {
        check_failure(s, &error);
    } else {
        fuzz_look_at(reader, &s->bounded);
        bool has_most = most && varve_reader_format(reader) ==
                                    VARVE_FORMAT_SAFETENSORS;
        uint64_t total = has_most ? several_total(reader, NULL, 0) : 0;
        FUZZ_CHECK(!has_most || total <= *most,
            "values of %llu bytes, more than the data",
            (unsigned long long)total);
    }
    varve_reader_free(reader);
    FUZZ_CHECK(s->files.one.opened == 0, "%d descriptors are left",
        s->files.one.opened);
    bounded_check_empty(&s->bounded);
}

/* safetensors.h - Writes safetensors files to a system in memory and opens
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_SAFETENSORS_H
#define UNIT_SAFETENSORS_H

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"

/* Writes a file with this header and `data_size` bytes of data: 0, 1, 2, ... */
static inline void put_tensors(struct memory *memory, const char *path,
    const char *header, size_t data_size)
{
    size_t size = strlen(header);
    unsigned char *bytes = malloc(8 + size + data_size);
    vv_store64(bytes, size);
    memcpy(bytes + 8, header, size);
    for (size_t i = 0; i < data_size; i++)
        bytes[8 + size + i] = (unsigned char)i;
    memory_put(memory, path, bytes, 8 + size + data_size);
    free(bytes);
}

static inline void put_text(
    struct memory *memory, const char *path, const char *text)
{
    memory_put(memory, path, text, strlen(text));
}

/* Opens a reader. Returns NULL and sets the error after a failure. */
static inline varve_reader *open_in(
    struct memory *memory, const char *path, varve_error *error)
{
    struct vv_context context = test_context(memory_system(memory));
    *error = (varve_error){ 0 };
    varve_reader *reader = vv_reader_open_in(&context, path, error);
    cr_assert(reader || *error->message);
    return reader;
}

/* Opens a file and asserts the error. */
static inline void refused(struct memory *memory, const char *path,
    varve_status status, const char *says)
{
    varve_error error;
    varve_reader *reader = open_in(memory, path, &error);
    cr_assert_null(reader, "%s is accepted, where it should say %s", path,
        says);
    cr_assert_eq(error.status, status, "%s: %s, not: %s",
        varve_status_name(error.status), error.message, says);
    cr_assert(strstr(error.message, says), "%s, not: %s", error.message, says);
    cr_assert_eq(memory_open_count(memory), 0);
    cr_assert_eq(test_block_count(), 0);
}

/* Returns the first byte of a value, which identifies its offset, since the
 * bytes of the data count up. */
static inline int first_byte(varve_reader *reader, const char *path)
{
    unsigned char bytes[64];
    varve_error error;
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    cr_assert(node.has_value && node.size > 0 && node.size <= sizeof bytes);
    cr_assert_ok(
        varve_reader_read(reader, node.id, bytes, sizeof bytes, &error), error);
    for (size_t i = 1; i < node.size; i++)
        cr_assert_eq(bytes[i], bytes[0] + i);
    return bytes[0];
}

#endif

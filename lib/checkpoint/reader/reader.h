/* reader.h - Opens a checkpoint without a program and reads values from it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_READER_H
#define VV_READER_H

#include <stdatomic.h>

#include <varve/reader.h>

#include "opened.h"
#include "saved_path.h"

struct varve_reader {
    /* to read */
    struct vv_context context;
    struct vv_opened file;
    /* own */
    bool has_lent_file; /* the owner of the file closes it */
    struct vv_saved_paths paths;
    char *names; /* all names, each with a NUL */
    size_t names_size;
    struct vv_reader_part *parts; /* sorted by value: values that are slices
                                     of a larger one */
    size_t part_count;
    /* by node: paths that were requested. The table and each path are made by
     * any thread when they are first needed. */
    _Atomic(_Atomic(char *) *) node_paths;
};

/* Opens a checkpoint in a given context. */
varve_reader *vv_reader_open_in(
    const struct vv_context *context, const char *path, varve_error *error);

/* Opens a reader with a function that opens the file. The function is called
 * after the reader is allocated. */
typedef varve_status vv_reader_opener(void *user, struct vv_opened *opened,
    const struct vv_context *context, varve_error *error);
varve_reader *vv_reader_open_by(const struct vv_context *context,
    vv_reader_opener *open, void *user, varve_error *error);

/* Verifies one of `count` shares of a file. Each process verifies one. */
varve_status vv_reader_verify_share(varve_reader *reader, uint32_t share,
    uint32_t count, unsigned threads, varve_error *error);

/* Makes a reader of an open file, which the caller closes later. */
varve_reader *vv_reader_over(const struct vv_context *context,
    const struct vv_opened *file, varve_error *error);

/* Sets *value to the number of the value of a node. Returns VARVE_NOT_FOUND if
 * it has no saved value. */
varve_status vv_reader_find_value(
    const varve_reader *reader, size_t id, uint32_t *value, varve_error *error);

/* Reads and verifies a chunk of that value. */
varve_status vv_reader_read_chunk(const varve_reader *reader, uint32_t node,
    uint32_t value, uint64_t chunk, void *bytes, varve_error *error);

/* Does what varve_reader_node_at does, without the path, which the reader would
 * have to store. */
bool vv_reader_describe(
    const varve_reader *reader, size_t id, varve_saved_node *node);

#endif

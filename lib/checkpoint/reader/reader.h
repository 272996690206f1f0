/* reader.h - a file opened without a program.
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
    bool has_lent_file; /* who lent it closes it */
    struct vv_saved_paths paths;
    char *names; /* every name, terminated */
    size_t names_size;
    struct vv_reader_part *parts; /* values that are parts, in order */
    size_t part_count;
    _Atomic(char *) *node_paths; /* by node: made when first asked for */
};

/* Opens over a context of the caller's choice. */
varve_reader *vv_reader_open_in(
    const struct vv_context *context, const char *path, varve_error *error);

/* Opens what a function of the caller's opens: that is called once there is
 * memory for a reader. */
typedef varve_status vv_reader_opener(void *user, struct vv_opened *opened,
    const struct vv_context *context, varve_error *error);
varve_reader *vv_reader_open_by(const struct vv_context *context,
    vv_reader_opener *open, void *user, varve_error *error);

/* Verifies one of `count` shares of a file, of which each process takes one. */
varve_status vv_reader_verify_share(varve_reader *reader, uint32_t share,
    uint32_t count, unsigned threads, varve_error *error);

/* Looks into a file that somebody else has open, and closes later. */
varve_reader *vv_reader_over(const struct vv_context *context,
    const struct vv_opened *file, varve_error *error);

/* The path of a node, terminated; "?" without memory for it. */
const char *vv_reader_node_path(const varve_reader *reader, uint32_t node);

/* The number of the value of a node; VARVE_NOT_FOUND where none is saved. */
varve_status vv_reader_find_value(
    const varve_reader *reader, size_t id, uint32_t *value, varve_error *error);

/* Reads and checks a chunk of that value. */
varve_status vv_reader_read_chunk(const varve_reader *reader, uint32_t node,
    uint32_t value, uint64_t chunk, void *bytes, varve_error *error);

/* As varve_reader_node_at, without the path, which the reader would keep. */
bool vv_reader_describe(
    const varve_reader *reader, size_t id, varve_saved_node *node);

#endif

/* data_in.h - a checkpoint file opened for reading: its structure checked, its
 * values readable and verifiable; or something else with an index and values
 * like one, behind the same calls.
 *
 * Functions that read may be called from several threads at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DATA_IN_H
#define VV_DATA_IN_H

#include <varve/error.h>

#include "context.h"
#include "index_in.h"

/* Where the values are if not in a file of ours: what the functions below do
 * then. Offsets are those of the index, which need not be of any file. */
struct vv_backing {
    varve_status (*read)(void *state, uint64_t offset, void *bytes, size_t size,
        varve_error *error);
    varve_status (*check)(void *state, uint32_t value, uint64_t chunk,
        const void *bytes, const char *what, varve_error *error);
    bool (*locate)(void *state, uint32_t value, int *file, uint64_t *offset);
    const char *(*place)(void *state, uint32_t value, uint64_t *offset);
    void (*close)(void *state);
};

struct vv_data_in {
    const struct vv_context *context;
    const struct vv_backing *backing; /* NULL: the file has the values */
    void *backing_state;
    char *path; /* owned */
    int file;
    uint64_t size;         /* of the file */
    uint64_t index_offset; /* where data ends */
    void *index_bytes;     /* owned */
    size_t index_size;
    struct vv_parsed_index parsed;
};

/* Opens, and checks header, footer and index. On failure nothing is open. The
 * path is used as it is. */
varve_status vv_data_in_open(struct vv_data_in *in,
    const struct vv_context *context, const char *path, varve_error *error);
void vv_data_in_close(struct vv_data_in *in);

/* Whether the first bytes of a file are those of a checkpoint, whatever its
 * version. */
bool vv_data_in_is_ours(const void *head, size_t size);

/* Reads bytes as they lie in the file, unverified. (A value of another format
 * that is made as it is read is verified as it is made.) */
varve_status vv_data_in_read(const struct vv_data_in *in, uint64_t offset,
    void *bytes, size_t size, varve_error *error);

/* The range of a chunk of a value in the file. */
void vv_data_in_chunk(const struct vv_data_in *in, uint32_t value,
    uint64_t chunk, uint64_t *offset, size_t *size);

/* Checks the bytes of a chunk against its digest: VARVE_CORRUPT with the file,
 * `what` (the value's path, may be NULL), the range and both digests. */
varve_status vv_data_in_check(const struct vv_data_in *in, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error);

/* Where the bytes of a value lie in an open file, all in one piece; false if
 * they do not. */
bool vv_data_in_locate(
    const struct vv_data_in *in, uint32_t value, int *file, uint64_t *offset);

/* The path of the file in which they lie in one piece, open or not, and where;
 * NULL if they do not. */
const char *vv_data_in_place(
    const struct vv_data_in *in, uint32_t value, uint64_t *offset);

/* One number for a whole value: the digest of its only chunk, or of the
 * concatenated digests of its chunks (of no bytes, if it has none). Zero where
 * the format has no such digests. */
struct vv_digest vv_data_in_digest(const struct vv_data_in *in, uint32_t value);

#endif

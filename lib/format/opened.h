/* opened.h - a checkpoint opened for reading, in whatever format: an index that
 * was checked, and a backing that knows where the bytes of its values are.
 *
 * Functions that read may be called from several threads at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OPENED_H
#define VV_OPENED_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "index_in.h"

/* A part of a file that is not in the index. */
struct vv_left_out {
    /* to read */
    size_t path, what; /* offsets of their texts */
};

struct vv_opened {
    /* to fill in */
    const struct vv_context *context; /* NULL: closed */
    char *path;                       /* owned */
    uint64_t size;                    /* of all its files */
    uint64_t data_end; /* offset at which the values have ended */
    void *index_bytes; /* owned; vv_opened_make_room */
    size_t index_size;
    struct vv_parsed_index parsed;
    struct vv_buffer left_out;       /* struct vv_left_out */
    struct vv_buffer left_out_texts; /* with NULs */
    const struct vv_backing *backing;
    void *state; /* of the backing */
};

/* A format that is read: what the functions below do. Offsets are those of the
 * index, which need not be those of a file. */
struct vv_backing {
    /* to fill in */
    varve_status (*read)(const struct vv_opened *opened, uint64_t offset,
        void *bytes, size_t size, varve_error *error);
    varve_status (*check)(const struct vv_opened *opened, uint32_t value,
        uint64_t chunk, const void *bytes, const char *what,
        varve_error *error);
    bool (*locate)(const struct vv_opened *opened, uint32_t value, int *file,
        uint64_t *offset);
    const char *(*place)(
        const struct vv_opened *opened, uint32_t value, uint64_t *offset);
    /* Plans the ranges of files that a reading of a range of data reads, for a
     * system that has `plan`. NULL: none. */
    void (*plan)(const struct vv_opened *opened, const void *owner,
        uint64_t offset, uint64_t size);
    /* NULL: the index has no digests. */
    struct vv_digest (*digest)(const struct vv_opened *opened, uint32_t value);
    /* NULL: no value has only one sum. */
    bool (*sums_whole)(const struct vv_opened *opened, uint32_t value);
    /* NULL: nothing is kept between two readings. */
    void (*rest)(const struct vv_opened *opened);
    void (*close)(struct vv_opened *opened); /* frees the state */
};

/* Begins to open: the path, as it is, and nothing else yet. */
varve_status vv_opened_begin(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* Sets index_bytes and index_size: room for an index, in place of one that was
 * there. */
varve_status vv_opened_make_room(
    struct vv_opened *opened, size_t size, varve_error *error);

/* The same with an index that is there: memory of VV_ALIGNMENT, of the
 * allocator of the context. */
void vv_opened_take_index(struct vv_opened *opened, void *bytes, size_t size);

/* Checks and parses what is in that room. */
varve_status vv_opened_parse(struct vv_opened *opened, varve_error *error);

/* The same of an index without digests, which has as many values as there are
 * bytes of it, whatever sizes these claim to have. */
varve_status vv_opened_parse_undigested(
    struct vv_opened *opened, varve_error *error);

/* Takes half-opened ones, and zeroed and closed ones. */
void vv_opened_close(struct vv_opened *opened);

/* Reads bytes as they lie, unverified. (A value that is decoded as it is read
 * is verified as it is decoded.) */
varve_status vv_opened_read(const struct vv_opened *opened, uint64_t offset,
    void *bytes, size_t size, varve_error *error);

/* A range of the data will be read, behind those that the owner has planned
 * already; and none of them any more. For systems that fetch ahead. */
void vv_opened_plan(const struct vv_opened *opened, const void *owner,
    uint64_t offset, uint64_t size);
void vv_opened_drop_plan(const struct vv_opened *opened, const void *owner);

/* Much was read: lets go of memory that is kept for the next reading, as where
 * values are packed. */
void vv_opened_rest(const struct vv_opened *opened);

/* The range of a chunk of a value. */
void vv_opened_chunk(const struct vv_opened *opened, uint32_t value,
    uint64_t chunk, uint64_t *offset, size_t *size);

/* Checks the bytes of a chunk, by its checksum and as bools: VARVE_CORRUPT with
 * the file, `what` (the value's path, may be NULL), the range, what was
 * expected and what was found. */
varve_status vv_opened_check(const struct vv_opened *opened, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error);

/* The same of bools alone, whatever the checksum is: VARVE_CORRUPT where a byte
 * is neither 0 nor 1. VARVE_OK for values of other types. */
varve_status vv_opened_check_bools(const struct vv_opened *opened,
    uint32_t value, uint64_t chunk, const void *bytes, const char *what,
    varve_error *error);

/* The same of the checksum alone. */
varve_status vv_opened_check_sum(const struct vv_opened *opened, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error);

/* Where the bytes of a value lie in an open file, all in one piece and
 * row-major; false if they do not. */
bool vv_opened_locate(const struct vv_opened *opened, uint32_t value, int *file,
    uint64_t *offset);

/* The path of the file in which they lie so, open or not, and where; NULL if
 * they do not. */
const char *vv_opened_place(
    const struct vv_opened *opened, uint32_t value, uint64_t *offset);

/* Whether the index has a digest of each chunk, as that of a file of ours has.
 * If not, a value is good or bad as a whole, and may be found bad as it is
 * read. */
bool vv_opened_has_digests(const struct vv_opened *opened);

/* Whether a value is verified by a sum over all of it, so that a part of it
 * alone is not verified. */
bool vv_opened_sums_whole(const struct vv_opened *opened, uint32_t value);

/* One number for a whole value: the digest of its only chunk, or of the
 * concatenated digests of its chunks (of no bytes, if it has none). Zero where
 * there are no digests, of a value in pieces, whose digests tell nothing of
 * where its bytes belong, and of one with a chunk that is summed by pages. */
struct vv_digest vv_opened_digest(
    const struct vv_opened *opened, uint32_t value);

/* Two values of the file have the same type, shape and bytes. Values without a
 * digest of the whole are read, unverified, and compared. False for values in
 * pieces, for parts of values, and for values that cannot be read. */
bool vv_opened_is_equal(
    const struct vv_opened *opened, uint32_t one, uint32_t other);

#endif

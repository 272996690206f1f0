/* opened.h - Reads an opened checkpoint of any format. It consists of a checked
 * index and a backing, which reads the bytes of the values.
 *
 * Functions that read can be called from several threads at the same time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OPENED_H
#define VV_OPENED_H

#include <varve/error.h>

#include "buffer.h"
#include "context.h"
#include "index_in.h"

/* A part of a file that the index does not contain. */
struct vv_left_out {
    /* to read */
    size_t path, what; /* offsets into left_out_texts */
};

struct vv_opened {
    /* to fill in */
    const struct vv_context *context; /* NULL if closed */
    char *path;                       /* owned */
    uint64_t size;                    /* sum of the sizes of all its files */
    uint64_t data_end;                /* offset of the end of the values */
    void *index_bytes; /* owned; allocated by vv_opened_reserve */
    size_t index_size;
    const struct vv_index *like; /* for vv_opened_parse: index_in.h */
    struct vv_parsed_index parsed;
    struct vv_buffer left_out;       /* struct vv_left_out */
    struct vv_buffer left_out_texts; /* NUL-terminated texts */
    const struct vv_backing *backing;
    void *state; /* state of the backing */
};

/* The functions of one format. Offsets are those of the index, which can differ
 * from offsets in a file. The functions below with the same names describe
 * them. */
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
    /* Announces the ranges of files that a read of a range of the data will
     * use, for systems with a `plan` function. Can be NULL. */
    void (*plan)(const struct vv_opened *opened, const void *owner,
        uint64_t offset, uint64_t size);
    /* NULL: the index contains no digests. */
    struct vv_digest (*digest)(const struct vv_opened *opened, uint32_t value);
    /* NULL: no value is verified only as a whole. */
    bool (*sums_whole)(const struct vv_opened *opened, uint32_t value);
    /* NULL: no memory is kept between two reads. */
    void (*rest)(const struct vv_opened *opened);
    void (*close)(struct vv_opened *opened); /* frees the state */
};

/* Initializes `opened` with the path, unchanged, and nothing else. */
varve_status vv_opened_begin(struct vv_opened *opened,
    const struct vv_context *context, const char *path, varve_error *error);

/* Allocates memory for an index of `size` bytes and sets index_bytes and
 * index_size. Frees the index that was there before. */
varve_status vv_opened_reserve(
    struct vv_opened *opened, size_t size, varve_error *error);

/* Sets index_bytes and index_size to an existing index. `bytes` must be aligned
 * to VV_ALIGNMENT and come from the allocator of the context. Takes
 * ownership. */
void vv_opened_take_index(struct vv_opened *opened, void *bytes, size_t size);

/* Checks and parses the index in index_bytes. */
varve_status vv_opened_parse(struct vv_opened *opened, varve_error *error);

/* Like vv_opened_parse, for an index without digests. Digests limit the sizes
 * of values in proportion to the size of the index; without them any size is
 * possible. */
varve_status vv_opened_parse_undigested(
    struct vv_opened *opened, varve_error *error);

/* Closes `opened`. It can be zeroed, half-opened or closed already. */
void vv_opened_close(struct vv_opened *opened);

/* Reads bytes as stored, without verification. Values that need decoding are
 * verified while they are decoded. */
varve_status vv_opened_read(const struct vv_opened *opened, uint64_t offset,
    void *bytes, size_t size, varve_error *error);

/* vv_opened_plan announces that a range of the data will be read after the
 * ranges that `owner` announced before. vv_opened_drop_plan cancels all ranges
 * of `owner`. Used by systems with readahead. */
void vv_opened_plan(const struct vv_opened *opened, const void *owner,
    uint64_t offset, uint64_t size);
void vv_opened_drop_plan(const struct vv_opened *opened, const void *owner);

/* Frees memory that is kept for the next read, for example buffers for
 * decompression. Called after large reads. */
void vv_opened_rest(const struct vv_opened *opened);

/* Sets *offset and *size to the range of a chunk of a value. */
void vv_opened_chunk(const struct vv_opened *opened, uint32_t value,
    uint64_t chunk, uint64_t *offset, size_t *size);

/* Returns the size of a chunk of a value. */
static inline size_t vv_opened_chunk_size(
    const struct vv_opened *opened, uint32_t value, uint64_t chunk)
{
    const struct vv_index *index = &opened->parsed.index;
    uint64_t offset, all = vv_at64(index->value_sizes, value);
    size_t size = (size_t)all;
    if (index->pieced_count > 0 || all > VV_CHUNK_SIZE)
        vv_opened_chunk(opened, value, chunk, &offset, &size);
    return size;
}

/* Verifies the checksum of a chunk. Returns VARVE_CORRUPT with a message that
 * contains the file, `what` (the path of the value, or NULL), the range and
 * both checksums. */
varve_status vv_opened_check_sum(const struct vv_opened *opened, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error);

/* Like vv_opened_check_sum, for bools only: returns VARVE_CORRUPT if a byte is
 * neither 0 nor 1, and VARVE_OK for values of other types. */
varve_status vv_opened_check_bools(const struct vv_opened *opened,
    uint32_t value, uint64_t chunk, const void *bytes, const char *what,
    varve_error *error);

/* Does both. */
static inline varve_status vv_opened_check(const struct vv_opened *opened,
    uint32_t value, uint64_t chunk, const void *bytes, const char *what,
    varve_error *error)
{
    const struct vv_index *index = &opened->parsed.index;
    varve_status status =
        index->far /* otherwise the index cannot fail */
            ? vv_opened_check_sum(opened, value, chunk, bytes, what, error)
            : opened->backing->check(opened, value, chunk, bytes, what, error);
    if (!status && index->value_dtypes[value] == VARVE_BOOL)
        status =
            vv_opened_check_bools(opened, value, chunk, bytes, what, error);
    return status;
}

/* Sets *file and *offset to the position of a value in an open file. Returns
 * false unless the value is stored contiguously, row-major and unchanged. */
bool vv_opened_locate(const struct vv_opened *opened, uint32_t value, int *file,
    uint64_t *offset);

/* Returns the path of the file that contains the value in this form, and sets
 * *offset. The file need not be open. Returns NULL if the value is not stored
 * in this form. */
const char *vv_opened_place(
    const struct vv_opened *opened, uint32_t value, uint64_t *offset);

/* Returns true if the index has a digest of each chunk, as in Varve's own
 * files. Otherwise a value is intact or damaged as a whole, and damage can be
 * found only while it is read. */
bool vv_opened_has_digests(const struct vv_opened *opened);

/* Returns true if a value is verified by one checksum of the whole value, so
 * that a part of it cannot be verified separately. */
bool vv_opened_sums_whole(const struct vv_opened *opened, uint32_t value);

/* Returns one digest of a whole value: that of its only chunk, or of the
 * concatenated digests of its chunks (of no bytes if it has no chunks). Returns
 * zero if there are no digests, for a value in pieces, whose digests do not
 * depend on the positions of the pieces, and for a value with a chunk that has
 * page digests. */
struct vv_digest vv_opened_digest(
    const struct vv_opened *opened, uint32_t value);

/* Returns true if two values of the file have the same type, shape and bytes.
 * Values without a digest of the whole value are read, without verification,
 * and compared. Returns false for values in pieces, parts of values and values
 * that cannot be read. */
bool vv_opened_is_equal(
    const struct vv_opened *opened, uint32_t one, uint32_t other);

#endif

/* told_index.h - an index that one has read and verified, told part by part to
 * others who open the same file.
 *
 * Digests are most of a large index, 16 bytes for each MiB, and each of the
 * others needs few of them. So they may stay in the file: what is told of them
 * is summed in blocks, and when one is wanted its block is read and compared.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TOLD_INDEX_H
#define VV_TOLD_INDEX_H

#include "index_find.h"
#include "opened.h"

/* --- Digests that are in the file only ------------------------------------ */

struct vv_far_digests {
    /* own */
    uint64_t offset; /* in the file */
    uint64_t size;   /* 0: the index has its digests */
    uint64_t *sums;  /* by block */
};

static inline bool vv_has_far_digests(const struct vv_far_digests *far)
{
    return far->size > 0;
}

/* Reads the digest of a number, out of an open file. VARVE_CORRUPT where it is
 * not what was told. May be called from several threads at once. */
varve_status vv_far_digest(const struct vv_far_digests *far,
    const struct vv_context *context, int file, const char *path,
    uint64_t number, struct vv_digest *digest, varve_error *error);

/* The digest of so many of them from a number on; zero where they cannot be
 * had. */
struct vv_digest vv_far_digest_of(const struct vv_far_digests *far,
    const struct vv_context *context, int file, uint64_t first, uint64_t count);

/* Takes zeroed ones. */
void vv_far_digests_clear(
    struct vv_far_digests *far, const varve_allocator *allocator);

/* --- What is told --------------------------------------------------------- */

/* Bytes of digests that are told with the rest: those of 64 GiB. */
enum { VV_MOST_TOLD_DIGESTS = 1 << 20 };

struct vv_told_index {
    /* to fill in, at those who are told */
    struct vv_index_place place;
    uint64_t digests_at;   /* where in the index they begin */
    uint64_t digests_size; /* of those that stay in the file; 0: all are told
                              with the rest */
    /* own */
    struct vv_far_digests far;
    struct vv_digester *digester;
    unsigned char *block;
};

/* Which digests of an opened file stay there, if they take more than `most`
 * bytes: fills in the two above. */
void vv_told_choose(
    struct vv_told_index *told, const struct vv_opened *opened, uint64_t most);

/* The size of the part at an offset of the index. One comes behind the other,
 * up to its end. */
size_t vv_told_part(const struct vv_told_index *told, uint64_t at);

/* Room for what is kept, in one that has begun. End with vv_told_clear, also on
 * failure. */
varve_status vv_told_begin(
    struct vv_told_index *told, struct vv_opened *opened, varve_error *error);

/* Where the part at an offset goes, and takes it from there. */
void *vv_told_room(const struct vv_told_index *told,
    const struct vv_opened *opened, uint64_t at);
void vv_told_take(
    struct vv_told_index *told, const struct vv_opened *opened, uint64_t at);

/* What all parts come to; the file is closed then, or has the far digests. */
struct vv_digest vv_told_digest(const struct vv_told_index *told);

void vv_told_clear(
    struct vv_told_index *told, const varve_allocator *allocator);

#endif

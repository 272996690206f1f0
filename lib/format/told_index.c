/* told_index.c - what is before the digests, these in blocks, and the rest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "told_index.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "try.h"

enum {
    BLOCK_SIZE = 4096,   /* of digests, with a sum of its own */
    PART_SIZE = 1 << 20, /* of digests, told at once; whole blocks */
    NO_BYTES = 0x40      /* CBOR: a byte string of none */
};

/* --- Digests that are in the file only ------------------------------------ */

static uint64_t block_count(uint64_t size)
{
    return size / BLOCK_SIZE + (size % BLOCK_SIZE != 0);
}

varve_status vv_far_digest(const struct vv_far_digests *far,
    const struct vv_context *context, int file, const char *path,
    uint64_t number, struct vv_digest *digest, varve_error *error)
{
    unsigned char bytes[BLOCK_SIZE];
    uint64_t block = number * VV_DIGEST_SIZE / BLOCK_SIZE;
    uint64_t left = far->size - block * BLOCK_SIZE;
    size_t size = left < BLOCK_SIZE ? (size_t)left : BLOCK_SIZE;
    uint64_t offset = far->offset + block * BLOCK_SIZE;
    VV_TRY(vv_file_read(context, file, path, bytes, size, offset, error));
    uint64_t found = vv_hash_of(bytes, size);
    if (found != far->sums[block])
        return vv_fail(error, VARVE_CORRUPT,
            "%s: index: bytes %" PRIu64 " to %" PRIu64
            ": expected XXH3-64 %016" PRIx64 ", found %016" PRIx64,
            path, offset, offset + size, far->sums[block], found);
    memcpy(digest->bytes, bytes + number * VV_DIGEST_SIZE % BLOCK_SIZE,
        sizeof digest->bytes);
    return VARVE_OK;
}

struct vv_digest vv_far_digest_of(const struct vv_far_digests *far,
    const struct vv_context *context, int file, uint64_t first, uint64_t count)
{
    const varve_allocator *a = &context->allocator;
    struct vv_digester *digester = vv_digester_new(a);
    struct vv_digest one, all = { { 0 } };
    varve_status status = digester ? VARVE_OK : VARVE_NO_MEMORY;
    for (uint64_t i = first; i < first + count && !status; i++) {
        status = vv_far_digest(far, context, file, "", i, &one, NULL);
        if (!status)
            vv_digester_add(digester, one.bytes, sizeof one.bytes);
    }
    if (!status)
        all = vv_digester_end(digester);
    if (digester)
        vv_digester_free(a, digester);
    return all;
}

void vv_far_digests_clear(
    struct vv_far_digests *far, const varve_allocator *allocator)
{
    vv_release(allocator, far->sums,
        (size_t)block_count(far->size) * sizeof *far->sums);
    *far = (struct vv_far_digests){ 0 };
}

/* --- What is told --------------------------------------------------------- */

void vv_told_choose(
    struct vv_told_index *told, const struct vv_opened *o, uint64_t most)
{
    const struct vv_index *index = &o->parsed.index;
    uint64_t size = index->digest_count * VV_DIGEST_SIZE;
    bool is_far = size > most;
    told->digests_at =
        is_far ? (uint64_t)(index->digests - (const uint8_t *)o->index_bytes)
               : 0;
    told->digests_size = is_far ? size : 0;
}

static uint64_t digests_end(const struct vv_told_index *told)
{
    return told->digests_at + told->digests_size;
}

static bool is_digest(const struct vv_told_index *told, uint64_t at)
{
    return at >= told->digests_at && at < digests_end(told);
}

size_t vv_told_part(const struct vv_told_index *told, uint64_t at)
{
    uint64_t end = told->place.size;
    if (at < told->digests_at)
        end = told->digests_at;
    else if (is_digest(told, at))
        end = digests_end(told) - at > PART_SIZE ? at + PART_SIZE
                                                 : digests_end(told);
    return (size_t)(end - at);
}

/* The head of the digests' string becomes that of an empty one. */
static size_t head_size(const struct vv_told_index *told)
{
    uint64_t n = told->digests_size;
    return n < 24            ? 1
           : n <= UINT8_MAX  ? 2
           : n <= UINT16_MAX ? 3
           : n <= UINT32_MAX ? 5
                             : 9;
}

static size_t left_out(const struct vv_told_index *told)
{
    return told->digests_size ? (size_t)told->digests_size + head_size(told) - 1
                              : 0;
}

varve_status vv_told_begin(
    struct vv_told_index *told, struct vv_opened *o, varve_error *error)
{
    const varve_allocator *a = &o->context->allocator;
    size_t blocks = (size_t)block_count(told->digests_size);
    VV_TRY(vv_opened_make_room(
        o, (size_t)told->place.size - left_out(told), error));
    told->digester = vv_digester_new(a);
    told->block = vv_allocate(a, PART_SIZE);
    told->far.sums = vv_allocate_array(a, blocks, sizeof *told->far.sums);
    if (told->far.sums || blocks == 0) {
        told->far.offset = told->place.offset + told->digests_at;
        told->far.size = told->digests_size;
    }
    if (!told->digester || !told->block || (blocks > 0 && !told->far.sums))
        return vv_fail_memory(error, "the index of a checkpoint");
    return VARVE_OK;
}

void *vv_told_room(
    const struct vv_told_index *told, const struct vv_opened *o, uint64_t at)
{
    unsigned char *room = o->index_bytes;
    if (is_digest(told, at))
        return told->block;
    return room + (size_t)at - (at < told->digests_at ? 0 : left_out(told));
}

static void sum_blocks(struct vv_told_index *told, uint64_t begin, size_t size)
{
    uint64_t *sum = told->far.sums + begin / BLOCK_SIZE;
    for (size_t at = 0; at < size; at += BLOCK_SIZE) {
        size_t left = size - at;
        *sum++ =
            vv_hash_of(told->block + at, left < BLOCK_SIZE ? left : BLOCK_SIZE);
    }
}

void vv_told_take(
    struct vv_told_index *told, const struct vv_opened *o, uint64_t at)
{
    size_t size = vv_told_part(told, at);
    unsigned char *bytes = vv_told_room(told, o, at);
    vv_digester_add(told->digester, bytes, size);
    if (is_digest(told, at))
        sum_blocks(told, at - told->digests_at, size);
    else if (at < told->digests_at)
        bytes[size - head_size(told)] = NO_BYTES;
}

struct vv_digest vv_told_digest(const struct vv_told_index *told)
{
    return vv_digester_end(told->digester);
}

void vv_told_clear(struct vv_told_index *told, const varve_allocator *allocator)
{
    if (told->digester)
        vv_digester_free(allocator, told->digester);
    vv_release(allocator, told->block, PART_SIZE);
    vv_far_digests_clear(&told->far, allocator);
    told->digester = NULL;
    told->block = NULL;
}

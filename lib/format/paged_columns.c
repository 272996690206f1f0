/* paged_columns.c - Reads blocks of columns when they are needed, and caches
 * the last ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "paged_columns.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "monitor.h"
#include "try.h"

/* Enough for the boxes, places and digests that several threads use at the same
 * time. */
enum { BLOCKS = 128 };

struct vv_paged_block {
    /* own */
    uint64_t offset; /* in the file; 0: empty */
    uint8_t bytes[VV_FAR_BLOCK];
};

/* --- Construction --------------------------------------------------------- */

struct vv_paged_columns *vv_paged_columns_new(
    const struct vv_context *context, size_t word_count)
{
    const varve_allocator *a = &context->allocator;
    struct vv_paged_columns *far = vv_allocate_zeroed(a, sizeof *far);
    if (!far)
        return NULL;
    far->context = context;
    far->file = -1;
    far->words = vv_allocate_array(a, word_count, sizeof *far->words);
    far->word_count = far->words ? word_count : 0;
    far->blocks = vv_allocate_array(a, BLOCKS, sizeof *far->blocks);
    far->monitor = vv_monitor_new(a);
    if (!far->words || !far->blocks || !far->monitor) {
        vv_paged_columns_free(far);
        return NULL;
    }
    for (size_t i = 0; i < BLOCKS; i++)
        far->blocks[i].offset = 0;
    return far;
}

void vv_paged_columns_free(struct vv_paged_columns *far)
{
    if (!far)
        return;
    const varve_allocator *a = &far->context->allocator;
    vv_monitor_free(a, far->monitor);
    vv_release(a, far->blocks, far->blocks ? BLOCKS * sizeof *far->blocks : 0);
    vv_release(a, far->words, far->word_count * sizeof *far->words);
    vv_release(a, far, sizeof *far);
}

static size_t block_count(uint64_t size)
{
    return (size_t)(size / VV_FAR_BLOCK + (size % VV_FAR_BLOCK != 0));
}

size_t vv_paged_words(const struct vv_paged_columns *far)
{
    size_t count = vv_piece_runs_words(&far->runs);
    for (size_t i = 0; i < VV_FAR_COLUMNS; i++)
        count += block_count(far->columns[i].size);
    return count + block_count(far->columns[VV_KEY_PLACE_BEGINS].size);
}

void vv_paged_columns_point(struct vv_paged_columns *far)
{
    uint64_t *at = far->words;
    for (size_t i = 0; i < VV_FAR_COLUMNS; i++) {
        far->columns[i].sums = at;
        at += block_count(far->columns[i].size);
    }
    far->place_firsts = at;
    at += block_count(far->columns[VV_KEY_PLACE_BEGINS].size);
    vv_piece_runs_point(&far->runs, at);
}

/* --- Blocks --------------------------------------------------------------- */

static struct vv_paged_block *paged_columns_slot_of(
    const struct vv_paged_columns *far, uint64_t offset)
{
    return &far->blocks[(offset / VV_FAR_BLOCK) % BLOCKS];
}

static bool paged_columns_is_held(struct vv_paged_columns *far, uint64_t offset,
    size_t skip, void *bytes, size_t size)
{
    const struct vv_paged_block *block = paged_columns_slot_of(far, offset);
    vv_monitor_enter(far->monitor);
    bool is_there = block->offset == offset;
    if (is_there)
        memcpy(bytes, block->bytes + skip, size);
    vv_monitor_leave(far->monitor);
    return is_there;
}

static void paged_columns_hold(struct vv_paged_columns *far, uint64_t offset,
    const void *bytes, size_t size)
{
    struct vv_paged_block *block = paged_columns_slot_of(far, offset);
    vv_monitor_enter(far->monitor);
    block->offset = offset;
    memcpy(block->bytes, bytes, size);
    vv_monitor_leave(far->monitor);
}

static varve_status paged_columns_read_block(struct vv_paged_columns *far,
    const struct vv_paged_column *column, size_t number, uint8_t *bytes,
    varve_error *error)
{
    uint64_t begin = (uint64_t)number * VV_FAR_BLOCK;
    uint64_t left = column->size - begin, offset = column->offset + begin;
    size_t size = left < VV_FAR_BLOCK ? (size_t)left : VV_FAR_BLOCK;
    VV_TRY(vv_file_read(
        far->context, far->file, far->path, bytes, size, offset, error));
    uint64_t found = vv_hash_of(bytes, size);
    if (found != column->sums[number])
        return vv_fail(error, VARVE_CORRUPT,
            "%s: index: bytes %" PRIu64 " to %" PRIu64
            ": expected XXH3-64 %016" PRIx64 ", found %016" PRIx64,
            far->path, offset, offset + size, column->sums[number], found);
    paged_columns_hold(far, offset, bytes, size);
    return VARVE_OK;
}

varve_status vv_paged_read(struct vv_paged_columns *far, uint64_t key,
    uint64_t at, void *bytes, size_t size, varve_error *error)
{
    const struct vv_paged_column *column = &far->columns[key];
    uint8_t block[VV_FAR_BLOCK];
    uint8_t *to = bytes;
    while (size > 0) {
        size_t number = (size_t)(at / VV_FAR_BLOCK), skip = at % VV_FAR_BLOCK;
        size_t part = VV_FAR_BLOCK - skip < size ? VV_FAR_BLOCK - skip : size;
        uint64_t offset = column->offset + (uint64_t)number * VV_FAR_BLOCK;
        if (!paged_columns_is_held(far, offset, skip, to, part)) {
            VV_TRY(paged_columns_read_block(far, column, number, block, error));
            memcpy(to, block + skip, part);
        }
        to += part;
        at += part;
        size -= part;
    }
    return VARVE_OK;
}

void vv_paged_get(const struct vv_index *index, uint64_t key, uint64_t at,
    void *bytes, size_t size)
{
    struct vv_paged_columns *far = index->far;
    varve_error error; /* initialized only by a failure */
    if (!vv_paged_read(far, key, at, bytes, size, &error))
        return;
    memset(bytes, 0, size);
    vv_monitor_enter(far->monitor);
    if (!atomic_load(&far->has_failed)) {
        far->failure = error;
        atomic_store(&far->has_failed, true);
    }
    vv_monitor_leave(far->monitor);
}

varve_status vv_index_failure(const struct vv_index *index, varve_error *error)
{
    if (!vv_index_has_failed(index))
        return VARVE_OK;
    if (error)
        *error = index->far->failure;
    return index->far->failure.status;
}

uint64_t vv_paged_seed(const struct vv_paged_columns *far, uint64_t key,
    uint64_t at, uint64_t size)
{
    size_t first = (size_t)(at / VV_FAR_BLOCK);
    size_t end = block_count(at + size);
    return vv_hash_of(
        far->columns[key].sums + first, (end - first) * sizeof(uint64_t));
}

/* --- Digests -------------------------------------------------------------- */

varve_status vv_paged_digest(struct vv_paged_columns *far, uint64_t number,
    struct vv_digest *digest, varve_error *error)
{
    return vv_paged_read(far, VV_KEY_DIGESTS, number * VV_DIGEST_SIZE,
        digest->bytes, sizeof digest->bytes, error);
}

struct vv_digest vv_paged_digest_of(
    struct vv_paged_columns *far, uint64_t first, uint64_t count)
{
    const varve_allocator *a = &far->context->allocator;
    struct vv_digester *digester = vv_digester_new(a);
    struct vv_digest one, all = { { 0 } };
    varve_status status = digester ? VARVE_OK : VARVE_NO_MEMORY;
    for (uint64_t i = first; i < first + count && !status; i++) {
        status = vv_paged_digest(far, i, &one, NULL);
        if (!status)
            vv_digester_add(digester, one.bytes, sizeof one.bytes);
    }
    if (!status)
        all = vv_digester_end(digester);
    if (digester)
        vv_digester_free(a, digester);
    return all;
}

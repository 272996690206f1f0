/* index_broadcast.c - Transfers the bytes of an index, in which the strings of
 * columns that remain in the file are empty, and the words with their
 * checksums.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_broadcast.h"

#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "failure.h"
#include "layout.h"
#include "try.h"

/* --- Public functions ----------------------------------------------------- */

size_t vv_index_broadcast_words(const struct vv_index_broadcast *broadcast)
{
    struct vv_paged_columns far = { .runs = broadcast->counts };
    for (size_t key = 0; key < VV_FAR_COLUMNS; key++)
        far.columns[key].size = broadcast->sizes[2 * key + 1];
    return vv_paged_words(&far);
}

varve_status vv_index_broadcast_reserve(struct vv_index_broadcast *broadcast,
    const struct vv_context *context, varve_error *error)
{
    broadcast->allocator = &context->allocator;
    broadcast->bytes = vv_allocate_aligned(
        broadcast->allocator, (size_t)broadcast->size, VV_ALIGNMENT);
    if (broadcast->word_count > 0)
        broadcast->far =
            vv_paged_columns_new(context, (size_t)broadcast->word_count);
    if (!broadcast->bytes || (broadcast->word_count > 0 && !broadcast->far))
        return vv_fail_memory(error, "the index of a checkpoint");
    for (size_t key = 0; broadcast->far && key < VV_FAR_COLUMNS; key++) {
        struct vv_paged_column *column = &broadcast->far->columns[key];
        column->offset = broadcast->place.offset + broadcast->sizes[2 * key];
        column->size = broadcast->sizes[2 * key + 1];
    }
    if (broadcast->far) {
        broadcast->far->runs = broadcast->counts;
        vv_paged_columns_point(broadcast->far);
    }
    return VARVE_OK;
}

void vv_index_broadcast_make(struct vv_index_broadcast *broadcast,
    const struct vv_opened *o, const struct vv_index_place *place)
{
    struct vv_paged_columns *far = o->parsed.index.far;
    *broadcast = (struct vv_index_broadcast){ .place = *place,
        .size = o->index_size,
        .bytes = o->index_bytes,
        .far = far,
        .word_count = far ? far->word_count : 0 };
    for (size_t key = 0; far && key < VV_FAR_COLUMNS; key++) {
        const struct vv_paged_column *column = &far->columns[key];
        if (column->size > 0)
            broadcast->sizes[2 * key] = column->offset - place->offset;
        broadcast->sizes[2 * key + 1] = column->size;
    }
    if (far)
        broadcast->counts = far->runs;
    broadcast->digest = vv_index_broadcast_digest(broadcast);
}

void vv_index_broadcast_numbers(const struct vv_index_broadcast *broadcast,
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS])
{
    uint64_t *n = numbers + sizeof broadcast->sizes / sizeof *broadcast->sizes;
    memcpy(numbers, broadcast->sizes, sizeof broadcast->sizes);
    *n++ = broadcast->place.offset;
    *n++ = broadcast->place.size;
    *n++ = broadcast->size;
    *n++ = broadcast->word_count;
    *n++ = broadcast->counts.row_count;
    *n++ = broadcast->counts.run_count;
    *n++ = broadcast->counts.hull_count;
    memcpy(
        n, broadcast->place.digest.bytes, sizeof broadcast->place.digest.bytes);
    memcpy(n + 2, broadcast->digest.bytes, sizeof broadcast->digest.bytes);
}

void vv_index_broadcast_take(struct vv_index_broadcast *broadcast,
    const uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS])
{
    const uint64_t *n =
        numbers + sizeof broadcast->sizes / sizeof *broadcast->sizes;
    memcpy(broadcast->sizes, numbers, sizeof broadcast->sizes);
    broadcast->place.offset = *n++;
    broadcast->place.size = *n++;
    broadcast->size = *n++;
    broadcast->word_count = *n++;
    broadcast->counts.row_count = *n++;
    broadcast->counts.run_count = *n++;
    broadcast->counts.hull_count = *n++;
    memcpy(
        broadcast->place.digest.bytes, n, sizeof broadcast->place.digest.bytes);
    memcpy(broadcast->digest.bytes, n + 2, sizeof broadcast->digest.bytes);
}

struct vv_digest vv_index_broadcast_digest(
    const struct vv_index_broadcast *broadcast)
{
    struct vv_digest digests[2] = { { { 0 } } };
    if (broadcast->far)
        digests[0] = vv_digest_of(broadcast->far->words,
            (size_t)broadcast->word_count * sizeof *broadcast->far->words);
    digests[1] = vv_digest_of(broadcast->bytes, (size_t)broadcast->size);
    return vv_digest_of(digests, sizeof digests);
}

varve_status vv_index_broadcast_use(struct vv_index_broadcast *broadcast,
    struct vv_opened *o, struct vv_paged_columns **far, int file,
    varve_error *error)
{
    *far = broadcast->far;
    broadcast->far = NULL;
    if (*far) {
        (*far)->file = file;
        (*far)->path = o->path;
        (*far)->is_checked = !broadcast->is_read;
    }
    vv_opened_take_index(o, broadcast->bytes, (size_t)broadcast->size);
    broadcast->bytes = NULL;
    const struct vv_index_rest rest = { .bytes = o->index_bytes,
        .size = o->index_size,
        .data_end = broadcast->place.offset,
        .far = *far };
    VV_TRY(vv_index_parse_rest(o->context, o->path, &rest, &o->parsed, error));
    if (*far)
        (*far)->is_checked = true;
    return VARVE_OK;
}

void vv_index_broadcast_clear(struct vv_index_broadcast *broadcast)
{
    if (broadcast->allocator) {
        vv_release_aligned(broadcast->allocator, broadcast->bytes,
            (size_t)broadcast->size, VV_ALIGNMENT);
        vv_paged_columns_free(broadcast->far);
    }
    *broadcast = (struct vv_index_broadcast){ .size = 0 };
}

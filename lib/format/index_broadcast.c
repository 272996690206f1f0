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

size_t vv_index_broadcast_words(const struct vv_index_broadcast *told)
{
    struct vv_paged_columns far = { .runs = told->counts };
    for (size_t key = 0; key < VV_FAR_COLUMNS; key++)
        far.columns[key].size = told->sizes[2 * key + 1];
    return vv_paged_words(&far);
}

varve_status vv_index_broadcast_make_room(struct vv_index_broadcast *told,
    const struct vv_context *context, varve_error *error)
{
    told->allocator = &context->allocator;
    told->bytes =
        vv_allocate_aligned(told->allocator, (size_t)told->size, VV_ALIGNMENT);
    if (told->word_count > 0)
        told->far = vv_paged_columns_new(context, (size_t)told->word_count);
    if (!told->bytes || (told->word_count > 0 && !told->far))
        return vv_fail_memory(error, "the index of a checkpoint");
    for (size_t key = 0; told->far && key < VV_FAR_COLUMNS; key++) {
        struct vv_paged_column *column = &told->far->columns[key];
        column->offset = told->place.offset + told->sizes[2 * key];
        column->size = told->sizes[2 * key + 1];
    }
    if (told->far) {
        told->far->runs = told->counts;
        vv_paged_columns_point(told->far);
    }
    return VARVE_OK;
}

void vv_index_broadcast_make(struct vv_index_broadcast *told,
    const struct vv_opened *o, const struct vv_index_place *place)
{
    struct vv_paged_columns *far = o->parsed.index.far;
    *told = (struct vv_index_broadcast){ .place = *place,
        .size = o->index_size,
        .bytes = o->index_bytes,
        .far = far,
        .word_count = far ? far->word_count : 0 };
    for (size_t key = 0; far && key < VV_FAR_COLUMNS; key++) {
        const struct vv_paged_column *column = &far->columns[key];
        if (column->size > 0)
            told->sizes[2 * key] = column->offset - place->offset;
        told->sizes[2 * key + 1] = column->size;
    }
    if (far)
        told->counts = far->runs;
    told->digest = vv_index_broadcast_digest(told);
}

void vv_index_broadcast_numbers(const struct vv_index_broadcast *told,
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS])
{
    uint64_t *n = numbers + sizeof told->sizes / sizeof *told->sizes;
    memcpy(numbers, told->sizes, sizeof told->sizes);
    *n++ = told->place.offset;
    *n++ = told->place.size;
    *n++ = told->size;
    *n++ = told->word_count;
    *n++ = told->counts.row_count;
    *n++ = told->counts.run_count;
    *n++ = told->counts.hull_count;
    memcpy(n, told->place.digest.bytes, sizeof told->place.digest.bytes);
    memcpy(n + 2, told->digest.bytes, sizeof told->digest.bytes);
}

void vv_index_broadcast_take(struct vv_index_broadcast *told,
    const uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS])
{
    const uint64_t *n = numbers + sizeof told->sizes / sizeof *told->sizes;
    memcpy(told->sizes, numbers, sizeof told->sizes);
    told->place.offset = *n++;
    told->place.size = *n++;
    told->size = *n++;
    told->word_count = *n++;
    told->counts.row_count = *n++;
    told->counts.run_count = *n++;
    told->counts.hull_count = *n++;
    memcpy(told->place.digest.bytes, n, sizeof told->place.digest.bytes);
    memcpy(told->digest.bytes, n + 2, sizeof told->digest.bytes);
}

struct vv_digest vv_index_broadcast_digest(
    const struct vv_index_broadcast *told)
{
    struct vv_digest digests[2] = { { { 0 } } };
    if (told->far)
        digests[0] = vv_digest_of(told->far->words,
            (size_t)told->word_count * sizeof *told->far->words);
    digests[1] = vv_digest_of(told->bytes, (size_t)told->size);
    return vv_digest_of(digests, sizeof digests);
}

varve_status vv_index_broadcast_use(struct vv_index_broadcast *told,
    struct vv_opened *o, struct vv_paged_columns **far, int file,
    varve_error *error)
{
    *far = told->far;
    told->far = NULL;
    if (*far) {
        (*far)->file = file;
        (*far)->path = o->path;
        (*far)->is_checked = !told->is_read;
    }
    vv_opened_take_index(o, told->bytes, (size_t)told->size);
    told->bytes = NULL;
    const struct vv_index_rest rest = { .bytes = o->index_bytes,
        .size = o->index_size,
        .data_end = told->place.offset,
        .far = *far };
    VV_TRY(vv_index_parse_rest(o->context, o->path, &rest, &o->parsed, error));
    if (*far)
        (*far)->is_checked = true;
    return VARVE_OK;
}

void vv_index_broadcast_clear(struct vv_index_broadcast *told)
{
    if (told->allocator) {
        vv_release_aligned(
            told->allocator, told->bytes, (size_t)told->size, VV_ALIGNMENT);
        vv_paged_columns_free(told->far);
    }
    *told = (struct vv_index_broadcast){ .size = 0 };
}

/* told_index.c - the bytes of an index without those of its far columns, whose
 * strings are empty; and words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "told_index.h"

#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "column.h"
#include "failure.h"
#include "layout.h"
#include "piece_table.h"
#include "try.h"

enum { NO_BYTES = 0x40 }; /* CBOR: a byte string of none */

/* --- Which are far -------------------------------------------------------- */

static uint64_t size_of(const struct vv_index *index, enum vv_index_key key)
{
    return vv_column_count(&vv_columns[key], index) * vv_columns[key].element;
}

/* In sizes[2 * key] where in the index it begins, behind it how long it is. */
static void leave(struct vv_told_index *told, const struct vv_opened *o,
    enum vv_index_key begin, enum vv_index_key end)
{
    const struct vv_index *index = &o->parsed.index;
    for (size_t key = begin; key <= end; key++) {
        const uint8_t *bytes = vv_column_bytes(&vv_columns[key], index);
        uint64_t size = size_of(index, (enum vv_index_key)key);
        if (size > 0)
            told->sizes[2 * key] =
                (uint64_t)(bytes - (const uint8_t *)o->index_bytes);
        told->sizes[2 * key + 1] = size;
    }
}

/* Of pieces there is something at hand either way. */
static void leave_boxes(
    struct vv_told_index *told, const struct vv_opened *o, uint64_t most)
{
    const struct vv_index *index = &o->parsed.index;
    struct vv_piece_runs counts;
    vv_piece_runs_count(&counts, index);
    uint64_t pieces = index->pieced_count
                          ? vv_at32(index->piece_ends, index->pieced_count - 1)
                          : 0;
    uint64_t here = size_of(index, VV_KEY_PIECE_BOXES) +
                    pieces * sizeof(struct vv_piece_start) +
                    index->pieced_count * sizeof(uint64_t);
    uint64_t there = vv_piece_runs_words(&counts) * sizeof(uint64_t);
    if (here <= there || here - there <= most)
        return;
    told->counts = counts;
    leave(told, o, VV_KEY_PIECE_BOXES, VV_KEY_PIECE_BOXES);
}

static uint64_t size_of_places(const struct vv_index *index)
{
    uint64_t size = 0;
    for (size_t key = VV_KEY_PLACE_BEGINS; key <= VV_KEY_PLACE_PLANES; key++)
        size += size_of(index, (enum vv_index_key)key);
    return size;
}

static void choose(
    struct vv_told_index *told, const struct vv_opened *o, uint64_t most)
{
    const struct vv_index *index = &o->parsed.index;
    if (size_of(index, VV_KEY_DIGESTS) > most)
        leave(told, o, VV_KEY_DIGESTS, VV_KEY_DIGESTS);
    if (size_of_places(index) > most)
        leave(told, o, VV_KEY_PLACE_BEGINS, VV_KEY_PLACE_PLANES);
    leave_boxes(told, o, most);
}

/* --- Bytes ---------------------------------------------------------------- */

/* Of a string of so many bytes. */
static size_t head_size(uint64_t n)
{
    return n < 24            ? 1
           : n <= UINT8_MAX  ? 2
           : n <= UINT16_MAX ? 3
           : n <= UINT32_MAX ? 5
                             : 9;
}

/* All but the far columns; counts only where `to` is NULL. */
static size_t copy_rest(const struct vv_told_index *told,
    const struct vv_opened *o, unsigned char *to)
{
    const unsigned char *from = o->index_bytes;
    size_t at = 0, size = 0;
    for (size_t key = 0; key <= VV_FAR_COLUMNS; key++) {
        bool is_last = key == VV_FAR_COLUMNS;
        uint64_t left_out = is_last ? 0 : told->sizes[2 * key + 1];
        if (left_out == 0 && !is_last)
            continue;
        size_t end = is_last
                         ? o->index_size
                         : (size_t)told->sizes[2 * key] - head_size(left_out);
        if (to)
            memcpy(to + size, from + at, end - at);
        size += end - at;
        if (to && !is_last)
            to[size] = NO_BYTES;
        size += !is_last;
        at = end + head_size(left_out) + (size_t)left_out;
    }
    return size;
}

/* --- Words ---------------------------------------------------------------- */

/* Of an index that is at hand. */
static void sum_column(
    struct vv_far_column *column, const uint8_t *bytes, uint64_t *sums)
{
    for (uint64_t at = 0; at < column->size; at += VV_FAR_BLOCK) {
        uint64_t left = column->size - at;
        *sums++ = vv_hash_of(
            bytes + at, left < VV_FAR_BLOCK ? (size_t)left : VV_FAR_BLOCK);
    }
}

static void fill_words(struct vv_told_index *told, const struct vv_opened *o)
{
    const struct vv_index *index = &o->parsed.index;
    struct vv_far_columns *far = told->far;
    for (size_t key = 0; key < VV_FAR_COLUMNS; key++)
        sum_column(&far->columns[key],
            (const uint8_t *)o->index_bytes + told->sizes[2 * key],
            far->columns[key].sums);
    uint64_t *first = far->place_firsts;
    uint64_t places = told->sizes[2 * VV_KEY_PLACE_BEGINS + 1] / 8;
    for (uint64_t i = 0; i < places; i += VV_FAR_PLACES)
        *first++ = vv_at64(index->place_begins, (size_t)i);
    if (far->runs.row_count > 0)
        vv_piece_runs_fill(&far->runs, index, &o->parsed.table);
}

/* --- All ------------------------------------------------------------------ */

static size_t count_words(const struct vv_told_index *told)
{
    struct vv_far_columns far = { .runs = told->counts };
    for (size_t key = 0; key < VV_FAR_COLUMNS; key++)
        far.columns[key].size = told->sizes[2 * key + 1];
    return vv_far_words(&far);
}

varve_status vv_told_make_room(struct vv_told_index *told,
    const struct vv_context *context, varve_error *error)
{
    told->allocator = &context->allocator;
    told->bytes =
        vv_allocate_aligned(told->allocator, (size_t)told->size, VV_ALIGNMENT);
    if (told->word_count > 0)
        told->far = vv_far_columns_new(context, (size_t)told->word_count);
    if (!told->bytes || (told->word_count > 0 && !told->far))
        return vv_fail_memory(error, "the index of a checkpoint");
    for (size_t key = 0; told->far && key < VV_FAR_COLUMNS; key++) {
        struct vv_far_column *column = &told->far->columns[key];
        column->offset = told->place.offset + told->sizes[2 * key];
        column->size = told->sizes[2 * key + 1];
    }
    if (told->far) {
        told->far->runs = told->counts;
        vv_far_columns_point(told->far);
    }
    return VARVE_OK;
}

varve_status vv_told_make(struct vv_told_index *told, const struct vv_opened *o,
    const struct vv_index_place *place, uint64_t most, varve_error *error)
{
    *told = (struct vv_told_index){ .place = *place };
    choose(told, o, most);
    told->word_count = count_words(told);
    told->size = copy_rest(told, o, NULL);
    if (told->word_count == 0) {
        told->bytes = o->index_bytes; /* borrowed: there is no allocator */
    } else {
        VV_TRY(vv_told_make_room(told, o->context, error));
        copy_rest(told, o, told->bytes);
        fill_words(told, o);
    }
    told->digest = vv_told_digest(told);
    return VARVE_OK;
}

void vv_told_numbers(
    const struct vv_told_index *told, uint64_t numbers[VV_TOLD_NUMBERS])
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

void vv_told_take(
    struct vv_told_index *told, const uint64_t numbers[VV_TOLD_NUMBERS])
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

struct vv_digest vv_told_digest(const struct vv_told_index *told)
{
    struct vv_digest digests[2] = { { { 0 } } };
    if (told->far)
        digests[0] = vv_digest_of(told->far->words,
            (size_t)told->word_count * sizeof *told->far->words);
    digests[1] = vv_digest_of(told->bytes, (size_t)told->size);
    return vv_digest_of(digests, sizeof digests);
}

varve_status vv_told_use(struct vv_told_index *told, struct vv_opened *o,
    struct vv_far_columns **far, int file, varve_error *error)
{
    *far = told->far;
    told->far = NULL;
    if (*far) {
        (*far)->file = file;
        (*far)->path = o->path;
    }
    vv_opened_take_index(o, told->bytes, (size_t)told->size);
    told->bytes = NULL;
    const struct vv_index_rest rest = { .bytes = o->index_bytes,
        .size = o->index_size,
        .data_end = told->place.offset,
        .far = *far };
    return vv_index_parse_rest(o->context, o->path, &rest, &o->parsed, error);
}

void vv_told_clear(struct vv_told_index *told)
{
    if (told->allocator)
        vv_release_aligned(
            told->allocator, told->bytes, (size_t)told->size, VV_ALIGNMENT);
    vv_far_columns_free(told->far);
    *told = (struct vv_told_index){ .size = 0 };
}

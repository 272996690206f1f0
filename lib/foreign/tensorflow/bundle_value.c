/* bundle_value.c - Decodes strings, variants, big-endian values and tensors in
 * slices.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_value.h"

#include <inttypes.h>

#include "allocator.h"
#include "bundle.h"
#include "bytes.h"
#include "crc.h"
#include "try.h"
#include "typed_memory.h"
#include "wire.h"

/* The parameters of all functions here. */
struct decoding {
    const struct vv_foreign *foreign;
    const struct vv_bundle *bundle;
    const struct vv_bundle_entry *entry;
    varve_error *error;
};

static const char *bundle_value_path_of(const struct decoding *c)
{
    return c->foreign->files[c->entry->file].path;
}

static varve_status bundle_value_fail(
    const struct decoding *c, const char *problem)
{
    const struct vv_bundle_entry *e = c->entry;
    return vv_fail(c->error, VARVE_CORRUPT,
        "%s: %s: bytes %" PRIu64 " to %" PRIu64 ": %s", bundle_value_path_of(c),
        e->key + vv_bundle_is_slice(e), e->offset, e->offset + e->size,
        problem);
}

static varve_status bundle_value_check_sum(
    const struct decoding *c, uint32_t masked, uint32_t found)
{
    const struct vv_bundle_entry *e = c->entry;
    uint32_t expected = vv_crc32c_unmask(masked);
    if (expected == found)
        return VARVE_OK;
    return vv_fail(c->error, VARVE_CORRUPT,
        "%s: %s: bytes %" PRIu64 " to %" PRIu64 ": expected CRC-32C %08" PRIx32
        ", found %08" PRIx32,
        bundle_value_path_of(c), e->key + vv_bundle_is_slice(e), e->offset,
        e->offset + e->size, expected, found);
}

/* Reads all stored bytes of the entry, which the caller must free. *stored is
 * NULL if there are none. */
static varve_status read_stored(
    const struct decoding *c, unsigned char **stored)
{
    const struct vv_bundle_entry *e = c->entry;
    size_t size = (size_t)e->size;
    *stored = NULL;
    if (size == 0)
        return VARVE_OK;
    *stored = vv_allocate(&c->bundle->context->allocator, size);
    if (!*stored)
        return vv_fail_memory(c->error, "the bytes of a value");
    return vv_foreign_read(
        c->foreign, e->file, *stored, size, e->offset, c->error);
}

static void bundle_value_release(
    const struct decoding *c, unsigned char *stored)
{
    vv_release(&c->bundle->context->allocator, stored, (size_t)c->entry->size);
}

/* --- Strings -------------------------------------------------------------- */

/* Adds a length to a CRC in the byte order of the writer. */
static uint32_t add_length(
    const struct decoding *c, uint32_t sum, uint64_t size)
{
    unsigned char bytes[8];
    bool is_long = size > UINT32_MAX;
    if (is_long)
        vv_store64(
            bytes, c->bundle->is_big_endian ? __builtin_bswap64(size) : size);
    else
        vv_store32(bytes, c->bundle->is_big_endian
                              ? __builtin_bswap32((uint32_t)size)
                              : (uint32_t)size);
    return vv_crc32c(sum, bytes, is_long ? 8 : 4);
}

static uint32_t load_sum(const struct decoding *c, const unsigned char *at)
{
    uint32_t sum = vv_load32(at);
    return c->bundle->is_big_endian ? __builtin_bswap32(sum) : sum;
}

/* Parses the lengths of strings, and sets *behind to their end, *total to their
 * sum, and *sum to their CRC. Stores the lengths in `lengths` unless it is
 * NULL. */
static varve_status take_lengths(const struct decoding *c,
    const unsigned char *at, const unsigned char *end, unsigned char *lengths,
    const unsigned char **behind, uint64_t *total, uint32_t *sum)
{
    *total = 0;
    *sum = 0;
    for (uint64_t i = 0; i < c->entry->count; i++) {
        uint64_t length;
        at = vv_take_varint(at, end, &length);
        if (!at || length > c->entry->size - *total)
            return bundle_value_fail(
                c, "the length of a string is missing or too large");
        *total += length;
        *sum = add_length(c, *sum, length);
        if (lengths)
            vv_store64(lengths + 8 * i, length);
    }
    *behind = at;
    return VARVE_OK;
}

varve_status vv_bundle_measure_strings(const struct vv_foreign *foreign,
    const struct vv_bundle *bundle, struct vv_bundle_entry *e,
    varve_error *error)
{
    struct decoding c = { foreign, bundle, e, error };
    const varve_allocator *a = &bundle->context->allocator;
    const unsigned char *behind;
    uint64_t total;
    uint32_t sum;
    if (e->count == 0 && e->size == 0)
        return VARVE_OK;
    if (e->size < 4 || e->count > e->size - 4)
        return bundle_value_fail(
            &c, "the length of a string is missing or too large");
    /* A length takes up to 10 bytes. A CRC of 4 bytes follows the lengths. */
    uint64_t most = e->count > e->size / 10 ? e->size : 10 * e->count;
    size_t room = (size_t)(most ? most : 1);
    unsigned char *bytes = vv_allocate(a, room);
    if (!bytes)
        return vv_fail_memory(error, "lengths of strings");
    varve_status status = vv_foreign_read(
        foreign, e->file, bytes, (size_t)most, e->offset, error);
    if (!status)
        status =
            take_lengths(&c, bytes, bytes + most, NULL, &behind, &total, &sum);
    if (!status && (uint64_t)(behind - bytes) + 4 + total != e->size)
        status = bundle_value_fail(
            &c, "the size does not match the lengths of the strings");
    if (!status)
        e->strings_size = 8 * e->count + total;
    vv_release(a, bytes, room);
    return status;
}

/* Decodes the lengths, their CRC and the strings. Both CRCs cover the lengths
 * as integers of fixed size. */
static varve_status bundle_value_decode_strings(const struct decoding *c,
    const unsigned char *stored, unsigned char *bytes, size_t size)
{
    const struct vv_bundle_entry *e = c->entry;
    const unsigned char *end = stored + e->size;
    const unsigned char *at;
    uint64_t total;
    uint32_t sum;
    if (e->size == 0)
        return VARVE_OK;
    VV_TRY(take_lengths(c, stored, end, bytes, &at, &total, &sum));
    if ((uint64_t)(end - at) != 4 + total || size != 8 * e->count + total)
        return bundle_value_fail(
            c, "the lengths of the strings changed after the file was opened");
    VV_TRY(bundle_value_check_sum(c, load_sum(c, at), sum));
    sum = vv_crc32c(sum, at, 4);
    sum = vv_crc32c(sum, at + 4, (size_t)total);
    VV_TRY(bundle_value_check_sum(c, e->sum, sum));
    memcpy(bytes + 8 * e->count, at + 4, (size_t)total);
    return VARVE_OK;
}

/* --- Variants ------------------------------------------------------------- */

/* Verifies variants: each is stored as its length, its bytes and the CRC of
 * everything before, which the running CRC covers too. The bytes are used as
 * they are. */
static varve_status check_variants(
    const struct decoding *c, const unsigned char *stored)
{
    const struct vv_bundle_entry *e = c->entry;
    const unsigned char *at = stored;
    const unsigned char *end = stored + e->size;
    uint32_t sum = 0;
    for (uint64_t i = 0; i < e->count; i++) {
        uint64_t length;
        unsigned char bytes[8];
        at = at < end ? vv_take_varint(at, end, &length) : NULL;
        if (!at || end - at < 4 || length > (uint64_t)(end - at) - 4)
            return bundle_value_fail(c, "malformed variants");
        vv_store64(bytes,
            c->bundle->is_big_endian ? __builtin_bswap64(length) : length);
        sum = vv_crc32c(sum, bytes, 8);
        sum = vv_crc32c(sum, at, (size_t)length);
        at += length;
        VV_TRY(bundle_value_check_sum(c, load_sum(c, at), sum));
        sum = vv_crc32c(sum, at, 4);
        at += 4;
    }
    if (at != end)
        return bundle_value_fail(c, "other bytes follow the variants");
    return bundle_value_check_sum(c, e->sum, sum);
}

/* --- Numbers -------------------------------------------------------------- */

/* Reads numbers. `bytes` has the size of the stored bytes. */
static varve_status bundle_value_decode_numbers(
    const struct decoding *c, unsigned char *bytes)
{
    const struct vv_bundle_entry *e = c->entry;
    size_t size = (size_t)e->size;
    if (size == 0)
        return VARVE_OK;
    VV_TRY(
        vv_foreign_read(c->foreign, e->file, bytes, size, e->offset, c->error));
    VV_TRY(bundle_value_check_sum(c, e->sum, vv_crc32c(0, bytes, size)));
    if (c->bundle->is_big_endian)
        vv_dtype_reverse_copy(e->dtype, bytes, bytes, e->count);
    return VARVE_OK;
}

/* --- Slices --------------------------------------------------------------- */

/* The position of a slice in the tensor. */
struct box {
    uint32_t rank;
    size_t element;
    uint64_t whole[VARVE_MAX_RANK];
    uint64_t start[VARVE_MAX_RANK];
    uint64_t length[VARVE_MAX_RANK];
};

static void find_box(const struct decoding *c, uint32_t slice, struct box *box)
{
    const struct vv_bundle *b = c->bundle;
    const struct vv_bundle_entry *e = c->entry;
    const uint64_t *pairs =
        b->extents + e->first_pair + (size_t)2 * e->rank * slice;
    box->rank = e->rank;
    box->element = vv_dtype_file_size(e->dtype);
    for (uint32_t i = 0; i < e->rank; i++) {
        box->whole[i] = b->extents[e->first_extent + i];
        box->start[i] = pairs[2 * i];
        box->length[i] = pairs[2 * i + 1];
    }
}

/* Sets one bit for each element; returns false if a bit was set before. */
static bool bundle_value_mark(
    unsigned char *marks, uint64_t begin, uint64_t count)
{
    for (uint64_t i = begin; i < begin + count; i++) {
        unsigned char bit = (unsigned char)(1u << i % 8);
        if (marks[i / 8] & bit)
            return false;
        marks[i / 8] |= bit;
    }
    return true;
}

/* Copies a slice into the tensor, row by row of the last dimension. Returns
 * false if it overlaps another slice. */
static bool place_rows(const struct box *box, const unsigned char *from,
    unsigned char *to, unsigned char *marks)
{
    uint64_t at[VARVE_MAX_RANK] = { 0 };
    uint32_t last = box->rank - 1;
    uint64_t row = box->length[last];
    for (uint32_t i = 0; i < box->rank; i++) {
        if (box->length[i] == 0)
            return true;
    }
    for (;;) {
        uint64_t place = 0;
        for (uint32_t i = 0; i < box->rank; i++)
            place = place * box->whole[i] + box->start[i] + at[i];
        if (!bundle_value_mark(marks, place, row))
            return false;
        memcpy(to + place * box->element, from, (size_t)row * box->element);
        from += row * box->element;
        uint32_t i = last;
        while (i > 0 && ++at[i - 1] == box->length[i - 1])
            at[--i] = 0;
        if (i == 0)
            return true;
    }
}

static varve_status place_slice(const struct decoding *c, uint32_t number,
    unsigned char *bytes, unsigned char *marks)
{
    const struct vv_bundle *b = c->bundle;
    const varve_allocator *a = &b->context->allocator;
    struct decoding part = *c;
    struct box box;
    part.entry = &b->entries[b->slices[c->entry->first_slice + number]];
    size_t size = (size_t)part.entry->size;
    if (size == 0)
        return VARVE_OK;
    unsigned char *from = vv_allocate(a, size);
    if (!from)
        return vv_fail_memory(c->error, "a slice");
    find_box(c, number, &box);
    varve_status status = bundle_value_decode_numbers(&part, from);
    if (!status && !place_rows(&box, from, bytes, marks))
        status = vv_fail(c->error, VARVE_CORRUPT,
            "%s: %s: two of its slices overlap", b->path, c->entry->key);
    vv_release(a, from, size);
    return status;
}

/* All slices together have as many elements as the tensor. If none overlap,
 * they cover it. */
static varve_status decode_slices(
    const struct decoding *c, unsigned char *bytes)
{
    const varve_allocator *a = &c->bundle->context->allocator;
    size_t size = (size_t)(c->entry->count / 8 + 1);
    unsigned char *marks = vv_allocate_zeroed(a, size);
    if (!marks)
        return vv_fail_memory(c->error, "the elements that slices cover");
    varve_status status = VARVE_OK;
    for (uint32_t i = 0; i < c->entry->slice_count && !status; i++)
        status = place_slice(c, i, bytes, marks);
    vv_release(a, marks, size);
    return status;
}

/* --- All ------------------------------------------------------------------ */

varve_status vv_bundle_decode(const struct vv_foreign *foreign,
    const struct vv_bundle *bundle, const struct vv_bundle_entry *e,
    unsigned char *bytes, size_t size, varve_error *error)
{
    struct decoding c = { foreign, bundle, e, error };
    unsigned char *stored;
    if (e->slice_count > 0)
        return decode_slices(&c, bytes);
    if (e->dtype == 0) {
        if (size > 0)
            VV_TRY(vv_foreign_read(
                foreign, e->file, bytes, size, e->offset, error));
        return check_variants(&c, bytes);
    }
    if (e->dtype != VARVE_STRING)
        return bundle_value_decode_numbers(&c, bytes);
    varve_status status = read_stored(&c, &stored);
    if (!status)
        status = bundle_value_decode_strings(&c, stored, bytes, size);
    bundle_value_release(&c, stored);
    return status;
}

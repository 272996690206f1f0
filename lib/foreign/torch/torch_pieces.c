/* torch_pieces.c - Copies pieces as boxes of bytes. The part of a box between
 * two offsets of the whole is one range of the bytes of the box in row-major
 * order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_pieces.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "crc.h"
#include "failure.h"
#include "try.h"
#include "typed_memory.h"

enum {
    MOST_DIMENSIONS =
        VARVE_MAX_RANK +
        1, /* the last dimension is that of the bytes of an element */
    WINDOW = 1 << 18,
};

/* --- Adding --------------------------------------------------------------- */

bool vv_torch_add_pieces(struct vv_torch_file *file,
    struct vv_torch_pieced tensor, struct vv_pickle_item *item)
{
    tensor.has_parts = true;
    for (uint32_t i = 0; i < tensor.count; i++) {
        struct vv_torch_piece *piece = &tensor.pieces[i];
        vv_torch_size(&piece->what.tensor, &piece->size);
        piece->is_plain = vv_torch_is_plain(file, &piece->what.tensor);
        tensor.has_parts &= piece->is_plain;
        atomic_init(
            &piece->is_verified, piece->what.entry->crc == 0 ||
                                     piece->size != piece->what.entry->size);
    }
    vv_buffer_add(&file->pieced, &tensor, sizeof tensor);
    *item = (struct vv_pickle_item){ .kind = VV_PICKLE_OUTSIDE,
        .b = (uint32_t)(file->pieced.size / sizeof tensor) };
    return !file->pieced.failed;
}

/* --- Checking coverage ---------------------------------------------------- */

/* A prime: hashes are computed modulo 2^61 - 1. */
static const uint64_t prime = (UINT64_C(1) << 61) - 1;

/* Multiplies halves of 32 bits, because not every compiler has 128-bit
 * integers. 2^61 is congruent to 1, so 2^64 is congruent to 8. The sum of all
 * terms is less than 2^63. */
static uint64_t times(uint64_t a, uint64_t b)
{
    const uint64_t low = UINT32_MAX, below = (UINT64_C(1) << 29) - 1;
    uint64_t first = (a & low) * (b & low);
    uint64_t middle = (a >> 32) * (b & low) + (a & low) * (b >> 32);
    uint64_t last = (a >> 32) * (b >> 32);
    uint64_t sum = (first & prime) + (first >> 61) + ((middle & below) << 32) +
                   (middle >> 29) + last * 8;
    return sum % prime;
}

/* Returns a pseudorandom number for a coordinate of a dimension. */
static uint64_t torch_pieces_number_of(uint32_t dimension, uint64_t coordinate)
{
    uint64_t key[] = { dimension, coordinate };
    return vv_hash_of(key, sizeof key) % prime;
}

static uint64_t number_of_box(
    uint32_t rank, const uint64_t *starts, const uint64_t *lengths)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t begin = starts ? starts[i] : 0;
        product =
            times(product, (torch_pieces_number_of(i, begin + lengths[i]) +
                               prime - torch_pieces_number_of(i, begin)) %
                               prime);
    }
    return product;
}

const char *vv_torch_check_boxes(uint32_t rank, const uint64_t *shape,
    const struct vv_torch_piece *pieces, uint32_t count)
{
    uint64_t left = 1, sum = 0;
    vv_shape_count(rank, shape, &left);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = 0;
        const uint64_t *box = pieces[i].box;
        vv_shape_count(rank, box + rank, &size);
        if (size > left)
            return "its pieces overlap";
        left -= size;
        sum = (sum + number_of_box(rank, box, box + rank)) % prime;
    }
    if (left > 0)
        return "its pieces do not cover its shape";
    return sum == number_of_box(rank, NULL, shape)
               ? NULL
               : "its pieces overlap and do not cover its shape";
}

/* --- Reading -------------------------------------------------------------- */

/* A piece that is being copied from the file, through a window, or from memory.
 */
struct way {
    const struct vv_torch_file *file;
    struct vv_torch_piece *piece;
    varve_error *error;
    uint32_t rank; /* of the whole and the box, with the dimension of bytes */
    uint64_t whole[MOST_DIMENSIONS];
    uint64_t start[MOST_DIMENSIONS];
    uint64_t length[MOST_DIMENSIONS];
    unsigned char *bytes; /* bytes `begin` to `end` of the piece */
    uint64_t begin, end;
    bool is_summed; /* all of the piece is read in order, and its CRC is
                       computed */
    uint32_t sum;
};

static void set_box(struct way *w, const varve_tensor *type)
{
    w->rank = type->rank + 1;
    for (uint32_t i = 0; i < type->rank; i++) {
        w->whole[i] = type->shape[i];
        w->start[i] = w->piece->box[i];
        w->length[i] = w->piece->box[type->rank + i];
    }
    w->whole[type->rank] = vv_dtype_file_size(type->dtype);
    w->start[type->rank] = 0;
    w->length[type->rank] = w->whole[type->rank];
}

/* Returns the number of bytes of the box before an offset of the whole. */
static uint64_t bytes_before(const struct way *w, uint64_t place)
{
    uint64_t rows = 1, inner = w->piece->size, count = 0;
    for (uint32_t i = 1; i < w->rank; i++)
        rows *= w->whole[i];
    for (uint32_t i = 0; i < w->rank; i++) {
        uint64_t at = place / rows;
        place %= rows;
        inner /= w->length[i];
        if (i + 1 < w->rank)
            rows /= w->whole[i + 1];
        if (at < w->start[i])
            return count;
        if (at - w->start[i] >= w->length[i])
            return count + w->length[i] * inner;
        count += (at - w->start[i]) * inner;
    }
    return count;
}

/* Returns the offset in the whole of a byte of the box, and sets *run to the
 * number of bytes that are contiguous there. */
static uint64_t torch_pieces_place_of(
    const struct way *w, uint64_t at, uint64_t *run)
{
    uint32_t i = w->rank - 1;
    uint64_t rows = 1, place;
    *run = 1;
    while (i > 0 && w->length[i] == w->whole[i])
        rows *= w->whole[i--];
    *run = rows * w->length[i];
    uint64_t row = at / *run, inside = at % *run;
    place = rows * w->start[i] + inside;
    *run -= inside;
    while (i-- > 0) {
        rows *= w->whole[i + 1];
        place += rows * (w->start[i] + row % w->length[i]);
        row /= w->length[i];
    }
    return place;
}

static varve_status torch_pieces_read_file(
    struct way *w, uint64_t at, unsigned char *bytes, uint64_t size)
{
    const struct vv_torch_gathered *g = &w->piece->what;
    uint64_t begin =
        g->tensor.offset * vv_dtype_file_size(g->tensor.type.dtype);
    VV_TRY(vv_foreign_read(w->file->zip.foreign, g->entry->file, bytes,
        (size_t)size, g->entry->data + begin + at, w->error));
    if (w->is_summed)
        w->sum = vv_crc32(w->sum, bytes, (size_t)size);
    return VARVE_OK;
}

/* Copies the next bytes of the piece. Calls must be in order of `at`. */
static varve_status torch_pieces_take(
    struct way *w, uint64_t at, unsigned char *to, uint64_t size, uint64_t end)
{
    while (size > 0) {
        uint64_t part = w->end - at;
        if (at >= w->end && size >= WINDOW)
            return torch_pieces_read_file(w, at, to, size);
        if (at >= w->end) {
            part = end - at < WINDOW ? end - at : WINDOW;
            w->begin = at;
            w->end = at + part;
            VV_TRY(torch_pieces_read_file(w, at, w->bytes, part));
        }
        part = part < size ? part : size;
        memcpy(to, w->bytes + (at - w->begin), (size_t)part);
        at += part;
        to += part;
        size -= part;
    }
    return VARVE_OK;
}

static varve_status torch_pieces_check_sum(const struct way *w)
{
    const struct vv_zip_entry *e = w->piece->what.entry;
    if (w->sum != e->crc)
        return vv_fail(w->error, VARVE_CORRUPT,
            "%s: bytes %" PRIu64 " to %" PRIu64 ": expected CRC-32 %08" PRIx32
            ", found %08" PRIx32,
            w->file->zip.foreign->files[e->file].path, e->data,
            e->data + e->size, e->crc, w->sum);
    atomic_store(&w->piece->is_verified, true);
    return VARVE_OK;
}

/* Reads all of a piece to verify it before a part of it is used. */
static varve_status torch_pieces_verify(struct way *w)
{
    w->is_summed = true;
    for (uint64_t at = 0; at < w->piece->size; at += WINDOW) {
        uint64_t left = w->piece->size - at;
        VV_TRY(torch_pieces_read_file(
            w, at, w->bytes, left < WINDOW ? left : WINDOW));
    }
    w->is_summed = false;
    return torch_pieces_check_sum(w);
}

/* Copies bytes `begin` to `end` of the box into the whole. */
static varve_status torch_pieces_spread(struct way *w, uint64_t begin,
    uint64_t end, uint64_t from, unsigned char *bytes)
{
    for (uint64_t at = begin; at < end;) {
        uint64_t run, place = torch_pieces_place_of(w, at, &run);
        uint64_t size = run < end - at ? run : end - at;
        VV_TRY(torch_pieces_take(w, at, bytes + (place - from), size, end));
        at += size;
    }
    return w->is_summed ? torch_pieces_check_sum(w) : VARVE_OK;
}

/* Reads a plain piece through a window. */
static varve_status read_plain(struct way *w, uint64_t begin, uint64_t end,
    uint64_t from, unsigned char *bytes)
{
    const varve_allocator *a = &w->file->zip.foreign->context->allocator;
    size_t room =
        w->piece->size < WINDOW ? (size_t)w->piece->size : (size_t)WINDOW;
    bool is_whole = end - begin == w->piece->size;
    w->bytes = vv_allocate(a, room);
    if (!w->bytes)
        return vv_fail_memory(w->error, "a piece of a tensor");
    bool is_verified = atomic_load(&w->piece->is_verified);
    varve_status status = VARVE_OK;
    if (!is_verified && !is_whole)
        status = torch_pieces_verify(w);
    w->is_summed = !is_verified && is_whole;
    if (!status)
        status = torch_pieces_spread(w, begin, end, from, bytes);
    vv_release(a, w->bytes, room);
    return status;
}

/* Decodes a piece with another layout as a whole. */
static varve_status read_gathered(struct way *w, unsigned char *bytes)
{
    const varve_allocator *a = &w->file->zip.foreign->context->allocator;
    size_t size = (size_t)w->piece->size;
    w->bytes = vv_allocate(a, size);
    if (!w->bytes)
        return vv_fail_memory(w->error, "a piece of a tensor");
    w->end = size;
    varve_status status =
        vv_torch_gather(w->file, &w->piece->what, w->bytes, size, w->error);
    if (!status)
        status = torch_pieces_spread(w, 0, size, 0, bytes);
    vv_release(a, w->bytes, size);
    return status;
}

varve_status vv_torch_read_pieces(const struct vv_torch_file *file,
    uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
    varve_error *error)
{
    const struct vv_torch_pieced *t = vv_torch_pieced(file, number);
    memset(bytes, 0, size);
    for (uint32_t i = 0; i < t->count; i++) {
        struct way w = { .file = file, .piece = &t->pieces[i], .error = error };
        set_box(&w, &t->type);
        uint64_t begin = bytes_before(&w, at);
        uint64_t end = bytes_before(&w, at + size);
        if (begin == end)
            continue;
        VV_TRY(t->pieces[i].is_plain ? read_plain(&w, begin, end, at, bytes)
                                     : read_gathered(&w, bytes));
    }
    return VARVE_OK;
}

/* npy_decode.c - Decodes the data of an array: converts byte order, Fortran
 * order and strings.
 *
 * Strings are read twice: first their lengths, which determine the position of
 * each, then their bytes. In between, the memory of each length contains the
 * end of its element.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_decode.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "try.h"
#include "typed_memory.h"

enum { PIECE_SIZE = 4096 };

/* --- Order of elements ---------------------------------------------------- */

/* Iterates over the elements in the order of the data; `element` is the
 * row-major index of the current one. */
struct walk {
    const struct vv_npy_header *header;
    uint64_t position[VARVE_MAX_RANK];
    uint64_t steps[VARVE_MAX_RANK]; /* distance of consecutive positions in each
                                       dimension */
    uint64_t element;
};

static void walk_begin(struct walk *w, const struct vv_npy_header *h)
{
    uint64_t step = 1;
    *w = (struct walk){ .header = h };
    if (h->count == 0)
        return;
    for (uint32_t i = h->type.rank; i-- > 0;) {
        w->steps[i] = step;
        step *= h->type.shape[i];
    }
}

static void npy_decode_walk_on(struct walk *w)
{
    const varve_tensor *type = &w->header->type;
    if (!w->header->is_fortran) {
        w->element++;
        return;
    }
    for (uint32_t i = 0; i < type->rank; i++) {
        w->element += w->steps[i];
        if (++w->position[i] < type->shape[i])
            return;
        w->element -= w->steps[i] * type->shape[i];
        w->position[i] = 0;
    }
}

/* --- Numbers -------------------------------------------------------------- */

static void reverse(const struct vv_npy_header *h, void *bytes, uint64_t count)
{
    if (h->is_big_endian)
        vv_dtype_reverse_copy(h->type.dtype, bytes, bytes, count);
}

static void put_elements(
    struct walk *w, unsigned char *to, const unsigned char *from, size_t size)
{
    size_t item = (size_t)w->header->item_size;
    for (size_t at = 0; at < size; at += item, npy_decode_walk_on(w))
        memcpy(to + w->element * item, from + at, item);
}

static varve_status decode_turned(const struct vv_npy_header *h,
    const struct vv_npy_data *data, unsigned char *bytes, varve_error *error)
{
    unsigned char piece[PIECE_SIZE];
    struct walk walk;
    walk_begin(&walk, h);
    for (uint64_t left = h->size; left > 0;) {
        size_t size = left < PIECE_SIZE ? (size_t)left : PIECE_SIZE;
        VV_TRY(data->read(data->user, piece, size, error));
        reverse(h, piece, size / h->item_size);
        put_elements(&walk, bytes, piece, size);
        left -= size;
    }
    return VARVE_OK;
}

static varve_status npy_decode_numbers(const struct vv_npy_header *h,
    const struct vv_npy_data *data, unsigned char *bytes, varve_error *error)
{
    if (h->is_fortran && h->kind == VV_NPY_NUMBERS)
        return decode_turned(h, data, bytes, error);
    VV_TRY(data->read(data->user, bytes, (size_t)h->size, error));
    if (h->kind == VV_NPY_NUMBERS)
        reverse(h, bytes, h->count);
    return VARVE_OK;
}

/* --- Strings -------------------------------------------------------------- */

/* The state of the passes over the elements. */
struct strings {
    const struct vv_npy_header *header;
    const struct vv_npy_data *data;
    const char *where;
    varve_error *error;
    uint64_t total;         /* total size of the elements */
    unsigned char *lengths; /* NULL in the pass that only measures */
    unsigned char *bytes;   /* destination of the elements; NULL before the
                               second pass */

    unsigned char piece[PIECE_SIZE];
    size_t piece_at, piece_size;
    uint64_t left; /* bytes of the data not read yet */
};

/* Reads the next letter: a byte or a code point. */
static varve_status next_letter(struct strings *s, uint32_t *letter)
{
    const unsigned char *at;
    if (s->piece_at == s->piece_size) {
        s->piece_size = s->left < PIECE_SIZE ? (size_t)s->left : PIECE_SIZE;
        s->piece_at = 0;
        s->left -= s->piece_size;
        VV_TRY(s->data->read(s->data->user, s->piece, s->piece_size, s->error));
    }
    at = s->piece + s->piece_at;
    if (s->header->kind == VV_NPY_BYTES) {
        *letter = *at;
        s->piece_at++;
        return VARVE_OK;
    }
    *letter = vv_load32(at);
    if (s->header->is_big_endian)
        *letter = __builtin_bswap32(*letter);
    s->piece_at += 4;
    return VARVE_OK;
}

/* Encodes a letter. Returns the number of bytes, or 0 if it is not a Unicode
 * code point. */
static unsigned npy_decode_encode(
    const struct strings *s, uint32_t letter, unsigned char bytes[4])
{
    if (letter < 0x80 || s->header->kind == VV_NPY_BYTES) {
        bytes[0] = (unsigned char)letter;
        return 1;
    }
    if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000))
        return 0;
    unsigned size = letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
    for (unsigned i = size; i-- > 1; letter >>= 6)
        bytes[i] = (unsigned char)(0x80 | (letter & 63));
    bytes[0] = (unsigned char)(0xf00 >> size | letter);
    return size;
}

static varve_status npy_decode_fail_changed(const struct strings *s)
{
    return vv_fail(s->error, VARVE_CORRUPT,
        "%s: the data has changed since the file was opened", s->where);
}

/* Reads an element into the bytes from `begin` to `end`. In the measuring
 * passes both are 0 and nothing is stored. Sets *size to its length. */
static varve_status npy_decode_read_element(
    struct strings *s, uint64_t begin, uint64_t end, uint64_t *size)
{
    uint64_t letters = s->header->item_size;
    uint64_t length = 0; /* includes NULs that may be in the middle */
    uint64_t room = end - begin;
    if (s->header->kind == VV_NPY_TEXT)
        letters /= 4;
    *size = 0;
    for (uint64_t i = 0; i < letters; i++) {
        uint32_t letter = 0;
        unsigned char bytes[4] = { 0 };
        VV_TRY(next_letter(s, &letter));
        unsigned width = npy_decode_encode(s, letter, bytes);
        if (width == 0)
            return vv_fail(s->error, VARVE_CORRUPT,
                "%s: 0x%08" PRIx32 " is not a Unicode code point", s->where,
                letter);
        if (length < room && width <= room - length)
            memcpy(s->bytes + begin + length, bytes, width);
        else if (s->bytes && letter)
            return npy_decode_fail_changed(s);
        length += width;
        if (letter)
            *size = length;
    }
    return VARVE_OK;
}

static varve_status measure_elements(struct strings *s)
{
    struct walk walk;
    walk_begin(&walk, s->header);
    for (uint64_t i = 0; i < s->header->count; i++, npy_decode_walk_on(&walk)) {
        uint64_t size = 0;
        VV_TRY(npy_decode_read_element(s, 0, 0, &size));
        if (s->lengths)
            vv_store64(s->lengths + 8 * walk.element, size);
        s->total += size;
    }
    return VARVE_OK;
}

static varve_status fill_elements(struct strings *s)
{
    struct walk walk;
    walk_begin(&walk, s->header);
    for (uint64_t i = 0; i < s->header->count; i++, npy_decode_walk_on(&walk)) {
        const unsigned char *at = s->lengths + 8 * walk.element;
        uint64_t begin = walk.element ? vv_load64(at - 8) : 0;
        uint64_t end = vv_load64(at), size = 0;
        VV_TRY(npy_decode_read_element(s, begin, end, &size));
        if (size != end - begin)
            return npy_decode_fail_changed(s);
    }
    return VARVE_OK;
}

static varve_status npy_decode_pass(
    struct strings *s, varve_status (*over)(struct strings *s))
{
    s->piece_at = s->piece_size = 0;
    s->left = s->header->size;
    VV_TRY(s->data->begin(s->data->user, s->error));
    return s->data->end(s->data->user, over(s), s->error);
}

varve_status vv_npy_strings_size(const struct vv_npy_header *h,
    const struct vv_npy_data *data, const char *where, uint64_t *size,
    varve_error *error)
{
    struct strings s = {
        .header = h, .data = data, .where = where, .error = error
    };
    VV_TRY(npy_decode_pass(&s, measure_elements));
    if (__builtin_mul_overflow(h->count, (uint64_t)8, size) ||
        __builtin_add_overflow(*size, s.total, size))
        return vv_fail(error, VARVE_LIMIT,
            "%s: the total size of the strings does not fit in 64 bits", where);
    return VARVE_OK;
}

static void lengths_to_ends(unsigned char *lengths, uint64_t count)
{
    uint64_t end = 0;
    for (uint64_t i = 0; i < count; i++) {
        end += vv_load64(lengths + 8 * i);
        vv_store64(lengths + 8 * i, end);
    }
}

static void ends_to_lengths(unsigned char *lengths, uint64_t count)
{
    for (uint64_t i = count; i-- > 1;)
        vv_store64(lengths + 8 * i,
            vv_load64(lengths + 8 * i) - vv_load64(lengths + 8 * (i - 1)));
}

static varve_status npy_decode_strings(
    struct strings *s, unsigned char *bytes, size_t size)
{
    uint64_t count = s->header->count;
    if (size / 8 < count)
        return npy_decode_fail_changed(s);
    s->lengths = bytes;
    VV_TRY(npy_decode_pass(s, measure_elements));
    if (s->total != size - 8 * count)
        return npy_decode_fail_changed(s);
    lengths_to_ends(bytes, count);
    s->bytes = bytes + 8 * count;
    VV_TRY(npy_decode_pass(s, fill_elements));
    ends_to_lengths(bytes, count);
    return VARVE_OK;
}

/* --- Entry points --------------------------------------------------------- */

varve_status vv_npy_decode(const struct vv_npy_header *h,
    const struct vv_npy_data *data, const char *where, unsigned char *bytes,
    size_t size, varve_error *error)
{
    struct strings s = {
        .header = h, .data = data, .where = where, .error = error
    };
    if (h->kind == VV_NPY_BYTES || h->kind == VV_NPY_TEXT)
        return npy_decode_strings(&s, bytes, size);
    if (size != h->size)
        return npy_decode_fail_changed(&s);
    VV_TRY(data->begin(data->user, error));
    return data->end(
        data->user, npy_decode_numbers(h, data, bytes, error), error);
}

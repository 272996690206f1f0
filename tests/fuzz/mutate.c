/* mutate.c - Implements the mutations of a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

#include <varve/tensor.h>

#include "bytes.h"
#include "index.h"
#include "typed_memory.h"
#include "fuzz/fuzz.h"
#include "fuzz/generate.h"
#include "fuzz/pieces.h"
#include "fuzz/restore_flags.h"
#include "layout.h"
#include "support/proof.h"

struct mutation {
    uint64_t random;
    struct pieces pieces;
    mutate_bytes *plainly;
    size_t room;
};

static uint64_t plain_random;

static uint64_t below(struct mutation *m, uint64_t limit)
{
    return limit ? proof_next(&m->random) % limit : 0;
}

static bool one_in(struct mutation *m, uint64_t times)
{
    return below(m, times) == 0;
}

size_t mutate_plainly(uint8_t *bytes, size_t size, size_t room)
{
    uint64_t r = proof_next(&plain_random);
    size_t at = size ? (size_t)(r >> 8) % size : 0;
    size_t run = 1 + (size_t)(r >> 40) % 16;
    if (size == 0 && room > 0) {
        *bytes = (uint8_t)r;
        return 1;
    }
    if (size == 0)
        return 0;
    if (r % 8 == 0 && size + run <= room) {
        memmove(bytes + at + run, bytes + at, size - at);
        return size + run;
    }
    if (r % 8 == 1 && size > run && at + run <= size) {
        memmove(bytes + at, bytes + at + run, size - at - run);
        return size - run;
    }
    for (size_t i = at; i < size && i < at + run; i++)
        bytes[i] = (uint8_t)(r % 8 < 5 ? bytes[i] ^ 1u << (r >> 3) % 8
                                       : proof_next(&plain_random));
    return size;
}

/* --- Elements of columns -------------------------------------------------- */

static size_t width_of(const struct piece *piece)
{
    const struct vv_column *column = vv_column_find(piece->key);
    return column ? column->element : 1;
}

static uint64_t load(const uint8_t *at, size_t width)
{
    return width == 1 ? *at : width == 4 ? vv_load32(at) : vv_load64(at);
}

static void store(uint8_t *at, size_t width, uint64_t value)
{
    if (width == 1)
        *at = (uint8_t)value;
    else if (width == 4)
        vv_store32(at, (uint32_t)value);
    else
        vv_store64(at, value);
}

/* Returns a number at the boundary of a rule. */
static uint64_t odd_number(
    struct mutation *m, uint64_t old, const struct piece *piece)
{
    uint64_t count = piece->bytes.size / width_of(piece);
    switch (below(m, 16)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return UINT64_MAX;
    case 3: return UINT64_MAX - 1;
    case 4: return count;
    case 5: return count - 1;
    case 6: return count + 1;
    case 7: return INT64_MAX;
    case 8: return (uint64_t)1 << below(m, 64);
    case 9: return old + 1;
    case 10: return old - 1;
    case 11: return old ^ (uint64_t)1 << below(m, 64);
    case 12: return below(m, 20);
    case 13: return old * 2;
    default: return below(m, count + 1);
    }
}

static void change_element(struct mutation *m, struct piece *piece)
{
    size_t width = width_of(piece);
    size_t count = piece->bytes.size / width;
    if (count == 0)
        return;
    if (width == 16)
        width = 8;
    uint8_t *at = piece->bytes.data + width * below(m, count);
    store(at, width, odd_number(m, load(at, width), piece));
}

static void swap_elements(struct mutation *m, struct piece *piece)
{
    size_t width = width_of(piece);
    size_t count = piece->bytes.size / width;
    uint8_t spare[16];
    if (count < 2)
        return;
    uint8_t *a = piece->bytes.data + width * below(m, count);
    uint8_t *b = piece->bytes.data + width * below(m, count);
    memcpy(spare, a, width);
    memmove(a, b, width);
    memcpy(b, spare, width);
}

/* Inserts or removes one element at the same index of every column with the
 * same number of elements or, to make the file invalid, of this column only. */
static void grow_or_shrink(
    struct mutation *m, struct piece *piece, size_t at, bool grows)
{
    size_t width = width_of(piece);
    size_t count = piece->bytes.size / width;
    if (at >= count)
        return;
    if (grows) {
        vv_buffer_extend(&piece->bytes, width);
        uint8_t *from = piece->bytes.data + width * at;
        memmove(from + width, from, width * (count - at));
        if (one_in(m, 2))
            change_element(m, piece);
    } else {
        uint8_t *to = piece->bytes.data + width * at;
        memmove(to, to + width, width * (count - at - 1));
        piece->bytes.size = width * (count - 1);
    }
}

static void change_count(struct mutation *m, struct piece *piece)
{
    const struct vv_column *column = vv_column_find(piece->key);
    size_t at = below(m, piece->bytes.size / width_of(piece));
    bool grows = one_in(m, 2);
    if (!column || one_in(m, 6)) {
        grow_or_shrink(m, piece, at, grows);
        return;
    }
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        struct piece *other = pieces_find(&m->pieces, vv_columns[i].key);
        if (other && vv_columns[i].count == column->count)
            grow_or_shrink(m, other, at, grows);
    }
}

static void change_plainly(struct mutation *m, struct vv_buffer *buffer)
{
    size_t size = buffer->size;
    size_t room = size + 64;
    vv_buffer_extend(buffer, 64);
    buffer->size = m->plainly(buffer->data, size, room);
}

static struct piece *any_piece(struct mutation *m)
{
    return &m->pieces.items[below(m, m->pieces.count)];
}

static void bend_column(struct mutation *m)
{
    struct piece *piece = any_piece(m);
    if (!piece->is_column) {
        change_plainly(m, &piece->bytes);
        return;
    }
    switch (below(m, 8)) {
    case 0: swap_elements(m, piece); break;
    case 1: change_count(m, piece); break;
    case 2: change_plainly(m, &piece->bytes); break;
    default: change_element(m, piece); break;
    }
}

/* --- Entries of the index ------------------------------------------------- */

static void bend_index(struct mutation *m)
{
    struct pieces *p = &m->pieces;
    size_t at = below(m, p->count);
    struct piece *piece;
    switch (below(m, 7)) {
    case 0: pieces_remove(p, at); break;
    case 1:
        if ((piece = pieces_insert(p, at)) && at + 1 < p->count) {
            const struct piece *other = &p->items[at + 1];
            piece->key = other->key + below(m, 2);
            piece->tag = other->tag;
            piece->is_column = other->is_column;
            vv_buffer_add(&piece->bytes, other->bytes.data, other->bytes.size);
        }
        break;
    case 2: p->items[at].key = odd_number(m, p->items[at].key, &p->items[at]);
        break;
    case 3: p->items[at].tag = odd_number(m, p->items[at].tag, &p->items[at]);
        break;
    case 4: p->more_pairs = (int64_t)below(m, 5) - 2; break;
    case 5: /* an unknown key, optional or required */
        if ((piece = pieces_insert(p, p->count))) {
            piece->key = one_in(m, 4) ? 17 + below(m, 100) : 132 + below(m, 9);
            vv_buffer_add8(&piece->bytes, 0x83);
            vv_buffer_add(&piece->bytes, "\x01\xa1\x02\x03\xf5", 5);
            change_plainly(m, &piece->bytes);
        }
        break;
    default: p->items[at].is_column = !p->items[at].is_column; break;
    }
}

/* --- Values --------------------------------------------------------------- */

/* Changes the type and shape of a value, with the same number of bytes or
 * another one, or whether it is saved. */
static void bend_value(struct mutation *m)
{
    struct pieces *p = &m->pieces;
    struct piece *dtypes = pieces_find(p, VV_KEY_VALUE_DTYPES);
    struct piece *ranks = pieces_find(p, VV_KEY_VALUE_RANKS);
    struct piece *extents = pieces_find(p, VV_KEY_VALUE_EXTENTS);
    struct piece *sizes = pieces_find(p, VV_KEY_VALUE_SIZES);
    struct piece *offsets = pieces_find(p, VV_KEY_VALUE_OFFSETS);
    if (!dtypes || !ranks || !extents || !sizes || !offsets ||
        dtypes->bytes.size == 0)
        return;
    size_t i = below(m, dtypes->bytes.size);
    size_t first = 0;
    for (size_t k = 0; k < i && k < ranks->bytes.size; k++)
        first += ranks->bytes.data[k];
    if (i >= ranks->bytes.size || 8 * (i + 1) > sizes->bytes.size ||
        8 * (i + 1) > offsets->bytes.size ||
        8 * (first + ranks->bytes.data[i]) > extents->bytes.size)
        return;
    if (one_in(m, 8)) {
        uint8_t *offset = offsets->bytes.data + 8 * i;
        vv_store64(offset, vv_load64(offset) ? 0 : VV_HEADER_SIZE);
    }
    uint64_t count = 1;
    for (size_t k = 0; k < ranks->bytes.data[i]; k++) {
        uint8_t *extent = extents->bytes.data + 8 * (first + k);
        if (one_in(m, 3))
            vv_store64(extent, below(m, 9));
        count *= vv_load64(extent);
    }
    if (one_in(m, 2))
        dtypes->bytes.data[i] = (uint8_t)(1 + below(m, VARVE_STRING));
    size_t unit = vv_dtype_file_size((varve_dtype)dtypes->bytes.data[i]);
    bool is_saved = vv_load64(offsets->bytes.data + 8 * i) != 0;
    uint64_t size = count * (unit ? unit : 8) + (unit ? 0 : below(m, 20));
    vv_store64(sizes->bytes.data + 8 * i, is_saved && count ? size : 0);
}

static void bend_data(struct mutation *m)
{
    struct vv_buffer *data = &m->pieces.data;
    if (data->size <= VV_HEADER_SIZE)
        return;
    size_t at = VV_HEADER_SIZE + below(m, data->size - VV_HEADER_SIZE);
    if (one_in(m, 3)) {
        at -= at % 8;
        uint64_t value = vv_load64(data->data + at);
        vv_store64(data->data + at,
            one_in(m, 2) ? value + below(m, 5) - 2 : UINT64_MAX / 8 + at);
        return;
    }
    size_t run = 1 + below(m, 16);
    for (size_t i = at; i < data->size && i < at + run; i++)
        data->data[i] = (uint8_t)proof_next(&m->random);
}

static void bend_flags(struct mutation *m)
{
    struct vv_buffer *flags = &m->pieces.flags;
    uint8_t bytes[4] = { 0 };
    memcpy(bytes, flags->data ? flags->data : bytes,
        flags->data ? flags->size : 0);
    uint32_t value = vv_load32(bytes);
    for (uint64_t i = 1 + below(m, 3); i > 0; i--)
        value ^= (uint32_t)1 << below(m, RESTORE_FLAG_COUNT);
    vv_store32(bytes, value);
    flags->size = 0;
    vv_buffer_add(flags, bytes, sizeof bytes);
}

/* --- Whole inputs --------------------------------------------------------- */

static void bend(struct mutation *m)
{
    switch (below(m, 16)) {
    case 0: bend_index(m); break;
    case 1:
    case 2:
    case 3: bend_value(m); break;
    case 4: bend_data(m); break;
    case 5:
    case 6: bend_flags(m); break;
    case 7:
        if (m->pieces.data.size >= VV_HEADER_SIZE)
            m->pieces.data.data[below(m, VV_HEADER_SIZE)] ^=
                (uint8_t)(1u << below(m, 8));
        break;
    default: bend_column(m); break;
    }
}

static enum pieces_seal any_seal(struct mutation *m)
{
    uint64_t chance = below(m, 100);
    return chance < 3    ? SEAL_NOTHING
           : chance < 15 ? SEAL_ENDS
           : chance < 40 ? SEAL_VALUES
                         : SEAL_PLACES;
}

size_t mutate(uint8_t *bytes, size_t size, size_t room, uint64_t seed,
    mutate_bytes *plainly)
{
    struct mutation m = { .random = seed, .plainly = plainly, .room = room };
    plain_random = seed ^ UINT64_C(0x5bd1e995);
    uint64_t chance = below(&m, 100);
    if (chance < 4) {
        size_t made = generate(seed, bytes, room);
        if (made > 0)
            return made;
    }
    if (chance < 10 || !pieces_begin(&m.pieces, bytes, size))
        return plainly(bytes, size, room);
    if (m.pieces.count == 0) {
        pieces_clear(&m.pieces);
        return plainly(bytes, size, room);
    }
    for (uint64_t i = 1 + below(&m, 3); i > 0 && m.pieces.count > 1; i--)
        bend(&m);
    size_t made = pieces_end(&m.pieces, any_seal(&m), bytes, room);
    pieces_clear(&m.pieces);
    return made ? made : size;
}

size_t mutate_cross(const uint8_t *a, size_t a_size, const uint8_t *b,
    size_t b_size, uint8_t *bytes, size_t room, uint64_t seed)
{
    struct mutation m = { .random = seed };
    struct pieces other;
    if (!pieces_begin(&m.pieces, a, a_size))
        return 0;
    if (!pieces_begin(&other, b, b_size)) {
        pieces_clear(&m.pieces);
        return 0;
    }
    for (size_t i = 0; i < other.count; i++) {
        struct piece *piece = pieces_find(&m.pieces, other.items[i].key);
        if (!piece || !one_in(&m, 4))
            continue;
        piece->bytes.size = 0;
        vv_buffer_add(&piece->bytes, other.items[i].bytes.data,
            other.items[i].bytes.size);
    }
    size_t made = pieces_end(&m.pieces, any_seal(&m), bytes, room);
    pieces_clear(&other);
    pieces_clear(&m.pieces);
    return made;
}

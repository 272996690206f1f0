/* pieces.c - Takes a file apart with a small lenient decoder, and seals it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/pieces.h"

#include <string.h>

#include "bytes.h"
#include "checksum.h"
#include "default_allocator.h"
#include "index.h"
#include "index_out.h"
#include "typed_memory.h"
#include "fuzz/fuzz.h"
#include "layout.h"

static varve_allocator plain;

static void init_buffer(struct vv_buffer *buffer)
{
    plain = vv_allocator_or_default(NULL);
    vv_buffer_init(buffer, &plain);
}

/* --- Decoding ------------------------------------------------------------- */

struct cursor {
    const uint8_t *bytes;
    size_t size;
    size_t at;
};

/* Reads the major type and the number of the next item. Returns false at the
 * end. */
static bool read_head(struct cursor *c, unsigned *major, uint64_t *number)
{
    if (c->at >= c->size)
        return false;
    uint8_t first = c->bytes[c->at++];
    unsigned more = first & 31u;
    *major = first >> 5;
    *number = more;
    if (more < 24)
        return true;
    size_t width = (size_t)1 << (more - 24);
    if (more > 27 || width > c->size - c->at)
        return false;
    for (*number = 0; width > 0; width--)
        *number = *number << 8 | c->bytes[c->at++];
    return true;
}

static bool is_string(unsigned major)
{
    return major == 2 || major == 3;
}

static bool skip_item(struct cursor *c)
{
    for (uint64_t left = 1; left > 0; left--) {
        unsigned major;
        uint64_t number;
        if (left > c->size || !read_head(c, &major, &number))
            return false;
        bool has_items = major == 4 || major == 5;
        if ((has_items && number > c->size) ||
            (is_string(major) && number > c->size - c->at))
            return false;
        if (is_string(major))
            c->at += number;
        left += major == 4 ? number : major == 5 ? 2 * number : major == 6;
    }
    return true;
}

static bool read_piece(struct cursor *c, struct piece *piece)
{
    unsigned major;
    uint64_t number;
    *piece = (struct piece){ 0 };
    init_buffer(&piece->bytes);
    if (!read_head(c, &major, &piece->key))
        return false;
    size_t begin = c->at;
    struct cursor column = *c;
    if (!read_head(&column, &major, &number))
        return false;
    if (major == 6) {
        piece->tag = number;
        if (!read_head(&column, &major, &number))
            return false;
    }
    if (major == 2 && number <= column.size - column.at) {
        vv_buffer_add(&piece->bytes, column.bytes + column.at, (size_t)number);
        c->at = column.at + (size_t)number;
        piece->is_column = true;
        return true;
    }
    if (!skip_item(c))
        return false;
    vv_buffer_add(&piece->bytes, c->bytes + begin, c->at - begin);
    return true;
}

bool pieces_begin(struct pieces *p, const uint8_t *bytes, size_t size)
{
    size_t file_size = fuzz_file_size(bytes, size);
    unsigned major;
    uint64_t pairs;
    if (file_size < VV_HEADER_SIZE + VV_FOOTER_SIZE)
        return false;
    size_t end = file_size - VV_FOOTER_SIZE;
    uint64_t offset = vv_load64(bytes + end);
    if (offset < VV_HEADER_SIZE || offset >= end)
        return false;
    struct cursor c = { bytes, end, (size_t)offset };
    if (!read_head(&c, &major, &pairs) || major != 5)
        return false;
    memset(p, 0, sizeof *p);
    init_buffer(&p->data);
    init_buffer(&p->flags);
    vv_buffer_add(&p->data, bytes, (size_t)offset);
    vv_buffer_add(&p->flags, bytes + file_size, size - file_size);
    while (p->count < pairs && p->count < MOST_PIECES - 8 &&
           read_piece(&c, &p->items[p->count]))
        p->count++;
    return true;
}

void pieces_clear(struct pieces *p)
{
    for (size_t i = 0; i < MOST_PIECES; i++)
        if (p->items[i].bytes.allocator)
            vv_buffer_clear(&p->items[i].bytes);
    vv_buffer_clear(&p->data);
    vv_buffer_clear(&p->flags);
}

struct piece *pieces_find(struct pieces *p, uint64_t key)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].key == key && p->items[i].is_column)
            return &p->items[i];
    return NULL;
}

struct piece *pieces_insert(struct pieces *p, size_t at)
{
    if (p->count == MOST_PIECES)
        return NULL;
    struct vv_buffer spare = p->items[p->count].bytes;
    if (spare.allocator)
        vv_buffer_clear(&spare);
    memmove(&p->items[at + 1], &p->items[at],
        (p->count - at) * sizeof *p->items);
    p->count++;
    p->items[at] = (struct piece){ 0 };
    init_buffer(&p->items[at].bytes);
    return &p->items[at];
}

void pieces_remove(struct pieces *p, size_t at)
{
    vv_buffer_clear(&p->items[at].bytes);
    p->count--;
    memmove(&p->items[at], &p->items[at + 1],
        (p->count - at) * sizeof *p->items);
    p->items[p->count] = (struct piece){ 0 };
}

/* --- Values --------------------------------------------------------------- */

static uint64_t place_of(uint64_t offset, uint64_t size)
{
    if (size < VV_ALIGNMENT)
        return vv_align_up(offset, VV_SMALL_ALIGNMENT);
    return vv_align_up(
        offset, size >= VV_PAGED_SIZE ? VV_PAGE_ALIGNMENT : VV_ALIGNMENT);
}

static void pad_to(struct vv_buffer *data, uint64_t end)
{
    while (data->size < end)
        vv_buffer_add8(data, 0);
}

static void add_digests(
    struct vv_buffer *digests, const uint8_t *bytes, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += VV_CHUNK_SIZE) {
        uint64_t part = size - at < VV_CHUNK_SIZE ? size - at : VV_CHUNK_SIZE;
        struct vv_digest digest = vv_digest_of(bytes + at, (size_t)part);
        vv_buffer_add(digests, digest.bytes, sizeof digest.bytes);
    }
}

/* Iterates over the boxes of values in pieces. */
struct boxes {
    const uint8_t *numbers; /* of the remaining boxes */
    size_t left;            /* count of the remaining numbers */
    uint32_t row;           /* next value in pieces */
};

static uint64_t count_elements(
    const uint8_t *numbers, uint8_t rank)
{
    uint64_t count = 1;
    for (size_t k = 0; k < rank; k++)
        count *= vv_load64(numbers + 8 * (rank + k));
    return count;
}

/* Adds a digest for each piece, starting at its first byte. Pieces that do not
 * fit are omitted. */
static void add_piece_digests(struct pieces *p, struct boxes *b, size_t value,
    const uint8_t *bytes, uint64_t size)
{
    struct piece *ends = pieces_find(p, VV_KEY_PIECE_ENDS);
    struct piece *ranks = pieces_find(p, VV_KEY_VALUE_RANKS);
    struct piece *dtypes = pieces_find(p, VV_KEY_VALUE_DTYPES);
    if (!ends || !ranks || !dtypes || value >= ranks->bytes.size ||
        value >= dtypes->bytes.size || ends->bytes.size < 4 * (b->row + 1))
        return;
    uint8_t rank = ranks->bytes.data[value];
    if (rank == 0 || !b->numbers)
        return;
    size_t unit = vv_dtype_file_size((varve_dtype)dtypes->bytes.data[value]);
    uint32_t end = vv_load32(ends->bytes.data + 4 * b->row);
    uint32_t at = b->row ? vv_load32(ends->bytes.data + 4 * b->row - 4) : 0;
    for (; at < end && b->left >= 2u * rank; at++) {
        uint64_t part = count_elements(b->numbers, rank) * unit;
        b->numbers += 16 * (size_t)rank;
        b->left -= 2u * rank;
        if (part > size || part == 0)
            break;
        add_digests(&pieces_find(p, VV_KEY_DIGESTS)->bytes, bytes, part);
        bytes += part;
        size -= part;
    }
    b->row++;
}

static bool is_next(struct pieces *p, const struct boxes *b, size_t value)
{
    const struct piece *values = pieces_find(p, VV_KEY_PIECED_VALUES);
    return values && values->bytes.size >= 4 * ((size_t)b->row + 1) &&
        vv_load32(values->bytes.data + 4 * (size_t)b->row) == value;
}

static struct boxes boxes_of(struct pieces *p)
{
    const struct piece *boxes = pieces_find(p, VV_KEY_PIECE_BOXES);
    return (struct boxes){ .numbers = boxes ? boxes->bytes.data : NULL,
        .left = boxes ? boxes->bytes.size / 8 : 0 };
}

/* Moves a value. A value that was saved remains saved; missing bytes are
 * zeros. */
static void place_value(struct vv_buffer *data, const struct vv_buffer *old,
    uint8_t *offset, uint64_t size)
{
    uint64_t from = vv_load64(offset);
    uint64_t place = place_of(data->size, size);
    uint64_t have = from < old->size ? old->size - from : 0;
    pad_to(data, place);
    vv_store64(offset, place);
    vv_buffer_add(data, old->data + (have ? from : 0),
        (size_t)(have < size ? have : size));
    pad_to(data, place + size);
}

/* Computes the digests of all values in order, at new offsets if `anew`, else
 * at their current ones. */
static void seal_values(struct pieces *p, bool anew, size_t room)
{
    struct piece *offsets = pieces_find(p, VV_KEY_VALUE_OFFSETS);
    struct piece *sizes = pieces_find(p, VV_KEY_VALUE_SIZES);
    struct piece *digests = pieces_find(p, VV_KEY_DIGESTS);
    if (!offsets || !sizes || !digests)
        return;
    struct vv_buffer data;
    init_buffer(&data);
    vv_buffer_add(&data, p->data.data, VV_HEADER_SIZE);
    digests->bytes.size = 0;
    struct boxes boxes = boxes_of(p);
    size_t count = offsets->bytes.size / 8;
    for (size_t i = 0; i < count && i < sizes->bytes.size / 8; i++) {
        uint8_t *offset = offsets->bytes.data + 8 * i;
        uint64_t size = vv_load64(sizes->bytes.data + 8 * i);
        if (vv_load64(offset) == 0)
            continue;
        if (anew && size < room && data.size < room)
            place_value(&data, &p->data, offset, size);
        const struct vv_buffer *in = anew ? &data : &p->data;
        uint64_t at = vv_load64(offset);
        if (at > in->size || size > in->size - at)
            continue;
        if (is_next(p, &boxes, i))
            add_piece_digests(p, &boxes, i, in->data + at, size);
        else
            add_digests(&digests->bytes, in->data + at, size);
    }
    if (anew) {
        vv_buffer_clear(&p->data);
        p->data = data;
    } else {
        vv_buffer_clear(&data);
    }
}

/* --- Assembling ----------------------------------------------------------- */

static varve_status add_bytes(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    (void)error;
    vv_buffer_add(user, bytes, size);
    return VARVE_OK;
}

static void add_index(struct pieces *p, struct vv_buffer *file)
{
    struct vv_cbor_out out = { .sink = add_bytes, .user = file };
    vv_cbor_put_map(&out, (size_t)((int64_t)p->count + p->more_pairs));
    for (size_t i = 0; i < p->count; i++) {
        const struct piece *piece = &p->items[i];
        vv_cbor_put_unsigned(&out, piece->key);
        if (!piece->is_column) {
            vv_buffer_add(file, piece->bytes.data, piece->bytes.size);
            continue;
        }
        if (piece->tag)
            vv_cbor_put_tag(&out, piece->tag);
        vv_cbor_put_bytes(&out, piece->bytes.data, piece->bytes.size);
    }
}

static void seal_ends(uint8_t *file, size_t size, size_t index)
{
    uint8_t *footer = file + size - VV_FOOTER_SIZE;
    struct vv_digest digest =
        vv_digest_of(file + index, size - VV_FOOTER_SIZE - index);
    memcpy(file + 16, digest.bytes, 16);
    memcpy(footer + 16, digest.bytes, 16);
    memcpy(footer + 40, digest.bytes, 8);
    vv_store64(file + 56, vv_hash_of(file, 56));
    vv_store64(footer + 48, vv_hash_of(footer, 48));
}

size_t pieces_end(
    struct pieces *p, enum pieces_seal seal, uint8_t *bytes, size_t room)
{
    struct vv_buffer file;
    init_buffer(&file);
    if (seal >= SEAL_VALUES)
        seal_values(p, seal == SEAL_PLACES, room);
    vv_buffer_add(&file, p->data.data, p->data.size);
    pad_to(&file, vv_align_up(file.size, VV_ALIGNMENT));
    size_t index = file.size;
    add_index(p, &file);
    size_t end = file.size;
    vv_buffer_extend(&file, VV_FOOTER_SIZE);
    uint8_t *footer = file.data + end;
    memset(footer, 0, VV_FOOTER_SIZE);
    vv_store64(footer, index);
    vv_store64(footer + 8, end - index);
    vv_store64(footer + 32, file.size);
    memcpy(footer + 56, VV_FOOTER_MAGIC, 8);
    memcpy(footer + 16, file.data + 16, 16);
    memcpy(footer + 40, file.data + 16, 8);
    if (seal >= SEAL_ENDS)
        seal_ends(file.data, file.size, index);
    vv_buffer_add(&file, p->flags.data, p->flags.size);
    size_t size = file.size <= room ? file.size : 0;
    memcpy(bytes, file.data, size);
    vv_buffer_clear(&file);
    return size;
}

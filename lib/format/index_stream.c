/* index_stream.c - Finds the columns by the heads of items, then reads all
 * bytes once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_stream.h"

#include <string.h>

#include "allocator.h"
#include "checksum.h"
#include "file.h"
#include "index.h"
#include "layout.h"
#include "piece_table.h"

enum {
    WINDOW = 1 << 20, /* a multiple of the block size */
    /* largest size of the heads of a key, a tag and a string */
    MOST_HEADS = 32,
    NO_BYTES = 0x40, /* CBOR: an empty byte string */
    UNSIGNED = 0,    /* CBOR: major types */
    BYTES = 2,
    MAP = 5,
    TAG = 6,
};

/* A byte string of the index. */
struct string {
    uint64_t head; /* offset of its head */
    uint64_t begin;
    uint64_t size;
};

struct reading {
    const struct vv_index_stream *how;
    struct vv_index_broadcast *broadcast;
    struct string strings[VV_FAR_COLUMNS]; /* byte strings of columns, by key */
    /* state of the pass over all bytes */
    struct vv_digester *digester;
    uint8_t *window;
    unsigned char *rest; /* position of the next byte of the shortened index */
};

static bool index_stream_read_at(
    const struct reading *r, uint64_t at, void *bytes, size_t size)
{
    const struct vv_index_stream *how = r->how;
    return !vv_file_read(how->context, how->file, how->path, bytes, size,
        how->place.offset + at, NULL);
}

/* --- Positions of columns ------------------------------------------------- */

/* Heads of consecutive items. */
struct heads {
    uint8_t bytes[MOST_HEADS];
    size_t size;
    size_t at;
};

static bool read_heads(
    const struct reading *r, uint64_t at, struct heads *heads)
{
    uint64_t left = r->how->place.size - at;
    heads->size = left < MOST_HEADS ? (size_t)left : MOST_HEADS;
    heads->at = 0;
    return index_stream_read_at(r, at, heads->bytes, heads->size);
}

/* Reads a head of the given major type. Returns false for another type, and for
 * a head that is longer than necessary. */
static bool index_stream_take_head(
    struct heads *h, unsigned kind, uint64_t *number)
{
    if (h->at == h->size || h->bytes[h->at] >> 5 != kind)
        return false;
    unsigned detail = h->bytes[h->at++] & 31;
    size_t size = detail < 24 ? 0 : (size_t)1 << (detail - 24);
    if (detail > 27 || size > h->size - h->at)
        return false;
    *number = detail < 24 ? detail : 0;
    for (size_t i = 0; i < size; i++)
        *number = *number << 8 | h->bytes[h->at++];
    return size == 0   ? true
           : size == 1 ? *number >= 24
                       : *number >> (4 * size) != 0;
}

/* Finds the byte strings up to the last column that can remain in the file. */
static bool find_strings(struct reading *r)
{
    struct heads heads;
    uint64_t count, at, key, tag, lowest = 0, size = r->how->place.size;
    if (!read_heads(r, 0, &heads) ||
        !index_stream_take_head(&heads, MAP, &count))
        return false;
    at = heads.at;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_heads(r, at, &heads) ||
            !index_stream_take_head(&heads, UNSIGNED, &key) || key < lowest)
            return false;
        if (key >= VV_FAR_COLUMNS)
            break;
        struct string *s = &r->strings[key];
        if (heads.at < heads.size && heads.bytes[heads.at] >> 5 == TAG &&
            !index_stream_take_head(&heads, TAG, &tag))
            return false;
        s->head = at + heads.at;
        if (!index_stream_take_head(&heads, BYTES, &s->size))
            return false;
        s->begin = at + heads.at;
        if (s->size > size - s->begin || s->size % vv_columns[key].element != 0)
            return false;
        at = s->begin + s->size;
        lowest = key + 1;
    }
    return true;
}

/* --- Columns that remain in the file -------------------------------------- */

static void leave(
    struct reading *r, enum vv_index_key begin, enum vv_index_key end)
{
    for (size_t key = begin; key <= end; key++) {
        r->broadcast->sizes[2 * key] =
            r->strings[key].size > 0 ? r->strings[key].begin : 0;
        r->broadcast->sizes[2 * key + 1] = r->strings[key].size;
    }
}

/* Reads a whole column that is small compared with the boxes. */
static uint8_t *index_stream_read_column(
    const struct reading *r, enum vv_index_key key)
{
    const struct string *s = &r->strings[key];
    const varve_allocator *a = &r->how->context->allocator;
    uint8_t *bytes = vv_allocate_array(a, (size_t)s->size + 1, 1);
    if (bytes && !index_stream_read_at(r, s->begin, bytes, (size_t)s->size)) {
        vv_release(a, bytes, (size_t)s->size + 1);
        bytes = NULL;
    }
    return bytes;
}

static void free_column(
    const struct reading *r, enum vv_index_key key, const uint8_t *bytes)
{
    vv_release(&r->how->context->allocator, (void *)(uintptr_t)bytes,
        bytes ? (size_t)r->strings[key].size + 1 : 0);
}

/* Returns true if leaving the boxes in the file saves memory. Pieces need a
 * search structure in either case. */
static bool are_runs_less(const struct reading *r, const struct vv_index *index)
{
    uint64_t boxes = r->strings[VV_KEY_PIECE_BOXES].size;
    uint64_t pieces = vv_at32(index->piece_ends, index->pieced_count - 1);
    uint64_t here = boxes + pieces * sizeof(struct vv_piece_start) +
                    index->pieced_count * sizeof(uint64_t);
    uint64_t there =
        vv_piece_runs_words(&r->broadcast->counts) * sizeof(uint64_t);
    return here > there && here - there > r->how->most;
}

static void leave_boxes(struct reading *r)
{
    const struct string *s = r->strings;
    struct vv_index index = { .value_count =
                                  (uint32_t)s[VV_KEY_VALUE_RANKS].size,
        .pieced_count = (uint32_t)(s[VV_KEY_PIECED_VALUES].size / 4),
        .box_number_count = s[VV_KEY_PIECE_BOXES].size / 8 };
    if (s[VV_KEY_PIECE_BOXES].size <= r->how->most || index.pieced_count == 0 ||
        s[VV_KEY_VALUE_RANKS].size >= VV_NONE ||
        s[VV_KEY_PIECED_VALUES].size != s[VV_KEY_PIECE_ENDS].size ||
        s[VV_KEY_PIECED_VALUES].size / 4 >= VV_NONE)
        return;
    index.value_ranks = index_stream_read_column(r, VV_KEY_VALUE_RANKS);
    index.pieced_values = index_stream_read_column(r, VV_KEY_PIECED_VALUES);
    index.piece_ends = index_stream_read_column(r, VV_KEY_PIECE_ENDS);
    if (index.value_ranks && index.pieced_values && index.piece_ends &&
        vv_piece_runs_count(&r->broadcast->counts, &index)) {
        if (are_runs_less(r, &index))
            leave(r, VV_KEY_PIECE_BOXES, VV_KEY_PIECE_BOXES);
        else
            r->broadcast->counts = (struct vv_piece_runs){ 0 };
    }
    free_column(r, VV_KEY_VALUE_RANKS, index.value_ranks);
    free_column(r, VV_KEY_PIECED_VALUES, index.pieced_values);
    free_column(r, VV_KEY_PIECE_ENDS, index.piece_ends);
}

static bool index_stream_choose(struct reading *r)
{
    uint64_t places = 0, left_out = 0;
    for (size_t key = VV_KEY_PLACE_BEGINS; key <= VV_KEY_PLACE_PLANES; key++)
        places += r->strings[key].size;
    if (r->strings[VV_KEY_DIGESTS].size > r->how->most)
        leave(r, VV_KEY_DIGESTS, VV_KEY_DIGESTS);
    if (places > r->how->most)
        leave(r, VV_KEY_PLACE_BEGINS, VV_KEY_PLACE_PLANES);
    leave_boxes(r);
    for (size_t key = 0; key < VV_FAR_COLUMNS; key++) {
        const struct string *s = &r->strings[key];
        if (r->broadcast->sizes[2 * key + 1] > 0)
            /* an empty string has a head of 1 byte */
            left_out += s->begin + s->size - s->head - 1;
    }
    r->broadcast->size = r->how->place.size - left_out;
    return left_out > 0;
}

/* --- Pass over all bytes -------------------------------------------------- */

static bool take_rest(struct reading *r, uint64_t begin, uint64_t end)
{
    size_t size = (size_t)(end - begin);
    if (size == 0)
        return true;
    if (!index_stream_read_at(r, begin, r->rest, size))
        return false;
    vv_digester_add(r->digester, r->rest, size);
    r->rest += size;
    return true;
}

static void sum_window(struct reading *r, size_t key, uint64_t at, size_t size)
{
    struct vv_paged_columns *far = r->broadcast->far;
    for (size_t begin = 0; begin < size; begin += VV_FAR_BLOCK) {
        size_t left = size - begin,
               number = (size_t)(at + begin) / VV_FAR_BLOCK;
        far->columns[key].sums[number] = vv_hash_of(
            r->window + begin, left < VV_FAR_BLOCK ? left : VV_FAR_BLOCK);
        if (key == VV_KEY_PLACE_BEGINS)
            far->place_firsts[number] = vv_load64(r->window + begin);
    }
}

/* Replaces a column by an empty string in the shortened index, and computes its
 * checksums. */
static bool take_far(struct reading *r, size_t key)
{
    const struct string *s = &r->strings[key];
    size_t head = (size_t)(s->begin - s->head);
    if (!index_stream_read_at(r, s->head, r->window, head))
        return false;
    vv_digester_add(r->digester, r->window, head);
    *r->rest++ = NO_BYTES;
    for (uint64_t at = 0; at < s->size; at += WINDOW) {
        uint64_t left = s->size - at;
        size_t size = left < WINDOW ? (size_t)left : WINDOW;
        if (!index_stream_read_at(r, s->begin + at, r->window, size))
            return false;
        vv_digester_add(r->digester, r->window, size);
        sum_window(r, key, at, size);
    }
    return true;
}

static bool index_stream_pass(struct reading *r)
{
    uint64_t at = 0;
    r->rest = r->broadcast->bytes;
    for (size_t key = 0; key < VV_FAR_COLUMNS; key++) {
        const struct string *s = &r->strings[key];
        if (r->broadcast->sizes[2 * key + 1] == 0)
            continue;
        if (!take_rest(r, at, s->head) || !take_far(r, key))
            return false;
        at = s->begin + s->size;
    }
    if (!take_rest(r, at, r->how->place.size))
        return false;
    const struct vv_digest found = vv_digester_end(r->digester);
    return vv_digest_equal(&found, &r->how->place.digest);
}

bool vv_index_broadcast_read(
    struct vv_index_broadcast *broadcast, const struct vv_index_stream *how)
{
    const varve_allocator *a = &how->context->allocator;
    struct reading r = { .how = how, .broadcast = broadcast };
    *broadcast =
        (struct vv_index_broadcast){ .place = how->place, .is_read = true };
    if (!find_strings(&r) || !index_stream_choose(&r) ||
        broadcast->size > SIZE_MAX)
        return false;
    broadcast->word_count = vv_index_broadcast_words(broadcast);
    r.digester = vv_digester_new(a);
    r.window = vv_allocate_array(a, WINDOW, 1);
    bool good = r.digester && r.window &&
                !vv_index_broadcast_reserve(broadcast, how->context, NULL) &&
                index_stream_pass(&r);
    vv_release(a, r.window, r.window ? WINDOW : 0);
    if (r.digester)
        vv_digester_free(a, r.digester);
    if (!good)
        vv_index_broadcast_clear(broadcast);
    return good;
}

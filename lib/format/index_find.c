/* index_find.c - Searches for an index. It begins at a multiple of 64 with a
 * map whose first key is 0, the names, and whose second key is 1. The search
 * follows the heads of the items of each candidate to its end, and compares the
 * digest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_find.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "layout.h"
#include "try.h"

enum {
    BLOCK_SIZE = 1 << 20, /* a multiple of PIECE_SIZE */
    PIECE_SIZE = 4096, /* size of a single read where a block is unreadable */
    HEAD_SIZE = 9,     /* largest head of a CBOR item */
    MOST_SUMMED = 4, /* limit of hashed bytes, as a multiple of the file size */
    BYTES = 2,       /* major types of CBOR */
    TEXT = 3,
    ARRAY = 4,
    MAP = 5,
    TAG = 6,
};

struct search {
    const struct vv_context *context;
    int file;
    uint64_t size;
    const struct vv_digest *digest;
    unsigned char *block; /* buffer for the search */
    unsigned char *part;  /* buffer for digests */
    size_t block_size;    /* size of each of the two */
    uint64_t heads_left;
    uint64_t bytes_left;
};

static bool index_find_read_at(
    const struct search *s, uint64_t offset, void *bytes, size_t size)
{
    return offset <= s->size && size <= s->size - offset &&
           vv_file_read(s->context, s->file, "", bytes, size, offset, NULL) ==
               VARVE_OK;
}

/* --- Item heads ----------------------------------------------------------- */

struct head {
    unsigned major;
    uint64_t number;
    uint64_t end; /* offset of the bytes after the head */
};

static uint64_t big_endian(const unsigned char *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

static bool index_find_read_head(
    struct search *s, uint64_t offset, struct head *head)
{
    unsigned char bytes[HEAD_SIZE];
    uint64_t left = offset < s->size ? s->size - offset : 0;
    size_t size = left < HEAD_SIZE ? (size_t)left : HEAD_SIZE;
    if (size == 0 || s->heads_left == 0 ||
        !index_find_read_at(s, offset, bytes, size))
        return false;
    s->heads_left--;
    unsigned info = bytes[0] & 31;
    size_t more = info < 24 ? 0 : (size_t)1 << (info - 24);
    if (info > 27 || more + 1 > size)
        return false;
    head->major = bytes[0] >> 5;
    head->number = more ? big_endian(bytes + 1, more) : info;
    head->end = offset + 1 + more;
    return true;
}

/* Returns the number of items and of bytes in an item. */
static void index_find_look_into(
    const struct head *head, uint64_t *items, uint64_t *bytes)
{
    bool is_string = head->major == BYTES || head->major == TEXT;
    *bytes = is_string ? head->number : 0;
    *items = head->major == TAG ? 1 : head->major == ARRAY ? head->number : 0;
    if (head->major == MAP)
        *items = head->number > UINT64_MAX / 2 ? UINT64_MAX : 2 * head->number;
}

/* Returns the end of the item at an offset, or 0 if it has no end. */
static uint64_t index_find_end(struct search *s, uint64_t offset)
{
    struct head head;
    uint64_t items, bytes;
    for (uint64_t left = 1; left > 0; offset = head.end + bytes) {
        if (!index_find_read_head(s, offset, &head))
            return 0;
        index_find_look_into(&head, &items, &bytes);
        uint64_t rest = s->size - head.end;
        if (bytes > rest || items > rest || left - 1 > rest - items)
            return 0;
        left += items - 1;
    }
    return offset;
}

/* --- Candidates ----------------------------------------------------------- */

/* Returns true if a map starts here with key 0 and a byte string, followed by
 * key 1 and the tag of a column. */
static bool may_begin(
    struct search *s, const unsigned char *at, size_t size, uint64_t offset)
{
    unsigned char next[3];
    struct head map, names;
    if (size < 3 || at[0] >> 5 != MAP ||
        (at[1] != 0 && (at[0] != 0xb8 || at[2] != 0)))
        return false;
    return index_find_read_head(s, offset, &map) &&
           index_find_read_head(s, map.end + 1, &names) &&
           names.major == BYTES && names.number <= s->size - names.end &&
           index_find_read_at(s, names.end + names.number, next, sizeof next) &&
           memcmp(next, "\x01\xd8\x46", sizeof next) == 0;
}

static varve_status index_find_sum(struct search *s, uint64_t offset,
    uint64_t end, struct vv_digest *found, varve_error *error)
{
    const varve_allocator *a = &s->context->allocator;
    struct vv_digester *digester = vv_digester_new(a);
    if (!digester)
        return vv_fail_memory(error, "digest of the index");
    while (offset < end) {
        uint64_t left = end - offset;
        size_t size = left < s->block_size ? (size_t)left : s->block_size;
        if (!index_find_read_at(s, offset, s->part, size))
            break;
        vv_digester_add(digester, s->part, size);
        offset += size;
    }
    *found = vv_digester_end(digester);
    vv_digester_free(a, digester);
    return VARVE_OK;
}

static varve_status index_find_look_at(struct search *s, uint64_t offset,
    struct vv_index_place *place, varve_error *error)
{
    struct vv_digest found;
    uint64_t end = index_find_end(s, offset);
    if (end == 0 || end - offset > s->bytes_left)
        return VARVE_OK;
    s->bytes_left -= end - offset;
    VV_TRY(index_find_sum(s, offset, end, &found, error));
    if (vv_digest_equal(&found, s->digest)) {
        place->offset = offset;
        place->size = end - offset;
    }
    return VARVE_OK;
}

/* --- Search of a whole file ----------------------------------------------- */

/* Reads a block. If that fails, reads it in pieces, so that a bad sector does
 * not hide its surroundings. */
static void index_find_read_block(
    struct search *s, uint64_t offset, size_t size)
{
    if (index_find_read_at(s, offset, s->block, size))
        return;
    for (size_t at = 0; at < size; at += PIECE_SIZE) {
        size_t part = size - at < PIECE_SIZE ? size - at : PIECE_SIZE;
        if (!index_find_read_at(s, offset + at, s->block + at, part))
            memset(s->block + at, 0, part);
    }
}

static varve_status search(
    struct search *s, struct vv_index_place *place, varve_error *error)
{
    uint64_t begin = s->size;
    while (begin > 0 && place->size == 0) {
        uint64_t end = begin;
        begin = (end - 1) / BLOCK_SIZE * BLOCK_SIZE;
        size_t size = (size_t)(end - begin);
        index_find_read_block(s, begin, size);
        size_t at = (size - 1) / VV_ALIGNMENT * VV_ALIGNMENT + VV_ALIGNMENT;
        while (at > 0 && place->size == 0) {
            at -= VV_ALIGNMENT;
            if (may_begin(s, s->block + at, size - at, begin + at))
                VV_TRY(index_find_look_at(s, begin + at, place, error));
        }
    }
    return VARVE_OK;
}

varve_status vv_index_find(const struct vv_context *context, int file,
    uint64_t size, struct vv_index_place *place, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    struct search s = {
        .context = context,
        .file = file,
        .size = size,
        .digest = &place->digest,
        .block_size = size < BLOCK_SIZE ? (size_t)size : BLOCK_SIZE,
        .heads_left = size,
        .bytes_left =
            size < UINT64_MAX / MOST_SUMMED ? MOST_SUMMED * size : UINT64_MAX,
    };
    place->size = 0;
    if (size == 0)
        return VARVE_OK;
    s.block = vv_allocate(a, 2 * s.block_size);
    if (!s.block)
        return vv_fail_memory(error, "a buffer for reading");
    s.part = s.block + s.block_size;
    varve_status status = search(&s, place, error);
    vv_release(a, s.block, 2 * s.block_size);
    return status;
}

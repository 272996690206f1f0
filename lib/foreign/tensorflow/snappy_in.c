/* snappy_in.c - Decompresses raw Snappy data: a size, then literals and copies
 * of earlier output.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snappy_in.h"

#include <stdint.h>
#include <string.h>

#include "wire_in.h"

enum {
    MOST_SIZE_BYTES = 5, /* of the varint; the size has 32 bits */
    MOST_RATIO = 22,     /* a copy of 64 bytes takes at least 3 bytes */
    SHORT_LITERAL = 60,  /* a tag holds the size of shorter literals */
};

/* The two lowest bits of a tag. */
enum { LITERAL = 0, COPY_NEAR = 1, KIND_MASK = 3 };

struct unpacking {
    const unsigned char *at;
    const unsigned char *end;
    unsigned char *plain;
    size_t size;
    size_t done;
};

/* Takes a little-endian number of `count` bytes. */
static bool snappy_take_number(
    struct unpacking *u, size_t count, uint64_t *number)
{
    if (count > (size_t)(u->end - u->at))
        return false;
    *number = 0;
    for (size_t i = 0; i < count; i++)
        *number |= (uint64_t)u->at[i] << 8 * i;
    u->at += count;
    return true;
}

static bool unpack_literal(struct unpacking *u, unsigned tag)
{
    uint64_t size = tag >> 2;
    if (size >= SHORT_LITERAL &&
        !snappy_take_number(u, (size_t)size - SHORT_LITERAL + 1, &size))
        return false;
    size++;
    if (size > (size_t)(u->end - u->at) || size > u->size - u->done)
        return false;
    memcpy(u->plain + u->done, u->at, (size_t)size);
    u->at += size;
    u->done += (size_t)size;
    return true;
}

static bool unpack_copy(struct unpacking *u, unsigned tag)
{
    static const unsigned char offset_sizes[] = { 0, 1, 2, 4 };
    unsigned kind = tag & KIND_MASK;
    uint64_t offset;
    size_t size = (tag >> 2) + 1;
    if (!snappy_take_number(u, offset_sizes[kind], &offset))
        return false;
    if (kind == COPY_NEAR) {
        offset |= (uint64_t)(tag >> 5) << 8;
        size = (tag >> 2 & 7) + 4;
    }
    if (offset == 0 || offset > u->done || size > u->size - u->done)
        return false;
    /* Byte by byte: a copy can contain its own output. */
    unsigned char *to = u->plain + u->done;
    const unsigned char *from = to - offset;
    for (size_t i = 0; i < size; i++)
        to[i] = from[i];
    u->done += size;
    return true;
}

static const unsigned char *snappy_take_size(
    const unsigned char *packed, size_t packed_size, uint64_t *size)
{
    size_t most = packed_size < MOST_SIZE_BYTES ? packed_size : MOST_SIZE_BYTES;
    const unsigned char *at = vv_take_varint(packed, packed + most, size);
    return at && *size <= UINT32_MAX ? at : NULL;
}

bool vv_snappy_size(
    const unsigned char *packed, size_t packed_size, size_t *size)
{
    uint64_t found;
    if (!snappy_take_size(packed, packed_size, &found) ||
        found / MOST_RATIO > packed_size)
        return false;
    *size = (size_t)found;
    return true;
}

bool vv_snappy_unpack(const unsigned char *packed, size_t packed_size,
    unsigned char *plain, size_t size)
{
    uint64_t declared;
    struct unpacking u = {
        .at = snappy_take_size(packed, packed_size, &declared),
        .end = packed + packed_size,
        .plain = plain,
        .size = size,
    };
    if (!u.at || declared != size)
        return false;
    while (u.at < u.end) {
        unsigned tag = *u.at++;
        if ((tag & KIND_MASK) == LITERAL ? !unpack_literal(&u, tag)
                                         : !unpack_copy(&u, tag))
            return false;
    }
    return u.done == size;
}

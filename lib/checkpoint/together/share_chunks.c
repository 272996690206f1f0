/* share_chunks.c - Divides the parts of a share into chunks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "share_chunks.h"

#include "layout.h"
#include "pack.h"

struct vv_share_walk vv_share_begin(const struct vv_share *share)
{
    size_t count;
    const struct vv_part *parts = vv_parts(share, &count);
    return (struct vv_share_walk){ .part = parts,
        .end = count ? parts + count : parts };
}

/* Sets `digests` to the digests of the value of the current part. */
static void find_digests(struct vv_share_walk *c)
{
    const struct vv_index_columns *columns = &c->part->save_plan->columns.index;
    if (c->save_plan != c->part->save_plan) {
        c->save_plan = c->part->save_plan;
        c->value = 0;
        c->digests = columns->digests.data;
    }
    for (; c->value < c->part->value; c->value++)
        c->digests +=
            vv_chunk_count(vv_at64(columns->value_sizes.data, c->value)) *
            VV_DIGEST_SIZE;
}

static unsigned share_chunks_planes_of(const struct vv_part *part)
{
    const uint8_t *types = part->save_plan->columns.index.value_dtypes.data;
    return vv_pack_planes((varve_dtype)types[part->value]);
}

bool vv_share_next(struct vv_share_walk *c, struct vv_share_chunk *chunk)
{
    while (c->part != c->end && c->at >= c->part->size) {
        c->part++;
        c->at = 0;
    }
    if (c->part == c->end)
        return false;
    find_digests(c);
    const struct vv_part *part = c->part;
    uint64_t left = part->size - c->at;
    uint64_t number = (part->begin + c->at) / VV_CHUNK_SIZE;
    *chunk = (struct vv_share_chunk){ .part = part,
        .begin = c->at,
        .offset = part->offset + c->at,
        .size = (uint32_t)(left < VV_CHUNK_SIZE ? left : VV_CHUNK_SIZE),
        .planes = share_chunks_planes_of(part),
        .digest = c->digests + number * VV_DIGEST_SIZE };
    c->at += chunk->size;
    return true;
}

void vv_share_chunks_encode(
    struct vv_buffer *bytes, const struct vv_share *share)
{
    struct vv_share_chunk chunk;
    struct vv_share_walk walk = vv_share_begin(share);
    while (vv_share_next(&walk, &chunk)) {
        vv_buffer_add64(bytes, chunk.offset);
        vv_buffer_add32(bytes, chunk.size);
        vv_buffer_add32(bytes, chunk.planes);
        vv_buffer_add(bytes, chunk.digest, VV_DIGEST_SIZE);
    }
}

struct vv_share_chunk vv_share_chunk_of_message(
    const uint8_t *message, size_t number)
{
    const uint8_t *at = message + number * VV_CHUNK_MESSAGE_SIZE;
    return (struct vv_share_chunk){ .offset = vv_load64(at),
        .size = vv_load32(at + 8),
        .planes = vv_load32(at + 12),
        .digest = at + 16 };
}

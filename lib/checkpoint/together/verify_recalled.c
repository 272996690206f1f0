/* verify_recalled.c - Verifies the reused digests of chunks that must be
 * written because no layer has them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify_recalled.h"

#include "layout.h"
#include "merge_chunks.h"
#include "recall.h"
#include "share_chunks.h"
#include "try.h"

static struct vv_known_chunk recalled_of(const struct vv_share_chunk *c)
{
    const uint8_t *digests = c->part->save_plan->columns.index.digests.data;
    return (struct vv_known_chunk){ .value = c->part->value,
        .chunk = (c->part->begin + c->begin) / VV_CHUNK_SIZE,
        .number = (uint64_t)(c->digest - digests) / VV_DIGEST_SIZE };
}

static varve_status verify_recalled_chunk(const struct vv_share_chunk *c,
    const struct vv_known_chunk *recalled, struct vv_buffer *scratch,
    varve_error *error)
{
    struct vv_source source;
    const unsigned char *bytes;
    const struct vv_part *part = c->part;
    VV_TRY(vv_save_plan_source(
        part->save_plan, part->value, scratch, &source, error));
    VV_TRY(vv_source_piece(
        &source, part->begin + c->begin, c->size, &bytes, error));
    return vv_recall_check(part->save_plan, recalled, bytes, c->size, error);
}

varve_status vv_verify_recalled(
    const struct vv_share *share, const uint8_t *bits, varve_error *error)
{
    struct vv_buffer scratch;
    struct vv_share_chunk chunk;
    struct vv_share_walk walk = vv_share_begin(share);
    varve_status status = VARVE_OK;
    vv_buffer_init(&scratch, share->parts.allocator);
    for (size_t i = 0; !status && vv_share_next(&walk, &chunk); i++) {
        const struct vv_known_chunk recalled = recalled_of(&chunk);
        if (vv_is_ordered(bits, i) &&
            vv_is_recalled(chunk.part->save_plan, &recalled))
            status = verify_recalled_chunk(&chunk, &recalled, &scratch, error);
    }
    vv_buffer_clear(&scratch);
    return status;
}

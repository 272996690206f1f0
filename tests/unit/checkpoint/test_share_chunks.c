/* test_share_chunks.c - Tests the chunks of a rank's part.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

#include "save_plan_digests.h"
#include "share.h"

enum { RANKS = 3, LARGE = 700000 };

static double large[LARGE];
static float slice[LARGE];

static varve_node *new_values(uint32_t rank)
{
    varve_node *root = new_root();
    uint64_t start = LARGE * rank / RANKS;
    uint64_t count = LARGE * (rank + 1) / RANKS - start;
    for (int i = 0; i < LARGE; i++) {
        large[i] = i;
        slice[i] = (float)i;
    }
    varve_add_variable(root, "large", varve_array(large, LARGE));
    varve_add_slice(root, "slice", varve_array(slice + start, count),
        VARVE_SHAPE(LARGE), &start);
    varve_add_variable(root, "small", varve_array(large, 5));
    varve_add_variable(root, "none", varve_array(large, 0));
    return root;
}

/* Checks the digest of a chunk. */
static void check_chunk(const struct vv_share_chunk *c)
{
    varve_error error = { 0 };
    struct vv_source source;
    struct vv_buffer scratch;
    const unsigned char *bytes;
    vv_buffer_init(&scratch, &c->part->save_plan->context.allocator);
    cr_assert_ok(vv_save_plan_source(c->part->save_plan, c->part->value,
                     &scratch, &source, &error),
        error);
    cr_assert_ok(vv_source_piece(&source, c->part->begin + c->begin, c->size,
                     &bytes, &error),
        error);
    struct vv_digest digest = vv_digest_of(bytes, c->size);
    cr_assert_eq(memcmp(digest.bytes, c->digest, sizeof digest.bytes), 0);
    vv_buffer_clear(&scratch);
}

static uint64_t check_share(const struct vv_share *share)
{
    struct vv_buffer messages;
    struct vv_share_chunk chunk;
    struct vv_share_walk walk = vv_share_begin(share);
    uint64_t bytes = 0, behind = 0;
    size_t count = 0;
    vv_buffer_init(&messages, share->parts.allocator);
    vv_share_chunks_encode(&messages, share);
    for (; vv_share_next(&walk, &chunk); count++) {
        struct vv_share_chunk other =
            vv_share_chunk_of_message(messages.data, count);
        cr_assert_geq(chunk.offset, behind);
        cr_assert_leq(chunk.size, VV_CHUNK_SIZE);
        cr_assert_eq(chunk.planes, chunk.part->value == 2 ? 4 : 8);
        check_chunk(&chunk);
        cr_assert_eq(other.offset, chunk.offset);
        cr_assert_eq(other.size, chunk.size);
        cr_assert_eq(other.planes, chunk.planes);
        cr_assert_eq(memcmp(other.digest, chunk.digest, VV_DIGEST_SIZE), 0);
        behind = chunk.offset + chunk.size;
        bytes += chunk.size;
    }
    cr_assert_eq(messages.size, count * VV_CHUNK_MESSAGE_SIZE);
    vv_buffer_clear(&messages);
    return bytes;
}

TEST(share_chunks, contain_all_bytes_of_all_ranks_once)
{
    varve_error error = { 0 };
    uint64_t bytes = 0;
    begin_world();
    for (uint32_t i = 0; i < RANKS; i++) {
        struct vv_save_plan save_plan;
        struct vv_share share;
        const varve_comm comm = { .rank = i, .size = RANKS };
        varve_node *root = new_values(i);
        cr_assert_ok(
            vv_save_plan_gather_of(
                &save_plan, root, VV_OF_SEVERAL, NULL, &error), error);
        cr_assert_ok(vv_save_plan_digest(&save_plan, NULL, &error), error);
        cr_assert_ok(
            vv_share_make(&share, &save_plan, NULL, &comm, &error), error);
        bytes += check_share(&share);
        vv_share_clear(&share);
        vv_save_plan_clear(&save_plan);
        free_root(root);
    }
    cr_assert_eq(bytes, 8 * (LARGE + 5) + 4 * LARGE);
    end_world();
}

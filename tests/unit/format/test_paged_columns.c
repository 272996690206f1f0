/* test_paged_columns.c - Tests columns that are read from the file in blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <string.h>

#include "paged_columns.h"
#include "layout.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "system.h"

enum { OFFSET = 100, DIGESTS = 5 * VV_FAR_BLOCK + 32, BOXES = 48 * 100 };

static unsigned char bytes[OFFSET + DIGESTS + BOXES];

/* Two consecutive columns of a file. */
static struct {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
    struct vv_paged_columns *far;
    struct vv_index index;
} world;

static void set_column(uint64_t key, uint64_t offset, uint64_t size)
{
    world.far->columns[key].offset = offset;
    world.far->columns[key].size = size;
}

static void begin(void)
{
    uint64_t random = proof_seed();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)proof_next(&random);
    world.memory = memory_new();
    memory_put(world.memory, "file", bytes, sizeof bytes);
    world.faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(world.faulty));
    const struct vv_system *system = world.context.system;
    world.far = vv_paged_columns_new(&world.context, 100);
    cr_assert_not_null(world.far);
    set_column(VV_KEY_DIGESTS, OFFSET, DIGESTS);
    set_column(VV_KEY_PIECE_BOXES, OFFSET + DIGESTS, BOXES);
    cr_assert_eq(vv_paged_words(world.far), 6 + 2);
    vv_paged_columns_point(world.far);
    for (size_t key = 0; key < VV_FAR_COLUMNS; key++) {
        struct vv_paged_column *column = &world.far->columns[key];
        for (size_t at = 0; at < column->size; at += VV_FAR_BLOCK) {
            size_t left = (size_t)column->size - at;
            column->sums[at / VV_FAR_BLOCK] =
                vv_hash_of(bytes + column->offset + at,
                    left < VV_FAR_BLOCK ? left : VV_FAR_BLOCK);
        }
    }
    world.far->path = "file";
    world.far->file =
        system->open_file(system->state, VV_WORKING_DIRECTORY, "file");
    world.index = (struct vv_index){ .far = world.far };
}

static void end(void)
{
    const struct vv_system *system = world.context.system;
    system->close(system->state, world.far->file);
    vv_paged_columns_free(world.far);
    faulty_free(world.faulty);
    memory_free(world.memory);
}

static void damage(size_t at)
{
    size_t size;
    memory_bytes(world.memory, "file", &size)[at] ^= 1;
}

TEST(paged_columns, reads_the_content_of_a_column)
{
    uint64_t random = 1;
    varve_error error = { 0 };
    begin();
    for (int i = 0; i < 2000; i++) {
        bool is_digest = proof_next(&random) % 2;
        uint64_t column = is_digest ? DIGESTS : BOXES;
        uint64_t at = proof_next(&random) % column;
        size_t size = (size_t)(proof_next(&random) % (column - at + 1));
        unsigned char found[DIGESTS];
        cr_assert_ok(
            vv_paged_read(world.far,
                is_digest ? VV_KEY_DIGESTS : VV_KEY_PIECE_BOXES, at, found,
                size, &error),
            error);
        const unsigned char *there =
            bytes + OFFSET + (is_digest ? 0 : DIGESTS) + at;
        cr_assert(memcmp(found, there, size) == 0);
    }
    cr_assert(vv_is_in_file(&world.index, VV_KEY_DIGESTS));
    cr_assert_not(vv_is_in_file(&world.index, VV_KEY_PLACE_BEGINS));
    end();
}

TEST(paged_columns, caches_the_blocks_that_it_read)
{
    struct vv_digest digest;
    varve_error error = { 0 };
    begin();
    for (uint64_t i = 0; i < DIGESTS / VV_DIGEST_SIZE; i++)
        cr_assert_ok(vv_paged_digest(world.far, i, &digest, &error), error);
    cr_assert_eq(faulty_log_read(world.faulty), DIGESTS);
    end();
}

TEST(paged_columns, refuses_bytes_with_another_digest)
{
    struct vv_digest digest, all;
    varve_error error = { 0 };
    begin();
    damage(OFFSET + 2 * VV_FAR_BLOCK);
    uint64_t number = 2 * VV_FAR_BLOCK / VV_DIGEST_SIZE;
    cr_assert_eq(vv_paged_digest(world.far, number + 1, &digest, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "file: index: bytes 8292 to 12388"), "%s",
        error.message);
    cr_assert_ok(
        vv_paged_digest(world.far, number - 1, &digest, &error), error);
    all = vv_paged_digest_of(world.far, 0, number + 1);
    cr_assert(memcmp(all.bytes, (char[16]){ 0 }, 16) == 0);
    all = vv_paged_digest_of(world.far, 0, number);
    digest = vv_digest_of(bytes + OFFSET, 2 * VV_FAR_BLOCK);
    cr_assert(vv_digest_equal(&all, &digest));
    damage(OFFSET + 2 * VV_FAR_BLOCK);
    cr_assert_ok(vv_paged_digest(world.far, number, &digest, &error), error);
    end();
}

TEST(paged_columns, records_a_failure_when_it_returned_zeros)
{
    unsigned char found[48] = { 1 };
    varve_error error = { 0 };
    begin();
    vv_paged_get(&world.index, VV_KEY_PIECE_BOXES, 0, found, sizeof found);
    cr_assert(memcmp(found, bytes + OFFSET + DIGESTS, sizeof found) == 0);
    cr_assert_ok(vv_index_failure(&world.index, &error), error);
    faulty_plan(world.faulty, &(struct faulty_plan){ .error = EIO });
    vv_paged_get(&world.index, VV_KEY_PIECE_BOXES, VV_FAR_BLOCK - 8, found,
        sizeof found);
    faulty_plan(world.faulty, NULL);
    for (size_t i = 0; i < sizeof found; i++)
        cr_assert_eq(found[i], 0);
    cr_assert(vv_index_has_failed(&world.index));
    cr_assert_eq(vv_index_failure(&world.index, &error), VARVE_IO);
    vv_paged_get(&world.index, VV_KEY_PIECE_BOXES, 0, found, sizeof found);
    cr_assert_eq(vv_index_failure(&world.index, &error), VARVE_IO);
    cr_assert_ok(vv_index_failure(&(struct vv_index){ 0 }, &error), error);
    end();
}

TEST(paged_columns, leaks_nothing_without_memory)
{
    struct vv_context context = test_context(&vv_posix_system);
    struct vv_paged_columns *far = NULL;
    for (long number = 0; !far; number++) {
        long blocks = test_block_count();
        test_fail_allocation(number, false);
        far = vv_paged_columns_new(&context, 10);
        test_fail_allocation(-1, false);
        cr_assert(far || test_block_count() == blocks);
        cr_assert_lt(number, 10);
    }
    vv_paged_columns_free(far);
}

/* test_repack.c - lib/checkpoint/save/repack.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include "repack.h"
#include "support/cut_pieces.h"

/* A checkpoint with three layers, "run/m-3.varve". */
static void make(void)
{
    begin_layered();
    for (int i = 0; i < 3; i++) {
        layered.large[i * 200000 + 7] += 1;
        layered.middle[i] += 1;
        layered.small[i * 99] += 1;
        saved_layered();
    }
}

static bool is_same_file(const char *one, const char *other)
{
    size_t size, other_size;
    const void *bytes = memory_bytes(world.memory, one, &size);
    const void *others = memory_bytes(world.memory, other, &other_size);
    return size == other_size && memcmp(bytes, others, size) == 0;
}

TEST(repack, gives_byte_for_byte_what_a_full_save_gives)
{
    varve_error error = { 0 };
    const varve_write_options full = { .keep_counter = true };
    make();
    cr_assert_ok(
        varve_write(layered.root, "full.varve", &full, &error), error);
    cr_assert_ok(vv_repack(&world.context, "run/m", "elsewhere/a.varve", NULL,
                     &error),
        error);
    cr_assert(is_same_file("full.varve", "elsewhere/a.varve"));
    cr_assert_ok(vv_repack(
                     &world.context, "run/m-3.varve", NULL, NULL, &error),
        error);
    cr_assert(is_same_file("full.varve", "run/m-3.varve"));
    check_layered("run/m-3.varve");
    end_layered();
}

TEST(repack, keeps_values_in_their_pieces)
{
    static const varve_box boxes[] = {
        { .start = { 0 }, .extents = { 1000 } },
        { .start = { 1000 }, .extents = { LARGE - 1000 } },
    };
    varve_error error = { 0 };
    begin_layered();
    cr_assert_ok(
        varve_write(layered.root, "a.varve", NULL, &error), error);
    cr_assert_ok(cut_into_pieces(
                     &world.context, "a.varve", "large", boxes, 2, &error),
        error);
    cr_assert_ok(
        vv_repack(&world.context, "a.varve", "b.varve", NULL, &error), error);
    cr_assert(is_same_file("a.varve", "b.varve"));
    end_layered();
}

TEST(repack, refuses_what_does_not_verify_and_changes_nothing)
{
    varve_error error = { 0 };
    size_t size;
    make();
    size_t files = memory_file_count(world.memory);
    for (size_t i = 0; i < files; i++) {
        const char *path = memory_file_path(world.memory, i);
        uint8_t *bytes = memory_bytes(world.memory, path, &size);
        if (strncmp(path, "run/layers/", 11) == 0 && size > 1000000)
            bytes[size / 2] ^= 1;
    }
    cr_assert_eq(
        vv_repack(&world.context, "run/m-3.varve", NULL, NULL, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, ": expected XXH3-128 "), "%s",
        error.message);
    cr_assert_eq(memory_file_count(world.memory), files);
    end_layered();
}

TEST(repack, leaves_nothing_when_memory_ends)
{
    varve_status status = VARVE_NO_MEMORY;
    make();
    size_t files = memory_file_count(world.memory);
    long blocks = test_block_count();
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_repack(&world.context, "run/m", "a.varve", NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(
            memory_file_count(world.memory), files + (status ? 0 : 1));
        cr_assert_eq(test_block_count(), blocks);
    }
    end_layered();
}

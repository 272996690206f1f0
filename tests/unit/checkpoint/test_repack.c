/* test_repack.c - Tests repacking of incremental checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include "repack.h"
#include "support/cut_pieces.h"

/* Creates a checkpoint with three data files, "run/m-3.varve". */
static void make(void)
{
    begin_incremental();
    for (int i = 0; i < 3; i++) {
        incremental.large[i * 200000 + 7] += 1;
        incremental.middle[i] += 1;
        incremental.small[i * 99] += 1;
        saved_incremental();
    }
}

static bool is_same_file(const char *one, const char *other)
{
    size_t size, other_size;
    const void *bytes = memory_bytes(world.memory, one, &size);
    const void *others = memory_bytes(world.memory, other, &other_size);
    return size == other_size && memcmp(bytes, others, size) == 0;
}

TEST(repack, writes_the_same_bytes_as_a_full_save)
{
    varve_error error = { 0 };
    const varve_write_options full = { .keep_counter = true };
    make();
    cr_assert_ok(
        varve_write(incremental.root, "full.varve", &full, &error), error);
    cr_assert_ok(vv_repack(&world.context, "run/m", "elsewhere/a.varve", NULL,
                     &error),
        error);
    cr_assert(is_same_file("full.varve", "elsewhere/a.varve"));
    cr_assert_ok(vv_repack(
                     &world.context, "run/m-3.varve", NULL, NULL, &error),
        error);
    cr_assert(is_same_file("full.varve", "run/m-3.varve"));
    check_incremental("run/m-3.varve");
    end_incremental();
}

enum { MIB = 1 << 20 };

/* Checks a value that is split into `count` parts along a dimension. */
static void check_put_together(varve_shape shape, uint32_t cut, uint32_t count)
{
    varve_error error = { 0 };
    varve_box boxes[4] = { { .start = { 0 } } };
    begin_world();
    varve_node *root = new_root();
    varve_node *node = varve_add_allocated_variable(
        root, "v", VARVE_UINT8, shape, NULL, NULL);
    unsigned char *bytes = varve_data(node);
    for (uint64_t i = 0; i < varve_tensor_size(varve_value(node)); i += 13)
        bytes[i] = (unsigned char)(i * 2654435761u >> 24);
    cr_assert_ok(varve_write(root, "full.varve", NULL, &error), error);
    cr_assert_ok(varve_write(root, "a.varve", NULL, &error), error);
    free_root(root);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(boxes[i].extents, shape.extents, sizeof shape.extents);
        boxes[i].start[cut] = i * (shape.extents[cut] / count);
        boxes[i].extents[cut] = i + 1 < count
                                    ? shape.extents[cut] / count
                                    : shape.extents[cut] - boxes[i].start[cut];
    }
    cr_assert_ok(cut_into_pieces(
                     &world.context, "a.varve", "v", boxes, count, &error),
        error);
    cr_assert_not(is_same_file("a.varve", "full.varve"));
    cr_assert_ok(
        vv_repack(&world.context, "a.varve", "b.varve", NULL, &error), error);
    cr_assert(is_same_file("b.varve", "full.varve"));
    end_world();
}

/* By rows and by columns, such that a few rows, a part of a row, or steps of a
 * middle dimension fit into memory at once. */
TEST(repack, assembles_pieces_like_a_full_save)
{
    check_put_together(VARVE_SHAPE(3000000), 0, 2);
    check_put_together(VARVE_SHAPE(1000, 3000), 1, 3);
    check_put_together(VARVE_SHAPE(7, 5 * MIB + 1), 1, 2);
    check_put_together(VARVE_SHAPE(2, 17 * MIB + 3), 1, 4);
    check_put_together(VARVE_SHAPE(2, 5, 4 * MIB + 5), 2, 3);
}

TEST(repack, refuses_a_damaged_checkpoint_and_changes_nothing)
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
    end_incremental();
}

TEST(repack, leaves_no_file_without_memory)
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
    end_incremental();
}

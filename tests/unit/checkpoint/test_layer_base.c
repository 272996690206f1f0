/* test_layer_base.c - Tests the base of an incremental save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include "layer_base.h"

/* Opens a base for the index of the same file. */
static struct vv_layer_base open_for(const char *path, const char *base_path)
{
    struct vv_layer_base base;
    varve_error error = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&world.context, "run/m-1.varve", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(vv_layer_base_open(&base, &world.context, base_path, path,
                     &reader->file.parsed.index, &error),
        error);
    varve_reader_free(reader);
    return base;
}

TEST(layer_base, is_an_incremental_one_in_the_same_directory)
{
    static const struct {
        const char *path, *base;
        bool is_there;
    } cases[] = {
        { "run/x.varve", "run/m-1.varve", true },
        { "x.varve", "run/m-1.varve", false },
        { "run/x/x.varve", "run/m-1.varve", false },
        { "run/x.varve", "run/none", false },
        { "run/x.varve", "run/full", false },
    };
    varve_error error = { 0 };
    begin_incremental();
    saved_incremental();
    cr_assert_ok(
        varve_write(incremental.root, "run/full", NULL, &error), error);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_layer_base base = open_for(cases[i].path, cases[i].base);
        cr_assert_eq(base.is_there, cases[i].is_there, "%zu", i);
        cr_assert_eq(base.dropped, VV_NONE);
        vv_layer_base_close(&base);
    }
    end_incremental();
}

TEST(layer_base, drops_the_data_file_with_the_most_unused_bytes)
{
    begin_incremental();
    saved_incremental();
    for (int k = 1; k <= 2; k++) {
        for (int i = 0; i < LARGE; i++)
            incremental.large[i] += 1;
        saved_incremental();
    }
    struct vv_layer_base base = open_for("run/x.varve", "run/m-3.varve");
    cr_assert(base.is_there);
    cr_assert_eq(base.dropped, VV_NONE, "two layers of about the data");
    vv_layer_base_close(&base);
    for (int i = 0; i < MIDDLE / 2; i++)
        incremental.middle[i] += 1;
    for (int i = 0; i < LARGE / 2; i++)
        incremental.large[i] += 1;
    saved_incremental();
    base = open_for("run/x.varve", "run/m-4.varve");
    cr_assert_neq(base.dropped, VV_NONE);
    const struct vv_index *index = &base.file.parsed.index;
    cr_assert_gt(vv_at64(index->layer_sizes, base.dropped),
        base.file.data_end - 100, "the first one");
    cr_assert_not(vv_layer_base_keeps(&base, 64, base.file.data_end - 64));
    vv_layer_base_close(&base);
    end_incremental();
}

/* The same number of bytes, possibly with the same content, in another
 * order. */
TEST(layer_base, shares_no_value_in_pieces)
{
    static const uint8_t sizes[16] = { 8, 0, 0, 0, 0, 0, 0, 0, 8 };
    static const uint8_t second[4] = { 1 };
    struct vv_layer_base base = { .is_there = true };
    struct vv_index index = { .value_count = 2, .value_sizes = sizes };
    base.file.parsed.index = index;
    cr_assert(vv_layer_base_pairs(&base, &index, 0));
    cr_assert(vv_layer_base_pairs(&base, &index, 1));
    base.file.parsed.index.pieced_count = 1;
    base.file.parsed.index.pieced_values = second;
    cr_assert(vv_layer_base_pairs(&base, &index, 0));
    cr_assert_not(vv_layer_base_pairs(&base, &index, 1));
    base.file.parsed.index.pieced_count = 0;
    index.pieced_count = 1;
    index.pieced_values = second;
    cr_assert_not(vv_layer_base_pairs(&base, &index, 1));
}

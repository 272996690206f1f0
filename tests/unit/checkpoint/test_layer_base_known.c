/* test_layer_base_known.c - Tests the detection of unchanged chunks and pages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unchanged_world.h"

#include "layer_base.h"
#include "layer_columns.h"
#include "save_plan.h"

static struct {
    struct vv_save_plan save_plan;
    struct vv_index index;
    struct vv_layer_base base;
    struct vv_layer_known known;
    uint32_t large; /* its index */
} look;

static void begin_look(const char *base)
{
    varve_error error = { 0 };
    struct vv_save_plan *c = &look.save_plan;
    cr_assert_ok(
        vv_save_plan_gather(c, incremental.root, &touched, &error), error);
    cr_assert_ok(vv_save_plan_index(c, &look.index, &error), error);
    cr_assert_ok(vv_layer_base_open(&look.base, &c->context, base, "run/x",
                     &look.index, &error),
        error);
    look.known = vv_layer_known_of(&c->unchanged, &look.index, &look.base);
    while (
        vv_at64(look.index.value_sizes, look.large) != sizeof incremental.large)
        look.large++;
}

static void end_look(void)
{
    vv_layer_base_close(&look.base);
    vv_save_plan_clear(&look.save_plan);
}

static size_t count_changed(uint64_t chunk)
{
    bool is_changed[VV_CHUNK_PAGES];
    size_t count = 0;
    vv_layer_known_mark(&look.known, look.large, chunk, is_changed);
    for (size_t i = 0; i < VV_CHUNK_PAGES; i++)
        count += is_changed[i];
    return count;
}

TEST(layer_known, contains_unmarked_values)
{
    varve_error error = { 0 };
    begin_incremental();
    save_touched();
    cr_assert_ok(varve_mark_rows_dirty(named("large"), 3000, 1, &error), error);
    begin_look("run/m-1.varve");
    cr_assert(look.known.is_known);
    cr_assert_null(vv_layer_known_digest(&look.known, look.large, 0));
    cr_assert_eq(count_changed(0), 1);
    const uint8_t *digest = vv_layer_known_digest(&look.known, look.large, 1);
    const struct vv_digest expected =
        vv_digest_of(incremental.large + (1 << 18), 1 << 20);
    cr_assert(digest);
    cr_assert_eq(memcmp(digest, expected.bytes, VV_DIGEST_SIZE), 0);
    cr_assert_eq(count_changed(1), 0);
    end_look();
    end_incremental();
}

TEST(layer_known, is_empty_for_another_checkpoint)
{
    static const varve_write_options all = { .incremental = true };
    begin_incremental();
    save_touched();
    save_to("run/m", &all); /* the values of this save are not recorded */
    incremental.middle[0] = 7;
    save_to("run/m", &all); /* but the following ones are */
    static const char *const names[] = { "run/m-1.varve", "run/m-2.varve",
        "run/m-3.varve", "run/none" };
    for (size_t i = 0; i < 4; i++) {
        begin_look(names[i]);
        cr_assert_eq(look.known.is_known, i < 2, "%s", names[i]);
        cr_assert_eq(
            vv_layer_known_digest(&look.known, look.large, 1) != NULL, i < 2);
        if (i >= 2)
            cr_assert_eq(count_changed(1), VV_CHUNK_PAGES);
        end_look();
    }
    end_incremental();
}

/* test_listing.c - Tests the listing of a directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "graph.h"
#include "listing.h"
#include "listing_refresh.h"
#include "support/memory_system.h"
#include "support/test_context.h"

static struct memory *memory;
static struct vv_context context;

/* Writes a checkpoint of one variable with metadata. */
static void put(const char *path, const varve_metadata *metadata, size_t count)
{
    varve_error error;
    float v = 1;
    varve_graph *graph = vv_graph_new_in(&context);
    varve_node *root = varve_graph_root(graph);
    varve_write_options options = {
        .metadata = metadata, .metadata_count = count
    };
    varve_add_variable(root, "v", varve_scalar(&v));
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    varve_graph_free(graph);
}

static void put_ours(const char *path, int64_t step, double loss)
{
    const varve_metadata all[] = {
        { .name = VV_MANAGER_KEY, .kind = VARVE_METADATA_STRING,
            .string = "ckpt" },
        { .name = VV_STEP_KEY, .kind = VARVE_METADATA_INTEGER,
            .integer = step },
        { .name = VV_TIME_KEY, .kind = VARVE_METADATA_INTEGER, .integer = 7 },
        { .name = "loss", .kind = VARVE_METADATA_REAL, .real = loss },
    };
    put(path, all, 4);
}

static void begin(struct vv_listing *l)
{
    varve_error error;
    memory = memory_new();
    context = test_context(memory_system(memory));
    cr_assert_ok(
        vv_listing_begin(l, &context, "run", "ckpt", "loss", &error), error);
}

static void end(struct vv_listing *l)
{
    vv_listing_clear(l);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

static void refresh(struct vv_listing *l)
{
    varve_error error;
    cr_assert_ok(vv_listing_refresh(l, &error), error);
}

TEST(listing, a_missing_directory_is_listed_as_empty)
{
    struct vv_listing l;
    begin(&l);
    refresh(&l);
    cr_assert_eq(l.count, 0);
    cr_assert_eq(memory_file_count(memory), 0);
    end(&l);
}

TEST(listing, only_numbered_names_of_the_prefix_are_listed)
{
    static const char *const others[] = { "run/ckpt-01.varve",
        "run/ckpt-.varve", "run/ckpt.varve", "run/ckpt-1.varve.x",
        "run/xckpt-1.varve", "run/ckpt-2-1.varve", "run/ckpt-1",
        "run/.ckpt-7.varve.0123456789abcdef.tmp" };
    struct vv_listing l;
    begin(&l);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        memory_put(memory, others[i], "x", 1);
    put_ours("run/ckpt-3.varve", 30, 0.5);
    refresh(&l);
    cr_assert_eq(l.count, 1);
    cr_assert_eq(l.entries[0].number, 3);
    cr_assert_eq(l.entries[0].counter, 3, "the number, where there is none");
    end(&l);
}

TEST(listing, facts_are_read_from_each_file)
{
    struct vv_listing l;
    begin(&l);
    put_ours("run/ckpt-3.varve", 30, 0.5);
    put("run/ckpt-4.varve", NULL, 0);
    memory_put(memory, "run/ckpt-5.varve", "damaged", 7);
    memory_put(memory, "run/ckpt-3.pin", "", 0);
    memory_put(memory, "run/.ckpt-2.varve.gone", "x", 1);
    refresh(&l);
    cr_assert_eq(l.count, 3);
    const struct vv_entry *e = &l.entries[0];
    cr_assert(e->is_ours && e->is_pinned && e->is_read && !e->is_damaged);
    cr_assert_eq(e->step, 30);
    cr_assert_eq(e->time, 7);
    cr_assert_eq(e->metric, 0.5);
    e = &l.entries[1];
    cr_assert(!e->is_ours && !e->is_pinned && e->is_read && !e->is_damaged);
    cr_assert(e->step == -1 && e->time == -1 && e->metric != e->metric);
    cr_assert(l.entries[2].is_damaged && !l.entries[2].is_read);
    cr_assert_str_eq((char *)l.gone.data, ".ckpt-2.varve.gone");
    end(&l);
}

TEST(listing, unchanged_files_are_not_opened_again)
{
    struct vv_listing l;
    begin(&l);
    put_ours("run/ckpt-3.varve", 30, 0.5);
    refresh(&l);
    l.entries[0].step = 31; /* simulates a cached entry */
    refresh(&l);
    cr_assert_eq(l.entries[0].step, 31);
    memory_set_now(memory, 5);
    put_ours("run/ckpt-3.varve", 40, 0.5);
    refresh(&l);
    cr_assert_eq(l.entries[0].step, 40);
    end(&l);
}

TEST(listing, a_file_is_checked_again_before_its_deletion)
{
    struct vv_listing l;
    begin(&l);
    put_ours("run/ckpt-3.varve", 30, 0.5);
    refresh(&l);
    struct vv_entry *e = &l.entries[0];
    cr_assert(vv_listing_confirm(&l, e));
    e->step = 31;
    cr_assert_not(vv_listing_confirm(&l, e));
    e->step = 30;
    e->metric = 0.25;
    cr_assert_not(vv_listing_confirm(&l, e));
    e->metric = 0.5;
    put("run/ckpt-3.varve", NULL, 0);
    cr_assert_not(vv_listing_confirm(&l, e), "not ours any more");
    end(&l);
}

TEST(listing, a_failure_leaves_the_listing_unchanged)
{
    struct vv_listing l;
    begin(&l);
    put_ours("run/ckpt-3.varve", 30, 0.5);
    refresh(&l);
    put_ours("run/ckpt-4.varve", 40, 0.5);
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        varve_status status = vv_listing_refresh(&l, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(l.count, 1);
        cr_assert_eq(l.entries[0].step, 30);
    }
    cr_assert_eq(l.count, 2);
    end(&l);
}

TEST(listing, names_and_paths_consist_of_prefix_and_number)
{
    struct vv_listing l;
    uint64_t number = 12;
    begin(&l);
    cr_assert_str_eq(vv_listing_name(&l, &number, ".pin"), "ckpt-12.pin");
    cr_assert_str_eq(vv_listing_path(&l, &number, ""), "run/ckpt-12");
    cr_assert_str_eq(vv_listing_path(&l, NULL, ".x"), "run/ckpt.x");
    end(&l);
}

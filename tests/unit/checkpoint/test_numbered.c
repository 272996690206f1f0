/* test_numbered.c - Tests the list of numbered checkpoints of a prefix, with
 * stale directory listings.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include <varve/manager.h>

#include "graph.h"
#include "ledger.h"
#include "numbered.h"
#include "save.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

static struct {
    struct memory *memory;
    struct vv_system system; /* its listings are wrong */
    const struct vv_system *under;
    struct vv_context context;
    int torn;        /* number of listings that contain only the ledger */
    int stale;       /* number of listings without the last name */
    int late;        /* number of empty listings */
    int slept;       /* calls of sleep */
} world;

struct hiding {
    vv_each_name *each;
    void *user;
    const char *hidden; /* the hidden name, or all checkpoints if NULL */
};

static int pass_on(
    void *user, const char *name, const struct vv_file_info *info)
{
    struct hiding *h = user;
    bool hides = h->hidden ? strcmp(name, h->hidden) == 0
                           : strstr(name, ".varve") != NULL;
    return hides ? 0 : h->each(h->user, name, info);
}

static int each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    struct hiding h = { each, user, NULL };
    if (world.late > 0) {
        world.late--;
        return 0;
    }
    if (world.torn > 0) {
        world.torn--;
        return world.under->each_name(state, directory, pass_on, &h);
    }
    h.hidden = "c-3.varve";
    if (world.stale > 0) {
        world.stale--;
        return world.under->each_name(state, directory, pass_on, &h);
    }
    return world.under->each_name(state, directory, each, user);
}

static void sleep_for(void *state, int64_t nanoseconds)
{
    world.slept++;
    world.under->sleep(state, nanoseconds);
}

static void begin_world(void)
{
    world.memory = memory_new();
    world.under = memory_system(world.memory);
    world.system = *world.under;
    world.system.each_name = each_name;
    world.system.sleep = sleep_for;
    world.context = test_context(&world.system);
    world.torn = world.stale = world.late = world.slept = 0;
}

static void end_world(void)
{
    cr_assert_eq(memory_open_count(world.memory), 0);
    memory_free(world.memory);
}

static void put(const char *path)
{
    memory_put(world.memory, path, "x", 1);
}

static const char *newest(const char *prefix)
{
    static char path[200];
    struct vv_buffer found;
    varve_error error = { 0 };
    vv_buffer_init(&found, &world.context.allocator);
    varve_status status =
        vv_numbered_newest(&world.context, prefix, &found, &error);
    snprintf(path, sizeof path, "%s",
        status ? varve_status_name(status) : vv_buffer_string(&found));
    vv_buffer_clear(&found);
    return path;
}

TEST(numbered, recognizes_its_names)
{
    static const struct {
        const char *name;
        bool is_one;
        uint64_t number;
        bool is_padded;
    } names[] = {
        { "c-1.varve", true, 1, false },
        { "c-0.varve", true, 0, false },
        { "c-00000012.varve", true, 12, true },
        { "c-00000000.varve", true, 0, true },
        { "c-12345678.varve", true, 12345678, false },
        { "c-123456789.varve", true, 123456789, false },
        { "c-01.varve", false, 0, false },
        { "c-000000012.varve", false, 0, false },
        { "c-.varve", false, 0, false },
        { "c-x.varve", false, 0, false },
        { "c1.varve", false, 0, false },
        { "c-1.varv", false, 0, false },
        { "c--1.varve", false, 0, false },
        { "d-1.varve", false, 0, false },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct vv_numbered file = { 0 };
        bool is_one =
            vv_numbered_parse(names[i].name, "c", VARVE_SUFFIX, &file);
        cr_assert_eq(is_one, names[i].is_one, "%s", names[i].name);
        if (!is_one)
            continue;
        cr_assert_eq(file.number, names[i].number);
        cr_assert_eq(file.is_padded, names[i].is_padded);
        struct vv_buffer name;
        struct vv_context context = test_context(NULL);
        vv_buffer_init(&name, &context.allocator);
        vv_buffer_add_string(&name, "c");
        vv_numbered_add(&name, file.number, file.is_padded, VARVE_SUFFIX);
        cr_assert_str_eq(vv_buffer_string(&name), names[i].name);
        vv_buffer_clear(&name);
    }
}

TEST(numbered, finds_the_highest_number_with_or_without_padding)
{
    begin_world();
    cr_assert_str_eq(newest("run/c"), "VARVE_NOT_FOUND");
    put("run/c-9.varve");
    cr_assert_str_eq(newest("run/c"), "run/c-9.varve");
    put("run/c-00000011.varve");
    cr_assert_str_eq(newest("run/c"), "run/c-00000011.varve");
    put("run/c-10.varve");
    cr_assert_str_eq(newest("run/c"), "run/c-00000011.varve");
    end_world();
}

/* A listing may be read while one file is added and another is removed. */
TEST(numbered, checks_an_inconsistent_listing_against_the_ledger)
{
    begin_world();
    put("run/c-1.varve");
    put("run/c.ledger");
    for (int torn = 1; torn <= 4; torn++) {
        world.torn = torn;
        cr_assert_str_eq(newest("run/c"), "run/c-1.varve", "%d", torn);
    }
    end_world();
}

TEST(numbered, waits_only_if_a_ledger_lists_a_checkpoint)
{
    begin_world();
    put("run/c.txt");
    cr_assert_str_eq(newest("run/c"), "VARVE_NOT_FOUND");
    cr_assert_eq(world.slept, 0);
    put("run/c.ledger");
    cr_assert_str_eq(newest("run/c"), "VARVE_NOT_FOUND");
    cr_assert_gt(world.slept, 0);
    end_world();
}

/* The cache of a network file system: the ledger exists but is not listed. The
 * ledger lacks a checkpoint that could not be read back after its save. */
TEST(numbered, repeats_a_listing_without_the_ledger)
{
    begin_world();
    const struct vv_ledger ledger = {
        .allocator = &world.context.allocator
    };
    varve_error error = { 0 };
    cr_assert_ok(vv_ledger_write(
        &ledger, &world.context, "run/c.ledger", &error), error);
    put("run/c-1.varve");
    world.late = 6;
    cr_assert_str_eq(newest("run/c"), "run/c-1.varve");
    cr_assert_eq(world.late, 0);
    cr_assert_gt(world.slept, 0);
    world.late = 1000;
    cr_assert_str_eq(newest("run/c"), "VARVE_IO");
    cr_assert_gt(world.late, 900);
    end_world();
}

TEST(numbered, lists_until_two_listings_agree)
{
    begin_world();
    put("run/c-1.varve");
    put("run/c-2.varve");
    put("run/c-3.varve");
    world.stale = 1;
    cr_assert_str_eq(newest("run/c"), "run/c-3.varve");
    end_world();
}

static void save_step(varve_manager *manager, int *value, int step)
{
    varve_error error = { 0 };
    *value = step;
    cr_assert_ok(varve_manager_save(manager, step, &error), error);
}

/* The ledger contains the file that the listing lacks, and its counters
 * determine the newer one if numbers are steps. */
TEST(numbered, uses_the_ledger)
{
    varve_error error = { 0 };
    int value = 0;
    begin_world();
    varve_graph *graph = vv_graph_new_in(&world.context);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "v", varve_scalar(&value));
    varve_manager *manager = varve_manager_new(root, "run",
        &(varve_manager_options){ .prefix = "c", .number_by_step = true },
        &error);
    cr_assert(manager, "%s", error.message);
    save_step(manager, &value, 2);
    save_step(manager, &value, 9);
    save_step(manager, &value, 3);
    cr_assert_str_eq(newest("run/c"), "run/c-3.varve", "it was saved last");
    world.stale = 1000;
    cr_assert_str_eq(newest("run/c"), "run/c-3.varve", "it is in the ledger");
    world.stale = 0;
    size_t size;
    unsigned char *ledger =
        memory_bytes(world.memory, "run/c.ledger", &size);
    ledger[size / 2] ^= 1;
    cr_assert_str_eq(newest("run/c"), "run/c-3.varve", "the files say so");
    varve_manager_free(manager);
    varve_graph_free(graph);
    end_world();
}

/* Dangling links, directories and the like have the highest number. */
TEST(numbered, skips_names_that_are_not_files)
{
    begin_world();
    put("run/c-1.varve");
    const struct vv_system *s = world.under;
    cr_assert_eq(s->make_directory(
        s->state, VV_WORKING_DIRECTORY, "run/c-5.varve"), 0);
    cr_assert_str_eq(newest("run/c"), "run/c-1.varve");
    end_world();
}

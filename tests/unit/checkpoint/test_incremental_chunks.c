/* test_incremental_chunks.c - Tests collective incremental saves: the lookup of
 * chunks of the base, and whole saves.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>

#include "data_in.h"
#include "layer_base.h"
#include "layer_prune.h"
#include "layers_in.h"
#include "private_world.h"
#include "support/faulty_system.h"
#include "system.h"

enum { MOST = 8, ROW = 1024, ALL_ROWS = 1200, SMALLS = 300, PARTS = 90 };

/* The values of all ranks: each has its rows, and the others are replicated. */
static float rows[ALL_ROWS][ROW];
static double weights[LARGE / 4];
static int64_t smalls[SMALLS];
static double more_weights[MOST][20000];      /* by rank */
static float parts[PARTS][VV_PAGED_SIZE / 4]; /* optional */
static int64_t own[MOST][40];                 /* by rank */
static size_t own_count;                      /* on each rank */

static void make_values(void)
{
    for (int i = 0; i < ALL_ROWS * ROW; i++)
        rows[i / ROW][i % ROW] = (float)i;
    for (int i = 0; i < LARGE / 4; i++)
        weights[i] = i / 3.0;
    for (int i = 0; i < SMALLS; i++)
        smalls[i] = i % 7;
    for (int i = 0; i < MOST * 40; i++)
        own[i / 40][i % 40] = i + 5;
    own_count = 10;
}

struct run {
    varve_write_options options;
    uint32_t size;
    bool has_parts;
    uint64_t shift; /* number of rows that move between neighboring ranks */
    varve_node *roots[MOST]; /* for graphs that exist before */
    varve_status statuses[MOST];
    varve_error errors[MOST];
};
static struct run run;

static varve_node *add_all(const varve_comm *comm)
{
    varve_node *root = new_root();
    uint64_t start[] = { ALL_ROWS * comm->rank / comm->size, 0 };
    uint64_t end = ALL_ROWS * (comm->rank + 1) / comm->size;
    if (comm->rank > 0)
        start[0] += run.shift;
    if (comm->rank + 1 < comm->size)
        end += run.shift;
    varve_node *mine = varve_add_rank_local(root, "mine", comm, NULL);
    varve_node *list = varve_add_list(root, "smalls");
    varve_add_variable(root, "a", varve_array(weights, LARGE / 4));
    varve_add_slice(root, "rows",
        varve_array(&rows[start[0]][0], end - start[0], ROW),
        VARVE_SHAPE(ALL_ROWS, ROW), start);
    for (int i = 0; i < SMALLS; i++)
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&smalls[i]));
    varve_add_variable(mine, "counts", varve_array(own[comm->rank], own_count));
    double *mine_too = more_weights[comm->rank];
    memcpy(mine_too, &weights[comm->rank], sizeof *more_weights);
    varve_add_variable(mine, "more", varve_array(mine_too, 20000));
    varve_node *more = varve_add_list(root, "parts");
    for (int i = 0; i < PARTS && run.has_parts; i++)
        varve_add_variable(
            more, VARVE_APPEND, varve_array(parts[i], VV_PAGED_SIZE / 4));
    good(root);
    return root;
}

static void save(const varve_comm *comm, void *user)
{
    (void)user;
    varve_node *made = run.roots[comm->rank] ? NULL : add_all(comm);
    run.statuses[comm->rank] =
        varve_save_all(comm, made ? made : run.roots[comm->rank], "run/m",
            &run.options, &run.errors[comm->rank]);
    if (made)
        free_root(made);
}

static uint64_t size_of_layers(size_t *count)
{
    uint64_t all = 0;
    *count = 0;
    for (size_t i = 0; i < memory_file_count(world.memory); i++) {
        size_t size;
        const char *path = memory_file_path(world.memory, i);
        if (!strstr(path, "/layers/"))
            continue;
        memory_bytes(world.memory, path, &size);
        all += size;
        ++*count;
    }
    return all;
}

/* Returns the growth of the data files by a save. */
static uint64_t grow(uint32_t size)
{
    size_t count;
    uint64_t before = size_of_layers(&count);
    run.size = size;
    thread_comm_run(size, 2, -1, save, NULL);
    for (uint32_t i = 0; i < size; i++)
        cr_assert_ok(run.statuses[i], run.errors[i]);
    return size_of_layers(&count) - before;
}

/* Checks that a checkpoint contains all values, by restoring it in one
 * process. */
static void check_saved(int number)
{
    static float found[ALL_ROWS][ROW];
    static double found_weights[LARGE / 4];
    static int64_t found_smalls[SMALLS];
    char path[32];
    varve_error error = { 0 };
    snprintf(path, sizeof path, "run/m-%d.varve", number);
    varve_reader_free(open_world(path));
    varve_node *root = new_root();
    memset(found, 0, sizeof found);
    varve_node *list = varve_add_list(root, "smalls");
    varve_add_variable(root, "a", varve_array(found_weights, LARGE / 4));
    varve_add_variable(root, "rows", varve_array(&found[0][0], ALL_ROWS, ROW));
    for (int i = 0; i < SMALLS; i++)
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&found_smalls[i]));
    int64_t counts[40];
    char name[32];
    snprintf(name, sizeof name, "mine/%u/counts", run.size - 1);
    varve_node *mine = varve_add_object(root, "mine");
    snprintf(name, sizeof name, "%u", run.size - 1);
    varve_add_variable(
        varve_add_object(mine, name), "counts", varve_array(counts, own_count));
    varve_restoration *r = varve_read(root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
    cr_assert_eq(memcmp(found, rows, sizeof rows), 0);
    cr_assert_eq(memcmp(found_weights, weights, sizeof weights), 0);
    cr_assert_eq(memcmp(found_smalls, smalls, sizeof smalls), 0);
    cr_assert_eq(
        memcmp(counts, own[run.size - 1], own_count * sizeof *counts), 0);
    free_root(root);
}

static void begin_layers(int level)
{
    begin_world();
    make_values();
    run = (struct run){ .options = { .incremental = true, .compress = level } };
}

TEST(layer_match, writes_changed_data)
{
    for (int level = 0; level < 2; level++) {
        begin_layers(level);
        cr_assert_gt(grow(3), level ? 100000 : sizeof rows + sizeof weights);
        check_saved(1);
        cr_assert_eq(grow(3), 0, "nothing has changed");
        check_saved(2);
        rows[900][5] = -1;
        cr_assert_leq(grow(3), (1 << 20) + 2 * 4096);
        check_saved(3);
        smalls[200] = 77;
        cr_assert_lt(grow(3), 3 * 4096);
        check_saved(4);
        own[2][3] = 1;
        cr_assert_lt(grow(3), 170000);
        check_saved(5);
        end_world();
    }
}

TEST(layer_match, compresses_new_data)
{
    begin_layers(1);
    uint64_t packed = grow(3);
    check_saved(1);
    end_world();
    begin_layers(0);
    cr_assert_lt(packed, grow(3) / 2);
    end_world();
}

/* Data that moved within a rank or to another rank. */
TEST(layer_match, finds_moved_data)
{
    begin_layers(0);
    grow(4);
    own_count = 13; /* all following data has other offsets */
    cr_assert_lt(grow(4), 400000);
    check_saved(2);
    run.shift = 100;
    cr_assert_lt(grow(4), sizeof rows + 8 * 4096, "pieces are other ones");
    check_saved(3);
    cr_assert_lt(grow(4), 3 * 4096);
    check_saved(4);
    cr_assert_lt(grow(2), sizeof rows + 8 * 4096, "the weights are not");
    check_saved(5);
    cr_assert_lt(grow(2), 3 * 4096);
    check_saved(6);
    grow(1);
    check_saved(7);
    cr_assert_lt(grow(1), 3 * 4096);
    check_saved(8);
    end_world();
}

/* Older files may be deleted in any order; data that newer ones share
 * remains. */
TEST(layer_match, shares_data_that_pruning_keeps)
{
    varve_error error = { 0 };
    size_t before, after;
    begin_layers(1);
    grow(3);
    rows[3][3] = 9;
    grow(3);
    rows[1100][3] = 9;
    grow(3);
    const struct vv_system *system = world.context.system;
    cr_assert_eq(
        system->remove(system->state, VV_WORKING_DIRECTORY, "run/m-1.varve"),
        0);
    cr_assert_eq(
        system->remove(system->state, VV_WORKING_DIRECTORY, "run/m-2.varve"),
        0);
    size_of_layers(&before);
    cr_assert_ok(
        vv_prune_layers(&world.context, "run/m-3.varve", &error), error);
    size_of_layers(&after);
    cr_assert_leq(after, before);
    check_saved(3);
    end_world();
}

static uint32_t layer_count(int number)
{
    struct vv_opened opened;
    varve_error error = { 0 };
    char path[32];
    snprintf(path, sizeof path, "run/m-%d.varve", number);
    cr_assert_ok(vv_data_in_open(&opened, &world.context, path, &error), error);
    uint32_t count = opened.parsed.index.layer_count;
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += vv_at64(opened.parsed.index.layer_sizes, i);
    cr_assert_lt(all, 3 * opened.data_end);
    vv_opened_close(&opened);
    return count;
}

/* Small changes each time, or large ones. */
TEST(layer_match, refers_only_to_useful_data_files)
{
    uint32_t most = 0;
    begin_layers(0);
    run.options.no_sync = true;
    run.has_parts = true;
    grow(3);
    for (int i = 0; i < PARTS; i++) {
        parts[i][0] = (float)(i + 1);
        grow(3);
        uint32_t count = layer_count(2 + i);
        most = count > most ? count : most;
        cr_assert_leq(count, VV_USUAL_LAYERS);
    }
    cr_assert_gt(most, VV_USUAL_LAYERS - 4);
    for (int i = 1; i <= 40; i++) {
        rows[7 * i][i] = -1;
        rows[ALL_ROWS - 3 * i][i] = -1;
        grow(3);
        cr_assert_leq(layer_count(1 + PARTS + i), VV_USUAL_LAYERS);
    }
    check_saved(1 + PARTS + 40);
    end_world();
}

/* Data saved without waiting for the disk is synced by the save that shares
 * it.
 */
TEST(layer_match, syncs_shared_data)
{
    begin_layers(0);
    run.options.no_sync = true;
    grow(4);
    run.options.no_sync = false;
    cr_assert_eq(grow(4), 0);
    struct memory *before = world.memory;
    world.memory = memory_after_power_cut(before, true, false);
    world.context.system = memory_system(world.memory);
    check_saved(2);
    memory_free(world.memory);
    world.memory = before;
    world.context.system = memory_system(before);
    end_world();
}

TEST(layer_match, continues_from_one_process_and_back)
{
    varve_error error = { 0 };
    begin_layers(0);
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(weights, LARGE / 4));
    cr_assert_ok(varve_save(root, "run/m", &run.options, &error), error);
    cr_assert_lt(grow(3), sizeof rows + 600000, "the weights are there");
    check_saved(2);
    free_root(root);
    end_world();
}

/* A damaged or missing base is ignored and causes no failure. */
TEST(layer_match, writes_everything_if_the_base_is_unusable)
{
    begin_layers(0);
    uint64_t all = grow(2);
    memory_put(world.memory, "run/m-1.varve", "odd", 3);
    cr_assert_eq(grow(2), all);
    check_saved(2);
    run.options.increment.base = "run/none.varve";
    cr_assert_eq(grow(2), all);
    run.options.increment.base = "run/m-2.varve";
    rows[0][0] = -1;
    cr_assert_leq(grow(2), (1 << 20) + 2 * 4096);
    check_saved(4);
    end_world();
}

/* Saves as the second of three ranks after a successful save. */
static void check_second(long number, bool is_over)
{
    for (int k = 1; k < 3; k++)
        cr_assert_eq(run.statuses[k], run.statuses[0], "%ld", number);
    if (is_over)
        cr_assert_ok(run.statuses[0], run.errors[0]);
    if (run.statuses[0] == VARVE_OK)
        check_saved(2);
    varve_reader_free(open_world("run/m-1.varve"));
}

static void change_some(long number)
{
    rows[50][0] = rows[900][0] = (float)-number;
}

TEST(layer_match, keeps_the_older_checkpoint_if_any_call_fails)
{
    bool is_over = false;
    for (long i = 0; !is_over; i += 1 + i / 20) {
        begin_layers((int)(i % 2));
        grow(3);
        change_some(i);
        const struct vv_system *under = world.context.system;
        struct faulty *faulty = faulty_new(under);
        world.context.system = faulty_system(faulty);
        faulty_plan(
            faulty, &(struct faulty_plan){
                        .number = i, .kinds = FAULTY_ALL, .error = EIO });
        thread_comm_run(3, 2, -1, save, NULL);
        is_over = faulty_count(faulty) <= i;
        world.context.system = under;
        faulty_free(faulty);
        check_second(i, is_over);
        end_world();
    }
}

static void make_roots(const varve_comm *comm, void *user)
{
    (void)user;
    run.roots[comm->rank] = add_all(comm);
}

TEST(layer_match, keeps_the_older_checkpoint_if_any_rank_has_no_memory)
{
    bool is_over = false;
    for (long i = 0; !is_over; i += 1 + i / 20) {
        begin_layers((int)(i % 2));
        grow(3);
        change_some(i);
        thread_comm_run(3, 2, -1, make_roots, NULL);
        test_fail_allocation(i, false);
        thread_comm_run(3, 2, -1, save, NULL);
        is_over = test_allocation_count() <= i;
        test_fail_allocation(-1, false);
        check_second(i, is_over);
        for (int k = 0; k < 3; k++)
            free_root(run.roots[k]);
        end_world();
    }
}

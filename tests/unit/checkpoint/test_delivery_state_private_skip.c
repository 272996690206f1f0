/* test_delivery_state_private_skip.c - Tests restoring rank-local values with
 * the same and with other numbers of processes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_world.h"

#include <varve/restoration.h>

static const varve_rank_local_options drops = { .drop = true };

/* --- Ranks ---------------------------------------------------------------- */

struct reading {
    struct own_run run;
    const varve_rank_local_options *by_rank[MOST_RANKS];
    unsigned saved_by;
    bool has_kept[MOST_RANKS]; /* replicated values are unchanged */
};

/* Restores, and saves the result again. */
static void load_own(const varve_comm *comm, void *user)
{
    struct reading *reading = user;
    struct own_run *run = &reading->run;
    varve_error *error = &run->errors[comm->rank];
    const varve_rank_local_options *options = reading->by_rank[comm->rank]
                                               ? reading->by_rank[comm->rank]
                                               : &run->options;
    struct own *w = new_own(comm, run->seed, false, options);
    varve_restoration *r =
        varve_read_all(comm, w->root, FILE_NAME, NULL, error);
    varve_status status = r ? VARVE_OK : error->status;
    const unsigned char *step = varve_data(varve_find(w->root, "step"));
    reading->has_kept[comm->rank] = *step == 0xee;
    if (!status)
        status = varve_agree(comm, varve_assert_consumed(r, error), error);
    if (!status)
        status = varve_write_all(comm, w->root, "b.varve", NULL, error);
    run->statuses[comm->rank] = status;
    varve_restoration_free(r);
    free_own(w);
}

static void get_digest(const char *path, uint8_t digest[16])
{
    varve_error error = { 0 };
    varve_reader *reader = open_world(path);
    cr_assert_ok(varve_reader_digest(reader, digest, &error), error);
    varve_reader_free(reader);
}

TEST(private_skip, restores_the_values_of_each_process)
{
    for (uint32_t size = 1; size <= 5; size++) {
        uint8_t before[16], after[16];
        struct reading reading = { .run = { .seed = size } };
        begin_world();
        save_ranks(size, size);
        thread_comm_run(size, 0, -1, load_own, &reading);
        check_own(&reading.run, size, VARVE_OK);
        get_digest(FILE_NAME, before);
        get_digest("b.varve", after);
        cr_assert_eq(memcmp(before, after, sizeof before), 0, "%u", size);
        end_world();
    }
}

/* The matrix has a row for each process, so it differs for another number of
 * processes. */
static void load_private(const varve_comm *comm, void *user)
{
    struct reading *reading = user;
    struct own_run *run = &reading->run;
    int32_t x = -1, y = -1;
    varve_error *error = &run->errors[comm->rank];
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    varve_add_variable(varve_add_rank_local(root, "own", comm,
                           reading->by_rank[comm->rank]
                               ? reading->by_rank[comm->rank]
                               : &run->options),
        "y", varve_scalar(&y));
    varve_restoration *r = varve_read_all(comm, root, FILE_NAME, NULL, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    reading->has_kept[comm->rank] = x == -1;
    cr_assert_eq(y, comm->size == reading->saved_by ? (int)comm->rank : -1);
    if (r)
        run->statuses[comm->rank] = varve_assert_consumed(r, error);
    varve_restoration_free(r);
    free_root(root);
}

static void save_private(const varve_comm *comm, void *user)
{
    struct own_run *run = user;
    int32_t x = 5, y = (int32_t)comm->rank;
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    varve_add_variable(
        varve_add_rank_local(root, "own", comm, NULL), "y", varve_scalar(&y));
    run->statuses[comm->rank] = varve_write_all(
        comm, root, FILE_NAME, NULL, &run->errors[comm->rank]);
    free_root(root);
}

static void save_by(uint32_t size)
{
    struct own_run run = { .seed = 0 };
    thread_comm_run(size, 0, -1, save_private, &run);
    check_own(&run, size, VARVE_OK);
}

TEST(private_skip, refuses_values_of_another_number_of_processes)
{
    begin_world();
    save_by(4);
    for (uint32_t size = 1; size <= 6; size++) {
        struct reading reading = { .saved_by = 4 };
        char line[80];
        thread_comm_run(size, 0, -1, load_private, &reading);
        check_own(&reading.run, size, size == 4 ? VARVE_OK : VARVE_MISMATCH);
        snprintf(line, sizeof line,
            "\n  own: saved by 4 ranks, the program has %u", size);
        for (uint32_t i = 0; i < size; i++)
            cr_assert_eq(reading.has_kept[i], size != 4);
        if (size != 4)
            cr_assert(strstr(reading.run.errors[0].message, line), "%s",
                reading.run.errors[0].message);
    }
    end_world();
}

TEST(private_skip, drops_values_of_another_number_of_processes)
{
    begin_world();
    save_by(4);
    for (uint32_t size = 1; size <= 6; size++) {
        struct reading reading = { .saved_by = 4,
            .run = { .options = { .drop = true } } };
        thread_comm_run(size, 0, -1, load_private, &reading);
        check_own(&reading.run, size, VARVE_OK);
        cr_assert_not(reading.has_kept[0]);
    }
    end_world();
}

TEST(private_skip, is_refused_on_all_ranks_if_one_does_not_drop)
{
    begin_world();
    save_by(4);
    struct reading reading = { .saved_by = 4, .by_rank = { &drops, NULL } };
    thread_comm_run(2, 0, -1, load_private, &reading);
    check_own(&reading.run, 2, VARVE_MISMATCH);
    cr_assert(strstr(reading.run.errors[0].message, "rank 1: "), "%s",
        reading.run.errors[0].message);
    cr_assert(reading.has_kept[0] && reading.has_kept[1]);
    end_world();
}

/* --- One process ---------------------------------------------------------- */

/* Rank 1 of three: a non-collective read involves no other rank. */
static const varve_comm second = { .rank = 1, .size = 3 };

static int32_t x, y;

static varve_node *add_second(varve_node *parent, const char *name,
    const varve_rank_local_options *options)
{
    y = -1;
    varve_node *mine = varve_add_rank_local(parent, name, &second, options);
    varve_add_variable(mine, "y", varve_scalar(&y));
    return mine;
}

static void check_consumed(varve_restoration *r)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert_eq(varve_pending_count(r), 0);
}

TEST(private_skip, keeps_no_pending_values_of_other_processes)
{
    begin_world();
    save_by(3);
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    add_second(root, "own", NULL);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(y, 1);
    check_consumed(r);
    varve_error error = { 0 };
    varve_report *report = varve_report_new(r, &error);
    cr_assert(strstr(varve_report_text(report),
                  "own/2/y") &&
                  strstr(varve_report_text(report),
                      "rank-local, of another rank"),
        "%s", varve_report_text(report));
    varve_report_free(report);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_skip, restores_nodes_added_after_the_read)
{
    begin_world();
    save_by(3);
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(varve_pending_count(r), 3);
    varve_node *mine = varve_add_rank_local(root, "own", &second, NULL);
    cr_assert_eq(varve_pending_count(r), 1);
    cr_assert_not_null(varve_pending(mine, "y"));
    varve_add_variable(mine, "y", varve_scalar(&y));
    cr_assert_eq(y, 1);
    check_consumed(r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_skip, refuses_nodes_added_after_the_read_until_dropped)
{
    begin_world();
    save_by(2);
    varve_node *root = new_root();
    varve_error error = { 0 };
    varve_add_variable(root, "x", varve_scalar(&x));
    varve_restoration *r = read_root(root, NULL);
    add_second(root, "own", NULL);
    cr_assert_eq(
        varve_graph_check(varve_node_graph(root), &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message,
                  "own: saved by 2 ranks, the program has 3"),
        "%s", error.message);
    cr_assert_eq(y, -1);
    cr_assert_ok(varve_drop_pending(r, "own/**", &error), error);
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_skip, follows_a_rename)
{
    static const varve_rename renames[] = { { "mine", "own" } };
    begin_world();
    save_by(3);
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    add_second(root, "mine", NULL);
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .rename = { .list = renames, .count = 1 } });
    cr_assert_eq(y, 1);
    check_consumed(r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_skip, is_dropped_as_the_target_of_a_rename)
{
    static const varve_rename renames[] = { { "mine", "own" } };
    begin_world();
    save_by(2);
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    add_second(root, "mine", &drops);
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .rename = { .list = renames, .count = 1 } });
    cr_assert_eq(y, -1);
    check_consumed(r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_skip, allows_a_rename_to_values_of_another_process)
{
    static const varve_rename renames[] = { { "own/0/y", "own/1/y" } };
    begin_world();
    save_by(3);
    int32_t z = -1;
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    varve_add_variable(
        varve_add_rank_local(root, "own", NULL, &drops), "y", varve_scalar(&z));
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .rename = { .list = renames, .count = 1 } });
    cr_assert_eq(z, 1);
    check_consumed(r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_skip, is_not_refused_if_excluded)
{
    static const char *const excepts[] = { "own", "own/**", "own/*" };
    begin_world();
    save_by(2);
    for (int i = 0; i < 3; i++) {
        varve_node *root = new_root();
        x = -1;
        varve_add_variable(root, "x", varve_scalar(&x));
        add_second(root, "own", NULL);
        varve_restoration *r =
            read_root(root, &(varve_read_options){ .except = excepts[i] });
        cr_assert_eq(x, 5, "%s", excepts[i]);
        cr_assert_eq(y, -1);
        check_consumed(r);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

TEST(private_skip, is_restored_to_objects_that_are_no_longer_rank_local)
{
    begin_world();
    save_by(3);
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_scalar(&x));
    add_second(root, "own", NULL);
    varve_restoration *r = read_root(root, NULL);
    varve_remove(varve_find(root, "own"));
    int32_t z = -1;
    varve_node *all = varve_add_object(root, "own");
    varve_add_variable(varve_add_object(all, "2"), "y", varve_scalar(&z));
    good(root);
    cr_assert_eq(z, 2);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(private_skip, reports_failed_allocations)
{
    begin_world();
    save_by(3);
    for (long number = 0;; number++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_add_variable(root, "x", varve_scalar(&x));
        add_second(root, "own", NULL);
        test_fail_allocation(number, false);
        varve_restoration *r = varve_read(root, FILE_NAME, NULL, &error);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        if (r)
            check_consumed(r);
        else
            cr_assert_eq(error.status, VARVE_NO_MEMORY);
        varve_restoration_free(r);
        free_root(root);
        if (is_over)
            break;
    }
    end_world();
}

/* test_merge_private.c - Tests merging rank-local subtrees.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_world.h"

static void check_edges(varve_reader *a, varve_reader *b, size_t id)
{
    const char *one, *two;
    uint32_t to, too;
    for (size_t i = 0; varve_reader_edge_at(a, id, i, &one, &to); i++) {
        cr_assert(varve_reader_edge_at(b, id, i, &two, &too));
        cr_assert_str_eq(one, two);
        cr_assert_eq(to, too);
    }
    uint32_t variable, variable_too;
    for (size_t i = 0; varve_reader_slot_at(a, id, i, &one, &variable, &to);
         i++) {
        cr_assert(
            varve_reader_slot_at(b, id, i, &two, &variable_too, &too));
        cr_assert_str_eq(one, two);
        cr_assert_eq(variable, variable_too);
        cr_assert_eq(to, too);
    }
    for (size_t i = 0; varve_reader_tag_at(a, id, i); i++)
        cr_assert_str_eq(
            varve_reader_tag_at(a, id, i), varve_reader_tag_at(b, id, i));
}

/* Compares everything in two files except the offsets of data and the digests
 * of values in pieces. */
static void check_same(varve_reader *a, varve_reader *b)
{
    uint8_t one[16], two[16];
    varve_error error = { 0 };
    cr_assert_eq(varve_reader_node_count(a), varve_reader_node_count(b));
    for (size_t i = 0; i < varve_reader_node_count(a); i++) {
        varve_saved_node x, y;
        cr_assert(varve_reader_node_at(a, i, &x));
        cr_assert(varve_reader_node_at(b, i, &y));
        cr_assert_str_eq(x.path, y.path);
        cr_assert_eq(x.kind, y.kind, "%s", x.path);
        cr_assert_eq(x.edge_count, y.edge_count);
        cr_assert_eq(x.slot_count, y.slot_count);
        cr_assert_eq(x.tag_count, y.tag_count);
        cr_assert_eq(x.has_value, y.has_value);
        cr_assert_eq(x.size, y.size, "%s", x.path);
        check_edges(a, b, i);
    }
    cr_assert_ok(varve_reader_digest(a, one, &error), error);
    cr_assert_ok(varve_reader_digest(b, two, &error), error);
    cr_assert_eq(memcmp(one, two, sizeof one), 0);
}

TEST(merge_private, makes_the_file_of_one_process_that_has_the_things_of_all)
{
    for (unsigned seed = 0; seed < 48; seed++) {
        uint32_t size = 1 + seed % MOST_RANKS;
        const varve_write_options write = {
            .incremental = seed / 12 % 2, .compress = seed / 24 % 2
        };
        varve_error error = { 0 };
        begin_world();
        struct own *plain = new_plain(size, seed);
        cr_assert_ok(
            varve_write(plain->root, "plain.varve", NULL, &error), error);
        if (write.incremental)
            save_ranks_as(size, seed + 1, write);
        save_ranks_as(size, seed, write);
        if (write.incremental) /* the base has other values */
            save_ranks_as(size, seed, write);
        varve_reader *one = open_world("plain.varve");
        varve_reader *all = open_world(FILE_NAME);
        check_same(one, all);
        varve_reader_free(all);
        varve_reader_free(one);
        free_own(plain);
        end_world();
    }
}

static void save_short(const varve_comm *comm, void *user)
{
    long number = *(long *)user;
    varve_error error = { 0 };
    struct own *w = new_own(comm, 3, true, NULL);
    test_fail_allocation(number, false);
    varve_status status =
        varve_write_all(comm, w->root, FILE_NAME, NULL, &error);
    bool is_over = test_allocation_count() <= number;
    test_fail_allocation(-1, false);
    if (is_over)
        *(long *)user = -1;
    else if (status)
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
    free_own(w);
}

TEST(merge_private, tells_of_memory_that_runs_out)
{
    begin_world();
    for (long number = 0;; number++) {
        long given = number;
        thread_comm_run(1, 0, -1, save_short, &given);
        if (given < 0)
            break;
    }
    varve_reader_free(open_world(FILE_NAME));
    end_world();
}

/* test_merge.c - Tests merging the contributions of all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/reader.h>

#include "private_world.h"
#include "reader.h"
#include "together_world.h"

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

/* All of two files but where their bytes are, and the digests of a value in
 * pieces. */
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

TEST(merge_private, writes_the_same_file_as_one_process_with_all_values)
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
        if (write.incremental) /* the one of other values is the base */
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

TEST(merge_private, reports_failed_allocations)
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

struct rows {
    bool are_reversed; /* the last rank has the first rows */
    varve_error error;
};

/* Saves rows of a table, of which the `i`th rank has `i` % 3. */
static void save_rows(const varve_comm *comm, void *user)
{
    struct rows *how = user;
    varve_error *error = &how->error;
    double rows[8][3];
    uint32_t number =
        how->are_reversed ? comm->size - 1 - comm->rank : comm->rank;
    uint64_t first[] = { 0, 0 }, count = number % 3;
    varve_node *root = new_root();
    for (uint32_t i = 0; i < number; i++)
        first[0] += i % 3;
    for (uint64_t i = 0; i < 8; i++) {
        for (uint64_t k = 0; k < 3; k++)
            rows[i][k] = (double)((first[0] + i) * 3 + k);
    }
    varve_add_slice(root, "rows", varve_array(&rows[0][0], count, 3),
        VARVE_SHAPE(6, 3), first);
    varve_status status = varve_write_all(
        comm, root, FILE_NAME, NULL, comm->rank == 0 ? error : NULL);
    cr_assert_eq(status, VARVE_OK);
    free_root(root);
}

TEST(merge, orders_slices_independent_of_ranks)
{
    for (int i = 0; i < 2; i++) {
        struct rows how = { .are_reversed = i };
        varve_error error = { 0 };
        varve_saved_node node;
        double rows[18];
        begin_world();
        thread_comm_run(6, 1, -1, save_rows, &how);
        varve_reader *reader =
            vv_reader_open_in(&world.context, FILE_NAME, &error);
        cr_assert(reader, "%s", error.message);
        cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
        cr_assert(varve_reader_find(reader, "rows", &node));
        cr_assert_ok(varve_reader_read(
                         reader, node.id, rows, sizeof rows, &error),
            error);
        for (int k = 0; k < 18; k++)
            cr_assert_eq(rows[k], k);
        varve_reader_free(reader);
        end_world();
    }
}

/* One rank has the whole value: it is not stored in pieces, and the others need
 * no data file. */
static void save_one(const varve_comm *comm, void *user)
{
    float values[10];
    uint64_t start = 0;
    varve_node *root = new_root();
    for (int i = 0; i < 10; i++)
        values[i] = (float)i;
    varve_add_slice(root, "values",
        varve_array(values, comm->rank == 1 ? 10 : 0), VARVE_SHAPE(10),
        &start);
    cr_assert_eq(varve_write_all(comm, root, FILE_NAME, NULL, user), VARVE_OK);
    free_root(root);
}

TEST(merge, keeps_a_value_of_one_rank_in_one_piece)
{
    float values[10] = { 0 };
    begin_world();
    thread_comm_run(3, 1, -1, save_one, NULL);
    varve_node *root = new_root();
    varve_add_variable(root, "values", varve_array(values, 10));
    varve_restoration_free(read_root(root, NULL));
    cr_assert_eq(values[9], 9);
    free_root(root);
    end_world();
}

/* A checkpoint without data has no data files. */
static void save_nothing(const varve_comm *comm, void *user)
{
    varve_node *root = new_root();
    varve_add_object(root, "empty");
    cr_assert_eq(varve_write_all(comm, root, FILE_NAME, NULL, user), VARVE_OK);
    free_root(root);
}

TEST(merge, creates_no_data_files_without_data)
{
    begin_world();
    thread_comm_run(3, 1, -1, save_nothing, NULL);
    varve_node *root = new_root();
    varve_add_object(root, "empty");
    varve_restoration_free(read_root(root, NULL));
    free_root(root);
    end_world();
}

static void save_one_row(const varve_comm *comm, void *user)
{
    static const varve_write_options options = { .incremental = true };
    uint64_t row = comm->rank;
    varve_node *root = new_root();
    varve_add_slice(root, "rows", varve_array(&row, 1),
        VARVE_SHAPE(comm->size), &row);
    cr_assert_eq(
        varve_write_all(comm, root, FILE_NAME, &options, user), VARVE_OK);
    free_root(root);
}

/* An index can refer to 256 data files. The limit leaves room for those of
 * older saves. */
TEST(merge, limits_the_number_of_new_data_files)
{
    size_t layers = 0;
    begin_world();
    thread_comm_run(90, 1, -1, save_one_row, NULL);
    for (size_t i = 0; i < memory_file_count(world.memory); i++)
        layers += strstr(memory_file_path(world.memory, i), "layers/") != NULL;
    cr_assert_eq(layers, 64);
    end_world();
}

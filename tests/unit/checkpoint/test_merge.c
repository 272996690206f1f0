/* test_merge.c - Tests merging the contributions of all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "together_world.h"

#include <varve/reader.h>

#include "reader.h"

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

TEST(merge, puts_slices_in_order_whoever_has_them)
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

TEST(merge, leaves_a_value_that_one_rank_has_in_one_piece)
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

TEST(merge, makes_no_layers_of_nothing)
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
TEST(merge, makes_no_more_layers_than_leave_room_for_older_ones)
{
    size_t layers = 0;
    begin_world();
    thread_comm_run(90, 1, -1, save_one_row, NULL);
    for (size_t i = 0; i < memory_file_count(world.memory); i++)
        layers += strstr(memory_file_path(world.memory, i), "layers/") != NULL;
    cr_assert_eq(layers, 64);
    end_world();
}

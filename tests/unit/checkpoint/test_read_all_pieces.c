/* test_read_all_pieces.c - Tests collective restores of files with so many
 * pieces that their tables stay in the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <varve/slice.h>
#include <varve/collective.h>

#include <errno.h>

#include "support/cut_pieces.h"
#include "support/faulty_system.h"
#include "support/proof.h"
#include "support/thread_comm.h"

enum { RANKS = 3, ALL_ROWS = 40000, ROW = 3, ROWS = 100 };

static const uint64_t firsts[RANKS] = { 0, 17001, ALL_ROWS - ROWS };

/* The options of each rank, and its results. */
struct reading {
    varve_read_options options;
    bool is_damaged;
    varve_status statuses[RANKS], late[RANKS];
    varve_error errors[RANKS];
    bool is_right[RANKS];
};

static void write_pieces(void)
{
    varve_error error = { 0 };
    varve_box *boxes = calloc(ALL_ROWS, sizeof *boxes);
    int32_t *rows = calloc(ALL_ROWS, ROW * sizeof *rows);
    int32_t *whole = calloc(ALL_ROWS, ROW * sizeof *rows);
    for (int i = 0; i < ALL_ROWS * ROW; i++)
        rows[i] = whole[i] = i;
    for (uint64_t i = 0; i < ALL_ROWS; i++)
        boxes[i] = (varve_box){ .start = { i }, .extents = { 1, ROW } };
    varve_node *root = new_root();
    varve_add_variable(root, "rows",
        varve_view(rows, VARVE_INT32, VARVE_SHAPE(ALL_ROWS, ROW)));
    varve_add_variable(root, "whole",
        varve_view(whole, VARVE_INT32, VARVE_SHAPE(ALL_ROWS, ROW)));
    write_root(root);
    free_root(root);
    cr_assert_ok(cut_into_pieces(&world.context, FILE_NAME, "rows", boxes,
                     ALL_ROWS, &error),
        error);
    free(rows);
    free(whole);
    free(boxes);
}

static void add_rows(varve_node *root, const char *name, int32_t *rows,
    uint64_t count, uint64_t first)
{
    varve_add_slice(root, name,
        varve_view(rows, VARVE_INT32, VARVE_SHAPE(count, ROW)),
        VARVE_SHAPE(ALL_ROWS, ROW), (uint64_t[]){ first, 0 });
}

static bool are_rows(const int32_t *rows, uint64_t count, uint64_t first)
{
    bool are = true;
    for (uint64_t i = 0; i < count * ROW; i++)
        are &= rows[i] == (int32_t)(first * ROW + i);
    return are;
}

/* Each rank has some rows, and one has all rows of the others. */
static void load(const varve_comm *comm, void *user)
{
    struct reading *reading = user;
    uint32_t i = comm->rank;
    int32_t rows[ROWS * ROW] = { 0 };
    int32_t *whole = calloc(ALL_ROWS, ROW * sizeof *whole);
    varve_node *root = new_root();
    add_rows(root, "rows", rows, ROWS, firsts[i]);
    add_rows(root, "whole", whole, ALL_ROWS, 0);
    varve_restoration *r = varve_read_all(
        comm, root, FILE_NAME, &reading->options, &reading->errors[i]);
    reading->statuses[i] = r ? VARVE_OK : reading->errors[i].status;
    reading->is_right[i] = are_rows(rows, ROWS, firsts[i]) &&
                           are_rows(whole, ALL_ROWS, 0);
    varve_restoration_free(r);
    free_root(root);
    free(whole);
}

TEST(read_all_pieces, finds_pieces_left_in_the_file)
{
    begin_world();
    write_pieces();
    for (int i = 0; i < 2; i++) {
        struct reading reading = { .options.passes =
                                       i ? VARVE_TWO_PASSES : VARVE_ONE_PASS };
        thread_comm_run(RANKS, 0, -1, load, &reading);
        for (int k = 0; k < RANKS; k++) {
            cr_assert_ok(reading.statuses[k], reading.errors[k]);
            cr_assert(reading.is_right[k], "rank %d", k);
        }
    }
    end_world();
}

/* If any read fails, no rank may have wrong rows and report success. */
TEST(read_all_pieces, are_correct_or_reported_as_failed)
{
    const struct vv_system *before;
    bool is_over = false;
    long failures = 0, step = (long)proof_size(7, 1);
    begin_world();
    write_pieces();
    before = world.context.system;
    struct faulty *faulty = faulty_new(before);
    world.context.system = faulty_system(faulty);
    for (long number = 0; !is_over; number += step) {
        struct reading reading = { .options.passes = VARVE_TWO_PASSES };
        faulty_plan(
            faulty, &(struct faulty_plan){ .number = number, .error = EIO });
        thread_comm_run(RANKS, 0, -1, load, &reading);
        is_over = !faulty_hit(faulty);
        for (int k = 0; k < RANKS; k++) {
            failures += reading.statuses[k] != VARVE_OK;
            cr_assert(reading.statuses[k] || reading.is_right[k]);
        }
    }
    cr_assert_geq(failures, RANKS * 5);
    world.context.system = before;
    faulty_free(faulty);
    end_world();
}

static void damage_boxes(void)
{
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (size_t i = size / 2; i < size - 64; i++)
        bytes[i] ^= 1;
}

/* A value that is added later, with "rows" under another name. */
static void load_late(const varve_comm *comm, void *user)
{
    struct reading *reading = user;
    uint32_t i = comm->rank;
    int32_t rows[ROWS * ROW] = { 0 };
    const varve_rename list[] = { { "late", "rows" } };
    const varve_read_options options = {
        .rename.list = list, .rename.count = 1
    };
    varve_error *error = &reading->errors[i];
    varve_node *root = new_root();
    varve_restoration *r =
        varve_read_all(comm, root, FILE_NAME, &options, error);
    reading->statuses[i] = r ? VARVE_OK : error->status;
    cr_assert_eq(varve_agree(comm, VARVE_OK, NULL), VARVE_OK);
    if (reading->is_damaged && i == 0)
        damage_boxes();
    cr_assert_eq(varve_agree(comm, VARVE_OK, NULL), VARVE_OK);
    add_rows(root, "late", rows, ROWS, firsts[i] / 2);
    reading->late[i] = varve_graph_check(varve_node_graph(root), error);
    reading->is_right[i] = reading->late[i] == VARVE_OK
                               ? are_rows(rows, ROWS, firsts[i] / 2)
                               : rows[0] == 0 && rows[ROWS * ROW - 1] == 0;
    varve_restoration_free(r);
    free_root(root);
}

TEST(read_all_pieces, restores_late_values_or_reports_damaged_boxes)
{
    for (int is_damaged = 0; is_damaged < 2; is_damaged++) {
        struct reading reading = { .is_damaged = is_damaged };
        begin_world();
        write_pieces();
        thread_comm_run(RANKS, 0, -1, load_late, &reading);
        for (int k = 0; k < RANKS; k++) {
            cr_assert_eq(reading.statuses[k], VARVE_OK);
            cr_assert_eq(reading.late[k],
                is_damaged ? VARVE_CORRUPT : VARVE_OK, "%s",
                reading.errors[k].message);
            cr_assert(reading.is_right[k], "rank %d", k);
        }
        end_world();
    }
}

/* test_piece_runs.c - Tests runs of pieces and their bounding boxes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "index_out.h"
#include "layout.h"
#include "paged_columns.h"
#include "piece_table.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "index.h"
#include "system.h"

enum {
    FIRST,
    PLAIN,
    SECOND,
    VALUES,
    /* rows of a value, with this many columns: */
    PIECES = 10 * VV_RUN_PIECES + 3,
    WIDTH = 20,
    FEW = 2
};

static const varve_tensor types[] = {
    { .dtype = VARVE_UINT8, .rank = 2, .shape = { PIECES, WIDTH } },
    { .dtype = VARVE_FLOAT32, .rank = 2, .shape = { 2, 3 } },
    { .dtype = VARVE_INT64, .rank = 1, .shape = { FEW } },
};

static struct {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
    struct vv_index_columns columns;
    struct vv_index near, index; /* in memory, and with boxes in a file */
    struct vv_value_table table;
    struct vv_paged_columns *far;
} world;

static void begin_near(void)
{
    static varve_box boxes[PIECES];
    varve_error error;
    struct vv_index_columns *c = &world.columns;
    vv_index_columns_begin(c, test_allocator());
    for (uint32_t i = 0; i < VALUES; i++)
        vv_index_add_value(
            c, i, &types[i], varve_tensor_size(&types[i]), true);
    for (uint32_t i = 0; i < PIECES; i++)
        boxes[i] = (varve_box){ .start = { i }, .extents = { 1, WIDTH } };
    vv_index_add_pieces(c, FIRST, 2, boxes, PIECES);
    vv_index_add_pieces(c, SECOND, 1, boxes, FEW);
    world.near = vv_index_of_columns(c);
    cr_assert_ok(vv_value_table_make(&world.table, test_allocator(),
                     &world.near, &error),
        error);
    vv_value_table_fill(&world.table, &world.near);
}

static void begin_far(void)
{
    struct vv_piece_runs counts;
    size_t size = (size_t)world.near.box_number_count * 8;
    vv_piece_runs_count(&counts, &world.near);
    world.far = vv_paged_columns_new(&world.context, 1000);
    cr_assert_not_null(world.far);
    struct vv_paged_column *boxes = &world.far->columns[VV_KEY_PIECE_BOXES];
    boxes->offset = 64;
    boxes->size = size;
    world.far->runs = counts;
    cr_assert_leq(vv_paged_words(world.far), 1000);
    vv_paged_columns_point(world.far);
    struct vv_piece_runs *runs = &world.far->runs;
    runs->boxes[0] = runs->firsts[0] = runs->hulls[0] = 0;
    for (uint32_t row = 0; row < world.near.pieced_count; row++) {
        uint32_t value = vv_at32(world.near.pieced_values, row);
        varve_tensor type = vv_index_tensor(&world.near, &world.table, value);
        vv_piece_runs_add(runs, &world.near, row, &type);
    }
    world.far->is_checked = true;
    for (size_t at = 0; at < size; at += VV_FAR_BLOCK)
        boxes->sums[at / VV_FAR_BLOCK] =
            vv_hash_of(world.near.piece_boxes + at,
                size - at < VV_FAR_BLOCK ? size - at : VV_FAR_BLOCK);
}

static void begin(void)
{
    begin_near();
    world.memory = memory_new();
    world.faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(world.faulty));
    const struct vv_system *system = world.context.system;
    size_t size = (size_t)world.near.box_number_count * 8;
    static uint8_t file[64 + 40 * PIECES];
    memcpy(file + 64, world.near.piece_boxes, size);
    memory_put(world.memory, "file", file, 64 + size);
    begin_far();
    world.far->path = "file";
    world.far->file =
        system->open_file(system->state, VV_WORKING_DIRECTORY, "file");
    world.index = world.near;
    world.index.piece_boxes = NULL;
    world.index.far = world.far;
}

static void end(void)
{
    const struct vv_system *system = world.context.system;
    system->close(system->state, world.far->file);
    vv_paged_columns_free(world.far);
    vv_value_table_clear(&world.table, test_allocator());
    vv_index_columns_end(&world.columns);
    faulty_free(world.faulty);
    memory_free(world.memory);
}

TEST(piece_runs, has_a_bounding_box_for_each_few_pieces)
{
    begin();
    const struct vv_piece_runs *runs = &world.far->runs;
    cr_assert_eq(runs->row_count, 2);
    cr_assert_eq(runs->run_count, 11 + 1 + 1 + 1);
    cr_assert_eq(runs->hull_count, 11 * 4 + 2);
    const uint64_t *hull = runs->boxes_of_runs + 4 * 3;
    cr_assert_eq(hull[0], 3 * VV_RUN_PIECES);
    cr_assert_eq(hull[1], 0);
    cr_assert_eq(hull[2], VV_RUN_PIECES);
    cr_assert_eq(hull[3], WIDTH);
    cr_assert_eq(runs->boxes_of_runs[4 * 10 + 2], 3);
    cr_assert_eq(runs->boxes_of_runs[4 * 11 + 1], FEW);
    cr_assert_eq(vv_run_chunks(runs, 0), PIECES);
    cr_assert_eq(vv_run_chunks(runs, 1), FEW);
    end();
}

TEST(piece_runs, iterates_over_all_pieces_or_those_of_a_box)
{
    struct vv_run_walk walk;
    struct vv_value_piece piece;
    const varve_box box = { .start = { 4 * VV_RUN_PIECES + 1, 3 },
        .extents = { VV_RUN_PIECES, 1 } };
    begin();
    vv_run_walk_begin(&walk, &world.index, &world.table, FIRST, 0);
    for (uint32_t i = 0; i < PIECES; i++) {
        cr_assert(vv_run_walk_next(&walk, &piece));
        cr_assert_eq(walk.number, i + 1);
        cr_assert_eq(piece.box.start[0], i);
        cr_assert_eq(piece.begin, (uint64_t)i * WIDTH);
        cr_assert_eq(piece.size, WIDTH);
        cr_assert_eq(piece.first_chunk, i);
    }
    cr_assert_not(vv_run_walk_next(&walk, &piece));
    cr_assert_not(vv_run_walk_skip(&walk, &box));

    vv_run_walk_begin(&walk, &world.index, &world.table, FIRST, 0);
    uint32_t count = 0;
    while (vv_run_walk_skip(&walk, &box) && vv_run_walk_next(&walk, &piece))
        count++;
    cr_assert_eq(count, 2 * VV_RUN_PIECES, "two runs have something of it");
    end();
}

TEST(piece_runs, reads_little_for_one_piece)
{
    struct vv_value_piece piece;
    uint32_t number;
    begin();
    cr_assert(vv_run_find(
        &world.index, &world.table, FIRST, PIECES - 1, &piece, &number));
    cr_assert_eq(number, PIECES - 1);
    cr_assert_eq(piece.first_chunk, PIECES - 1);
    cr_assert_leq(faulty_log_read(world.faulty), 2 * VV_FAR_BLOCK);
    vv_piece_at(&world.index, &world.table, SECOND, 1, &piece);
    cr_assert_eq(piece.box.start[0], 1);
    cr_assert_eq(piece.size, 8);
    vv_piece_at(&world.index, &world.table, PLAIN, 0, &piece);
    cr_assert_eq(piece.size, 24);
    end();
}

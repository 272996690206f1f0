/* test_piece_table.c - Tests the table of pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "index.h"
#include "index_out.h"
#include "layout.h"
#include "piece_table.h"

/* A large value in pieces of rows that are not a multiple of a chunk, and a
 * small one in columns; between and after them some values without pieces, and
 * one that is not saved. */
enum { PLAIN, ROWS, UNSAVED, MANY, COLUMNS, LAST, VALUES = 30 };
enum { ROW = 1000 };

static const varve_tensor types[] = {
    { .dtype = VARVE_FLOAT32, .rank = 2, .shape = { 2, 3 } },
    { .dtype = VARVE_UINT8, .rank = 2, .shape = { 3000, ROW } },
    { .dtype = VARVE_FLOAT64, .rank = 1, .shape = { 7 } },
    { .dtype = VARVE_UINT8, .rank = 1, .shape = { 2 * VV_CHUNK_SIZE + 1 } },
    { .dtype = VARVE_INT16, .rank = 3, .shape = { 2, 3, 4 } },
    { .dtype = VARVE_FLOAT32, .rank = 0 },
};

static const varve_box rows[] = {
    { .start = { 0 }, .extents = { 1500, ROW } },
    { .start = { 1500 }, .extents = { 1, ROW } },
    { .start = { 1501 }, .extents = { 1499, ROW } },
};

static const varve_box columns[] = {
    { .start = { 0, 0, 0 }, .extents = { 2, 3, 1 } },
    { .start = { 0, 0, 1 }, .extents = { 2, 3, 3 } },
};

static struct vv_index_columns c;
static struct vv_index index;
static struct vv_value_table table;

static void build(void)
{
    varve_error error;
    vv_index_columns_begin(&c, test_allocator());
    for (uint32_t i = 0; i < VALUES; i++) {
        const varve_tensor *type = &types[i < LAST ? i : LAST];
        vv_index_add_value(&c, i, type,
            i == UNSAVED ? 0 : varve_tensor_size(type), i != UNSAVED);
    }
    vv_index_add_pieces(&c, ROWS, 2, rows, 3);
    vv_index_add_pieces(&c, COLUMNS, 3, columns, 2);
    index = vv_index_of_columns(&c);
    cr_assert_ok(
        vv_value_table_make(&table, test_allocator(), &index, &error), error);
    vv_value_table_fill(&table, &index);
}

static void end(void)
{
    vv_value_table_clear(&table, test_allocator());
    vv_index_columns_end(&c);
}

TEST(piece_table, returns_the_pieces_of_values)
{
    struct vv_value_piece piece;
    build();
    cr_assert_eq(vv_piece_count(&index, PLAIN), 1);
    cr_assert_eq(vv_piece_count(&index, ROWS), 3);
    cr_assert_eq(vv_piece_count(&index, COLUMNS), 2);
    cr_assert_eq(vv_piece_count(&index, VALUES - 1), 1);
    vv_piece_at(&index, &table, ROWS, 2, &piece);
    cr_assert_eq(piece.box.start[0], 1501);
    cr_assert_eq(piece.box.start[1], 0);
    cr_assert_eq(piece.box.extents[0], 1499);
    cr_assert_eq(piece.box.extents[1], ROW);
    cr_assert_eq(piece.begin, 1501 * ROW);
    cr_assert_eq(piece.size, 1499 * ROW);
    cr_assert_eq(piece.first_chunk, 3, "two of the first, one of the row");
    vv_piece_at(&index, &table, COLUMNS, 0, &piece);
    cr_assert_eq(piece.box.extents[2], 1);
    cr_assert_eq(piece.begin, 0);
    cr_assert_eq(piece.size, 12);
    cr_assert_eq(piece.first_chunk, 0);
    vv_piece_at(&index, &table, COLUMNS, 1, &piece);
    cr_assert_eq(piece.box.start[2], 1);
    cr_assert_eq(piece.begin, 12);
    cr_assert_eq(piece.size, 36);
    end();
}

TEST(piece_table, returns_a_value_without_pieces_as_one_piece)
{
    struct vv_value_piece piece;
    build();
    vv_piece_at(&index, &table, MANY, 0, &piece);
    cr_assert_eq(piece.box.start[0], 0);
    cr_assert_eq(piece.box.extents[0], 2 * VV_CHUNK_SIZE + 1);
    cr_assert_eq(piece.begin, 0);
    cr_assert_eq(piece.size, 2 * VV_CHUNK_SIZE + 1);
    cr_assert_eq(piece.first_chunk, 0);
    vv_piece_at(&index, &table, LAST, 0, &piece);
    cr_assert_eq(piece.size, 4);
    end();
}

TEST(piece_table, finds_the_piece_of_a_chunk)
{
    static const uint32_t expected[] = { 0, 0, 1, 2, 2 };
    build();
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(
            vv_piece_of_chunk(&index, &table, ROWS, i), expected[i], "%u", i);
    cr_assert_eq(vv_piece_of_chunk(&index, &table, COLUMNS, 1), 1);
    cr_assert_eq(vv_piece_of_chunk(&index, &table, MANY, 2), 0);
    end();
}

/* Each chunk begins at the end of the previous one, and the first chunk of a
 * piece at its beginning. */
static void check_chunks(uint32_t value)
{
    uint64_t at = 0, begin;
    size_t size;
    for (uint64_t i = 0; i < vv_value_chunks(&index, &table, value); i++) {
        struct vv_value_piece piece;
        uint32_t number = vv_piece_of_chunk(&index, &table, value, i);
        vv_chunk_range(&index, &table, value, i, &begin, &size);
        vv_piece_at(&index, &table, value, number, &piece);
        cr_assert_eq(begin, at, "chunk %d of value %u", (int)i, value);
        cr_assert_eq((begin - piece.begin) % VV_CHUNK_SIZE, 0);
        cr_assert(size == VV_CHUNK_SIZE ||
            begin + size == piece.begin + piece.size);
        cr_assert_leq(size, VV_CHUNK_SIZE);
        at += size;
    }
    cr_assert_eq(at, vv_at64(index.value_sizes, value));
}

TEST(piece_table, counts_the_chunks_of_each_piece)
{
    uint64_t digests = 0;
    build();
    cr_assert_eq(vv_value_chunks(&index, &table, PLAIN), 1);
    cr_assert_eq(vv_value_chunks(&index, &table, ROWS), 5);
    cr_assert_eq(vv_value_chunks(&index, &table, UNSAVED), 0);
    cr_assert_eq(vv_value_chunks(&index, &table, MANY), 3);
    cr_assert_eq(vv_value_chunks(&index, &table, COLUMNS), 2);
    for (uint32_t i = 0; i < VALUES; i++) {
        check_chunks(i);
        cr_assert_eq(vv_first_digest(&index, &table, i), digests, "%u", i);
        digests += vv_value_chunks(&index, &table, i);
    }
    cr_assert_eq(vv_first_digest(&index, &table, VALUES), digests);
    end();
}

TEST(piece_table, needs_no_memory_without_pieces)
{
    struct vv_index none = { .value_count = 5 };
    struct vv_piece_table pieces;
    varve_error error;
    cr_assert_ok(
        vv_piece_table_make(&pieces, test_allocator(), &none, &error), error);
    cr_assert_eq(test_block_count(), 0);
    vv_piece_table_clear(&pieces, test_allocator());
    cr_assert_eq(vv_piece_count(&none, 3), 1);
}

TEST(piece_table, leaks_nothing_without_memory)
{
    struct vv_index some = { .pieced_count = 3, .box_number_count = 40 };
    struct vv_piece_table pieces;
    for (long n = 0; n < 2; n++) {
        test_fail_allocation(n, false);
        varve_status status =
            vv_piece_table_make(&pieces, test_allocator(), &some, NULL);
        test_fail_allocation(-1, false);
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), 0);
        vv_piece_table_clear(&pieces, test_allocator());
    }
}

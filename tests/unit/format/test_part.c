/* test_part.c - Tests the chunks that a box intersects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "index.h"
#include "index_out.h"
#include "layout.h"
#include "part.h"

/* Values of 8 bytes: rows of one and a half chunks; four values are contiguous,
 * and in four the last two are in pieces of half their columns. */
enum { WHOLE, PIECES, ROWS = 4 };
#define CHUNK (VV_CHUNK_SIZE / 8)
#define ROW (CHUNK * 3 / 2)

static struct vv_index_columns columns;
static struct vv_parsed_index parsed;

static void build(void)
{
    const varve_tensor type = {
        .dtype = VARVE_FLOAT64, .rank = 2, .shape = { ROWS, ROW }
    };
    static const varve_box boxes[] = {
        { { 0, 0 }, { 2, ROW } },
        { { 2, 0 }, { 2, ROW / 2 } },
        { { 2, ROW / 2 }, { 2, ROW / 2 } },
    };
    varve_error error;
    vv_index_columns_begin(&columns, test_allocator());
    for (uint32_t i = 0; i < 2; i++)
        vv_index_add_value(&columns, i, &type, varve_tensor_size(&type), true);
    vv_index_add_pieces(&columns, PIECES, 2, boxes, 3);
    parsed.index = vv_index_of_columns(&columns);
    cr_assert_ok(vv_value_table_make(&parsed.table, test_allocator(),
                     &parsed.index, &error),
        error);
    vv_value_table_fill(&parsed.table, &parsed.index);
}

static void end(void)
{
    vv_value_table_clear(&parsed.table, test_allocator());
    vv_index_columns_end(&columns);
}

/* Returns the chunks that a box intersects, as decimal digits. */
static uint64_t chunks_of(uint32_t value, varve_box box)
{
    uint64_t digits = 0;
    struct vv_chunk_part part;
    for (uint64_t c = 0; vv_part_from(&parsed, value, &box, c, &part);
         c = part.chunk + 1)
        digits = 10 * digits + part.chunk + 1;
    return digits;
}

TEST(part, is_a_chunk_that_a_box_intersects)
{
    build();
    cr_assert_eq(chunks_of(WHOLE, (varve_box){ { 0 }, { ROWS, ROW } }), 123456);
    cr_assert_eq(chunks_of(WHOLE, (varve_box){ { 1 }, { 1, ROW } }), 23);
    cr_assert_eq(chunks_of(WHOLE, (varve_box){ { 0 }, { ROWS, 1 } }), 1245);
    cr_assert_eq(
        chunks_of(WHOLE, (varve_box){ { 3, ROW - 1 }, { 1, 1 } }), 6);
    cr_assert_eq(chunks_of(WHOLE, (varve_box){ { 1, 4 }, { 0, 1 } }), 0);
    cr_assert_eq(chunks_of(WHOLE, (varve_box){ { 4, 0 }, { 0, ROW } }), 0);
    end();
}

/* The first piece has 3 chunks, the others have 2 each: one and a half. */
TEST(part, belongs_to_the_piece_that_has_the_chunk)
{
    build();
    cr_assert_eq(
        chunks_of(PIECES, (varve_box){ { 0 }, { ROWS, ROW } }), 1234567);
    cr_assert_eq(chunks_of(PIECES, (varve_box){ { 1 }, { 1, ROW } }), 23);
    cr_assert_eq(chunks_of(PIECES, (varve_box){ { 0 }, { ROWS, 1 } }), 124);
    cr_assert_eq(chunks_of(PIECES, (varve_box){ { 3 }, { 1, ROW } }), 4567);
    cr_assert_eq(
        chunks_of(PIECES, (varve_box){ { 2, ROW / 2 }, { 1, 2 } }), 6);
    end();
}

TEST(part, has_its_elements_and_bytes)
{
    struct vv_chunk_part part, again;
    const varve_box box = { { 3, ROW - 1 }, { 1, 1 } };
    build();
    cr_assert(vv_part_from(&parsed, PIECES, &box, 0, &part));
    cr_assert_eq(part.chunk, 6);
    cr_assert_eq(part.first, CHUNK);
    cr_assert_eq(part.end, ROW);
    cr_assert_eq(part.begin, 8 * (3 * ROW + CHUNK));
    cr_assert_eq(part.size, VV_CHUNK_SIZE / 2);
    cr_assert(part.box.start[0] == 2 && part.box.start[1] == ROW / 2);
    vv_part_of_chunk(&parsed, PIECES, 6, &again);
    cr_assert_eq(again.first, part.first);
    cr_assert_eq(again.end, part.end);
    cr_assert_eq(again.begin, part.begin);
    cr_assert_eq(again.box.start[1], ROW / 2);
    end();
}

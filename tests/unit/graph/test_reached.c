/* test_reached.c - Tests members reached through functions: bit-fields and rows
 * of pointers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <string.h>

#include "reached.h"
#include "variable.h"

struct things {
    int count, width;
    float **rows;
    unsigned low : 7, high : 9;
    uint64_t all : 64;
};

static size_t length(const void *object, size_t row)
{
    (void)object;
    return row == 1 ? 0 : row + 1;
}

static const varve_field fields[] = {
    VARVE_FIELD_ROWS(struct things, rows, count, width),
    VARVE_FIELD_ROWS_BY(struct things, rows, count, length),
    VARVE_FIELD_BITS(struct things, low),
    VARVE_FIELD_BITS(struct things, high),
    VARVE_FIELD_BITS(struct things, all),
    VARVE_FIELD(struct things, count),
};

enum { ROWS, RAGGED, LOW, HIGH, ALL, NUMBER };

static float first[4] = { 1, 2, 3, 4 }, third[4] = { 5, 6, 7, 8 }, second[4];
static float *table[3];

static struct things new_things(void)
{
    table[0] = first;
    table[1] = second;
    table[2] = third;
    return (struct things){ 3, 2, table, 100, 300, UINT64_MAX - 1 };
}

static void out(const varve_node *node, uint64_t offset, void *to, size_t size)
{
    const varve_memory *m = node->variable->tensor.memory;
    cr_assert_eq(m->copy_out(m->self, offset, to, size), VARVE_OK);
}

TEST(reached, distinguishes_fields_by_their_kind)
{
    for (int i = ROWS; i < NUMBER; i++)
        cr_assert(vv_is_reached(&fields[i]));
    cr_assert(!vv_is_reached(&fields[NUMBER]));
}

/* Any range of whole elements, also across empty rows. */
TEST(reached, copies_ranges_that_begin_and_end_in_rows)
{
    static const float values[] = { 1, 5, 6, 7 };
    struct things t = new_things();
    varve_graph *graph = new_graph();
    varve_node *node = vv_reached_new(graph, &fields[RAGGED], &t);
    cr_assert_eq(node->variable->tensor.shape[0], 4);
    for (size_t begin = 0; begin <= 4; begin++) {
        for (size_t end = begin; end <= 4; end++) {
            float got[4] = { 0 };
            size_t size = (end - begin) * sizeof(float);
            out(node, begin * sizeof(float), got, size);
            cr_assert_arr_eq(got, values + begin, size);
        }
    }
    const varve_memory *m = node->variable->tensor.memory;
    const float more[2] = { 70, 80 };
    m->copy_in(m->self, sizeof(float), more, sizeof more);
    cr_assert_eq(third[0] + third[1], 150);
    third[0] = 5;
    third[1] = 6;
    varve_remove(node);
    free_good(graph);
}

TEST(reached, follows_pointers_lengths_and_objects)
{
    struct things t = new_things(), other = t;
    varve_graph *graph = new_graph();
    const varve_field *f = &fields[ROWS];
    varve_node *node = vv_reached_new(graph, f, &t);
    cr_assert(vv_reached_is_over(node, f, &t));
    cr_assert(!vv_reached_is_over(node, f, &other));
    table[1] = third + 2;
    cr_assert(!vv_reached_is_over(node, f, &t));
    vv_reached_rebind(node, f, &t);
    cr_assert(vv_reached_is_over(node, f, &t));
    t.width = 1;
    cr_assert(!vv_reached_is_over(node, f, &t));
    t.width = 2;
    t.count = 2;
    cr_assert(!vv_reached_is_over(node, f, &t));
    vv_reached_rebind(node, f, &t);
    cr_assert_eq(node->variable->tensor.shape[0], 2);
    cr_assert_eq(vv_reached_pieces(node), 2);
    const struct vv_address_range piece = vv_reached_piece(node, 1);
    cr_assert_eq(piece.begin, (uintptr_t)(third + 2));
    cr_assert_eq(piece.end, (uintptr_t)(third + 4));
    varve_rebind(node, varve_array(first, 2, 2));
    cr_assert(!vv_reached_is_over(node, f, &t));
    cr_assert_eq(vv_reached_pieces(node), 0);
    varve_remove(node);
    free_good(graph);
}

TEST(reached, has_the_bits_of_its_member_alone)
{
    struct things t = new_things(), other = t;
    varve_graph *graph = new_graph();
    varve_node *low = vv_reached_new(graph, &fields[LOW], &t);
    varve_node *high = vv_reached_new(graph, &fields[HIGH], &t);
    varve_node *all = vv_reached_new(graph, &fields[ALL], &t);
    varve_node *again = vv_reached_new(graph, &fields[LOW], &t);
    varve_node *elsewhere = vv_reached_new(graph, &fields[LOW], &other);
    uint64_t number = 0;
    out(low, 0, &number, sizeof number);
    cr_assert_eq(number, 100);
    out(high, 0, &number, sizeof number);
    cr_assert_eq(number, 300);
    out(all, 0, &number, sizeof number);
    cr_assert_eq(number, UINT64_MAX - 1);
    cr_assert(vv_reached_are_bits(low, high));
    cr_assert(!vv_reached_share_bits(low, high));
    cr_assert(vv_reached_share_bits(low, again));
    cr_assert(!vv_reached_share_bits(low, elsewhere));
    cr_assert(vv_reached_alike(low, again));
    cr_assert(!vv_reached_alike(low, high));
    cr_assert(!vv_reached_alike(low, elsewhere));
    cr_assert_eq(vv_reached_pieces(all), 1);
    const struct vv_address_range piece = vv_reached_piece(all, 0);
    cr_assert_eq(piece.end - piece.begin, 8);
    varve_remove(low);
    varve_remove(high);
    varve_remove(all);
    varve_remove(again);
    varve_remove(elsewhere);
    free_good(graph);
}

TEST(reached, refuses_invalid_members)
{
    struct things t = new_things();
    for (int i = ROWS; i < NUMBER; i++)
        cr_assert_null(vv_reached_bad(&fields[i], &t));
    varve_field bad = fields[LOW];
    bad.dtype = VARVE_FLOAT64;
    cr_assert_not_null(vv_reached_bad(&bad, &t));
    bad.dtype = VARVE_BOOL;
    cr_assert_not_null(vv_reached_bad(&bad, &t), "7 bits are no bool");
    bad = fields[LOW];
    bad.ones = &(const struct things){ 0 };
    cr_assert_not_null(vv_reached_bad(&bad, &t), "no bits");
    bad = fields[ROWS];
    bad.ones = fields[LOW].ones;
    cr_assert_not_null(vv_reached_bad(&bad, &t));
    bad = fields[ROWS];
    bad.rank = 1;
    cr_assert_not_null(vv_reached_bad(&bad, &t));
    bad = fields[ROWS];
    bad.dtype = VARVE_STRING;
    cr_assert_not_null(vv_reached_bad(&bad, &t));
    table[1] = NULL;
    cr_assert_not_null(vv_reached_bad(&fields[ROWS], &t));
    cr_assert_null(
        vv_reached_bad(&fields[RAGGED], &t), "a non-empty optional column");
    table[2] = NULL;
    cr_assert_not_null(vv_reached_bad(&fields[RAGGED], &t));
}

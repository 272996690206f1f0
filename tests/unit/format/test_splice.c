/* test_splice.c - Tests combining several graphs in one index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test_context.h"

#include <stdio.h>

#include "index_check.h"
#include "splice.h"

static const varve_tensor vector = { .dtype = VARVE_FLOAT32,
    .rank = 1,
    .shape = { 2 } };

enum { OWN = 2, MORE = 12 };

/* `a` is a variable with a slot `m`, `b` and `c` are objects. */
static void fill_first(struct vv_index_columns *c)
{
    vv_index_add_name(c, "a", 1);
    vv_index_add_name(c, "b", 1);
    vv_index_add_name(c, "c", 1);
    vv_index_add_name(c, "m", 1);
    vv_index_add_edge(c, 0, 1);
    vv_index_add_edge(c, 1, 2);
    vv_index_add_edge(c, 2, 3);
    vv_index_add_node(c, VARVE_OBJECT);
    vv_index_add_node(c, VARVE_VARIABLE);
    vv_index_add_node(c, VARVE_OBJECT);
    vv_index_add_node(c, VARVE_OBJECT);
    vv_index_add_node(c, VARVE_VARIABLE);
    vv_index_add_slot(c, 0, 1, 3, 4);
    vv_index_add_tag(c, 2, 1);
    vv_index_add_global(c, 1, 2);
    vv_index_add_value(c, 1, &vector, 8, true);
    vv_index_add_value(c, 4, &vector, 8, true);
}

/* `10` is a variable with a slot `l`; an edge leads back to the root. */
static void fill_other(struct vv_index_columns *c)
{
    vv_index_add_name(c, "10", 2);
    vv_index_add_name(c, "l", 1);
    vv_index_add_name(c, "up", 2);
    vv_index_add_edge(c, 0, 1);
    vv_index_add_edge(c, 2, 0);
    vv_index_add_node(c, VARVE_OBJECT);
    vv_index_add_node(c, VARVE_VARIABLE);
    vv_index_add_node(c, VARVE_VARIABLE);
    vv_index_add_slot(c, 0, 1, 1, 2);
    vv_index_add_tag(c, 1, 2);
    vv_index_add_value(c, 1, &vector, 0, false);
    vv_index_add_value(c, 2, &vector, 8, true);
}

struct spliced {
    struct vv_index_columns first, other;
    struct vv_splice_part parts[1 + MORE];
    struct vv_splice splice;
};

static varve_status begin(struct spliced *s, varve_error *error)
{
    vv_index_columns_begin(&s->first, test_allocator());
    vv_index_columns_begin(&s->other, test_allocator());
    fill_first(&s->first);
    fill_other(&s->other);
    s->parts[0].index = vv_index_of_columns(&s->first);
    for (uint32_t i = 0; i < MORE; i++)
        s->parts[1 + i] = (struct vv_splice_part){
            .index = vv_index_of_columns(&s->other),
            .at = OWN,
            .number = i,
        };
    s->splice = (struct vv_splice){ .parts = s->parts, .count = 1 + MORE };
    return vv_splice_begin(&s->splice, test_allocator(), error);
}

static void end(struct spliced *s)
{
    vv_index_columns_end(&s->first);
    vv_index_columns_end(&s->other);
}

TEST(splice, creates_one_valid_graph)
{
    struct spliced s;
    varve_error error = { 0 };
    struct vv_context context = test_context(NULL);
    cr_assert_ok(begin(&s, &error), error);
    struct vv_index index = vv_index_of_columns(&s.splice.columns);
    const struct vv_index_check check = { &context, "a", index.names, 0, &index,
        &error };
    cr_assert_ok(vv_check_graph(&check), error);
    cr_assert_eq(index.node_count, 5 + MORE * 3);
    cr_assert_eq(index.value_count, 2 + MORE * 2);
    cr_assert_eq(index.slot_count, 1 + MORE);
    cr_assert_eq(index.tag_count, 1 + MORE);
    cr_assert_eq(index.global_count, 1);
    cr_assert_eq(index.name_count, 6 + MORE); /* both parts have `10` */
    vv_splice_end(&s.splice);
    end(&s);
}

/* Below node 2 by name: 0, 1, 10, 11, 2, ... */
TEST(splice, keeps_all_edges)
{
    struct spliced s;
    varve_error error = { 0 };
    size_t count;
    cr_assert_ok(begin(&s, &error), error);
    struct vv_index index = vv_index_of_columns(&s.splice.columns);
    const struct vv_spliced *values = vv_spliced_values(&s.splice, &count);
    uint32_t ten = vv_index_find_name(&index, "10", 2);
    uint32_t up = vv_index_find_name(&index, "up", 2);
    cr_assert_eq(count, index.value_count);
    for (uint32_t i = 0; i < MORE; i++) {
        char name[24];
        int size = snprintf(name, sizeof name, "%u", i);
        uint32_t number = vv_index_find_name(&index, name, (size_t)size);
        uint32_t node = vv_index_find_child(&index, OWN, number);
        cr_assert_neq(node, VV_NONE);
        cr_assert_eq(vv_index_find_child(&index, node, up), node);
        uint32_t variable = vv_index_find_child(&index, node, ten);
        cr_assert(vv_index_has_tag(&index, variable, "up"));
        uint32_t value = vv_index_find_value(&index, variable);
        cr_assert_eq(values[value].part, 1 + i);
        cr_assert_eq(values[value].value, 0);
        cr_assert_not(vv_index_is_saved(&index, value));
        uint32_t slot = vv_index_find_slot(
            &index, node, variable, vv_index_find_name(&index, "l", 1));
        value = vv_index_find_value(&index, slot);
        cr_assert_eq(values[value].part, 1 + i);
        cr_assert_eq(values[value].value, 1);
        cr_assert(vv_index_is_saved(&index, value));
    }
    vv_splice_end(&s.splice);
    end(&s);
}

TEST(splice, reports_failed_allocations)
{
    struct spliced s;
    varve_error error = { 0 };
    cr_assert_ok(begin(&s, &error), error);
    vv_splice_end(&s.splice);
    for (long number = 0;; number++) {
        test_fail_allocation(number, false);
        varve_status status =
            vv_splice_begin(&s.splice, test_allocator(), &error);
        bool is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        if (is_over) {
            cr_assert_ok(status, error);
            vv_splice_end(&s.splice);
            break;
        }
        cr_assert_eq(status, VARVE_NO_MEMORY);
    }
    end(&s);
}

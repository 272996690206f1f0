/* test_draft_index.c - Tests converting a draft to an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "drafts.h"
#include "layout.h"

TEST(draft_index, lays_values_out_as_a_file_of_ours_has_them)
{
    struct drafted t;
    varve_error error = { 0 };
    draft_begin(&t);
    for (unsigned i = 0; i < 5; i++) {
        uint32_t node = vv_draft_node(&t.d, VARVE_VARIABLE);
        add_edge(&t, 0, (const char *[]){ "a", "b", "c", "d", "e" }[i], node);
        give_floats(&t, node, i * 700, i);
    }
    cr_assert_ok(draft_end(&t, &error), error);
    const struct vv_index *index = &t.in.parsed.index;
    uint64_t end = VV_HEADER_SIZE;
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t offset = vv_at64(index->value_offsets, i);
        cr_assert_geq(offset, end);
        cr_assert_eq(offset % VV_ALIGNMENT, 0);
        end = offset + vv_at64(index->value_sizes, i);
        cr_assert_eq(t.places[i].offset, i);
    }
    cr_assert_geq(t.in.data_end, end);
    draft_free(&t);
}

TEST(draft_index, knows_values_that_are_not_saved)
{
    struct drafted t;
    varve_error error = { 0 };
    varve_tensor type = {
        .dtype = VARVE_FLOAT32, .rank = 1, .shape = { 3 } };
    draft_begin(&t);
    uint32_t a = vv_draft_node(&t.d, VARVE_VARIABLE);
    add_edge(&t, 0, "a", a);
    vv_draft_value(&t.d, a, &type, 0, NULL);
    add_edge(&t, 0, "b", add_floats(&t, 6));
    cr_assert_ok(draft_end(&t, &error), error);
    const struct vv_index *index = &t.in.parsed.index;
    cr_assert_not(vv_index_is_saved(index, 0));
    cr_assert_eq(vv_at64(index->value_sizes, 0), 0);
    cr_assert_eq(
        vv_index_tensor(index, &t.in.parsed.table, 0).shape[0], 3);
    cr_assert(vv_index_is_saved(index, 1));
    cr_assert(t.places[0].file == 0 && t.places[0].offset == 0);
    cr_assert_eq(t.places[1].offset, 6);
    draft_free(&t);
}

TEST(draft_index, leaves_out_values_of_nodes_that_cannot_be_reached)
{
    struct drafted t;
    varve_error error = { 0 };
    draft_begin(&t);
    add_floats(&t, 1);
    add_edge(&t, 0, "w", add_floats(&t, 2));
    vv_draft_node(&t.d, VARVE_VARIABLE); /* has no type, but is not reachable */
    cr_assert_ok(draft_end(&t, &error), error);
    cr_assert_eq(t.in.parsed.index.value_count, 1);
    cr_assert_eq(t.places[0].offset, 2);
    draft_free(&t);
}

TEST(draft_index, refuses_a_variable_without_a_type)
{
    struct drafted t;
    draft_begin(&t);
    add_edge(&t, 0, "w", vv_draft_node(&t.d, VARVE_VARIABLE));
    check_failure(&t, VARVE_CORRUPT,
        "file: node 1 has no type and shape");
}

TEST(draft_index, refuses_more_bytes_than_a_file_can_have)
{
    struct drafted t;
    varve_tensor type = { .dtype = VARVE_STRING };
    draft_begin(&t);
    uint32_t node = vv_draft_node(&t.d, VARVE_VARIABLE);
    add_edge(&t, 0, "w", node);
    vv_draft_value(&t.d, node, &type, UINT64_MAX / 2, &(struct vv_place){ 0 });
    check_failure(&t, VARVE_LIMIT,
        "file: the total size of the values is 2^63");
}

static void add_all(struct drafted *t)
{
    uint32_t a = vv_draft_node(&t->d, VARVE_OBJECT);
    add_edge(t, 0, "a", a);
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        add_edge(t, i % 2 ? a : 0, name, add_floats(t, 0));
    }
}

TEST(draft_index, fails_without_memory)
{
    check_memory(add_all);
}

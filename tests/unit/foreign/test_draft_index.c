/* test_draft_index.c - Tests converting a draft to an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_index.h"

#include "support/test.h"
#include "drafts.h"
#include "layout.h"

TEST(draft_number, numbers_breadth_first_along_sorted_edges)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t a = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t b = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t w = add_floats(&t, 0);
    add_edge(&t, a, "z", w);
    add_edge(&t, a, "root", 0);
    add_edge(&t, 0, "bb", a);
    add_edge(&t, 0, "b", b);
    add_edge(&t, 0, "a", a);
    add_edge(&t, b, "y", add_floats(&t, 0));
    check_draft(&t, "0o a>1 b>2 bb>1\n1o root>0 z>3\n2o y>4\n3v\n4v\n");
}

TEST(draft_number, refuses_duplicate_edge_names)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t a = vv_draft_node(&t.d, VARVE_OBJECT);
    add_edge(&t, 0, "a", a);
    add_edge(&t, a, "twice", a);
    add_edge(&t, a, "once", a);
    add_edge(&t, a, "twice", 0);
    check_failure(&t, VARVE_CORRUPT,
        "file: node 1 has two children named \"twice\"");
}

TEST(draft_number, omits_unreachable_nodes)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t lost = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t gone = add_floats(&t, 0);
    uint32_t w = add_floats(&t, 4);
    uint32_t m = add_floats(&t, 8);
    add_edge(&t, lost, "gone", gone);
    add_edge(&t, lost, "w", w);
    add_edge(&t, 0, "w", w);
    vv_draft_slot(&t.d, lost, w, "m", 1, m);  /* its owner */
    vv_draft_slot(&t.d, 0, gone, "m", 1, m);  /* its variable */
    vv_draft_tag(&t.d, gone, "tag");
    vv_draft_global(&t.d, gone, "name", 4);
    vv_draft_global(&t.d, w, "name", 4); /* the other is not there */
    check_draft(&t, "0o w>1\n1v =name\n");
}

TEST(draft_number, numbers_slot_variables_last_by_owner_variable_and_name)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t v = add_floats(&t, 0);
    uint32_t m = add_floats(&t, 0);
    uint32_t own = add_floats(&t, 0);
    uint32_t a = vv_draft_node(&t.d, VARVE_OBJECT);
    uint32_t w = add_floats(&t, 0);
    add_edge(&t, 0, "a", a);
    add_edge(&t, a, "w", w);
    vv_draft_slot(&t.d, a, w, "v", 1, v);
    vv_draft_slot(&t.d, a, w, "m", 1, m);
    vv_draft_slot(&t.d, 0, w, "z", 1, own);
    check_draft(&t, "0o a>1\n1o w>2\n2v\n3v\n4v\n5v\n0.z(2)>3\n1.m(2)>4\n"
                    "1.v(2)>5\n");
}

TEST(draft_number, refuses_slots_of_other_nodes)
{
    for (int way = 0; way < 5; way++) {
        struct drafted t;
        draft_begin(&t);
        uint32_t o = vv_draft_node(&t.d, VARVE_OBJECT);
        uint32_t w = add_floats(&t, 0);
        uint32_t m = add_floats(&t, 0);
        uint32_t s = vv_draft_node(&t.d, VARVE_STATE);
        vv_draft_state(&t.d, s, 0, NULL);
        add_edge(&t, 0, "o", o);
        add_edge(&t, 0, "w", w);
        add_edge(&t, 0, "s", s);
        vv_draft_slot(&t.d, way == 0 ? w : way == 1 ? s : o,
            way == 2 ? 0 : way == 3 ? s : w, "m", 1, way == 4 ? o : m);
        check_failure(&t, VARVE_CORRUPT,
            "file: slot \"m\": the owner is not an object, or one of the "
            "other nodes is not a variable");
    }
}

TEST(draft_number, refuses_duplicate_slots)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t w = add_floats(&t, 0);
    add_edge(&t, 0, "w", w);
    vv_draft_slot(&t.d, 0, w, "m", 1, add_floats(&t, 0));
    vv_draft_slot(&t.d, 0, w, "m", 1, add_floats(&t, 0));
    check_failure(&t, VARVE_CORRUPT, "file: slot \"m\": an object has two");
}

TEST(draft_number, returns_the_kept_nodes)
{
    struct drafted t;
    struct vv_draft_numbers n;
    struct vv_index_columns c;
    varve_error error = { 0 };
    draft_begin(&t);
    vv_draft_node(&t.d, VARVE_OBJECT);
    add_edge(&t, 0, "bb", add_floats(&t, 0));
    vv_draft_tag(&t.d, 2, "a");
    vv_index_columns_begin(&c, &t.d.context->allocator);
    cr_assert_ok(vv_draft_number(&n, &t.d, &c, &error), error);
    cr_assert_eq(n.reached, 2);
    cr_assert(n.numbers[0] == 0 && n.numbers[1] == VV_NONE &&
              n.numbers[2] == 1);
    cr_assert(n.order[0] == 0 && n.order[1] == 2);
    cr_assert(n.first_edge[0] == 0 && n.first_edge[1] == 1 &&
              n.first_edge[3] == 1);
    cr_assert_eq(c.names.size, 3);
    cr_assert_eq(memcmp(c.names.data, "abb", 3), 0);
    cr_assert_eq(c.name_ends.size, 8);
    cr_assert_eq(vv_load32(c.name_ends.data), 1);
    vv_index_columns_end(&c);
    vv_draft_numbers_clear(&n);
    vv_draft_clear(&t.d);
    memory_free(t.memory);
}

TEST(draft_index, lays_out_values_like_the_varve_format)
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

TEST(draft_index, marks_values_that_are_not_saved)
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

TEST(draft_index, omits_values_of_unreachable_nodes)
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

TEST(draft_index, refuses_more_bytes_than_a_file_can_contain)
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

/* test_index.c - Tests lookups in an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "support/index_sample.h"
#include <stdlib.h>
#include <string.h>

#include "index.h"

static uint32_t name_of(const struct vv_index *index, const char *name)
{
    return vv_index_find_name(index, name, strlen(name));
}

TEST(index, finds_every_name_and_no_other)
{
    struct sample s;
    sample_build(&s);
    struct vv_index index = sample_index(&s);
    for (uint32_t i = 0; i < index.name_count; i++) {
        size_t size;
        const char *name = vv_index_name(&index, i, &size);
        cr_assert_eq(vv_index_find_name(&index, name, size), i);
        cr_assert_eq(vv_index_find_name(&index, name, size - 1), VV_NONE);
    }
    cr_assert_eq(name_of(&index, ""), VV_NONE);
    cr_assert_eq(name_of(&index, "modem"), VV_NONE);
    cr_assert_eq(name_of(&index, "zzz"), VV_NONE);
    index.name_count = 0;
    cr_assert_eq(name_of(&index, "model"), VV_NONE);
    sample_clear(&s);
}

/* By the index of a name, and by its text. */
static void check_edge(
    const struct vv_index *index, uint32_t node, const char *name)
{
    uint32_t id = vv_index_find_name(index, name, strlen(name));
    cr_assert_eq(vv_index_find_edge_called(index, node, name, strlen(name)),
        id == VV_NONE ? VV_NONE : vv_index_find_edge(index, node, id),
        "%s of node %u", name, (unsigned)node);
}

TEST(index, finds_children_by_name_and_in_lists_by_index)
{
    struct sample s;
    sample_build(&s);
    struct vv_index index = sample_index(&s);
    static const struct {
        uint32_t node;
        const char *name;
        uint32_t child;
    } rows[] = {
        { 0, "model", 1 }, { 0, "names", 2 }, { 0, "opt", 3 }, { 0, "rng", 4 },
        { 1, "layers", 5 }, { 1, "root", 0 }, { 1, "model", VV_NONE },
        { 1, "0", VV_NONE }, { 3, "model", 1 }, { 3, "zero", VV_NONE },
        { 5, "0", 9 }, { 5, "1", 10 }, { 5, "2", 9 }, { 5, "m", VV_NONE },
        { 4, "model", VV_NONE }, { 6, "0", VV_NONE },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(vv_index_find_child(&index, rows[i].node,
                         name_of(&index, rows[i].name)),
            rows[i].child, "row %zu", i);
        check_edge(&index, rows[i].node, rows[i].name);
    }
    for (uint32_t node = 0; node < index.node_count; node++) {
        check_edge(&index, node, "a");
        check_edge(&index, node, "layer");
        check_edge(&index, node, "00");
        check_edge(&index, node, "zz");
    }
    sample_clear(&s);
}

/* Names are sorted as texts, "10" before "2". */
TEST(index, finds_the_eleventh_child_of_a_list)
{
    struct sample s;
    sample_init(&s);
    static const char *const names[] = { "0", "1", "10", "11", "2", "3", "4",
        "5", "6", "7", "8", "9" };
    uint32_t end = 0;
    for (uint32_t i = 0; i < 12; i++) {
        vv_buffer_add_string(sample_column(&s, VV_KEY_NAMES), names[i]);
        vv_buffer_add32(sample_column(&s, VV_KEY_NAME_ENDS),
            end += (uint32_t)strlen(names[i]));
    }
    static const uint32_t by_position[] = { 0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 2 };
    vv_buffer_add8(sample_column(&s, VV_KEY_NODE_KINDS), VARVE_LIST);
    vv_buffer_add32(sample_column(&s, VV_KEY_NODE_EDGE_ENDS), 11);
    for (uint32_t i = 0; i < 11; i++) {
        vv_buffer_add32(sample_column(&s, VV_KEY_EDGE_NAMES), by_position[i]);
        vv_buffer_add32(sample_column(&s, VV_KEY_EDGE_CHILDREN), 100 + i);
    }
    struct vv_index index = sample_index(&s);
    for (uint32_t i = 0; i < 11; i++) {
        cr_assert_eq(
            vv_index_find_child(&index, 0, by_position[i]), 100 + i);
        check_edge(&index, 0, names[by_position[i]]);
    }
    check_edge(&index, 0, "11");
    cr_assert_eq(vv_index_find_child(&index, 0, 3), VV_NONE, "\"11\"");
    sample_clear(&s);
}

TEST(index, finds_values_of_nodes)
{
    struct sample s;
    sample_build(&s);
    struct vv_index index = sample_index(&s);
    static const uint32_t nodes[] = { 4, 6, 7, 8, 9, 10, 11, 12, 13 };
    for (uint32_t i = 0; i < SAMPLE_VALUE_COUNT; i++)
        cr_assert_eq(vv_index_find_value(&index, nodes[i]), i);
    cr_assert_eq(vv_index_find_value(&index, 0), VV_NONE);
    cr_assert_eq(vv_index_find_value(&index, 5), VV_NONE);
    vv_buffer_add32(sample_column(&s, VV_KEY_VALUE_NODES), 14);
    index.value_nodes = sample_column(&s, VV_KEY_VALUE_NODES)->data;
    cr_assert_eq(vv_index_find_value(&index, 14), VV_NONE, "behind the last");
    cr_assert(vv_index_is_saved(&index, 2), "a value of no bytes");
    cr_assert_not(vv_index_is_saved(&index, SAMPLE_VALUE_COUNT - 1));
    sample_clear(&s);
}

TEST(index, compares_a_value_with_a_tensor)
{
    struct sample s;
    sample_build(&s);
    struct vv_index index = sample_index(&s);
    struct vv_value_table table;
    varve_error error;
    cr_assert_ok(vv_value_table_make(&table, test_allocator(),
        &index, &error), error);
    vv_value_table_fill(&table, &index);
    for (uint32_t v = 0; v < index.value_count; v++) {
        varve_tensor tensor = vv_index_tensor(&index, &table, v);
        cr_assert(vv_index_is_like(&index, &table, v, &tensor));
        for (uint32_t i = 0; i < tensor.rank; i++) {
            tensor.shape[i]++;
            cr_assert_not(vv_index_is_like(&index, &table, v, &tensor));
            tensor.shape[i]--;
        }
        tensor.rank++;
        cr_assert_not(vv_index_is_like(&index, &table, v, &tensor));
        tensor.rank--;
        tensor.dtype = tensor.dtype == VARVE_BOOL ? VARVE_INT8 : VARVE_BOOL;
        cr_assert_not(vv_index_is_like(&index, &table, v, &tensor));
    }
    vv_value_table_clear(&table, test_allocator());
    sample_clear(&s);
}

TEST(index, finds_slots_by_owner_variable_and_name)
{
    struct sample s;
    sample_build(&s);
    struct vv_index index = sample_index(&s);
    uint32_t begin, end;
    uint32_t m = name_of(&index, "m"), slots = name_of(&index, "slots");
    vv_index_slots(&index, 3, &begin, &end);
    cr_assert_eq(begin, 0);
    cr_assert_eq(end, 3);
    vv_index_slots(&index, 2, &begin, &end);
    cr_assert_eq(begin, end);
    vv_index_slots(&index, 4, &begin, &end);
    cr_assert_eq(begin, end);
    vv_index_slots_for(&index, 3, 9, &begin, &end);
    cr_assert(begin == 0 && end == 2);
    vv_index_slots_for(&index, 3, 10, &begin, &end);
    cr_assert(begin == 2 && end == 3);
    vv_index_slots_for(&index, 3, 11, &begin, &end);
    cr_assert_eq(begin, end);
    cr_assert_eq(vv_index_find_slot(&index, 3, 9, m), 11);
    cr_assert_eq(vv_index_find_slot(&index, 3, 9, slots), 12);
    cr_assert_eq(vv_index_find_slot(&index, 3, 10, m), 13);
    cr_assert_eq(vv_index_find_slot(&index, 3, 10, slots), VV_NONE);
    cr_assert_eq(
        vv_index_find_slot(&index, 3, 9, name_of(&index, "model")), VV_NONE);
    cr_assert_eq(vv_index_find_slot(&index, 3, 8, m), VV_NONE);
    cr_assert_eq(vv_index_find_slot(&index, 1, 9, m), VV_NONE);
    sample_clear(&s);
}

TEST(index, counts_chunks)
{
    cr_assert_eq(vv_chunk_count(0), 0);
    cr_assert_eq(vv_chunk_count(1), 1);
    cr_assert_eq(vv_chunk_count(VV_CHUNK_SIZE), 1);
    cr_assert_eq(vv_chunk_count(VV_CHUNK_SIZE + 1), 2);
    cr_assert_eq(vv_chunk_count(UINT64_MAX), UINT64_C(1) << 44);
}

TEST(index, returns_type_and_shape_of_a_value)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    varve_tensor t = vv_index_tensor(&parsed.index, &parsed.table, 4);
    cr_assert_eq(t.dtype, VARVE_FLOAT32);
    cr_assert_eq(t.rank, 3);
    cr_assert_eq(t.shape[0], 2);
    cr_assert_eq(t.shape[1], 1);
    cr_assert_eq(t.shape[2], 3);
    cr_assert_null(t.data);
    t = vv_index_tensor(&parsed.index, &parsed.table, 3);
    cr_assert_eq(t.dtype, VARVE_INT64);
    cr_assert_eq(t.rank, 0);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(index, orders_metadata_like_deterministic_cbor)
{
    varve_metadata m[] = { { .name = "b" }, { .name = "aa" }, { .name = "ab" },
        { .name = "\xc3\xbc" }, { .name = "aaa" } };
    varve_metadata mixed[] = { m[3], m[4], m[0], m[2], m[1] };
    qsort(mixed, 5, sizeof *mixed, vv_metadata_compare);
    for (size_t i = 0; i < 5; i++)
        cr_assert_eq(mixed[i].name, m[i].name);
    cr_assert_eq(vv_metadata_compare(&m[1], &(varve_metadata){ .name = "aa" }),
        0);
}

/* test_index_check.c - Tests the rules of nodes, edges, slots and tags, each
 * violated once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/index_sample.h"
#include "support/test.h"

#include <string.h>

/* Defines a function that changes an element of a u32 column. */
#define SET(function, key, i, value)                                           \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_set32(s, key, i, value);                                        \
    }

/* --- Nodes ---------------------------------------------------------------- */

static void no_nodes(struct sample *s)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        if (i > VV_KEY_NAME_ENDS)
            s->columns[i].size = 0;
    }
    sample_leave_out_optional(s);
}

static void kind_is_nil(struct sample *s)
{
    sample_set8(s, VV_KEY_NODE_KINDS, 2, VARVE_NIL);
}

static void kind_is_unknown(struct sample *s)
{
    sample_set8(s, VV_KEY_NODE_KINDS, 2, VARVE_STATE + 1);
}

SET(edges_end_before_they_begin, VV_KEY_NODE_EDGE_ENDS, 2, 5)
SET(edges_end_late, VV_KEY_NODE_EDGE_ENDS, 13, 14)
SET(edges_of_a_variable, VV_KEY_NODE_EDGE_ENDS, 5, 12)

static void edges_of_no_node(struct sample *s)
{
    vv_buffer_add32(sample_column(s, VV_KEY_EDGE_NAMES), 0);
    vv_buffer_add32(sample_column(s, VV_KEY_EDGE_CHILDREN), 0);
}

static void node_that_nothing_leads_to(struct sample *s)
{
    vv_buffer_add8(sample_column(s, VV_KEY_NODE_KINDS), VARVE_OBJECT);
    vv_buffer_add32(sample_column(s, VV_KEY_NODE_EDGE_ENDS), 13);
}

/* --- Edges ---------------------------------------------------------------- */

SET(edge_name_is_no_name, VV_KEY_EDGE_NAMES, 3, N_COUNT)
SET(edge_name_is_there_twice, VV_KEY_EDGE_NAMES, 1, N_MODEL)
SET(edge_child_is_no_node, VV_KEY_EDGE_CHILDREN, 12, 14)
SET(edge_child_skips_a_number, VV_KEY_EDGE_CHILDREN, 0, 2)
SET(list_edge_name_is_no_name, VV_KEY_EDGE_NAMES, 12, N_COUNT)

static void edges_are_not_sorted(struct sample *s)
{
    sample_swap32(s, VV_KEY_EDGE_NAMES, 2, 3);
}

static void children_are_not_in_order(struct sample *s)
{
    sample_swap32(s, VV_KEY_EDGE_CHILDREN, 10, 11);
}

/* Node 1 has an edge before any edge leads to it. */
static void node_leads_to_itself_first(struct sample *s)
{
    static const uint32_t ends[] = { 0, 6, 8, 10, 10 };
    sample_set32(s, VV_KEY_EDGE_NAMES, 4, N_OPT);
    sample_set32(s, VV_KEY_EDGE_NAMES, 5, N_ROOT);
    for (size_t i = 0; i < 5; i++)
        sample_set32(s, VV_KEY_NODE_EDGE_ENDS, i, ends[i]);
}

/* --- Slots and tags ------------------------------------------------------- */

SET(slot_owner_is_no_node, VV_KEY_SLOT_OWNERS, 2, 14)
SET(slot_owner_is_a_variable, VV_KEY_SLOT_OWNERS, 2, 9)
SET(slot_variable_is_no_node, VV_KEY_SLOT_VARIABLES, 2, 14)
SET(slot_variable_is_an_object, VV_KEY_SLOT_VARIABLES, 0, 1)
SET(slot_variable_is_a_slot, VV_KEY_SLOT_VARIABLES, 2, 11)
SET(slot_name_is_no_name, VV_KEY_SLOT_NAMES, 1, N_COUNT)
SET(slot_node_is_no_node, VV_KEY_SLOT_NODES, 2, 14)
SET(slot_node_is_an_object, VV_KEY_SLOT_NODES, 2, 3)
SET(slot_node_skips_a_number, VV_KEY_SLOT_NODES, 0, 12)
SET(slot_node_is_of_two_slots, VV_KEY_SLOT_NODES, 2, 12)
SET(slot_node_has_slots, VV_KEY_SLOT_NODES, 2, 9)
SET(slot_is_there_twice, VV_KEY_SLOT_NAMES, 1, N_M)
SET(slots_are_not_sorted_by_owner, VV_KEY_SLOT_OWNERS, 2, 2)

static void slots_are_not_sorted_by_variable(struct sample *s)
{
    sample_set32(s, VV_KEY_SLOT_VARIABLES, 2, 8);
}

static void slots_are_not_sorted_by_name(struct sample *s)
{
    sample_swap32(s, VV_KEY_SLOT_NAMES, 0, 1);
}

SET(tag_node_is_no_node, VV_KEY_TAG_NODES, 1, 14)
SET(tag_name_is_no_name, VV_KEY_TAG_NAMES, 1, N_COUNT)
SET(tags_are_not_sorted_by_node, VV_KEY_TAG_NODES, 0, 13)

static void tag_is_there_twice(struct sample *s)
{
    vv_buffer_add32(sample_column(s, VV_KEY_TAG_NODES), 13);
    vv_buffer_add32(sample_column(s, VV_KEY_TAG_NAMES), N_LOCAL);
}

#define SET_GLOBAL(function, key, i, value)                                    \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_add_globals(s);                                                 \
        sample_set32(s, key, i, value);                                        \
    }

SET_GLOBAL(global_node_is_no_node, VV_KEY_GLOBAL_NODES, 2, 14)
SET_GLOBAL(global_node_is_an_object, VV_KEY_GLOBAL_NODES, 0, 1)
SET_GLOBAL(global_nodes_are_not_sorted, VV_KEY_GLOBAL_NODES, 1, 4)
SET_GLOBAL(global_name_is_no_name, VV_KEY_GLOBAL_NAMES, 2, N_COUNT)
SET_GLOBAL(global_name_is_there_twice, VV_KEY_GLOBAL_NAMES, 2, N_MODEL)

#define ROW(function, says)                                                    \
    {                                                                          \
        #function, function, VARVE_CORRUPT, says                               \
    }

TEST(index_check, reports_the_violated_rule)
{
    static const struct breakage rows[] = {
        ROW(no_nodes, "nodes: the root is missing"),
        ROW(kind_is_nil, "node 2: expected a kind from 1 to 5, found 0"),
        ROW(kind_is_unknown, "node 2: expected a kind from 1 to 5, found 6"),
        ROW(edges_end_before_they_begin, "node 2: expected its edges to end"),
        ROW(edges_end_late, "node 13: expected its edges to end"),
        ROW(edges_of_a_variable, "node 6: a variable cannot have edges"),
        ROW(edges_of_no_node, "edges: expected 13"),
        ROW(node_that_nothing_leads_to, "node 14: no edge or slot leads to it"),
        ROW(edge_name_is_no_name, "edge 3: expected a name from 10"),
        ROW(edge_name_is_there_twice, "edge 1: expected a name from 8"),
        ROW(edge_child_is_no_node, "edge 12: expected an earlier node"),
        ROW(edge_child_skips_a_number, "edge 0: expected an earlier node"),
        ROW(list_edge_name_is_no_name, "edge 12: expected a name from 0"),
        ROW(edges_are_not_sorted, "edge 3: expected a name from 11"),
        ROW(children_are_not_in_order, "edge 10: expected an earlier node"),
        ROW(node_leads_to_itself_first, "node 1: no edge leads to it"),
        ROW(slot_owner_is_no_node, "slot 2: the owner must"),
        ROW(slot_owner_is_a_variable, "slot 2: the owner must"),
        ROW(slot_variable_is_no_node, "slot 2: the variable must have an edge"),
        ROW(slot_variable_is_an_object,
            "slot 0: the variable must have an edge"),
        ROW(slot_variable_is_a_slot, "slot 2: the variable must have an edge"),
        ROW(slot_name_is_no_name, "slot 1: expected a name below 16"),
        ROW(slot_node_is_no_node, "slot 2: expected an earlier variable"),
        ROW(slot_node_is_an_object, "slot 2: expected an earlier variable"),
        ROW(slot_node_skips_a_number, "slot 0: expected an earlier variable"),
        ROW(slot_node_is_of_two_slots, "slot 2: node "),
        ROW(slot_node_has_slots, "slot 0: the variable must not be a slot"),
        ROW(slot_is_there_twice, "slot 1: slots must be in order"),
        ROW(slots_are_not_sorted_by_owner, "slot 2: slots must be in order"),
        ROW(slots_are_not_sorted_by_variable, "slot 2: slots must be in order"),
        ROW(slots_are_not_sorted_by_name, "slot 1: slots must be in order"),
        ROW(tag_node_is_no_node, "tag 1: expected a node and a name"),
        ROW(tag_name_is_no_name, "tag 1: expected a node and a name"),
        ROW(tags_are_not_sorted_by_node, "tag 1: tags must be in order"),
        ROW(global_node_is_no_node, "expected a variable or state"),
        ROW(global_node_is_an_object, "found node 1"),
        ROW(global_nodes_are_not_sorted, "nodes must be in order and unique"),
        ROW(global_name_is_no_name, "global name 2: expected a name below"),
        ROW(global_name_is_there_twice, "duplicate name "),
        ROW(tag_is_there_twice, "tag 2: tags must be in order"),
    };
    sample_check_breakages(rows, sizeof rows / sizeof *rows);
}

/* The index of the next new node, which exceeds the last one. */
TEST(index_check, refuses_an_edge_to_a_node_after_the_last)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build_smallest(&s);
    vv_buffer_add_string(sample_column(&s, VV_KEY_NAMES), "a");
    vv_buffer_add32(sample_column(&s, VV_KEY_NAME_ENDS), 1);
    vv_buffer_add32(sample_column(&s, VV_KEY_EDGE_NAMES), 0);
    vv_buffer_add32(sample_column(&s, VV_KEY_EDGE_CHILDREN), 1);
    sample_set32(&s, VV_KEY_NODE_EDGE_ENDS, 0, 1);
    sample_encode(&s);
    cr_assert_eq(sample_parse(&s, &parsed, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "the next of 1, 1; found 1"), "%s",
        error.message);
    sample_clear(&s);
}

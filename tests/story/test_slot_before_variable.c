/* test_slot_before_variable.c - Tests that a slot is restored when owner,
 * variable and slot exist, whatever the order of these and the read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

enum step { VARIABLE, OWNER, SLOT, READ, STEPS };

static void write_slot(void)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 12, m = 14;
    varve_node *variable = story_add(root, "model/v", &v);
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, variable, "m", varve_scalar(&m));
    story_write(root, "f");
    varve_graph_free(graph);
}

/* Executes the four steps in this order. A slot can be added before owner and
 * variable are reachable, but not before they exist. */
static void play(const enum step *order)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *aside = varve_add_detached(graph);
    float v = 0, m = 0;
    varve_node *variable = varve_add_variable(aside, "v", varve_scalar(&v));
    varve_node *adam = varve_add_object(aside, "adam");
    varve_restoration *r = NULL;
    for (int i = 0; i < STEPS; i++) {
        switch (order[i]) {
        case VARIABLE:
            varve_track(story_object(root, "model"), "v", variable);
            break;
        case OWNER: varve_track(root, "adam", adam); break;
        case SLOT:
            varve_add_slot(adam, variable, "m", varve_scalar(&m));
            break;
        default: r = story_read(root, "f", NULL); break;
        }
    }
    cr_assert_eq(v, 12, "order %d%d%d%d", order[0], order[1], order[2],
        order[3]);
    cr_assert_eq(m, 14, "order %d%d%d%d", order[0], order[1], order[2],
        order[3]);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(slot_before_variable, every_order_of_the_four_calls_gives_the_same_state)
{
    write_slot();
    int played = 0;
    for (int code = 0; code < 256; code++) {
        enum step order[STEPS];
        unsigned seen = 0;
        for (int i = 0; i < STEPS; i++) {
            order[i] = (enum step)(code >> 2 * i & 3);
            seen |= 1u << order[i];
        }
        if (seen == 15) {
            play(order);
            played++;
        }
    }
    cr_assert_eq(played, 24);
}

/* S5 */
TEST(slot_before_variable, the_pending_value_of_a_slot_can_be_queried_before)
{
    write_slot();
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    float v = 0;
    varve_node *adam = varve_add_object(root, "adam");
    varve_node *variable = story_add(root, "model/v", &v);
    const varve_tensor *waiting = varve_pending_slot(adam, variable, "m");
    cr_assert(waiting);
    cr_assert_eq(waiting->dtype, VARVE_FLOAT32);
    cr_assert_eq(waiting->rank, 0);
    cr_assert_null(varve_pending_slot(adam, variable, "n"));
    cr_assert_null(varve_find_slot(adam, variable, "m"));
    varve_node *slot = varve_add_allocated_slot(
        adam, variable, "m", VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    cr_assert_eq(*(float *)varve_data(slot), 14);
    cr_assert_null(varve_pending_slot(adam, variable, "m"));
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* S6 */
static varve_graph *build_two(float *values, bool backwards)
{
    static const char *const names[] = { "v", "w" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *adam = varve_add_object(root, "adam");
    for (int i = 0; i < 2; i++) {
        int which = backwards ? 1 - i : i;
        varve_node *variable =
            story_add(root, names[which], &values[2 * which]);
        varve_add_slot(
            adam, variable, "m", varve_scalar(&values[2 * which + 1]));
    }
    return graph;
}

TEST(slot_before_variable, slots_of_equal_names_match_their_own_variables)
{
    float saved[] = { 1, 2, 3, 4 };
    varve_graph *graph = build_two(saved, false);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    for (int backwards = 0; backwards < 2; backwards++) {
        float found[4] = { 0 };
        graph = build_two(found, backwards);
        varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
        cr_assert_arr_eq(found, saved, sizeof saved);
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(slot_before_variable, a_slot_of_an_unsaved_variable_is_not_saved)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *aside = varve_add_detached(graph);
    float v = 1, m = 2, n = 3;
    varve_node *variable = story_add(root, "v", &v);
    varve_node *elsewhere = varve_add_variable(aside, "w", varve_scalar(&v));
    varve_add_slot(aside, variable, "m", varve_scalar(&m));
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, elsewhere, "m", varve_scalar(&n));
    story_write(root, "f");
    varve_reader *reader =
        varve_reader_open(test_path("f"), test_allocator(), &error);
    cr_assert(reader);
    cr_assert_eq(varve_reader_node_count(reader), 3);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "adam", &node));
    cr_assert_eq(node.slot_count, 0);
    varve_reader_free(reader);
    varve_graph_free(graph);
}

/* A9, A10 */
TEST(slot_before_variable, only_slots_of_this_model_are_saved_by_their_path)
{
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *aside = varve_add_detached(graph);
    float v = 1, w = 1, m[2] = { 2, 3 };
    varve_node *mine = story_add(root, "model/v", &v);
    varve_node *other = varve_add_variable(aside, "w", varve_scalar(&w));
    varve_node *adam = varve_add_object(root, "optimizer");
    varve_add_slot(adam, mine, "m", varve_scalar(&m[0]));
    varve_add_slot(adam, other, "m", varve_scalar(&m[1]));
    story_write(root, "f");
    varve_reader *reader =
        varve_reader_open(test_path("f"), test_allocator(), &error);
    cr_assert(reader);
    cr_assert_eq(varve_reader_node_count(reader), 5);
    varve_saved_node node, slot;
    cr_assert(varve_reader_find(reader, "optimizer/m(model/v)", &slot));
    cr_assert(varve_reader_find(reader, "optimizer", &node));
    const char *name;
    uint32_t of, by;
    cr_assert(varve_reader_slot_at(reader, node.id, 0, &name, &of, &by));
    cr_assert_str_eq(name, "m");
    cr_assert_eq(by, slot.id);
    cr_assert_not(varve_reader_slot_at(reader, node.id, 1, &name, &of, &by));
    varve_reader_free(reader);
    varve_graph_free(graph);
}

TEST(slot_before_variable, a_slot_without_a_match_is_reported)
{
    write_slot();
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 0;
    story_add(root, "model/v", &v);
    varve_add_object(root, "adam");
    varve_restoration *r = story_read(root, "f", NULL);
    story_unmatched(
        varve_assert_consumed(r, &error), "adam/m(model/v)", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

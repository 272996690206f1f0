/* test_columns.c - Tests the columns of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "columns.h"
#include "variable.h"

static float memory[6];

/* Builds the same graph in another order for each `turn`. */
static varve_node *make(int turn)
{
    static const char *const names[] = { "d", "a", "c", "b", "e" };
    varve_node *root = new_root();
    varve_node *nodes[5];
    for (int i = 0; i < 5; i++) {
        int k = (i + turn) % 5;
        nodes[k] = varve_add_object(root, names[k]);
        varve_add_variable(nodes[k], "x", varve_array(memory, 2, 3));
    }
    for (int i = 0; i < 5; i++) {
        int k = (i * 2 + turn) % 5;
        varve_node *x = varve_find(nodes[(k + 1) % 5], "x");
        varve_add_slot(nodes[k], x, turn % 2 ? "m" : "v",
            varve_array(memory, 6));
        varve_add_slot(nodes[k], x, turn % 2 ? "v" : "m",
            varve_array(memory, 6));
        varve_tag(nodes[k], names[(k + turn) % 2 ? 0 : 1]);
        varve_tag(nodes[k], names[(k + turn) % 2 ? 1 : 0]);
        varve_track(nodes[k], "next", nodes[(k + 1) % 5]);
    }
    varve_add_object(root, "gone");
    varve_untrack(root, "gone");
    return root;
}

static void fill(varve_node *root, struct vv_walk *walk, struct vv_columns *c)
{
    varve_error error = { 0 };
    cr_assert_ok(vv_walk_begin(walk, root, &error), error);
    cr_assert_ok(vv_columns_begin(c, walk, &error), error);
}

TEST(columns, do_not_depend_on_the_creation_order_of_edges)
{
    struct vv_walk walk, other_walk;
    struct vv_columns columns, other;
    begin_world();
    varve_node *root = make(0);
    fill(root, &walk, &columns);
    cr_assert_gt(columns.index.slot_owners.size, 0);
    for (int turn = 1; turn < 5; turn++) {
        varve_node *other_root = make(turn);
        fill(other_root, &other_walk, &other);
        for (int i = 0; i < VV_COLUMN_COUNT; i++) {
            const struct vv_buffer *one = &columns.index.each[i];
            const struct vv_buffer *same = &other.index.each[i];
            cr_assert_eq(one->size, same->size);
            cr_assert(one->size == 0 ||
                      memcmp(one->data, same->data, one->size) == 0);
        }
        vv_columns_end(&other);
        vv_walk_end(&other_walk);
        free_root(other_root);
    }
    vv_columns_end(&columns);
    vv_walk_end(&walk);
    free_root(root);
    end_world();
}

TEST(columns, contain_only_used_names_in_order)
{
    struct vv_walk walk;
    struct vv_columns columns;
    struct vv_index index;
    varve_error error = { 0 };
    begin_world();
    varve_node *root = make(0);
    varve_tag(varve_add_detached(varve_node_graph(root)), "unused tag");
    fill(root, &walk, &columns);
    cr_assert_ok(vv_columns_index(&columns, &index, &error), error);
    static const char *const wanted[] = { "a", "b", "c", "d", "e", "m", "next",
        "v", "x" };
    cr_assert_eq(index.name_count, 9);
    for (uint32_t i = 0; i < index.name_count; i++) {
        size_t size;
        const char *name = vv_index_name(&index, i, &size);
        cr_assert_eq(size, strlen(wanted[i]));
        cr_assert_eq(memcmp(name, wanted[i], size), 0);
    }
    cr_assert_eq(index.node_count, 21);
    cr_assert_eq(index.edge_count, 15);
    cr_assert_eq(index.value_count, 15);
    cr_assert_eq(index.slot_count, 10);
    cr_assert_eq(index.tag_count, 10);
    vv_columns_end(&columns);
    vv_walk_end(&walk);
    free_root(root);
    end_world();
}

TEST(columns, mark_the_saved_values)
{
    struct vv_walk walk;
    struct vv_columns columns;
    struct text_state state = { .text = "abcde" };
    varve_string texts[] = { { "one", 3 }, { NULL, 0 }, { "three", 5 } };
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(memory, 6));
    varve_tag(varve_add_variable(root, "b", varve_array(memory, 6)),
        VARVE_TAG_LOCAL);
    varve_add_allocated_variable(
        root, "c", VARVE_FLOAT32, VARVE_SHAPE(6), NULL, NULL)
        ->value_state = VARVE_DECLARED;
    varve_add_state(root, "d", &text_callbacks, &state);
    varve_add_variable(root, "e", varve_array(texts, 3));
    good(root);
    fill(root, &walk, &columns);
    static const uint64_t sizes[] = { 24, 0, 0, 5, 32 };
    static const uint64_t offsets[] = { 64, 0, 0, 88, 96 };
    cr_assert_eq(columns.index.value_nodes.size, 5 * sizeof(uint32_t));
    struct vv_index index = vv_index_of_columns(&columns.index);
    for (size_t i = 0; i < 5; i++) {
        cr_assert_eq(vv_at64(index.value_sizes, i), sizes[i], "%zu", i);
        cr_assert_eq(vv_at64(index.value_offsets, i), offsets[i], "%zu", i);
        cr_assert_eq(vv_at32(index.value_nodes, i), i + 1);
    }
    cr_assert_eq(columns.index.total, 96 + 32);
    cr_assert_eq(columns.states.size, 5);
    cr_assert_eq(memcmp(columns.states.data, "abcde", 5), 0);
    cr_assert_eq(
        vv_strings_size(&walk.steps[5].node->variable->tensor), 32);
    vv_columns_end(&columns);
    vv_walk_end(&walk);
    free_root(root);
    end_world();
}

TEST(columns, fail_with_the_callback_of_a_state)
{
    struct vv_walk walk;
    struct vv_columns columns;
    struct text_state state = { .save_status = VARVE_IO };
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_add_state(varve_add_object(root, "a"), "s", &text_callbacks, &state);
    cr_assert_ok(vv_walk_begin(&walk, root, &error), error);
    cr_assert_eq(vv_columns_begin(&columns, &walk, &error), VARVE_CALLBACK);
    cr_assert_eq(strncmp(error.message, "a/s: ", 5), 0);
    vv_walk_end(&walk);
    free_root(root);
    end_world();
}

TEST(columns, handle_every_failed_allocation)
{
    struct vv_walk walk;
    struct vv_columns columns;
    varve_error error = { 0 };
    begin_world();
    varve_node *root = make(0);
    cr_assert_ok(vv_walk_begin(&walk, root, &error), error);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        status = vv_columns_begin(&columns, &walk, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
    }
    vv_columns_end(&columns);
    vv_walk_end(&walk);
    free_root(root);
    end_world();
}

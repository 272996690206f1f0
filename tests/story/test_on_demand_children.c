/* test_on_demand_children.c - Tests that an empty container is filled from the
 * file: its callback is called for each child that the file has and the program
 * lacks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct asked {
    int count;
    char names[64];
    bool refuse;
};

/* Creates any child in the file. */
static void make(void *user, varve_node *node, const varve_offer *offer)
{
    struct asked *asked = user;
    asked->count++;
    strcat(strcat(asked->names, offer->name), " ");
    if (asked->refuse)
        return;
    varve_node *child;
    switch (offer->kind) {
    case VARVE_VARIABLE:
        cr_assert_null(offer->value->data);
        varve_add_allocated_variable(node, offer->name, offer->value->dtype,
            varve_shape_of(offer->value->rank, offer->value->shape), NULL,
            NULL);
        return;
    case VARVE_LIST: child = varve_add_list(node, offer->name); break;
    default: child = varve_add_object(node, offer->name); break;
    }
    cr_assert_null(offer->value);
    varve_set_on_demand(child, make, user);
}

static float at(varve_node *root, const char *path)
{
    varve_node *node = varve_find_path(root, path);
    cr_assert(node, "%s is not there", path);
    return *(float *)varve_data(node);
}

/* P2 */
TEST(on_demand_children, an_empty_dict_is_filled_from_one_file_then_another)
{
    STORY_FILE("one", { "bag/a", 1 }, { "bag/b", 2 }, { "bag/c", 3 });
    STORY_FILE("two", { "bag/a", 4 }, { "bag/b", 5 }, { "bag/c", 6 });
    struct asked asked = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    varve_restoration *r = story_read(root, "one", NULL);
    cr_assert_eq(asked.count, 3);
    cr_assert_str_eq(asked.names, "a b c ");
    cr_assert_eq(at(root, "bag/a"), 1);
    cr_assert_eq(at(root, "bag/c"), 3);
    story_consumed(r);
    varve_restoration_free(r);
    r = story_read(root, "two", NULL);
    cr_assert_eq(asked.count, 3, "they are there already");
    cr_assert_eq(at(root, "bag/b"), 5);
    *(float *)varve_data(varve_find(bag, "b")) = 19;
    story_write(root, "three");
    varve_restoration_free(r);
    r = story_read(root, "three", NULL);
    cr_assert_eq(at(root, "bag/b"), 19);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A global name does not offer removed children again, so the copied value has
 * no other user. */
TEST(on_demand_children, are_not_offered_again_after_a_global_name_is_set)
{
    STORY_FILE("one", { "bag/a", 1 }, { "bag/b", 2 }, { "other", 3 });
    struct asked asked = { 0 };
    varve_error error = { 0 };
    float other = 0;
    varve_graph *graph = story_graph(), *from = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    varve_set_global_name(
        story_add(varve_graph_root(from), "w", &other), "name");
    varve_restoration *r = story_read(root, "one", NULL);
    cr_assert_str_eq(asked.names, "a b ");
    varve_remove(varve_find(bag, "a"));
    varve_node *made = varve_copy_subgraph(
        bag, "a", varve_find(varve_graph_root(from), "w"), &error);
    cr_assert(made, "%s", error.message);
    cr_assert_eq(varve_find(bag, "a"), made);
    cr_assert_str_eq(asked.names, "a b ");
    varve_remove(varve_find(bag, "b"));
    varve_set_global_name(story_add(root, "other", &other), "another");
    cr_assert_eq(other, 3);
    cr_assert_null(varve_find(bag, "b"));
    varve_restoration_free(r);
    varve_graph_free(from);
    varve_graph_free(graph);
}

/* Nodes are matched by global names last, after the last offer. */
TEST(on_demand_children, nodes_without_offers_leave_global_names_matched)
{
    STORY_FILE("one", { "bag/a", 1 }, { "old", 2 });
    struct asked asked = { 0 };
    float a = 0, renamed = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_set_on_demand(varve_add_dict(root, "bag"), make, &asked);
    story_add(root, "bag/a", &a);
    varve_set_global_name(story_add(root, "renamed", &renamed), "old");
    varve_restoration *r = story_read(root, "one", NULL);
    cr_assert_eq(asked.count, 0);
    cr_assert_eq(a, 1);
    cr_assert_eq(renamed, 2);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(on_demand_children, a_tree_with_lists_is_created_below_the_root)
{
    float v[3] = { 1, 2, 3 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < 2; i++)
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&v[i]));
    story_add(root, "a/b/c", &v[2]);
    story_write(root, "f");
    varve_graph_free(graph);

    struct asked asked = { 0 };
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_set_on_demand(root, make, &asked);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(at(root, "list/0"), 1);
    cr_assert_eq(at(root, "list/1"), 2);
    cr_assert_eq(at(root, "a/b/c"), 3);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(on_demand_children, are_offered_when_their_parent_is_attached_later)
{
    STORY_FILE("f", { "bag/a", 1 });
    struct asked asked = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *bag = varve_add_detached(graph);
    varve_set_on_demand(bag, make, &asked);
    cr_assert_eq(asked.count, 0);
    varve_track(root, "bag", bag);
    cr_assert_eq(at(root, "bag/a"), 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(on_demand_children, a_callback_that_creates_nothing_leaves_values_pending)
{
    STORY_FILE("f", { "bag/a", 1 });
    struct asked asked = { .refuse = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_set_on_demand(varve_add_object(root, "bag"), make, &asked);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(asked.count, 1);
    cr_assert_eq(varve_pending_count(r), 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* Writes a list whose first element is shared, an object that is shared with
 * everything below it, and a cycle. */
static void write_shared(void)
{
    static float x = 7, y = 8, z = 9;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *b = varve_add_object(root, "b");
    varve_node *list = varve_add_list(b, "list");
    varve_node *first =
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&x));
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&y));
    varve_list_append(list, first);
    varve_track(b, "same", first);
    varve_node *inner = varve_add_object(b, "inner");
    varve_add_variable(inner, "z", varve_scalar(&z));
    varve_track(inner, "up", root);
    varve_track(root, "again", inner);
    story_write(root, "shared");
    varve_graph_free(graph);
}

TEST(on_demand_children, are_shared_as_in_the_file)
{
    struct asked asked = { 0 };
    varve_error error;
    write_shared();
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_set_on_demand(root, make, &asked);
    varve_restoration *r = story_read(root, "shared", NULL);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(asked.count, 6, "each node once: %s", asked.names);
    varve_node *same = varve_find_path(root, "b/list/0");
    cr_assert_eq(varve_find_path(root, "b/same"), same);
    cr_assert_eq(varve_find_path(root, "b/list/2"), same);
    cr_assert_eq(at(root, "b/list/0"), 7);
    cr_assert_eq(at(root, "b/list/1"), 8);
    cr_assert_eq(at(root, "again/z"), 9);
    varve_node *inner = varve_find_path(root, "b/inner");
    cr_assert(inner && varve_find_path(root, "again") == inner);
    cr_assert_eq(varve_find(inner, "up"), root);
    story_consumed(r);
    varve_restoration_free(r);
    story_write(root, "copy");
    size_t sizes[2];
    char *one = test_read_file(test_path("shared"), &sizes[0]);
    char *two = test_read_file(test_path("copy"), &sizes[1]);
    cr_assert_eq(sizes[0], sizes[1]);
    cr_assert_eq(memcmp(one, two, sizes[0]), 0);
    free(one);
    free(two);
    varve_graph_free(graph);
}

/* A node that the program has under its own name is not added under the name in
 * the file, too. */
TEST(on_demand_children, are_not_shared_with_renamed_nodes)
{
    struct asked asked = { 0 };
    varve_error error;
    float w = 0, v = 0;
    STORY_FILE("f", { "old", 1 }, { "older", 2 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "new", &w);
    varve_alias(story_add(root, "newer", &v), "older");
    varve_set_on_demand(root, make, &asked);
    varve_rename rename = { "new", "old" };
    varve_restoration *r = story_read(root, "f",
        &(varve_read_options){ .rename = { .list = &rename, .count = 1 } });
    cr_assert(w == 1 && v == 2);
    cr_assert_eq(asked.count, 0);
    cr_assert_eq(varve_edge_count(root), 2);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void make_nothing(void *user, varve_node *node, const varve_offer *offer)
{
    (void)user;
    (void)node;
    (void)offer;
}

/* Builds a parent that refers to a child by `name`, among many other names for
 * it. */
static varve_graph *with_edges(
    int others, const char *name, float *value, bool is_last)
{
    varve_graph *graph = story_graph();
    varve_node *users = varve_add_object(varve_graph_root(graph), "users");
    varve_node *parent = varve_add_object(varve_graph_root(graph), "parent");
    varve_node *one = varve_add_variable(users, "one", varve_scalar(value));
    for (int i = 0; i <= others; i++) {
        char text[16];
        snprintf(text, sizeof text, "u%d", i);
        if (i == (is_last ? others : 0))
            varve_track(parent, name, one);
        if (i < others)
            varve_track(users, text, one);
    }
    return graph;
}

TEST(on_demand_children, are_not_created_for_an_old_name_among_many_edges)
{
    static const int others[] = { 0, 1, 14, 15, 16, 62, 63, 64, 300 };
    for (int i = 0; i < 2 * (int)(sizeof others / sizeof *others); i++) {
        float value = 7;
        varve_graph *graph = with_edges(others[i / 2], "old", &value, i % 2);
        story_write(varve_graph_root(graph), "edges");
        varve_graph_free(graph);
        graph = with_edges(others[i / 2], "new", &value, i % 2);
        varve_node *root = varve_graph_root(graph);
        varve_node *parent = varve_find(root, "parent");
        varve_alias(varve_find_path(root, "users/one"), "old");
        varve_set_on_demand(parent, make_nothing, NULL);
        varve_restoration_free(story_read(root, "edges", NULL));
        cr_assert_eq(varve_edge_count(parent), 1, "%d edges", others[i / 2]);
        cr_assert_not_null(varve_find(parent, "new"));
        varve_graph_free(graph);
    }
}

/* The file has many names for one child, and the program a few of them. */
TEST(on_demand_children, are_created_quickly_despite_many_names)
{
    enum { NAMES = 30000 };
    float value = 7;
    char text[16];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *one = varve_add_variable(root, "a", varve_scalar(&value));
    for (int i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "n%d", i);
        varve_track(root, text, one);
    }
    story_write(root, "names");
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    one = varve_add_variable(root, "a", varve_scalar(&value));
    varve_alias(one, "never");
    varve_set_on_demand(root, make_nothing, NULL);
    clock_t begin = clock();
    varve_restoration_free(story_read(root, "names", NULL));
    cr_assert_lt(clock() - begin, 5 * CLOCKS_PER_SEC);
    cr_assert_eq(varve_edge_count(root), NAMES + 1);
    varve_graph_free(graph);
}

static void damage(const char *name)
{
    size_t size;
    unsigned char *bytes = test_read_file(test_path(name), &size);
    bytes[64] ^= 1;
    test_write_file(test_path(name), bytes, size);
    free(bytes);
}

TEST(on_demand_children, a_damaged_file_adds_nothing)
{
    STORY_FILE("one", { "bag/a", 1 }, { "bag/b", 2 }, { "bag/c", 3 });
    struct asked asked = { 0 };
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    damage("one");
    cr_assert_null(varve_read(root, test_path("one"), NULL, &error));
    cr_assert_eq(error.status, VARVE_CORRUPT, "%s", error.message);
    cr_assert_eq(asked.count, 0);
    cr_assert_eq(varve_edge_count(bag), 0);
    varve_graph_free(graph);
}

/* test_offered_once.c - Tests that saved children are offered only until the
 * program has received them.
 *
 * Children that the program has replaced or removed since are not offered
 * again, also if a save, a snapshot or a dry run compares them while the
 * restoration is open.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

/* --- Structs ------------------------------------------------------------ */

struct tree {
    double value;
    int count;
    float *weights;
    struct tree *left;
};

static const varve_field tree_fields[5];
static const varve_field tree_fields[5] = {
    VARVE_FIELD(struct tree, value),
    VARVE_FIELD(struct tree, count),
    VARVE_FIELD_POINTER(struct tree, weights, count, .room = calloc),
    VARVE_FIELD_STRUCT_AT(struct tree, left, tree_fields, .room = calloc),
    VARVE_FIELDS_END,
};

struct item {
    int count;
    float *weights;
};

static const varve_field item_fields[] = {
    VARVE_FIELD(struct item, count),
    VARVE_FIELD_POINTER(struct item, weights, count, .room = calloc),
    VARVE_FIELDS_END,
};

struct box {
    struct tree *tree;
    int count;
    struct item *items;
};

static const varve_field box_fields[] = {
    VARVE_FIELD_STRUCT_AT(struct box, tree, tree_fields, .room = calloc),
    VARVE_FIELD(struct box, count),
    VARVE_FIELD_STRUCTS_AT(
        struct box, items, item_fields, count, .room = calloc),
    VARVE_FIELDS_END,
};

static const varve_field late_fields[] = {
    VARVE_FIELD_STRUCT_AT(struct box, tree, tree_fields),
    VARVE_FIELDS_END,
};

static struct tree *make_tree(double value, struct tree *left)
{
    struct tree *tree = calloc(1, sizeof *tree);
    cr_assert(tree);
    tree->value = value;
    tree->left = left;
    return tree;
}

static void free_tree(struct tree *tree)
{
    while (tree) {
        struct tree *left = tree->left;
        free(tree->weights);
        free(tree);
        tree = left;
    }
}

static void free_box(struct box *box)
{
    free_tree(box->tree);
    for (int i = 0; i < box->count; i++)
        free(box->items[i].weights);
    free(box->items);
}

/* Saves "f": a tree 1 -> 2, both with weights, and two items. */
static void save_box(void)
{
    float weights[4][2] = { { 3, 4 }, { 3, 4 }, { 3, 4 }, { 3, 4 } };
    struct tree left = { 2, 2, weights[0], NULL };
    struct tree top = { 1, 2, weights[1], &left };
    struct item items[2] = { { 2, weights[2] }, { 2, weights[3] } };
    struct box box = { &top, 2, items };
    varve_graph *graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "box", box_fields, &box);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
}

/* Calls that detect changed structs. */
enum look { BY_WRITE, BY_SNAPSHOT, BY_PLAN, BY_RETRY, LOOKS };

static void look(unsigned how, varve_node *root, varve_restoration *r)
{
    varve_error error = { 0 };
    varve_snapshot *snapshot;
    varve_restoration *plan;
    switch ((enum look)how) {
    case BY_SNAPSHOT:
        snapshot = varve_snapshot_new(root, &error);
        cr_assert(snapshot, "%s", error.message);
        varve_snapshot_free(snapshot);
        return;
    case BY_PLAN:
        plan = varve_dry_run(root, test_path("f"), NULL, &error);
        cr_assert(plan, "%s", error.message);
        varve_restoration_free(plan);
        return;
    case BY_RETRY:
        cr_assert_ok(varve_restoration_retry(r, &error), error);
        return;
    default: story_write(root, "g"); return;
    }
}

/* An empty box, restored from "f". */
struct resumed {
    varve_graph *graph;
    varve_node *root;
    varve_restoration *r;
    struct box box;
};

static void resume(
    struct resumed *p, const varve_field *fields, const varve_read_options *o)
{
    memset(p, 0, sizeof *p);
    p->graph = story_graph();
    p->root = varve_graph_root(p->graph);
    varve_add_struct(p->root, "box", fields, &p->box);
    p->r = story_read(p->root, "f", o);
}

static void end(struct resumed *p)
{
    varve_restoration_free(p->r);
    varve_graph_free(p->graph);
    free_box(&p->box);
}

static void assert_alone(const struct tree *tree, double value)
{
    cr_assert_eq(tree->value, value);
    cr_assert_eq(tree->count, 0);
    cr_assert_null(tree->weights);
    cr_assert_null(tree->left);
}

TEST(offered_once, a_struct_behind_a_former_null_pointer_is_unchanged)
{
    struct resumed p;
    save_box();
    for (unsigned how = 0; how < LOOKS; how++) {
        resume(&p, box_fields, NULL);
        cr_assert_eq(p.box.tree->left->weights[1], 4);
        free_tree(p.box.tree);
        p.box.tree = NULL;
        look(how, p.root, p.r);
        p.box.tree = make_tree(7, NULL);
        look(how, p.root, p.r);
        assert_alone(p.box.tree, 7);
        look(how, p.root, p.r);
        assert_alone(p.box.tree, 7);
        end(&p);
    }
}

TEST(offered_once, a_removed_and_added_element_is_unchanged)
{
    struct resumed p;
    save_box();
    for (unsigned how = 0; how < LOOKS; how++) {
        resume(&p, box_fields, NULL);
        cr_assert_eq(p.box.count, 2);
        p.box.count = 1;
        look(how, p.root, p.r);
        p.box.count = 2;
        free(p.box.items[1].weights);
        p.box.items[1] = (struct item){ 0 };
        look(how, p.root, p.r);
        cr_assert_eq(p.box.items[1].count, 0);
        cr_assert_null(p.box.items[1].weights);
        cr_assert_eq(p.box.items[0].weights[1], 4);
        end(&p);
    }
}

/* The struct remains and one of its pointers is NULL. An alias lets the library
 * match it again. */
TEST(offered_once, a_pointer_set_to_null_by_the_program_is_not_allocated)
{
    struct resumed p;
    save_box();
    resume(&p, box_fields, NULL);
    free_tree(p.box.tree->left);
    p.box.tree->left = NULL;
    story_write(p.root, "g");
    varve_alias(varve_find_path(p.root, "box/tree"), "top");
    story_write(p.root, "g");
    cr_assert_null(p.box.tree->left);
    end(&p);
}

/* The older restoration has values for children that the newer one lacks. */
TEST(offered_once, an_older_restoration_allocates_nothing_in_a_newer_one)
{
    struct tree only = { 9, 0, NULL, NULL };
    struct box small = { &only, 0, NULL };
    struct resumed p;
    save_box();
    varve_graph *graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "box", box_fields, &small);
    story_write(varve_graph_root(graph), "h");
    varve_graph_free(graph);
    resume(&p, box_fields, NULL);
    free_tree(p.box.tree);
    p.box.tree = NULL;
    story_write(p.root, "g");
    for (int i = 0; i < p.box.count; i++)
        free(p.box.items[i].weights);
    free(p.box.items);
    p.box.count = 0;
    p.box.items = NULL;
    varve_restoration *newer = story_read(p.root, "h", NULL);
    assert_alone(p.box.tree, 9);
    cr_assert_null(p.box.items);
    varve_restoration_free(newer);
    end(&p);
}

/* A struct that is added for the first time gets its pending values, and memory
 * for all that it points to, when a call detects it. */
TEST(offered_once, a_node_added_for_the_first_time_is_restored)
{
    struct resumed p;
    save_box();
    for (unsigned how = 0; how < LOOKS; how++) {
        resume(&p, late_fields, NULL);
        look(how, p.root, p.r);
        cr_assert_null(p.box.tree);
        p.box.tree = make_tree(7, NULL);
        look(how, p.root, p.r);
        cr_assert_eq(p.box.tree->value, 1);
        cr_assert_eq(p.box.tree->weights[1], 4);
        cr_assert_eq(p.box.tree->left->value, 2);
        cr_assert_eq(p.box.tree->left->weights[0], 3);
        end(&p);
    }
}

TEST(offered_once, dropped_values_are_not_allocated)
{
    static const char *const patterns[] = { NULL, "box/**", "box/tree/left",
        "**/value|**/weights|**/count" };
    varve_error error;
    struct resumed p;
    save_box();
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        bool keeps_top = i == 2;
        resume(&p, late_fields, NULL);
        cr_assert_ok(varve_drop_pending(p.r, patterns[i], &error), error);
        p.box.tree = make_tree(7, NULL);
        story_write(p.root, "g");
        cr_assert_eq(p.box.tree->value, keeps_top ? 1 : 7);
        cr_assert_eq(p.box.tree->weights != NULL, keeps_top);
        cr_assert_null(p.box.tree->left, "%s", patterns[i]);
        end(&p);
    }
}

/* Memory is allocated although a pattern excludes its values; from then on it
 * belongs to the program. */
TEST(offered_once, excluded_values_are_not_allocated_again)
{
    struct resumed p;
    varve_read_options except = { .except = "box/tree/left" };
    save_box();
    resume(&p, box_fields, &except);
    cr_assert_eq(p.box.tree->value, 1);
    free_tree(p.box.tree);
    p.box.tree = NULL;
    story_write(p.root, "g");
    p.box.tree = make_tree(7, NULL);
    story_write(p.root, "g");
    assert_alone(p.box.tree, 7);
    end(&p);
}

/* --- Children on demand -------------------------------------------------- */

struct asked {
    char names[64];
};

/* Creates any child in the file. */
static void make(void *user, varve_node *node, const varve_offer *offer)
{
    struct asked *asked = user;
    strcat(strcat(asked->names, offer->name), " ");
    if (offer->kind == VARVE_VARIABLE)
        varve_add_allocated_variable(node, offer->name, offer->value->dtype,
            varve_shape_of(offer->value->rank, offer->value->shape), NULL,
            NULL);
    else
        varve_set_on_demand(varve_add_dict(node, offer->name), make, user);
}

TEST(offered_once, a_dict_that_replaces_a_restored_one_stays_empty)
{
    STORY_FILE("f", { "bag/a/x", 1 }, { "bag/a/y", 2 }, { "bag/b", 3 });
    struct asked asked = { "" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_str_eq(asked.names, "a b x y ");
    varve_remove(varve_find(bag, "a"));
    varve_set_on_demand(varve_add_dict(bag, "a"), make, &asked);
    cr_assert_eq(varve_edge_count(varve_find(bag, "a")), 0);
    varve_remove(bag);
    bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    cr_assert_eq(varve_edge_count(bag), 0);
    cr_assert_str_eq(asked.names, "a b x y ");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(offered_once, a_refused_child_is_offered_to_the_next_node)
{
    STORY_FILE("f", { "bag/a", 1 });
    struct asked asked = { "" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *bag = varve_add_dict(root, "bag");
    varve_restoration *r = story_read(root, "f", NULL);
    varve_remove(bag);
    bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    cr_assert_str_eq(asked.names, "a ");
    cr_assert_eq(*(float *)varve_data(varve_find(bag, "a")), 1);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* "f" has one node at `bag/a`, `bag/b` and `other`. */
TEST(offered_once, an_edge_removed_by_the_program_is_not_added_again)
{
    struct asked asked = { "" };
    float value = 5;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *shared = story_add(root, "other", &value);
    varve_node *bag = varve_add_dict(root, "bag");
    varve_track(bag, "a", shared);
    varve_track(bag, "b", shared);
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    shared = story_add(root, "other", &value);
    bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(varve_find(bag, "b"), shared);
    varve_untrack(bag, "b");
    varve_alias(bag, "named");
    cr_assert_null(varve_find(bag, "b"));
    varve_remove(bag);
    bag = varve_add_dict(root, "bag");
    varve_set_on_demand(bag, make, &asked);
    cr_assert_eq(varve_edge_count(bag), 0);
    cr_assert_str_eq(asked.names, "");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* --- Another kind in the place of an object ------------------------------ */

TEST(offered_once, a_variable_in_place_of_a_restored_object_is_new)
{
    float w = 1, best = 7;
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "w", &w);
    story_object(root, "best");
    story_write(root, "g");
    w = 0;
    varve_restoration *r = story_read(root, "g", NULL);
    cr_assert_eq(w, 1);
    varve_untrack(root, "best");
    story_add(root, "best", &best);
    cr_assert_eq(best, 7);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(varve_pending_count(r), 0);
    story_write(root, "h");
    varve_restoration_free(r);
    best = 0;
    r = story_read(root, "h", NULL);
    cr_assert_eq(best, 7);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

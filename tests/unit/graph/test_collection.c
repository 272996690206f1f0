/* test_collection.c - Tests selections of nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static float values[8];
static char seen[512];

static varve_status note(void *user, varve_node *node, const char *path)
{
    (void)user;
    (void)node;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s ", *path ? path : "/");
    return VARVE_OK;
}

static const char *each(varve_node *root, const varve_select *select)
{
    varve_error error;
    seen[0] = 0;
    cr_assert_ok(varve_each(root, select, note, NULL, &error), error);
    return seen;
}

/* z is created before a; one of the nodes is removed before the last one is
 * created. */
static varve_graph *build(void)
{
    varve_graph *g = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(g);
    varve_node *z = varve_add_object(root, "z");
    varve_node *a = varve_add_object(root, "a");
    varve_node *gone = varve_add_object(root, "gone");
    varve_node *w = varve_add_variable(z, "w", varve_scalar(&values[0]));
    varve_node *b = varve_add_variable(a, "b", varve_scalar(&values[1]));
    varve_remove(gone);
    varve_node *c = varve_add_variable(a, "c", varve_scalar(&values[2]));
    varve_track(root, "again", w);
    varve_tag(c, VARVE_TAG_TRAINABLE);
    varve_tag(w, VARVE_TAG_TRAINABLE);
    varve_tag(w, VARVE_TAG_TRAINABLE);
    varve_tag(w, VARVE_TAG_METRIC);
    varve_tag(b, VARVE_TAG_LOCAL);
    return g;
}

TEST(collection, is_traversed_in_creation_order)
{
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    cr_assert_str_eq(each(root, NULL), "/ z a again a/b a/c ");
    cr_assert_str_eq(each(root, &(varve_select){ 0 }), "/ z a again a/b a/c ");
    cr_assert_str_eq(each(varve_find(root, "a"), NULL), "/ b c ");
    varve_graph_free(g);
}

TEST(collection, is_selected_by_tags)
{
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    varve_select select = { .tag = VARVE_TAG_TRAINABLE };
    cr_assert_str_eq(each(root, &select), "again a/c ");
    select.without_tag = VARVE_TAG_METRIC;
    cr_assert_str_eq(each(root, &select), "a/c ");
    select = (varve_select){ .without_tag = VARVE_TAG_LOCAL,
        .kind = VARVE_VARIABLE };
    cr_assert_str_eq(each(root, &select), "again a/c ");
    select = (varve_select){ .tag = "nobody has it" };
    cr_assert_str_eq(each(root, &select), "");
    select = (varve_select){ .without_tag = "nobody has it" };
    cr_assert_str_eq(each(root, &select), "/ z a again a/b a/c ");
    varve_graph_free(g);
}

TEST(collection, is_selected_by_a_pattern)
{
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    varve_select select = { .pattern = "a/*" };
    cr_assert_str_eq(each(root, &select), "a/b a/c ");
    select.pattern = "again|z";
    cr_assert_str_eq(each(root, &select), "z again ");
    select.tag = VARVE_TAG_TRAINABLE;
    cr_assert_str_eq(each(root, &select), "again ");
    varve_graph_free(g);
}

static varve_status stop(void *user, varve_node *node, const char *path)
{
    (void)node;
    (void)path;
    return ++*(int *)user == 2 ? VARVE_CANCELLED : VARVE_OK;
}

TEST(collection, ends_when_the_visitor_returns_an_error)
{
    int calls = 0;
    varve_error error;
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    cr_assert_eq(
        varve_each(root, NULL, stop, &calls, &error), VARVE_CANCELLED);
    cr_assert_eq(calls, 2);
    cr_assert_eq(varve_each(NULL, NULL, stop, &calls, &error), VARVE_MISUSE);
    cr_assert_eq(varve_each(root, NULL, NULL, &calls, &error), VARVE_MISUSE);
    varve_graph_free(g);
}

static varve_status fill(const varve_tensor *tensor, void *user)
{
    *(float *)tensor->data = *(float *)user;
    return VARVE_OK;
}

TEST(collection, that_is_not_ready_is_reported_path_by_path)
{
    varve_error error;
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    cr_assert_ok(varve_require_ready(root, NULL, &error), error);
    varve_defer_initializers(g, true);
    varve_node *late = varve_add_object(root, "late");
    for (int i = 0; i < 2; i++)
        varve_add_allocated_variable(late, i ? "y" : "x", VARVE_FLOAT32,
            VARVE_SHAPE(1), fill, &values[0]);
    cr_assert_eq(varve_require_ready(root, NULL, &error), VARVE_UNMATCHED);
    cr_assert_str_eq(error.message,
        "of 5 variables, 2 have no value\n  late/x  was not initialized\n  "
        "late/y  was not initialized");
    cr_assert_eq(varve_require_ready(root, NULL, NULL), VARVE_UNMATCHED);
    cr_assert_ok(varve_require_ready(
                     root, &(varve_select){ .pattern = "a|z" }, &error),
        error);
    cr_assert_ok(varve_initialize(root, NULL, &error), error);
    cr_assert_ok(varve_require_ready(root, NULL, &error), error);
    cr_assert_eq(varve_require_ready(NULL, NULL, &error), VARVE_MISUSE);
    varve_graph_free(g);
}

/* --- As an array --------------------------------------------------------- */

TEST(collection, is_an_array_in_creation_order)
{
    varve_error error;
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    varve_node *nodes[4] = { NULL };
    varve_select select = { .tag = VARVE_TAG_TRAINABLE };
    size_t count = 4;
    cr_assert_ok(varve_collect(root, &select, nodes, &count, &error), error);
    cr_assert_eq(count, 2);
    cr_assert_eq(nodes[0], varve_find(root, "again"));
    cr_assert_eq(nodes[1], varve_find_path(root, "a/c"));
    cr_assert_null(nodes[2]);
    varve_tag(varve_find_path(root, "a/b"), VARVE_TAG_TRAINABLE);
    count = 2;
    cr_assert_ok(varve_collect(root, &select, nodes, &count, &error), error);
    cr_assert_eq(count, 3);
    cr_assert_eq(nodes[1], varve_find_path(root, "a/b"));
    cr_assert_null(nodes[2]);
    count = 4;
    select.pattern = "a/*";
    cr_assert_ok(varve_collect(root, &select, nodes, &count, &error), error);
    cr_assert_eq(count, 2);
    cr_assert_eq(nodes[0], varve_find_path(root, "a/b"));
    varve_graph_free(g);
}

TEST(collection, is_counted_without_an_array)
{
    varve_error error;
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    size_t count = 0;
    cr_assert_ok(varve_collect(root, NULL, NULL, &count, &error), error);
    cr_assert_eq(count, 6);
    cr_assert_eq(varve_collect(root, NULL, NULL, &count, &error),
        VARVE_MISUSE);
    cr_assert_eq(count, 6);
    cr_assert_eq(varve_collect(root, NULL, NULL, NULL, &error), VARVE_MISUSE);
    count = 0;
    cr_assert_ok(varve_collect(varve_find(root, "a"),
        &(varve_select){ .tag = "nobody has it" }, NULL, &count, &error),
        error);
    cr_assert_eq(count, 0);
    varve_graph_free(g);
}

TEST(collection, gives_no_array_without_memory)
{
    varve_error error;
    varve_graph *g = build();
    varve_node *nodes[8] = { NULL };
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status == VARVE_NO_MEMORY; n++) {
        size_t count = 8;
        test_fail_allocation(n, false);
        status = varve_collect(varve_graph_root(g),
            &(varve_select){ .pattern = "a/*" }, nodes, &count, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(count, status ? 8 : 2);
        cr_assert(!nodes[0] || !status);
    }
    cr_assert_ok(status, error);
    varve_graph_free(g);
}

TEST(collection, traversal_fails_without_memory)
{
    varve_error error;
    varve_graph *g = build();
    varve_node *root = varve_graph_root(g);
    varve_select select = { .pattern = "a/*" };
    varve_defer_initializers(g, true);
    varve_add_allocated_variable(
        root, "x", VARVE_FLOAT32, VARVE_SHAPE(1), NULL, NULL);
    for (int ready = 0; ready < 2; ready++)
        for (long n = 0;; n++) {
            seen[0] = 0;
            test_fail_allocation(n, false);
            varve_status status = ready
                ? varve_require_ready(root, NULL, &error)
                : varve_each(root, &select, note, NULL, &error);
            test_fail_allocation(-1, false);
            if (status != VARVE_NO_MEMORY) {
                cr_assert_eq(status, ready ? VARVE_UNMATCHED : VARVE_OK);
                break;
            }
        }
    varve_graph_free(g);
}

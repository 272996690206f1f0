/* test_node_attachment.c - Tests attachments of nodes and graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include "node.h"

struct mark {
    struct vv_attachment attachment;
    const struct vv_name *name;
    int *released;
};

static void release(varve_node *node, void *self)
{
    const struct mark *mark = self;
    cr_assert_null(vv_attachment_find(node, mark->attachment.kind));
    if (mark->released)
        ++*mark->released;
}

static size_t keep_names(const void *self)
{
    const struct mark *mark = self;
    vv_name_keep(mark->name);
    return 1;
}

static const struct vv_attachment_kind first = { .size = sizeof(struct mark),
    .release = release };
static const struct vv_attachment_kind second = { .size = sizeof(struct mark),
    .release = release };
static const struct vv_attachment_kind named = { .size = sizeof(struct mark),
    .keep_names = keep_names };
static const struct vv_attachment_kind plain = {
    .size = sizeof(struct vv_attachment),
};

TEST(attachment, is_created_once_and_found_by_its_kind)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *other = varve_add_object(root, "other");
    cr_assert_null(vv_attachment_find(root, &first));
    struct mark *mark = vv_attachment_make(root, &first);
    cr_assert(mark && !mark->name && !mark->released);
    cr_assert_null(vv_attachment_find(root, &second));
    cr_assert_null(vv_attachment_find(other, &first));
    struct mark *more = vv_attachment_make(root, &second);
    cr_assert_neq(mark, more);
    cr_assert_eq(vv_attachment_make(root, &first), mark);
    cr_assert_eq(vv_attachment_find(root, &first), mark);
    cr_assert_eq(vv_attachment_find(root, &second), more);
    free_good(graph);
}

TEST(attachment, is_released_with_its_node_or_when_it_is_dropped)
{
    int released[3] = { 0 };
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_object(root, "node");
    ((struct mark *)vv_attachment_make(node, &first))->released = &released[0];
    ((struct mark *)vv_attachment_make(node, &second))->released = &released[1];
    ((struct mark *)vv_attachment_make(root, &first))->released = &released[2];
    vv_attachment_make(node, &plain);
    vv_attachment_drop(node, &first);
    cr_assert(released[0] == 1 && released[1] == 0);
    vv_attachment_drop(node, &first); /* it has none */
    vv_attachment_drop(node, &plain);
    cr_assert(released[0] == 1 && released[1] == 0);
    cr_assert_not_null(vv_attachment_find(node, &second));
    varve_remove(node);
    cr_assert(released[1] == 1 && released[2] == 0);
    free_good(graph);
    cr_assert(released[0] == 1 && released[1] == 1 && released[2] == 1);
}

TEST(attachment, belongs_to_a_graph_through_its_nil_node)
{
    int released = 0;
    varve_graph *graph = new_graph();
    ((struct mark *)vv_attachment_make(&graph->nil, &first))->released =
        &released;
    varve_remove(varve_add_object(varve_graph_root(graph), "node"));
    cr_assert_eq(released, 0);
    free_good(graph);
    cr_assert_eq(released, 1);
}

TEST(attachment, keeps_its_names_in_a_cleanup)
{
    char name[32];
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *places[] = { root, &graph->nil };
    const struct vv_name *kept[2];
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "kept %d", i);
        kept[i] = vv_names_intern(&graph->names, name, strlen(name));
        ((struct mark *)vv_attachment_make(places[i], &named))->name = kept[i];
        cr_assert_eq(vv_attachments_keep_names(places[i]), 1);
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "passing %d", i);
        varve_remove(varve_add_object(root, name));
    }
    cr_assert_leq(graph->names.set.count, 200);
    cr_assert_eq(vv_names_find(&graph->names, "kept 0", 6), kept[0]);
    cr_assert_eq(vv_names_find(&graph->names, "kept 1", 6), kept[1]);
    free_good(graph);
}

static int freed;

static void free_variable(varve_node *node)
{
    cr_assert_not_null(node->variable);
    cr_assert_not_null(vv_attachment_find(node, &plain));
    freed++;
}

static bool is_mended;

static bool mend(varve_graph *graph)
{
    (void)graph;
    return is_mended;
}

static const struct vv_attachment_kind watching = {
    .size = sizeof(struct vv_attachment),
    .free_variable = free_variable,
    .mend = mend,
};

TEST(attachment, of_a_graph_is_notified_before_variables_are_freed)
{
    float x = 0;
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_variable(root, "x", varve_scalar(&x));
    vv_attachment_make(node, &plain);
    vv_attachment_make(&graph->nil, &watching);
    varve_remove(varve_add_object(root, "object"));
    cr_assert_eq(freed, 0);
    varve_remove(node);
    cr_assert_eq(freed, 1);
    free_good(graph);
}

TEST(attachment, of_a_graph_repairs_it_before_an_error_is_cleared)
{
    varve_graph *graph = new_graph();
    vv_attachment_make(&graph->nil, &watching);
    vv_graph_memory_error(graph);
    varve_graph_clear_error(graph, NULL);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_NO_MEMORY);
    is_mended = true;
    varve_graph_clear_error(graph, NULL);
    free_good(graph);
}

TEST(attachment, fails_without_memory)
{
    varve_graph *graph = new_graph();
    varve_node *root = varve_graph_root(graph);
    test_fail_allocation(0, false);
    cr_assert_null(vv_attachment_make(root, &first));
    test_fail_allocation(-1, false);
    cr_assert_null(vv_attachment_find(root, &first));
    free_good(graph);
}

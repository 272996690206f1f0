/* collection.c - Selects nodes, in the order in which they were created.
 *
 * SPDX-License-Identifier: MIT
 */
#include "collection.h"

#include "failure.h"
#include "graph.h"
#include "graph_spread.h"
#include "name.h"
#include "tag.h"
#include "try.h"
#include "walk.h"

struct selection {
    struct vv_walk walk;
    const varve_select *select;
    uint64_t tag; /* as a bit */
    uint64_t without;
    struct vv_spread pattern;
    struct vv_spread except;
    struct vv_buffer path;
};

static const char *collection_path_of(
    struct selection *s, const varve_node *node)
{
    bool by_pattern = vv_spread_is_on(&s->pattern);
    const struct vv_spread *by = by_pattern ? &s->pattern : &s->except;
    s->path.size = 0;
    if (vv_spread_is_on(by))
        vv_graph_spread_path(by, vv_spread_find(by, node->number, by_pattern),
            VV_LONGEST_PATH, &s->path);
    else
        vv_walk_path(&s->walk, vv_walk_place(&s->walk, node), &s->path);
    return vv_buffer_string(&s->path);
}

static bool is_selected(const struct selection *s, const varve_node *node)
{
    const varve_select *select = s->select;
    if (!vv_walk_has(&s->walk, node))
        return false;
    if (!select)
        return true;
    if ((select->tag && !(vv_node_tags(node) & s->tag)) ||
        (vv_node_tags(node) & s->without) ||
        (select->kind && node->kind != select->kind))
        return false;
    return (!select->pattern || vv_spread_has_any(&s->pattern, node->number)) &&
           !vv_spread_has_all(&s->except, node->number);
}

static void collection_end(struct selection *s)
{
    vv_spread_end(&s->pattern);
    vv_spread_end(&s->except);
    vv_buffer_clear(&s->path);
    vv_walk_end(&s->walk);
}

static varve_status follow_patterns(
    struct selection *s, varve_node *root, varve_error *error)
{
    const varve_select *select = s->select;
    const varve_allocator *a = &root->graph->context.allocator;
    if (select && select->pattern)
        VV_TRY(vv_graph_spread_begin(
            &s->pattern, a, root, select->pattern, error));
    if (select && select->except)
        VV_TRY(
            vv_graph_spread_begin(&s->except, a, root, select->except, error));
    return VARVE_OK;
}

static varve_status collection_begin(struct selection *s, varve_node *root,
    const varve_select *select, varve_error *error)
{
    *s = (struct selection){ .select = select };
    VV_TRY(VV_CHECK_OPTIONS(select, error));
    VV_TRY(vv_walk_begin(&s->walk, root, error));
    vv_buffer_init(&s->path, s->walk.allocator);
    if (select && select->tag)
        s->tag = vv_tag_bit(root->graph, select->tag);
    if (select && select->without_tag)
        s->without = vv_tag_bit(root->graph, select->without_tag);
    varve_status status = follow_patterns(s, root, error);
    if (status)
        collection_end(s);
    return status;
}

/* Returns the node that was created first. */
static varve_node *collection_oldest(const varve_graph *graph)
{
    varve_node *node = vv_newest_node(graph);
    while (node && vv_older_node(node))
        node = vv_older_node(node);
    return node;
}

typedef varve_status vv_visit_selected(
    void *user, struct selection *s, varve_node *node, varve_error *error);

static varve_status each(varve_node *root, const varve_select *select,
    vv_visit_selected *visit, void *user, varve_error *error)
{
    struct selection s;
    VV_TRY(collection_begin(&s, root, select, error));
    varve_status status = VARVE_OK;
    enum vv_hold older = vv_graph_hold(root->graph, VV_HOLDS_EDGES);
    for (varve_node *node = collection_oldest(root->graph); node && !status;
         node = vv_newer_node(node)) {
        if (is_selected(&s, node))
            status = visit(user, &s, node, error);
    }
    vv_graph_let_go(root->graph, older);
    collection_end(&s);
    return status;
}

/* --- Functions for other files ------------------------------------------ */

struct plain_visit {
    vv_visit_node *visit;
    void *user;
};

static varve_status visit_node(
    void *user, struct selection *s, varve_node *node, varve_error *error)
{
    const struct plain_visit *v = user;
    (void)s;
    return v->visit(v->user, node, error);
}

varve_status vv_each_node(varve_node *root, const varve_select *select,
    vv_visit_node *visit, void *user, varve_error *error)
{
    struct plain_visit v = { visit, user };
    return each(root, select, visit_node, &v, error);
}

struct path_visit {
    varve_visit *visit;
    void *user;
};

static varve_status visit_path(
    void *user, struct selection *s, varve_node *node, varve_error *error)
{
    const struct path_visit *v = user;
    const char *path = collection_path_of(s, node);
    return s->path.failed ? vv_fail_memory(error, "the path of a node")
                          : v->visit(v->user, node, path);
}

varve_status varve_each(varve_node *root, const varve_select *select,
    varve_visit *visit, void *user, varve_error *error)
{
    struct path_visit v = { visit, user };
    VV_TRY(vv_node_check(root, error));
    if (!visit)
        return vv_fail(error, VARVE_MISUSE, "collection: the visitor is NULL");
    return each(root, select, visit_path, &v, error);
}

struct collecting {
    varve_node **nodes;
    size_t room;
    size_t count;
};

static varve_status collection_collect(
    void *user, varve_node *node, varve_error *error)
{
    struct collecting *c = user;
    (void)error;
    if (c->count < c->room)
        c->nodes[c->count] = node;
    c->count++;
    return VARVE_OK;
}

varve_status varve_collect(varve_node *root, const varve_select *select,
    varve_node **nodes, size_t *count, varve_error *error)
{
    VV_TRY(vv_node_check(root, error));
    if (!count || (!nodes && *count))
        return vv_fail(error, VARVE_MISUSE,
            "collection: the array for %s is NULL",
            count ? "nodes" : "their count");
    struct collecting c = { .nodes = nodes, .room = *count };
    VV_TRY(vv_each_node(root, select, collection_collect, &c, error));
    *count = c.count;
    return VARVE_OK;
}

/* --- Readiness ---------------------------------------------------------- */

struct readiness {
    size_t variables;
    size_t missing;
    varve_error *naming; /* lists the missing variables; NULL: only counts
                            them */
};

static const char *why_missing(const varve_node *node)
{
    return node->value_state == VARVE_DECLARED  ? "was not initialized"
           : node->value_state == VARVE_PENDING ? "is pending"
                                                : NULL;
}

static varve_status collection_look(
    void *user, struct selection *s, varve_node *node, varve_error *error)
{
    struct readiness *r = user;
    const char *why = node->variable ? why_missing(node) : NULL;
    if (r->naming && why) {
        const char *path = collection_path_of(s, node);
        if (s->path.failed)
            return vv_fail_memory(error, "the path of a node");
        vv_error_add_line(r->naming, "  %s  %s", path, why);
    }
    r->variables += node->variable != NULL;
    r->missing += why != NULL;
    return VARVE_OK;
}

/* Missing variables are listed even if the graph has an error, because a
 * variable without a value may be that error. */
varve_status varve_require_ready(
    varve_node *root, const varve_select *select, varve_error *error)
{
    struct readiness r = { 0 };
    varve_error reason = { 0 };
    if (!root || vv_is_nil(root))
        return vv_node_check(root, error);
    VV_TRY(each(root, select, collection_look, &r, error));
    if (r.missing == 0)
        return varve_graph_check(root->graph, error);
    vv_fail(error, VARVE_UNMATCHED, "of %zu variable%s, %zu %s no value",
        r.variables, vv_plural_s(r.variables), r.missing,
        r.missing == 1 ? "has" : "have");
    r.naming = error;
    if (error && each(root, select, collection_look, &r, &reason))
        return vv_pass_failure(error, &reason);
    return VARVE_UNMATCHED;
}

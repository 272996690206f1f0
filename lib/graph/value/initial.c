/* initial.c - Initializes variables in an order in which each follows those
 * that it depends on.
 *
 * The order is a depth-first search with an explicit stack, which begins at the
 * selected variables in the order of their creation. A variable that is visited
 * again while it is on the stack closes a cycle.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/collection.h>

#include <string.h>

#include "allocator.h"
#include "collection.h"
#include "failure.h"
#include "graph.h"
#include "node.h"
#include "try.h"
#include "variable.h"
#include "walk.h"

/* --- Dependencies ------------------------------------------------------- */

/* A dependency, in the lists of both nodes. It is freed with `node`. */
struct need {
    varve_node *node;        /* depends on `other` */
    varve_node *other;       /* NULL: freed */
    struct need *next;       /* dependencies of the same node, in the order
                                of their declaration */
    struct need *next_other; /* dependencies on the same other node */
    struct need *previous_other;
};

struct needs {
    struct vv_attachment attachment;
    struct need *first;
    struct need *last;
    struct need *of_others; /* dependencies of other nodes on this one */
};

static void initial_forget(varve_node *node, void *self);

static const struct vv_attachment_kind kind = { .size = sizeof(struct needs),
    .release = initial_forget };

static void unlink_other(struct need *need)
{
    struct needs *its = vv_attachment_find(need->other, &kind);
    if (need->next_other)
        need->next_other->previous_other = need->previous_other;
    if (need->previous_other)
        need->previous_other->next_other = need->next_other;
    else
        its->of_others = need->next_other;
}

/* Frees the dependencies of a node, and resets those of other nodes on it. */
static void initial_forget(varve_node *node, void *self)
{
    const varve_allocator *a = &node->graph->context.allocator;
    struct needs *own = self;
    struct need *next;
    for (struct need *n = own->of_others; n; n = n->next_other)
        n->other = NULL;
    for (struct need *n = own->first; n; n = next) {
        next = n->next;
        if (n->other)
            unlink_other(n);
        vv_release(a, n, sizeof *n);
    }
}

/* --- Declaring ---------------------------------------------------------- */

void varve_defer_initializers(varve_graph *graph, bool defer)
{
    graph = vv_graph_given(graph);
    if (!vv_is_nil(graph->root) && !vv_defer_initializers(graph, defer))
        vv_graph_memory_error(graph);
}

static bool initial_is_variable(varve_node *node, const char *what)
{
    char text[256];
    if (vv_is_nil(node))
        return false;
    if (!node->variable)
        vv_graph_error(node->graph, VARVE_MISUSE, "%s: not a variable %s",
            vv_node_text(node, text, sizeof text), what);
    return node->variable != NULL;
}

void varve_set_initializer(
    varve_node *node, varve_initializer *initializer, void *user)
{
    char text[256];
    node = vv_or_nil(node);
    if (!initial_is_variable(node, "to initialize"))
        return;
    if (vv_variable_is_owned(node->variable) &&
        node->value_state == VARVE_INITIALIZED) {
        vv_graph_error(node->graph, VARVE_MISUSE,
            "%s: the variable is already initialized",
            vv_node_text(node, text, sizeof text));
        return;
    }
    if (!vv_variable_set_initializer(node, initializer, user)) {
        vv_graph_memory_error(node->graph);
        return;
    }
    if (node->value_state == VARVE_INITIALIZED)
        node->value_state = VARVE_DECLARED;
}

void varve_initialize_after(varve_node *node, varve_node *other)
{
    char text[256];
    node = vv_or_nil(node);
    other = vv_or_nil(other);
    varve_graph *graph = node->graph;
    if (vv_is_nil(other))
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: the variable to initialize first is NULL",
            vv_node_text(node, text, sizeof text));
    if (!initial_is_variable(node, "to initialize") ||
        !initial_is_variable(other, "to initialize first"))
        return;
    if (other->graph != graph) {
        vv_graph_error(graph, VARVE_MISUSE,
            "%s: the variable to initialize first is in another graph",
            vv_node_text(node, text, sizeof text));
        return;
    }
    struct need *need =
        vv_allocate_zeroed(&graph->context.allocator, sizeof *need);
    struct needs *own = vv_attachment_make(node, &kind);
    struct needs *its = vv_attachment_make(other, &kind);
    if (!need || !own || !its) {
        vv_release(&graph->context.allocator, need, sizeof *need);
        vv_graph_memory_error(graph);
        return;
    }
    need->node = node;
    need->other = other;
    *(own->last ? &own->last->next : &own->first) = need;
    own->last = need;
    need->next_other = its->of_others;
    if (need->next_other)
        need->next_other->previous_other = need;
    its->of_others = need;
}

/* --- The order ---------------------------------------------------------- */

enum { NEW = 0, ON_STACK, ORDERED };

/* A variable whose dependencies are being visited. */
struct frame {
    varve_node *node;
    const struct need *need; /* the next one */
};

struct ordering {
    varve_graph *graph;
    uint8_t *marks; /* by number of a node */
    size_t limit;
    struct vv_buffer stack; /* struct frame */
    struct vv_buffer order; /* varve_node * */
};

static bool initial_is_wanted(const varve_node *node)
{
    return node->variable && node->value_state == VARVE_DECLARED;
}

static void initial_push(struct ordering *o, varve_node *node)
{
    const struct needs *needs = vv_attachment_find(node, &kind);
    struct frame frame = { node, needs ? needs->first : NULL };
    o->marks[node->number] = ON_STACK;
    vv_buffer_add(&o->stack, &frame, sizeof frame);
}

static struct frame *top(struct ordering *o)
{
    return (struct frame *)(void *)(o->stack.data + o->stack.size) - 1;
}

/* The cycle consists of the nodes on the stack from `node` on. */
static varve_status fail_circle(
    struct ordering *o, const varve_node *node, varve_error *error)
{
    struct vv_buffer line;
    char text[256];
    vv_buffer_init(&line, &o->graph->context.allocator);
    const struct frame *frames = (const struct frame *)(void *)o->stack.data;
    size_t count = o->stack.size / sizeof *frames;
    size_t i = 0;
    while (frames[i].node != node)
        i++;
    for (; i < count; i++) {
        vv_buffer_add_string(
            &line, vv_node_text(frames[i].node, text, sizeof text));
        vv_buffer_add_string(&line, " needs ");
    }
    const char *path = vv_buffer_string(&line);
    varve_status status =
        line.failed
            ? vv_fail_memory(error, "a cycle of initial values")
            : vv_fail(error, VARVE_MISUSE,
                  "initial values: they depend on each other in a cycle: %s%s",
                  path, vv_node_text(node, text, sizeof text));
    vv_buffer_clear(&line);
    return status;
}

static varve_status fail_waiting(
    const varve_node *node, const varve_node *other, varve_error *error)
{
    char text[2][256];
    return vv_fail(error, VARVE_NOT_FOUND,
        "%s: cannot initialize: %s, which it depends on, is still pending",
        vv_node_text(node, text[0], sizeof text[0]),
        vv_node_text(other, text[1], sizeof text[1]));
}

/* Visits one dependency of the top variable, or removes the variable if there
 * is none left. */
static varve_status initial_step(struct ordering *o, varve_error *error)
{
    struct frame *frame = top(o);
    const struct need *need = frame->need;
    if (!need) {
        o->marks[frame->node->number] = ORDERED;
        vv_buffer_add(&o->order, &frame->node, sizeof frame->node);
        o->stack.size -= sizeof *frame;
        return VARVE_OK;
    }
    frame->need = need->next;
    varve_node *other = need->other;
    if (!other)
        return VARVE_OK;
    if (other->value_state == VARVE_PENDING)
        return fail_waiting(frame->node, other, error);
    if (!initial_is_wanted(other) || o->marks[other->number] == ORDERED)
        return VARVE_OK;
    if (o->marks[other->number] == ON_STACK)
        return fail_circle(o, other, error);
    initial_push(o, other);
    return VARVE_OK;
}

static varve_status add_with_needs(
    struct ordering *o, varve_node *node, varve_error *error)
{
    if (!initial_is_wanted(node) || o->marks[node->number] != NEW)
        return VARVE_OK;
    initial_push(o, node);
    while (o->stack.size && !o->stack.failed && !o->order.failed)
        VV_TRY(initial_step(o, error));
    if (o->stack.failed || o->order.failed)
        return vv_fail_memory(error, "the order of initial values");
    return VARVE_OK;
}

static varve_status initial_visit(
    void *user, varve_node *node, varve_error *error)
{
    return add_with_needs(user, node, error);
}

static varve_status initial_run(struct ordering *o, varve_error *error)
{
    for (size_t i = 0; i < o->order.size; i += sizeof(varve_node *)) {
        varve_node *node;
        memcpy(&node, o->order.data + i, sizeof node);
        const varve_tensor *tensor = &node->variable->tensor;
        if (node->value_state != VARVE_DECLARED)
            continue; /* another initializer has set its value */
        if (!vv_variable_allocate(node))
            return vv_fail_memory(error, "an initial value");
        if (!node->variable->extra->initializer && tensor->data)
            memset(tensor->data, 0, (size_t)varve_tensor_size(tensor));
        VV_TRY(vv_variable_run_initializer(node, error));
    }
    return VARVE_OK;
}

/* Checks that building the graph caused no error. Values that could not be
 * delivered are not such errors; their variables are skipped. */
static varve_status check_built(const varve_node *root, varve_error *error)
{
    const varve_node *node = vv_or_nil(root);
    return node->graph->mistake.status || vv_is_nil(node)
               ? vv_node_check(node, error)
               : VARVE_OK;
}

varve_status varve_initialize(
    varve_node *root, const varve_select *select, varve_error *error)
{
    VV_TRY(check_built(root, error));
    varve_graph *graph = root->graph;
    const varve_allocator *a = &graph->context.allocator;
    struct ordering o = { .graph = graph, .limit = graph->number_limit };
    vv_buffer_init(&o.stack, a);
    vv_buffer_init(&o.order, a);
    o.marks = vv_allocate_zeroed(a, o.limit);
    varve_status status =
        o.marks ? vv_each_node(root, select, initial_visit, &o, error)
                : vv_fail_memory(error, "the order of initial values");
    if (!status)
        status = initial_run(&o, error);
    vv_release(a, o.marks, o.limit);
    vv_buffer_clear(&o.order);
    vv_buffer_clear(&o.stack);
    return status;
}

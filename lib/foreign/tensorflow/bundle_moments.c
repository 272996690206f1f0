/* bundle_moments.c - Compares the lists of an optimizer position by position.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_moments.h"

#include <string.h>

#include "allocator.h"
#include "draft_parts.h"
#include "failure.h"
#include "moments.h"
#include "try.h"

/* --- Adding slots --------------------------------------------------------- */

/* The role of an object. A list is used for one optimizer only, so the work is
 * proportional to the number of edges. */
struct mark {
    uint32_t trained_by; /* the last optimizer that trains it, plus 1 */
    bool is_used;        /* as a list */
    bool is_moment;
};

/* An element of a list. */
struct element {
    uint32_t object;
    uint32_t position;
};

struct lists {
    struct vv_object_graph *graph;
    struct mark *marks; /* by object */
    uint32_t trained; /* `_trainable_variables` of the optimizer, or VV_NONE */
    struct vv_buffer others;    /* struct vv_child: other children */
    struct vv_buffer found;     /* struct element, in file order */
    struct vv_buffer variables; /* objects of variables, by position */
    struct vv_buffer list;      /* objects of moments, by position */
    bool is_list;
};

static bool bundle_moments_is_called(
    const struct vv_child *child, const char *name)
{
    return child->size == strlen(name) &&
           memcmp(child->name, name, child->size) == 0;
}

static varve_status find_lists(struct vv_object_graph *g, uint32_t object,
    const struct vv_child *child, void *user)
{
    struct lists *l = user;
    (void)g;
    (void)object;
    if (bundle_moments_is_called(child, VV_TRAINED_LIST))
        l->trained = child->object;
    else if (!bundle_moments_is_called(child, VV_EVERY_LIST))
        vv_buffer_add(&l->others, child, sizeof *child);
    return VARVE_OK;
}

static bool position_of(const struct vv_child *child, uint32_t *position)
{
    *position = 0;
    for (size_t i = 0; i < child->size; i++) {
        if (child->name[i] < '0' || child->name[i] > '9')
            return false;
        *position = 10 * *position + (uint32_t)(child->name[i] - '0');
    }
    return child->size == 1 ||
           (child->size > 1 && child->size < 10 && *child->name != '0');
}

static varve_status bundle_moments_add_element(struct vv_object_graph *g,
    uint32_t object, const struct vv_child *child, void *user)
{
    struct lists *l = user;
    struct element element = { .object = child->object };
    (void)g;
    (void)object;
    l->is_list &= position_of(child, &element.position);
    vv_buffer_add(&l->found, &element, sizeof element);
    return VARVE_OK;
}

/* Sorts the elements by position. Returns false if a position is missing or
 * occurs twice. */
static bool bundle_moments_sort(
    const struct lists *l, uint32_t *objects, size_t count)
{
    const struct element *found = (const void *)l->found.data;
    memset(objects, 0xff, count * sizeof *objects);
    for (size_t i = 0; i < count; i++) {
        if (found[i].position >= count || objects[found[i].position] != VV_NONE)
            return false;
        objects[found[i].position] = found[i].object;
    }
    return true;
}

/* Sets `objects` to the elements of a list. Sets *is_good if it is a list that
 * was not used before. */
static varve_status bundle_moments_read_list(
    struct lists *l, uint32_t object, struct vv_buffer *objects, bool *is_good)
{
    *is_good = false;
    l->found.size = objects->size = 0;
    if (l->marks[object].is_used)
        return VARVE_OK;
    l->marks[object].is_used = true;
    l->is_list = true;
    VV_TRY(vv_object_children(l->graph, object, bundle_moments_add_element, l));
    size_t count = l->found.size / sizeof(struct element);
    uint32_t *sorted = l->found.failed
                           ? NULL
                           : vv_buffer_extend(objects, count * sizeof *sorted);
    if (count && !sorted)
        return vv_fail_memory(l->graph->error, "an object graph");
    *is_good = count && l->is_list && bundle_moments_sort(l, sorted, count);
    return VARVE_OK;
}

static const struct vv_draft_value *bundle_moments_value_of(
    const struct lists *l, uint32_t object)
{
    const struct vv_draft *d = l->graph->draft;
    const struct vv_draft_node *node =
        vv_draft_node_at(d, l->graph->objects[object].node);
    size_t count;
    const struct vv_draft_value *values =
        VV_PARTS(d, values, struct vv_draft_value, &count);
    bool has_value = node->kind == VARVE_VARIABLE && node->value &&
                     values[node->value - 1].is_saved;
    return has_value ? &values[node->value - 1] : NULL;
}

static bool bundle_moments_fits(
    const struct lists *l, uint32_t variable, uint32_t moment)
{
    const struct vv_draft_value *a = bundle_moments_value_of(l, variable);
    const struct vv_draft_value *b = bundle_moments_value_of(l, moment);
    const unsigned char *extents = l->graph->draft->extents.data;
    return a && b && a->dtype == b->dtype && a->rank == b->rank &&
           (a->rank == 0 || memcmp(extents + 8 * a->extents,
                                extents + 8 * b->extents, 8 * a->rank) == 0);
}

/* Returns true if all elements are distinct variables. */
static bool take_variables(struct lists *l, uint32_t optimizer)
{
    const uint32_t *objects = (const void *)l->variables.data;
    for (size_t i = 0; i < l->variables.size / sizeof *objects; i++) {
        struct mark *mark = &l->marks[objects[i]];
        if (mark->is_moment || mark->trained_by == optimizer + 1 ||
            !bundle_moments_value_of(l, objects[i]))
            return false;
        mark->trained_by = optimizer + 1;
    }
    return true;
}

/* Returns true if each element is the moment of the variable at its position
 * and of no other. Otherwise none of them is marked. */
static bool take_moments(struct lists *l)
{
    const uint32_t *variables = (const void *)l->variables.data;
    const uint32_t *moments = (const void *)l->list.data;
    size_t count = l->list.size / sizeof *moments, taken = 0;
    if (l->list.size != l->variables.size)
        return false;
    for (; taken < count; taken++) {
        struct mark *mark = &l->marks[moments[taken]];
        if (mark->is_moment || mark->trained_by ||
            !bundle_moments_fits(l, variables[taken], moments[taken]))
            break;
        mark->is_moment = true;
    }
    for (size_t i = 0; i < taken && taken < count; i++)
        l->marks[moments[i]].is_moment = false;
    return taken == count;
}

static void bundle_moments_add_slots(
    const struct lists *l, uint32_t optimizer, const struct vv_child *child)
{
    const struct vv_object *objects = l->graph->objects;
    const uint32_t *variables = (const void *)l->variables.data;
    const uint32_t *moments = (const void *)l->list.data;
    for (size_t i = 0; i < l->list.size / sizeof *moments; i++)
        vv_draft_slot(l->graph->draft, objects[optimizer].node,
            objects[variables[i]].node, child->name, child->size,
            objects[moments[i]].node);
}

static varve_status bundle_moments_add_optimizer(
    struct lists *l, uint32_t optimizer)
{
    bool is_good;
    l->trained = VV_NONE;
    l->others.size = 0;
    VV_TRY(vv_object_children(l->graph, optimizer, find_lists, l));
    if (l->others.failed)
        return vv_fail_memory(l->graph->error, "an object graph");
    if (l->trained == VV_NONE || l->others.size == 0)
        return VARVE_OK;
    VV_TRY(bundle_moments_read_list(l, l->trained, &l->variables, &is_good));
    if (!is_good || !take_variables(l, optimizer))
        return VARVE_OK;
    for (size_t k = 0; k < l->others.size / sizeof(struct vv_child); k++) {
        const struct vv_child *child =
            (const struct vv_child *)(const void *)l->others.data + k;
        VV_TRY(bundle_moments_read_list(l, child->object, &l->list, &is_good));
        if (is_good && take_moments(l))
            bundle_moments_add_slots(l, optimizer, child);
    }
    return VARVE_OK;
}

varve_status vv_bundle_moments_add(struct vv_object_graph *g)
{
    const varve_allocator *a = &g->bundle->context->allocator;
    struct lists l = { .graph = g };
    varve_status status = VARVE_OK;
    /* If the file has slot records, no slots are guessed. */
    if (g->draft->failed || g->draft->slots.size)
        return VARVE_OK;
    l.marks = vv_allocate_zeroed(a, g->count * sizeof *l.marks);
    if (!l.marks)
        return vv_fail_memory(g->error, "an object graph");
    vv_buffer_init(&l.others, a);
    vv_buffer_init(&l.found, a);
    vv_buffer_init(&l.variables, a);
    vv_buffer_init(&l.list, a);
    for (uint32_t i = 0; i < g->count && !status; i++)
        status = bundle_moments_add_optimizer(&l, i);
    vv_buffer_clear(&l.others);
    vv_buffer_clear(&l.found);
    vv_buffer_clear(&l.variables);
    vv_buffer_clear(&l.list);
    vv_release(a, l.marks, g->count * sizeof *l.marks);
    return status;
}

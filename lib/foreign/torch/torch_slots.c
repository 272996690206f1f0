/* torch_slots.c - optimizers, the models beside them, the pairs of both.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_slots.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "dtype.h"
#include "failure.h"
#include "torch_decode.h"
#include "torch_edges.h"
#include "torch_flat.h"
#include "torch_match.h"
#include "try.h"

enum {
    /* So that a file costs not much more than its bytes: looks at its edges, as
     * often as it has them; and names that are copied. */
    MOST_LOOKS = 64,
    LONGEST_NAME = 1000, /* of what a position names */
    MOST_LEVELS = 3,     /* from an optimizer up */
};

struct finding {
    struct vv_torch_graph *g;
    uint32_t optimizer, state, groups;
    struct vv_buffer sorted;    /* entries of the state, by name */
    struct vv_buffer named;     /* children of a model, by name */
    bool are_names;             /* what it trains, and no positions */
    struct vv_buffer keys;      /* of what it trains: struct vv_torch_name * */
    struct vv_buffer ends;      /* of its groups: size_t */
    struct vv_buffer forms;     /* of what it trains: struct vv_torch_form */
    struct vv_buffer variables; /* of a model: uint32_t */
    struct vv_buffer model;     /* their forms */
    struct vv_buffer to, next;  /* room: size_t */
    struct vv_buffer
        steps;      /* on the way through a model: struct vv_torch_edges */
    uint32_t *seen; /* by node: by which look */
    uint32_t look;
    uint64_t looks; /* that are left */
};

static varve_status fail_memory(const struct finding *f)
{
    return vv_fail_memory(f->g->error, "slots");
}

/* False where so many looks are too many. */
static bool spend(struct finding *f, uint64_t looks)
{
    if (looks >= f->looks)
        f->looks = 0;
    else
        f->looks -= looks;
    return f->looks > 0;
}

/* --- Nodes ---------------------------------------------------------------- */

static bool is_called(const struct vv_draft_edge *e, const char *text)
{
    return e->name.size == strlen(text) &&
           memcmp(e->name.bytes, text, e->name.size) == 0;
}

/* A child of this name; 0, the root: there is none. */
static uint32_t child_of(
    const struct vv_torch_graph *g, uint32_t node, const char *name)
{
    struct vv_torch_edges e = vv_torch_edges_of(g, node);
    while (e.at < e.end && !is_called(e.at, name))
        e.at++;
    return e.at < e.end ? e.at->child : 0;
}

static struct vv_torch_form form_of(
    const struct vv_torch_graph *g, const struct vv_draft_value *value)
{
    return (struct vv_torch_form){
        .extents = (const uint64_t *)(const void *)g->draft->extents.data +
                   value->extents,
        .rank = value->rank,
        .is_known = true,
    };
}

static bool is_same(
    const struct vv_torch_form *a, const struct vv_torch_form *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->extents, b->extents,
                                a->rank * sizeof *a->extents) == 0);
}

/* --- What an optimizer trains --------------------------------------------- */

/* The numbers of a vector, or of a single number. */
static const uint64_t *numbers_of(
    const struct vv_torch_graph *g, uint32_t node, uint64_t *count)
{
    const struct vv_draft_value *value = vv_torch_value_of(g, node);
    *count = 0;
    if (!value || value->dtype != VARVE_INT64 || value->rank != 1 ||
        value->place.file != VV_DECODED)
        return NULL;
    const struct vv_torch_made *made =
        (const struct vv_torch_made *)(const void *)g->file->made.data +
        value->place.offset;
    if (made->making != VV_TORCH_VECTOR)
        return NULL;
    *count = value->size / 8;
    return (const uint64_t *)(const void *)g->file->numbers.data + made->at;
}

static bool add_key(struct finding *f, const struct vv_torch_name *name)
{
    f->keys.failed |= !name;
    vv_buffer_add(&f->keys, &name, sizeof name);
    return !f->keys.failed;
}

/* The text that a node is, as a name; NULL: it is none, or without memory. */
static const struct vv_torch_name *text_of(struct finding *f, uint32_t node)
{
    const struct vv_draft_value *value = vv_torch_value_of(f->g, node);
    if (!value || value->dtype != VARVE_STRING ||
        value->place.file != VV_DECODED)
        return NULL;
    const struct vv_torch_made *made =
        (const struct vv_torch_made *)(const void *)f->g->file->made.data +
        value->place.offset;
    if (made->making != VV_TORCH_TEXT || made->size > LONGEST_NAME)
        return NULL;
    const char *bytes = (const char *)f->g->file->pickle.data + made->at;
    return vv_torch_name_of(&f->g->keys, bytes, made->size);
}

/* What torch.distributed has in the place of positions. */
static bool add_names(struct finding *f, uint32_t params)
{
    struct vv_torch_edges e = vv_torch_edges_of(f->g, params);
    bool are_names = params && !vv_torch_value_of(f->g, params);
    for (; e.at < e.end && are_names; e.at++) {
        const struct vv_torch_name *name = text_of(f, e.at->child);
        f->are_names = true;
        are_names = spend(f, 1) && name && add_key(f, name);
    }
    return are_names;
}

static bool add_positions(struct finding *f, uint32_t params)
{
    uint64_t count;
    const uint64_t *numbers = numbers_of(f->g, params, &count);
    bool are_positions = numbers && spend(f, count);
    for (uint64_t i = 0; i < count && are_positions; i++)
        are_positions = add_key(f, vv_torch_position(&f->g->keys, numbers[i]));
    return are_positions;
}

/* Adds the keys of a group; false where it has none. */
static bool add_group(struct finding *f, uint32_t group)
{
    uint32_t params = child_of(f->g, group, "params");
    if (!add_positions(f, params) && !add_names(f, params))
        return false;
    size_t end = f->keys.size / sizeof(void *);
    vv_buffer_add(&f->ends, &end, sizeof end);
    return true;
}

static varve_status add_groups(struct finding *f, bool *are_there)
{
    struct vv_torch_edges e = vv_torch_edges_of(f->g, f->groups);
    *are_there = e.at < e.end;
    f->keys.size = f->ends.size = 0;
    f->are_names = false;
    for (; e.at < e.end && *are_there; e.at++)
        *are_there = add_group(f, e.at->child);
    return f->keys.failed || f->ends.failed ? fail_memory(f) : VARVE_OK;
}

/* --- What is kept of it --------------------------------------------------- */

/* Names are there once, so they are told apart by where they are. */
static int compare(const void *left, const void *right)
{
    const struct vv_draft_edge *a = left, *b = right;
    uintptr_t x = (uintptr_t)a->name.bytes, y = (uintptr_t)b->name.bytes;
    return (x > y) - (x < y);
}

static varve_status sort_edges(
    struct finding *f, uint32_t node, struct vv_buffer *sorted)
{
    struct vv_torch_edges e = vv_torch_edges_of(f->g, node);
    size_t count = (size_t)(e.end - e.at);
    sorted->size = 0;
    if (!spend(f, count))
        return VARVE_OK;
    if (count > 0)
        vv_buffer_add(sorted, e.at, count * sizeof *e.at);
    if (sorted->failed)
        return fail_memory(f);
    if (count > 0)
        qsort(sorted->data, count, sizeof *e.at, compare);
    return VARVE_OK;
}

/* What is called so; 0: nothing. */
static uint32_t find_edge(const struct vv_buffer *sorted, const char *name)
{
    struct vv_draft_edge key = { .name = { .bytes = name } };
    size_t count = sorted->size / sizeof key;
    const struct vv_draft_edge *found =
        count ? bsearch(&key, sorted->data, count, sizeof key, compare) : NULL;
    return found ? found->child : 0;
}

/* What is kept of a key; 0: nothing. */
static uint32_t entry_of(const struct finding *f, const char *name)
{
    return find_edge(&f->sorted, name);
}

/* The shape that all tensors of an entry have, but for the step. */
static struct vv_torch_form form_of_entry(struct finding *f, uint32_t entry)
{
    struct vv_torch_form form = { 0 };
    struct vv_torch_edges e =
        entry ? vv_torch_edges_of(f->g, entry) : (struct vv_torch_edges){ 0 };
    for (; e.at < e.end && spend(f, 1); e.at++) {
        const struct vv_draft_value *value =
            vv_torch_value_of(f->g, e.at->child);
        if (!value || is_called(e.at, "step"))
            continue;
        struct vv_torch_form other = form_of(f->g, value);
        if (form.is_known && !is_same(&form, &other))
            return (struct vv_torch_form){ 0 };
        form = other;
    }
    return form;
}

/* Whether at least one of them has a shape. */
static varve_status add_forms(struct finding *f, bool *are_there)
{
    size_t count = f->keys.size / sizeof(void *);
    const struct vv_torch_name *const *keys =
        (const struct vv_torch_name *const *)(const void *)f->keys.data;
    f->forms.size = 0;
    *are_there = false;
    for (size_t i = 0; i < count; i++) {
        struct vv_torch_form form =
            form_of_entry(f, entry_of(f, keys[i]->bytes));
        *are_there |= form.is_known;
        vv_buffer_add(&f->forms, &form, sizeof form);
    }
    return f->forms.failed ? fail_memory(f) : VARVE_OK;
}

/* --- Models --------------------------------------------------------------- */

static bool ends_in(const struct vv_draft_name *name, const char *ending)
{
    size_t size = strlen(ending);
    return name->size >= size &&
           memcmp(name->bytes + name->size - size, ending, size) == 0;
}

/* Whether it could be trained: no integer, and nothing that is known to follow
 * the data. */
static bool is_trainable(
    const struct vv_torch_graph *g, const struct vv_draft_edge *e)
{
    const struct vv_draft_value *value = vv_torch_value_of(g, e->child);
    return value &&
           vv_dtype_of((varve_dtype)value->dtype)->family == VV_FAMILY_REAL &&
           !ends_in(&e->name, "running_mean") &&
           !ends_in(&e->name, "running_var");
}

static bool is_new(struct finding *f, uint32_t node)
{
    if (f->seen[node] == f->look)
        return false;
    f->seen[node] = f->look;
    return true;
}

/* In the order of the file: what an object has, and what is in it. */
static void add_variables(struct finding *f, uint32_t node)
{
    struct vv_torch_edges step = vv_torch_edges_of(f->g, node);
    f->look++;
    f->variables.size = f->steps.size = 0;
    f->seen[node] = f->look;
    vv_buffer_add(&f->steps, &step, sizeof step);
    while (f->steps.size > 0 && !f->steps.failed) {
        struct vv_torch_edges *top =
            (struct vv_torch_edges *)(void *)(f->steps.data + f->steps.size) -
            1;
        if (top->at == top->end) {
            f->steps.size -= sizeof step;
            continue;
        }
        const struct vv_draft_edge *e = top->at++;
        if (!spend(f, 1))
            return;
        if (!is_new(f, e->child))
            continue;
        if (is_trainable(f->g, e))
            vv_buffer_add(&f->variables, &e->child, sizeof e->child);
        step = vv_torch_edges_of(f->g, e->child);
        vv_buffer_add(&f->steps, &step, sizeof step);
    }
}

/* Only those that torch calls parameters, where it calls any so. */
static void keep_parameters(struct finding *f)
{
    uint32_t *all = (uint32_t *)(void *)f->variables.data;
    size_t count = f->variables.size / sizeof *all, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (vv_torch_way_of(f->g, all[i])->is_parameter)
            all[kept++] = all[i];
    }
    if (kept > 0)
        f->variables.size = kept * sizeof *all;
}

static varve_status list_model(struct finding *f, uint32_t node)
{
    add_variables(f, node);
    if (f->variables.failed || f->steps.failed)
        return fail_memory(f);
    keep_parameters(f);
    const uint32_t *all = (const uint32_t *)(const void *)f->variables.data;
    f->model.size = 0;
    for (size_t i = 0; i < f->variables.size / sizeof *all; i++) {
        struct vv_torch_form form =
            form_of(f->g, vv_torch_value_of(f->g, all[i]));
        vv_buffer_add(&f->model, &form, sizeof form);
    }
    return f->model.failed ? fail_memory(f) : VARVE_OK;
}

/* Whether a variable may be what is trained under key i. */
static bool has_form(const struct finding *f, size_t i, uint32_t variable)
{
    const struct vv_torch_form *trained =
        (const struct vv_torch_form *)(const void *)f->forms.data + i;
    struct vv_torch_form form =
        form_of(f->g, vv_torch_value_of(f->g, variable));
    return !trained->is_known || is_same(trained, &form);
}

/* Each by its name among the children of a model. */
static varve_status fit_names(struct finding *f, uint32_t node, bool *fits)
{
    const struct vv_torch_name *const *keys =
        (const struct vv_torch_name *const *)(const void *)f->keys.data;
    VV_TRY(sort_edges(f, node, &f->named));
    f->variables.size = f->to.size = 0;
    *fits = spend(f, f->keys.size / sizeof *keys);
    for (size_t i = 0; i < f->keys.size / sizeof *keys && *fits; i++) {
        uint32_t child = find_edge(&f->named, keys[i]->bytes);
        *fits =
            child && vv_torch_value_of(f->g, child) && has_form(f, i, child);
        vv_buffer_add(&f->variables, &child, sizeof child);
        vv_buffer_add(&f->to, &i, sizeof i);
    }
    return f->variables.failed || f->to.failed ? fail_memory(f) : VARVE_OK;
}

static varve_status fit_positions(struct finding *f, uint32_t node, bool *fits)
{
    VV_TRY(list_model(f, node));
    size_t count = f->forms.size / sizeof(struct vv_torch_form);
    f->to.size = f->next.size = 0;
    vv_buffer_extend(&f->to, count * sizeof(size_t));
    vv_buffer_extend(&f->next, f->ends.size);
    if (f->to.failed || f->next.failed)
        return fail_memory(f);
    struct vv_torch_trained trained = {
        .forms = (const struct vv_torch_form *)(const void *)f->forms.data,
        .count = count,
        .ends = (const size_t *)(const void *)f->ends.data,
        .groups = f->ends.size / sizeof(size_t),
    };
    *fits = vv_torch_match(&trained,
        (const struct vv_torch_form *)(const void *)f->model.data,
        f->model.size / sizeof(struct vv_torch_form),
        (size_t *)(void *)f->next.data, (size_t *)(void *)f->to.data);
    return VARVE_OK;
}

static varve_status fit_model(struct finding *f, uint32_t node, bool *fits)
{
    return f->are_names ? fit_names(f, node, fits)
                        : fit_positions(f, node, fits);
}

/* The lower, the more a name says that this is what is trained. */
static size_t order_of(const struct vv_draft_edge *e)
{
    static const char *const names[] = { "model", "model_state_dict",
        "state_dict", "module", "net", "network" };
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !is_called(e, names[i]))
        i++;
    return i;
}

static bool is_optimizer(const struct vv_torch_graph *g, uint32_t node)
{
    return vv_draft_node_at(g->draft, node)->kind == VARVE_OBJECT &&
           child_of(g, node, "param_groups") && child_of(g, node, "state");
}

/* The one model among the children of an object that fits, or that is called
 * like one of those that do; 0: there is none. */
static varve_status find_model(
    struct finding *f, uint32_t parent, uint32_t *model)
{
    size_t best = SIZE_MAX;
    bool is_only = true;
    *model = 0;
    for (struct vv_torch_edges e = vv_torch_edges_of(f->g, parent);
         e.at < e.end; e.at++) {
        bool fits = false;
        if (vv_draft_node_at(f->g->draft, e.at->child)->kind != VARVE_OBJECT ||
            is_optimizer(f->g, e.at->child))
            continue;
        VV_TRY(fit_model(f, e.at->child, &fits));
        if (!fits)
            continue;
        is_only = order_of(e.at) != best;
        if (order_of(e.at) < best) {
            best = order_of(e.at);
            *model = e.at->child;
        }
    }
    if (!is_only || !f->looks)
        *model = 0;
    return VARVE_OK;
}

/* --- Slots ---------------------------------------------------------------- */

static void add_entry(struct finding *f, uint32_t entry, uint32_t variable)
{
    struct vv_torch_edges e = { 0 };
    if (entry)
        e = vv_torch_edges_of(f->g, entry);
    for (; e.at < e.end && spend(f, 1); e.at++)
        vv_torch_add_slot(
            f->g, f->optimizer, variable, &e.at->name, e.at->child);
}

static void add_slots(struct finding *f)
{
    const struct vv_torch_name *const *keys =
        (const struct vv_torch_name *const *)(const void *)f->keys.data;
    const uint32_t *variables =
        (const uint32_t *)(const void *)f->variables.data;
    const size_t *to = (const size_t *)(const void *)f->to.data;
    for (size_t i = 0; i < f->keys.size / sizeof *keys; i++)
        add_entry(f, entry_of(f, keys[i]->bytes), variables[to[i]]);
}

/* --- Optimizers ----------------------------------------------------------- */

static varve_status look_at(struct finding *f)
{
    bool is_one = false, fits = false;
    uint32_t model = 0, parent = f->optimizer;
    VV_TRY(sort_edges(f, f->state, &f->sorted));
    VV_TRY(add_groups(f, &is_one));
    if (is_one)
        VV_TRY(add_forms(f, &is_one));
    for (int i = 0; i < MOST_LEVELS && is_one && parent && !model; i++) {
        parent = vv_torch_way_of(f->g, parent)->parent;
        VV_TRY(find_model(f, parent, &model));
    }
    if (!model)
        return VARVE_OK;
    VV_TRY(fit_model(f, model, &fits));
    if (fits)
        add_slots(f);
    return VARVE_OK;
}

static varve_status look_at_all(struct finding *f)
{
    struct vv_torch_graph *g = f->g;
    for (uint32_t node = 1; node < vv_torch_way_count(g) && f->looks; node++) {
        f->groups = child_of(g, node, "param_groups");
        f->state = f->groups ? child_of(g, node, "state") : 0;
        f->optimizer = node;
        if (f->state)
            VV_TRY(look_at(f));
    }
    return VARVE_OK;
}

varve_status vv_torch_add_slots(struct vv_torch_graph *g)
{
    const varve_allocator *a = g->ways.allocator;
    size_t nodes = vv_torch_way_count(g);
    struct finding f = { .g = g,
        .seen = vv_allocate_zeroed(a, nodes * sizeof *f.seen),
        .looks = (g->draft->edges.size / sizeof(struct vv_draft_edge) +
                     g->file->numbers.size / 8) *
                 MOST_LOOKS };
    struct vv_buffer *all[] = { &f.sorted, &f.named, &f.keys, &f.ends, &f.forms,
        &f.variables, &f.model, &f.to, &f.next, &f.steps };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_init(all[i], a);
    g->roles = vv_allocate_zeroed(a, nodes);
    varve_status status =
        f.seen && g->roles ? look_at_all(&f) : fail_memory(&f);
    if (!status)
        status = vv_torch_add_flat_slots(g);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_clear(all[i]);
    vv_release(a, f.seen, nodes * sizeof *f.seen);
    return status;
}

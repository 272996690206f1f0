/* torch_slots.c - Compares each optimizer with the models next to it and pairs
 * its parameters with their variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_slots.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "torch_decode.h"
#include "torch_model.h"
#include "torch_match.h"
#include "torch_reason.h"
#include "try.h"

enum {
    /* How often each edge may be visited, so that the time is proportional to
     * the size of the file. */
    MOST_LOOKS = 64,
    MOST_LEVELS = 3, /* from an optimizer upwards */
};

struct finding {
    struct vv_torch_graph *g;
    uint32_t optimizer, state, groups;
    struct vv_buffer
        sorted;     /* struct vv_draft_edge of the state, sorted by name */
    bool has_names; /* each parameter has a name */
    struct vv_buffer keys;       /* struct vv_torch_name *, of the parameters */
    struct vv_buffer names;      /* likewise: their names, if there are any */
    struct vv_buffer forms;      /* struct vv_torch_form, of the parameters */
    struct vv_torch_model model; /* the model that is being compared */
    struct vv_buffer shapes;     /* struct vv_torch_form, of its variables */
    struct vv_buffer paired;     /* uint32_t, by key: a variable of it, or 0 */
    struct vv_buffer to;         /* scratch: size_t */
    struct vv_buffer room;
    struct vv_torch_reason reason;
    size_t named; /* the largest number of names found in a model */
};

static varve_status torch_slots_fail_memory(const struct finding *f)
{
    return vv_fail_memory(f->g->error, "slots");
}

static bool torch_slots_use_budget(struct finding *f, uint64_t looks)
{
    return vv_torch_model_use_budget(&f->model, looks);
}

/* --- Nodes ---------------------------------------------------------------- */

static struct vv_torch_form torch_slots_form_of(
    const struct vv_torch_graph *g, const struct vv_draft_value *value)
{
    return (struct vv_torch_form){
        .extents = (const uint64_t *)(const void *)g->draft->extents.data +
                   value->extents,
        .rank = value->rank,
        .is_known = true,
    };
}

static bool torch_slots_is_same(
    const struct vv_torch_form *a, const struct vv_torch_form *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->extents, b->extents,
                                a->rank * sizeof *a->extents) == 0);
}

/* --- Parameters ----------------------------------------------------------- */

/* Returns the numbers of a vector of integers, or NULL. */
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

static bool torch_slots_add_key(
    struct vv_buffer *keys, const struct vv_torch_name *name)
{
    keys->failed |= !name;
    vv_buffer_add(keys, &name, sizeof name);
    return !keys->failed;
}

/* Returns the text value of a node as a name, or NULL if it is no text or
 * without memory. */
static const struct vv_torch_name *torch_slots_text_of(
    struct finding *f, uint32_t node)
{
    const struct vv_draft_value *value = vv_torch_value_of(f->g, node);
    if (!value || value->dtype != VARVE_STRING ||
        value->place.file != VV_DECODED)
        return NULL;
    const struct vv_torch_made *made =
        (const struct vv_torch_made *)(const void *)f->g->file->made.data +
        value->place.offset;
    if (made->making != VV_TORCH_TEXT || made->size > VV_TORCH_LONGEST_NAME)
        return NULL;
    const char *bytes = (const char *)f->g->file->pickle.data + made->at;
    return vv_torch_name_of(&f->g->keys, bytes, made->size);
}

/* Adds the names in a list. Returns false if it is not a list of names. */
static bool torch_slots_add_names(
    struct finding *f, uint32_t list, struct vv_buffer *names)
{
    struct vv_torch_edges e = vv_torch_edges_of(f->g, list);
    bool are_names = list && !vv_torch_value_of(f->g, list);
    for (; e.at < e.end && are_names; e.at++) {
        const struct vv_torch_name *name = torch_slots_text_of(f, e.at->child);
        are_names = torch_slots_use_budget(f, 1) && name &&
                    torch_slots_add_key(names, name);
    }
    return are_names;
}

static bool torch_slots_add_positions(struct finding *f, uint32_t params)
{
    uint64_t count;
    const uint64_t *numbers = numbers_of(f->g, params, &count);
    bool are_positions = numbers && torch_slots_use_budget(f, count);
    for (uint64_t i = 0; i < count && are_positions; i++)
        are_positions = torch_slots_add_key(
            &f->keys, vv_torch_position(&f->g->keys, numbers[i]));
    return are_positions;
}

/* Adds the keys of a group, and their names if there are any: those that
 * torch.distributed uses instead of positions, or `param_names`. Returns false
 * if the group has no keys. */
static bool torch_slots_add_group(struct finding *f, uint32_t group)
{
    uint32_t params = vv_torch_child_of(f->g, group, "params");
    uint32_t names = vv_torch_child_of(f->g, group, "param_names");
    if (!torch_slots_add_positions(f, params))
        return torch_slots_add_names(f, params, &f->keys) &&
               torch_slots_add_names(f, params, &f->names);
    if (names && (!torch_slots_add_names(f, names, &f->names) ||
                     f->names.size != f->keys.size))
        f->reason.why = VV_TORCH_NO_NAMES;
    return true;
}

static varve_status add_groups(struct finding *f, bool *are_there)
{
    struct vv_torch_edges e = vv_torch_edges_of(f->g, f->groups);
    *are_there = e.at < e.end;
    f->keys.size = f->names.size = 0;
    for (; e.at < e.end && *are_there; e.at++)
        *are_there = torch_slots_add_group(f, e.at->child);
    f->has_names = f->names.size > 0;
    if (f->has_names && f->names.size != f->keys.size)
        f->reason.why = VV_TORCH_NO_NAMES;
    return f->keys.failed || f->names.failed ? torch_slots_fail_memory(f)
                                             : VARVE_OK;
}

/* --- State of the parameters ---------------------------------------------- */

/* Each name is stored once, so names are compared by address. */
static int torch_slots_compare(const void *left, const void *right)
{
    const struct vv_draft_edge *a = left, *b = right;
    uintptr_t x = (uintptr_t)a->name.bytes, y = (uintptr_t)b->name.bytes;
    return (x > y) - (x < y);
}

static varve_status torch_slots_sort_edges(
    struct finding *f, uint32_t node, struct vv_buffer *sorted)
{
    struct vv_torch_edges e = vv_torch_edges_of(f->g, node);
    size_t count = (size_t)(e.end - e.at);
    sorted->size = 0;
    if (!torch_slots_use_budget(f, count))
        return VARVE_OK;
    if (count > 0)
        vv_buffer_add(sorted, e.at, count * sizeof *e.at);
    if (sorted->failed)
        return torch_slots_fail_memory(f);
    if (count > 0)
        qsort(sorted->data, count, sizeof *e.at, torch_slots_compare);
    return VARVE_OK;
}

/* Returns the child with a name, or 0. */
static uint32_t torch_slots_find_edge(
    const struct vv_buffer *sorted, const char *name)
{
    struct vv_draft_edge key = { .name = { .bytes = name } };
    size_t count = sorted->size / sizeof key;
    const struct vv_draft_edge *found =
        count ? bsearch(
                    &key, sorted->data, count, sizeof key, torch_slots_compare)
              : NULL;
    return found ? found->child : 0;
}

/* Returns the entry of a key in the state, or 0. */
static uint32_t torch_slots_entry_of(const struct finding *f, const char *name)
{
    return torch_slots_find_edge(&f->sorted, name);
}

/* Returns the shape that all tensors of an entry have. Numbers next to tensors,
 * such as `mu_product`, are ignored. */
static struct vv_torch_form form_of_entry(struct finding *f, uint32_t entry)
{
    struct vv_torch_form form = { .is_empty = true };
    struct vv_torch_edges e =
        entry ? vv_torch_edges_of(f->g, entry) : (struct vv_torch_edges){ 0 };
    for (; e.at < e.end && torch_slots_use_budget(f, 1); e.at++) {
        const struct vv_draft_value *value =
            vv_torch_value_of(f->g, e.at->child);
        form.is_empty = false;
        if (!value || vv_torch_is_called(e.at, "step"))
            continue;
        struct vv_torch_form other = torch_slots_form_of(f->g, value);
        if (form.is_known && form.rank > 0 && other.rank == 0)
            continue;
        if (form.is_known && form.rank > 0 &&
            !torch_slots_is_same(&form, &other))
            return (struct vv_torch_form){ 0 };
        form = other;
    }
    return form;
}

/* Lists the shapes of all entries. Sets *are_there if at least one is known. */
static varve_status add_forms(struct finding *f, bool *are_there)
{
    size_t count = f->keys.size / sizeof(void *);
    const struct vv_torch_name *const *keys =
        (const struct vv_torch_name *const *)(const void *)f->keys.data;
    f->forms.size = 0;
    *are_there = false;
    for (size_t i = 0; i < count; i++) {
        struct vv_torch_form form =
            form_of_entry(f, torch_slots_entry_of(f, keys[i]->bytes));
        *are_there |= form.is_known;
        vv_buffer_add(&f->forms, &form, sizeof form);
    }
    return f->forms.failed ? torch_slots_fail_memory(f) : VARVE_OK;
}

/* --- Models --------------------------------------------------------------- */

/* Returns true if a variable has the shape of key i. */
static bool has_form(const struct finding *f, size_t i, uint32_t variable)
{
    const struct vv_torch_form *trained =
        (const struct vv_torch_form *)(const void *)f->forms.data + i;
    struct vv_torch_form form =
        torch_slots_form_of(f->g, vv_torch_value_of(f->g, variable));
    return !trained->is_known || torch_slots_is_same(trained, &form);
}

/* Pairs each key with the variable of its name. */
static varve_status fit_names(
    struct finding *f, uint32_t node, enum vv_torch_fit *fit)
{
    const struct vv_torch_name *const *names =
        (const struct vv_torch_name *const *)(const void *)f->names.data;
    size_t count = f->names.size / sizeof *names;
    f->paired.size = 0;
    VV_TRY(vv_torch_model_list(&f->model, node, true));
    bool fits = torch_slots_use_budget(f, count);
    for (size_t i = 0; i < count && fits; i++) {
        uint32_t variable = vv_torch_model_find(&f->model, names[i]);
        fits = variable && has_form(f, i, variable);
        if (!fits && (!f->reason.name || i > f->named)) {
            f->reason.why = VV_TORCH_NO_NAME;
            f->reason.name = names[i];
            f->named = i;
        }
        vv_buffer_add(&f->paired, &variable, sizeof variable);
    }
    *fit = fits ? VV_TORCH_FITS_ONCE : VV_TORCH_FITS_NOT;
    return f->paired.failed ? torch_slots_fail_memory(f) : VARVE_OK;
}

static varve_status list_shapes(struct finding *f)
{
    const uint32_t *all =
        (const uint32_t *)(const void *)f->model.variables.data;
    f->shapes.size = 0;
    for (size_t i = 0; i < f->model.variables.size / sizeof *all; i++) {
        struct vv_torch_form form =
            torch_slots_form_of(f->g, vv_torch_value_of(f->g, all[i]));
        vv_buffer_add(&f->shapes, &form, sizeof form);
    }
    return f->shapes.failed ? torch_slots_fail_memory(f) : VARVE_OK;
}

/* Pairs each key with the only variable that has its shape. */
static varve_status fit_shapes(
    struct finding *f, uint32_t node, enum vv_torch_fit *fit)
{
    size_t count = f->forms.size / sizeof(struct vv_torch_form), at = 0;
    VV_TRY(vv_torch_model_list(&f->model, node, false));
    VV_TRY(list_shapes(f));
    f->to.size = f->paired.size = 0;
    vv_buffer_extend(&f->to, count * sizeof(size_t));
    if (f->to.failed)
        return torch_slots_fail_memory(f);
    size_t *to = (size_t *)(void *)f->to.data;
    *fit = vv_torch_match_any(
        (const struct vv_torch_form *)(const void *)f->forms.data, count,
        (const struct vv_torch_form *)(const void *)f->shapes.data,
        f->shapes.size / sizeof(struct vv_torch_form), to, &at, &f->room);
    if (*fit == VV_TORCH_FITS_OFTEN)
        f->reason.form =
            (const struct vv_torch_form *)(const void *)f->forms.data + at;
    const uint32_t *all =
        (const uint32_t *)(const void *)f->model.variables.data;
    for (size_t i = 0; i < count && *fit == VV_TORCH_FITS_ONCE; i++) {
        uint32_t variable = to[i] == SIZE_MAX ? 0 : all[to[i]];
        vv_buffer_add(&f->paired, &variable, sizeof variable);
    }
    return f->paired.failed || f->room.failed ? torch_slots_fail_memory(f)
                                              : VARVE_OK;
}

static varve_status fit_model(
    struct finding *f, uint32_t node, enum vv_torch_fit *fit)
{
    return f->has_names ? fit_names(f, node, fit) : fit_shapes(f, node, fit);
}

/* Returns a rank of the name of a child: the lower, the more likely it is the
 * trained model. */
static size_t torch_slots_order_of(const struct vv_draft_edge *e)
{
    static const char *const names[] = { "model", "model_state_dict",
        "state_dict", "module", "net", "network" };
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !vv_torch_is_called(e, names[i]))
        i++;
    return i;
}

/* The models that fit among the children of an object. */
struct fitting {
    size_t count;
    uint32_t model; /* the one with the best rank so far */
    size_t best;    /* its rank */
    bool is_called; /* no other has this rank */
    enum vv_torch_fit fit;
};

static void take_fitting(struct finding *f, struct fitting *t,
    const struct vv_draft_edge *e, enum vv_torch_fit fit)
{
    size_t order = torch_slots_order_of(e);
    f->reason.models[t->count > 0] = e->child;
    t->count++;
    if (t->count > 1 && order >= t->best) {
        t->is_called &= order > t->best;
        return;
    }
    *t = (struct fitting){ t->count, e->child, order, true, fit };
}

/* Returns true if one model is certain. Copies of a model, such as averages of
 * its weights, have the same names; then the name of the child decides. Equal
 * shapes alone do not show that two networks are copies. */
static bool torch_slots_is_certain(struct finding *f, const struct fitting *t)
{
    if (t->count > 1 && !(f->has_names && t->is_called)) {
        f->reason.why = VV_TORCH_MODELS_FIT;
        return false;
    }
    if (t->fit == VV_TORCH_FITS_OFTEN) {
        f->reason.why = VV_TORCH_SHAPES_FIT;
        f->reason.models[0] = t->model;
        return false;
    }
    return true;
}

/* Sets *model to the only model that fits among the children of an object, if
 * there is one. Sets *goes_on if none fits. */
static varve_status torch_slots_find_model(
    struct finding *f, uint32_t parent, uint32_t *model, bool *goes_on)
{
    struct fitting t = { .best = SIZE_MAX };
    for (struct vv_torch_edges e = vv_torch_edges_of(f->g, parent);
         e.at < e.end; e.at++) {
        enum vv_torch_fit fit;
        if (vv_draft_node_at(f->g->draft, e.at->child)->kind != VARVE_OBJECT ||
            vv_torch_has_groups(f->g, e.at->child))
            continue;
        VV_TRY(fit_model(f, e.at->child, &fit));
        if (fit != VV_TORCH_FITS_NOT)
            take_fitting(f, &t, e.at, fit);
    }
    *goes_on = t.count == 0;
    if (t.count > 0 && torch_slots_is_certain(f, &t) && f->model.looks)
        *model = t.model;
    return VARVE_OK;
}

/* --- Slots ---------------------------------------------------------------- */

static void torch_slots_add_entry(
    struct finding *f, uint32_t entry, uint32_t variable)
{
    struct vv_torch_edges e = { 0 };
    if (entry)
        e = vv_torch_edges_of(f->g, entry);
    for (; e.at < e.end && torch_slots_use_budget(f, 1); e.at++)
        vv_torch_add_slot(
            f->g, f->optimizer, variable, &e.at->name, e.at->child);
}

static void torch_slots_add_slots(struct finding *f)
{
    const struct vv_torch_name *const *keys =
        (const struct vv_torch_name *const *)(const void *)f->keys.data;
    const uint32_t *paired = (const uint32_t *)(const void *)f->paired.data;
    for (size_t i = 0; i < f->keys.size / sizeof *keys; i++) {
        if (paired[i])
            torch_slots_add_entry(
                f, torch_slots_entry_of(f, keys[i]->bytes), paired[i]);
    }
}

/* --- Optimizers ----------------------------------------------------------- */

static varve_status find_above(struct finding *f, uint32_t *model)
{
    bool goes_on = true;
    uint32_t parent = f->optimizer;
    for (int i = 0; i < MOST_LEVELS && parent && goes_on; i++) {
        parent = vv_torch_place_of(f->g, parent)->parent;
        VV_TRY(torch_slots_find_model(f, parent, model, &goes_on));
    }
    return VARVE_OK;
}

static varve_status torch_slots_report_reason(struct finding *f)
{
    if (!f->model.looks)
        f->reason.why = VV_TORCH_NO_LOOKS;
    return vv_torch_report_reason(f->g, f->optimizer, &f->reason, &f->room);
}

static varve_status torch_slots_look_at(struct finding *f)
{
    bool is_one = false;
    uint32_t model = 0;
    enum vv_torch_fit fit = VV_TORCH_FITS_NOT;
    f->reason = (struct vv_torch_reason){ .why = VV_TORCH_NOTHING_FITS };
    VV_TRY(torch_slots_sort_edges(f, f->state, &f->sorted));
    VV_TRY(add_groups(f, &is_one));
    if (is_one)
        VV_TRY(add_forms(f, &is_one));
    if (!is_one)
        return f->model.looks ? VARVE_OK : torch_slots_report_reason(f);
    if (f->reason.why == VV_TORCH_NOTHING_FITS)
        VV_TRY(find_above(f, &model));
    if (model)
        VV_TRY(fit_model(f, model, &fit));
    if (fit != VV_TORCH_FITS_ONCE)
        return torch_slots_report_reason(f);
    torch_slots_add_slots(f);
    return VARVE_OK;
}

static varve_status torch_slots_look_at_all(struct finding *f)
{
    struct vv_torch_graph *g = f->g;
    for (uint32_t node = 1; node < vv_torch_place_count(g); node++) {
        f->groups = vv_torch_child_of(g, node, "param_groups");
        f->state = f->groups ? vv_torch_child_of(g, node, "state") : 0;
        f->optimizer = node;
        if (f->state)
            VV_TRY(torch_slots_look_at(f));
    }
    return VARVE_OK;
}

varve_status vv_torch_add_slots(struct vv_torch_graph *g)
{
    const varve_allocator *a = g->ways.allocator;
    struct finding f = { .g = g };
    struct vv_buffer *all[] = { &f.sorted, &f.keys, &f.names, &f.forms,
        &f.shapes, &f.paired, &f.to, &f.room };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_init(all[i], a);
    bool is_ready = vv_torch_model_init(&f.model, g);
    f.model.looks = (g->draft->edges.size / sizeof(struct vv_draft_edge) +
                        g->file->numbers.size / 8) *
                    MOST_LOOKS;
    g->roles = vv_allocate_zeroed(a, vv_torch_place_count(g));
    varve_status status = is_ready && g->roles ? torch_slots_look_at_all(&f)
                                               : torch_slots_fail_memory(&f);
    if (!status)
        status = vv_torch_add_flat_slots(g);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_clear(all[i]);
    vv_torch_model_clear(&f.model);
    return status;
}

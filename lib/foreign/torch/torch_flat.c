/* torch_flat.c - Matches the names of a flat state dict with the names of
 * models. Each name is stored once, so names are compared by address.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_flat.h"

#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "torch_edges.h"
#include "torch_reason.h"
#include "try.h"

#define STATE "state."
#define GROUPS "param_groups."

enum {
    MOST_LOOKS = 16, /* how often each edge may be visited */
    MOST_LEVELS = 3, /* from an optimizer upwards */
};

/* A member `state.NAME.SLOT` of an optimizer. */
struct kept {
    const char *name; /* of the variable; a unique address for each name */
    struct vv_draft_name slot;
    uint32_t node;
};

struct finding {
    struct vv_torch_graph *g;
    struct vv_buffer kept; /* struct kept */
    struct vv_buffer
        named; /* struct vv_draft_edge of a model, sorted by name */
    struct vv_buffer
        variables;   /* uint32_t: the variable of each member of `kept` */
    uint64_t looks;  /* remaining visits of edges */
    bool has_groups; /* it is certainly an optimizer */
    struct vv_torch_reason reason;
    struct vv_buffer text;
};

static varve_status torch_flat_fail_memory(const struct finding *f)
{
    return vv_fail_memory(f->g->error, "slots");
}

/* --- Members of the optimizer --------------------------------------------- */

static const char *last_dot(const struct vv_draft_name *name)
{
    const char *at = name->bytes + name->size;
    while (at > name->bytes && at[-1] != '.')
        at--;
    return at > name->bytes ? at - 1 : NULL;
}

static varve_status torch_flat_add_kept(
    struct finding *f, const struct vv_draft_edge *e)
{
    const char *begin = e->name.bytes + sizeof STATE - 1;
    const char *end = last_dot(&e->name);
    if (e->name.size < sizeof STATE ||
        memcmp(e->name.bytes, STATE, sizeof STATE - 1) != 0 || end <= begin ||
        !vv_torch_value_of(f->g, e->child))
        return VARVE_OK;
    const struct vv_torch_name *name =
        vv_torch_name_of(&f->g->keys, begin, (uint32_t)(end - begin));
    if (!name)
        return torch_flat_fail_memory(f);
    struct kept kept = { .name = name->bytes,
        .slot = { .bytes = end + 1,
            .size = (uint32_t)(e->name.bytes + e->name.size - end - 1) },
        .node = e->child };
    if (kept.slot.size > 0)
        vv_buffer_add(&f->kept, &kept, sizeof kept);
    return f->kept.failed ? torch_flat_fail_memory(f) : VARVE_OK;
}

static varve_status list_kept(struct finding *f, uint32_t optimizer)
{
    f->kept.size = 0;
    f->has_groups = false;
    for (struct vv_torch_edges e = vv_torch_edges_of(f->g, optimizer);
         e.at < e.end; e.at++) {
        f->has_groups |=
            e.at->name.size >= sizeof GROUPS &&
            memcmp(e.at->name.bytes, GROUPS, sizeof GROUPS - 1) == 0;
        VV_TRY(torch_flat_add_kept(f, e.at));
    }
    return VARVE_OK;
}

/* --- Models --------------------------------------------------------------- */

static int torch_flat_compare(const void *left, const void *right)
{
    const struct vv_draft_edge *a = left, *b = right;
    uintptr_t x = (uintptr_t)a->name.bytes, y = (uintptr_t)b->name.bytes;
    return (x > y) - (x < y);
}

static uint32_t find_variable(const struct finding *f, const char *name)
{
    struct vv_draft_edge key = { .name = { .bytes = name } };
    const struct vv_draft_edge *found = bsearch(&key, f->named.data,
        f->named.size / sizeof key, sizeof key, torch_flat_compare);
    return found && vv_torch_value_of(f->g, found->child) ? found->child : 0;
}

/* Sets *fits if an object contains all variables. */
static varve_status torch_flat_fit(
    struct finding *f, uint32_t model, bool *fits)
{
    struct vv_torch_edges e = vv_torch_edges_of(f->g, model);
    size_t count = (size_t)(e.end - e.at);
    size_t kept_count = f->kept.size / sizeof(struct kept);
    const struct kept *kept = (const struct kept *)(const void *)f->kept.data;
    *fits = count > 0 && count + kept_count < f->looks;
    f->looks = *fits || count == 0 ? f->looks - count : 0;
    if (!*fits)
        return VARVE_OK;
    f->looks -= kept_count;
    f->named.size = f->variables.size = 0;
    vv_buffer_add(&f->named, e.at, count * sizeof *e.at);
    if (f->named.failed)
        return torch_flat_fail_memory(f);
    qsort(f->named.data, count, sizeof *e.at, torch_flat_compare);
    for (size_t i = 0; i < kept_count && *fits; i++) {
        uint32_t variable = find_variable(f, kept[i].name);
        *fits = variable > 0;
        vv_buffer_add(&f->variables, &variable, sizeof variable);
    }
    return f->variables.failed ? torch_flat_fail_memory(f) : VARVE_OK;
}

/* Sets *model to the object next to `optimizer` that fits, or to 0 if there is
 * none or more than one. */
static varve_status torch_flat_find_model(
    struct finding *f, uint32_t optimizer, uint32_t parent, uint32_t *model)
{
    size_t count = 0;
    for (struct vv_torch_edges e = vv_torch_edges_of(f->g, parent);
         e.at < e.end && f->looks; e.at++) {
        bool fits = false;
        if (e.at->child == optimizer || vv_torch_value_of(f->g, e.at->child))
            continue;
        VV_TRY(torch_flat_fit(f, e.at->child, &fits));
        if (!fits)
            continue;
        *model = e.at->child;
        f->reason.models[count > 0] = e.at->child;
        count++;
    }
    if (count > 1)
        f->reason.why = VV_TORCH_MODELS_FIT;
    if (count != 1)
        *model = 0;
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

/* A module may have the name `state`. Without groups, an object is reported as
 * an optimizer only if several models fit. */
static varve_status torch_flat_tell_reason(
    struct finding *f, uint32_t optimizer)
{
    if (!f->looks)
        f->reason.why = VV_TORCH_NO_LOOKS;
    return f->has_groups || f->reason.why == VV_TORCH_MODELS_FIT
               ? vv_torch_tell_reason(f->g, optimizer, &f->reason, &f->text)
               : VARVE_OK;
}

static varve_status torch_flat_look_at(struct finding *f, uint32_t optimizer)
{
    bool fits = false;
    uint32_t model = 0, parent = optimizer;
    VV_TRY(list_kept(f, optimizer));
    const struct kept *kept = (const struct kept *)(const void *)f->kept.data;
    size_t count = f->kept.size / sizeof *kept;
    if (count == 0)
        return VARVE_OK;
    f->reason = (struct vv_torch_reason){ .why = VV_TORCH_NO_PARAMETERS };
    for (int i = 0; i < MOST_LEVELS && parent && !model &&
                    f->reason.why != VV_TORCH_MODELS_FIT;
         i++) {
        parent = vv_torch_way_of(f->g, parent)->parent;
        VV_TRY(torch_flat_find_model(f, optimizer, parent, &model));
    }
    if (model)
        VV_TRY(torch_flat_fit(f, model, &fits));
    if (!fits)
        return torch_flat_tell_reason(f, optimizer);
    const uint32_t *variables =
        (const uint32_t *)(const void *)f->variables.data;
    for (size_t i = 0; i < count; i++)
        vv_torch_add_slot(
            f->g, optimizer, variables[i], &kept[i].slot, kept[i].node);
    return VARVE_OK;
}

varve_status vv_torch_add_flat_slots(struct vv_torch_graph *g)
{
    struct finding f = { .g = g,
        .looks =
            g->draft->edges.size / sizeof(struct vv_draft_edge) * MOST_LOOKS };
    struct vv_buffer *all[] = { &f.kept, &f.named, &f.variables, &f.text };
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_init(all[i], g->ways.allocator);
    for (uint32_t i = 1; i < vv_torch_way_count(g) && f.looks && !status; i++)
        status = torch_flat_look_at(&f, i);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_clear(all[i]);
    return status;
}

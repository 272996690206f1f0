/* torch_model.c - Visits a model depth first, in file order, and matches the
 * names of a flat state dict with the names of models.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_model.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "torch_reason.h"
#include "try.h"
#include "typed_memory.h"

/* --- Edges ---------------------------------------------------------------- */

/* The role of a node in the slots found so far. */
enum torch_role { VV_TORCH_TRAINED = 1, VV_TORCH_KEPT = 2 };

enum { LONGEST_SLOT = 255 };

struct vv_torch_edges vv_torch_edges_of(
    const struct vv_torch_graph *g, uint32_t node)
{
    size_t count;
    const struct vv_draft_edge *all =
        VV_PARTS(g->draft, edges, struct vv_draft_edge, &count);
    size_t end = node + 1 < vv_torch_place_count(g)
                     ? vv_torch_place_of(g, node + 1)->edges
                     : count;
    if (!all)
        return (struct vv_torch_edges){ 0 };
    return (struct vv_torch_edges){ all + vv_torch_place_of(g, node)->edges,
        all + end };
}

const struct vv_draft_value *vv_torch_value_of(
    const struct vv_torch_graph *g, uint32_t node)
{
    uint32_t value = vv_draft_node_at(g->draft, node)->value;
    return value ? (const struct vv_draft_value *)(const void *)
                           g->draft->values.data +
                       value - 1
                 : NULL;
}

bool vv_torch_is_called(const struct vv_draft_edge *e, const char *text)
{
    return e->name.size == strlen(text) &&
           memcmp(e->name.bytes, text, e->name.size) == 0;
}

uint32_t vv_torch_child_of(
    const struct vv_torch_graph *g, uint32_t node, const char *name)
{
    struct vv_torch_edges e = vv_torch_edges_of(g, node);
    while (e.at < e.end && !vv_torch_is_called(e.at, name))
        e.at++;
    return e.at < e.end ? e.at->child : 0;
}

bool vv_torch_has_groups(const struct vv_torch_graph *g, uint32_t node)
{
    return vv_draft_node_at(g->draft, node)->kind == VARVE_OBJECT &&
           vv_torch_child_of(g, node, "param_groups") &&
           vv_torch_child_of(g, node, "state");
}

static bool take_roles(
    struct vv_torch_graph *g, uint32_t variable, uint32_t node)
{
    if (!vv_torch_value_of(g, node) || node == variable || g->roles[node] ||
        g->roles[variable] & VV_TORCH_KEPT)
        return false;
    g->roles[variable] = VV_TORCH_TRAINED;
    g->roles[node] = VV_TORCH_KEPT;
    return true;
}

void vv_torch_add_slot(struct vv_torch_graph *g, uint32_t optimizer,
    uint32_t variable, const struct vv_draft_name *name, uint32_t node)
{
    if (name->size <= LONGEST_SLOT && take_roles(g, variable, node))
        vv_draft_slot(
            g->draft, optimizer, variable, name->bytes, name->size, node);
}

/* --- Variables of a model ------------------------------------------------- */

/* A name of a variable in torch's spelling, with dots between its parts. */
struct torch_named {
    /* to read */
    const struct vv_torch_name *name; /* a unique address for each text */
    uint32_t node;
};

enum {
    BYTES_FOR_LOOK = 64
}; /* copying this many bytes of names counts as a visit */

/* An object that is being visited. */
struct step {
    struct vv_torch_edges left;
    size_t text; /* size of the prefix of its children's names */
};

bool vv_torch_model_init(struct vv_torch_model *m, struct vv_torch_graph *g)
{
    const varve_allocator *a = g->ways.allocator;
    *m = (struct vv_torch_model){ .g = g };
    vv_buffer_init(&m->variables, a);
    vv_buffer_init(&m->named, a);
    vv_buffer_init(&m->steps, a);
    vv_buffer_init(&m->text, a);
    m->seen = vv_allocate_zeroed(a, vv_torch_place_count(g) * sizeof *m->seen);
    return m->seen != NULL;
}

void vv_torch_model_clear(struct vv_torch_model *m)
{
    vv_buffer_clear(&m->variables);
    vv_buffer_clear(&m->named);
    vv_buffer_clear(&m->steps);
    vv_buffer_clear(&m->text);
    vv_release(m->g->ways.allocator, m->seen,
        vv_torch_place_count(m->g) * sizeof *m->seen);
}

bool vv_torch_model_use_budget(struct vv_torch_model *m, uint64_t looks)
{
    if (looks >= m->looks)
        m->looks = 0;
    else
        m->looks -= looks;
    return m->looks > 0;
}

static bool is_trainable(const struct vv_torch_graph *g, uint32_t node)
{
    const struct vv_draft_value *value = vv_torch_value_of(g, node);
    return value &&
           vv_dtype_of((varve_dtype)value->dtype)->family == VV_FAMILY_REAL;
}

static bool is_new(struct vv_torch_model *m, uint32_t node)
{
    if (m->seen[node] == m->look)
        return false;
    m->seen[node] = m->look;
    return true;
}

static void open_step(struct vv_torch_model *m, uint32_t node)
{
    struct step step = { vv_torch_edges_of(m->g, node), m->text.size };
    vv_buffer_add(&m->steps, &step, sizeof step);
}

/* Adds `text` as the name of a variable. */
static void torch_model_add_name(struct vv_torch_model *m, uint32_t node)
{
    if (m->text.failed || m->text.size > VV_TORCH_LONGEST_NAME ||
        !vv_torch_model_use_budget(m, m->text.size / BYTES_FOR_LOOK))
        return;
    struct torch_named named = { vv_torch_name_of(&m->g->keys,
                                     (const char *)m->text.data,
                                     (uint32_t)m->text.size),
        node };
    m->named.failed |= !named.name;
    vv_buffer_add(&m->named, &named, sizeof named);
}

static void torch_model_visit(
    struct vv_torch_model *m, const struct vv_draft_edge *e, bool with_names)
{
    bool is_variable = is_trainable(m->g, e->child);
    bool is_first = is_new(m, e->child);
    if (!is_first && !(is_variable && with_names))
        return;
    if (with_names)
        vv_buffer_add(&m->text, e->name.bytes, e->name.size);
    if (is_variable && with_names)
        torch_model_add_name(m, e->child);
    if (is_variable && is_first)
        vv_buffer_add(&m->variables, &e->child, sizeof e->child);
    if (is_variable || !is_first || vv_torch_has_groups(m->g, e->child))
        return;
    if (with_names)
        vv_buffer_add8(&m->text, '.');
    open_step(m, e->child);
}

static void torch_model_visit_all(
    struct vv_torch_model *m, uint32_t node, bool with_names)
{
    m->look++;
    m->variables.size = m->named.size = m->steps.size = m->text.size = 0;
    m->seen[node] = m->look;
    open_step(m, node);
    while (m->steps.size > 0 && !m->steps.failed) {
        struct step *top =
            (struct step *)(void *)(m->steps.data + m->steps.size) - 1;
        m->text.size = top->text;
        if (top->left.at == top->left.end) {
            m->steps.size -= sizeof *top;
            continue;
        }
        if (!vv_torch_model_use_budget(m, 1))
            return;
        torch_model_visit(m, top->left.at++, with_names);
    }
}

/* Keeps only torch Parameters, if there are any. */
static void keep_parameters(struct vv_torch_model *m)
{
    uint32_t *all = (uint32_t *)(void *)m->variables.data;
    size_t count = m->variables.size / sizeof *all, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (vv_torch_place_of(m->g, all[i])->is_parameter)
            all[kept++] = all[i];
    }
    if (kept > 0)
        m->variables.size = kept * sizeof *all;
}

/* Each name is one object, so names are ordered by address. */
static int torch_model_compare(const void *left, const void *right)
{
    const struct torch_named *a = left, *b = right;
    uintptr_t x = (uintptr_t)a->name, y = (uintptr_t)b->name;
    return (x > y) - (x < y);
}

varve_status vv_torch_model_list(
    struct vv_torch_model *m, uint32_t node, bool with_names)
{
    torch_model_visit_all(m, node, with_names);
    if (m->variables.failed || m->named.failed || m->steps.failed ||
        m->text.failed)
        return vv_fail_memory(m->g->error, "slots");
    keep_parameters(m);
    if (m->named.size > 0)
        qsort(m->named.data, m->named.size / sizeof(struct torch_named),
            sizeof(struct torch_named), torch_model_compare);
    return VARVE_OK;
}

uint32_t vv_torch_model_find(
    const struct vv_torch_model *m, const struct vv_torch_name *name)
{
    struct torch_named key = { .name = name };
    size_t count = m->named.size / sizeof key;
    const struct torch_named *all =
        (const struct torch_named *)(const void *)m->named.data;
    const struct torch_named *found =
        count ? bsearch(&key, all, count, sizeof key, torch_model_compare)
              : NULL;
    if (!found)
        return 0;
    for (const struct torch_named *n = found; n > all && n[-1].name == name;
         n--) {
        if (n[-1].node != found->node)
            return 0;
    }
    for (const struct torch_named *n = found;
         n + 1 < all + count && n[1].name == name; n++) {
        if (n[1].node != found->node)
            return 0;
    }
    return found->node;
}

/* --- Flat state dicts ----------------------------------------------------- */

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
static varve_status torch_flat_report_reason(
    struct finding *f, uint32_t optimizer)
{
    if (!f->looks)
        f->reason.why = VV_TORCH_NO_LOOKS;
    return f->has_groups || f->reason.why == VV_TORCH_MODELS_FIT
               ? vv_torch_report_reason(f->g, optimizer, &f->reason, &f->text)
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
        parent = vv_torch_place_of(f->g, parent)->parent;
        VV_TRY(torch_flat_find_model(f, optimizer, parent, &model));
    }
    if (model)
        VV_TRY(torch_flat_fit(f, model, &fits));
    if (!fits)
        return torch_flat_report_reason(f, optimizer);
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
    for (uint32_t i = 1; i < vv_torch_place_count(g) && f.looks && !status; i++)
        status = torch_flat_look_at(&f, i);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_clear(all[i]);
    return status;
}

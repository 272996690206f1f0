/* torch_model.c - Visits a model depth first, in file order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_model.h"

#include <stdlib.h>

#include "allocator.h"
#include "dtype.h"
#include "failure.h"
#include "torch_edges.h"
#include "try.h"

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
    m->seen = vv_allocate_zeroed(a, vv_torch_way_count(g) * sizeof *m->seen);
    return m->seen != NULL;
}

void vv_torch_model_clear(struct vv_torch_model *m)
{
    vv_buffer_clear(&m->variables);
    vv_buffer_clear(&m->named);
    vv_buffer_clear(&m->steps);
    vv_buffer_clear(&m->text);
    vv_release(m->g->ways.allocator, m->seen,
        vv_torch_way_count(m->g) * sizeof *m->seen);
}

bool vv_torch_model_spend(struct vv_torch_model *m, uint64_t looks)
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
        !vv_torch_model_spend(m, m->text.size / BYTES_FOR_LOOK))
        return;
    struct vv_torch_named named = { vv_torch_name_of(&m->g->keys,
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
        if (!vv_torch_model_spend(m, 1))
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
        if (vv_torch_way_of(m->g, all[i])->is_parameter)
            all[kept++] = all[i];
    }
    if (kept > 0)
        m->variables.size = kept * sizeof *all;
}

/* Each name is one object, so names are ordered by address. */
static int torch_model_compare(const void *left, const void *right)
{
    const struct vv_torch_named *a = left, *b = right;
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
        qsort(m->named.data, m->named.size / sizeof(struct vv_torch_named),
            sizeof(struct vv_torch_named), torch_model_compare);
    return VARVE_OK;
}

uint32_t vv_torch_model_find(
    const struct vv_torch_model *m, const struct vv_torch_name *name)
{
    struct vv_torch_named key = { .name = name };
    size_t count = m->named.size / sizeof key;
    const struct vv_torch_named *all =
        (const struct vv_torch_named *)(const void *)m->named.data;
    const struct vv_torch_named *found =
        count ? bsearch(&key, all, count, sizeof key, torch_model_compare)
              : NULL;
    if (!found)
        return 0;
    for (const struct vv_torch_named *n = found; n > all && n[-1].name == name;
         n--) {
        if (n[-1].node != found->node)
            return 0;
    }
    for (const struct vv_torch_named *n = found;
         n + 1 < all + count && n[1].name == name; n++) {
        if (n[1].node != found->node)
            return 0;
    }
    return found->node;
}

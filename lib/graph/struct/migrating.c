/* migrating.c - Packs redistributable structs into an array when they are
 * needed, and provides its columns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "migrating.h"

#include <string.h>

#include <varve/memory.h>

#include "allocator.h"
#include "failure.h"
#include "field.h"
#include "graph.h"
#include "struct.h"

struct vv_migrating *vv_migrating_of(const varve_node *node)
{
    return vv_is_struct(node) ? vv_struct_of(node)->migrating : NULL;
}

/* --- Columns ------------------------------------------------------------ */

/* Returns a column: one field of all packed structs. */
static varve_tensor column(const struct vv_migrating *m, const varve_field *f,
    varve_memory *memory, int64_t *strides)
{
    varve_tensor one = vv_field_view(f, m->structs);
    varve_shape shape = { .rank = one.rank + 1 };
    int64_t stride = (int64_t)varve_dtype_size(one.dtype);
    for (uint32_t i = one.rank; i-- > 0; stride *= (int64_t)one.shape[i]) {
        shape.extents[i + 1] = one.shape[i];
        strides[i + 1] = stride;
    }
    shape.extents[0] = m->count;
    strides[0] = (int64_t)m->of.size;
    *memory = (varve_memory){ .strides = strides };
    return varve_view_in(memory, one.data, one.dtype, shape);
}

static void bind_columns(varve_node *node, const struct vv_migrating *m)
{
    for (const varve_field *f = m->of.fields; f->kind; f++) {
        int64_t strides[VARVE_MAX_RANK];
        varve_memory memory;
        varve_node *child = varve_find(node, vv_field_name(f));
        if (f->kind == VARVE_FIELD_IS_GONE || !child)
            continue;
        varve_rebind(child, column(m, f, &memory, strides));
        varve_mark_dirty(child);
    }
}

static bool add_columns(varve_node *node, const struct vv_migrating *m)
{
    for (const varve_field *f = m->of.fields; f->kind; f++) {
        int64_t strides[VARVE_MAX_RANK];
        varve_memory memory;
        if (f->kind == VARVE_FIELD_IS_GONE)
            continue;
        if (vv_is_nil(varve_add_variable(
                node, vv_field_name(f), column(m, f, &memory, strides))))
            return false;
    }
    return true;
}

/* --- Packing ------------------------------------------------------------ */

static bool migrating_reserve(
    const varve_allocator *a, struct vv_migrating *m, size_t count)
{
    if (count > PTRDIFF_MAX / 2 / m->of.size)
        return false;
    size_t size = (count ? count : 1) * m->of.size;
    if (size > m->room || size < m->room / 4) {
        size_t room = size + size / 8;
        void *larger = vv_reallocate(a, m->structs, m->room, room);
        if (!larger && size > m->room)
            return false;
        if (larger) {
            m->structs = larger;
            m->room = room;
        }
    }
    return true;
}

varve_status vv_migrating_pack(
    varve_node *node, struct vv_migrating *m, varve_error *error)
{
    size_t count = m->of.count(m->of.user);
    if (!vv_graph_may_change(node, VV_HOLDS_NODES))
        return vv_graph_take_error(node->graph, error);
    if (!migrating_reserve(&node->graph->context.allocator, m, count))
        return vv_fail_memory(error, "structs that migrate");
    m->count = count;
    if (count)
        m->of.get(m->of.user, m->structs);
    bind_columns(node, m);
    return vv_graph_take_error(node->graph, error);
}

varve_status vv_migrating_check(const varve_node *node, varve_error *error)
{
    const struct vv_migrating *m = vv_migrating_of(node);
    char text[256];
    for (size_t i = 0; m && m->of.owner && i < m->count; i++) {
        uint32_t owner =
            m->of.owner(m->of.user, (const char *)m->structs + i * m->of.size);
        if (owner >= m->size)
            return vv_fail(error, VARVE_MISUSE,
                "%s: %zu: the owner must be below %lu, found %lu",
                vv_node_text(node, text, sizeof text), i,
                (unsigned long)m->size, (unsigned long)owner);
    }
    return VARVE_OK;
}

void vv_migrating_free(const varve_allocator *a, struct vv_migrating *m)
{
    if (!m)
        return;
    vv_release(a, m->structs, m->room);
    vv_release(a, m, sizeof *m);
}

/* --- A snapshot --------------------------------------------------------- */

/* A state that is not saved. Restoring a snapshot calls its load function after
 * the array was restored, which then returns the structs to the program. */
static varve_status save_nothing(void *self, varve_sink *sink)
{
    (void)self;
    (void)sink;
    return VARVE_OK;
}

static varve_status migrating_put_back(
    void *self, const void *bytes, size_t size)
{
    struct vv_migrating *m = self;
    varve_status status = VARVE_OK;
    (void)bytes;
    (void)size;
    m->of.clear(m->of.user);
    for (size_t i = 0; i < m->count && !status; i++)
        status =
            m->of.put(m->of.user, (const char *)m->structs + i * m->of.size);
    return status;
}

/* --- Beginning ---------------------------------------------------------- */

static bool is_flat(const varve_field *f)
{
    bool counted = f->count || f->is_pointer || f->dtype == VARVE_STRING;
    for (unsigned i = 0; i < f->rank; i++)
        counted = counted || f->extents[i].dtype;
    return f->kind == VARVE_FIELD_IS_GONE ||
           (f->kind == VARVE_FIELD_IS_VALUE && !counted && f->size);
}

static bool migrating_check(
    varve_node *node, const char *name, const varve_migrating *m)
{
    if (!m->fields || !m->size || !m->count || !m->get || !m->clear || !m->put)
        vv_graph_error(node->graph, VARVE_MISUSE,
            "%.200s: `fields`, `size`, `count`, `get`, `clear` and `put` must "
            "be set",
            name);
    for (const varve_field *f = m->fields; f && f->kind; f++) {
        if (!is_flat(f))
            vv_graph_error(node->graph, VARVE_MISUSE,
                "%.200s/%s: only numbers and arrays can be fields of "
                "redistributable structs",
                name, vv_field_name(f));
        else if (f->struct_size && f->struct_size != m->size)
            vv_graph_error(node->graph, VARVE_MISUSE,
                "%.200s/%s: the field is of a struct of another size: expected "
                "%zu bytes, found %zu",
                name, vv_field_name(f), m->size, f->struct_size);
    }
    return !varve_graph_check(node->graph, NULL);
}

bool vv_migrating_begin(varve_node *node, const char *name,
    const varve_migrating *migrating, const struct vv_private *private)
{
    static const varve_state_callbacks callbacks = { save_nothing,
        migrating_put_back };
    const varve_allocator *a = &node->graph->context.allocator;
    if (!migrating_check(node, name ? name : "list element", migrating))
        return false;
    struct vv_migrating *m = vv_allocate_zeroed(a, sizeof *m);
    if (m)
        m->of = *migrating;
    if (!m || !migrating_reserve(a, m, 0) || !vv_struct_watch(node, m)) {
        vv_migrating_free(a, m);
        vv_graph_memory_error(node->graph);
        return false;
    }
    m->rank = private->rank;
    m->size = private->size;
    if (!add_columns(node, m))
        return false;
    varve_node *state = varve_add_state(node, "put", &callbacks, m);
    varve_tag(state, VARVE_TAG_LOCAL);
    return !vv_is_nil(state);
}

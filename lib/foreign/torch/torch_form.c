/* torch_form.c - what is below an object decides what it is: marks go up along
 * the shortest paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_form.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"

enum { HAS_TENSORS = 1, IS_MIXED = 2 };

/* --- Values --------------------------------------------------------------- */

enum vv_torch_sort vv_torch_sort_of(
    const struct vv_target *target, uint32_t value)
{
    const struct vv_index *index = target->index;
    if (value == VV_NONE || !vv_index_is_saved(index, value))
        return VV_TORCH_NOTHING;
    unsigned rank = index->value_ranks[value];
    switch (index->value_dtypes[value]) {
    case VARVE_STRING:
        return rank == 0   ? VV_TORCH_WORD
               : rank == 1 ? VV_TORCH_WORDS
                           : VV_TORCH_NOTHING;
    case VARVE_BOOL:
    case VARVE_INT64:
    case VARVE_UINT64:
    case VARVE_FLOAT64: return rank == 0 ? VV_TORCH_NUMBER : VV_TORCH_TENSOR;
    default: return VV_TORCH_TENSOR;
    }
}

/* --- Marks ---------------------------------------------------------------- */

static void mark(struct vv_torch_forms *f, uint32_t node, unsigned char what)
{
    const struct vv_saved_paths *paths = f->target->paths;
    for (;;) {
        if (f->marks[node] & what)
            return;
        f->marks[node] |= what;
        if (node == paths->root || paths->parents[node] == VV_NONE ||
            paths->ways[node] & VV_WAY_IS_SLOT)
            return;
        node = paths->parents[node];
    }
}

/* A number is one of a state dict where batch normalization has it. */
static bool is_counter(const struct vv_index *index, uint32_t edge)
{
    static const char name[] = "num_batches_tracked";
    size_t size;
    const char *bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    return size == sizeof name - 1 && memcmp(bytes, name, size) == 0;
}

static void mark_edge(struct vv_torch_forms *f, uint32_t node, uint32_t edge)
{
    const struct vv_index *index = f->target->index;
    uint32_t child = vv_at32(index->edge_children, edge);
    if (vv_index_kind(index, child) != VARVE_VARIABLE)
        return;
    switch (vv_torch_sort_of(f->target, vv_index_find_value(index, child))) {
    case VV_TORCH_NOTHING: break;
    case VV_TORCH_TENSOR: mark(f, node, HAS_TENSORS); break;
    case VV_TORCH_NUMBER:
        if (is_counter(index, edge))
            break;
        /* fall through */
    default: mark(f, node, IS_MIXED);
    }
}

varve_status vv_torch_forms_begin(struct vv_torch_forms *f,
    const struct vv_target *target, varve_error *error)
{
    const struct vv_index *index = target->index;
    *f = (struct vv_torch_forms){ .target = target };
    f->marks =
        vv_allocate_zeroed(&target->context->allocator, index->node_count);
    if (!f->marks && index->node_count)
        return vv_fail_memory(error, "nodes");
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint32_t begin, end;
        vv_index_edges(index, node, &begin, &end);
        for (; begin < end; begin++)
            mark_edge(f, node, begin);
    }
    for (uint32_t i = 0; i < index->slot_count; i++)
        mark(f, vv_at32(index->slot_owners, i), IS_MIXED);
    return VARVE_OK;
}

void vv_torch_forms_end(struct vv_torch_forms *f)
{
    if (f->target)
        vv_release(&f->target->context->allocator, f->marks,
            f->target->index->node_count);
    *f = (struct vv_torch_forms){ 0 };
}

/* --- Nodes ---------------------------------------------------------------- */

uint32_t vv_torch_child(
    const struct vv_torch_forms *f, uint32_t node, const char *name)
{
    const struct vv_index *index = f->target->index;
    uint32_t number = vv_index_find_name(index, name, strlen(name));
    return number == VV_NONE ? VV_NONE
                             : vv_index_find_child(index, node, number);
}

bool vv_torch_is_list(const struct vv_torch_forms *f, uint32_t node)
{
    const struct vv_index *index = f->target->index;
    uint32_t begin, end;
    vv_index_edges(index, node, &begin, &end);
    if (vv_index_kind(index, node) == VARVE_LIST)
        return true;
    if (vv_index_kind(index, node) != VARVE_OBJECT)
        return false;
    for (uint32_t i = begin; i < end; i++) {
        size_t size;
        uint64_t position;
        const char *name =
            vv_index_name(index, vv_at32(index->edge_names, i), &size);
        if (!vv_parse_decimal(name, size, &position) || position >= end - begin)
            return false;
    }
    return begin < end;
}

static bool is_optimizer(const struct vv_torch_forms *f, uint32_t node)
{
    uint32_t begin, end;
    vv_index_slots(f->target->index, node, &begin, &end);
    return begin < end ||
           (vv_torch_child(f, node, "state") != VV_NONE &&
               vv_torch_child(f, node, "param_groups") != VV_NONE);
}

/* Whether a root has a child that is called as models are in a training
 * checkpoint: then it is no model itself. */
static bool has_model(const struct vv_torch_forms *f, uint32_t root)
{
    static const char *const names[] = { "model", "model_state_dict",
        "state_dict", "module", "net", "network" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t child = vv_torch_child(f, root, names[i]);
        if (child != VV_NONE &&
            vv_index_kind(f->target->index, child) != VARVE_VARIABLE)
            return true;
    }
    return false;
}

enum vv_torch_form_of vv_torch_form_of(
    const struct vv_torch_forms *f, uint32_t node)
{
    bool is_root = node == f->target->paths->root;
    if (is_optimizer(f, node))
        return VV_TORCH_OPTIMIZER;
    if (f->marks[node] == HAS_TENSORS && !(is_root && has_model(f, node)))
        return VV_TORCH_STATE_DICT;
    return vv_torch_is_list(f, node) ? VV_TORCH_LIST : VV_TORCH_DICT;
}

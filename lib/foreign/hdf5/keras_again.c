/* keras_again.c - Finds the names of groups in global names: the path of a
 * layer is `layers/<own name>/.../vars/0`, its global name `layers/<name in the
 * file>/.../vars/0`.
 *
 * SPDX-License-Identifier: MIT
 */
#include "keras_again.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "hdf5_kept.h"
#include "try.h"

enum { MOST_LEVELS = 16, LOOKS_FOR_EDGE = 64 };

struct vv_keras_range {
    size_t begin, size;
};

/* A name that is not terminated. */
struct text {
    const char *bytes;
    size_t size;
};

/* A layer of a model. */
struct layer {
    uint32_t node;
    struct text own, file; /* size 0 if the name in the file is not known */
};

static varve_status keras_again_fail_memory(varve_error *error)
{
    return vv_fail_memory(error, "Keras names");
}

/* --- Functions for the writer --------------------------------------------- */

static varve_status keras_again_give_value(
    void *user, uint32_t value, struct vv_source *source, varve_error *error)
{
    const struct vv_keras_again *a = user;
    return a->real->value(a->real->user, value, source, error);
}

static varve_status keras_again_finish(void *user, varve_error *error)
{
    const struct vv_keras_again *a = user;
    return a->real->finish ? a->real->finish(a->real->user, error) : VARVE_OK;
}

static const unsigned char *keras_again_give_kept(
    const void *user, uint32_t node, size_t *size)
{
    const struct vv_keras_again *a = user;
    *size = a->ranges[node].size;
    return *size > 0 ? a->bytes.data + a->ranges[node].begin : NULL;
}

static void keras_again_keep(struct vv_keras_again *a, uint32_t node,
    enum vv_hdf5_kept_kind kind, struct text first, struct text second)
{
    if (a->ranges[node].size > 0)
        return;
    a->ranges[node].begin = a->bytes.size;
    vv_buffer_add8(&a->bytes, (uint8_t)kind);
    vv_buffer_add(&a->bytes, first.bytes, first.size);
    vv_buffer_add8(&a->bytes, 0);
    if (second.size > 0)
        vv_buffer_add(&a->bytes, second.bytes, second.size);
    vv_buffer_add8(&a->bytes, 0);
    a->ranges[node].size = a->bytes.size - a->ranges[node].begin;
}

/* --- Nodes and names ------------------------------------------------------ */

static struct text keras_again_edge_name(
    const struct vv_index *index, uint32_t edge)
{
    struct text name;
    name.bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &name.size);
    return name;
}

static bool keras_again_is_called(struct text name, const char *text)
{
    return name.size == strlen(text) &&
           memcmp(name.bytes, text, name.size) == 0;
}

static bool keras_again_is_same(struct text a, struct text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static bool keras_again_is_object(const struct vv_index *index, uint32_t node)
{
    varve_kind kind = vv_index_kind(index, node);
    return kind != VARVE_VARIABLE && kind != VARVE_STATE;
}

/* Returns the object `vars` of a layer, or VV_NONE. */
static uint32_t vars_of(const struct vv_index *index, uint32_t node)
{
    uint32_t name = vv_index_find_name(index, "vars", 4);
    uint32_t vars =
        name == VV_NONE ? VV_NONE : vv_index_find_child(index, node, name);
    return vars != VV_NONE && keras_again_is_object(index, vars) ? vars
                                                                 : VV_NONE;
}

/* Removes the last name from a path and returns it. */
static struct text take_last(struct text *path)
{
    size_t at = path->size;
    while (at > 0 && path->bytes[at - 1] != '/')
        at--;
    struct text last = { path->bytes + at, path->size - at };
    path->size = at > 0 ? at - 1 : 0;
    return last;
}

/* Returns true if the global name of a variable ends with `vars/<name>`, and
 * sets *path to the part before it. */
static bool is_in_vars(const struct vv_index *index, uint32_t node,
    struct text name, struct text *path)
{
    uint32_t global = vv_index_find_global(index, node);
    if (global == VV_NONE)
        return false;
    path->bytes = vv_index_name(index, global, &path->size);
    return keras_again_is_same(take_last(path), name) &&
           keras_again_is_called(take_last(path), "vars");
}

/* --- Layers --------------------------------------------------------------- */

static bool keras_again_use_budget(struct vv_keras_again *a)
{
    if (a->looks > 0)
        a->looks--;
    return a->looks > 0;
}

/* Sets *path to the path of a layer, or a part of one, in the file. Returns
 * false if no variable in its `vars` has it as a global name. */
static bool find_path_here(
    struct vv_keras_again *a, uint32_t node, struct text *path)
{
    const struct vv_index *index = a->real->index;
    uint32_t vars = vars_of(index, node), at, last;
    if (vars == VV_NONE)
        return false;
    vv_index_edges(index, vars, &at, &last);
    for (; at < last && keras_again_use_budget(a); at++) {
        if (is_in_vars(index, vv_at32(index->edge_children, at),
                keras_again_edge_name(index, at), path))
            return true;
    }
    return false;
}

/* As find_path_here, but also searches descendants up to some depth. */
static bool find_path(
    struct vv_keras_again *a, uint32_t node, int levels, struct text *path)
{
    const struct vv_index *index = a->real->index;
    uint32_t at, last;
    if (find_path_here(a, node, path))
        return true;
    vv_index_edges(index, node, &at, &last);
    for (; at < last && levels > 0 && keras_again_use_budget(a); at++) {
        uint32_t child = vv_at32(index->edge_children, at);
        if (!keras_again_is_object(index, child) ||
            keras_again_is_called(keras_again_edge_name(index, at), "vars") ||
            !find_path(a, child, levels - 1, path))
            continue;
        take_last(path);
        return true;
    }
    return false;
}

static int keras_again_compare(const void *left, const void *right)
{
    const struct text *a = left, *b = right;
    size_t size = a->size < b->size ? a->size : b->size;
    int order = size ? memcmp(a->bytes, b->bytes, size) : 0;
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static const struct layer *layer_at(const struct vv_keras_again *a, size_t i)
{
    return (const struct layer *)(const void *)a->names.data + i;
}

static size_t layer_count(const struct vv_keras_again *a)
{
    return a->names.size / sizeof(struct layer);
}

static void list_layers(struct vv_keras_again *a, uint32_t layers)
{
    const struct vv_index *index = a->real->index;
    uint32_t at, last;
    a->names.size = a->sorted.size = 0;
    vv_index_edges(index, layers, &at, &last);
    for (; at < last; at++) {
        struct layer l = { .node = vv_at32(index->edge_children, at),
            .own = keras_again_edge_name(index, at) };
        struct text path;
        if (keras_again_is_object(index, l.node) &&
            find_path(a, l.node, MOST_LEVELS, &path))
            l.file = take_last(&path);
        if (l.file.size == 0)
            l.file = (struct text){ 0 };
        vv_buffer_add(&a->names, &l, sizeof l);
        vv_buffer_add(&a->sorted, l.file.size ? &l.file : &l.own, sizeof l.own);
    }
}

/* Returns true if all names are different. */
static bool keras_again_are_different(const struct vv_keras_again *a)
{
    struct text *all = (struct text *)(void *)a->sorted.data;
    size_t count = a->sorted.size / sizeof *all;
    if (count > 0)
        qsort(all, count, sizeof *all, keras_again_compare);
    for (size_t i = 1; i < count; i++) {
        if (keras_again_is_same(all[i - 1], all[i]))
            return false;
    }
    return true;
}

/* The attribute `name` of `vars` contains the name of the layer in the
 * graph. */
static void keras_again_name_layer(
    struct vv_keras_again *a, const struct layer *l)
{
    const struct text none = { "", 0 };
    uint32_t vars = keras_again_is_object(a->real->index, l->node)
                        ? vars_of(a->real->index, l->node)
                        : VV_NONE;
    if (l->file.size > 0)
        keras_again_keep(a, l->node, VV_HDF5_KEPT_NAME, l->own, l->file);
    if (vars != VV_NONE)
        keras_again_keep(a, vars, VV_HDF5_KEPT_LABEL, l->own, none);
}

static varve_status keras_again_name_model(
    struct vv_keras_again *a, uint32_t layers, varve_error *error)
{
    bool is_renamed = false;
    list_layers(a, layers);
    if (a->names.failed || a->sorted.failed)
        return keras_again_fail_memory(error);
    for (size_t i = 0; i < layer_count(a); i++)
        is_renamed |=
            layer_at(a, i)->file.size > 0 &&
            !keras_again_is_same(layer_at(a, i)->own, layer_at(a, i)->file);
    if (!is_renamed)
        return VARVE_OK;
    if (!keras_again_are_different(a)) {
        vv_target_report_lost(a->real, layers,
            "the names of its groups in the Keras file: two would be the same");
        return VARVE_OK;
    }
    for (size_t i = 0; i < layer_count(a); i++)
        keras_again_name_layer(a, layer_at(a, i));
    return VARVE_OK;
}

/* --- Variables ------------------------------------------------------------ */

/* Records the names of variables that are also in `vars` beside them. */
static void find_aliases(struct vv_keras_again *a, uint32_t node)
{
    const struct vv_index *index = a->real->index;
    const struct text none = { "", 0 };
    uint32_t vars = vars_of(index, node), at, last;
    struct text path;
    if (vars == VV_NONE)
        return;
    vv_index_edges(index, vars, &at, &last);
    for (; at < last; at++) {
        uint32_t child = vv_at32(index->edge_children, at);
        if (is_in_vars(index, child, keras_again_edge_name(index, at), &path))
            a->seen[child] = node + 1;
    }
    vv_index_edges(index, node, &at, &last);
    for (; at < last; at++) {
        uint32_t child = vv_at32(index->edge_children, at);
        if (a->seen[child] == node + 1)
            keras_again_keep(a, child, VV_HDF5_KEPT_ALIAS,
                keras_again_edge_name(index, at), none);
    }
}

/* --- Entry points --------------------------------------------------------- */

static varve_status keras_again_find_all(
    struct vv_keras_again *a, varve_error *error)
{
    const struct vv_index *index = a->real->index;
    for (uint32_t node = 0; node < index->node_count; node++) {
        uint32_t at, last;
        if (!keras_again_is_object(index, node))
            continue;
        find_aliases(a, node);
        vv_index_edges(index, node, &at, &last);
        for (; at < last; at++) {
            uint32_t child = vv_at32(index->edge_children, at);
            if (keras_again_is_called(
                    keras_again_edge_name(index, at), "layers") &&
                keras_again_is_object(index, child))
                VV_TRY(keras_again_name_model(a, child, error));
        }
    }
    return a->bytes.failed ? keras_again_fail_memory(error) : VARVE_OK;
}

static bool is_any_kept(const struct vv_target *target)
{
    bool found = false;
    size_t size;
    for (uint32_t i = 0;
         target->kept && i < target->index->node_count && !found; i++)
        found = target->kept(target->user, i, &size) && size > 0;
    return found;
}

varve_status vv_keras_again_init(struct vv_keras_again *a,
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *allocator = &target->context->allocator;
    size_t count = target->index->node_count;
    *a = (struct vv_keras_again){ .target = *target, .real = target };
    vv_buffer_init(&a->bytes, allocator);
    vv_buffer_init(&a->names, allocator);
    vv_buffer_init(&a->sorted, allocator);
    if (is_any_kept(target) ||
        vv_index_find_name(target->index, "vars", 4) == VV_NONE)
        return VARVE_OK;
    a->looks = LOOKS_FOR_EDGE * (uint64_t)target->index->edge_count;
    a->ranges = vv_allocate_zeroed(allocator, count * sizeof *a->ranges);
    a->seen = vv_allocate_zeroed(allocator, count * sizeof *a->seen);
    if (!a->ranges || !a->seen)
        return keras_again_fail_memory(error);
    a->target.user = a;
    a->target.value = keras_again_give_value;
    a->target.finish = keras_again_finish;
    a->target.kept = keras_again_give_kept;
    return keras_again_find_all(a, error);
}

void vv_keras_again_clear(struct vv_keras_again *a)
{
    const varve_allocator *allocator = &a->real->context->allocator;
    size_t count = a->real->index->node_count;
    vv_release(allocator, a->ranges, count * sizeof *a->ranges);
    vv_release(allocator, a->seen, count * sizeof *a->seen);
    vv_buffer_clear(&a->bytes);
    vv_buffer_clear(&a->names);
    vv_buffer_clear(&a->sorted);
}

/* program.c - Builds the program, on demand and after the read, and changes its
 * edges.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "fuzz/program.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { LARGEST_MADE = 1 << 16 };

int program_most_made = 64;

/* --- On demand ------------------------------------------------------------ */

static void make_child(
    void *user, varve_node *node, const varve_offer *offer);

static void make_variable(varve_node *node, const varve_offer *offer)
{
    varve_shape shape = varve_shape_of(offer->value->rank, offer->value->shape);
    uint64_t size = 1;
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (shape.extents[i] > LARGEST_MADE / size)
            return;
        size *= shape.extents[i] ? shape.extents[i] : 1;
    }
    varve_add_allocated_variable(node,
        varve_node_kind(node) == VARVE_LIST ? VARVE_APPEND : offer->name,
        offer->value->dtype, shape, NULL, NULL);
}

static void make_child(void *user, varve_node *node, const varve_offer *offer)
{
    struct program *p = user;
    bool in_list = varve_node_kind(node) == VARVE_LIST;
    const char *name = in_list ? VARVE_APPEND : offer->name;
    varve_node *child = NULL;
    FUZZ_CHECK(*offer->name, "an offer without a name");
    if (++p->made > program_most_made)
        return;
    p->bounded->is_free = true;
    switch (offer->kind) {
    case VARVE_VARIABLE: make_variable(node, offer); break;
    case VARVE_LIST: child = varve_add_list(node, name); break;
    case VARVE_DICT: child = varve_add_dict(node, name); break;
    case VARVE_OBJECT: child = varve_add_object(node, name); break;
    default: break;
    }
    if (child)
        varve_set_on_demand(child, make_child, p);
    p->bounded->is_free = false;
}

/* --- Building ------------------------------------------------------------- */

void program_build(struct program *p)
{
    varve_node *root = varve_graph_root(p->graph);
    everything_build(&p->model, p->graph);
    varve_set_on_demand(varve_add_dict(root, "dict"), make_child, p);
    varve_set_on_demand(varve_add_list(root, "list"), make_child, p);
    varve_node *moved = varve_add_object(root, "moved");
    varve_alias(moved, "old");
    varve_alias(moved, "older");
    varve_add_variable(moved, "count", varve_scalar(&p->count));
    varve_node *open = varve_add_object(root, "open");
    varve_set_on_demand(open, make_child, p);
    varve_track(open, "self", open);
    varve_set_global_name(varve_find(moved, "count"), "g/1");
}

static void add_pending(varve_node *parent, const char *name)
{
    const varve_tensor *value = varve_pending(parent, name);
    if (!value || varve_find(parent, name))
        return;
    varve_offer offer = { .name = name,
        .kind = VARVE_VARIABLE,
        .value = value };
    make_variable(parent, &offer);
}

void program_build_late(struct program *p)
{
    static const char *const names[] = { "late", "a", "b", "x", "m" };
    varve_node *root = varve_graph_root(p->graph);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_pending(root, names[i]);
    varve_node *late = varve_add_object(root, "attic");
    varve_add_variable(late, "w", varve_array(p->late[0], 3));
    varve_node *other = varve_add_variable(late, "v",
        varve_array(p->late[1], 3));
    varve_node *optimizer = varve_find(root, "optimizer");
    for (int i = 0; i < 2 && optimizer; i++) {
        varve_node *kernel = p->model.kernels[i];
        const varve_tensor *value =
            varve_pending_slot(optimizer, kernel, "m");
        if (value && !varve_find_slot(optimizer, kernel, "m") &&
            value->rank <= 2 && varve_dtype_size(value->dtype) <= 16)
            varve_add_allocated_slot(optimizer, kernel, "m", VARVE_FLOAT32,
                VARVE_SHAPE(2, 3), NULL, NULL);
    }
    varve_alias(other, "w2");
    varve_set_global_name(other, "a/b");
}

void program_regret(struct program *p)
{
    varve_node *root = varve_graph_root(p->graph);
    varve_node *network = varve_find(root, "network");
    if (network && varve_find(network, "layers")) {
        varve_node *layers = varve_find(network, "layers");
        if (varve_edge_count(layers) > 1)
            varve_list_remove(layers, 0);
        varve_untrack(network, "layers");
        varve_track(network, "layers", layers);
    }
    varve_node *moved = varve_find(root, "moved");
    if (moved)
        varve_replace(root, "dict", moved);
    if (varve_find(root, "open"))
        varve_remove(varve_find(root, "open"));
}

/* --- Values --------------------------------------------------------------- */

struct value {
    char *path;
    unsigned char *bytes; /* strings: lengths and bytes */
    size_t size;
};

struct values {
    struct value *items;
    size_t count;
    size_t capacity;
};

static size_t copy_strings(
    const varve_tensor *tensor, unsigned char *to)
{
    const varve_string *strings = tensor->data;
    uint64_t count = varve_tensor_count(tensor);
    size_t size = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (to) {
            memcpy(to + size, &strings[i].size, 8);
            if (strings[i].size)
                memcpy(to + size + 8, strings[i].data,
                    (size_t)strings[i].size);
        }
        size += 8 + (size_t)strings[i].size;
    }
    return size;
}

static struct value copy_of(const char *path, const varve_tensor *tensor)
{
    struct value value = { .path = strdup(path) };
    if (!tensor->data)
        return value;
    bool is_string = tensor->dtype == VARVE_STRING;
    value.size = is_string ? copy_strings(tensor, NULL)
                           : (size_t)varve_tensor_size(tensor);
    value.bytes = malloc(value.size + 1);
    if (is_string)
        copy_strings(tensor, value.bytes);
    else if (value.size)
        memcpy(value.bytes, tensor->data, value.size);
    return value;
}

static varve_status keep(void *user, varve_node *node, const char *path)
{
    struct values *values = user;
    const varve_tensor *tensor = varve_value(node);
    if (!tensor)
        return VARVE_OK;
    if (values->count == values->capacity) {
        values->capacity = values->capacity * 2 + 64;
        values->items = realloc(
            values->items, values->capacity * sizeof *values->items);
    }
    values->items[values->count++] = copy_of(path, tensor);
    return VARVE_OK;
}

struct values *values_new(varve_node *root)
{
    struct values *values = calloc(1, sizeof *values);
    varve_error error;
    if (varve_walk(root, keep, values, &error))
        values->count = 0;
    return values;
}

void values_free(struct values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        free(values->items[i].path);
        free(values->items[i].bytes);
    }
    free(values->items);
    free(values);
}

bool values_are_kept(
    const struct values *values, const char *path, const varve_tensor *now)
{
    const struct value *was = NULL;
    for (size_t i = 0; i < values->count && !was; i++) {
        if (strcmp(values->items[i].path, path) == 0)
            was = &values->items[i];
    }
    if (!was)
        return true;
    struct value is = copy_of(path, now);
    bool same = !is.bytes == !was->bytes && is.size == was->size &&
                (is.size == 0 || memcmp(is.bytes, was->bytes, is.size) == 0);
    /* A library-owned variable may get zeroed memory without a value. */
    if (!was->bytes && is.bytes) {
        same = true;
        for (size_t i = 0; i < is.size; i++)
            same = same && is.bytes[i] == 0;
    }
    free(is.path);
    free(is.bytes);
    return same;
}

size_t values_count(const struct values *values)
{
    return values->count;
}

const char *values_path(const struct values *values, size_t i)
{
    return values->items[i].path;
}

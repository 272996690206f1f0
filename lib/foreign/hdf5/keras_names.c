/* keras_names.c - Renames edges. The names in the file become global names, and
 * are kept so that the file can be written again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "keras_names.h"

#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "hdf5_kept.h"
#include "name.h"
#include "try.h"

/* --- Variables ------------------------------------------------------------ */

struct class_names {
    const char *class;
    const char *inside; /* the child that contains the variables; NULL: the
                           layer itself */
    const char *names[4];
    size_t least; /* minimum number; the last ones may be missing */
};

#define KERNEL_AND_BIAS { "kernel", "bias" }, 1
#define OF_CELL { "kernel", "recurrent_kernel", "bias" }, 2

static const struct class_names classes[] = {
    { "Dense", NULL, KERNEL_AND_BIAS },
    { "EinsumDense", NULL, KERNEL_AND_BIAS },
    { "Conv1D", NULL, KERNEL_AND_BIAS },
    { "Conv2D", NULL, KERNEL_AND_BIAS },
    { "Conv3D", NULL, KERNEL_AND_BIAS },
    { "Conv1DTranspose", NULL, KERNEL_AND_BIAS },
    { "Conv2DTranspose", NULL, KERNEL_AND_BIAS },
    { "Conv3DTranspose", NULL, KERNEL_AND_BIAS },
    { "DepthwiseConv1D", NULL, KERNEL_AND_BIAS },
    { "DepthwiseConv2D", NULL, KERNEL_AND_BIAS },
    { "SeparableConv1D", NULL,
        { "depthwise_kernel", "pointwise_kernel", "bias" }, 2 },
    { "SeparableConv2D", NULL,
        { "depthwise_kernel", "pointwise_kernel", "bias" }, 2 },
    { "Embedding", NULL, { "embeddings" }, 1 },
    { "BatchNormalization", NULL,
        { "gamma", "beta", "moving_mean", "moving_variance" }, 4 },
    { "LayerNormalization", NULL, { "gamma", "beta" }, 2 },
    { "GroupNormalization", NULL, { "gamma", "beta" }, 2 },
    { "LSTM", "cell", OF_CELL },
    { "GRU", "cell", OF_CELL },
    { "SimpleRNN", "cell", OF_CELL },
};

enum { CLASSES = sizeof classes / sizeof *classes, MOST_NAMES = 4 };

static const struct class_names *keras_names_of(const char *class)
{
    for (size_t i = 0; i < CLASSES; i++) {
        if (strcmp(classes[i].class, class) == 0)
            return &classes[i];
    }
    return NULL;
}

bool vv_keras_is_statistic(
    const struct vv_keras_layer *layer, size_t i, size_t count)
{
    return strcmp(layer->class, "BatchNormalization") == 0 && count == 4 &&
           i >= 2;
}

static varve_status keras_names_fail_memory(const struct vv_hdf5_graph *g)
{
    return vv_fail_memory(g->error, "Keras names");
}

/* Names the variables of a layer if their number matches the class. */
static varve_status name_variables(
    struct vv_hdf5_graph *g, size_t group, const struct vv_keras_layer *layer)
{
    const struct class_names *c = keras_names_of(layer->class);
    if (c && c->inside)
        group = vv_hdf5_child(g, group, c->inside);
    size_t vars =
        c && group != SIZE_MAX ? vv_hdf5_child(g, group, "vars") : SIZE_MAX;
    if (vars == SIZE_MAX)
        return VARVE_OK;
    size_t count = vv_hdf5_item_at(g, vars)->count, most = 0;
    while (most < MOST_NAMES && c->names[most])
        most++;
    if (count < c->least || count > most)
        return VARVE_OK;
    for (size_t i = 0; i < count; i++) {
        char digits[2] = { (char)('0' + i), 0 };
        size_t variable = vv_hdf5_child(g, vars, digits);
        if (variable == SIZE_MAX || vv_hdf5_item_at(g, variable)->is_group ||
            vv_hdf5_child(g, group, c->names[i]) != SIZE_MAX)
            return VARVE_OK;
        if (!vv_hdf5_add_edge(g, group, c->names[i], variable))
            return keras_names_fail_memory(g);
        vv_hdf5_keep(g, variable, VV_HDF5_KEPT_ALIAS, c->names[i], "");
    }
    return VARVE_OK;
}

/* --- Layers --------------------------------------------------------------- */

/* Returns the own name of a layer from its group or else from the config, or
 * NULL. */
static const char *own_name(
    struct vv_hdf5_graph *g, size_t group, const struct vv_keras_layer *layer)
{
    size_t vars = vv_hdf5_child(g, group, "vars");
    const char *label =
        vars == SIZE_MAX ? NULL : vv_hdf5_item_at(g, vars)->label;
    if (!label && layer)
        label = layer->name;
    return label && vv_name_is_valid(label, strlen(label)) ? label : NULL;
}

static int keras_names_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the names. Returns true if all are different. */
static bool keras_names_are_different(const char **names, size_t count)
{
    qsort(names, count, sizeof *names, keras_names_compare);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0)
            return false;
    }
    return true;
}

struct naming {
    struct vv_hdf5_graph *graph;
    const struct vv_keras_config *config;
    struct vv_buffer names; /* names of the layers of a model, in the order of
                               the file */
    struct vv_buffer sorted;
};

static varve_status keras_names_list_names(
    struct naming *n, const struct vv_hdf5_item *layers, bool *are_all)
{
    n->names.size = n->sorted.size = 0;
    *are_all = layers->count > 0;
    for (size_t i = 0; i < layers->count && *are_all; i++) {
        size_t child = vv_hdf5_edge_at(n->graph, layers->first + i)->item;
        const struct vv_hdf5_item *group = vv_hdf5_item_at(n->graph, child);
        const char *name = own_name(
            n->graph, child, vv_keras_layer_find(n->config, group->path));
        *are_all = name != NULL && group->is_group;
        vv_buffer_add(&n->names, &name, sizeof name);
    }
    vv_buffer_add(&n->sorted, n->names.data, n->names.size);
    if (n->names.failed || n->sorted.failed)
        return keras_names_fail_memory(n->graph);
    *are_all =
        *are_all && keras_names_are_different(
                        (const char **)(void *)n->sorted.data, layers->count);
    return VARVE_OK;
}

/* Only sets `own`: children are looked up by the names in the file until all
 * models are named. */
static varve_status rename_layers(
    struct naming *n, const struct vv_hdf5_item *layers)
{
    for (size_t i = 0; i < layers->count; i++) {
        struct vv_hdf5_edge *edge =
            vv_hdf5_edge_at(n->graph, layers->first + i);
        const char *name = ((const char **)(void *)n->names.data)[i];
        vv_hdf5_keep(n->graph, edge->item, VV_HDF5_KEPT_NAME, name, edge->name);
        edge->own = name;
    }
    return VARVE_OK;
}

static varve_status keras_names_name_model(struct naming *n, size_t number)
{
    struct vv_hdf5_item layers = *vv_hdf5_item_at(n->graph, number);
    bool are_all;
    VV_TRY(keras_names_list_names(n, &layers, &are_all));
    if (are_all)
        VV_TRY(rename_layers(n, &layers));
    for (size_t i = 0; i < layers.count; i++) {
        size_t child = vv_hdf5_edge_at(n->graph, layers.first + i)->item;
        const struct vv_keras_layer *layer = vv_keras_layer_find(
            n->config, vv_hdf5_item_at(n->graph, child)->path);
        if (layer)
            VV_TRY(name_variables(n->graph, child, layer));
    }
    return VARVE_OK;
}

static bool is_layers(const char *path)
{
    size_t size = strlen(path);
    return vv_text_ends_in(path, size, "layers") &&
           (size == 6 || path[size - 7] == '/');
}

varve_status vv_keras_name_layers(
    struct vv_hdf5_graph *g, const struct vv_keras_config *config)
{
    struct naming n = { .graph = g, .config = config };
    size_t count = g->items.size / sizeof(struct vv_hdf5_item);
    varve_status status = VARVE_OK;
    vv_buffer_init(&n.names, g->items.allocator);
    vv_buffer_init(&n.sorted, g->items.allocator);
    for (size_t i = 0; i < count && !status; i++) {
        const struct vv_hdf5_item *item = vv_hdf5_item_at(g, i);
        if (item->label)
            vv_hdf5_keep(g, i, VV_HDF5_KEPT_LABEL, item->label, "");
        if (item->is_group && is_layers(item->path))
            status = keras_names_name_model(&n, i);
    }
    vv_buffer_clear(&n.names);
    vv_buffer_clear(&n.sorted);
    return status;
}

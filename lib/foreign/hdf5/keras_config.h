/* keras_config.h - Reads the names, classes and order of layers from the
 * config.json of a Keras archive.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_CONFIG_H
#define VV_KERAS_CONFIG_H

#include "hash_table.h"
#include "hdf5_source.h"

struct vv_keras_layer {
    /* to read */
    const char *path;  /* path of its group: `layers/dense_1` */
    const char *name;  /* its own name; NULL if there is none */
    const char *class; /* "" for a class that is not part of Keras */
    bool is_frozen;    /* the layer, or a model that contains it, is not
                          trained */
    bool has_layers;   /* it is a model; its layers follow */
};

struct vv_keras_config {
    /* to read */
    struct vv_buffer
        layers; /* struct vv_keras_layer, in the order of the model */
    /* own */
    struct vv_hdf5_source *source;
    struct vv_map by_path; /* struct vv_keras_layer */
    struct vv_buffer path;
    struct vv_buffer used; /* struct vv_keras_used, of open models */
    struct vv_buffer text;
};

/* Reads the config, if there is one. One that is not from Keras is ignored.
 * Call vv_keras_config_clear afterwards, also after a failure. */
varve_status vv_keras_config_read(struct vv_keras_config *config,
    struct vv_hdf5_source *source, varve_error *error);
void vv_keras_config_clear(struct vv_keras_config *config);

static inline size_t vv_keras_layer_count(const struct vv_keras_config *config)
{
    return config->layers.size / sizeof(struct vv_keras_layer);
}

static inline const struct vv_keras_layer *vv_keras_layer_at(
    const struct vv_keras_config *config, size_t i)
{
    return (const struct vv_keras_layer *)(const void *)config->layers.data + i;
}

/* Returns the layer of a group, or NULL. */
const struct vv_keras_layer *vv_keras_layer_find(
    const struct vv_keras_config *config, const char *path);

#endif

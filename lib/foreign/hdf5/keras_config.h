/* keras_config.h - what the config.json of an archive of Keras says of layers:
 * their own names, their classes, and their order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_KERAS_CONFIG_H
#define VV_KERAS_CONFIG_H

#include "hdf5_source.h"
#include "map.h"

struct vv_keras_layer {
    /* to read */
    const char *path;  /* of its group: `layers/dense_1` */
    const char *name;  /* its own; NULL: none is said */
    const char *class; /* "" where it is not one of Keras' own */
    bool is_frozen;    /* it, or a model that it is in, is not trained */
    bool has_layers;   /* it is a model: they follow */
};

struct vv_keras_config {
    /* to read */
    struct vv_buffer
        layers; /* struct vv_keras_layer, in the order of the model */
    /* own */
    struct vv_hdf5_source *source;
    struct vv_map by_path; /* struct vv_keras_layer */
    struct vv_buffer path;
    struct vv_buffer used; /* struct vv_keras_used, of models that are open */
    struct vv_buffer text;
};

/* Reads it, where there is one; what is none of Keras' says nothing. To be
 * cleared, after a failure too. */
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

/* The layer of a group; NULL: none. */
const struct vv_keras_layer *vv_keras_layer_find(
    const struct vv_keras_config *config, const char *path);

#endif

/* safetensors_plan.h - Determines which parts of a graph are written to
 * safetensors files, with their names, files and order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAFETENSORS_PLAN_H
#define VV_SAFETENSORS_PLAN_H

#include "buffer.h"
#include "safetensors_header.h"
#include "target.h"

struct vv_safetensors_value {
    const char *name; /* points into `names` of the plan */
    size_t name_at, name_size;
    const struct vv_safetensors_dtype *dtype;
    uint64_t size;
    uint32_t value;
    uint32_t shard;
};

/* Kinds of metadata. If two entries have the same name, the one with the lower
 * rank is used. */
enum vv_safetensors_rank {
    VV_SAFETENSORS_ALIAS,  /* alias of a tensor; its text is the name of the
                              tensor */
    VV_SAFETENSORS_SCALAR, /* a string (safetensors_string.h) */
    VV_SAFETENSORS_SAVE_COUNTER,
    VV_SAFETENSORS_METADATA,
};

struct vv_safetensors_pair {
    const char *name, *text; /* point into `pair_texts` of the plan */
    size_t name_at, name_size, text_at, text_size;
    enum vv_safetensors_rank rank;
    uint32_t node; /* for an alias or a string */
};

struct vv_safetensors_plan {
    const struct vv_target *target;
    struct vv_buffer names, pair_texts, scratch;
    struct vv_buffer values; /* struct vv_safetensors_value, sorted by shard,
                                type and name */
    struct vv_buffer pairs;  /* struct vv_safetensors_pair, sorted by name */
    uint32_t shard_count;    /* at least 1 */
};

/* Builds the plan and reports losses to the target. Returns VARVE_DUPLICATE if
 * two values have the same name, and VARVE_BAD_NAME if one has the name of the
 * metadata. */
varve_status vv_safetensors_plan_begin(struct vv_safetensors_plan *plan,
    const struct vv_target *target, varve_error *error);

/* Frees the plan, also after a failure. */
void vv_safetensors_plan_end(struct vv_safetensors_plan *plan);

/* Sort the values by name, and in the order in which they are written. */
void vv_safetensors_sort_names(struct vv_safetensors_plan *plan);
void vv_safetensors_sort_places(struct vv_safetensors_plan *plan);

static inline struct vv_safetensors_value *vv_safetensors_values(
    const struct vv_safetensors_plan *plan, size_t *count)
{
    *count = plan->values.size / sizeof(struct vv_safetensors_value);
    return (struct vv_safetensors_value *)(void *)plan->values.data;
}

static inline struct vv_safetensors_pair *vv_safetensors_pairs(
    const struct vv_safetensors_plan *plan, size_t *count)
{
    *count = plan->pairs.size / sizeof(struct vv_safetensors_pair);
    return (struct vv_safetensors_pair *)(void *)plan->pairs.data;
}

#endif

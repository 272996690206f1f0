/* layer_base.h - the checkpoint whose layers the next one shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LAYER_BASE_H
#define VV_LAYER_BASE_H

#include "opened.h"

enum { VV_USUAL_LAYERS = 64 }; /* with more of them one is written again */

struct vv_layer_base {
    /* to read */
    struct vv_opened file;
    bool is_there;    /* else everything is written */
    uint32_t dropped; /* a layer whose data is written again; or VV_NONE */
};

/* Opens what is to be shared by a checkpoint of `path`, whose index this is,
 * or NULL for one that looks for what it has itself. One that has no layers or
 * other values, is not readable, or lies in another directory is of no use, and
 * nothing is said of that. VARVE_NO_MEMORY. */
varve_status vv_layer_base_open(struct vv_layer_base *base,
    const struct vv_context *context, const char *base_path, const char *path,
    const struct vv_index *index, varve_error *error);

void vv_layer_base_close(struct vv_layer_base *base);

/* Adds how much of the data is in each of its layers; of what is packed, by the
 * part that is in use. */
void vv_layer_base_count(const struct vv_layer_base *base, uint64_t *live);

/* Whether the value of this number is as large as there. */
bool vv_layer_base_pairs(const struct vv_layer_base *base,
    const struct vv_index *index, uint32_t value);

/* Of a value that pairs: where in its data that is, the number that a chunk of
 * it has, and its digests from that chunk on. */
uint64_t vv_layer_base_offset(const struct vv_layer_base *base, uint32_t value);
uint64_t vv_layer_base_chunk(
    const struct vv_layer_base *base, uint32_t value, uint64_t chunk);
const uint8_t *vv_layer_base_digests(
    const struct vv_layer_base *base, uint32_t value, uint64_t chunk);

/* Whether a range of its data lies in no layer that is dropped. */
bool vv_layer_base_keeps(
    const struct vv_layer_base *base, uint64_t offset, uint64_t size);

/* Sets those of the pages of a range, which begins with one, that have
 * something in the layer that is dropped. */
void vv_layer_base_mark(const struct vv_layer_base *base, uint64_t offset,
    uint64_t size, bool *is_dropped);

#endif

/* torch_match.h - tells which variable of a model an optimizer means by a
 * position, where the shapes leave one answer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_MATCH_H
#define VV_TORCH_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

struct vv_torch_form {
    /* to fill in */
    const uint64_t *extents;
    uint32_t rank;
    bool is_known; /* false: any shape fits; of the model's all are known */
    bool is_empty; /* nothing is kept of it, so that it needs no variable */
};

enum vv_torch_fit {
    VV_TORCH_FITS_NOT,
    VV_TORCH_FITS_ONCE,
    VV_TORCH_FITS_OFTEN, /* in several ways */
};

/* Sets to[i] to the position in the model of what is trained as number i, where
 * the order is that of the model and one way is left; true then. The model may
 * have more than is trained. */
bool vv_torch_match(const struct vv_torch_form *trained, size_t count,
    const struct vv_torch_form *model, size_t model_count, size_t *to);

/* Tells in how many ways the trained ones can be variables of the model, a
 * different one each, in any order. For one way sets to[i] as above, and
 * SIZE_MAX for those of which nothing is kept. For several sets *shape to the
 * number of one whose variable is not certain. `room` is any buffer; it has
 * failed where memory lacked. */
enum vv_torch_fit vv_torch_match_any(const struct vv_torch_form *trained,
    size_t count, const struct vv_torch_form *model, size_t model_count,
    size_t *to, size_t *shape, struct vv_buffer *room);

#endif

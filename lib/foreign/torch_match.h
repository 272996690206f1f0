/* torch_match.h - Finds the variable of a model for each parameter of an
 * optimizer, which are numbered, if the shapes allow only one assignment.
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
    bool is_known; /* false: matches any shape; always true for variables of the
                      model */
    bool is_empty; /* the optimizer has no saved values for it, so it needs no
                      variable */
};

enum vv_torch_fit {
    VV_TORCH_FITS_NOT,
    VV_TORCH_FITS_ONCE,
    VV_TORCH_FITS_OFTEN, /* there are several assignments */
};

/* Sets to[i] to the position in the model of parameter i. Returns true if the
 * parameters are in the order of the model and only one assignment is possible.
 * The model may have more variables than parameters. */
bool vv_torch_match(const struct vv_torch_form *trained, size_t count,
    const struct vv_torch_form *model, size_t model_count, size_t *to);

/* Returns how many assignments of the parameters to different variables of the
 * model, in any order, are possible. If there is one, sets to[i] as above, or
 * to SIZE_MAX if parameter i has no saved values. If there are several, sets
 * *shape to the number of a parameter whose variable is ambiguous. `room` is a
 * temporary buffer; `room->failed` is set if memory runs out. */
enum vv_torch_fit vv_torch_match_any(const struct vv_torch_form *trained,
    size_t count, const struct vv_torch_form *model, size_t model_count,
    size_t *to, size_t *shape, struct vv_buffer *room);

#endif

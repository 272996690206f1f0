/* torch_match.h - which variable of a model an optimizer means by a position:
 * the one way in which the shapes fit, if there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TORCH_MATCH_H
#define VV_TORCH_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vv_torch_form {
    /* to fill in */
    const uint64_t *extents;
    uint32_t rank;
    bool is_known; /* of the model's all are */
};

/* What an optimizer trains, in the order of its numbers: one group of it behind
 * the other, of `ends[i]` up to here. */
struct vv_torch_trained {
    /* to fill in */
    const struct vv_torch_form *forms;
    size_t count;
    const size_t *ends;
    size_t groups;
};

/* Sets to[i] to the position in the model of what is trained as number i, where
 * there is one way to that, and returns true. Within a group the order is that
 * of the model. With one group the model may have more than is trained; several
 * have all of it between them, but for what is of shapes that none of them has.
 * `next` is room for as many as there are groups. */
bool vv_torch_match(const struct vv_torch_trained *trained,
    const struct vv_torch_form *model, size_t count, size_t *next, size_t *to);

#endif

/* views.h - values that do not lie row-major in memory: with strides of several
 * kinds, or where functions reach them, which fail when they are asked to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_VIEWS_H
#define MIX_VIEWS_H

#include "mix/shape.h"

struct mix;

enum mix_layout {
    MIX_ROW_MAJOR,
    MIX_APART,     /* something lies between the elements, */
    MIX_BACKWARDS, /* the last of which is the first in memory */
    MIX_BY_COLUMNS,
    MIX_FAR, /* functions copy them */
    MIX_LAYOUTS
};
const char *mix_layout_name(uint8_t layout);

/* A view of a new value that lies so, and the block to free; strings are
 * row-major. */
varve_tensor mix_lay_out(struct mix *m, uint8_t layout, uint8_t dtype,
    const struct mix_value *value, void **block);

/* Where an element of a view is. */
void *mix_element(const varve_tensor *view, uint64_t index);

/* Whether nothing was written between the elements of a view of a block. */
bool mix_has_gaps(const varve_tensor *view, const void *block);

#endif

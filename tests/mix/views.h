/* views.h - Declares values that are not row-major in memory: with various
 * strides, or with access functions, which fail on request.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MIX_VIEWS_H
#define MIX_VIEWS_H

#include "mix/shape.h"

struct mix;

enum mix_layout {
    MIX_ROW_MAJOR,
    MIX_APART,     /* with gaps between the elements */
    MIX_BACKWARDS, /* reversed: the last element is the first in memory */
    MIX_BY_COLUMNS,
    MIX_FAR, /* copied by functions */
    MIX_LAYOUTS
};
const char *mix_layout_name(uint8_t layout);

/* Returns a view of a new value with a layout, and sets the block to free.
 * Strings are row-major. */
varve_tensor mix_lay_out(struct mix *m, uint8_t layout, uint8_t dtype,
    const struct mix_value *value, void **block);

/* Returns the address of an element of a view. */
void *mix_element(const varve_tensor *view, uint64_t index);

/* Returns true if the bytes between the elements of a view are unchanged. */
bool mix_has_gaps(const varve_tensor *view, const void *block);

#endif

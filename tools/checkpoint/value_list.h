/* value_list.h - the values that are listed, in order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_VALUE_LIST_H
#define TOOL_VALUE_LIST_H

#include "outline.h"
#include "settings.h"

/* The selected nodes that have a value, saved or not, in the order that was
 * asked for, to be freed; NULL without memory. */
uint32_t *value_list(
    const struct view *view, const struct outline *outline, size_t *count);

#endif

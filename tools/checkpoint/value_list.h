/* value_list.h - Lists the selected values in order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_VALUE_LIST_H
#define TOOL_VALUE_LIST_H

#include "outline.h"
#include "settings.h"

/* Returns the selected nodes with a value, saved or not, in the requested
 * order, to be freed; NULL if there is no memory. */
uint32_t *value_list(
    const struct view *view, const struct outline *outline, size_t *count);

#endif

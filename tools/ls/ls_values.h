/* ls_values.h - the values that ls lists, in order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LS_VALUES_H
#define TOOL_LS_VALUES_H

#include "outline.h"
#include "settings.h"

/* The selected nodes that have a value, saved or not, in the order that was
 * asked for, to be freed; NULL without memory. */
uint32_t *ls_values(const struct settings *settings,
    const struct outline *outline, size_t *count);

#endif

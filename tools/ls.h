/* ls.h - the three ways in which ls answers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LS_H
#define TOOL_LS_H

#include "command.h"
#include "outline.h"

/* False without memory. */
bool ls_tree(const struct settings *settings, const struct outline *outline);
bool ls_table(const struct settings *settings, const struct outline *outline);
bool ls_json(const struct settings *settings, const struct outline *outline);

/* The selected nodes that have a value, saved or not, in the order that was
 * asked for, to be freed; NULL without memory. */
uint32_t *ls_values(const struct settings *settings,
    const struct outline *outline, size_t *count);

#endif

/* ls.h - The output formats of varve ls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LS_H
#define TOOL_LS_H

#include "outline.h"
#include "settings.h"

/* Returns false if there is no memory. */
bool ls_tree(const struct settings *settings, const struct outline *outline);
bool ls_table(const struct settings *settings, const struct outline *outline);
bool ls_json(const struct settings *settings, const struct outline *outline);

#endif

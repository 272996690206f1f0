/* stat_tables.h - the two answers of stat.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_STAT_TABLES_H
#define TOOL_STAT_TABLES_H

#include "outline.h"
#include "settings.h"

/* Sizes and types of subtrees; reads no value. */
int stat_sizes(const struct settings *settings, const struct outline *outline);

/* A row for each value. */
int stat_values(const struct settings *settings, const struct outline *outline);

#endif

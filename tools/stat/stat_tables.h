/* stat_tables.h - The two kinds of output of varve stat.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_STAT_TABLES_H
#define TOOL_STAT_TABLES_H

#include "outline.h"
#include "settings.h"

struct stat_options {
    struct settings settings;
    struct view view;
    bool values; /* read the values */
    bool strict;
    uint64_t bins;    /* 0: not given */
    uint64_t threads; /* 0: not given */
};

/* Prints sizes and types of subtrees; reads no values. */
int stat_sizes(
    const struct stat_options *options, const struct outline *outline);

/* Prints a row for each value. */
int stat_values(
    const struct stat_options *options, const struct outline *outline);

#endif

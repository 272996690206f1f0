/* stat_tables.h - the two answers of stat.
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
    bool values; /* they are read */
    bool strict;
    uint64_t bins;    /* 0: not given */
    uint64_t threads; /* 0: not given */
};

/* Sizes and types of subtrees; reads no value. */
int stat_sizes(
    const struct stat_options *options, const struct outline *outline);

/* A row for each value. */
int stat_values(
    const struct stat_options *options, const struct outline *outline);

#endif

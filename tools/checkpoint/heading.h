/* heading.h - what is true of a whole checkpoint, on a line or as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_HEADING_H
#define TOOL_HEADING_H

#include <stdio.h>

#include <varve/reader.h>

#include "outline.h"
#include "settings.h"
#include "style.h"

/* File, format if it is not ours, step, number of values, size, save counter,
 * time; further metadata on a line of its own. */
void heading_print(const struct settings *settings, const struct style *style,
    const struct outline *outline);

/* `"schema":...,"file":...,"format":...,"size":...,"counter":...,
 * "metadata":{...}`, what follows the opening brace of every answer. */
void heading_print_json(const char *schema, const varve_reader *reader);

/* How many values are in the file below the outline's root. */
size_t value_count(const struct outline *outline);

#endif

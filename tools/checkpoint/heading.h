/* heading.h - Prints the properties of a whole checkpoint, as text or as JSON.
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

/* Prints file, format if it is another one, step, number of values, size, save
 * counter and time, and further metadata on a line of its own. */
void heading_print(const struct settings *settings, const struct style *style,
    const struct outline *outline);

/* Prints `"schema":...,"file":...,"format":...,"size":...,"counter":...,
 * "metadata":{...}`, which follows the opening brace of every JSON answer. */
void heading_print_json(const char *schema, const varve_reader *reader);

/* Returns the number of values in the file below the outline's root. */
size_t value_count(const struct outline *outline);

#endif

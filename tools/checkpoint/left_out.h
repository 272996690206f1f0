/* left_out.h - Reports the parts of a file that a reader omits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LEFT_OUT_H
#define TOOL_LEFT_OUT_H

#include <jansson.h>

#include <varve/reader.h>

#include "settings.h"

/* Prints warnings on standard error: a line for each kind, with the first few
 * paths. Prints nothing with --quiet or --json. */
void left_out_report(
    const struct settings *settings, const varve_reader *reader);

/* Returns an array of {"path":...,"what":...}; NULL if nothing is omitted. */
json_t *left_out_json(const varve_reader *reader);

/* Prints `,"left_out":[{"path":...,"what":...}]` if anything is omitted. */
void left_out_print_json(const varve_reader *reader);

#endif

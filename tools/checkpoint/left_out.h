/* left_out.h - what a reader lists as left out of its file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LEFT_OUT_H
#define TOOL_LEFT_OUT_H

#include <jansson.h>

#include <varve/reader.h>

#include "settings.h"

/* Warns of it on standard error: a line for each kind, with the first few
 * paths. Nothing with --quiet, nor with --json. */
void left_out_tell(const struct settings *settings, const varve_reader *reader);

/* An array of {"path":...,"what":...}; NULL: nothing is left out. */
json_t *left_out_json(const varve_reader *reader);

/* Prints `,"left_out":[{"path":...,"what":...}]` where there is any. */
void left_out_print_json(const varve_reader *reader);

#endif

/* hint.h - Suggests paths for error messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_HINT_H
#define TOOL_HINT_H

#include <varve/reader.h>

/* For a path that does not exist, returns the nearest one, or the names at the
 * point where it leaves the graph. Allocated; NULL if there is no
 * suggestion. */
char *nearest_hint(const varve_reader *reader, const char *path);

#endif

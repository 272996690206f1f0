/* hint.h - what somebody may have meant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_HINT_H
#define TOOL_HINT_H

#include <varve/reader.h>

/* For a path that is not there: the nearest one, or the names where it leaves
 * what is there. Allocated; NULL where there is nothing to say. */
char *nearest_hint(const varve_reader *reader, const char *path);

#endif

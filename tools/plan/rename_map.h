/* rename_map.h - Writes the renames of a plan as a file for --rename-file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_RENAME_MAP_H
#define TOOL_RENAME_MAP_H

#include <stdio.h>

#include "fold.h"
#include "renames.h"
#include "suggest.h"

void rename_map_print(FILE *to, const struct suggestions *suggestions,
    const struct folds *folds, const struct renames *renames);

#endif

/* path_pattern.h - the calls are public (varve/structure.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PATH_PATTERN_H
#define VV_PATH_PATTERN_H

#include <varve/structure.h>

#endif

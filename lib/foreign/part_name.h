/* part_name.h - file names that say which part of a model a file is:
 * `model-00001-of-00003.safetensors`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PART_NAME_H
#define VV_PART_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the number, from 1 on, and the count of parts that stand before the
 * ending of a name, as many digits each. False where the name says neither. */
bool vv_part_name(const char *path, uint64_t *number, uint64_t *count);

#endif

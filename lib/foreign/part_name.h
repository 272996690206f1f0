/* part_name.h - Parses names of the files of split models, such as
 * `model-00001-of-00003.safetensors`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PART_NAME_H
#define VV_PART_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the number (from 1 on) and the count of parts before the extension of a
 * name; both must have the same number of digits. Returns false if the name has
 * another form. */
bool vv_part_name(const char *path, uint64_t *number, uint64_t *count);

#endif

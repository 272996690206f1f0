/* format_name.h - Parses format names on the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FORMAT_NAME_H
#define FORMAT_NAME_H

#include <stdbool.h>
#include <string.h>

#include <varve/checkpoint.h>

static inline bool format_of_name(const char *name, varve_format *format)
{
    for (int i = VARVE_FORMAT_VARVE; i <= VARVE_FORMAT_HDF5; i++) {
        *format = (varve_format)i;
        if (strcmp(varve_format_name(*format), name) == 0)
            return true;
    }
    return false;
}

#endif

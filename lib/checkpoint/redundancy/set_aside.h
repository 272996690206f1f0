/* set_aside.h - Renames a file of another set that is in the place of a rebuilt
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SET_ASIDE_H
#define VV_SET_ASIDE_H

#include "redundancy.h"

/* Renames "PREFIX-N.ENDING" to "PREFIX-N.MARK.ENDING". MARK has 16 hexadecimal
 * digits: `mark`, or the next larger number whose name is not in use. Does not
 * replace a file. Returns VARVE_OK if there is no file at `path`. After a
 * rename, sets *message to a message with both names and the status
 * VARVE_EXISTS. */
varve_status vv_set_aside(const struct vv_redundancy *redundancy,
    const char *path, uint64_t mark, varve_error *message, varve_error *error);

#endif

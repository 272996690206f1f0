/* set_aside.h - Gives another name to a file of another set, in whose place one
 * is rebuilt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SET_ASIDE_H
#define VV_SET_ASIDE_H

#include "redundancy.h"

/* Renames "PREFIX-N.ENDING" to "PREFIX-N.MARK.ENDING", where MARK is 16 hex
 * digits of a number that follows `mark`, or `mark` itself where that name is
 * free. Replaces no file. A path without a file is VARVE_OK. Otherwise
 * *message, whose status is VARVE_EXISTS then, has both names. */
varve_status vv_set_aside(const struct vv_redundancy *redundancy,
    const char *path, uint64_t mark, varve_error *message, varve_error *error);

#endif

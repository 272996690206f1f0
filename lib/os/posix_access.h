/* posix_access.h - Describes names, and sets the permissions of files, on POSIX
 * systems: the functions `look` and `set_access` of vv_posix_system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_POSIX_ACCESS_H
#define VV_POSIX_ACCESS_H

#include "system.h"

int vv_posix_look(
    void *state, int directory, const char *name, struct vv_file_look *look);

int vv_posix_set_access(void *state, int file, const struct vv_access *access);

#endif

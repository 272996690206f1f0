/* posix_names.h - Lists the names in an open directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_POSIX_NAMES_H
#define VV_POSIX_NAMES_H

#include "system.h"

/* Implements each_name of vv_posix_system for a new descriptor, which it
 * closes. */
int vv_posix_each_name(int directory, vv_each_name *each, void *user);

#endif

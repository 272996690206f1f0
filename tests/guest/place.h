/* place.h - Declares functions to create and remove temporary directories.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GUEST_PLACE_H
#define GUEST_PLACE_H

#include <stdbool.h>

enum { PLACE_SIZE = 1024 };

/* Creates a directory with a new name below `base` (NULL: the directory for
 * temporary files) and changes to it. Returns false on failure. */
bool place_enter(const char *base, char place[PLACE_SIZE]);

/* Changes to `base` (NULL: the root) and removes the directory with its
 * content. Returns false on failure. */
bool place_leave(const char *base, const char *place);

#endif

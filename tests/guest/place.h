/* place.h - directories that come and go.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GUEST_PLACE_H
#define GUEST_PLACE_H

#include <stdbool.h>

enum { PLACE_SIZE = 1024 };

/* Makes a directory of a new name below `base` (NULL: where temporary files
 * go), and goes there. */
bool place_enter(const char *base, char place[PLACE_SIZE]);

/* Goes back to `base` (NULL: to the root), and removes it with all that is in
 * it. */
bool place_leave(const char *base, const char *place);

#endif

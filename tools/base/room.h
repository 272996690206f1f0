/* room.h - Allocates memory for small objects. If there is none, ends the
 * program with a message and the exit status of such a failure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ROOM_H
#define TOOL_ROOM_H

#include <stddef.h>

/* Returns zeroed memory. */
void *room_for(size_t count, size_t size);

/* Returns the array with more room if its `*capacity` elements are all in
 * use. */
void *room_more(void *array, size_t *capacity, size_t count, size_t size);

char *room_copy(const char *text, size_t size);

/* Returns "a/b", or one of the two if the other is empty. */
char *room_join(const char *path, const char *name);

/* Ends the program because there is no memory. */
_Noreturn void room_ends(void);

#endif

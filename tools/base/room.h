/* room.h - memory, for what is small beside the values. Where there is none the
 * program ends, with the message and the code of any such failure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_ROOM_H
#define TOOL_ROOM_H

#include <stddef.h>

/* Zeroed. */
void *room_for(size_t count, size_t size);

/* More room for an array of `*capacity` elements once `count` fill it. */
void *room_more(void *array, size_t *capacity, size_t count, size_t size);

char *room_copy(const char *text, size_t size);

/* "a/b", or one of the two where the other is empty. */
char *room_join(const char *path, const char *name);

/* There is none: the end. */
_Noreturn void room_ends(void);

#endif

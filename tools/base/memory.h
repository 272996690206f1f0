/* memory.h - Allocates memory for small objects. If there is none, ends the
 * program with a message and the exit status of such a failure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_MEMORY_H
#define TOOL_MEMORY_H

#include <stddef.h>

/* Returns zeroed memory. */
void *memory_allocate(size_t count, size_t size);

/* Returns the array with more room if its `*capacity` elements are all in
 * use. */
void *memory_grow(void *array, size_t *capacity, size_t count, size_t size);

char *memory_copy_text(const char *text, size_t size);

/* Returns "a/b", or one of the two if the other is empty. */
char *memory_join_path(const char *path, const char *name);

/* Ends the program because there is no memory. */
_Noreturn void memory_exhausted(void);

#endif

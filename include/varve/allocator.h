/* allocator.h - Lets a program supply its own memory allocator.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ALLOCATOR_H
#define VARVE_ALLOCATOR_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* A function that allocates, resizes or frees a block of memory.
 *
 * `old` is NULL and `old_size` is 0 for a new block. `old_size` is the size
 * that was requested for the block. `new_size` is 0 to free the block; the
 * result is then NULL. Otherwise the function must behave like realloc: the
 * result is aligned for every C type, and NULL means that nothing has changed.
 *
 * The function must be thread-safe. Restores, verification, asynchronous saves
 * and records with `prefetch` call it from several threads at once. The library
 * holds no spinlock during the call. */
typedef void *varve_allocate_function(
    void *user, void *old, size_t old_size, size_t new_size);

/* An allocator. Calls that take a pointer to one copy the struct. */
typedef struct varve_allocator {
    varve_allocate_function *function; /* NULL: realloc and free. On Linux the
                                          library then maps pages for
                                          library-owned values of 128 KiB or
                                          more */
    void *user;
} varve_allocator;

VARVE_END_DECLS

#endif

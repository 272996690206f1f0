/* allocator.h - one function through which all memory passes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_ALLOCATOR_H
#define VARVE_ALLOCATOR_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Allocates, resizes and frees. `old` is NULL with `old_size` 0 for a new
 * block; `new_size` 0 frees and returns NULL. Otherwise it behaves as realloc:
 * the result is aligned for every C type and NULL means that nothing changed.
 * `old_size` is the size that was requested for the block. A restoration, a
 * verification, a save in the background and records with `prefetch` may call
 * it from several threads at once, and hold no spinlock when they do. It must
 * be thread-safe, as realloc is. */
typedef void *varve_allocate_function(
    void *user, void *old, size_t old_size, size_t new_size);

/* Where memory comes from; copied by whoever is given one. */
typedef struct varve_allocator {
    varve_allocate_function *function; /* NULL: realloc and free; on Linux
                                          pages of the system for values of the
                                          library's own of 128 KiB and more */
    void *user;
} varve_allocator;

VARVE_END_DECLS

#endif

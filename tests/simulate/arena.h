/* arena.h - Declares the memory of one schedule, which is freed as a whole at
 * its end, since killed processes free nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_ARENA_H
#define SIMULATE_ARENA_H

#include <stddef.h>

/* Returns zeroed memory that is valid until arena_reset. Ends the program if
 * there is none. */
void *arena_take(size_t size);

/* Returns memory, not zeroed, that can be freed earlier; `size` must be the
 * allocated size. */
void *arena_block(size_t size);
void arena_give_back(void *block, size_t size);

void arena_reset(void);

#endif

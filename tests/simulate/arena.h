/* arena.h - memory of one schedule, which is given back all at once at its end:
 * a process that is killed frees nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_ARENA_H
#define SIMULATE_ARENA_H

#include <stddef.h>

/* Zeroed memory until arena_reset; ends the program where there is none. */
void *arena_take(size_t size);

/* Memory that can be given back before, not zeroed; `size` is what was
 * taken. */
void *arena_block(size_t size);
void arena_give_back(void *block, size_t size);

void arena_reset(void);

#endif

/* draw.h - Generates pseudorandom numbers from a seed, the same on every
 * machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_DRAW_H
#define SIMULATE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

/* Mixes the bits of a number (the finalizer of SplitMix64). */
static inline uint64_t draw_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Returns the next number of a sequence. `state` may start with any number. */
static inline uint64_t draw_next(uint64_t *state)
{
    return draw_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* Returns a number below `end`, which must not be 0. */
static inline unsigned draw_below(uint64_t *state, unsigned end)
{
    return (unsigned)((draw_next(state) >> 32) * end >> 32);
}

/* Returns true in `rate` of 1024 cases. */
static inline bool draw_rate(uint64_t *state, unsigned rate)
{
    return draw_below(state, 1024) < rate;
}

#endif

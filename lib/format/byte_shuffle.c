/* byte_shuffle.c - Shuffles sixteen elements at a time with the vector
 * extension of gcc and clang. Without it, and for the remaining elements, works
 * byte by byte.
 *
 * SPDX-License-Identifier: MIT
 */
#include "byte_shuffle.h"

#include <string.h>

#include "pack.h"

/* All functions are inlined with a constant number of planes, so that the
 * compiler keeps the vectors in registers. */

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define HAS_VECTORS
#endif
#endif

#ifdef HAS_VECTORS
enum {
    LANES = 16,
    AHEAD = 2048 /* bytes */
};

typedef uint8_t vector __attribute__((vector_size(LANES)));

/* Separates the bytes at even positions from those at odd positions. Applied
 * once for each halving of the number of planes. */
static inline void part(vector *to, const vector *from, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const vector one = from[2 * i], other = from[2 * i + 1];
        to[i] = __builtin_shufflevector(one, other, 0, 2, 4, 6, 8, 10, 12, 14,
            16, 18, 20, 22, 24, 26, 28, 30);
        to[count / 2 + i] = __builtin_shufflevector(one, other, 1, 3, 5, 7, 9,
            11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    }
}

/* The inverse of part(). */
static inline void merge(vector *to, const vector *from, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const vector even = from[i], odd = from[count / 2 + i];
        to[2 * i] = __builtin_shufflevector(
            even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        to[2 * i + 1] = __builtin_shufflevector(even, odd, 8, 24, 9, 25, 10, 26,
            11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
}

static inline size_t split_most(
    uint8_t *const *to, const uint8_t *from, size_t count, size_t planes)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        vector one[VV_MOST_PLANES], other[VV_MOST_PLANES];
        memcpy(one, from + i * planes, LANES * planes);
        part(other, one, planes);
        if (planes > 2)
            part(one, other, planes);
        if (planes > 4)
            part(other, one, planes);
        for (size_t p = 0; p < planes; p++)
            memcpy(to[p] + i, planes == 4 ? &one[p] : &other[p], LANES);
    }
    return i;
}

/* Prefetches the next line of a plane, because planes are often far apart. A
 * prefetch never faults, whatever the address. */
static inline void byte_shuffle_fetch(uint8_t *to)
{
    __builtin_prefetch((const void *)((uintptr_t)to + AHEAD), 1);
}

static inline size_t join_most(
    uint8_t *to, const uint8_t *const *from, size_t count, size_t planes)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        vector one[VV_MOST_PLANES], other[VV_MOST_PLANES];
        byte_shuffle_fetch(to + i * planes);
        for (size_t p = 0; p < planes; p++)
            memcpy(&one[p], from[p] + i, LANES);
        merge(other, one, planes);
        if (planes > 2)
            merge(one, other, planes);
        if (planes > 4)
            merge(other, one, planes);
        memcpy(to + i * planes, planes == 4 ? one : other, LANES * planes);
    }
    return i;
}
#else
#define split_most(to, from, count, planes) ((size_t)0)
#define join_most(to, from, count, planes) ((size_t)0)
#endif

/* The pointers are copied so that the compiler can assume that they do not
 * change. */
static inline void split_by(
    uint8_t *const *to, const uint8_t *from, size_t count, size_t planes)
{
    uint8_t *apart[VV_MOST_PLANES];
    memcpy(apart, to, planes * sizeof *apart);
    for (size_t i = split_most(apart, from, count, planes); i < count; i++) {
        for (size_t p = 0; p < planes; p++)
            apart[p][i] = from[i * planes + p];
    }
}

static inline void join_by(
    uint8_t *to, const uint8_t *const *from, size_t count, size_t planes)
{
    const uint8_t *apart[VV_MOST_PLANES];
    memcpy(apart, from, planes * sizeof *apart);
    for (size_t i = join_most(to, apart, count, planes); i < count; i++) {
        for (size_t p = 0; p < planes; p++)
            to[i * planes + p] = apart[p][i];
    }
}

void vv_planes_split(
    uint8_t *const *to, const uint8_t *from, size_t count, unsigned planes)
{
    switch (planes) {
    case 2: split_by(to, from, count, 2); break;
    case 4: split_by(to, from, count, 4); break;
    default: split_by(to, from, count, 8); break;
    }
}

void vv_planes_join(
    uint8_t *to, const uint8_t *const *from, size_t count, unsigned planes)
{
    switch (planes) {
    case 2: join_by(to, from, count, 2); break;
    case 4: join_by(to, from, count, 4); break;
    default: join_by(to, from, count, 8); break;
    }
}

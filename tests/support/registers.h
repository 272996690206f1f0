/* registers.h - Detects whether the upper halves of the vector registers are in
 * use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_REGISTERS_H
#define SUPPORT_REGISTERS_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

/* Those of ymm0 to ymm15 and of zmm0 to zmm15. The others (zmm16 and above, and
 * masks) cause no slowdown, and the C library leaves them in use. */
enum { UPPER_HALVES = 0x44 };

/* xgetbv with 1 returns the parts in use, if cpuid reports support for it. */
static inline bool registers_can_be_seen(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("avx") &&
           __get_cpuid_count(13, 1, &a, &b, &c, &d) && (a >> 2 & 1);
}

static inline bool registers_in_use(void)
{
    unsigned low, high;
    if (!registers_can_be_seen())
        return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low & UPPER_HALVES;
}

static inline void registers_clear(void)
{
    if (registers_can_be_seen())
        __asm__ volatile("vzeroupper" ::: "memory");
}

/* Uses them like code that does not clear them. */
static inline void registers_use(void)
{
    if (registers_can_be_seen())
        __asm__ volatile("vpcmpeqd %%xmm15, %%xmm15, %%xmm15\n\t"
                         "vinsertf128 $1, %%xmm15, %%ymm15, %%ymm15" ::
                             : "xmm15");
}

#else

static inline bool registers_can_be_seen(void)
{
    return false;
}

static inline bool registers_in_use(void)
{
    return false;
}

static inline void registers_clear(void)
{
}

static inline void registers_use(void)
{
}

#endif

#endif

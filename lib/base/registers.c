/* registers.c - Clears the upper halves of the registers with vzeroupper.
 *
 * SPDX-License-Identifier: MIT
 */
#include "registers.h"

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)

/* The target attribute makes the compiler keep nothing of its own in these
 * registers. */
__attribute__((target("avx"))) static void clear(void)
{
    __builtin_ia32_vzeroupper();
}

void vv_clear_registers(void)
{
    if (__builtin_cpu_supports("avx"))
        clear();
}

#else

void vv_clear_registers(void)
{
}

#endif

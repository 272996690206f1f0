/* registers.h - vector registers as a caller wants to find them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REGISTERS_H
#define VV_REGISTERS_H

/* Clears the upper halves of the vector registers, as each function of x86 that
 * used them has to before it returns; does nothing where there are none. Called
 * after code of others that forgets it: as long as they are in use, every
 * instruction of SSE waits for them, and a program's own arithmetic becomes
 * many times slower without another sign. */
void vv_clear_registers(void);

#endif

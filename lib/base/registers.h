/* registers.h - Resets vector registers after calls of other libraries.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REGISTERS_H
#define VV_REGISTERS_H

/* Clears the upper halves of the vector registers, as every x86 function that
 * used them must do before it returns; does nothing on other machines. Called
 * after code of other libraries that fails to do so. While the upper halves are
 * in use, SSE instructions have false dependencies on them, and the program's
 * own arithmetic becomes many times slower. */
void vv_clear_registers(void);

#endif

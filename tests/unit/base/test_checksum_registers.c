/* test_checksum_registers.c - Tests that the upper halves of vector registers
 * are cleared.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "checksum.h"
#include "support/registers.h"

TEST(registers, are_cleared)
{
    registers_use();
    cr_assert_eq(registers_in_use(), registers_can_be_seen());
    vv_clear_registers();
    cr_assert_not(registers_in_use());
}

/* test_buffer.c - lib/base/buffer.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "buffer.h"
#include "bytes.h"

TEST(buffer, keeps_what_was_added)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    for (uint32_t i = 0; i < 1000; i++)
        vv_buffer_add32(&b, i);
    cr_assert_eq(b.size, 4000);
    for (uint32_t i = 0; i < 1000; i++)
        cr_assert_eq(vv_load32(b.data + 4 * i), i);
    vv_buffer_clear(&b);
}

TEST(buffer, remembers_that_an_allocation_failed)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_buffer_add_string(&b, "one");
    test_fail_allocation(0, false);
    cr_assert_null(vv_buffer_extend(&b, 1000));
    vv_buffer_add_string(&b, "two");
    cr_assert(b.failed);
    cr_assert_eq(b.size, 3);
    vv_buffer_clear(&b);
    cr_assert_not(b.failed);
}

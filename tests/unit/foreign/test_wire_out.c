/* test_wire_out.c - Tests writing protobuf fields.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire.h"

#include "hex.h"

TEST(wire_out, writes_seven_bits_in_each_byte)
{
    unsigned char bytes[VV_VARINT_SIZE];
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_wire_varint(&b, 0);
    vv_wire_varint(&b, 127);
    vv_wire_varint(&b, 128);
    vv_wire_varint(&b, 300);
    vv_wire_varint(&b, UINT64_MAX);
    cr_assert(hex_equal(
        b.data, b.size, "00 7f 8001 ac02 ffffffffffffffffff01"));
    cr_assert_eq(vv_wire_put_varint(bytes, UINT64_MAX), VV_VARINT_SIZE);
    vv_buffer_clear(&b);
}

TEST(wire_out, omits_default_values_like_proto3)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    vv_wire_number(&b, 1, 0);
    vv_wire_fixed32(&b, 6, 0);
    vv_wire_bytes(&b, 2, "", 0);
    cr_assert_eq(b.size, 0);
    vv_wire_number(&b, 1, 1);
    vv_wire_fixed32(&b, 6, 0x01020304);
    vv_wire_bytes(&b, 2, "ab", 2);
    vv_wire_number(&b, 16, 2);
    cr_assert(hex_equal(b.data, b.size, "0801 3504030201 12026162 800102"));
    vv_buffer_clear(&b);
}

TEST(wire_out, nests_messages_of_every_size_and_keeps_empty_ones)
{
    static const char text[20000];
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    size_t outer = vv_wire_begin(&b, 1);
    size_t empty = vv_wire_begin(&b, 2);
    vv_wire_end(&b, empty);
    size_t inner = vv_wire_begin(&b, 3);
    vv_wire_bytes(&b, 1, text, 124);
    vv_wire_bytes(&b, 1, text, 1);
    vv_wire_end(&b, inner);
    vv_wire_bytes(&b, 4, text, sizeof text);
    vv_wire_end(&b, outer);
    cr_assert(hex_equal(b.data, 4 + 2 + 3 + 2, "0aaa9d01 1200 1a8101 0a7c"));
    cr_assert(hex_equal(
        b.data + 11 + 124, 8, "0a0100 22a09c01 00"));
    cr_assert_eq(b.size, 4 + 0x4eaa);
    vv_buffer_clear(&b);
}

TEST(wire_out, records_a_failed_allocation)
{
    for (long n = 0;; n++) {
        struct vv_buffer b;
        vv_buffer_init(&b, test_allocator());
        test_fail_allocation(n, false);
        size_t outer = vv_wire_begin(&b, 1);
        for (int i = 0; i < 100; i++)
            vv_wire_number(&b, 2, 7);
        vv_wire_end(&b, outer);
        test_fail_allocation(-1, false);
        bool failed = b.failed;
        cr_assert(failed || b.size == 203);
        vv_buffer_clear(&b);
        if (!failed)
            break;
    }
}

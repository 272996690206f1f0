/* test_wire.c - Tests parsing protobuf fields in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire.h"

#include "hex.h"

static unsigned char *bytes;
static varve_error error;

static struct vv_wire open_hex(const char *text)
{
    struct vv_wire wire = { .path = "f", .what = "a message",
        .error = &error };
    free(bytes);
    bytes = hex_bytes(text, &wire.size);
    wire.bytes = bytes;
    error = (varve_error){ 0 };
    return wire;
}

/* Returns the next field, which must exist. */
static struct vv_wire_field next(struct vv_wire *wire)
{
    struct vv_wire_field field;
    cr_assert(vv_wire_has_more(wire));
    cr_assert_ok(vv_wire_next(wire, &field), error);
    return field;
}

TEST(wire_in, reads_fields_of_every_type)
{
    struct vv_wire wire = open_hex(
        "08 9601  11 0102030405060708  1a 03 616263  25 aabbccdd  "
        "f8ffffff0f 00");
    struct vv_wire_field f = next(&wire);
    cr_assert(f.number == 1 && f.type == VV_WIRE_VARINT && f.value == 150);
    f = next(&wire);
    cr_assert(f.number == 2 && f.type == VV_WIRE_FIXED64);
    cr_assert_eq(f.value, UINT64_C(0x0807060504030201));
    f = next(&wire);
    cr_assert(f.number == 3 && f.type == VV_WIRE_SIZED && f.value == 3);
    cr_assert(memcmp(f.bytes, "abc", 3) == 0);
    f = next(&wire);
    cr_assert(f.number == 4 && f.type == VV_WIRE_FIXED32);
    cr_assert_eq(f.value, 0xddccbbaa);
    f = next(&wire);
    cr_assert(f.number == 536870911 && f.value == 0);
    cr_assert_not(vv_wire_has_more(&wire));
    free(bytes);
}

TEST(wire_in, reads_a_nested_message_within_its_bytes)
{
    struct vv_wire wire = open_hex("0a 02 1007 1005");
    struct vv_wire_field f = next(&wire);
    struct vv_wire inner = vv_wire_open(&wire, &f, "inside");
    cr_assert_eq(next(&inner).value, 7);
    cr_assert_not(vv_wire_has_more(&inner));
    cr_assert_eq(next(&wire).value, 5);
    free(bytes);
}

static void check_varint(const char *text, uint64_t expected, size_t length)
{
    size_t size;
    uint64_t value;
    unsigned char *b = hex_bytes(text, &size);
    const unsigned char *end = vv_take_varint(b, b + size, &value);
    if (length == 0) {
        cr_assert_null(end, "%s", text);
    } else {
        cr_assert(end == b + length, "%s", text);
        cr_assert_eq(value, expected, "%s", text);
    }
    free(b);
}

TEST(wire_in, reads_numbers_of_up_to_64_bits_in_10_bytes)
{
    check_varint("00", 0, 1);
    check_varint("7f 00", 127, 1);
    check_varint("8001", 128, 2);
    check_varint("8000", 0, 2); /* longer than necessary, as protobuf allows */
    check_varint("ffffffffffffffffff01", UINT64_MAX, 10);
    check_varint("80808080808080808001", UINT64_C(1) << 63, 10);
    check_varint("80808080808080808000", 0, 10);
    check_varint("ffffffffffffffffff02", 0, 0);
    check_varint("8080808080808080808001", 0, 0);
    check_varint("", 0, 0);
    check_varint("80", 0, 0);
}

TEST(wire_in, refuses_invalid_fields)
{
    static const struct {
        const char *bytes;
        const char *says;
    } rows[] = {
        { "80", "f: a message at byte 0: expected a field key" },
        { "00 01", "a field key" },     /* number 0 */
        { "08", "at byte 1: expected a number" },
        { "08 ffffffffffffffffffff01", "a number" },
        { "09 01020304050607", "a fixed-size number" },
        { "0d 010203", "a fixed-size number" },
        { "0a", "a size within the message" },
        { "0a 04 616263", "a size within the message" },
        { "0a ffffffffffffffffff01 61", "a size within the message" },
        { "0b 0c", "a valid field type" }, /* a group */
        { "0c", "a valid field type" },
        { "0e 00", "a valid field type" },
        { "0f 00", "a valid field type" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vv_wire wire = open_hex(rows[i].bytes);
        struct vv_wire_field f;
        cr_assert_eq(vv_wire_next(&wire, &f), VARVE_CORRUPT, "%s",
            rows[i].bytes);
        cr_assert(strstr(error.message, rows[i].says), "%s", error.message);
    }
    free(bytes);
}

TEST(wire_in, reports_a_field_of_another_type)
{
    struct vv_wire wire = open_hex("2a 00");
    struct vv_wire_field f = next(&wire);
    cr_assert_ok(vv_wire_expect(&wire, &f, VV_WIRE_SIZED), error);
    cr_assert_eq(vv_wire_expect(&wire, &f, VV_WIRE_VARINT), VARVE_CORRUPT);
    cr_assert_str_eq(error.message,
        "f: a message: field 5: expected wire type 0, found 2");
    free(bytes);
}

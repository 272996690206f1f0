/* test_wire_in.c - lib/source/wire_in.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire_in.h"

#include "hex.h"

static varve_error error;

/* The first fields of a message, as far as there are any; how it ended. */
static varve_status read_all(const char *hex, struct vv_wire_field *fields,
    size_t *count)
{
    size_t size;
    unsigned char *bytes = hex_bytes(hex, &size);
    struct vv_wire wire = { "file", "message", bytes, size, 0, &error };
    varve_status status;
    bool more = true;
    error = (varve_error){ 0 };
    for (*count = 0; more; ++*count) {
        status = vv_wire_next(&wire, &fields[*count], &more);
        if (status)
            break;
    }
    *count -= !more;
    free(bytes);
    return status;
}

static void check_bad(const char *hex, const char *message)
{
    struct vv_wire_field fields[8];
    size_t count;
    cr_assert_eq(read_all(hex, fields, &count), VARVE_CORRUPT, "%s", hex);
    cr_assert_str_eq(error.message, message);
}

TEST(wire_in, gives_fields_of_every_kind)
{
    struct vv_wire_field fields[8];
    size_t count;
    cr_assert_eq(read_all("08 ac02  12 03 616263  1d 01020304 "
                          "21 0102030405060708  a0 06 01", fields, &count), 0);
    cr_assert_eq(count, 5);
    cr_assert_eq(fields[0].number, 1);
    cr_assert_eq(fields[0].value, 300);
    cr_assert_eq(fields[1].type, VV_WIRE_SIZED);
    cr_assert_eq(fields[1].value, 3);
    cr_assert_eq(fields[2].value, 0x04030201);
    cr_assert_eq(fields[3].value, UINT64_C(0x0807060504030201));
    cr_assert_eq(fields[4].number, 100);
    cr_assert_eq(read_all("", fields, &count), 0);
    cr_assert_eq(count, 0);
}

TEST(wire_in, refuses_what_ends_early_or_is_too_long)
{
    check_bad("08", "file: message at byte 1: expected a number, found other "
                    "bytes");
    check_bad("08 80", "file: message at byte 1: expected a number, found "
                       "other bytes");
    check_bad("12 03 6162", "file: message at byte 2: expected a size that "
                            "the rest has room for, found other bytes");
    check_bad("12 ffffffffffffffffff01",
        "file: message at byte 11: expected a size that the rest has room "
        "for, found other bytes");
    check_bad("1d 010203", "file: message at byte 1: expected a number of "
                           "fixed size, found other bytes");
    check_bad("21 01020304050607", "file: message at byte 1: expected a number "
                                   "of fixed size, found other bytes");
    check_bad("00 01", "file: message at byte 1: expected the key of a field, "
                       "found other bytes");
    check_bad("0b 0c", "file: message at byte 1: expected a field of a known "
                       "kind, found other bytes");
}

TEST(wire_in, takes_numbers_of_64_bits_and_no_more)
{
    static const char *const bad[] = { "", "80", "ffffffffffffffffff02",
        "8080808080808080808001" };
    uint64_t value;
    size_t size;
    unsigned char *bytes = hex_bytes("ffffffffffffffffff01", &size);
    cr_assert_eq(vv_take_varint(bytes, bytes + size, &value), bytes + size);
    cr_assert_eq(value, UINT64_MAX);
    free(bytes);
    for (size_t i = 0; i < 4; i++) {
        bytes = hex_bytes(bad[i], &size);
        cr_assert_null(vv_take_varint(bytes, bytes + size, &value), "%zu", i);
        free(bytes);
    }
}

TEST(wire_in, opens_messages_and_expects_types)
{
    struct vv_wire_field field, inner;
    size_t size;
    bool more;
    unsigned char *bytes = hex_bytes("12 02 0805", &size);
    struct vv_wire wire = { "file", "outer", bytes, size, 0, &error };
    cr_assert_eq(vv_wire_next(&wire, &field, &more), VARVE_OK);
    cr_assert_eq(vv_wire_expect(&wire, &field, VV_WIRE_SIZED), VARVE_OK);
    cr_assert_eq(vv_wire_expect(&wire, &field, VV_WIRE_VARINT), VARVE_CORRUPT);
    cr_assert_str_eq(error.message,
        "file: outer: field 2: expected wire type 0, found 2");
    struct vv_wire nested = vv_wire_open(&wire, &field, "inner");
    cr_assert_eq(vv_wire_next(&nested, &inner, &more), VARVE_OK);
    cr_assert_eq(inner.value, 5);
    cr_assert_eq(vv_wire_next(&nested, &inner, &more), VARVE_OK);
    cr_assert_not(more);
    free(bytes);
}

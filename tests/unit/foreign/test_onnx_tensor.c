/* test_onnx_tensor.c - Tests ONNX tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_tensor.h"

#include "onnx_sample.h"

static struct part p;
static struct vv_onnx_tensor t;
static struct vv_buffer location;

static varve_status read_part(struct vv_buffer *message)
{
    part_begin(&p, message);
    location = new_bytes();
    varve_status status =
        vv_onnx_tensor_read(&p.file, p.message, &location, &t);
    vv_buffer_clear(message);
    return status;
}

static void end(void)
{
    vv_buffer_clear(&location);
    part_end(&p);
}

static void refuse(
    struct vv_buffer *message, varve_status status, const char *words)
{
    /* Appends bytes, so that the end is not that of the file. */
    varve_status found = read_part(message);
    cr_assert_eq(found, status, "%s: %s", words, p.error.message);
    cr_assert(strstr(p.error.message, words), "%s", p.error.message);
    end();
}

TEST(onnx_tensor, has_its_elements_in_one_of_many_fields)
{
    struct vv_buffer b =
        new_tensor("w", T_FLOAT, 2, "\0\0\x80\x3f\0\0\0\x40", 8);
    cr_assert_ok(read_part(&b), p.error);
    cr_assert(t.storage == VV_ONNX_HERE && t.size == 8 && t.count == 2);
    cr_assert_eq(t.data.end - t.data.at, 8);
    cr_assert_eq(t.name.end - t.name.at, 1);
    end();
    b = new_tensor("w", T_FLOAT, 2, NULL, 0);
    put_bytes(&b, 4, "\0\0\x80\x3f\0\0\0\x40", 8); /* can be read in place */
    cr_assert_ok(read_part(&b), p.error);
    cr_assert_eq(t.storage, VV_ONNX_HERE);
    end();
    b = new_tensor("w", T_FLOAT, 2, NULL, 0);
    put_bytes(&b, 4, "\0\0\x80\x3f", 4);
    put_bytes(&b, 4, "\0\0\0\x40", 4);
    cr_assert_ok(read_part(&b), p.error);
    cr_assert_eq(t.storage, VV_ONNX_ITEMS);
    end();
    b = new_tensor("w", T_INT64, 2, NULL, 0);
    put_bytes(&b, 7, "\1\2", 2);
    cr_assert_ok(read_part(&b), p.error);
    cr_assert(t.storage == VV_ONNX_ITEMS && t.size == 16);
    end();
    b = new_tensor("w", T_FLOAT, 0, NULL, 0);
    cr_assert_ok(read_part(&b), p.error);
    cr_assert_eq(t.size, 0);
    end();
}

TEST(onnx_tensor, may_have_external_data)
{
    struct vv_buffer b = new_tensor("w", T_INT4, 3, NULL, 0);
    put_number(&b, 14, 1);
    put_pair(&b, 13, "checksum", "?");
    put_pair(&b, 13, "length", "2");
    put_pair(&b, 13, "offset", "18446744073709551615");
    put_pair(&b, 13, "location", "w.bin");
    cr_assert_ok(read_part(&b), p.error);
    cr_assert(t.storage == VV_ONNX_OUTSIDE && t.size == 2);
    cr_assert_eq(t.offset, UINT64_MAX);
    cr_assert(location.size == 5 && memcmp(location.data, "w.bin", 5) == 0);
    end();
}

static struct vv_buffer with_dimensions(
    const uint64_t *extents, size_t count, bool is_packed)
{
    struct vv_buffer b = new_bytes(), packed = new_bytes();
    for (size_t i = 0; i < count && !is_packed; i++)
        put_number(&b, 1, extents[i]);
    for (size_t i = 0; i < count; i++)
        put_varint(&packed, extents[i]);
    if (is_packed)
        put_bytes(&b, 1, packed.data, packed.size);
    vv_buffer_clear(&packed);
    put_number(&b, 2, T_FLOAT);
    return b;
}

TEST(onnx_tensor, has_packed_or_unpacked_dimensions)
{
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct vv_buffer b = with_dimensions(
            (uint64_t[]){ 3, 0, 1000 }, 3, is_packed);
        cr_assert_ok(read_part(&b), p.error);
        cr_assert(t.shape.rank == 3 && t.shape.shape[2] == 1000);
        end();
        b = with_dimensions((uint64_t[17]){ 0 }, 17, is_packed);
        refuse(&b, VARVE_LIMIT, "at most 16 dimensions");
        b = with_dimensions((uint64_t[]){ UINT64_MAX }, 1, is_packed);
        refuse(&b, VARVE_CORRUPT, "a negative one");
        b = with_dimensions((uint64_t[]){ INT64_MAX, 4 }, 2, is_packed);
        refuse(&b, VARVE_CORRUPT, "less than 2^64 bytes");
    }
}

TEST(onnx_tensor, must_have_the_bytes_of_its_shape)
{
    struct vv_buffer b = new_tensor("w", T_FLOAT, 2, "1234567", 7);
    refuse(&b, VARVE_CORRUPT, "expected 8 bytes or items");
    b = new_tensor("w", T_FLOAT, 2, NULL, 0);
    refuse(&b, VARVE_CORRUPT, "expected 2 bytes or items of data for its "
        "shape, found 0");
    b = new_tensor("w", T_FLOAT, INT64_MAX / 4, NULL, 0);
    put_bytes(&b, 4, "1234", 4);
    refuse(&b, VARVE_CORRUPT, "found 1");
    b = new_tensor("w", T_INT4, 3, NULL, 0);
    put_bytes(&b, 5, "\1\2\3", 3);
    refuse(&b, VARVE_CORRUPT, "expected 2 bytes or items");
    b = new_tensor("w", T_STRING, 3, NULL, 0);
    put_text(&b, 6, "a");
    refuse(&b, VARVE_CORRUPT, "found 1");
    b = new_tensor("w", T_FLOAT, 1, NULL, 0);
    put_number(&b, 14, 1);
    put_pair(&b, 13, "length", "3");
    refuse(&b, VARVE_CORRUPT, "expected 4 bytes");
}

TEST(onnx_tensor, must_have_its_elements_once_and_in_the_right_field)
{
    struct vv_buffer b = new_tensor("w", T_FLOAT, 1, "1234", 4);
    put_bytes(&b, 9, "1234", 4);
    refuse(&b, VARVE_CORRUPT, "raw_data only once");
    b = new_tensor("w", T_FLOAT, 1, "1234", 4);
    put_bytes(&b, 4, "1234", 4);
    refuse(&b, VARVE_CORRUPT, "in one place");
    b = new_tensor("w", T_FLOAT, 1, "1234", 4);
    put_number(&b, 14, 1);
    refuse(&b, VARVE_CORRUPT, "in one place");
    b = new_tensor("w", T_FLOAT, 1, NULL, 0);
    put_bytes(&b, 5, "\1", 1);
    refuse(&b, VARVE_CORRUPT, "in the field of their type");
    b = new_tensor("w", T_STRING, 1, "a", 1);
    refuse(&b, VARVE_CORRUPT, "strings in string_data, found raw_data");
    b = new_tensor("w", T_STRING, 1, NULL, 0);
    put_number(&b, 14, 1);
    refuse(&b, VARVE_CORRUPT, "found external data");
}

TEST(onnx_tensor, must_have_a_known_type_and_be_complete)
{
    struct vv_buffer b = new_tensor("w", 0, 1, "1234", 4);
    refuse(&b, VARVE_CORRUPT, "unknown element type 0");
    b = new_tensor("w", 29, 1, "1234", 4);
    refuse(&b, VARVE_TOO_NEW, "element type 29");
    b = new_tensor("w", T_FLOAT, 1, "1234", 4);
    put_number(&b, 14, 2);
    refuse(&b, VARVE_TOO_NEW, "a data_location of 0 or 1");
    b = new_tensor("w", T_FLOAT, 1, "1234", 4);
    put_bytes(&b, 3, "\x08\1", 2);
    refuse(&b, VARVE_LIMIT, "a segment");
    b = new_tensor("w", T_FLOAT, 1, "1234", 4);
    put_text(&b, 2, "?");
    refuse(&b, VARVE_CORRUPT, "field 2: expected wire type 0, found 2");
}

TEST(onnx_tensor, refuses_invalid_external_data)
{
    static const char *const wrong[] = { "", "-1", "0x10", "01",
        "18446744073709551616" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct vv_buffer b = new_tensor("w", T_FLOAT, 1, NULL, 0);
        put_pair(&b, 13, "offset", wrong[i]);
        refuse(&b, VARVE_CORRUPT, "decimal numbers");
    }
    struct vv_buffer b = new_tensor("w", T_FLOAT, 1, NULL, 0);
    put_text(&b, 13, "\x0a\x05" "ab");
    refuse(&b, VARVE_CORRUPT, "external data");
    static const char large[9000];
    b = new_tensor("w", T_FLOAT, 1, NULL, 0);
    put_bytes(&b, 13, large, sizeof large);
    refuse(&b, VARVE_LIMIT, "at most 8192 bytes");
}

/* test_safetensors_header.c - Tests the headers of safetensors files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_header.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

TEST(safetensors_dtype, has_element_sizes_that_agree_with_varve)
{
    for (size_t i = 0; i < VV_SAFETENSORS_DTYPES; i++) {
        const struct vv_safetensors_dtype *d = &vv_safetensors_dtypes[i];
        if (d->dtype)
            cr_assert_eq(varve_dtype_size(d->dtype) * 8, d->bits, "%s",
                d->name);
        if (d->dtype)
            cr_assert_eq(vv_safetensors_dtype_of(d->dtype), d, "%s", d->name);
    }
}

TEST(safetensors_dtype, has_no_row_for_strings_and_complex128)
{
    for (int i = 1; i <= VARVE_DTYPE_COUNT; i++)
        cr_assert_eq(vv_safetensors_dtype_of((varve_dtype)i) == NULL,
            i == VARVE_STRING || i == VARVE_COMPLEX128, "%d", i);
    cr_assert_null(vv_safetensors_dtype_of((varve_dtype)0));
}

struct parsed {
    /* an exact copy, so that a sanitizer detects reads past the end */
    char *bytes;
    struct vv_json_in json;
    struct vv_buffer tensors, texts;
    varve_error error;
};

static varve_status parse(
    struct parsed *p, const char *header, size_t size, uint64_t data_size)
{
    p->bytes = malloc(size ? size : 1);
    memcpy(p->bytes, header, size);
    p->error = (varve_error){ 0 };
    p->json = (struct vv_json_in){ .path = "file", .base = 8,
        .bytes = p->bytes, .size = size, .error = &p->error };
    vv_buffer_init(&p->tensors, test_allocator());
    vv_buffer_init(&p->texts, test_allocator());
    return vv_safetensors_header(
        &p->json, data_size, 3, &p->tensors, &p->texts);
}

static void clear(struct parsed *p)
{
    vv_buffer_clear(&p->tensors);
    vv_buffer_clear(&p->texts);
    free(p->bytes);
}

static const struct vv_safetensors_tensor *tensor_at(
    const struct parsed *p, size_t i)
{
    return (const struct vv_safetensors_tensor *)(void *)p->tensors.data + i;
}

#define T(name, dtype, shape, begin, end)                                      \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape                   \
    ",\"data_offsets\":[" #begin "," #end "]}"

TEST(safetensors_header, lists_tensors_in_order_of_their_data)
{
    struct parsed p;
    static const char header[] = " \n{" T("b", "F32", "[2]", 4, 12) ","
        T("a", "I16", "[1,2]", 0, 4) ",\"__metadata__\":{\"k\":\"v\"}} \t\r\n ";
    cr_assert_ok(parse(&p, header, sizeof header - 1, 12), p.error);
    cr_assert_eq(p.tensors.size, 2 * sizeof(struct vv_safetensors_tensor));
    cr_assert_eq(tensor_at(&p, 0)->name[0], 'a');
    cr_assert_eq(tensor_at(&p, 1)->name[0], 'b');
    cr_assert_eq(tensor_at(&p, 1)->begin, 4);
    cr_assert_eq(tensor_at(&p, 1)->end, 12);
    cr_assert_eq(tensor_at(&p, 1)->file, 3);
    cr_assert_eq(p.texts.size, sizeof(struct vv_safetensors_text));
    struct vv_safetensors_info info;
    cr_assert_ok(
        vv_safetensors_info(&p.json, tensor_at(&p, 0)->name, &info), p.error);
    cr_assert_eq(info.type.dtype, VARVE_INT16);
    cr_assert_eq(info.type.rank, 2);
    cr_assert_eq(info.type.shape[0], 1);
    cr_assert_eq(info.type.shape[1], 2);
    clear(&p);
}

TEST(safetensors_header, accepts_unusual_headers)
{
    static const struct {
        const char *header;
        uint64_t data_size;
    } rows[] = {
        { "{}", 0 }, { "  {} ", 0 },
        { "{\"__metadata__\":null}", 0 }, { "{\"__metadata__\":{}}", 0 },
        { "{\"__metadata__\":{\"\\u00e9\":\"\\\"\"}}", 0 },
        { "{" T("s", "U8", "[]", 0, 1) "}", 1 },
        { "{" T("z", "F64", "[0]", 0, 0) "}", 0 },
        { "{" T("z", "F64", "[3,0,18446744073709551615]", 0, 0) "}", 0 },
        { "{" T("z", "F64", "[0]", 8, 8) "," T("a", "F64", "[1]", 0, 8) ","
            T("y", "U8", "[0]", 0, 0) "}", 8 },
        { "{" T("r", "U8", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", 0, 2) "}", 2 },
        { "{" T("\xe7\x8c\xab \\ud83d\\ude00", "U8", "[1]", 0, 1) "}", 1 },
        { "{" T("a", "F8_E5M2", "[2]", 0, 2) ","
            T("b", "F8_E4M3", "[1]", 2, 3) "}", 3 },
        { "{" T("a", "F4", "[3,2]", 0, 3) "," T("b", "F6_E2M3", "[4]", 3, 6) ","
            T("c", "F6_E3M2", "[8]", 6, 12) "," T("d", "F8_E8M0", "[1]", 12,
                13) "}", 13 },
        { "{" T("a", "C64", "[2]", 0, 16) "," T("b", "BF16", "[1]", 16, 18)
            "}", 18 },
        { "{\"a\":{\"data_offsets\":[0,2],\"shape\":[2],\"dt\\u0079pe\":"
          "\"BO\\u004fL\"}}", 2 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct parsed p;
        cr_assert_ok(parse(&p, rows[i].header, strlen(rows[i].header),
            rows[i].data_size), p.error);
        clear(&p);
    }
}

struct refusal {
    const char *header;
    uint64_t data_size;
    varve_status status;
    const char *says;
};

static void check(const struct refusal *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct parsed p;
        varve_status status = parse(&p, rows[i].header,
            strlen(rows[i].header), rows[i].data_size);
        cr_assert_eq(status, rows[i].status, "%s: %s: %s", rows[i].header,
            varve_status_name(status), p.error.message);
        cr_assert(strstr(p.error.message, rows[i].says), "%s: %s",
            rows[i].header, p.error.message);
        cr_assert_eq(strncmp(p.error.message, "file: ", 6), 0);
        clear(&p);
    }
}

#define CHECK(rows) check(rows, sizeof rows / sizeof *rows)

TEST(safetensors_header, refuses_numbers_that_are_not_sizes)
{
    static const struct refusal rows[] = {
        { "{" T("a", "U8", "[1e0]", 0, 1) "}", 1, VARVE_CORRUPT, "found 1e0" },
        { "{" T("a", "U8", "[1.0]", 0, 1) "}", 1, VARVE_CORRUPT, "found 1.0" },
        { "{" T("a", "U8", "[-1]", 0, 1) "}", 1, VARVE_CORRUPT, "found -1" },
        { "{" T("a", "U8", "[01]", 0, 1) "}", 1, VARVE_CORRUPT,
            "without leading zeros" },
        { "{" T("a", "U8", "[18446744073709551616]", 0, 1) "}", 1,
            VARVE_CORRUPT, "found 18446744073709551616" },
        { "{" T("a", "U8", "[1]", 0e0, 1) "}", 1, VARVE_CORRUPT, "found 0e0" },
        { "{" T("a", "U8", "[1]", 0.0, 1) "}", 1, VARVE_CORRUPT, "found 0.0" },
        { "{" T("a", "U8", "[1]", -0, 1) "}", 1, VARVE_CORRUPT, "found -0" },
        { "{" T("a", "U8", "[1]", 0, 01) "}", 1, VARVE_CORRUPT,
            "without leading zeros" },
        { "{" T("a", "U8", "[1]", 0, 99999999999999999999) "}", 1,
            VARVE_CORRUPT, "found 99999999999999999999" },
        { "{" T("a", "U8", "[\"1\"]", 0, 1) "}", 1, VARVE_CORRUPT,
            "found a string" },
    };
    CHECK(rows);
}

TEST(safetensors_header, refuses_ranges_that_do_not_tile_the_data)
{
    static const struct refusal rows[] = {
        { "{" T("a", "U8", "[1]", 1, 0) "}", 1, VARVE_CORRUPT,
            "\"a\": the data_offsets 1 and 0 are not in ascending order" },
        { "{" T("a", "U8", "[1]", 0, 1) "," T("b", "U8", "[1]", 2, 3) "}", 3,
            VARVE_CORRUPT, "\"b\": its data must begin at 1, where that of "
            "the tensor before it ends, but begins at 2: a gap" },
        { "{" T("a", "U8", "[1]", 1, 2) "}", 2, VARVE_CORRUPT, "a gap" },
        { "{" T("a", "U8", "[2]", 0, 2) "," T("b", "U8", "[2]", 1, 3) "}", 3,
            VARVE_CORRUPT, "\"b\": its data must begin at 2, where that of "
            "the tensor before it ends, but begins at 1: they overlap" },
        { "{" T("a", "U8", "[2]", 0, 2) "," T("b", "U8", "[2]", 0, 2) "}", 2,
            VARVE_CORRUPT, "they overlap" },
        { "{" T("a", "U8", "[2]", 0, 2) "," T("b", "U8", "[0]", 1, 1) "}", 2,
            VARVE_CORRUPT, "they overlap" },
        { "{" T("a", "U8", "[2]", 0, 2) "}", 1, VARVE_TRUNCATED,
            "\"a\": its data ends at 2, but the file has only 1 bytes "
            "of data" },
        { "{" T("a", "U8", "[1152921504606846976]", 0,
                1152921504606846976) "}", 1, VARVE_TRUNCATED,
            "has only 1 bytes of data" },
        { "{" T("a", "U8", "[1]", 18446744073709551614,
                18446744073709551615) "}", 1, VARVE_CORRUPT, "a gap" },
        { "{" T("a", "U8", "[1]", 0, 1) "}", 2, VARVE_CORRUPT,
            "the tensors have 1 bytes of data, but the file has 2" },
        { "{}", 1, VARVE_CORRUPT, "the tensors have 0 bytes of data" },
        { "{\"__metadata__\":{}}", 8, VARVE_CORRUPT,
            "the tensors have 0 bytes of data" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", 1,
            VARVE_CORRUPT, "expected two data_offsets, found 1" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}",
            1, VARVE_CORRUPT, "expected two data_offsets, found 3" },
    };
    CHECK(rows);
}

TEST(safetensors_header, refuses_sizes_that_differ_from_shapes)
{
    static const struct refusal rows[] = {
        { "{" T("a", "F32", "[2]", 0, 4) "}", 4, VARVE_CORRUPT,
            "its shape needs 8 bytes, but data_offsets span 4" },
        { "{" T("a", "F32", "[]", 0, 8) "}", 8, VARVE_CORRUPT,
            "its shape needs 4 bytes, but data_offsets span 8" },
        { "{" T("a", "F32", "[0]", 0, 4) "}", 4, VARVE_CORRUPT,
            "its shape needs 0 bytes" },
        { "{" T("a", "U8", "[18446744073709551615]", 0,
                18446744073709551615) "}", 1, VARVE_CORRUPT,
            "does not fit in 64 bits" },
        { "{" T("a", "U8", "[4294967296,4294967296]", 0, 0) "}", 0,
            VARVE_CORRUPT, "does not fit in 64 bits" },
        { "{" T("a", "U8", "[4294967296,4294967296,0]", 0, 0) "}", 0,
            VARVE_CORRUPT, "does not fit in 64 bits" },
        { "{" T("a", "F64", "[2305843009213693952]", 0, 0) "}", 0,
            VARVE_CORRUPT, "does not fit in 64 bits" },
        { "{" T("a", "F4", "[3]", 0, 1) "}", 1, VARVE_CORRUPT,
            "not a whole number of bytes" },
        { "{" T("a", "F6_E2M3", "[2]", 0, 1) "}", 1, VARVE_CORRUPT,
            "not a whole number of bytes" },
        { "{" T("a", "U8", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", 0, 1) "}", 1,
            VARVE_LIMIT, "more than 16 dimensions" },
    };
    CHECK(rows);
}

TEST(safetensors_header, refuses_incomplete_tensors)
{
    static const struct refusal rows[] = {
        { "{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, VARVE_CORRUPT,
            "\"a\": dtype is missing" },
        { "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1,
            VARVE_CORRUPT, "\"a\": shape is missing" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, VARVE_CORRUPT,
            "\"a\": data_offsets is missing" },
        { "{\"a\":{}}", 0, VARVE_CORRUPT, "is missing" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],"
          "\"x\":1}}", 1, VARVE_CORRUPT,
            "expected only dtype, shape and data_offsets, found \"x\"" },
        { "{" T("a", "F128", "[1]", 0, 16) "}", 16, VARVE_TOO_NEW,
            "\"a\": unknown dtype \"F128\"" },
        { "{" T("a", "f32", "[1]", 0, 4) "}", 4, VARVE_TOO_NEW, "\"f32\"" },
        { "{" T("a", "", "[1]", 0, 4) "}", 4, VARVE_TOO_NEW, "dtype \"\"" },
        { "{\"a\":{\"dtype\":8,\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
            VARVE_CORRUPT, "expected a string, found 8" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]}}", 1,
            VARVE_CORRUPT, "expected an array, found 1" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":null,\"data_offsets\":[0,1]}}",
            1, VARVE_CORRUPT, "expected an array, found null" },
        { "{\"a\":[]}", 0, VARVE_CORRUPT, "found an array" },
        { "{\"a\":null}", 0, VARVE_CORRUPT, "expected an object, found null" },
        { "{\"a\":\"b\"}", 0, VARVE_CORRUPT, "found a string" },
    };
    CHECK(rows);
}

TEST(safetensors_header, refuses_duplicate_keys)
{
    static const struct refusal rows[] = {
        { "{" T("a", "U8", "[1]", 0, 1) "," T("a", "U8", "[1]", 1, 2) "}", 2,
            VARVE_CORRUPT, "duplicate name" },
        { "{" T("a", "U8", "[1]", 0, 1) "," T("\\u0061", "U8", "[1]", 1, 2)
            "}", 2, VARVE_CORRUPT, "duplicate name" },
        { "{" T("a", "U8", "[0]", 0, 0) "," T("b", "U8", "[1]", 0, 1) ","
            T("a", "U8", "[0]", 1, 1) "}", 1, VARVE_CORRUPT, "duplicate name" },
        { "{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],"
          "\"data_offsets\":[0,1]}}", 1, VARVE_CORRUPT,
            "\"a\": duplicate dtype" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"shap\\u0065\":[1],"
          "\"data_offsets\":[0,1]}}", 1, VARVE_CORRUPT,
            "\"a\": duplicate shape" },
        { "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],"
          "\"data_offsets\":[0,1]}}", 1, VARVE_CORRUPT,
            "\"a\": duplicate data_offsets" },
        { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, VARVE_CORRUPT,
            "expected only one __metadata__, found another" },
        { "{\"__metadata__\":{},\"__metadat\\u0061__\":{}}", 0, VARVE_CORRUPT,
            "expected only one __metadata__, found another" },
        { "{\"__metadata__\":{\"k\":\"1\",\"k\":\"1\"}}", 0, VARVE_CORRUPT,
            "\"k\": duplicate name" },
        { "{\"__metadata__\":{\"k\":\"1\",\"j\":\"\",\"\\u006b\":\"2\"}}", 0,
            VARVE_CORRUPT, "duplicate name" },
    };
    CHECK(rows);
}

TEST(safetensors_header, refuses_metadata_that_is_not_an_object_of_strings)
{
    static const struct refusal rows[] = {
        { "{\"__metadata__\":[]}", 0, VARVE_CORRUPT, "found an array" },
        { "{\"__metadata__\":\"x\"}", 0, VARVE_CORRUPT, "found a string" },
        { "{\"__metadata__\":{\"a\":1}}", 0, VARVE_CORRUPT,
            "expected a string, found 1" },
        { "{\"__metadata__\":{\"a\":null}}", 0, VARVE_CORRUPT, "found null" },
        { "{\"__metadata__\":{\"a\":{}}}", 0, VARVE_CORRUPT,
            "found an object" },
    };
    CHECK(rows);
}

TEST(safetensors_header, refuses_text_that_is_not_one_object)
{
    static const struct refusal rows[] = {
        { "", 0, VARVE_CORRUPT, "found the end" },
        { "[]", 0, VARVE_CORRUPT, "expected an object, found an array" },
        { "{} {}", 0, VARVE_CORRUPT, "offset 11: expected the end, found '{'" },
        { "{}x", 0, VARVE_CORRUPT, "offset 10: expected the end, found 'x'" },
        { "{\"a", 0, VARVE_CORRUPT, "found the end" },
        { "{\"\xff\":{}}", 0, VARVE_CORRUPT, "UTF-8" },
        { "{\"__metadata__\":{\"a\":\"\xc3(\"}}", 0, VARVE_CORRUPT, "UTF-8" },
        { "{" T("a", "U8\xff", "[1]", 0, 1) "}", 1, VARVE_CORRUPT, "UTF-8" },
    };
    CHECK(rows);
    struct parsed p;
    cr_assert_eq(parse(&p, "{}\0", 3, 0), VARVE_CORRUPT);
    clear(&p);
}

TEST(safetensors_header, reports_the_tensor_with_a_syntax_error)
{
    static const struct refusal rows[] = {
        { "{\"w\":{\"dtype\":\"U8\",\"shape\":[1;", 1, VARVE_CORRUPT,
            "file: tensor \"w\": JSON at offset " },
        { "{\"w\":{\"dtype\":7}}", 1, VARVE_CORRUPT, "tensor \"w\": JSON" },
    };
    CHECK(rows);
}

TEST(safetensors_header, refuses_every_truncation)
{
    static const char header[] =
        "{\"__metadata__\":{\"a\":\"b\"}," T("b", "F32", "[2]", 0, 8) "}";
    struct parsed p;
    for (size_t size = 0; size < sizeof header - 1; size++) {
        cr_assert_eq(parse(&p, header, size, 8), VARVE_CORRUPT, "%zu", size);
        clear(&p);
    }
    cr_assert_ok(parse(&p, header, sizeof header - 1, 8), p.error);
    clear(&p);
}

TEST(safetensors_header, appends_to_existing_tensors)
{
    struct parsed p;
    static const char header[] = "{" T("a", "U8", "[1]", 0, 1)
        ",\"__metadata__\":{\"a\":\"b\"}}";
    cr_assert_ok(parse(&p, header, sizeof header - 1, 1), p.error);
    p.json.at = 0;
    cr_assert_ok(vv_safetensors_header(
        &p.json, 1, 4, &p.tensors, &p.texts), p.error);
    cr_assert_eq(p.tensors.size, 2 * sizeof(struct vv_safetensors_tensor));
    cr_assert_eq(p.texts.size, 2 * sizeof(struct vv_safetensors_text));
    cr_assert_eq(tensor_at(&p, 1)->file, 4);
    clear(&p);
}

TEST(safetensors_header, leaks_nothing_without_memory)
{
    static const char header[] = "{" T("a", "U8", "[1]", 0, 1)
        ",\"__metadata__\":{\"a\":\"b\"}}";
    for (long n = 0;; n++) {
        struct parsed p;
        test_fail_allocation(n, false);
        varve_status status = parse(&p, header, sizeof header - 1, 1);
        test_fail_allocation(-1, false);
        clear(&p);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
    }
}

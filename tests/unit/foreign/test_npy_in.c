/* test_npy_in.c - Tests parsing the headers of NumPy arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_in.h"

#include <string.h>

#include "support/test.h"
#include "arrays.h"

static bool read_type(const char *descr, struct vv_npy_header *h)
{
    *h = (struct vv_npy_header){ .descr = descr, .descr_size = strlen(descr) };
    return vv_npy_read_type(h);
}

TEST(npy_type, reads_every_numeric_type)
{
    static const struct {
        const char *descr;
        varve_dtype dtype;
        unsigned size;
    } cases[] = {
        { "|b1", VARVE_BOOL, 1 }, { "|i1", VARVE_INT8, 1 },
        { "<i2", VARVE_INT16, 2 }, { "<i4", VARVE_INT32, 4 },
        { "<i8", VARVE_INT64, 8 }, { "|u1", VARVE_UINT8, 1 },
        { "<u2", VARVE_UINT16, 2 }, { "<u4", VARVE_UINT32, 4 },
        { "<u8", VARVE_UINT64, 8 }, { "<f2", VARVE_FLOAT16, 2 },
        { "<f4", VARVE_FLOAT32, 4 }, { "<f8", VARVE_FLOAT64, 8 },
        { "<c8", VARVE_COMPLEX64, 8 }, { "<c16", VARVE_COMPLEX128, 16 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_npy_header h;
        cr_assert(read_type(cases[i].descr, &h), "%s", cases[i].descr);
        cr_assert_eq(h.kind, VV_NPY_NUMBERS);
        cr_assert_eq(h.type.dtype, cases[i].dtype, "%s", cases[i].descr);
        cr_assert_eq(h.item_size, cases[i].size);
        cr_assert(!h.is_big_endian);
        cr_assert_str_eq(vv_npy_type_of(cases[i].dtype), cases[i].descr);
    }
}

TEST(npy_type, reads_the_byte_order)
{
    struct vv_npy_header h;
    cr_assert(read_type(">f4", &h) && h.is_big_endian);
    cr_assert(read_type("=f4", &h) && !h.is_big_endian);
    cr_assert(read_type("f4", &h) && !h.is_big_endian);
    cr_assert(read_type("|f4", &h) && !h.is_big_endian);
}

TEST(npy_type, reads_string_types_and_their_sizes)
{
    struct vv_npy_header h;
    cr_assert(read_type("|S12", &h));
    cr_assert(h.kind == VV_NPY_BYTES && h.item_size == 12);
    cr_assert_eq(h.type.dtype, VARVE_STRING);
    cr_assert(read_type(">U12", &h));
    cr_assert(h.kind == VV_NPY_TEXT && h.item_size == 48 && h.is_big_endian);
    cr_assert(read_type("|S0", &h) && h.item_size == 0);
}

TEST(npy_type, reads_unsupported_types_as_bytes)
{
    static const char *const opaque[] = {
        "|V2", "V2", "<V2", "|V0", "<f16", "<f12", "<c32", "<M8[ns]", "<m8",
        ">M8[25us]", "<m8[D/3]",
    };
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        struct vv_npy_header h;
        cr_assert(read_type(opaque[i], &h), "%s", opaque[i]);
        cr_assert_eq(h.kind, VV_NPY_OPAQUE, "%s", opaque[i]);
        cr_assert_eq(h.type.dtype, 0);
    }
}

TEST(npy_type, refuses_invalid_types)
{
    static const char *const wrong[] = {
        "", "<", "f", "<f", "4", "<<f4", "<f4 ", "<f4[ns]", "<f-4", "<x4",
        "<M4[ns]", "<M8[ns", "<M8[]", "<M8ns]", "<M8[n s]", "<i3", "<b2",
        "|S2147483648", "|S99999999999999999999", "<M8[ns]x", "<i16",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct vv_npy_header h;
        cr_assert(!read_type(wrong[i], &h), "%s", wrong[i]);
    }
    struct vv_npy_header h = { .descr = "<\0" "4", .descr_size = 3 };
    cr_assert(!vv_npy_read_type(&h));
}

TEST(npy_type, recognizes_object_types_in_every_form)
{
    cr_assert(vv_npy_is_object("|O", 2));
    cr_assert(vv_npy_is_object("O", 1));
    cr_assert(vv_npy_is_object("|O8", 3));
    cr_assert(!vv_npy_is_object("", 0));
    cr_assert(!vv_npy_is_object("|", 1));
    cr_assert(!vv_npy_is_object("Of", 2));
    cr_assert(!vv_npy_is_object("<f4", 3));
}

TEST(npy_type, writes_types_that_numpy_lacks_as_raw_bytes)
{
    cr_assert_str_eq(vv_npy_type_of(VARVE_BFLOAT16), "<V2");
    cr_assert_str_eq(vv_npy_type_of(VARVE_FLOAT8_E4M3FN), "|V1");
    cr_assert_str_eq(vv_npy_type_of(VARVE_FLOAT8_E5M2), "|V1");
    cr_assert_null(vv_npy_type_of(VARVE_STRING));
}

/* Measures and parses an array without data. */
static varve_status parse(unsigned version, const char *text,
    struct vv_npy_header *h, varve_error *error)
{
    struct vv_buffer b = new_bytes();
    uint64_t size = 0;
    add_array(&b, version, text, "", 0);
    varve_status status = vv_npy_measure(b.data, "a.npy", &size, error);
    if (!status) {
        cr_assert_eq(size, b.size);
        status = vv_npy_parse(h, b.data, b.size, "a.npy", error);
    }
    vv_buffer_clear(&b);
    h->descr = NULL;
    return status;
}

TEST(npy_in, reads_headers_written_by_numpy)
{
    struct vv_npy_header h;
    varve_error error = { 0 };
    for (unsigned version = 1; version <= 3; version++) {
        cr_assert_ok(parse(version, DICTIONARY("<f4", "False", "(3, 4)"), &h,
            &error), error);
        cr_assert_eq(h.version, version);
        cr_assert(h.kind == VV_NPY_NUMBERS && h.type.dtype == VARVE_FLOAT32);
        cr_assert(h.type.rank == 2 && h.type.shape[0] == 3 &&
            h.type.shape[1] == 4 && h.count == 12 && h.size == 48);
        cr_assert(!h.is_fortran && vv_npy_is_plain(&h));
    }
}

TEST(npy_in, accepts_every_form_of_a_literal)
{
    static const struct {
        const char *text;
        uint32_t rank;
        bool is_fortran;
    } cases[] = {
        { "{'descr':'<i4','fortran_order':False,'shape':()}", 0, false },
        { "{'shape': (1,), 'fortran_order': True, 'descr': '<i4'}", 1, true },
        { "{\"descr\": \"<i4\", \"fortran_order\": False, \"shape\": (1,2)}\n",
            2, false },
        { " { 'descr' : '<i4' , 'fortran_order' : False , 'shape' : ( 1 , ) , "
          "} \n", 1, false },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (10L, 3L), }", 2,
            false },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 4,), }", 2,
            false },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': "
          "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", 16, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_npy_header h;
        varve_error error = { 0 };
        cr_assert_ok(parse(1, cases[i].text, &h, &error), error);
        cr_assert_eq(h.type.rank, cases[i].rank, "%s", cases[i].text);
        cr_assert_eq(h.is_fortran, cases[i].is_fortran);
    }
}

#define WITH_SHAPE(shape) DICTIONARY("<f4", "False", shape)
#define LIST(list)                                                             \
    "{'descr': " list ", 'fortran_order': False, 'shape': (2,)}"

static const struct {
    const char *text, *says;
    varve_status status;
} wrong_texts[] = {
    { "  ", "a dictionary, found the end", VARVE_CORRUPT },
    { "[]", "a dictionary, found '['", VARVE_CORRUPT },
    { "{}", "descr, fortran_order and shape, found '}'", VARVE_CORRUPT },
    { "{,}", "a string, found ','", VARVE_CORRUPT },
    { "{'descr': '<f4', 'fortran_order': False}", "and shape",
        VARVE_CORRUPT },
    { "{'descr': '<f4', 'shape': (1,)}", "fortran_order and",
        VARVE_CORRUPT },
    { "{'shape': (1,), 'fortran_order': False}", "descr,", VARVE_CORRUPT },
    { "{'shape': (1,), 'shape': (1,)}", "each key only once", VARVE_CORRUPT },
    { "{'shapes': (1,)}", "descr, fortran_order or shape", VARVE_CORRUPT },
    { "{'shape' (1,)}", "a colon", VARVE_CORRUPT },
    { "{'shape': (1,) 'descr': '<f4'}", "a comma", VARVE_CORRUPT },
    { "{'shape': [1]}", "a tuple", VARVE_CORRUPT },
    { "{'shape': (1,)", "end", VARVE_CORRUPT },
    { "{'shape", "the end of the string, found the end", VARVE_CORRUPT },
    { "{'sh\\ape': 1}", "the end of the string", VARVE_CORRUPT },
    { "{'descr': '<x9'}", "a type such as <f4, found '<'", VARVE_CORRUPT },
    { "{'descr': <f4}", "a string", VARVE_CORRUPT },
    { "{'fortran_order': true}", "True or False, found 't'",
        VARVE_CORRUPT },
    { "{'fortran_order': 1}", "True or False", VARVE_CORRUPT },
    { WITH_SHAPE("(1)"), "a tuple of one number, (N,)", VARVE_CORRUPT },
    { WITH_SHAPE("(,)"), "a 64-bit number", VARVE_CORRUPT },
    { WITH_SHAPE("(1 2)"), "a comma, found '2'", VARVE_CORRUPT },
    { WITH_SHAPE("(-1,)"), "a 64-bit number, found '-'",
        VARVE_CORRUPT },
    { WITH_SHAPE("(01,)"), "a 64-bit number", VARVE_CORRUPT },
    { WITH_SHAPE("(1.,)"), "a comma", VARVE_CORRUPT },
    { WITH_SHAPE("(18446744073709551616,)"), "a 64-bit number",
        VARVE_CORRUPT },
    { WITH_SHAPE("(4294967296, 4294967296)"), "does not fit in 64 bits",
        VARVE_CORRUPT },
    { WITH_SHAPE("(9223372036854775808,)"), "does not fit in 64 bits",
        VARVE_CORRUPT },
    { WITH_SHAPE("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
        "more than 16 dimensions", VARVE_LIMIT },
    { WITH_SHAPE("(1,)") "x", "spaces, found 'x'", VARVE_CORRUPT },
    { LIST("[('a', '<f4']"), "the matching bracket", VARVE_CORRUPT },
    { LIST("[('a', '<f4')"), "a list", VARVE_CORRUPT },
    { LIST("[('a', x)]"), "a list, found 'x'", VARVE_CORRUPT },
    { "{'descr': [('a'", "the end of the list", VARVE_CORRUPT },
    { "{'descr': [('a\\", "the end of the string", VARVE_CORRUPT },
    { DICTIONARY("|O", "False", "(1,)"), "saved with pickle: save it again "
        "with allow_pickle=False", VARVE_NOT_A_CHECKPOINT },
    { LIST("[('a', '<f4'), ('b', '|O')]"), "pickle", VARVE_NOT_A_CHECKPOINT },
    { LIST("[('a', [('b', 'O', (2,))])]"), "pickle", VARVE_NOT_A_CHECKPOINT },
};

TEST(npy_in, refuses_every_other_text)
{
    for (size_t i = 0; i < sizeof wrong_texts / sizeof *wrong_texts; i++) {
        struct vv_npy_header h;
        varve_error error = { 0 };
        varve_status status = parse(1, wrong_texts[i].text, &h, &error);
        cr_assert_eq(status, wrong_texts[i].status, "%s: %s",
            wrong_texts[i].text,
            error.message);
        cr_assert(strstr(error.message, wrong_texts[i].says), "%s: %s",
            wrong_texts[i].text, error.message);
        cr_assert_eq(strncmp(error.message, "a.npy: ", 7), 0);
        cr_assert_null(strchr(error.message, '\n'));
    }
}

TEST(npy_in, refuses_every_truncated_header)
{
    char text[] = "{'descr': [('a', '<f4'), ('b', [('c', '|S3', (2,))])], "
        "'fortran_order': False, 'shape': (3, 4)}";
    struct vv_npy_header h;
    varve_error error = { 0 };
    cr_assert_ok(parse(1, text, &h, &error), error);
    for (size_t size = sizeof text - 2; size >= 2; size--) {
        text[size] = 0;
        cr_assert_eq(parse(1, text, &h, &error), VARVE_CORRUPT, "%s", text);
    }
}

TEST(npy_in, refuses_brackets_without_end_and_without_recursion)
{
    char text[40000] = "{'descr': ";
    struct vv_npy_header h;
    varve_error error = { 0 };
    memset(text + 10, '[', sizeof text - 11);
    cr_assert_eq(parse(1, text, &h, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "fewer nested brackets"), "%s",
        error.message);
}

TEST(npy_in, checks_magic_version_and_length)
{
    static const struct {
        const char *head, *says;
        varve_status status;
    } cases[] = {
        { "\x93NUMPX\1\0\6\0\0\0", "not a NumPy array",
            VARVE_NOT_A_CHECKPOINT },
        { "\x93NUMPY\0\0\6\0\0\0", "found 0.0", VARVE_TOO_NEW },
        { "\x93NUMPY\4\0\6\0\0\0", "found 4.0", VARVE_TOO_NEW },
        { "\x93NUMPY\1\1\6\0\0\0", "found 1.1", VARVE_TOO_NEW },
        { "\x93NUMPY\2\0\1\0\1\0", "limit is 65536 bytes, it has 65537",
            VARVE_LIMIT },
        { "\x93NUMPY\1\0\1\0\0\0", "found only 1 bytes", VARVE_CORRUPT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t size;
        varve_error error = { 0 };
        cr_assert_eq(vv_npy_measure((const unsigned char *)cases[i].head, "x",
            &size, &error), cases[i].status, "%s", error.message);
        cr_assert(strstr(error.message, cases[i].says), "%s", error.message);
    }
    uint64_t size;
    cr_assert_eq(vv_npy_measure((const unsigned char *)
        "\x93NUMPY\3\0\0\0\1\0", "x", &size, NULL), VARVE_OK);
    cr_assert_eq(size, VV_NPY_LONGEST);
}

TEST(npy_in, requires_utf8_only_in_version_3)
{
    struct vv_npy_header h;
    varve_error error = { 0 };
    const char *text = LIST("[('\xfc', '<f4')]");
    cr_assert_eq(parse(3, text, &h, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "UTF-8"), "%s", error.message);
    cr_assert_ok(parse(1, text, &h, &error), error);
    cr_assert_ok(parse(3, LIST("[('\xc3\xbc', '<f4')]"), &h, &error), error);
}

TEST(npy_in, compares_the_size_with_the_header)
{
    struct vv_npy_header h;
    varve_error error = { 0 };
    cr_assert_ok(parse(1, WITH_SHAPE("(3,)"), &h, &error), error);
    cr_assert_eq(vv_npy_take_size(&h, 12, "x", &error), VARVE_OK);
    cr_assert_eq(vv_npy_take_size(&h, 11, "x", &error), VARVE_TRUNCATED);
    cr_assert_eq(vv_npy_take_size(&h, 13, "x", &error), VARVE_CORRUPT);
    cr_assert_ok(parse(1, LIST("[('a', '<f4')]"), &h, &error), error);
    cr_assert_eq(vv_npy_take_size(&h, 7, "x", &error), VARVE_CORRUPT);
    cr_assert_eq(vv_npy_take_size(&h, 8, "x", &error), VARVE_OK);
    cr_assert(h.size == 8 && h.item_size == 4);
    cr_assert_ok(parse(1, DICTIONARY("|S0", "False", "(70000,)"), &h, &error),
        error);
    cr_assert_eq(vv_npy_take_size(&h, 0, "x", &error), VARVE_LIMIT);
}

TEST(npy_in, recognizes_arrays_with_the_layout_of_varve)
{
    static const struct {
        const char *text;
        bool is_plain;
    } cases[] = {
        { DICTIONARY("<f4", "False", "(2, 3)"), true },
        { DICTIONARY(">f4", "False", "(2, 3)"), false },
        { DICTIONARY(">u1", "False", "(2, 3)"), true },
        { DICTIONARY("<f4", "True", "(2, 3)"), false },
        { DICTIONARY("|u1", "True", "(2, 3)"), false },
        { DICTIONARY("<f4", "True", "(3,)"), true },
        { DICTIONARY("<f4", "True", "(1, 3, 1)"), true },
        { DICTIONARY("<f4", "True", "(2, 0, 3)"), true },
        { DICTIONARY("<f4", "True", "()"), true },
        { DICTIONARY("|S3", "False", "(2,)"), false },
        { DICTIONARY("<U3", "False", "(2,)"), false },
        { DICTIONARY(">V2", "True", "(2, 3)"), true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_npy_header h;
        varve_error error = { 0 };
        cr_assert_ok(parse(1, cases[i].text, &h, &error), error);
        cr_assert_eq(vv_npy_is_plain(&h), cases[i].is_plain, "%s",
            cases[i].text);
    }
}

TEST(npy_in, tags_opaque_bytes_with_their_type)
{
    static const struct {
        const char *descr, *tag;
        unsigned version;
        bool is_structured;
    } cases[] = {
        { "<V2", "numpy:V2", 1, false }, { "|V2", "numpy:V2", 1, false },
        { "V2", "numpy:V2", 1, false },
        { "<M8[ns]", "numpy:<M8[ns]", 1, false },
        { "[('\xfc', '<f4')]", "numpy:[('\xc3\xbc', '<f4')]", 1, true },
        { "[('\xc3\xbc', '<f4')]", "numpy:[('\xc3\xbc', '<f4')]", 3, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_buffer tag = new_bytes();
        struct vv_npy_header h = {
            .kind = VV_NPY_OPAQUE, .version = cases[i].version,
            .is_structured = cases[i].is_structured,
            .descr = cases[i].descr, .descr_size = strlen(cases[i].descr),
        };
        vv_npy_tag(&h, &tag);
        cr_assert_str_eq(vv_buffer_string(&tag), cases[i].tag);
        tag.size = 0;
        h.descr_size = 5000;
        vv_npy_tag(&h, &tag);
        cr_assert_str_eq(vv_buffer_string(&tag), "numpy:[...]");
        vv_buffer_clear(&tag);
    }
}

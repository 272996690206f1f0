/* test_torch_python_array.c - Tests NumPy arrays in pickles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_python.h"
#include "torch_sample.h"

static void put_type(struct vv_buffer *b, const char *type, const char *order)
{
    put_global(b, "numpy", "dtype");
    put_text(b, type);
    OP(b, "\x89\x88\x87R(K\3");
    put_text(b, order);
    OP(b, "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb");
}

/* Adds an array of 2 rows and 3 columns as in protocol 3. */
static void put_array(struct vv_buffer *b, const char *type, const char *order,
    bool is_fortran, const char *bytes, uint8_t size)
{
    put_global(b, "numpy.core.multiarray", "_reconstruct");
    put_global(b, "numpy", "ndarray");
    OP(b, "K\0\x85" "C\1b\x87R(K\1K\2K\3\x86");
    put_type(b, type, order);
    OP(b, "\x89");
    b->data[b->size - 1] = is_fortran ? 0x88 : 0x89;
    OP(b, "C");
    vv_buffer_add8(b, size);
    vv_buffer_add(b, bytes, size);
    OP(b, "tb.");
}

/* Asserts the elements of an array, or that it is not supported. */
static void check(struct vv_buffer *b, const char *text, const void *expected,
    size_t size)
{
    char found[VARVE_TENSOR_TEXT_SIZE];
    struct vv_torch_array array;
    struct vv_buffer bytes = new_bytes();
    struct vv_pickle p = read_pickle(b);
    bool is_one = vv_torch_array(&p, p.root, &array) &&
                  vv_torch_array_add(&p, &array, &bytes);
    cr_assert_eq(is_one, text != NULL);
    if (is_one)
        cr_assert_str_eq(varve_tensor_text(&array.type, found), text);
    cr_assert_eq(bytes.size, size);
    cr_assert_eq(memcmp(bytes.data ? bytes.data : (const void *)"", expected,
        size), 0);
    vv_pickle_clear(&p);
    vv_buffer_clear(&bytes);
    vv_buffer_clear(b);
}

TEST(torch_array, has_elements_row_by_row)
{
    struct vv_buffer b = new_bytes();
    put_array(&b, "i1", "|", false, "abcdef", 6);
    check(&b, "int8[2,3]", "abcdef", 6);
    b = new_bytes();
    put_array(&b, "i1", "|", true, "adbecf", 6);
    check(&b, "int8[2,3]", "abcdef", 6);
    b = new_bytes();
    put_array(&b, "u2", ">", false, "badcfehgjilk", 12);
    check(&b, "uint16[2,3]", "abcdefghijkl", 12);
}

TEST(torch_array, requires_a_supported_type_and_its_bytes)
{
    struct vv_buffer b = new_bytes();
    put_array(&b, "i1", "|", false, "abcde", 5);
    check(&b, NULL, "", 0);
    b = new_bytes();
    put_array(&b, "O8", "|", false, "abcdef", 6);
    check(&b, NULL, "", 0);
    b = new_bytes();
    put_text(&b, "text");
    OP(&b, ".");
    check(&b, NULL, "", 0);
}

/* Adds data as in protocol 2, possibly with one character too many or too
 * few. */
static void put_encoded(struct vv_buffer *b, const char *text, uint8_t size)
{
    put_global(b, "numpy._core.multiarray", "_reconstruct");
    put_global(b, "numpy", "ndarray");
    OP(b, "K\0\x85" "C\1b\x87R(K\1K\2\x85");
    put_type(b, "u1", "|");
    OP(b, "\x89");
    put_global(b, "_codecs", "encode");
    OP(b, "X");
    vv_buffer_add32(b, size);
    vv_buffer_add(b, text, size);
    put_text(b, "latin1");
    OP(b, "\x86Rtb.");
}

TEST(torch_array, decodes_encoded_bytes)
{
    struct vv_buffer b = new_bytes();
    put_encoded(&b, "a\xc3\xbf", 3);
    check(&b, "uint8[2]", "a\xff", 2);
    b = new_bytes();
    put_encoded(&b, "abc", 3);
    check(&b, NULL, "", 0);
    b = new_bytes();
    put_encoded(&b, "\xc3\xbf", 2);
    check(&b, NULL, "", 0);
    b = new_bytes();
    put_encoded(&b, "a\xc4\x80", 3); /* 256 */
    check(&b, NULL, "", 0);
}

/* As in protocol 5. */
TEST(torch_array, can_be_a_buffer)
{
    struct vv_buffer b = new_bytes();
    put_global(&b, "numpy._core.numeric", "_frombuffer");
    OP(&b, "(C\2ab");
    put_type(&b, "i1", "|");
    OP(&b, "K\2\x85");
    put_text(&b, "C");
    OP(&b, "tR.");
    check(&b, "int8[2]", "ab", 2);
}

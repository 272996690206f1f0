/* test_torch_python.c - Tests Python functions and classes in pickles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_python.h"
#include "torch_sample.h"

static void put_encoded(struct vv_buffer *b, const char *text, size_t size)
{
    put_global(b, "_codecs", "encode");
    OP(b, "X");
    vv_buffer_add32(b, (uint32_t)size);
    vv_buffer_add(b, text, size);
    put_text(b, "latin1");
    OP(b, "\x86R");
}

static void put_type(struct vv_buffer *b, const char *type, const char *order)
{
    put_global(b, "numpy", "dtype");
    put_text(b, type);
    OP(b, "\x89\x88\x87R(K\3");
    put_text(b, order);
    OP(b, "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb");
}

TEST(torch_python, decodes_encoded_bytes_and_texts)
{
    unsigned char bytes[VV_TORCH_MOST_BYTES];
    size_t size;
    struct vv_buffer b = new_bytes();
    OP(&b, "(C\2a\xff");
    put_encoded(&b, "a\xc3\xbf\0\xc2\x80", 6);
    put_encoded(&b, "", 0);
    put_encoded(&b, "\xc4\x80", 2); /* 256 */
    put_encoded(&b, "\xc3", 1);
    put_text(&b, "text");
    put_global(&b, "_codecs", "encode");
    put_text(&b, "text");
    put_text(&b, "utf-8");
    OP(&b, "\x86R");
    put_global(&b, "_codecs", "decode");
    put_text(&b, "text");
    put_text(&b, "latin1");
    OP(&b, "\x86Rt.");
    struct vv_pickle p = read_pickle(&b);
    cr_assert(vv_torch_bytes(&p, vv_pickle_nth(&p, p.root, 0), bytes, &size));
    cr_assert_eq(size, 2);
    cr_assert_eq(memcmp(bytes, "a\xff", 2), 0);
    cr_assert(vv_torch_bytes(&p, vv_pickle_nth(&p, p.root, 1), bytes, &size));
    cr_assert_eq(size, 4);
    cr_assert_eq(memcmp(bytes, "a\xff\0\x80", 4), 0);
    cr_assert(vv_torch_bytes(&p, vv_pickle_nth(&p, p.root, 2), bytes, &size));
    cr_assert_eq(size, 0);
    for (unsigned i = 3; i < 8; i++)
        cr_assert_not(vv_torch_bytes(
            &p, vv_pickle_nth(&p, p.root, i), bytes, &size), "%u", i);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

TEST(torch_python, limits_the_number_of_bytes)
{
    unsigned char bytes[VV_TORCH_MOST_BYTES];
    char text[2 * VV_TORCH_MOST_BYTES];
    size_t size;
    struct vv_buffer b = new_bytes();
    memset(text, 'x', sizeof text);
    OP(&b, "(");
    put_encoded(&b, text, VV_TORCH_MOST_BYTES);
    put_encoded(&b, text, VV_TORCH_MOST_BYTES + 1);
    put_encoded(&b, text, sizeof text);
    OP(&b, "B");
    vv_buffer_add32(&b, VV_TORCH_MOST_BYTES + 1);
    vv_buffer_add(&b, text, VV_TORCH_MOST_BYTES + 1);
    OP(&b, "t.");
    struct vv_pickle p = read_pickle(&b);
    for (unsigned i = 0; i < 4; i++)
        cr_assert_eq(vv_torch_bytes(&p, vv_pickle_nth(&p, p.root, i), bytes,
            &size), i == 0, "%u", i);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

TEST(torch_python, reads_numpy_scalars)
{
    static const struct {
        const char *module, *type, *order, *bytes;
        size_t size;
        varve_dtype dtype;
        uint64_t bits;
    } cases[] = {
        { "numpy.core.multiarray", "f4", "<", "\0\0\xc2\x80?", 5,
            VARVE_FLOAT32, 0x3f800000 },
        { "numpy._core.multiarray", "i2", "<", "\2\1", 2, VARVE_INT16, 0x102 },
        { "numpy._core.multiarray", "b1", "|", "\1", 1, VARVE_BOOL, 1 },
        { "numpy._core.multiarray", "i2", ">", "\2\1", 2, 0, 0 },
        { "numpy._core.multiarray", "i4", "<", "\2\1", 2, 0, 0 },
        { "numpy._core.multiarray", "S2", "|", "\2\1", 2, 0, 0 },
        { "numpy", "i2", "<", "\2\1", 2, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_dtype dtype = 0;
        uint64_t bits = 0;
        struct vv_buffer b = new_bytes();
        put_global(&b, cases[i].module, "scalar");
        put_type(&b, cases[i].type, cases[i].order);
        put_encoded(&b, cases[i].bytes, cases[i].size);
        OP(&b, "\x86R.");
        struct vv_pickle p = read_pickle(&b);
        cr_assert_eq(vv_torch_numpy(&p, p.root, &dtype, &bits),
            cases[i].dtype != 0, "%zu", i);
        if (cases[i].dtype) {
            cr_assert_eq(dtype, cases[i].dtype);
            cr_assert_eq(bits, cases[i].bits);
        }
        vv_pickle_clear(&p);
        vv_buffer_clear(&b);
    }
}

TEST(torch_python, converts_objects_to_values)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    put_global(&b, "numpy.core.multiarray", "scalar");
    put_type(&b, "i2", "<");
    put_encoded(&b, "\2\1", 2);
    OP(&b, "\x86R");
    put_encoded(&b, "a\xc3\xbf", 3);
    OP(&b, "t.");
    struct vv_buffer file = new_torch(&b, NULL);
    varve_reader *r = open_bytes(&w, "a.pt", &file, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "0", "int16[]", "\2\1", 2);
    check_value(r, "1", "string[]", "\2\0\0\0\0\0\0\0a\xff", 10);
    varve_reader_free(r);
    vv_buffer_clear(&file);
    b.size = 0;
    put_encoded(&b, "a\xc3\xbf", 3);
    OP(&b, ".");
    file = new_torch(&b, NULL);
    r = open_bytes(&w, "b.pt", &file, &error);
    check_value(r, "value", "string[]", "\2\0\0\0\0\0\0\0a\xff", 10);
    varve_reader_free(r);
    vv_buffer_clear(&file);
    vv_buffer_clear(&b);
    world_free(&w);
}

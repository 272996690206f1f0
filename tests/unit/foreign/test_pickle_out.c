/* test_pickle_out.c - Tests writing pickles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "pickle_out.h"
#include "torch_sample.h"

static struct vv_pickle read_again(struct vv_pickle_out *out)
{
    vv_pickle_out_end(out);
    cr_assert_not(out->bytes.failed);
    return read_pickle(&out->bytes);
}

TEST(pickle_out, has_integers_of_every_size)
{
    static const int64_t all[] = { 0, 255, 256, 65535, 65536, -1, INT32_MAX,
        INT32_MIN, (int64_t)INT32_MAX + 1, (int64_t)INT32_MIN - 1, INT64_MAX,
        INT64_MIN };
    enum { COUNT = sizeof all / sizeof *all };
    struct vv_pickle_out out;
    vv_pickle_out_begin(&out, test_allocator());
    vv_pickle_out_op(&out, VV_OP_MARK);
    for (size_t i = 0; i < COUNT; i++)
        vv_pickle_out_integer(&out, all[i]);
    vv_pickle_out_unsigned(&out, UINT64_MAX);
    vv_pickle_out_op(&out, VV_OP_TUPLE);
    struct vv_pickle p = read_again(&out);
    for (unsigned i = 0; i < COUNT; i++) {
        const struct vv_pickle_item *item =
            vv_pickle_item(&p, vv_pickle_nth(&p, p.root, i));
        cr_assert_eq(item->kind, VV_PICKLE_INTEGER);
        cr_assert_eq(vv_pickle_integer(item), all[i], "%u", i);
    }
    const struct vv_pickle_item *large =
        vv_pickle_item(&p, vv_pickle_nth(&p, p.root, COUNT));
    cr_assert_eq(large->kind, VV_PICKLE_LONG);
    cr_assert_eq(large->b, 9);
    vv_pickle_clear(&p);
    vv_pickle_out_clear(&out);
}

TEST(pickle_out, memoizes_repeated_objects)
{
    struct vv_pickle_out out;
    vv_pickle_out_begin(&out, test_allocator());
    vv_pickle_out_op(&out, VV_OP_MARK);
    for (uint32_t i = 0; i < 300; i++) {
        vv_pickle_out_text(&out, "x", 1);
        cr_assert_eq(vv_pickle_out_note(&out), i);
    }
    vv_pickle_out_noted(&out, 299);
    vv_pickle_out_global(&out, "torch", "float32");
    size_t size = out.bytes.size;
    vv_pickle_out_global(&out, "torch", "float32");
    cr_assert_eq(out.bytes.size - size, 5, "it is taken from the memo");
    vv_pickle_out_real(&out, UINT64_C(0x3fe0000000000000));
    vv_pickle_out_op(&out, VV_OP_TUPLE);
    struct vv_pickle p = read_again(&out);
    cr_assert_eq(vv_pickle_nth(&p, p.root, 299), vv_pickle_nth(&p, p.root,
        300));
    cr_assert_eq(vv_pickle_nth(&p, p.root, 301), vv_pickle_nth(&p, p.root,
        302));
    cr_assert(vv_pickle_is_global(
        &p, vv_pickle_nth(&p, p.root, 302), "torch", "float32"));
    cr_assert_eq(vv_pickle_real(
        vv_pickle_item(&p, vv_pickle_nth(&p, p.root, 303))), 0.5);
    vv_pickle_clear(&p);
    vv_pickle_out_clear(&out);
}

TEST(pickle_out, has_bytes_as_latin_1)
{
    static const char wanted[] = "c_codecs\nencode\nq\0(X\5\0\0\0a\xc2\x80\xc3"
        "\xbfX\6\0\0\0latin1q\1tR";
    struct vv_pickle_out out;
    vv_pickle_out_begin(&out, test_allocator());
    vv_pickle_out_bytes(&out, (const unsigned char *)"a\x80\xff", 3);
    cr_assert_eq(out.bytes.size, 2 + sizeof wanted - 1);
    cr_assert_eq(memcmp(out.bytes.data + 2, wanted, sizeof wanted - 1), 0);
    vv_pickle_out_clear(&out);
}

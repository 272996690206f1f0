/* test_torch_kept.c - Tests the data that is kept for writing torch files
 * again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_kept.h"

#include <stdio.h>

#include "support/test.h"
#include "checksum.h"
#include "torch_sample.h"

TEST(torch_kept, returns_kinds_order_and_none_entries)
{
    static const struct torch_names {
        struct vv_torch_name name;
        enum vv_pickle_kind kind;
        bool is_none;
    } all[] = { { { "b", 1 }, VV_PICKLE_TEXT, false },
        { { "7", 1 }, VV_PICKLE_INTEGER, true },
        { { "a", 1 }, VV_PICKLE_TEXT, true } };
    struct vv_buffer kept = new_bytes();
    struct vv_torch_kept_key key;
    char large[100] = { 0 };
    struct vv_torch_name name = { large, sizeof large };
    vv_torch_kept_begin(&kept, VV_TORCH_WAS_ORDERED);
    for (size_t i = 0; i < 3; i++)
        vv_torch_kept_add(&kept, all[i].kind, &all[i].name, all[i].is_none);
    vv_torch_kept_add(&kept, VV_PICKLE_TEXT, &name, true);
    cr_assert_eq(vv_torch_kept_was(kept.data, kept.size),
        VV_TORCH_WAS_ORDERED);
    size_t at = 1;
    for (size_t i = 0; i < 3; i++) {
        cr_assert(vv_torch_kept_next(kept.data, kept.size, &at, &key));
        cr_assert_eq(key.kind, all[i].kind);
        cr_assert_eq(key.is_none, all[i].is_none);
        if (key.is_none)
            cr_assert_eq(memcmp(key.name, all[i].name.bytes, 1), 0);
        else
            cr_assert_eq(key.hash, vv_hash_of("b", 1));
    }
    cr_assert_not(vv_torch_kept_next(kept.data, kept.size, &at, &key),
        "the long name of None takes nothing");
    vv_buffer_clear(&kept);
}

TEST(torch_kept, classifies_items)
{
    static const enum vv_torch_was wanted[] = { VV_TORCH_WAS_NUMBER,
        VV_TORCH_WAS_NUMBER, VV_TORCH_WAS_DICT, VV_TORCH_WAS_LIST,
        VV_TORCH_WAS_TUPLE, VV_TORCH_WAS_LONG, VV_TORCH_WAS_ORDERED };
    struct vv_buffer b = new_bytes();
    OP(&b, "(K\1\x88}])\x8a\x09\0\0\0\0\0\0\0\0\1"
           "ccollections\nOrderedDict\n)Rt.");
    struct vv_pickle p = read_pickle(&b);
    for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++)
        cr_assert_eq(vv_torch_was(&p, vv_pickle_nth(&p, p.root, i)), wanted[i],
            "%u", i);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

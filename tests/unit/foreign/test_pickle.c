/* test_pickle.c - Tests access to the items of a pickle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "pickle.h"
#include "torch_sample.h"

TEST(pickle, tells_members_by_index)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "\x80\x02(K\x07K\x08t.");
    struct vv_pickle p = read_pickle(&b);
    cr_assert_eq(
        vv_pickle_integer(vv_pickle_item(&p, vv_pickle_nth(&p, p.root, 1))), 8);
    cr_assert_eq(vv_pickle_nth(&p, p.root, 2), VV_PICKLE_THE_NONE);
    cr_assert_eq(vv_pickle_nth(&p, VV_PICKLE_THE_TRUE, 0), VV_PICKLE_THE_NONE);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

TEST(pickle, tells_values_by_their_last_key)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "\x80\x02}(");
    put_text(&b, "a");
    OP(&b, "K\x01");
    put_text(&b, "b");
    OP(&b, "K\x02");
    put_text(&b, "a");
    OP(&b, "K\x03u.");
    struct vv_pickle p = read_pickle(&b);
    uint32_t found = vv_pickle_look_up(&p, p.root, "a");
    cr_assert_eq(vv_pickle_integer(vv_pickle_item(&p, found)), 3);
    cr_assert_eq(vv_pickle_look_up(&p, p.root, "ab"), VV_PICKLE_THE_NONE);
    cr_assert_eq(vv_pickle_look_up(&p, found, "a"), VV_PICKLE_THE_NONE);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

TEST(pickle, knows_texts_and_globals)
{
    struct vv_buffer b = new_bytes();
    put_global(&b, "torch", "Size");
    OP(&b, ".");
    struct vv_pickle p = read_pickle(&b);
    cr_assert(vv_pickle_is_global(&p, p.root, "torch", "Size"));
    cr_assert_not(vv_pickle_is_global(&p, p.root, "torch", "Siz"));
    cr_assert_not(vv_pickle_is_global(&p, p.root, "torc", "Size"));
    cr_assert_not(vv_pickle_is_global(&p, VV_PICKLE_THE_NONE, "", ""));
    cr_assert_not(vv_pickle_is_text(&p, p.root, "Size"));
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

TEST(pickle, has_keys_in_dicts_and_in_what_is_made_of_them)
{
    struct vv_buffer b = new_bytes();
    OP(&b, "(");
    put_global(&b, "collections", "OrderedDict");
    OP(&b, ")R");
    put_global(&b, "m", "Other");
    OP(&b, ")RK\x01K\x02s");
    put_global(&b, "m", "Other");
    OP(&b, ")R]}t.");
    struct vv_pickle p = read_pickle(&b);
    static const bool expected[] = { true, true, false, false, true };
    for (unsigned i = 0; i < 5; i++)
        cr_assert_eq(vv_pickle_has_keys(&p, vv_pickle_nth(&p, p.root, i)),
            expected[i], "%u", i);
    vv_pickle_clear(&p);
    vv_buffer_clear(&b);
}

/* test_pickle.c - Tests access to the items of a pickle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pickle.h"

#include <stdio.h>

#include "support/test.h"
#include "torch_sample.h"

TEST(pickle, returns_members_by_index)
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

TEST(pickle, returns_values_by_their_last_key)
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

TEST(pickle, recognizes_texts_and_globals)
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

TEST(pickle, has_keys_in_dicts_and_objects_built_from_them)
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

struct made {
    struct vv_pickle p;
    struct vv_machine m;
    varve_error error;
};

static void begin(struct made *t)
{
    static const struct vv_pickle_item none = { .kind = VV_PICKLE_NONE };
    static const struct vv_pickle_link nothing = { 0 };
    *t = (struct made){
        .p = { .bytes = (const unsigned char *)"\1\2\3\4", .size = 4 }
    };
    t->m = (struct vv_machine){ .p = &t->p, .where = "a", .error = &t->error };
    vv_buffer_init(&t->p.items, test_allocator());
    vv_buffer_init(&t->p.links, test_allocator());
    vv_buffer_init(&t->m.stack, test_allocator());
    vv_buffer_init(&t->m.marks, test_allocator());
    vv_buffer_init(&t->m.memo, test_allocator());
    vv_buffer_add(&t->p.items, &none, sizeof none);
    vv_buffer_add(&t->p.links, &nothing, sizeof nothing);
}

static void end(struct made *t)
{
    vv_pickle_clear(&t->p);
    vv_buffer_clear(&t->m.stack);
    vv_buffer_clear(&t->m.marks);
    vv_buffer_clear(&t->m.memo);
}

TEST(pickle_machine, reads_bytes_and_numbers_up_to_the_end)
{
    struct made t;
    uint64_t number;
    const unsigned char *bytes;
    begin(&t);
    cr_assert_eq(vv_machine_take_number(&t.m, 3, &number), VARVE_OK);
    cr_assert_eq(number, 0x030201);
    cr_assert_eq(vv_machine_take(&t.m, 2, &bytes), VARVE_TRUNCATED);
    cr_assert_eq(vv_machine_take(&t.m, UINT64_MAX, &bytes), VARVE_TRUNCATED);
    cr_assert_eq(vv_machine_take(&t.m, 1, &bytes), VARVE_OK);
    cr_assert_eq(*bytes, 4);
    end(&t);
}

TEST(pickle_machine, returns_the_items_above_the_last_mark)
{
    struct made t;
    uint32_t number;
    size_t from;
    begin(&t);
    cr_assert_eq(vv_machine_push(&t.m, 5), VARVE_OK);
    cr_assert_eq(vv_machine_push_mark(&t.m), VARVE_OK);
    cr_assert_eq(vv_machine_pop(&t.m, &number), VARVE_CORRUPT);
    cr_assert_eq(vv_machine_push(&t.m, 6), VARVE_OK);
    cr_assert_eq(vv_machine_top(&t.m, &number), VARVE_OK);
    cr_assert_eq(number, 6);
    cr_assert_eq(vv_machine_pop_mark(&t.m, &from), VARVE_OK);
    cr_assert_eq(from, 1);
    cr_assert_eq(vv_machine_depth_of(&t.m), 2);
    cr_assert_eq(vv_machine_floor_of(&t.m), 0);
    cr_assert_eq(vv_machine_pop_mark(&t.m, &from), VARVE_CORRUPT);
    end(&t);
}

TEST(pickle_machine, appends_the_stack_to_an_item_in_order)
{
    struct made t;
    uint32_t list;
    begin(&t);
    cr_assert_eq(vv_machine_add(&t.m,
        (struct vv_pickle_item){ .kind = VV_PICKLE_LIST }, &list), VARVE_OK);
    cr_assert_eq(vv_machine_push(&t.m, 7), VARVE_OK);
    cr_assert_eq(vv_machine_push(&t.m, 8), VARVE_OK);
    cr_assert_eq(vv_machine_append_from(&t.m, list, 0), VARVE_OK);
    cr_assert_eq(vv_machine_depth_of(&t.m), 0);
    cr_assert_eq(vv_pickle_nth(&t.p, list, 0), 7);
    cr_assert_eq(vv_pickle_nth(&t.p, list, 1), 8);
    end(&t);
}

TEST(pickle_machine, memoizes_by_number)
{
    struct made t;
    uint32_t number;
    begin(&t);
    cr_assert_eq(vv_machine_push(&t.m, 7), VARVE_OK);
    cr_assert_eq(vv_machine_memorize(&t.m, 3), VARVE_OK);
    cr_assert_eq(vv_machine_memorize(&t.m, 3), VARVE_OK);
    cr_assert_eq(t.m.memorized, 1);
    cr_assert_eq(vv_machine_recall(&t.m, 2), VARVE_CORRUPT);
    cr_assert_eq(vv_machine_recall(&t.m, 4), VARVE_CORRUPT);
    cr_assert_eq(vv_machine_recall(&t.m, 3), VARVE_OK);
    cr_assert_eq(vv_machine_pop(&t.m, &number), VARVE_OK);
    cr_assert_eq(number, 7);
    cr_assert_eq(vv_machine_memorize(&t.m, 5), VARVE_CORRUPT,
        "larger than the pickle is long");
    end(&t);
}

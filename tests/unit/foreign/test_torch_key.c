/* test_torch_key.c - Tests node names for dict keys.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_key.h"
#include "torch_sample.h"

struct keyed {
    struct vv_buffer b;
    struct vv_pickle p;
    struct vv_arena kept;
    struct vv_torch_keys k;
};

static void begin(struct keyed *t)
{
    OP(&t->b, "t.");
    t->p = read_pickle(&t->b);
    vv_arena_init(&t->kept, test_allocator());
    cr_assert(vv_torch_keys_init(&t->k, &t->p, &t->kept, test_allocator()));
}

static void end(struct keyed *t)
{
    vv_torch_keys_clear(&t->k);
    vv_arena_clear(&t->kept);
    vv_pickle_clear(&t->p);
    vv_buffer_clear(&t->b);
}

static uint32_t nth(const struct keyed *t, unsigned i)
{
    return vv_pickle_nth(&t->p, t->p.root, i);
}

static bool is(const struct vv_torch_name *name, const char *text)
{
    return name && name->size == strlen(text) &&
           memcmp(name->bytes, text, name->size) == 0;
}

TEST(torch_key, is_named_as_python_prints_it)
{
    static const char *const names[] = { "a.b/c", "None", "True", "False",
        "-3", "7", "0.1", "1.0", "1e+300", "<9>", "<10>", "<11>" };
    struct keyed t = { .b = new_bytes() };
    OP(&t.b, "(");
    put_text(&t.b, "a.b/c");
    OP(&t.b, "N\x88\x89J\xfd\xff\xff\xffK\7");
    OP(&t.b, "G\x3f\xb9\x99\x99\x99\x99\x99\x9aG\x3f\xf0\0\0\0\0\0\0");
    OP(&t.b, "G\x7e\x37\xe4\x3c\x88\x00\x75\x9c");
    OP(&t.b, ")X\0\0\0\0U\1\xff");
    begin(&t);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const struct vv_torch_name *name = vv_torch_key(&t.k, nth(&t, i), i);
        cr_assert(is(name, names[i]), "%s: %.*s", names[i], (int)name->size,
            name->bytes);
    }
    end(&t);
}

TEST(torch_key, is_unique)
{
    struct keyed t = { .b = new_bytes() };
    OP(&t.b, "(");
    put_text(&t.b, "7");
    OP(&t.b, "K\7");
    put_text(&t.b, "7");
    begin(&t);
    const struct vv_torch_name *name = vv_torch_key(&t.k, nth(&t, 0), 0);
    cr_assert_eq(vv_torch_key(&t.k, nth(&t, 1), 1), name);
    cr_assert_eq(vv_torch_key(&t.k, nth(&t, 2), 2), name);
    cr_assert_eq(vv_torch_position(&t.k, 7), name);
    cr_assert_eq(vv_torch_text(&t.k, "7"), name);
    cr_assert_neq(vv_torch_position(&t.k, 8), name);
    end(&t);
}

/* Keys are processed from the end of a dict to its beginning. */
TEST(torch_key, has_its_own_node)
{
    struct keyed t = { .b = new_bytes() };
    const struct vv_torch_name *name;
    OP(&t.b, "(");
    put_text(&t.b, "7");
    OP(&t.b, "K\7K\7");
    begin(&t);
    cr_assert(vv_torch_take_key(&t.k, 3, nth(&t, 2), 2, &name));
    cr_assert(is(name, "7"));
    cr_assert(vv_torch_take_key(&t.k, 3, nth(&t, 1), 1, &name));
    cr_assert_null(name, "the later one counts");
    cr_assert(vv_torch_take_key(&t.k, 3, nth(&t, 0), 0, &name));
    cr_assert(is(name, "<0>"), "a text is another key than a number");
    cr_assert(vv_torch_take_key(&t.k, 4, nth(&t, 0), 0, &name));
    cr_assert(is(name, "7"), "another node has its own");
    end(&t);
}

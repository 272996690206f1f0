/* test_draft_path.c - Tests converting flat names to a tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_path.h"

#include "support/test.h"
#include "drafts.h"

/* Of flat names, in two orders, which give the same. */
static void check_names(
    const char *const *names, size_t count, const char *expected)
{
    for (int turn = 0; turn < 2; turn++) {
        struct drafted t;
        draft_begin(&t);
        t.context.dots = true;
        for (size_t i = 0; i < count; i++)
            add_path(&t, names[turn ? count - 1 - i : i], 0);
        check_draft(&t, expected);
    }
}

TEST(draft_dots, form_a_tree_of_their_parts)
{
    static const char *const names[] = { "l.0.w", "l.0.b", "l.1.w", "h" };
    check_names(names, 4,
        "0o h>1 l>2\n1v =h\n2o 0>3 1>4\n3o b>5 w>6\n4o w>7\n5v =l.0.b\n"
        "6v =l.0.w\n7v =l.1.w\n");
}

TEST(draft_dots, stay_single_edges_if_a_part_is_empty_or_a_value)
{
    static const char *const names[] = { "a..b", ".c", "d.", "v", "v.w",
        "x.y", "x.y.z" };
    check_names(names, 7,
        "0o .c>1 a..b>2 d.>3 v>4 v.w>5 x>6\n1v =.c\n2v =a..b\n3v =d.\n"
        "4v =v\n5v =v.w\n6o y>7 y.z>8\n7v =x.y\n8v =x.y.z\n");
}

TEST(draft_dots, stay_single_edges_if_the_name_exists)
{
    static const char *const names[] = { "a/b", "a.b", "a.c" };
    check_names(names, 3,
        "0o a>1 a.b>2\n1o b>3 c>4\n2v =a.b\n3v =a/b\n4v =a.c\n");
}

/* What has two names has both, and slots are of the same variables. */
TEST(draft_dots, keep_slots_and_additional_names)
{
    struct drafted t;
    draft_begin(&t);
    t.context.dots = true;
    add_path(&t, "l.0.w", 0);
    add_path(&t, "opt/m(l.0.w)", 0);
    add_path(&t, "opt/rate", 0);
    check_draft(&t, "0o l>1 opt>2\n1o 0>3\n2o rate>4\n3o w>5\n4v =opt/rate\n"
                    "5v =l.0.w\n6v =opt/m(l.0.w)\n2.m(5)>6\n");
}

/* So a file costs not much more than its bytes. */
TEST(draft_dots, create_only_the_objects_of_their_parts)
{
    enum { PARTS = 5000 };
    static char name[2 * PARTS];
    struct drafted t;
    varve_error error = { 0 };
    draft_begin(&t);
    t.context.dots = true;
    for (size_t i = 0; i < sizeof name - 1; i++)
        name[i] = i % 2 ? '.' : 'a';
    add_path(&t, name, 0);
    cr_assert_ok(draft_end(&t, &error), error);
    cr_assert_gt(t.in.parsed.index.node_count, 200);
    cr_assert_lt(t.in.parsed.index.node_count, 300);
    draft_free(&t);
}

TEST(draft_path, forms_a_tree_of_its_parts)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "b/y", 0);
    add_path(&t, "a", 0);
    add_path(&t, "b/x", 0);
    vv_draft_state(&t.d,
        vv_draft_path(&t.d, VARVE_STATE, "b/c/s", 5), 3,
        &(struct vv_place){ 0 });
    check_draft(&t, "0o a>1 b>2\n1v =a\n2o c>3 x>4 y>5\n3o s>6\n4v =b/x\n"
                    "5v =b/y\n6s =b/c/s\n");
}

TEST(draft_path, below_a_value_is_one_edge_in_either_order)
{
    const char *names[] = { "a/b", "a/b/c", "a/b/d/e" };
    for (int turn = 0; turn < 2; turn++) {
        struct drafted t;
        draft_begin(&t);
        for (int i = 0; i < 3; i++)
            add_path(&t, names[turn ? 2 - i : i], 0);
        check_draft(&t, "0o a>1\n1o b>2 b/c>3 b/d/e>4\n2v =a/b\n3v =a/b/c\n"
                        "4v =a/b/d/e\n");
    }
}

TEST(draft_path, with_an_empty_part_is_one_edge)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "a//b", 0);
    add_path(&t, "/c", 0);
    add_path(&t, "d/", 0);
    check_draft(&t, "0o /c>1 a//b>2 d/>3\n1v =/c\n2v =a//b\n3v =d/\n");
}

TEST(draft_path, creates_slots_from_slot_names)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "opt/m(net/w)", 0);
    add_path(&t, "opt/rate", 0);
    add_path(&t, "net/w", 0);
    add_path(&t, "n(net/w)", 0);
    check_draft(&t, "0o net>1 opt>2\n1o w>3\n2o rate>4\n3v =net/w\n"
                    "4v =opt/rate\n5v =n(net/w)\n6v =opt/m(net/w)\n"
                    "0.n(3)>5\n2.m(3)>6\n");
}

TEST(draft_path, creates_an_owner_with_slots_only)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "w", 0);
    add_path(&t, "a/opt/m(w)", 0);
    add_path(&t, "a/opt/v(w)", 0);
    check_draft(&t, "0o a>1 w>2\n1o opt>3\n2v =w\n3o\n4v =a/opt/m(w)\n"
                    "5v =a/opt/v(w)\n3.m(2)>4\n3.v(2)>5\n");
}

TEST(draft_path, finds_variables_with_a_single_edge)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "w", 0);
    add_path(&t, "w/opt/m(w)", 0); /* w is a value, so it cannot be an owner */
    add_path(&t, "w/b", 0);
    add_path(&t, "m(w/b)", 0);
    add_path(&t, "x//y", 0);
    add_path(&t, "m(x//y)", 0);
    check_draft(&t, "0o w>1 w/b>2 w/opt/m(w)>3 x//y>4\n1v =w\n2v =w/b\n"
                    "3v =w/opt/m(w)\n4v =x//y\n5v =m(w/b)\n6v =m(x//y)\n"
                    "0.m(2)>5\n0.m(4)>6\n");
}

TEST(draft_path, uses_only_the_name_of_an_owner)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "x//y", 0);
    add_path(&t, "a/o/r", 0);
    add_path(&t, "a/o/m(x//y)", 0);
    check_draft(&t, "0o a>1 x//y>2\n1o o>3\n2v =x//y\n3o r>4\n"
                    "4v =a/o/r\n5v =a/o/m(x//y)\n"
                    "3.m(2)>5\n");
}

TEST(draft_path, keeps_names_that_only_resemble_slots)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "f(none)", 0);      /* of no variable */
    add_path(&t, "(w)", 0);          /* without a name */
    add_path(&t, "w", 0);
    add_path(&t, "w/", 0);
    add_path(&t, "/m(w)", 0);        /* of an owner without a name */
    add_path(&t, "w/m(w)", 0);       /* of a variable */
    add_path(&t, "o/x", 0);
    add_path(&t, "g(o)", 0);         /* for an object */
    vv_draft_state(&t.d, vv_draft_path(&t.d, VARVE_STATE, "s(w)", 4), 1,
        &(struct vv_place){ 0 });
    check_draft(&t, "0o (w)>1 /m(w)>2 f(none)>3 g(o)>4 o>5 s(w)>6 w>7 w/>8 "
                    "w/m(w)>9\n1v =(w)\n2v =/m(w)\n3v =f(none)\n"
                    "4v =g(o)\n5o x>10\n"
                    "6s =s(w)\n7v =w\n8v =w/\n9v =w/m(w)\n10v =o/x\n");
}

TEST(draft_path, creates_no_slot_of_a_state_or_an_invalid_owner)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "w", 0);
    add_path(&t, "a//o/m(w)", 0);
    vv_draft_state(&t.d, vv_draft_path(&t.d, VARVE_STATE, "st", 2), 1,
        &(struct vv_place){ 0 });
    add_path(&t, "m(st)", 0);
    check_draft(&t, "0o a//o/m(w)>1 m(st)>2 st>3 w>4\n1v =a//o/m(w)\n"
                    "2v =m(st)\n"
                    "3s =st\n4v =w\n");
}

TEST(draft_path, maps_aliases_to_their_node)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t w = add_path(&t, "a/w", 0);
    vv_draft_alias(&t.d, "b/w", 3, w);
    vv_draft_alias(&t.d, "m(a/w)", 6, w); /* never a slot */
    check_draft(&t, "0o a>1 b>2 m(a>3\n1o w>4\n2o w>4\n3o w)>4\n4v =a/w\n");
}

TEST(draft_path, refuses_duplicate_names)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "a/b", 0);
    add_path(&t, "a/b", 0);
    check_failure(&t, VARVE_CORRUPT,
        "file: two values are named \"a/b\"");
    draft_begin(&t);
    vv_draft_alias(&t.d, "b", 1, add_path(&t, "a", 0));
    add_path(&t, "b", 0);
    check_failure(&t, VARVE_CORRUPT, "\"b\"");
}

static void add_all(struct drafted *t)
{
    uint32_t w = add_path(t, "net/w", 0);
    add_path(t, "made/m(net/w)", 0);
    add_path(t, "net/w/below", 0);
    vv_draft_alias(&t->d, "again", 5, w);
}

TEST(draft_path, fails_without_memory)
{
    check_memory(add_all);
}

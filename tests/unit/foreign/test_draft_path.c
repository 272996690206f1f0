/* test_draft_path.c - Tests converting flat names to a tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "drafts.h"

TEST(draft_path, makes_a_tree_of_the_parts)
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

TEST(draft_path, hangs_what_is_below_a_value_as_one_edge_in_either_order)
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

TEST(draft_path, hangs_a_name_with_an_empty_part_as_one_edge)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "a//b", 0);
    add_path(&t, "/c", 0);
    add_path(&t, "d/", 0);
    check_draft(&t, "0o /c>1 a//b>2 d/>3\n1v =/c\n2v =a//b\n3v =d/\n");
}

TEST(draft_path, makes_slots_of_what_looks_like_them)
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

TEST(draft_path, makes_an_owner_that_has_slots_alone)
{
    struct drafted t;
    draft_begin(&t);
    add_path(&t, "w", 0);
    add_path(&t, "a/opt/m(w)", 0);
    add_path(&t, "a/opt/v(w)", 0);
    check_draft(&t, "0o a>1 w>2\n1o opt>3\n2v =w\n3o\n4v =a/opt/m(w)\n"
                    "5v =a/opt/v(w)\n3.m(2)>4\n3.v(2)>5\n");
}

TEST(draft_path, finds_variables_that_hang_as_one_edge)
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

TEST(draft_path, looks_at_the_name_of_an_owner_alone)
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

TEST(draft_path, leaves_what_only_looks_like_a_slot)
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

TEST(draft_path, makes_no_slot_of_a_state_or_an_owner_that_is_no_path)
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

TEST(draft_path, leads_aliases_to_their_node)
{
    struct drafted t;
    draft_begin(&t);
    uint32_t w = add_path(&t, "a/w", 0);
    vv_draft_alias(&t.d, "b/w", 3, w);
    vv_draft_alias(&t.d, "m(a/w)", 6, w); /* never a slot */
    check_draft(&t, "0o a>1 b>2 m(a>3\n1o w>4\n2o w>4\n3o w)>4\n4v =a/w\n");
}

TEST(draft_path, refuses_a_name_that_comes_twice)
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

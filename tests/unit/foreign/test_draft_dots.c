/* test_draft_dots.c - Tests splitting names at dots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "draft_dots.h"
#include "drafts.h"

/* Checks flat names in two orders, which must give the same tree. */
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

TEST(draft_dots, make_a_tree_of_the_parts)
{
    static const char *const names[] = { "l.0.w", "l.0.b", "l.1.w", "h" };
    check_names(names, 4,
        "0o h>1 l>2\n1v =h\n2o 0>3 1>4\n3o b>5 w>6\n4o w>7\n5v =l.0.b\n"
        "6v =l.0.w\n7v =l.1.w\n");
}

TEST(draft_dots, stay_where_a_part_is_empty_or_a_value)
{
    static const char *const names[] = { "a..b", ".c", "d.", "v", "v.w",
        "x.y", "x.y.z" };
    check_names(names, 7,
        "0o .c>1 a..b>2 d.>3 v>4 v.w>5 x>6\n1v =.c\n2v =a..b\n3v =d.\n"
        "4v =v\n5v =v.w\n6o y>7 y.z>8\n7v =x.y\n8v =x.y.z\n");
}

TEST(draft_dots, stay_where_the_name_is_there)
{
    static const char *const names[] = { "a/b", "a.b", "a.c" };
    check_names(names, 3,
        "0o a>1 a.b>2\n1o b>3 c>4\n2v =a.b\n3v =a/b\n4v =a.c\n");
}

/* A node with two names keeps both, and slots have the same variables. */
TEST(draft_dots, leave_slots_and_further_names_what_they_are)
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

/* Memory is limited by the size of the file. */
TEST(draft_dots, make_no_more_objects_than_names_mean)
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

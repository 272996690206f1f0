/* test_only_touched.c - Tests a program that saves often and marks changes: a
 * table of which a few rows are trained, and a frozen one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "managed.h"

#include <string.h>

enum { ROWS = 500, COLUMNS = 64 };

struct tables {
    struct program p;
    float frozen[ROWS][COLUMNS];
    float trained[ROWS][COLUMNS];
    varve_node *nodes[2];
};

static const varve_write_options options = {
    .incremental = true, .increment.only_dirty = true, .no_sync = true
};

static void begin(struct tables *t)
{
    memset(t, 0, sizeof *t);
    start(&t->p, (varve_manager_options){ .write = &options });
    t->nodes[0] = varve_add_variable(t->p.root, "frozen",
        varve_array(t->frozen[0], ROWS, COLUMNS));
    t->nodes[1] = varve_add_variable(t->p.root, "trained",
        varve_array(t->trained[0], ROWS, COLUMNS));
}

static void train(struct tables *t, int step)
{
    for (int i = 0; i < COLUMNS; i++)
        t->trained[step * 17 % ROWS][i] = (float)step;
    varve_mark_dirty(t->nodes[1]);
}

TEST(only_dirty, saves_each_step_and_resumes_at_the_last)
{
    static struct tables t, again;
    begin(&t);
    for (int i = 0; i < ROWS; i++)
        t.frozen[i][0] = (float)i;
    for (int step = 1; step <= 20; step++) {
        train(&t, step);
        cr_assert(save(&t.p, step));
    }
    stop(&t.p);
    begin(&again);
    resume(&again.p);
    cr_assert_eq(again.p.v, 20);
    cr_assert_eq(memcmp(again.frozen, t.frozen, sizeof t.frozen), 0);
    cr_assert_eq(memcmp(again.trained, t.trained, sizeof t.trained), 0);
    train(&again, 21);
    cr_assert(save(&again.p, 21));
    stop(&again.p);
    begin(&t);
    resume(&t.p);
    cr_assert_eq(memcmp(again.frozen, t.frozen, sizeof t.frozen), 0);
    cr_assert_eq(memcmp(again.trained, t.trained, sizeof t.trained), 0);
    stop(&t.p);
}

/* Detects changes that the program omitted to mark. */
TEST(only_dirty, is_verified_by_verify_clean)
{
    static struct tables t;
    const varve_write_options verified = { .incremental = true,
        .increment = { .only_dirty = true,
        .verify_clean = true },
        .no_sync = true };
    varve_error error = { 0 };
    begin(&t);
    cr_assert_ok(
        varve_save(t.p.root, test_path("run/x"), &verified, &error), error);
    train(&t, 1);
    cr_assert_ok(
        varve_save(t.p.root, test_path("run/x"), &verified, &error), error);
    t.frozen[3][3] = 3;
    cr_assert_eq(varve_save(t.p.root, test_path("run/x"), &verified, &error),
        VARVE_MISUSE);
    cr_assert(
        story_says(&error, "frozen: the value differs"), "%s", error.message);
    stop(&t.p);
}

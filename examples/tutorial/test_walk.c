/* test_walk.c - Tests a random walk with snapshots, with Criterion:
 * docs/tutorial/tests.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <varve/varve.h>

/* --- The tested code ----------------------------------------------------- */

struct walk {
    double at[2];
    int64_t steps;
    varve_random random;
};

/* [walk] */
static void walk_add(struct walk *walk, varve_node *root)
{
    varve_add_variable(root, "at", varve_array(walk->at, 2));
    varve_add_variable(root, "steps", varve_scalar(&walk->steps));
    varve_add_random(root, "random", &walk->random, 0);
}
/* [/walk] */

static void walk_step(struct walk *walk)
{
    for (int i = 0; i < 2; i++)
        walk->at[i] += varve_random_normal(&walk->random, 0, 1);
    walk->steps++;
}

/* --- The tests ----------------------------------------------------------- */

static struct walk walk;
static varve_graph *graph;
static varve_node *root;
static varve_error error;

static void set_up(void)
{
    walk = (struct walk){ .steps = 0 };
    graph = varve_graph_new(NULL);
    root = varve_graph_root(graph);
    walk_add(&walk, root);
}

static void tear_down(void)
{
    varve_graph_free(graph);
}

TestSuite(walk, .init = set_up, .fini = tear_down);

static varve_status count(void *user, const varve_difference *difference)
{
    cr_log_error("%s differs", difference->path);
    ++*(int *)user;
    return VARVE_OK;
}

/* [again] */
/* Everything that a step changes is in the graph: after a step is taken back,
 * it has the same result again. */
Test(walk, a_repeated_step_gives_the_same_result)
{
    int differences = 0;
    walk_step(&walk);
    varve_snapshot *before = varve_snapshot_new(root, &error);
    walk_step(&walk);
    varve_snapshot *after = varve_snapshot_new(root, &error);
    cr_assert(before && after, "%s", error.message);

    cr_assert_eq(varve_snapshot_restore(before, &error), VARVE_OK);
    walk_step(&walk);
    cr_assert_eq(varve_snapshot_diff(after, NULL, count, &differences, &error),
        VARVE_OK);
    cr_assert_eq(differences, 0);
    varve_snapshot_free(before);
    varve_snapshot_free(after);
}
/* [/again] */

/* [all] */
/* A checkpoint contains all values of the walk, and restores all of them. */
Test(walk, a_checkpoint_contains_all_values)
{
    walk_step(&walk);
    cr_assert_eq(varve_write(root, "walk.varve", NULL, &error), VARVE_OK, "%s",
        error.message);
    double at = walk.at[0];
    tear_down();
    set_up();

    varve_restoration *r = varve_read(root, "walk.varve", NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(
        varve_assert_consumed(r, &error), VARVE_OK, "%s", error.message);
    cr_assert(walk.at[0] == at && walk.steps == 1);
    varve_restoration_free(r);
}
/* [/all] */

/* Accepts only moves that go uphill. A rejected move is taken back, but not its
 * random numbers, or the same move would be proposed again. */
Test(walk, rejected_moves_are_undone)
{
    varve_snapshot *best = varve_snapshot_new(root, &error);
    varve_snapshot_restore_options keep = { .keep_random = true };
    for (int i = 0; i < 100; i++) {
        double height = walk.at[0];
        walk_step(&walk);
        varve_status status =
            walk.at[0] > height
                ? varve_snapshot_retake(best, &error)
                : varve_snapshot_restore_with(best, &keep, &error);
        cr_assert_eq(status, VARVE_OK);
        cr_assert_geq(walk.at[0], height);
    }
    cr_assert(walk.steps > 20 && walk.steps < 80);
    varve_snapshot_free(best);
}

/* test_random_streams.c - Tests that a resumed run draws the same numbers, and
 * that streams are independent of each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

enum { DRAWS = 50 };

/* A program with two streams, the second under a given name. */
struct program {
    varve_graph *graph;
    varve_node *root;
    varve_random data, dropout;
};

static void begin(struct program *p, uint64_t seed, const char *name)
{
    p->graph = story_graph();
    p->root = varve_graph_root(p->graph);
    varve_set_seed(p->graph, seed);
    varve_add_random(p->root, "data", &p->data, 0);
    varve_add_random(
        varve_add_object(p->root, "model"), name, &p->dropout, 0);
}

static void end(struct program *p)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_graph_check(p->graph, &error), error);
    varve_graph_free(p->graph);
}

/* Draws all kinds of numbers, so that positions within a block differ. */
static void draw(struct program *p, double out[DRAWS])
{
    for (int i = 0; i < DRAWS; i++) {
        size_t order[5];
        varve_random_permutation(&p->data, order, 5);
        out[i] = (double)order[0] + varve_random_unit(&p->dropout) +
                 varve_random_normal(&p->data, 0, 1) +
                 (double)varve_random_below(&p->dropout, 1000);
    }
}

TEST(random_streams, a_resumed_run_draws_the_remaining_numbers)
{
    for (size_t at = 0; at < 9; at++) {
        struct program first, second;
        double wanted[DRAWS], found[DRAWS];
        begin(&first, 42, "dropout");
        varve_random_skip(&first.data, at);
        varve_random_skip(&first.dropout, 2 * at);
        draw(&first, wanted);
        story_write(first.root, "run");
        draw(&first, wanted);
        /* The seed differs; the one in the file is used. */
        begin(&second, 43, "dropout");
        draw(&second, found);
        varve_restoration *r = story_read(second.root, "run", NULL);
        story_consumed(r);
        varve_restoration_free(r);
        draw(&second, found);
        cr_assert_arr_eq(found, wanted, sizeof wanted);
        end(&first);
        end(&second);
    }
}

TEST(random_streams, a_stream_added_after_the_read_continues)
{
    struct program first;
    double wanted[DRAWS], found[DRAWS];
    begin(&first, 42, "dropout");
    draw(&first, wanted);
    story_write(first.root, "run");
    draw(&first, wanted);
    struct program second = { .graph = story_graph() };
    second.root = varve_graph_root(second.graph);
    varve_restoration *r = story_read(second.root, "run", NULL);
    varve_add_random(second.root, "data", &second.data, 0);
    varve_add_random(varve_add_object(second.root, "model"), "dropout",
        &second.dropout, 0);
    story_consumed(r);
    draw(&second, found);
    cr_assert_arr_eq(found, wanted, sizeof wanted);
    varve_restoration_free(r);
    end(&first);
    end(&second);
}

TEST(random_streams, a_renamed_object_keeps_its_stream)
{
    static const varve_rename rename = { "model/noise", "model/dropout" };
    const varve_read_options options = {
        .rename = { .list = &rename,
        .count = 1 },
    };
    struct program first, second;
    double wanted[DRAWS], found[DRAWS];
    begin(&first, 42, "dropout");
    draw(&first, wanted);
    story_write(first.root, "run");
    draw(&first, wanted);
    begin(&second, 42, "noise");
    cr_assert_neq(second.dropout.key[0], first.dropout.key[0]);
    varve_restoration *r = story_read(second.root, "run", &options);
    story_consumed(r);
    varve_restoration_free(r);
    cr_assert_arr_eq(second.dropout.key, first.dropout.key, 16);
    draw(&second, found);
    cr_assert_arr_eq(found, wanted, sizeof wanted);
    /* The next file contains the new name. */
    story_write(second.root, "again");
    draw(&second, wanted);
    r = story_read(second.root, "again", NULL);
    varve_restoration_free(r);
    draw(&second, found);
    cr_assert_arr_eq(found, wanted, sizeof wanted);
    end(&first);
    end(&second);
}

TEST(random_streams, adding_a_stream_changes_no_other)
{
    struct program plain, more;
    varve_random before, after;
    double wanted[DRAWS], found[DRAWS];
    begin(&plain, 42, "dropout");
    more.graph = story_graph();
    more.root = varve_graph_root(more.graph);
    varve_set_seed(more.graph, 42);
    varve_add_random(more.root, "a stream before", &before, 0);
    varve_node *model = varve_add_object(more.root, "model");
    varve_add_random(model, "dropout", &more.dropout, 0);
    varve_random_u64(&before);
    varve_add_random(more.root, "data", &more.data, 0);
    varve_add_random(model, "a stream behind", &after, 0);
    varve_random_u64(&after);
    draw(&plain, wanted);
    draw(&more, found);
    cr_assert_arr_eq(found, wanted, sizeof wanted);
    cr_assert_neq(varve_random_u64(&before), varve_random_u64(&after));
    end(&plain);
    end(&more);
}

TEST(random_streams, a_split_stream_depends_only_on_its_name)
{
    varve_random r;
    varve_random_seed(&r, 7, "items");
    varve_random a = varve_random_split(&r, "rank/0");
    varve_random_u64(&r);
    varve_random b = varve_random_split(&r, "rank/1");
    varve_random again = varve_random_split(&r, "rank/0");
    cr_assert_eq(r.position, 1);
    for (int i = 0; i < DRAWS; i++) {
        uint64_t word = varve_random_u64(&a);
        cr_assert_eq(word, varve_random_u64(&again));
        cr_assert_neq(word, varve_random_u64(&b));
        cr_assert_neq(word, varve_random_u64(&r));
    }
}

TEST(random_streams, a_snapshot_restores_streams)
{
    varve_error error = { 0 };
    struct program p;
    double wanted[DRAWS], found[DRAWS];
    begin(&p, 42, "dropout");
    draw(&p, wanted);
    varve_snapshot *snapshot = varve_snapshot_new(p.root, &error);
    draw(&p, wanted);
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    draw(&p, found);
    cr_assert_arr_eq(found, wanted, sizeof wanted);
    varve_snapshot_free(snapshot);
    end(&p);
}

/* A program seeds its streams and adds them in every run; a resumed run
 * continues them. */
TEST(random_streams, streams_of_one_seed_are_equal_and_resume)
{
    varve_error error;
    uint64_t next = 0;
    for (int run = 0; run < 2; run++) {
        varve_random a, b, other;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = run ? story_read(root, "f", NULL) : NULL;
        varve_random_seed(&a, 42, "");
        varve_random_seed(&b, 42, "");
        varve_random_seed(&other, 42, "other");
        varve_add_seeded_random(root, "a", &a);
        varve_add_seeded_random(root, "b", &b);
        varve_add_seeded_random(root, "other", &other);
        cr_assert_ok(varve_graph_check(graph, &error), error);
        cr_assert_eq(a.position, run ? 3 : 0);
        for (int i = 0; i < 3; i++) {
            uint64_t x = varve_random_u64(&a);
            cr_assert_eq(varve_random_u64(&b), x);
            cr_assert_neq(varve_random_u64(&other), x);
        }
        if (run == 0) {
            story_write(root, "f");
            next = varve_random_u64(&a);
            varve_random_seed(&a, 42, "");
            cr_assert(a.position == 0 && varve_random_u64(&a) != next);
        } else {
            varve_random_skip(&b, (uint64_t)0 - 3);
            cr_assert_eq(varve_random_u64(&b), next);
        }
        varve_add_seeded_random(root, "none", NULL);
        cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* test_progress_and_cancel.c - Tests that long operations report progress and
 * can be canceled without leaving a trace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>

enum { COUNT = 4, WIDTH = 600000 };

struct watch {
    uint64_t last;
    uint64_t total;
    int calls;
    int stop_at; /* number of the call that cancels; -1: none */
};

static int on_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    struct watch *watch = user;
    cr_assert(what && what[0]);
    cr_assert(done >= watch->last, "it goes forward");
    cr_assert(done <= total);
    cr_assert(watch->calls == 0 || total == watch->total, "total is fixed");
    watch->last = done;
    watch->total = total;
    return watch->calls++ == watch->stop_at;
}

struct model {
    varve_graph *graph;
    varve_node *root;
    float *v;
};

static struct model build(float value)
{
    struct model m = { .graph = story_graph() };
    m.root = varve_graph_root(m.graph);
    m.v = malloc(sizeof(float) * COUNT * WIDTH);
    for (int i = 0; i < COUNT * WIDTH; i++)
        m.v[i] = value;
    for (int i = 0; i < COUNT; i++)
        varve_add_variable(m.root, (const char[]){ (char)('a' + i), 0 },
            varve_array(m.v + i * WIDTH, WIDTH));
    return m;
}

static void end(struct model *m)
{
    varve_graph_free(m->graph);
    free(m->v);
}

static void assert_holds(const struct model *m, float value)
{
    for (int i = 0; i < COUNT * WIDTH; i++)
        if (m->v[i] != value)
            cr_assert_fail("element %d changed", i);
}

TEST(progress_and_cancel, progress_of_a_write_increases_to_its_end)
{
    varve_error error;
    struct model m = build(1);
    struct watch watch = { .stop_at = -1 };
    varve_write_options options = { .progress = on_progress,
        .progress_user = &watch, .no_sync = true };
    cr_assert_ok(
        varve_write(m.root, test_path("f"), &options, &error), error);
    cr_assert_gt(watch.calls, 2);
    cr_assert_geq(watch.total, sizeof(float) * COUNT * WIDTH);
    end(&m);
}

TEST(progress_and_cancel, a_cancelled_write_leaves_only_the_older_file)
{
    varve_error error;
    struct model m = build(1);
    story_write(m.root, "f");
    size_t size, size_now;
    void *before = test_read_file(test_path("f"), &size);
    m.v[0] = 2;
    struct watch watch = { .stop_at = -1 };
    varve_write_options options = { .progress = on_progress,
        .progress_user = &watch, .no_sync = true };
    cr_assert_ok(
        varve_write(m.root, test_path("g"), &options, &error), error);
    for (int at = 0; at < watch.calls; at++) {
        struct watch stop = { .stop_at = at };
        options.progress_user = &stop;
        cr_assert_eq(varve_write(m.root, test_path("f"), &options, &error),
            VARVE_CANCELLED);
        cr_assert(story_is_one_line(&error));
        cr_assert_eq(test_file_count(), 2);
    }
    void *after = test_read_file(test_path("f"), &size_now);
    cr_assert_eq(size, size_now);
    cr_assert_arr_eq(before, after, size);
    free(before);
    free(after);
    end(&m);
}

/* Cancels a read with this staging size at each of its callbacks in turn. */
static void cancel_everywhere(const varve_read_options *with)
{
    varve_error error;
    struct model m = build(7);
    story_write(m.root, "f");
    varve_read_options options = *with;
    struct watch whole = { .stop_at = -1 };
    options.progress = on_progress;
    options.progress_user = &whole;
    varve_restoration *r = story_read(m.root, "f", &options);
    varve_restoration_free(r);
    cr_assert(whole.calls > 2 || options.resources.threads > 1);
    for (int at = 0; at < whole.calls; at++) {
        for (int i = 0; i < COUNT * WIDTH; i++)
            m.v[i] = 1;
        struct watch watch = { .stop_at = at };
        options.progress_user = &watch;
        r = varve_read(m.root, test_path("f"), &options, &error);
        if (!r)
            cr_assert_eq(error.status, VARVE_CANCELLED, "call %d: %s", at,
                error.message);
        assert_holds(&m, r ? 7 : 1);
        cr_assert(
            at > 0 || !r || options.resources.threads > 1, "it does stop");
        varve_restoration_free(r);
    }
    end(&m);
}

TEST(progress_and_cancel, a_cancelled_read_changes_nothing)
{
    cancel_everywhere(&(varve_read_options){ .resources.threads = 1 });
    cancel_everywhere(&(varve_read_options){ .resources.threads = 2 });
}

TEST(progress_and_cancel, a_cancelled_read_above_the_staging_size)
{
    cancel_everywhere(&(varve_read_options){ .passes = VARVE_TWO_PASSES,
        .resources = { .threads = 1, .staging_size = 1 } });
}

TEST(progress_and_cancel, a_cancelled_save_does_not_use_up_a_number)
{
    varve_error error;
    struct model m = build(1);
    struct watch watch = { .stop_at = 0 };
    varve_write_options options = { .progress = on_progress,
        .progress_user = &watch, .no_sync = true };
    cr_assert_eq(varve_save(m.root, test_path("c"), &options, &error),
        VARVE_CANCELLED);
    cr_assert_eq(varve_save_counter(m.root), 0);
    cr_assert_eq(test_file_count(), 0);
    end(&m);
}

/* test_patterns_meet.c - Tests patterns of a read together with managers,
 * rings, on-demand children, shared nodes, and freed graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "managed.h"

#include <stdlib.h>
#include <string.h>

/* --- A graph that goes first --------------------------------------------- */

/* Calls each function on an open restoration whose program is freed. */
static void ask_after_the_graph(varve_restoration *r)
{
    varve_error error;
    story_unmatched(varve_assert_consumed(r, &error), "freed", error);
    (void)!varve_assert_nontrivial_match(r, &error);
    story_unmatched(
        varve_assert_existing_objects_matched(r, &error), "freed", error);
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report);
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_MATCHED), 1u);
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_MATCHED), 1u);
    varve_report_free(report);
    cr_assert_ok(varve_drop_pending(r, "**/[x-z]*", &error), error);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    cr_assert_eq(varve_pending_count(r), 0u);
}

TEST(patterns_meet, a_restoration_that_outlives_its_graph)
{
    static const varve_read_options cases[] = {
        { .only = "layer|**/ema*|none" },
        { .except = "**/step|**/opt*" },
        { .resize = "**/w",
            .expect = { .missing = "**/n[0-9]|layer/?",
            .unexpected = "old/**" } },
        { .only = "**", .except = "adam/?(layer|**/none)" },
    };
    STORY_FILE("f", { "layer/w", 1 }, { "layer/ema", 2 }, { "step", 3 });
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float w = 0;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_track(root, "again", story_add(root, "layer/w", &w));
        varve_restoration *r = story_read(root, "f", &cases[i]);
        cr_assert_eq(w, 1);
        varve_graph_free(graph);
        ask_after_the_graph(r);
        varve_restoration_free(r);
    }
}

/* --- Rings --------------------------------------------------------------- */

static float rung[2];

static varve_ring *push_two(varve_node *root, const char *except)
{
    varve_error error;
    varve_ring *ring = varve_ring_new(
        root, 2, &(varve_snapshot_options){ .except = except }, &error);
    cr_assert(ring, "%s", error.message);
    for (int i = 1; i <= 2; i++) {
        rung[0] = rung[1] = (float)(10 * i);
        cr_assert_ok(varve_ring_push(ring, &error), error);
    }
    rung[0] = rung[1] = -1;
    return ring;
}

/* Reads a part of a file into the program, or into a snapshot of the ring,
 * between pushes. `except` of the ring is independent of that of the read. */
static void read_between(const char *except, bool into_ring, float a, float b)
{
    varve_error error;
    varve_read_options options = { .only = "**/a|none" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    story_add(root, "m/a", &rung[0]);
    story_add(root, "m/b", &rung[1]);
    varve_ring *ring = push_two(root, except);
    if (into_ring) {
        cr_assert_ok(varve_snapshot_read(varve_ring_at(ring, 1), test_path("f"),
                         &options, &error),
            error);
        cr_assert(rung[0] == -1 && rung[1] == -1);
    } else {
        varve_restoration_free(story_read(root, "f", &options));
        cr_assert(rung[0] == 1 && rung[1] == -1);
    }
    cr_assert_ok(varve_ring_rollback(ring, 1, &error), error);
    cr_assert(rung[0] == a && rung[1] == b, "%g %g", (double)rung[0],
        (double)rung[1]);
    varve_ring_free(ring);
    varve_graph_free(graph);
}

TEST(patterns_meet, a_cycle_and_a_subtree)
{
    STORY_FILE("f", { "m/a", 1 }, { "m/b", 2 });
    read_between(NULL, false, 10, 10);
    read_between(NULL, true, 1, 10);
    read_between("**/a", false, 1, 10);
    read_between("**/a", true, -1, 10);
    read_between("m/b", false, 10, -1);
    read_between("m/b", true, 1, -1);
}

/* --- Managers ------------------------------------------------------------ */

static void save_of_a_run(void)
{
    struct program p;
    float w = 4, head = 5, old = 6;
    start(&p, (varve_manager_options){ .write = &fast });
    story_add(p.root, "model/w", &w);
    story_add(p.root, "model/head/w", &head);
    story_add(p.root, "old/w", &old);
    save(&p, 7);
    stop(&p);
}

/* Resumes half of the program, builds the other half, and asserts. */
static void resume_with(
    const varve_read_options *read, const char *arrive, varve_status consumed)
{
    struct program p;
    float v[3] = { 0 };
    varve_error error;
    start(&p, (varve_manager_options){ .read = read });
    story_add(p.root, "model/w", &v[0]);
    resume(&p);
    varve_restoration *r = varve_manager_restoration(p.manager);
    story_add(p.root, "model/head/w", &v[1]);
    story_add(p.root, "new", &v[2]);
    char found[] = { p.v == 7 ? '1' : '0', v[0] == 4 ? '1' : '0',
        v[1] == 5 ? '1' : '0', '\0' };
    cr_assert_str_eq(found, arrive);
    cr_assert_eq(
        varve_assert_consumed(r, &error), consumed, "%s", error.message);
    cr_assert_ok(varve_manager_finish_resume(p.manager, &error), error);
    stop(&p);
}

TEST(patterns_meet, a_manager_that_resumes)
{
    save_of_a_run();
    resume_with(NULL, "111", VARVE_UNMATCHED);
    resume_with(&(varve_read_options){ .expect.missing = "n?w" }, "111",
        VARVE_UNMATCHED);
    resume_with(&(varve_read_options){ .expect = { .missing = "n[!o]w",
                    .unexpected = "old/**" } },
        "111", VARVE_OK);
    resume_with(&(varve_read_options){ .only = "**/head|v" }, "101", VARVE_OK);
    resume_with(
        &(varve_read_options){ .except = "**/head|old|new" }, "110", VARVE_OK);
    resume_with(
        &(varve_read_options){ .only = "modle" }, "000", VARVE_UNMATCHED);
    /* The patterns apply only to the resume: the file contains the whole
     * run. */
    resume_with(&(varve_read_options){ .only = "model" }, "011", VARVE_OK);
}

/* --- Children on demand, shared nodes ------------------------------------ */

/* Creates any child in the file, as library-owned nodes. */
static void make(void *user, varve_node *node, const varve_offer *offer)
{
    ++*(int *)user;
    if (offer->kind == VARVE_VARIABLE)
        varve_add_allocated_variable(node, offer->name, offer->value->dtype,
            varve_shape_of(offer->value->rank, offer->value->shape), NULL,
            NULL);
    else
        varve_set_on_demand(varve_add_object(node, offer->name), make, user);
}

static float at(varve_node *root, const char *path)
{
    varve_node *node = varve_find_path(root, path);
    cr_assert(node, "%s is not there", path);
    return *(float *)varve_data(node);
}

/* Writes bag/a and tied/b as one node, and bag/c as another. */
static void write_tied(void)
{
    float v[2] = { 1, 2 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_track(
        story_object(root, "tied"), "b", story_add(root, "bag/a", &v[0]));
    story_add(root, "bag/c", &v[1]);
    story_write(root, "tied");
    varve_graph_free(graph);
}

TEST(patterns_meet, children_on_demand_that_are_shared)
{
    static const struct {
        varve_read_options options;
        float tied, other;
    } cases[] = {
        { { .only = "bag" }, 1, 2 },
        { { .only = "tied" }, 1, 0 },
        { { .only = "**/b" }, 1, 0 },
        { { .except = "bag" }, 1, 0 },
        { { .except = "tied" }, 1, 2 },
        { { .except = "bag/a|**/b" }, 0, 2 },
        { { .only = "bag/[!a]" }, 0, 2 },
    };
    write_tied();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int asked = 0;
        varve_error error;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_set_on_demand(root, make, &asked);
        varve_restoration *r = story_read(root, "tied", &cases[i].options);
        cr_assert_eq(asked, 4, "patterns do not decide what is there");
        cr_assert_eq(at(root, "bag/a"), cases[i].tied, "case %zu", i);
        cr_assert_eq(at(root, "bag/c"), cases[i].other, "case %zu", i);
        cr_assert_eq(
            varve_find_path(root, "tied/b"), varve_find_path(root, "bag/a"));
        cr_assert_ok(varve_assert_consumed(r, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

/* A variable with two paths, each with wildcards, in every order. */
TEST(patterns_meet, a_shared_node_by_either_path)
{
    static const char *const takes[] = { "b*", "t?ed", "**/[ab]", "*/b",
        "none|tied/**", "bag/a|tied/b" };
    write_tied();
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++)
        for (int late = 0; late < 2; late++) {
            float v = 0;
            varve_graph *graph = story_graph();
            varve_node *root = varve_graph_root(graph);
            varve_node *shared = NULL;
            if (!late)
                shared = story_add(root, "bag/a", &v);
            varve_restoration *r = story_read(
                root, "tied", &(varve_read_options){ .only = takes[i] });
            if (late)
                shared = story_add(root, "bag/a", &v);
            varve_track(story_object(root, "tied"), "b", shared);
            cr_assert_eq(v, 1, "%s, late %d", takes[i], late);
            varve_restoration_free(r);
            varve_graph_free(graph);
        }
}

/* --- Patterns as long as a program makes them ---------------------------- */

enum { LONG = 64 << 10 };

/* Returns 64 KiB of `part`, then `middle`, then as many of `end`. */
static char *repeated(const char *part, const char *middle, const char *end)
{
    size_t size[2] = { strlen(part), strlen(end) };
    size_t count = LONG / (size[0] + size[1]);
    char *text = malloc(LONG + strlen(middle) + 1);
    char *at = text;
    for (size_t i = 0; i < count; i++, at += size[0])
        strcpy(at, part);
    strcpy(at, middle);
    at += strlen(middle);
    for (size_t i = 0; i < count; i++, at += size[1])
        strcpy(at, end);
    return text;
}

TEST(patterns_meet, a_read_with_a_pattern_of_64_kib)
{
    static const struct {
        const char *part, *middle, *end;
        bool takes;
    } cases[] = {
        { "none|", "m/a", "", true },
        { "*/none*x|", "**/a", "", true },
        { "*a*/b?c|", "m/[ax]", "", true },
        { "**/", "a", "", true },
        { "**/n*/", "a", "", false },
        { "*", "/a", "", true },
        { "*?", "/a", "", false },
        { "m", "/a", "", false },
        { "(", "m/a", "", false },
        { "x(", "m|m/a", "", false },
        { "x(", "m", ")", false },
        { "**/s(", "m|**", ")|m/a", true },
        { "[", "m/a", "", false },
        { "s(m/a)|", "m/a", "", true },
    };
    STORY_FILE("f", { "m/a", 1 }, { "m/b", 2 });
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_error error;
        float v = 0;
        char *pattern = repeated(cases[i].part, cases[i].middle, cases[i].end);
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        story_add(root, "m/a", &v);
        varve_restoration *r =
            story_read(root, "f", &(varve_read_options){ .only = pattern });
        cr_assert_eq(v == 1, cases[i].takes, "case %zu", i);
        varve_status status = varve_assert_consumed(r, &error);
        cr_assert(status == VARVE_UNMATCHED || cases[i].takes);
        cr_assert(!status || story_says(&error, cases[i].takes
                      ? "of `only` match" : "`only` selects nothing"),
            "%s", error.message);
        varve_restoration_free(r);
        varve_graph_free(graph);
        free(pattern);
    }
}

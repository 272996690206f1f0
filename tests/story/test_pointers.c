/* test_pointers.c - Tests memory behind a pointer that the program changes:
 * every call uses the current pointer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>

#include <varve/job.h>
#include <varve/memory.h>
#include <varve/resizing.h>
#include <varve/snapshot.h>

static float one[4] = { 1, 1, 1, 1 };
static float two[4] = { 2, 2, 2, 2 };
static float *now, *next;
static int count;
static varve_graph *graph;
static varve_node *root;
static varve_error error;

static void begin(void)
{
    now = one, next = two, count = 4;
    graph = story_graph();
    root = varve_graph_root(graph);
    /* [pointer] */
    varve_add_variable(root, "now", varve_array_at(&now, &count));
    /* [/pointer] */
}

static void swap(void)
{
    float *other = now;
    now = next;
    next = other;
}

/* Checks the first element and the size in a file. */
static void expect_file(const char *name, float first, size_t size)
{
    float values[8] = { 0 };
    varve_graph *other = story_graph();
    varve_add_variable(
        varve_graph_root(other), "now", varve_array(values, size));
    varve_restoration *r = story_read(varve_graph_root(other), name, NULL);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(other);
    cr_assert_eq(values[0], first);
}

TEST(pointers, are_followed_when_a_save_runs)
{
    begin();
    story_write(root, "a");
    swap();
    count = 3;
    story_write(root, "b");
    swap();
    count = 2;
    varve_job *job =
        varve_write_async(root, test_path("c"), NULL, &error);
    cr_assert_not_null(job, "%s", error.message);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
    expect_file("a", 1, 4);
    expect_file("b", 2, 3);
    expect_file("c", 1, 2);
    varve_graph_free(graph);
}

TEST(pointers, are_followed_when_a_restoration_runs)
{
    begin();
    varve_node *node = varve_find(root, "now");
    story_write(root, "a");
    now = next = two;
    one[0] = -1;
    varve_restoration *r = story_read(root, "a", NULL);
    story_consumed(r);
    cr_assert_eq(two[0], 1);
    cr_assert_eq(one[0], -1);
    two[0] = 7;
    now = one;
    cr_assert_ok(varve_restore_again(r, node, &error), error);
    cr_assert_eq(one[0], 1);
    cr_assert_eq(two[0], 7);
    varve_restoration_free(r);
    varve_graph_free(graph);
    two[0] = 2;
}

TEST(pointers, are_followed_by_snapshots)
{
    begin();
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert_not_null(s, "%s", error.message);
    swap();
    cr_assert_ok(varve_snapshot_retake(s, &error), error);
    now[0] = 9;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(two[0], 2);
    now = NULL;
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "now: "), "%s", error.message);
    varve_snapshot_free(s);
    varve_graph_free(graph);
}

TEST(pointers, that_are_null_are_reported_by_path)
{
    begin();
    story_write(root, "a");
    now = NULL;
    cr_assert_eq(
        varve_write(root, test_path("b"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "now: the pointer for float32[4] is NULL"),
        "%s", error.message);
    cr_assert_null(varve_snapshot_new(root, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    story_refused(root, "a", NULL, VARVE_MISUSE, &error);
    cr_assert(story_says(&error, "now: "), "%s", error.message);
    varve_tag(varve_find(root, "now"), VARVE_TAG_FIXED);
    story_refused(root, "a", NULL, VARVE_MISUSE, &error);
    count = 0;
    story_write(root, "b");
    varve_graph_free(graph);
}

TEST(pointers, that_are_null_fail_if_their_value_is_pending)
{
    begin();
    story_write(root, "a");
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "a", NULL);
    now = NULL;
    varve_add_variable(root, "now", varve_array_at(&now, &count));
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "now: "), "%s", error.message);
    cr_assert_ok(varve_graph_clear_error(graph, &error), error);
    now = two;
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_eq(two[0], 1);
    two[0] = 2;
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* --- Other ways --------------------------------------------------------- */

/* Two buffers and the index of the current one. */
struct pair {
    float *buffers[2];
    int current;
};

static varve_status bind_current(void *user, varve_node *node)
{
    struct pair *p = user;
    varve_rebind(node, varve_array(p->buffers[p->current], 4));
    return VARVE_OK;
}

TEST(pointers, can_be_provided_by_a_callback)
{
    struct pair pair = { { one, two }, 0 };
    graph = story_graph();
    root = varve_graph_root(graph);
    /* [add-refresh] */
    varve_node *node =
        varve_add_variable(root, "now", varve_array(pair.buffers[0], 4));
    varve_set_refresh(node, bind_current, &pair);
    /* [/add-refresh] */
    pair.current = 1;
    story_write(root, "a");
    expect_file("a", 2, 4);
    varve_graph_free(graph);
}

TEST(pointers, may_point_to_elements_of_any_type)
{
    uint16_t halves[2] = { 0x3c00, 0x4000 }, others[2] = { 0 };
    uint16_t *at = halves;
    graph = story_graph();
    root = varve_graph_root(graph);
    /* [type] */
    const varve_extent extents[] = { { 2, (varve_dtype)0 } };
    const varve_memory memory = { .pointer = &at, .extents = extents };
    varve_add_variable(
        root, "halves", varve_view_at(&memory, VARVE_FLOAT16, 1));
    /* [/type] */
    story_write(root, "a");
    at = others;
    varve_restoration_free(story_read(root, "a", NULL));
    cr_assert(others[0] == 0x3c00 && others[1] == 0x4000);
    varve_graph_free(graph);
}

/* --- Room --------------------------------------------------------------- */

static varve_status make_room(
    void *user, varve_node *node, const varve_tensor *coming, void **room)
{
    (void)user, (void)node;
    *room = malloc((size_t)varve_tensor_size(coming));
    return *room ? VARVE_OK : VARVE_NO_MEMORY;
}

static void settle(void *user, varve_node *node, void *room, bool is_taken)
{
    (void)user;
    if (!is_taken) {
        free(room);
        return;
    }
    now = room;
    count = (int)varve_value(node)->shape[0];
}

TEST(pointers, that_are_null_are_allocated)
{
    static const varve_resizing resizing = { make_room, settle };
    begin();
    story_write(root, "a");
    varve_set_resizing(varve_find(root, "now"), &resizing, NULL);
    for (int n = 0; n <= 4; n += 2) { /* also with the same shape */
        now = NULL;
        count = n;
        cr_assert_eq(varve_write(root, test_path("b"), NULL, &error),
            n ? VARVE_MISUSE : VARVE_OK);
        varve_restoration *r = story_read(root, "a", NULL);
        story_consumed(r);
        cr_assert(now && count == 4 && now[3] == 1);
        varve_restoration_free(r);
        story_write(root, "b");
        expect_file("b", 1, 4);
        free(now);
    }
    varve_graph_free(graph);
}

/* test_events.c - Tests the public functions for events.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "recorded.h"
#include "state.h"

TEST(events, are_written_with_their_values)
{
    static const float numbers[] = { 1, 2, NAN };
    static const double doubles[] = { -1, 1e200 };
    static const uint8_t pixels[2 * 3 * 3] = { 1, 2, 3, 4 };
    struct memory *memory = memory_new();
    memory_set_now(memory, INT64_C(1700000000500000000));
    varve_events *e = open_in_memory(memory, NULL);
    varve_events_scalar(e, 1, "loss", 0.25);
    varve_events_histogram(e, 2, "w", numbers, 3);
    varve_events_histogram_double(e, 3, "d", doubles, 2);
    varve_events_image(e, 4, "i", &(varve_events_picture){ 2, 3, 3, pixels });
    varve_events_text(e, 5, "t", "**bold**");
    flush(e);
    struct event_list list = recorded(memory, varve_events_path(e));
    cr_assert_eq(list.count, 6);
    for (size_t i = 0; i < list.count; i++) {
        cr_assert_eq(list.events[i].step, (int64_t)i);
        cr_assert_eq(list.events[i].wall_time, 1700000000.5);
    }
    cr_assert_eq(list.events[1].values[0].scalar, 0.25F);
    cr_assert_eq(list.events[2].values[0].histogram.count, 2);
    cr_assert_eq(list.events[2].value_count, 2);
    cr_assert(event_bytes_are(list.events[2].values[1].tag, "w/not_finite"));
    cr_assert_eq(list.events[2].values[1].scalar, 1);
    cr_assert_eq(list.events[3].values[0].histogram.max, 1e200);
    cr_assert_eq(list.events[3].value_count, 1);
    unsigned char *back =
        event_pixels(list.events[4].values[0].image.png, 2, 3, 3);
    cr_assert_arr_eq(back, pixels, sizeof pixels);
    free(back);
    cr_assert(event_bytes_are(list.events[5].values[0].text, "**bold**"));
    event_list_free(&list);
    cr_assert_eq(varve_events_dropped(e), 0);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, may_contain_a_given_png)
{
    static const uint8_t pixels[5] = { 0 };
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    varve_events_image(e, 1, "i", &(varve_events_picture){ 5, 1, 1, pixels });
    flush(e);
    struct event_list list = recorded(memory, varve_events_path(e));
    struct event_bytes png = list.events[1].values[0].image.png;
    unsigned char copy[200];
    memcpy(copy, png.data, png.size);
    varve_events_png(e, 2, "j", copy, png.size);
    size_t size = png.size;
    event_list_free(&list);
    flush(e);
    list = recorded(memory, varve_events_path(e));
    struct event_image *image = &list.events[2].values[0].image;
    cr_assert_eq(image->width, 5);
    cr_assert_eq(image->height, 1);
    cr_assert_eq(image->channels, 1);
    cr_assert_eq(image->png.size, size);
    cr_assert_arr_eq(image->png.data, copy, size);
    event_list_free(&list);
    varve_events_free(e);
    memory_free(memory);
}

static void expect(varve_events *e, varve_status expected, const char *words)
{
    varve_error error = { 0 };
    static uint64_t dropped;
    cr_assert_eq(varve_events_flush(e, &error), expected, "%s", words);
    cr_assert(strstr(error.message, words), "%s", error.message);
    cr_assert(strstr(error.message, varve_events_path(e)));
    flush(e);
    cr_assert_eq(varve_events_dropped(e), ++dropped);
}

TEST(events, report_invalid_arguments_in_the_next_flush)
{
    static const uint8_t pixel[3];
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    varve_events_scalar(e, 1, NULL, 1);
    expect(e, VARVE_MISUSE, "tag is NULL");
    varve_events_scalar(e, 1, "", 1);
    expect(e, VARVE_BAD_NAME, "a tag must be 1 to 65535 bytes of UTF-8");
    varve_events_text(e, 1, "\xff", "x");
    expect(e, VARVE_BAD_NAME, "a tag must be 1 to 65535 bytes of UTF-8");
    varve_events_text(e, 1, "x", "\xff");
    expect(e, VARVE_MISUSE, "x: the text must be valid UTF-8 of at most 1 GiB");
    varve_events_text(e, 1, "x", NULL);
    expect(e, VARVE_MISUSE, "x: value is NULL");
    varve_events_histogram(e, 1, "x", NULL, 1);
    expect(e, VARVE_MISUSE, "x: value is NULL");
    varve_events_histogram_double(e, 1, "x", NULL, 1);
    expect(e, VARVE_MISUSE, "x: value is NULL");
    varve_events_image(e, 1, "x", NULL);
    expect(e, VARVE_MISUSE, "x: value is NULL");
    varve_events_image(e, 1, "x", &(varve_events_picture){ 1, 1, 3, NULL });
    expect(e, VARVE_MISUSE, "x: value is NULL");
    varve_events_image(e, 1, "x", &(varve_events_picture){ 1, 1, 2, pixel });
    expect(e, VARVE_MISUSE, "x: an image must have 1, 3 or 4 channels and at "
        "most 1 GiB");
    varve_events_png(e, 1, "x", "GIF89a", 6);
    expect(e, VARVE_MISUSE, "x: not a PNG file of at most 1 GiB");
    varve_events_png(e, 1, "x", NULL, 6);
    expect(e, VARVE_MISUSE, "x: value is NULL");
    varve_events_histogram(e, 7, "x", NULL, 0); /* of no numbers */
    flush(e);
    struct event_list list = recorded(memory, varve_events_path(e));
    cr_assert_eq(list.count, 2);
    cr_assert_eq(list.events[1].step, 7);
    event_list_free(&list);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, that_failed_to_open_do_nothing)
{
    varve_error error = { 0 };
    cr_assert_null(varve_events_open(NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_events_open("", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    test_write_file(test_path("file"), "x", 1);
    cr_assert_null(varve_events_open(test_path("file/run"), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    varve_events_scalar(NULL, 1, "x", 1);
    varve_events_histogram(NULL, 1, "x", NULL, 0);
    varve_events_histogram_double(NULL, 1, "x", NULL, 0);
    varve_events_image(NULL, 1, "x", NULL);
    varve_events_png(NULL, 1, "x", NULL, 0);
    varve_events_text(NULL, 1, "x", "y");
    varve_events_supersede(NULL, 1);
    cr_assert_eq(varve_events_flush(NULL, NULL), VARVE_OK);
    cr_assert_eq(varve_events_dropped(NULL), 0);
    cr_assert_null(varve_events_path(NULL));
    varve_events_free(NULL);
}

/* --- Going back ----------------------------------------------------------- */

static varve_graph *graph;
static varve_node *node;

static void add_to_graph(varve_events *e)
{
    struct vv_context context = test_context(&vv_posix_system);
    graph = vv_graph_new_in(&context);
    node = varve_add_events(varve_graph_root(graph), "events", e);
    cr_assert_eq(varve_graph_check(graph, NULL), VARVE_OK);
}

static struct vv_buffer saved(void)
{
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, test_allocator());
    cr_assert_eq(vv_state_save(node, "events", &bytes, NULL), VARVE_OK);
    return bytes;
}

static void load(const struct vv_buffer *bytes)
{
    cr_assert_eq(vv_state_load(node, "events", bytes->data, bytes->size, NULL),
        VARVE_OK);
}

/* "3 start(2) 3" */
static void check_story(
    struct memory *memory, varve_events *e, const char *expected)
{
    char story[256] = "";
    flush(e);
    struct event_list list = recorded(memory, varve_events_path(e));
    for (size_t i = 1; i < list.count; i++) {
        const struct event *event = &list.events[i];
        size_t size = strlen(story);
        snprintf(story + size, sizeof story - size,
            event->session_status == 1 ? "%sstart(%lld)" : "%s%lld",
            size ? " " : "", (long long)event->step);
    }
    event_list_free(&list);
    cr_assert_str_eq(story, expected);
}

static void record(varve_events *e, int64_t step)
{
    varve_events_scalar(e, step, "x", 1);
}

TEST(events, restored_begin_after_the_last_kept_step)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    add_to_graph(e);
    record(e, 1);
    record(e, 2);
    struct vv_buffer bytes = saved();
    record(e, 3);
    load(&bytes);
    record(e, 3);
    check_story(memory, e, "1 2 3 start(3) 3");
    load(&bytes);
    check_story(memory, e, "1 2 3 start(3) 3 start(3)");
    vv_buffer_clear(&bytes);
    varve_graph_free(graph);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, are_kept_up_to_the_highest_step)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    add_to_graph(e);
    record(e, 5);
    record(e, 3);
    struct vv_buffer bytes = saved();
    record(e, 7);
    load(&bytes);
    check_story(memory, e, "5 3 7 start(6)");
    vv_buffer_clear(&bytes);
    varve_graph_free(graph);
    varve_events_free(e);
    memory_free(memory);
}

static int no_thread(
    void *state, void *(*function)(void *), void *argument, uintptr_t *handle)
{
    (void)state, (void)function, (void)argument, (void)handle;
    return -EAGAIN;
}

TEST(events, are_dropped_if_their_start_does_not_fit)
{
    struct memory *memory = memory_new();
    struct vv_system system = *memory_system(memory);
    system.start_thread = no_thread;
    struct vv_context context = test_context(&system);
    varve_error error = { 0 };
    varve_events *e = vv_events_open_in(
        &context, "run", &(varve_events_options){ .queue_size = 1 }, &error);
    memory_set_capacity(memory, 0);
    record(e, 1);
    record(e, 2);
    cr_assert_eq(varve_events_dropped(e), 0);
    varve_events_supersede(e, 2);
    cr_assert_eq(varve_events_dropped(e), 1);
    record(e, 2); /* its start, and itself */
    cr_assert_eq(varve_events_dropped(e), 3);
    memory_set_capacity(memory, UINT64_MAX);
    record(e, 2);
    cr_assert_eq(varve_events_flush(e, &error), VARVE_NO_SPACE);
    check_story(memory, e, "1 2 start(2) 2");
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, of_a_new_process_supersede_those_of_the_older_one)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    add_to_graph(e);
    record(e, 50);
    struct vv_buffer bytes = saved();
    varve_graph_free(graph);
    varve_events_free(e);

    e = open_in_memory(memory, NULL);
    add_to_graph(e);
    load(&bytes);
    record(e, 51);
    check_story(memory, e, "start(51) 51");
    vv_buffer_clear(&bytes);
    varve_graph_free(graph);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, saved_before_any_supersede_all)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    add_to_graph(e);
    struct vv_buffer bytes = saved();
    load(&bytes);
    record(e, -5);
    load(&bytes);
    check_story(memory, e,
        "start(-9223372036854775808) -5 start(-9223372036854775808)");
    vv_buffer_clear(&bytes);
    varve_graph_free(graph);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, are_not_superseded_by_restores_without_effect)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    add_to_graph(e);
    struct vv_buffer none = saved();
    record(e, 1);
    struct vv_buffer one = saved();
    load(&one);
    check_story(memory, e, "1");
    record(e, 2);
    struct vv_buffer two = saved();
    load(&one);
    load(&two); /* the restoration failed elsewhere */
    record(e, 3);
    check_story(memory, e, "1 2 3");
    vv_buffer_clear(&two);
    varve_graph_free(graph);
    varve_events_free(e);

    e = open_in_memory(memory, NULL);
    add_to_graph(e);
    load(&one);
    load(&none);
    check_story(memory, e, "");
    load(&one);
    load(&one);
    check_story(memory, e, "start(2)");
    vv_buffer_clear(&one);
    vv_buffer_clear(&none);
    varve_graph_free(graph);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, are_superseded_on_demand)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    varve_events_supersede(e, 10);
    record(e, 10);
    record(e, INT64_MAX);
    varve_events_supersede(e, 5);
    record(e, 4);
    check_story(memory, e, "start(10) 10 9223372036854775807 start(5) 4");
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, refuse_an_invalid_state)
{
    struct memory *memory = memory_new();
    varve_events *e = open_in_memory(memory, NULL);
    add_to_graph(e);
    cr_assert_eq(
        vv_state_load(node, "events", "1234567", 7, NULL), VARVE_CALLBACK);
    cr_assert_eq(vv_state_load(node, "events", "", 0, NULL), VARVE_OK);
    record(e, 1);
    check_story(memory, e, "1");
    varve_graph_free(graph);
    varve_events_free(e);
    memory_free(memory);
}

TEST(events, that_are_null_have_an_empty_state)
{
    add_to_graph(NULL);
    struct vv_buffer bytes = saved();
    cr_assert_eq(bytes.size, 0);
    load(&bytes);
    cr_assert_eq(vv_state_load(node, "events", "12345678", 8, NULL), VARVE_OK);
    vv_buffer_clear(&bytes);
    varve_graph_free(graph);
}

/* --- Files ---------------------------------------------------------------- */

TEST(events, of_two_writers_have_separate_files)
{
    struct memory *memory = memory_new();
    varve_events *a = open_in_memory(memory, NULL);
    varve_events *b = open_in_memory(memory, NULL);
    cr_assert_lt(strcmp(varve_events_path(a), varve_events_path(b)), 0);
    for (int64_t i = 0; i < 100; i++)
        record(i % 2 ? a : b, i);
    varve_events_free(a);
    varve_events_free(b);
    cr_assert_eq(memory_file_count(memory), 2);
    for (size_t i = 0; i < 2; i++) {
        struct event_list list = recorded(memory, memory_file_path(memory, i));
        cr_assert_eq(list.count, 51);
        event_list_free(&list);
    }
    memory_free(memory);
}

/* test_events.c - Tests that events of a training can be read, and that a run
 * resumed from an earlier step does not show both histories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/event_reader.h"

static struct event_list list;
static void *bytes;

static void read_file(const char *path)
{
    size_t size;
    bytes = test_read_file(path, &size);
    list = event_read(bytes, size);
    cr_assert_null(list.fault, "%s", list.fault);
    cr_assert_not(list.is_cut);
}

static void release(void)
{
    event_list_free(&list);
    free(bytes);
}

static varve_events *open_events(void)
{
    varve_error error = { 0 };
    varve_events *events = varve_events_open(test_path("run"),
        &(varve_events_options){ .allocator = test_allocator() }, &error);
    cr_assert(events, "%s", error.message);
    return events;
}

struct program {
    varve_graph *graph;
    varve_node *root;
    varve_events *events;
    int64_t step;
};

static void begin(struct program *p, bool has_events)
{
    p->events = has_events ? open_events() : NULL;
    p->graph = varve_graph_new(test_allocator());
    p->root = varve_graph_root(p->graph);
    p->step = 0;
    varve_add_variable(p->root, "step", varve_scalar(&p->step));
    varve_add_events(p->root, "events", p->events);
}

static void train(struct program *p, int64_t end)
{
    while (p->step < end) {
        p->step++;
        varve_events_scalar(p->events, p->step, "loss", 1);
    }
}

static void write(struct program *p, const char *name)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_write(p->root, test_path(name), NULL, &error), error);
}

static void read_back(struct program *p, const char *name)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_read(p->root, test_path(name), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
}

static void end(struct program *p)
{
    varve_graph_free(p->graph);
    varve_events_free(p->events);
}

static void expect_step(size_t i, int64_t step, bool is_start)
{
    cr_assert_lt(i, list.count);
    cr_assert_eq(list.events[i].step, step);
    cr_assert_eq(list.events[i].session_status, is_start);
}

TEST(events, of_a_resumed_run_supersede_those_after_its_checkpoint)
{
    struct program p;
    begin(&p, true);
    train(&p, 10);
    write(&p, "ten");
    train(&p, 15);
    end(&p);

    begin(&p, true);
    read_back(&p, "ten");
    train(&p, 12);
    cr_assert_eq(varve_events_flush(p.events, NULL), VARVE_OK);
    read_file(varve_events_path(p.events));
    cr_assert_eq(list.count, 4);
    expect_step(1, 11, true);
    expect_step(2, 11, false);
    expect_step(3, 12, false);
    release();
    end(&p);
}

TEST(events, of_a_rejected_move_are_superseded)
{
    struct program p;
    varve_error error = { 0 };
    begin(&p, true);
    train(&p, 3);
    varve_snapshot *best = varve_snapshot_new(p.root, &error);
    cr_assert(best, "%s", error.message);
    train(&p, 5);
    cr_assert_ok(varve_snapshot_restore(best, &error), error);
    cr_assert_eq(p.step, 3);
    train(&p, 4);
    cr_assert_ok(varve_events_flush(p.events, &error), error);
    read_file(varve_events_path(p.events));
    expect_step(5, 5, false);
    expect_step(6, 4, true);
    expect_step(7, 4, false);
    cr_assert_eq(list.count, 8);
    release();
    varve_snapshot_free(best);
    end(&p);
}

TEST(events, that_failed_to_open_do_not_stop_a_run)
{
    struct program p;
    begin(&p, true);
    train(&p, 10);
    write(&p, "ten");
    end(&p);
    begin(&p, false);
    read_back(&p, "ten");
    train(&p, 20);
    write(&p, "twenty");
    end(&p);
    begin(&p, true);
    read_back(&p, "twenty"); /* its recorded events are unknown */
    train(&p, 21);
    cr_assert_eq(varve_events_flush(p.events, NULL), VARVE_OK);
    read_file(varve_events_path(p.events));
    cr_assert_eq(list.count, 2);
    expect_step(1, 21, false);
    release();
    end(&p);
}

TEST(events, are_on_disk_when_the_run_ends_without_a_flush)
{
    char path[4096];
    varve_events *events = open_events();
    strcpy(path, varve_events_path(events));
    cr_assert(strstr(path, "/events.out.tfevents."));
    for (int64_t step = 0; step < 5000; step++)
        varve_events_scalar(events, step, "loss", 1);
    varve_events_free(events);
    read_file(path);
    cr_assert_eq(list.count, 5001);
    release();
}

TEST(events, of_two_runs_in_one_directory_do_not_mix)
{
    varve_events *a = open_events();
    varve_events *b = open_events();
    varve_events_text(a, 1, "of", "a");
    varve_events_text(b, 1, "of", "b");
    for (int i = 0; i < 2; i++) {
        varve_events *events = i ? b : a;
        cr_assert_eq(varve_events_flush(events, NULL), VARVE_OK);
        read_file(varve_events_path(events));
        cr_assert_eq(list.count, 2);
        struct event_value *value = &list.events[1].values[0];
        cr_assert(event_bytes_are(value->text, i ? "b" : "a"));
        release();
    }
    varve_events_free(a);
    varve_events_free(b);
}

TEST(events, of_a_removed_file_fail_each_flush)
{
    varve_error error = { 0 };
    varve_events *events = open_events();
    char away[700], path[600];
    varve_events_scalar(events, 1, "loss", 1);
    cr_assert_ok(varve_events_flush(events, &error), error);
    snprintf(path, sizeof path, "%s", varve_events_path(events));
    snprintf(away, sizeof away, "%s.away", path);
    cr_assert_eq(rename(path, away), 0);
    varve_events_scalar(events, 2, "loss", 1);
    cr_assert_ok(varve_events_flush(events, &error), error);
    read_file(away); /* it has another name, but nothing is lost */
    cr_assert_eq(list.count, 3);
    release();
    cr_assert_eq(remove(away), 0);
    cr_assert_eq(varve_events_flush(events, &error), VARVE_NOT_FOUND);
    for (int64_t step = 3; step < 5; step++) {
        varve_events_scalar(events, step, "loss", 1);
        cr_assert_eq(varve_events_flush(events, &error), VARVE_NOT_FOUND);
        cr_assert(strstr(error.message, path), "%s", error.message);
        cr_assert(strstr(error.message, "removed"), "%s", error.message);
    }
    varve_events_free(events);
    events = open_events();
    varve_events_scalar(events, 5, "loss", 1);
    cr_assert_ok(varve_events_flush(events, &error), error);
    varve_events_free(events);
}

TEST(events, of_a_removed_file_fail_no_save)
{
    struct program p;
    begin(&p, true);
    train(&p, 2);
    cr_assert_eq(remove(varve_events_path(p.events)), 0);
    train(&p, 4);
    write(&p, "a");
    read_back(&p, "a");
    cr_assert_eq(varve_events_flush(p.events, NULL), VARVE_NOT_FOUND);
    end(&p);
}

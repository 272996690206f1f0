/* snapshot.c - P9: Measures snapshots compared with a non-temporal copy on as
 * many threads. P10: the same if the program has written little in between.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "model.h"
#include "raw.h"
#include "rows.h"

static double retake(void *user)
{
    varve_error error;
    double begin = now();
    must(varve_snapshot_retake(user, &error), &error);
    return now() - begin;
}

static double restore(void *user)
{
    varve_error error;
    double begin = now();
    must(varve_snapshot_restore(user, &error), &error);
    return now() - begin;
}

static void all_changed(const struct wishes *wishes)
{
    struct raw raw = { .size = wishes->size };
    raw.bytes = touched_memory(raw.size);
    raw.other = touched_memory(raw.size);
    varve_graph *graph = model_of_variables(raw.bytes, raw.size, 100);
    varve_error error = { 0 };
    varve_snapshot *s = varve_snapshot_new(varve_graph_root(graph), &error);
    must(error.status, &error);
    struct contender c[] = {
        { .name = "varve_snapshot_retake", .run = retake, .user = s },
        { .name = "varve_snapshot_restore", .run = restore, .user = s },
        { .name = "copy, all cores", .run = raw_copy_all, .user = &raw },
        { .name = "memcpy, one thread", .run = raw_copy, .user = &raw },
    };
    race(c, 4, wishes->rounds);
    for (size_t i = 0; i < 2; i++)
        report(&(struct row){ .id = "P9",
            .what = i ? "snapshot restore" : "snapshot retake",
            .ours = &c[i],
            .raw = &c[2],
            .least_ratio = 0.9 });
    report(&(struct row){ .id = "P9",
        .what = "snapshot retake, and memcpy",
        .ours = &c[0],
        .raw = &c[3] });
    varve_snapshot_free(s);
    varve_graph_free(graph);
    free(raw.bytes);
    free(raw.other);
}

/* --- Where little was written ------------------------------------------- */

enum { PAGE = 4096 };

struct period {
    varve_snapshot *s;
    varve_graph *graph;
    unsigned char *bytes;
    size_t size;
    size_t step; /* one page in this many bytes is written */
};

static double write_some(void *user)
{
    const struct period *p = user;
    double begin = now();
    for (size_t i = 0; i < p->size; i += p->step)
        p->bytes[i]++;
    return now() - begin;
}

static double retake_some(void *user)
{
    const struct period *p = user;
    write_some(user);
    return retake(p->s);
}

static double restore_some(void *user)
{
    const struct period *p = user;
    write_some(user);
    return restore(p->s);
}

/* Restores the snapshot's values and simulates the program's next step. */
static double step(void *user)
{
    const struct period *p = user;
    retake(p->s);
    return write_some(user);
}

/* A step and a snapshot of it. */
static double period(void *user)
{
    const struct period *p = user;
    return write_some(user) + retake(p->s);
}

static void begin(struct period *p, size_t size, size_t step, bool track)
{
    varve_error error = { 0 };
    p->bytes = touched_memory(size);
    p->size = size;
    p->step = step;
    p->graph = model_of_variables(p->bytes, size, 100);
    p->s = varve_snapshot_new_with(varve_graph_root(p->graph),
        &(varve_snapshot_options){ .track = track }, &error);
    must(error.status, &error);
}

static void end(struct period *p)
{
    varve_snapshot_free(p->s);
    varve_graph_free(p->graph);
    free(p->bytes);
}

static void little_changed(const struct wishes *wishes)
{
    struct period tracked, plain;
    begin(&tracked, wishes->size, 100 * PAGE, true);
    begin(&plain, wishes->size, 100 * PAGE, false);
    struct contender c[] = {
        { .name = "track: retake", .run = retake_some, .user = &tracked },
        { .name = "track: restore", .run = restore_some, .user = &tracked },
        { .name = "track: next step", .run = step, .user = &tracked },
        { .name = "retake", .run = retake_some, .user = &plain },
        { .name = "restore", .run = restore_some, .user = &plain },
        { .name = "next step", .run = step, .user = &plain },
    };
    race(c, 6, wishes->rounds);
    static const char *const what[] = { "retake, 1 % of the pages changed",
        "restore, 1 % changed", "next step, 1 % changed" };
    for (size_t i = 0; i < 3; i++)
        report(&(struct row){ .id = "P10",
            .what = what[i],
            .ours = &c[i],
            .raw = &c[i + 3],
            .least_ratio = i < 2 ? 10 : 0 });
    end(&tracked);
    end(&plain);
}

/* Measures the cost of page tracking for a program that changes everything. */
static void all_changed_tracked(const struct wishes *wishes)
{
    struct period tracked, plain;
    begin(&tracked, wishes->size, PAGE, true);
    begin(&plain, wishes->size, PAGE, false);
    struct contender c[] = {
        { .name = "track: step and retake", .run = period, .user = &tracked },
        { .name = "step and retake", .run = period, .user = &plain },
    };
    race(c, 2, wishes->rounds);
    report(&(struct row){ .id = "P10",
        .what = "step and retake, all changed",
        .ours = &c[0],
        .raw = &c[1] });
    end(&tracked);
    end(&plain);
}

void bench_snapshot(const struct wishes *wishes)
{
    if (is_wanted(wishes, "P9"))
        all_changed(wishes);
    if (is_wanted(wishes, "P10")) {
        little_changed(wishes);
        all_changed_tracked(wishes);
    }
}

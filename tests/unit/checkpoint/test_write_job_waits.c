/* test_write_job_waits.c - Tests which call waits for which part of an
 * asynchronous save, according to the table in docs/async.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "backgrounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <varve/snapshot.h>

/* Two jobs: the first waits at the gate; the second, with zero copy, is neither
 * copied nor written. Values are 1, those of "file" 3. */
static struct {
    varve_job *first, *second;
    varve_node *owned; /* a library-owned variable */
    varve_snapshot *snapshot;
    bool second_is_freed, graph_is_freed;
} now;

static varve_error error;

static void begin_jobs(void)
{
    static const varve_write_options zero_copy = { .async.zero_copy = true };
    begin_gate();
    memset(&now, 0, sizeof now);
    now.owned = varve_add_allocated_variable(
        gate.root, "c", VARVE_FLOAT32, VARVE_SHAPE(MANY), NULL, NULL);
    set_values(3);
    cr_assert_ok(varve_write(gate.root, "file", NULL, &error), error);
    set_values(1);
    now.snapshot = varve_snapshot_new(gate.root, &error);
    cr_assert(now.snapshot, "%s", error.message);
    close_gate();
    now.first = begin_write("first", NULL);
    wait_at_gate();
    now.second = begin_write("second", &zero_copy);
}

static void end_jobs(void)
{
    open_gate(0);
    varve_job_free(now.first);
    if (!now.second_is_freed)
        varve_job_free(now.second);
    varve_snapshot_free(now.snapshot);
    if (now.graph_is_freed)
        gate.root = new_root();
    end_gate();
}

/* --- Calls ---------------------------------------------------------------- */

static void wait_staged(void)
{
    cr_assert_ok(varve_job_wait_staged(now.second, &error), error);
}
static void wait_second(void)
{
    cr_assert_ok(varve_job_wait(now.second, &error), error);
}
static void free_second(void)
{
    varve_job_free(now.second);
    now.second_is_freed = true;
}
static void write_it(void)
{
    cr_assert_ok(varve_write(gate.root, "third", NULL, &error), error);
}
static void free_graph(void)
{
    varve_snapshot_free(now.snapshot);
    now.snapshot = NULL;
    free_root(gate.root);
    now.graph_is_freed = true;
}
static void read_it(void)
{
    varve_restoration *r = varve_read(gate.root, "file", NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
}
static void restore_snapshot(void)
{
    cr_assert_ok(varve_snapshot_restore(now.snapshot, &error), error);
}
static void remove_it(void) { varve_remove(gate.nodes[0]); }
static void untrack_it(void) { varve_untrack(gate.root, "a"); }
static void rebind_it(void)
{
    static float other[MANY];
    varve_rebind(gate.nodes[0], varve_array(other, MANY));
}
static void retype_it(void)
{
    cr_assert_ok(varve_retype(now.owned, VARVE_FLOAT64, NULL, &error), error);
}
static void plan_it(void)
{
    varve_restoration *r = varve_dry_run(gate.root, "file", NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
}
static void take_snapshot(void)
{
    varve_snapshot_free(varve_snapshot_new(gate.root, &error));
}
static void add_node(void) { varve_add_object(gate.root, "later"); }
static void is_done(void) { cr_assert_not(varve_job_is_done(now.second)); }
static void progress(void)
{
    uint64_t done, total;
    varve_job_progress(now.second, &done, &total);
}
static void path_of(void) { cr_assert_null(varve_job_path(now.second)); }
static void cancel(void) { varve_job_cancel(now.second); }

/* --- Expected waits ------------------------------------------------------- */

enum waits { NOTHING, COPIES, END };

static const struct row {
    const char *calls, *words; /* as in docs/async.md */
    enum waits waits;
    void (*ways[5])(void);
} rows[] = {
    { "`varve_job_wait_staged`", "the copy of this save", COPIES,
        { wait_staged } },
    { "`varve_job_wait`, `varve_job_free`", "the end of this save", END,
        { wait_second, free_second } },
    { "`varve_write`, `varve_save`, `varve_graph_free`",
        "the end of all saves of the graph", END, { write_it, free_graph } },
    { "`varve_read` and `varve_restore`, `varve_snapshot_restore`",
        "the copies of all saves of the graph", COPIES,
        { read_it, restore_snapshot } },
    { "`varve_remove`, `varve_untrack`, `varve_rebind`, `varve_retype`",
        "the copies of all saves of the graph", COPIES,
        { remove_it, untrack_it, rebind_it, retype_it } },
    { "`varve_add_object` and others that add, `varve_dry_run`, "
      "`varve_snapshot_new`",
        "nothing", NOTHING, { add_node, plan_it, take_snapshot } },
    { "`varve_job_is_done`, `varve_job_progress`, `varve_job_cancel`, "
      "`varve_job_path`",
        "nothing", NOTHING, { is_done, progress, path_of, cancel } },
};

enum { ROWS = sizeof rows / sizeof *rows };

static void *open_later(void *argument)
{
    const struct timespec moment = { .tv_nsec = 30000000 };
    nanosleep(&moment, NULL);
    open_gate(0);
    return argument;
}

static void check_end(void (*way)(void))
{
    pthread_t opener;
    begin_jobs();
    cr_assert_eq(pthread_create(&opener, NULL, open_later, NULL), 0);
    way();
    cr_assert(varve_job_is_done(now.first));
    cr_assert(now.second_is_freed || varve_job_is_done(now.second));
    pthread_join(opener, NULL);
    check_file("second", 1);
    end_jobs();
}

/* Checks that the call returns while the first job waits at the gate. Data that
 * is not copied by then is no longer the state at the start of the save. */
static void check_copied(void (*way)(void), bool is_copied)
{
    begin_jobs();
    way();
    cr_assert_not(varve_job_is_done(now.first));
    set_values(7);
    open_gate(0);
    varve_status status = varve_job_wait(now.second, &error);
    cr_assert(!status || way == cancel, "%s", error.message);
    if (!status)
        check_file("second", is_copied ? 1 : 7);
    end_jobs();
}

TEST(job, is_waited_for_by_the_documented_calls_only)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < 5 && rows[i].ways[k]; k++) {
            if (rows[i].waits == END)
                check_end(rows[i].ways[k]);
            else
                check_copied(rows[i].ways[k], rows[i].waits == COPIES);
        }
    }
}

/* Starts another save before the copy of the second one is complete. */
TEST(job, waits_for_its_copy_and_for_the_oldest_pending_job)
{
    pthread_t opener;
    begin_jobs();
    varve_write_options three = { .async.in_flight = 3 };
    varve_job *third = begin_write("third", &three);
    cr_assert_not(varve_job_is_done(now.first));
    set_values(7);
    cr_assert_eq(pthread_create(&opener, NULL, open_later, NULL), 0);
    three.async.in_flight = 1;
    varve_job *fourth = begin_write("fourth", &three);
    cr_assert(varve_job_is_done(now.first) && varve_job_is_done(third));
    pthread_join(opener, NULL);
    finish_job(third);
    finish_job(fourth);
    check_file("third", 1);
    check_file("fourth", 7);
    end_jobs();
}

/* --- The documentation page ----------------------------------------------- */

TEST(job, waits_as_documented)
{
    size_t size;
    char line[300];
    char *page = (char *)test_read_file(
        GOLDEN "/../../docs/async.md", &size);
    page = realloc(page, size + 1);
    page[size] = '\0';
    const char *table = strstr(page, "| call | waits for |");
    cr_assert(table);
    const char *end = strstr(table, "\n\n");
    size_t lines = 0;
    for (const char *at = table; at < end; at = strchr(at + 1, '\n'))
        lines++;
    for (size_t i = 0; i < ROWS; i++) {
        snprintf(line, sizeof line, "\n| %s | %s |\n", rows[i].calls,
            rows[i].words);
        const char *found = strstr(table, line);
        cr_assert(found && found < end, "expected in docs/async.md%s", line);
    }
    /* and the row for starting a save */
    cr_assert_eq(lines, 2 + ROWS + 1, "%zu lines", lines);
    free(page);
}

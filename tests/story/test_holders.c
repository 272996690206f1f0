/* test_holders.c - Tests objects that refer to variables of a program after
 * these have changed: each call returns the documented status, and a rejected
 * call changes nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "held.h"

#include <string.h>

/* --- What may become of it ---------------------------------------------- */

enum effect { STAYS, CHANGES, LOSES_ROOT, IS_FREED, EFFECTS };

static void retype(varve_dtype dtype)
{
    cr_assert_ok(varve_retype(program.a, dtype, NULL, &program.error),
        program.error);
}

static void nothing(void) {}
static void wider(void) { retype(VARVE_COMPLEX128); }
static void narrower(void) { retype(VARVE_INT8); }
static void as_wide(void) { retype(VARVE_INT32); }

static void there_and_back(void)
{
    retype(VARVE_FLOAT64);
    retype(VARVE_FLOAT32);
}

static void rebind(void)
{
    varve_rebind(program.w, varve_array(program.memory[1], COUNT));
}

static void longer_strings(void)
{
    static char text[10000];
    memset(text, 'x', sizeof text);
    program.texts[0] = (varve_string){ text, sizeof text };
    program.texts[1] = (varve_string){ text, 10 };
}

static void initialize(void)
{
    (void)!varve_initialize(program.root, NULL, &program.error);
}

static void remove_variable(void)
{
    varve_remove(program.a);
    program.a = NULL;
}

static void untrack(void) { varve_untrack(program.model, "a"); }

static void replace(void)
{
    varve_node *detached = varve_add_detached(program.graph);
    varve_replace(program.model, "w",
        varve_add_variable(
            detached, "w", varve_array(program.other, COUNT)));
}

static void remove_model(void)
{
    varve_remove(program.model);
    program.a = NULL;
}

static void free_graph(void)
{
    varve_graph_free(program.graph);
    program.graph = NULL;
    program.a = NULL;
}

static const struct event {
    const char *name;
    void (*happen)(void);
    enum effect effect;
} events[] = {
    { "nothing", nothing, STAYS },
    { "rebind", rebind, STAYS },
    { "retype there and back", there_and_back, STAYS },
    { "longer strings", longer_strings, STAYS },
    { "initial values", initialize, STAYS },
    { "retype to a wider one", wider, CHANGES },
    { "retype to a narrower one", narrower, CHANGES },
    { "retype to one as wide", as_wide, CHANGES },
    { "remove", remove_variable, CHANGES },
    { "untrack", untrack, CHANGES },
    { "replace", replace, CHANGES },
    { "remove the root", remove_model, LOSES_ROOT },
    { "free the graph", free_graph, IS_FREED },
};

/* Allocates memory, so that freed blocks are reused. */
static void reuse_memory(void)
{
    for (int i = 0; program.graph && i < 8; i++) {
        varve_node *node = varve_add_detached(program.graph);
        varve_add_allocated_variable(
            node, "v", VARVE_UINT8, VARVE_SHAPE(3), NULL, NULL);
    }
}

/* --- What holds it ------------------------------------------------------ */

static union {
    struct {
        varve_snapshot *one, *two;
    };
    varve_ring *ring;
    varve_restoration *r;
    varve_saver *saver;
    varve_manager *manager;
} held;

static void make_snapshots(void)
{
    story_write(program.model, "f");
    held.one = varve_snapshot_new(program.model, &program.error);
    held.two = varve_snapshot_new_with(program.model,
        &(varve_snapshot_options){ .except = "w" }, &program.error);
    cr_assert(held.one && held.two, "%s", program.error.message);
}

static void end_snapshots(void)
{
    varve_snapshot_free(held.one);
    varve_snapshot_free(held.two);
}

static varve_status restore(varve_error *e)
{
    return varve_snapshot_restore(held.one, e);
}

static varve_status restore_but_one(varve_error *e)
{
    return varve_snapshot_restore(held.two, e);
}

static varve_status retake(varve_error *e)
{
    return varve_snapshot_retake(held.one, e);
}

static varve_status count(void *user, const varve_difference *difference)
{
    (void)user;
    (void)difference;
    return VARVE_OK;
}

static varve_status compare(varve_error *e)
{
    return varve_snapshot_diff(held.one, NULL, count, NULL, e);
}

static varve_status compare_two(varve_error *e)
{
    return varve_snapshot_diff(held.one, held.two, count, NULL, e);
}

static varve_status write_snapshot(varve_error *e)
{
    return varve_snapshot_write(held.one, test_path("s"), &quickly, e);
}

static varve_status read_snapshot(varve_error *e)
{
    return varve_snapshot_read(held.two, test_path("f"), NULL, e);
}

static void make_ring(void)
{
    held.ring = varve_ring_new(program.model, 2, NULL, &program.error);
    cr_assert(held.ring);
}

static void push_one(void)
{
    cr_assert_ok(varve_ring_push(held.ring, &program.error), program.error);
}

static void make_full_ring(void)
{
    make_ring();
    push_one();
    push_one();
    push_one();
}

static void end_ring(void)
{
    varve_ring_free(held.ring);
}

static varve_status push(varve_error *e)
{
    return varve_ring_push(held.ring, e);
}

static varve_status roll_back(varve_error *e)
{
    return varve_ring_rollback(held.ring, 1, e);
}

static void make_saver(void)
{
    held.saver = varve_saver_new(program.graph, NULL, &program.error);
    cr_assert_ok(
        varve_saver_add(held.saver, "m", program.model, &program.error),
        program.error);
}

static void make_saver_under(void)
{
    held.saver = varve_saver_new(program.graph, NULL, &program.error);
    cr_assert_ok(varve_saver_add_under(
                     held.saver, NULL, program.model, &program.error),
        program.error);
}

static void end_saver(void)
{
    varve_saver_free(held.saver);
}

static varve_status save_saver(varve_error *e)
{
    return varve_saver_save(held.saver, test_path("saved"),
        &(varve_saver_save_options){ .write = &quickly }, e);
}

static void make_saved(void)
{
    make_saver();
    cr_assert_ok(save_saver(&program.error), program.error);
}

static varve_status restore_saver(varve_error *e)
{
    return varve_saver_restore(held.saver, test_path("saved"),
        &(varve_read_options){ .cast = VARVE_CAST_ANY,
            .except = "m/w",
            .expect.missing = "**" },
        NULL, e);
}

static void make_manager(void)
{
    static varve_manager_options options = {
        .write = &quickly, .may_start_new_run = true
    };
    held.manager = varve_manager_new(
        program.model, test_path("run"), &options, &program.error);
    cr_assert(held.manager);
}

static void make_resumed(void)
{
    make_manager();
    cr_assert_ok(
        varve_manager_save(held.manager, 1, &program.error), program.error);
    cr_assert_ok(
        varve_manager_resume(held.manager, &program.error), program.error);
}

static void end_manager(void)
{
    varve_manager_free(held.manager);
}

static varve_status save_managed(varve_error *e)
{
    return varve_manager_save(held.manager, 2, e);
}

static varve_status prune_managed(varve_error *e)
{
    return varve_manager_prune(held.manager, e);
}

static void read_with(const varve_read_options *options)
{
    held.r = story_read(program.model, "f", options);
}

static void make_restoration(void)
{
    story_write(program.model, "f");
    read_with(NULL);
}

static void make_plan(void)
{
    story_write(program.model, "f");
    held.r =
        varve_dry_run(program.model, test_path("f"), NULL, &program.error);
    cr_assert(held.r);
}

/* Makes many values pending, with a rename and patterns that contain paths. */
static void make_waiting(void)
{
    static const varve_rename rename = { "weight", "w" };
    float more = 0;
    varve_add_variable(program.model, "more", varve_scalar(&more));
    story_write(program.model, "f");
    varve_remove(varve_find(program.model, "more"));
    read_with(&(varve_read_options){ .rename = { .list = &rename,
        .count = 1 },
        .expect.missing = "w" });
}

/* One value does not fit, and another could not be restored. */
static void make_mismatch(void)
{
    make_waiting();
    program.other[0] = 1;
    varve_add_variable(
        program.model, "more", varve_array(COPY_OF(program.other), 3));
    cr_assert_eq(
        varve_graph_check(program.graph, &program.error), VARVE_MISMATCH);
}

static void end_restoration(void)
{
    varve_restoration_free(held.r);
}

static varve_status verify(varve_error *e)
{
    return varve_restoration_verify(held.r, e);
}

static varve_status retry(varve_error *e)
{
    return varve_restoration_retry(held.r, e);
}

static varve_status drop(varve_error *e)
{
    return varve_drop_pending(held.r, NULL, e);
}

static varve_status report(varve_error *e)
{
    varve_report *report = varve_report_new(held.r, e);
    varve_finding finding;
    if (!report)
        return e->status;
    for (int kind = 0; kind < VARVE_FINDING_KINDS; kind++) {
        size_t i = 0;
        while (varve_report_at(report, (varve_finding_kind)kind, i, &finding))
            i++;
        cr_assert_eq(i, varve_report_count(report, (varve_finding_kind)kind));
    }
    varve_report_free(report);
    cr_assert(varve_restoration_path(held.r));
    varve_pending_count(held.r);
    return VARVE_OK;
}

static varve_status consumed(varve_error *e)
{
    varve_status status = varve_assert_consumed(held.r, e);
    if (!varve_assert_existing_objects_matched(held.r, e))
        (void)!varve_assert_nontrivial_match(held.r, e);
    return status == VARVE_UNMATCHED ? VARVE_OK : status;
}

static void make_file(void)
{
    story_write(program.model, "f");
}

static void end_nothing(void) {}

/* Restores the changed variables again. */
static varve_status read_again(varve_error *e)
{
    if (!program.a || varve_value(program.a)->dtype != VARVE_FLOAT32 ||
        varve_find(program.model, "a") != program.a)
        return VARVE_OK;
    varve_restoration *r = varve_read(program.model, test_path("f"),
        &(varve_read_options){ .except = "w", .map = true }, e);
    varve_restoration_free(r);
    return r ? VARVE_OK : e->status;
}

static const struct call {
    const char *name;
    void (*make)(void);
    varve_status (*call)(varve_error *error);
    void (*end)(void);
    varve_status expected[EFFECTS];
} calls[] = {
#define SNAPSHOT                                                               \
    end_snapshots,                                                             \
        { VARVE_OK, VARVE_MISMATCH, VARVE_MISMATCH, VARVE_MISMATCH }
    { "restore", make_snapshots, restore, SNAPSHOT },
    { "restore but one", make_snapshots, restore_but_one, SNAPSHOT },
    { "retake", make_snapshots, retake, SNAPSHOT },
    { "compare", make_snapshots, compare, SNAPSHOT },
    { "compare two", make_snapshots, compare_two, SNAPSHOT },
    { "write a snapshot", make_snapshots, write_snapshot, SNAPSHOT },
    { "read a snapshot", make_snapshots, read_snapshot, SNAPSHOT },
    { "push the first", make_ring, push, end_ring,
        { VARVE_OK, VARVE_OK, VARVE_MISMATCH, VARVE_MISMATCH } },
    { "push over the oldest", make_full_ring, push, end_ring,
        { VARVE_OK, VARVE_OK, VARVE_MISMATCH, VARVE_MISMATCH } },
    { "roll back", make_full_ring, roll_back, end_ring,
        { VARVE_OK, VARVE_MISMATCH, VARVE_MISMATCH, VARVE_MISMATCH } },
    { "save by name", make_saver, save_saver, end_saver,
        { VARVE_OK, VARVE_OK, VARVE_MISUSE, VARVE_MISUSE } },
    { "save by path", make_saver_under, save_saver, end_saver,
        { VARVE_OK, VARVE_OK, VARVE_MISUSE, VARVE_MISUSE } },
    { "restore by name", make_saved, restore_saver, end_saver,
        { VARVE_OK, VARVE_OK, VARVE_MISUSE, VARVE_MISUSE } },
    { "save managed", make_manager, save_managed, end_manager,
        { VARVE_OK, VARVE_OK, VARVE_MISUSE, VARVE_MISUSE } },
    { "save after a resume", make_resumed, save_managed, end_manager,
        { VARVE_OK, VARVE_OK, VARVE_MISUSE, VARVE_MISUSE } },
    { "prune", make_resumed, prune_managed, end_manager, { VARVE_OK } },
    { "verify", make_restoration, verify, end_restoration, { VARVE_OK } },
    { "verify what waits", make_waiting, verify, end_restoration,
        { VARVE_OK } },
    { "retry", make_restoration, retry, end_restoration, { VARVE_OK } },
    { "retry what waits", make_waiting, retry, end_restoration, { VARVE_OK } },
    { "retry a mismatch", make_mismatch, retry, end_restoration,
        { VARVE_MISMATCH, VARVE_MISMATCH, VARVE_OK, VARVE_OK } },
    { "retry a plan", make_plan, retry, end_restoration, { VARVE_OK } },
    { "drop", make_waiting, drop, end_restoration, { VARVE_OK } },
    { "drop a mismatch", make_mismatch, drop, end_restoration, { VARVE_OK } },
    { "report", make_restoration, report, end_restoration, { VARVE_OK } },
    { "report what waits", make_waiting, report, end_restoration,
        { VARVE_OK } },
    { "report a mismatch", make_mismatch, report, end_restoration,
        { VARVE_OK } },
    { "report a plan", make_plan, report, end_restoration, { VARVE_OK } },
    { "assert", make_restoration, consumed, end_restoration, { VARVE_OK } },
    { "assert a mismatch", make_mismatch, consumed, end_restoration,
        { VARVE_OK } },
    { "assert of a plan", make_plan, consumed, end_restoration, { VARVE_OK } },
    { "read again", make_file, read_again, end_nothing, { VARVE_OK } },
};

/* --- Each with each ----------------------------------------------------- */

struct values {
    float memory[2][COUNT];
    unsigned char a[COUNT * 16];
    varve_string texts[2];
    char state[8];
};

static struct values values_now(void)
{
    struct values v;
    memset(&v, 0, sizeof v);
    memcpy(v.memory, program.memory, sizeof v.memory);
    memcpy(v.texts, program.texts, sizeof v.texts);
    memcpy(v.state, program.state, sizeof v.state);
    if (program.a)
        memcpy(v.a, varve_data(program.a),
            (size_t)varve_tensor_size(varve_value(program.a)));
    return v;
}

static void try(const struct call *call, const struct event *event)
{
    make_program();
    call->make();
    event->happen();
    reuse_memory();
    struct values before = values_now();
    program.error.message[0] = '\0';
    varve_status status = call->call(&program.error);
    cr_expect_eq(status, call->expected[event->effect],
        "%s, then %s: %s, expected %s: %s", event->name, call->name,
        varve_status_name(status),
        varve_status_name(call->expected[event->effect]),
        program.error.message);
    struct values after = values_now();
    cr_expect(!status || memcmp(&before, &after, sizeof after) == 0,
        "%s, then %s: refused, and values have changed", event->name,
        call->name);
    call->end();
    varve_graph_free(program.graph);
}

TEST(holders, detect_changes_of_the_objects_they_use)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (size_t k = 0; k < sizeof events / sizeof *events; k++)
            try(&calls[i], &events[k]);
}

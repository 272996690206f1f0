/* world.c - sets worlds up, breaks them, and looks at what is left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* A way to break a call to the system. */
struct fault {
    const char *name;
    enum faulty_way way;
    int error;
    bool sticky;
};

static const struct fault faults[] = {
    { "EIO", FAULTY_FAILS, EIO, false },
    { "ENOSPC", FAULTY_FAILS, ENOSPC, false },
    { "EINTR", FAULTY_FAILS, EINTR, false },
    { "EAGAIN", FAULTY_FAILS, EAGAIN, false },
    { "all but one byte", FAULTY_ONE_BYTE, 0, false },
    { "half", FAULTY_HALF, 0, false },
    { "nothing moved", FAULTY_NOTHING, 0, false },
    { "EIO for ever", FAULTY_FAILS, EIO, true },
};

/* Calls whose failure may be nobody's business: hints, what only gives
 * something back, and threads, without which the work is done by fewer. */
enum {
    HARMLESS = FAULTY_RESERVE | FAULTY_START_WRITE_BACK | FAULTY_WILL_READ |
               FAULTY_CLOSE | FAULTY_CLOSE_DIRECTORY | FAULTY_UNMAP |
               FAULTY_REMOVE | FAULTY_PROCESSORS | FAULTY_START_THREAD |
               FAULTY_JOIN_THREAD,
};

/* --- The older file ------------------------------------------------------- */

static unsigned char *old_bytes;
static size_t old_size;

static void free_old(void)
{
    free(old_bytes);
}

static void make_old(void)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_graph *graph = vv_graph_new_in(&context);
    struct everything model = { .big = malloc(4 * EVERYTHING_BIG) };
    varve_write_options options = everything_options();
    varve_error error;
    everything_build(&model, graph);
    everything_fill(&model, OLD);
    cr_assert_ok(varve_save(
        varve_graph_root(graph), "a", &options, &error), error);
    const unsigned char *bytes = memory_bytes(memory, "a-1.varve", &old_size);
    old_bytes = malloc(old_size);
    memcpy(old_bytes, bytes, old_size);
    atexit(free_old);
    varve_graph_free(graph);
    free(model.big);
    memory_free(memory);
}

const unsigned char *old_file(size_t *size)
{
    if (!old_bytes)
        make_old();
    *size = old_size;
    return old_bytes;
}

/* --- Worlds --------------------------------------------------------------- */

static float big[EVERYTHING_BIG];

static void begin(struct world *w, const struct scenario *scenario)
{
    *w = (struct world){ .scenario = scenario, .model = { .big = big } };
    size_t size;
    const unsigned char *bytes = old_file(&size);
    w->memory = memory_new();
    if (scenario->path)
        memory_put(w->memory, scenario->path, bytes, size);
    w->faulty = faulty_new(memory_system(w->memory));
    w->context = test_context(faulty_system(w->faulty));
    w->graph = vv_graph_new_in(&w->context);
    if (!scenario->is_empty)
        everything_build(&w->model, w->graph);
    everything_fill(&w->model, NOW);
    if (scenario->prepare)
        scenario->prepare(w);
    w->before = everything_digest(&w->model);
}

static void end(struct world *w, const char *where)
{
    varve_restoration_free(w->restoration);
    varve_snapshot_free(w->snapshot);
    varve_graph_free(w->graph);
    cr_assert_eq(test_block_count(), 0, "%s: %ld blocks are left", where,
        test_block_count());
    cr_assert_eq(faulty_open_count(w->faulty), 0, "%s: left open", where);
    cr_assert_eq(memory_open_count(w->memory), 0, "%s: left open", where);
    faulty_free(w->faulty);
    memory_free(w->memory);
}

static bool has(struct world *w, const char *path)
{
    size_t size;
    return path && memory_bytes(w->memory, path, &size) != NULL;
}

static void check_old_file(struct world *w, const char *where)
{
    size_t size, found_size;
    const char *path = w->scenario->path;
    const unsigned char *bytes = old_file(&size);
    const unsigned char *found = memory_bytes(w->memory, path, &found_size);
    cr_assert(found && found_size == size && memcmp(found, bytes, size) == 0,
        "%s: the older file is not as it was", where);
}

/* Whether the temporary file could not be removed, however often tried. */
static bool removes_failed(const struct world *w)
{
    size_t size = faulty_log_size(w->faulty);
    int count = 0;
    for (size_t i = 0; i < size; i++) {
        const struct faulty_call *call = faulty_log_at(w->faulty, i);
        if (call->kind == FAULTY_REMOVE)
            count = call->result < 0 ? count + 1 : 0;
    }
    return count >= 3;
}

/* What may stand on the disk after a failure: the older file as it was, and
 * nothing else. Where the outcome is unknown, the new one instead. */
static void check_disk(struct world *w, varve_status status, const char *where)
{
    const struct scenario *s = w->scenario;
    bool is_made = status == VARVE_UNKNOWN_OUTCOME;
    bool is_same = s->made && s->path && strcmp(s->made, s->path) == 0;
    size_t expected = (size_t)(s->path != NULL) + (is_made && !is_same);
    size_t count = memory_file_count(w->memory);
    bool cannot_remove = removes_failed(w);
    for (size_t i = 0; i < count; i++)
        cr_assert(count == expected + cannot_remove,
            "%s: %zu files, among them %s", where, count,
            memory_file_path(w->memory, i));
    if (is_made)
        cr_assert(has(w, s->made), "%s: not made", where);
    if (s->path && !(is_made && is_same))
        check_old_file(w, where);
}

/* The message of a fault names the file, and says what failed. */
static void check_message(const struct world *w, const varve_error *error,
    bool names_file, const char *where)
{
    const char *text = error->message;
    cr_assert(*text, "%s: no message", where);
    cr_assert_not(strchr(text, '\n') && error->status != VARVE_HALF_RESTORED,
        "%s: lines: %s", where, text);
    cr_assert(!names_file || strncmp(text, ".:", 2) == 0 ||
        strstr(text, w->scenario->file),
        "%s: the file is not named: %s", where, text);
}

/* At the first try. */
static void check_no_litter(struct world *w, const char *where)
{
    size_t count = memory_file_count(w->memory);
    for (size_t i = 0; i < count && !removes_failed(w); i++)
        cr_assert_not(strstr(memory_file_path(w->memory, i), ".tmp"),
            "%s: a temporary file is left", where);
    faulty_plan(w->faulty, NULL);
}

static void check_success(struct world *w, const char *where)
{
    if (w->scenario->check)
        w->scenario->check(w);
    else
        cr_assert(everything_digest(&w->model) == w->before,
            "%s: values changed", where);
}

static void check_failure(
    struct world *w, const varve_error *error, const char *where)
{
    check_disk(w, error->status, where);
    if (error->status != VARVE_HALF_RESTORED && !w->scenario->is_empty)
        cr_assert(everything_digest(&w->model) == w->before,
            "%s: values changed by a call that failed: %s", where,
            error->message);
    test_fail_allocation(-1, false);
    faulty_plan(w->faulty, NULL);
    if (w->is_stuck)
        return;
    varve_error second = { 0 };
    varve_status status = w->scenario->act(w, &second);
    cr_assert(status == VARVE_OK, "%s: not even without the fault: %s; before, "
        "%s", where, second.message, error->message);
    check_success(w, where);
}

/* --- Allocations ---------------------------------------------------------- */

struct count {
    long faults, failed, absorbed, half;
};

static bool try_allocation(const struct scenario *scenario, long number,
    bool sticky, struct count *count)
{
    char where[128];
    struct world w;
    snprintf(where, sizeof where, "%s, allocation %ld%s", scenario->name,
        number, sticky ? " and all after it" : "");
    begin(&w, scenario);
    test_fail_allocation(number, sticky);
    varve_error error = { 0 };
    varve_status status = scenario->act(&w, &error);
    bool was_hit = test_allocation_count() > number ||
                   status == VARVE_NO_MEMORY;
    test_fail_allocation(-1, false);
    if (status == VARVE_OK) {
        check_no_litter(&w, where);
        check_success(&w, where);
        count->absorbed += was_hit;
    } else {
        cr_assert(error.status == status && (status == VARVE_NO_MEMORY ||
            (status == VARVE_HALF_RESTORED && scenario->may_half)),
            "%s: %s: %s", where, varve_status_name(status), error.message);
        check_message(&w, &error, false, where);
        check_failure(&w, &error, where);
        count->failed++;
        count->half += status == VARVE_HALF_RESTORED;
    }
    end(&w, where);
    count->faults += was_hit;
    return was_hit;
}

/* --- Calls to the system -------------------------------------------------- */

static enum faulty_kind hit_kind(const struct world *w, long number)
{
    size_t size = faulty_log_size(w->faulty);
    return (size_t)number < size
               ? faulty_log_at(w->faulty, (size_t)number)->kind
               : FAULTY_ALL;
}

/* Whether the fault came after a numbered file was in place, in the writing of
 * the note about it. */
static bool is_in_note(const struct world *w, long number)
{
    size_t size = faulty_log_size(w->faulty);
    size_t at = faulty_log_find(w->faulty, FAULTY_RENAME_NEW, 0);
    at = faulty_log_find(w->faulty, FAULTY_SYNC_DIRECTORY, at);
    return at < size && (long)at < number;
}

/* Whether a status tells the truth about a fault. */
static bool is_plausible(const struct scenario *scenario,
    const struct fault *fault, enum faulty_kind kind, varve_status status)
{
    bool is_short = fault->way != FAULTY_FAILS;
    bool is_mild = fault->error == EINTR || fault->error == EAGAIN;
    bool can_wait = !(kind & (FAULTY_SYNC | FAULTY_SYNC_DIRECTORY |
        FAULTY_RENAME | FAULTY_RENAME_NEW | FAULTY_CLOSE_CREATED |
        FAULTY_MAP));
    switch (status) {
    case VARVE_OK:
        return (kind & HARMLESS) || fault->sticky ||
               (is_short && (fault->way != FAULTY_NOTHING ||
                                !(kind & (FAULTY_READ | FAULTY_WRITE)))) ||
               (is_mild && can_wait);
    case VARVE_HALF_RESTORED:
        return scenario->may_half && !is_short + (kind == FAULTY_READ);
    case VARVE_UNKNOWN_OUTCOME:
        return kind == FAULTY_SYNC_DIRECTORY || fault->sticky;
    case VARVE_NO_SPACE:
        return fault->error == ENOSPC ||
               (fault->way == FAULTY_NOTHING && kind == FAULTY_WRITE);
    case VARVE_IO:
        return fault->error != ENOSPC && (!is_short || kind == FAULTY_WRITE);
    case VARVE_TRUNCATED:
        return fault->way == FAULTY_NOTHING && kind == FAULTY_READ;
    default:
        return false;
    }
}

static bool try_call(const struct scenario *scenario, long number,
    const struct fault *fault, struct count *count)
{
    char where[256];
    struct world w;
    begin(&w, scenario);
    faulty_plan(w.faulty, &(struct faulty_plan){ .number = number,
        .sticky = fault->sticky, .way = fault->way, .error = fault->error });
    varve_error error = { 0 };
    varve_status status = scenario->act(&w, &error);
    bool was_hit = faulty_hit(w.faulty);
    enum faulty_kind kind = hit_kind(&w, number);
    snprintf(where, sizeof where, "%s, call %ld (%s), %s", scenario->name,
        number, faulty_kind_name(kind), fault->name);
    cr_assert(status == (status ? error.status : VARVE_OK) &&
        (!was_hit || is_plausible(scenario, fault, kind, status) ||
            (status == VARVE_OK && is_in_note(&w, number))),
        "%s: %s: %s", where, varve_status_name(status), error.message);
    if (status == VARVE_OK) {
        check_no_litter(&w, where);
        check_success(&w, where);
        count->absorbed += was_hit;
    } else {
        check_message(&w, &error, true, where);
        check_failure(&w, &error, where);
        count->failed++;
        count->half += status == VARVE_HALF_RESTORED;
    }
    end(&w, where);
    count->faults += was_hit;
    return was_hit;
}

void try_all(const struct scenario *scenario)
{
    struct count memory = { 0 }, calls = { 0 };
    for (int sticky = 0; sticky < 2; sticky++)
        for (long n = 0; try_allocation(scenario, n, sticky, &memory); n++)
            continue;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (long n = 0; try_call(scenario, n, &faults[i], &calls); n++)
            continue;
    cr_log_info("%s: %ld allocations broken, %ld refused, %ld absorbed; "
        "%ld calls broken, %ld refused, %ld absorbed; %ld said to be half done",
        scenario->name, memory.faults, memory.failed, memory.absorbed,
        calls.faults, calls.failed, calls.absorbed, memory.half + calls.half);
}

/* trouble.c - Injects failures of memory, disk, system calls and device copies
 * into calls of a program.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "mix/trouble.h"

#include <errno.h>
#include <sys/resource.h>

#include "mix/jobs.h"
#include "support/faulty_system.h"
#include "system.h"

/* --- System --------------------------------------------------------------- */

/* Failures end after a number of calls, so waiting would not help. */
static void sleep_not(void *state, int64_t time)
{
    (void)state;
    (void)time;
}

void mix_system_begin(struct mix *m)
{
    m->posix = vv_posix_system;
    m->posix.sleep = sleep_not;
    m->faulty = faulty_new(&m->posix);
    m->context = (struct vv_context){
        .allocator = m->allocator,
        .system = faulty_system(m->faulty),
    };
}

void mix_system_end(struct mix *m)
{
    MIX_CHECK(faulty_open_count(m->faulty) == 0,
        "%d descriptors, maps and threads were not released",
        faulty_open_count(m->faulty));
    faulty_free(m->faulty);
}

static const struct {
    const char *name;
    enum faulty_way way;
    int error;
    varve_status status; /* the status that it may cause */
} ways[] = {
    { "EIO", FAULTY_FAILS, EIO, VARVE_IO },
    { "ENOSPC", FAULTY_FAILS, ENOSPC, VARVE_NO_SPACE },
    { "EMFILE", FAULTY_FAILS, EMFILE, VARVE_IO },
    { "half moved", FAULTY_HALF, 0, VARVE_OK },
    { "one byte moved", FAULTY_ONE_BYTE, 0, VARVE_OK },
};
const uint8_t mix_way_count = sizeof ways / sizeof *ways;

const char *mix_way_name(uint8_t way)
{
    return ways[way].name;
}

static void fail_calls(struct mix *m)
{
    faulty_plan(m->faulty, &(struct faulty_plan){
                               .number = m->trouble_at,
                               .sticky = m->trouble_lasts,
                               .way = ways[m->trouble_way].way,
                               .error = ways[m->trouble_way].error,
                           });
}

/* --- Copies --------------------------------------------------------------- */

static varve_status status_of_copies(const struct mix *m)
{
    return m->trouble_way % 4 == 3 ? VARVE_NO_MEMORY : VARVE_CALLBACK;
}

/* Returns true if copies may fail repeatedly: only if the call may fail
 * halfway. */
static bool copies_go_on_failing(const struct mix *m)
{
    return m->trouble_lasts && m->may_half;
}

varve_status mix_copy_status(struct mix *m)
{
    int number = m->copies++;
    bool fails = m->failing_copy >= 0 && (copies_go_on_failing(m)
                                              ? number >= m->failing_copy
                                              : number == m->failing_copy);
    if (!fails)
        return VARVE_OK;
    return status_of_copies(m) == VARVE_CALLBACK ? VARVE_IO : VARVE_NO_MEMORY;
}

bool mix_copies_in_part(const struct mix *m)
{
    return m->trouble_way % 2 && !m->is_streaming && !copies_go_on_failing(m);
}

bool mix_may_be_half(const struct mix *m)
{
    return m->trouble_before == MIX_FAILING_COPY && m->trouble_lasts;
}

/* --- Failures ------------------------------------------------------------- */

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size;
    setrlimit(RLIMIT_FSIZE, &limit);
}

void mix_trouble_begin(struct mix *m)
{
    m->tried = 0;
    faulty_plan(m->faulty, NULL);
    if (m->trouble == MIX_NO_MEMORY)
        m->failing = m->trouble_at;
    if (m->trouble == MIX_FULL_DISK)
        limit_files(8 * (rlim_t)m->trouble_at);
    if (m->trouble == MIX_FAILING_CALL)
        fail_calls(m);
    m->copies = 0;
    if (m->trouble == MIX_FAILING_COPY)
        m->failing_copy = m->trouble_at;
}

varve_status mix_trouble_end(struct mix *m)
{
    static const varve_status may_lead_to[] = {
        [MIX_NO_MEMORY] = VARVE_NO_MEMORY,
        [MIX_FULL_DISK] = VARVE_NO_SPACE,
    };
    varve_status status =
        m->trouble == MIX_FAILING_CALL   ? ways[m->trouble_way].status
        : m->trouble == MIX_FAILING_COPY ? status_of_copies(m)
                                         : may_lead_to[m->trouble];
    if (m->trouble == MIX_FULL_DISK)
        limit_files(RLIM_INFINITY);
    m->trouble_before = m->trouble;
    if (m->trouble && m->trouble != MIX_FAILING_COPY)
        mix_jobs_met(m, status);
    m->trouble = MIX_NO_TROUBLE;
    m->failing = -1;
    m->failing_copy = -1;
    m->may_half = m->is_streaming = false;
    faulty_plan(m->faulty, NULL);
    return status;
}

varve_status mix_in_place(const struct mix *m, varve_status status)
{
    bool is_unknown = status == VARVE_UNKNOWN_OUTCOME &&
                      m->trouble_before == MIX_FAILING_CALL;
    return is_unknown ? VARVE_OK : status;
}

/* --- Graph changes -------------------------------------------------------- */

/* Delivers values whose delivery failed. Values that do not fit remain
 * undelivered. */
static void deliver(struct mix *m, uint8_t graph)
{
    for (int i = 0; i < MIX_OPENS; i++) {
        const struct mix_open *open = &m->opens[i];
        if (!open->restoration || open->graph != graph)
            continue;
        mix_say(m, "varve_restoration_retry(r%d);", i);
        mix_expect(m, "varve_restoration_retry",
            varve_restoration_retry(open->restoration, &m->error), VARVE_OK,
            VARVE_MISMATCH);
    }
}

/* Initializes variables whose memory was allocated late. */
static void initialize(struct mix *m, uint8_t graph)
{
    const struct mix_graph *g = &m->graphs[graph];
    for (uint8_t n = 0; n < MIX_NODES; n++) {
        const struct mix_node *node = &g->shape.nodes[n];
        if (!node->is_owned || !node->holds || !g->nodes[n] ||
            varve_node_kind(g->nodes[n]) == VARVE_NIL ||
            varve_state_of(g->nodes[n]) != VARVE_DECLARED)
            continue;
        mix_say(m, "varve_initialize(g%dn%d);", graph, n);
        mix_expect(m, "varve_initialize",
            varve_initialize(g->nodes[n], NULL, &m->error), VARVE_OK, VARVE_OK);
    }
}

void mix_take_half(struct mix *m, uint8_t graph)
{
    const struct mix_graph *g = &m->graphs[graph];
    mix_say(m, "varve_mark_dirty(g%d: all);", graph);
    for (uint8_t n = 0; n < MIX_NODES; n++)
        if (g->shape.nodes[n].kind)
            varve_mark_dirty(g->nodes[n]);
}

bool mix_repair(struct mix *m, uint8_t graph, varve_status other)
{
    const struct mix_graph *g = &m->graphs[graph];
    if (other == VARVE_OK || varve_graph_check(g->graph, &m->error) == VARVE_OK)
        return false;
    mix_say(m, "varve_graph_clear_error(g%d);", graph);
    varve_status status = varve_graph_clear_error(g->graph, &m->error);
    if (status != VARVE_PARTIALLY_RESTORED || !mix_may_be_half(m))
        mix_expect(m, "varve_graph_clear_error", status, other, VARVE_OK);
    deliver(m, graph);
    initialize(m, graph);
    if (status == VARVE_PARTIALLY_RESTORED)
        mix_take_half(m, graph);
    return true;
}

bool mix_is_well(struct mix *m, uint8_t graph)
{
    varve_status status =
        varve_graph_check(m->graphs[graph].graph, &m->error);
    return status == VARVE_OK || status == VARVE_MISMATCH;
}

bool mix_is_to_repeat(struct mix *m, uint8_t graph, bool is_done)
{
    bool was_repaired = mix_repair(m, graph, mix_trouble_end(m));
    MIX_CHECK(
        is_done || was_repaired, "a call had no effect and recorded no error");
    if (!is_done)
        mix_say(m, "(the same again)");
    return !is_done;
}

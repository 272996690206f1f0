/* operations_crowd.c - Tests a directory shared by managers of several
 * processes, whose number varies and which may lose each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include <varve/manager.h>
#include <varve/restoration.h>
#include <varve/snapshot.h>
#include <varve/collective.h>

#include "mix/crowd.h"
#include "mix/operations.h"
#include "mix/ranks.h"
#include "mix/trouble.h"
#include "graph.h"
#include "support/thread_comm.h"

enum { KEEP = 2, FOR_EVER = -1 };

/* Values of keep_bytes: more than all checkpoints together, and less than
 * one. */
enum { ALL_BYTES = 1 << 30, A_BYTE = 1 };

/* A run of all processes and its results. */
struct crowd {
    struct mix *m;
    char directory[256];
    uint8_t size;
    uint8_t share; /* ranks per node; 0: all */
    varve_write_options write;
    bool pins, resumes, is_async;
    uint64_t keep_bytes;
    size_t left;        /* as received by rank 0 */
    int64_t step;       /* the initial step */
    int64_t saved;      /* the step that they save */
    atomic_bool passed; /* a damaged checkpoint was skipped */
    struct mix_member members[MIX_RANKS];
    varve_status status[MIX_RANKS];
    varve_error errors[MIX_RANKS];
};

static void begin(struct crowd *c, struct mix *m, uint8_t how, uint8_t size)
{
    *c = (struct crowd){ .m = m, .size = size, .share = how >> 7 };
    c->write.pending = VARVE_PENDING_OMIT;
    c->write.incremental = how & 8;
    c->write.compress = how / 16 % 2 * MIX_LEVEL;
    c->is_async = how & 32;
    c->keep_bytes = how & 64 ? (how & 8 ? ALL_BYTES : A_BYTE) : 0;
    strcpy(c->directory, mix_path(m, "crowd"));
    c->step = mix_crowd_step(m, size);
    for (uint8_t i = 0; i < size; i++) {
        c->members[i].size = size;
        c->members[i].fold = (enum mix_fold)(how % 4);
        c->members[i].has_owner = how & 4;
    }
}

/* Returns the status of all ranks, which must be the same unless they lost each
 * other. */
static varve_status run_all(
    struct crowd *c, long calls, thread_comm_body *body)
{
    thread_comm_run(c->size, c->share, calls, body, c);
    varve_status first = c->status[0];
    for (uint8_t i = 1; i < c->size && calls < 0; i++)
        MIX_CHECK(c->status[i] == first &&
                      (!first || strcmp(c->errors[i].message,
                                     c->errors[0].message) == 0),
            "rank %d: %s: %s; rank 0: %s: %s", i,
            varve_status_name(c->status[i]), c->errors[i].message,
            varve_status_name(first), c->errors[0].message);
    c->m->error = c->errors[0];
    return first;
}

static varve_manager *manager_of(
    struct crowd *c, const varve_comm *comm, varve_error *error)
{
    const varve_manager_options options = {
        .keep_last = KEEP,
        .keep_bytes = c->keep_bytes,
        .async = c->is_async,
        .comm = comm,
        .write = &c->write,
        .run = "crowd",
        .may_start_new_run = true,
    };
    return varve_manager_new(
        varve_graph_root(c->members[comm->rank].graph), c->directory,
        &options, error);
}

/* --- Checking ------------------------------------------------------------- */

static void forget(struct mix_crowd *crowd, uint8_t at)
{
    memmove(&crowd->kept[at], &crowd->kept[at + 1],
        (size_t)(crowd->count - at - 1) * sizeof *crowd->kept);
    crowd->count--;
}

static void prune(struct mix_crowd *crowd)
{
    for (uint8_t i = 0; i + KEEP < crowd->count;)
        if (crowd->kept[i].is_pinned)
            i++;
        else
            forget(crowd, i);
}

static void note(struct mix_crowd *crowd, int64_t step, bool is_pinned)
{
    crowd->kept[crowd->count].step = step;
    crowd->kept[crowd->count++].is_pinned = is_pinned;
    prune(crowd);
}

/* Checks the directory from a single process. `maybe`: a step that may have
 * been saved although the ranks lost each other. */
static void look(struct mix *m, int64_t maybe, bool may_be_pinned)
{
    struct mix_crowd *crowd = &m->crowd;
    varve_graph *graph = vv_graph_new_in(&m->context);
    const varve_manager_options options = { .keep_last = KEEP };
    varve_checkpoint_info managed = { 0 };
    varve_manager *manager = varve_manager_new(varve_graph_root(graph),
        mix_path(m, "crowd"), &options, &m->error);
    MIX_CHECK(manager, "varve_manager_new: %s", m->error.message);
    size_t count = varve_manager_count(manager);
    if (count && varve_manager_at(manager, count - 1, &managed) && maybe &&
        managed.step == maybe)
        note(crowd, maybe, managed.is_pinned);
    mix_expect(m, "varve_manager_prune",
        varve_manager_prune(manager, &m->error), VARVE_OK, VARVE_OK);
    count = varve_manager_count(manager);
    MIX_CHECK(count == crowd->count, "expected %d checkpoints, found %zu",
        crowd->count, count);
    for (uint8_t i = 0; i < count; i++) {
        varve_manager_at(manager, i, &managed);
        MIX_CHECK(managed.step == crowd->kept[i].step,
            "expected step %d, found %d", (int)crowd->kept[i].step,
            (int)managed.step);
        if (may_be_pinned && i + 1U == count)
            crowd->kept[i].is_pinned = managed.is_pinned;
        MIX_CHECK(managed.is_pinned == crowd->kept[i].is_pinned,
            "%s: its pin", managed.path);
    }
    varve_manager_free(manager);
    varve_graph_free(graph);
}

/* Resumes from the newest checkpoint that can be restored; an older one is
 * accepted if the newest could not be read. */
static varve_status resume_one(
    struct crowd *c, varve_manager *manager, varve_error *error)
{
    varve_status status = varve_manager_resume(manager, error);
    if (varve_manager_skipped(manager, 0))
        c->passed = true;
    return status;
}

/* Checks the result of a resume. */
static void expect(
    struct crowd *c, varve_status status, bool resumes, varve_status other)
{
    const struct mix_crowd *kept = &c->m->crowd;
    bool fits = !resumes || !kept->count ||
                mix_member_fits(&c->members[0],
                    mix_crowd_size(kept->kept[kept->count - 1].step));
    MIX_CHECK(!c->passed || c->m->trouble_before == MIX_FAILING_CALL,
        "a checkpoint was skipped");
    if (c->passed && (status == VARVE_OK || status == VARVE_MISMATCH))
        return; /* an older one may fit */
    mix_expect(c->m, "a crowd", status, fits ? VARVE_OK : VARVE_MISMATCH,
        other);
}

/* --- Saving --------------------------------------------------------------- */

static void save(const varve_comm *comm, void *user)
{
    struct crowd *c = user;
    struct mix_member *w = &c->members[comm->rank];
    varve_error *error = &c->errors[comm->rank];
    varve_status *status = &c->status[comm->rank];
    const varve_manager_save_options options = { .pin = c->pins };
    mix_member_begin(c->m, w, comm, c->step);
    varve_manager *manager = manager_of(c, comm, error);
    *status = manager ? VARVE_OK : error->status;
    if (manager && c->resumes)
        *status = resume_one(c, manager, error);
    if (!*status) {
        mix_member_set(w, c->saved);
        *status =
            varve_manager_save_with(manager, c->saved, &options, error);
        if (c->is_async)
            mix_member_set(w, c->step);
        if (c->is_async && !*status)
            *status = varve_manager_wait(manager, error);
        if (comm->rank == 0)
            c->left = varve_manager_count(manager);
    }
    varve_manager_free(manager);
    mix_member_end(w);
}

/* Saves with a number of ranks, which may have resumed before, and each of
 * which may lose the others at some call. */
void mix_save_crowd(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static struct crowd crowd;
    struct mix_crowd *kept = &m->crowd;
    long calls = a % 4 == 3 ? c % 64 : FOR_EVER;
    if (kept->count == MIX_KEPT)
        return;
    begin(&crowd, m, b, (uint8_t)(1 + a / 4 % MIX_RANKS));
    crowd.saved = mix_crowd_step(m, crowd.size);
    crowd.pins = a >= 224;
    crowd.resumes = kept->count && (b & 8);
    mix_say(m, "(%d ranks) %svarve_manager_save(\"crowd\", %d%s%s%s);%s",
        crowd.size, crowd.resumes ? "varve_manager_resume, " : "",
        (int)crowd.saved, crowd.pins ? ", .pin" : "",
        crowd.is_async ? ", .async" : "",
        crowd.keep_bytes ? ", .keep_bytes" : "",
        calls >= 0 ? " (which is interrupted)" : "");
    bool is_troubled = m->trouble;
    mix_trouble_begin(m);
    varve_status status = run_all(&crowd, calls, save);
    varve_status other = mix_trouble_end(m);
    bool is_open = status == VARVE_UNKNOWN_OUTCOME || calls >= 0;
    if (calls < 0 && !(is_troubled && status == VARVE_PARTIALLY_RESTORED))
        expect(&crowd, mix_in_place(m, status), crowd.resumes, other);
    size_t all = kept->count + 1U;
    if (!status && !is_open)
        note(kept, crowd.saved, crowd.pins);
    if (!status && !is_open && !is_troubled)
        MIX_CHECK(crowd.left ==
                      (crowd.keep_bytes == ALL_BYTES ? all : kept->count),
            "expected %zu checkpoints of %zu, found %zu", (size_t)kept->count,
            all, crowd.left);
    look(m, is_open ? crowd.saved : 0, is_troubled || is_open);
}

/* --- Resuming ------------------------------------------------------------- */

static void resume(const varve_comm *comm, void *user)
{
    struct crowd *c = user;
    struct mix_member *w = &c->members[comm->rank];
    varve_error *error = &c->errors[comm->rank];
    varve_status *status = &c->status[comm->rank];
    mix_member_begin(c->m, w, comm, c->step);
    varve_manager *manager = manager_of(c, comm, error);
    *status = manager ? resume_one(c, manager, error) : error->status;
    if (!*status && varve_manager_restoration(manager))
        *status = varve_agree(comm,
            varve_assert_consumed(varve_manager_restoration(manager), error),
            error);
    varve_manager_free(manager);
}

static bool has_some(const struct crowd *c, const struct mix_member *w)
{
    const struct mix_crowd *kept = &c->m->crowd;
    for (uint8_t i = 0; i < kept->count; i++)
        if (kept->kept[i].step == w->step)
            return i + 1 == kept->count || c->passed;
    return false;
}

static void look_at(const struct crowd *c, varve_status status)
{
    for (uint8_t i = 0; i < c->size; i++) {
        const struct mix_member *w = &c->members[i];
        if (status || !c->m->crowd.count)
            MIX_CHECK(mix_member_is_at(w, c->step),
                "rank %d has others than it had", i);
        else
            MIX_CHECK(has_some(c, w) && w->step == c->members[0].step &&
                          mix_member_has_got(w, w->step, c->step),
                "rank %d has others than the file has", i);
    }
}

void mix_resume_crowd(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static struct crowd crowd;
    (void)c;
    begin(&crowd, m, b, (uint8_t)(1 + a % MIX_RANKS));
    mix_say(m, "(%d ranks) varve_manager_resume(\"crowd\");", crowd.size);
    bool is_troubled = m->trouble;
    mix_trouble_begin(m);
    varve_status status = run_all(&crowd, FOR_EVER, resume);
    varve_status other = mix_trouble_end(m);
    bool is_half = is_troubled && status == VARVE_PARTIALLY_RESTORED;
    if (!is_half)
        expect(&crowd, status, true, other);
    if (!is_half)
        look_at(&crowd, status);
    for (uint8_t i = 0; i < crowd.size; i++)
        mix_member_end(&crowd.members[i]);
    look(m, 0, false);
}

/* --- In memory ------------------------------------------------------------ */

/* Takes a snapshot on each rank, with rank-local values, and migrating elements
 * if the number of ranks is the same. */
static void take(const varve_comm *comm, void *user)
{
    struct crowd *c = user;
    struct mix_member *w = &c->members[comm->rank];
    varve_error *error = &c->errors[comm->rank];
    mix_member_begin(c->m, w, comm, c->step);
    varve_snapshot *snapshot =
        varve_snapshot_new(varve_graph_root(w->graph), error);
    mix_member_set(w, c->saved);
    c->status[comm->rank] = snapshot ? varve_snapshot_restore(snapshot, error)
                                     : error->status;
    varve_snapshot_free(snapshot);
}

void mix_snapshot_crowd(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    static struct crowd crowd;
    (void)c;
    begin(&crowd, m, b, (uint8_t)(1 + a % MIX_RANKS));
    crowd.saved = crowd.step + 4 * MIX_THINGS; /* the same number of things */
    mix_say(m, "(%d ranks) varve_snapshot_new, varve_snapshot_restore;",
        crowd.size);
    mix_trouble_begin(m);
    thread_comm_run(crowd.size, 0, FOR_EVER, take, &crowd);
    varve_status other = mix_trouble_end(m);
    for (uint8_t i = 0; i < crowd.size; i++) {
        m->error = crowd.errors[i];
        mix_expect(
            m, "a snapshot of a crowd", crowd.status[i], VARVE_OK, other);
        MIX_CHECK(mix_member_is_at(&crowd.members[i],
                      crowd.status[i] ? crowd.saved : crowd.step),
            "rank %d has others than it had", i);
        mix_member_end(&crowd.members[i]);
    }
}

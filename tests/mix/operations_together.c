/* operations_together.c - Tests checkpoints of several processes: saved by
 * processes that have parts of a graph of the program, and restored by others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include <varve/snapshot.h>
#include <varve/collective.h>

#include "mix/damage.h"
#include "mix/files.h"
#include "mix/jobs.h"
#include "mix/operations.h"
#include "mix/ranks.h"
#include "mix/trouble.h"
#include "support/thread_comm.h"

struct run {
    struct mix_rank ranks[MIX_RANKS];
    uint8_t size;
    uint8_t share; /* ranks per node; 0: all */
    const char *path;
    bool has_number; /* the path is a prefix */
    bool is_behind;  /* saved asynchronously */
    const struct mix_cut *cut;
    varve_write_options write;
    varve_read_options read;
    bool is_restored[MIX_RANKS];    /* independent of later checks */
    varve_passes passes[MIX_RANKS]; /* each rank's own request */
    uint64_t staging;               /* limit for pending values; 0: default */
};
static struct run run;

static void begin(struct mix *m, const struct mix_cut *cut, bool has_values)
{
    run.size = cut->size;
    for (uint8_t i = 0; i < run.size; i++)
        mix_rank_begin(m, &run.ranks[i], cut, i, has_values);
}

static void end(void)
{
    for (uint8_t i = 0; i < run.size; i++)
        mix_rank_end(&run.ranks[i]);
}

/* Returns the status of all ranks, which must be the same. */
static varve_status run_all(struct mix *m, thread_comm_body *body)
{
    thread_comm_run(run.size, run.share, -1, body, &run);
    const struct mix_rank *first = &run.ranks[0];
    for (uint8_t i = 1; i < run.size; i++)
        MIX_CHECK(run.ranks[i].status == first->status &&
                      (!first->status ||
                          strcmp(run.ranks[i].error.message,
                              first->error.message) == 0),
            "rank %d: %s: %s; rank 0: %s: %s", i,
            varve_status_name(run.ranks[i].status), run.ranks[i].error.message,
            varve_status_name(first->status), first->error.message);
    m->error = first->error;
    return first->status;
}

/* --- Saving --------------------------------------------------------------- */

/* Changes the values as soon as that is allowed. */
static varve_status save_behind(
    struct run *r, struct mix_rank *rank, const varve_comm *comm)
{
    varve_error *error = &rank->error;
    varve_job *job =
        (r->has_number ? varve_save_all_async : varve_write_all_async)(
            comm, rank->nodes[0], r->path, &r->write, error);
    varve_status status = job ? VARVE_OK : error->status;
    if (job && r->write.async.zero_copy)
        status = varve_job_wait_staged(job, error);
    mix_rank_change(rank, r->cut);
    if (job && !status)
        status = varve_job_wait(job, error);
    varve_job_free(job);
    return status;
}

static void save(const varve_comm *comm, void *user)
{
    struct run *r = user;
    struct mix_rank *rank = &r->ranks[comm->rank];
    if (r->is_behind) {
        rank->status = save_behind(r, rank, comm);
        return;
    }
    rank->status = (r->has_number ? varve_save_all : varve_write_all)(
        comm, rank->nodes[0], r->path, &r->write, &rank->error);
}

static bool is_full(const struct mix *m)
{
    return m->saved.count + m->job_count >= MIX_KEPT;
}

static void note(struct mix *m, struct mix_file new, uint8_t slot)
{
    m->has_pieces |= run.size > 1;
    if (!run.has_number) {
        m->files[slot] = new;
        return;
    }
    mix_directory_add(&m->saved, 0, new);
    m->wrote_beside = false;
}

/* Saves with a number of ranks, on one node or several, to a file or the next
 * number of the prefix. */
void mix_write_all(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t at = mix_pick_graph(m, a), slot = b % MIX_ORDINARY_FILES;
    uint8_t size = (uint8_t)(1 + b / MIX_ORDINARY_FILES % MIX_RANKS);
    char path[256];
    run = (struct run){ .has_number = a >= 192, .share = b >> 7, .path = path };
    run.write.no_sync = a & 64;
    run.write.collective.files = (unsigned)(b / 64 % 2) * size;
    run.write.incremental = a & 1;
    run.write.compress = a / 2 % 2 * MIX_LEVEL;
    run.is_behind = a & 8;
    run.write.async.zero_copy = a & 16;
    if (run.has_number && is_full(m))
        return;
    if (run.has_number)
        mix_finish_saves(m, MIX_NONE);
    else
        mix_finish_file(m, slot, MIX_NONE);
    const struct mix_cut cut = mix_cut_of(&m->graphs[at].shape, 0, size, c);
    run.cut = &cut;
    strcpy(path, run.has_number
                     ? mix_path(m, "p")
                     : mix_file_path(m, slot, VARVE_FORMAT_VARVE));
    mix_say(m,
        "(%d ranks like g%d, .collective.files = %u%s%s%s) "
        "varve_%s_all%s(\"%s\");",
        size, at, run.write.collective.files,
        run.write.incremental ? ", .incremental" : "",
        run.write.compress ? ", .compress" : "",
        run.write.async.zero_copy ? ", .zero_copy" : "",
        run.has_number ? "save" : "write", run.is_behind ? "_async" : "", path);
    begin(m, &cut, true);
    mix_trouble_begin(m);
    varve_status status = run_all(m, save);
    varve_status other = mix_trouble_end(m);
    end();
    status = mix_in_place(m, status);
    mix_expect(m, "a save of all", status, VARVE_OK, other);
    if (status == VARVE_OK)
        note(m, mix_file_of(&cut.shape, 0, VARVE_FORMAT_VARVE), slot);
    if (run.has_number && m->saved.count)
        mix_look_at_file(m,
            mix_path(m, "p-%d.varve",
                (int)m->saved.numbers[m->saved.count - 1]),
            &m->saved.files[m->saved.count - 1]);
    if (m->files[slot].is_there && !mix_is_replaced(m, MIX_WRITTEN, slot))
        mix_look_at_file(m, mix_file_path(m, slot, m->files[slot].format),
            &m->files[slot]);
}

/* --- Restoring ------------------------------------------------------------ */

static void restore(const varve_comm *comm, void *user)
{
    struct run *r = user;
    struct mix_rank *rank = &r->ranks[comm->rank];
    varve_restoration *found =
        (r->has_number ? varve_restore_all : varve_read_all)(
            comm, rank->nodes[0], r->path, &r->read, &rank->error);
    rank->status = found ? VARVE_OK : rank->error.status;
    r->is_restored[comm->rank] = found;
    if (!found)
        return;
    rank->status = varve_agree(
        comm, varve_assert_consumed(found, &rank->error), &rank->error);
    varve_restoration_free(found);
}

/* Each rank restores independently, without a communicator. */
static void restore_alone(struct mix *m, const struct mix_shape *shape)
{
    mix_trouble_begin(m);
    for (uint8_t i = 0; i < run.size; i++) {
        struct mix_rank *rank = &run.ranks[i];
        varve_restoration *found =
            (run.has_number ? varve_restore : varve_read)(
                rank->nodes[0], run.path, &run.read, &rank->error);
        rank->status = found ? VARVE_OK : rank->error.status;
        varve_restoration_free(found);
    }
    varve_status other = mix_trouble_end(m);
    for (uint8_t i = 0; i < run.size; i++) {
        const struct mix_rank *rank = &run.ranks[i];
        m->error = rank->error;
        mix_expect(m, "a read of parts", rank->status, VARVE_OK, other);
        MIX_CHECK(mix_rank_holds(rank, shape, !rank->status),
            "part %d has others than %s", i,
            rank->status ? "it had" : "the file has");
    }
}

static void restore_together(struct mix *m, const struct mix_shape *shape)
{
    mix_trouble_begin(m);
    varve_status status = run_all(m, restore);
    varve_status other = mix_trouble_end(m);
    mix_expect(m, "a restoration of all", status, VARVE_OK, other);
    for (uint8_t i = 0; i < run.size; i++)
        MIX_CHECK(run.is_restored[i] == run.is_restored[0] &&
                      mix_rank_holds(&run.ranks[i], shape, run.is_restored[0]),
            "rank %d has others than %s", i,
            run.is_restored[0] ? "the file has" : "it had");
}

/* Ranks whose graphs match the file are restored, regardless of who saved it,
 * or do not change at all. */
void mix_read_all(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t slot = b % MIX_FILES;
    uint8_t size = (uint8_t)(1 + b / MIX_FILES % MIX_RANKS);
    bool is_alone = b & 64;
    char path[256];
    run = (struct run){ .has_number = a >= 192, .share = b >> 7, .path = path };
    run.read.no_verify = a & 1;
    run.read.passes = (a & 2) && !m->trouble ? VARVE_ONE_PASS
                      : a & 4                ? VARVE_TWO_PASSES
                                             : VARVE_PASSES_AUTO;
    run.read.cast = a & 8 ? VARVE_CAST_ANY : VARVE_CAST_NONE;
    if (run.has_number)
        mix_finish_saves(m, MIX_NONE);
    else
        mix_finish_file(m, slot, MIX_NONE);
    if (run.has_number && (!m->saved.count || m->wrote_beside))
        return;
    const struct mix_file *file = run.has_number
                                      ? &m->saved.files[m->saved.count - 1]
                                      : &m->files[slot];
    if (!file->is_there || file->is_loose)
        return;
    const struct mix_cut cut = mix_cut_of(&file->shape, 0, size, c);
    strcpy(path, run.has_number ? mix_path(m, "p")
                                : mix_file_path(m, slot, file->format));
    mix_say(m, "(%d ranks like the file) varve_%s%s(\"%s\"%s);", size,
        run.has_number ? "restore" : "read", is_alone ? "" : "_all", path,
        run.read.passes == VARVE_ONE_PASS ? ", .passes = VARVE_ONE_PASS" : "");
    begin(m, &cut, false);
    (is_alone ? restore_alone : restore_together)(m, &file->shape);
    end();
}

/* --- In place ------------------------------------------------------------- */

/* Usually nothing is staged, so that partial changes after a failure are
 * visible. */
static void restore_in_place(const varve_comm *comm, void *user)
{
    struct run *r = user;
    struct mix_rank *rank = &r->ranks[comm->rank];
    const varve_read_options options = {
        .passes = r->passes[comm->rank],
        .resources.staging_size = r->staging,
    };
    varve_restoration *found = varve_read_all(
        comm, rank->nodes[0], r->path, &options, &rank->error);
    rank->status = found ? VARVE_OK : rank->error.status;
    varve_restoration_free(found);
}

static void keep(struct mix *m, uint8_t number, varve_status wanted)
{
    varve_snapshot *kept =
        varve_snapshot_new(run.ranks[number].nodes[0], &m->error);
    mix_expect(m, "varve_snapshot_new of a rank",
        kept ? VARVE_OK : m->error.status, wanted, wanted);
    varve_snapshot_free(kept);
}

/* Chooses the passes that each rank requests. One rank may request others, and
 * one may keep its values. Returns true if all ranks use a single pass. */
static bool choose_passes(struct mix *m, uint8_t a)
{
    static const varve_passes ways[] = { VARVE_PASSES_AUTO, VARVE_PASSES_AUTO,
        VARVE_TWO_PASSES, VARVE_ONE_PASS };
    uint8_t kept = a >> 5 & 3; /* its number plus 1; 0: none */
    bool is_once = true;
    if (kept > run.size)
        kept = 0;
    for (uint8_t i = 0; i < run.size; i++) {
        bool is_odd = a & 4 && i + 1 == run.size;
        run.passes[i] = ways[is_odd ? a >> 3 & 3 : a & 3];
        is_once &= run.passes[i] == VARVE_ONE_PASS ||
                   (run.passes[i] == VARVE_PASSES_AUTO && i + 1 != kept);
    }
    if (kept)
        keep(m, (uint8_t)(kept - 1), VARVE_OK);
    return is_once;
}

/* After a failure of any rank, each rank must have its previous values or be
 * marked as partially restored. */
static void look_at_ranks(
    struct mix *m, const struct mix_shape *shape, varve_status status)
{
    for (uint8_t i = 0; i < run.size; i++) {
        bool is_as_wanted = mix_rank_holds(&run.ranks[i], shape, !status);
        MIX_CHECK(is_as_wanted || status == VARVE_PARTIALLY_RESTORED,
            "rank %d has others than %s", i,
            status ? "it had" : "the file has");
        if (!is_as_wanted)
            keep(m, i, VARVE_MISUSE);
    }
}

/* Returns true if all values are staged: by default, unless a rank requests one
 * pass. */
static bool is_staged(void)
{
    bool any_once = false;
    for (uint8_t i = 0; i < run.size; i++)
        any_once |= run.passes[i] == VARVE_ONE_PASS;
    return run.staging == 0 && !any_once;
}

static void expect_in_place(struct mix *m, varve_status status, bool is_once,
    bool is_damaged, varve_status other)
{
    bool may_be_half = other || m->trouble_before ||
                       (is_once && is_damaged && !is_staged());
    if (status == VARVE_PARTIALLY_RESTORED && may_be_half)
        return;
    mix_expect(m, "a restoration of all in place", status,
        is_damaged ? VARVE_CORRUPT : VARVE_OK, other);
}

/* Restores the intact file again without failures, which must fix
 * everything. */
static void repair_ranks(struct mix *m, const struct mix_shape *shape)
{
    mix_expect(m, "a restoration of all again", run_all(m, restore_in_place),
        VARVE_OK, VARVE_OK);
    look_at_ranks(m, shape, VARVE_OK);
    for (uint8_t i = 0; i < run.size; i++)
        keep(m, i, VARVE_OK);
}

static bool damage_copy(struct mix *m, const struct mix_file *file,
    const char *path, const char *copy, uint8_t which)
{
    mix_copy_file(path, copy);
    return mix_damage(m, copy, file, which);
}

/* Restores a file with damaged values, or with reads that fail on some rank. */
void mix_read_all_in_place(struct mix *m, uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t slot = b % MIX_FILES;
    uint8_t size = (uint8_t)(1 + b / MIX_FILES % MIX_RANKS);
    const struct mix_file *file = &m->files[slot];
    bool is_damaged = b & 128 && file->format == VARVE_FORMAT_VARVE;
    char path[256], copy[256];
    mix_finish_file(m, slot, MIX_NONE);
    if (!file->is_there || file->is_loose)
        return;
    run = (struct run){ .share = a >> 7, .staging = (a + b + c) % 4 != 0 };
    const struct mix_cut cut = mix_cut_of(&file->shape, 0, size, c);
    strcpy(path, mix_file_path(m, slot, file->format));
    strcpy(copy, mix_path(m, "damaged"));
    begin(m, &cut, false);
    bool is_once = choose_passes(m, a);
    mix_say(m, "(%d ranks like the file, %s, %s) varve_read_all(\"%s\");",
        size, is_staged() ? "staged" : "in place", is_once ? "once" : "twice",
        path);
    run.path = is_damaged ? copy : path;
    if (is_damaged)
        is_damaged = damage_copy(m, file, path, copy, c);
    else if (b & 64 && !m->trouble)
        mix_fail_call(m, c, a, 0);
    mix_trouble_begin(m);
    varve_status status = run_all(m, restore_in_place);
    varve_status other = mix_trouble_end(m);
    expect_in_place(m, status, is_once, is_damaged, other);
    look_at_ranks(m, &file->shape, status);
    if (run.path == copy)
        MIX_CHECK(unlink(copy) == 0, "%s is gone", copy);
    run.path = path;
    repair_ranks(m, &file->shape);
    end();
}

/* life_reader.c - Implements programs that find, read, lease and watch
 * checkpoints, and programs that save under a prefix without a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/life.h"

#include <inttypes.h>
#include <stdio.h>

#include <varve/checkpoint.h>
#include <varve/reader.h>
#include <varve/restoration.h>

#include "graph.h"
#include "lease.h"
#include "reader.h"
#include "save.h"
#include "simulate/finding.h"
#include "simulate/process.h"
#include "watch.h"

static struct series series_of(const struct life *life)
{
    return oracle_series(life->process, life_prefix(life));
}

/* State at the start of a reader's call: reported saves and numbers of stale
 * views. */
struct reading {
    size_t moment;
    unsigned late_lists, late_look_ups;
};

static struct reading begin(const struct life *life)
{
    return (struct reading){ .moment = oracle_moment(),
        .late_lists = life->process->late_lists,
        .late_look_ups = life->process->late_look_ups };
}

/* Returns true if the reader saw stale names, so that it cannot know what
 * exists. A stale listing alone does not hide a ledger, which is opened by
 * name. */
static bool is_shown_late(const struct life *life, const struct reading *r)
{
    return life->process->late_look_ups != r->late_look_ups;
}

/* Ends a call of a reader. If it found nothing, the oracle checks that. */
static bool ended(struct life *life, const char *call, varve_status status,
    const varve_error *error, const struct reading *r)
{
    if (status == VARVE_NOT_FOUND && !is_shown_late(life, r))
        oracle_found_nothing(
            life->process, series_of(life), r->moment, call);
    return life_ended(life, call, status, error);
}

/* Checks the values that were read. With a stale listing, an older checkpoint
 * is accepted as the latest. */
static void has_read(const struct life *life, const char *call,
    const int64_t values[VALUES], const struct reading *r)
{
    bool is_late = is_shown_late(life, r) ||
        life->process->late_lists != r->late_lists;
    oracle_read(life->process, series_of(life), is_late ? 0 : r->moment,
        values, call);
}

void life_latest(struct life *life)
{
    varve_error error = { 0 };
    char path[200];
    const struct reading r = begin(life);
    varve_status status = vv_find_latest(&life->process->context,
        life_prefix(life), path, sizeof path, &error);
    if (ended(life, "varve_latest", status, &error, &r) &&
        life->process->late_lists == r.late_lists)
        oracle_named(life->process, series_of(life), r.moment, path,
            "varve_latest");
}

void life_restore(struct life *life)
{
    varve_error error = { 0 };
    const struct reading r = begin(life);
    oracle_initial(life->values);
    varve_restoration *restored =
        varve_restore(life_root(life), life_prefix(life), NULL, &error);
    if (ended(life, "varve_restore", restored ? VARVE_OK : error.status,
            &error, &r))
        has_read(life, "varve_restore", life->values, &r);
    varve_restoration_free(restored);
}

static bool read_values(varve_reader *reader, int64_t values[VALUES],
    varve_error *error)
{
    varve_saved_node node;
    return varve_reader_find(reader, "values", &node) &&
        varve_reader_read(reader, node.id, values,
            VALUES * sizeof *values, error) == VARVE_OK;
}

void life_read(struct life *life)
{
    varve_error error = { 0 };
    int64_t values[VALUES];
    const struct reading r = begin(life);
    varve_reader *reader = vv_reader_open_in(
        &life->process->context, life_prefix(life), &error);
    if (ended(life, "varve_reader_open", reader ? VARVE_OK : error.status,
            &error, &r) &&
        read_values(reader, values, &error))
        has_read(life, "varve_reader_open", values, &r);
    varve_reader_free(reader);
}

void life_lease(struct life *life)
{
    varve_error error = { 0 };
    const struct reading r = begin(life);
    life_unlease(life);
    life->lease = vv_lease_new_in(
        &life->process->context, life_prefix(life), &error);
    if (ended(life, "varve_lease_new", life->lease ? VARVE_OK : error.status,
            &error, &r))
        life->lease_number =
            oracle_leased(life->process, varve_lease_path(life->lease));
}

void life_unlease(struct life *life)
{
    if (!life->lease)
        return;
    oracle_lease_ends(life->lease_number);
    varve_lease_free(life->lease);
    life->lease = NULL;
}

void life_watch(struct life *life)
{
    varve_error error = { 0 };
    const char *path = NULL;
    const struct reading r = begin(life);
    bool is_first = life->watch == NULL;
    if (!life->watch)
        life->watch = vv_watch_new_in(
            &life->process->context, life_prefix(life), NULL, &error);
    if (!life_ended(life, "varve_watch_new",
            life->watch ? VARVE_OK : error.status, &error))
        return;
    varve_status status =
        varve_watch_next(life->watch, 2000, &path, &error);
    if (status == VARVE_TIMEOUT && is_first && !is_shown_late(life, &r))
        oracle_found_nothing(life->process, series_of(life), r.moment,
            "varve_watch_next");
    if (life_ended(life, "varve_watch_next", status, &error))
        trace("  watch: %s", path);
}

/* --- Without a manager -------------------------------------------------- */

void life_save_prefix(struct life *life)
{
    varve_error error = { 0 };
    char path[100];
    varve_node *root = life_root(life);
    if (life->values[VALUE_MARK] == 0)
        oracle_initial(life->values);
    uint64_t save = oracle_begins_save(life->values);
    trace("saves %" PRIu64, save);
    varve_status status = varve_save(root, "shared/run/p", NULL, &error);
    if (!life_ended(life, "varve_save", status, &error))
        return;
    snprintf(path, sizeof path, "shared/run/p-%" PRIu64 ".varve",
        varve_save_counter(root));
    oracle_saved(life->process,
        oracle_series(life->process, "shared/run/p"), save, path);
}

static bool make_saver(struct life *life)
{
    varve_error error = { 0 };
    const varve_saver_options options = {
        .keep = life->schedule->job.keep_last
    };
    varve_node *root = life_root(life);
    if (life->saver)
        return true;
    life->saver = varve_saver_new(life->graph, &options, &error);
    varve_status status = life->saver
        ? varve_saver_add_under(life->saver, NULL, root, &error)
        : error.status;
    return life_ended(life, "varve_saver_new", status, &error);
}

void life_saver(struct life *life)
{
    varve_error error = { 0 };
    if (!make_saver(life))
        return;
    if (life->values[VALUE_MARK] == 0)
        oracle_initial(life->values);
    uint64_t save = oracle_begins_save(life->values);
    int64_t step = life->values[VALUE_STEP];
    const varve_saver_save_options options = { .has_step = true,
        .step = (uint64_t)step,
        .pad_step = step > life->schedule->job.keep_every_steps };
    trace("saves %" PRIu64 " at step %" PRId64, save, step);
    varve_status status = varve_saver_save(
        life->saver, life_prefix(life), &options, &error);
    if (life_ended(life, "varve_saver_save", status, &error))
        oracle_saved(life->process, series_of(life), save,
            varve_saver_latest(life->saver));
}

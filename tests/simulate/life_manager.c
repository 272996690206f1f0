/* life_manager.c - Implements programs that resume and save, and others that
 * prune and pin.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/life.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "graph.h"
#include "simulate/finding.h"
#include "simulate/process.h"

static const varve_write_options no_extras = { 0 };
static const varve_write_options incremental = { .incremental = true };

static varve_status initialize(void *user)
{
    struct life *life = user;
    oracle_initial(life->values);
    life->is_new = true;
    return VARVE_OK;
}

static varve_level the_level(const struct life *life)
{
    return (varve_level){ .directory = life_level_directory(life),
        .keep_last = life->schedule->job.level_keep_last,
        .incremental = life->schedule->job.level_incremental };
}

static varve_manager_options options_of(
    struct life *life, const varve_level *level)
{
    const struct job_plan *job = &life->schedule->job;
    return (varve_manager_options){ .keep_last = job->keep_last,
        .keep_best = job->keep_best,
        .keep_every_steps = job->keep_every_steps,
        .number_by_step = job->by_step,
        .async = job->async,
        .lock_seconds = job->lock_seconds,
        .write = job->is_incremental ? &incremental : &no_extras,
        .initialize = initialize,
        .initialize_user = life,
        .levels = job->has_level ? level : NULL,
        .level_count = job->has_level };
}

static bool make_manager(struct life *life)
{
    varve_error error = { 0 };
    if (life->manager)
        return true;
    varve_level level = the_level(life);
    varve_manager_options options = options_of(life, &level);
    life->manager = varve_manager_new(
        life_root(life), life_directory(life), &options, &error);
    return life_ended(life, "varve_manager_new",
        life->manager ? VARVE_OK : error.status, &error);
}

/* Sets the ballast for the step of the values. */
static void fill_ballast(struct life *life)
{
    for (unsigned i = 0; i < BALLAST; i++)
        life->ballast[i] = life->values[VALUE_STEP] / 3 * BALLAST + i;
}

static void check_ballast(const struct life *life)
{
    for (unsigned i = 0; i < BALLAST; i++)
        if (life->ballast[i] != life->values[VALUE_STEP] / 3 * BALLAST + i) {
            finding(FINDING_LOST,
                "%s resumed step %" PRId64 " with a value of another step",
                life->process->name, life->values[VALUE_STEP]);
            return;
        }
}

static size_t shelves_of(
    const struct life *life, struct series all[2])
{
    all[0] = oracle_series(life->process, life_prefix(life));
    all[1] = oracle_series(life->process, life_level_prefix(life));
    return life->schedule->job.has_level ? 2 : 1;
}

void life_open(struct life *life)
{
    varve_error error = { 0 };
    struct series all[2];
    size_t count = shelves_of(life, all);
    size_t moment = oracle_moment();
    if (life->is_resumed || !make_manager(life))
        return;
    life->is_new = false;
    memset(life->values, 0, sizeof life->values);
    varve_status status = varve_manager_resume(life->manager, &error);
    const char *passed = varve_manager_skipped(life->manager, 0);
    if (passed)
        trace("  passed over: %s", passed);
    if (!life_ended(life, "varve_manager_resume", status, &error)) {
        life_close(life);
        return;
    }
    life->is_resumed = true;
    if (life->is_new)
        fill_ballast(life);
    else if (life->schedule->job.is_incremental)
        check_ballast(life);
    life->saved = (uint64_t)life->values[VALUE_SAVE];
    oracle_resumed(
        life->process, all, count, moment, life->values, life->is_new);
}

/* Returns a number that depends only on the save. */
static double metric_of(uint64_t save)
{
    return (double)(save * 7 % 5);
}

static void report(struct life *life, uint64_t save, const char *path)
{
    oracle_saved(life->process,
        oracle_series(life->process, life_prefix(life)), save, path);
    life->saved = save;
}

/* Reports the pending save, which is complete. */
static void report_flight(struct life *life)
{
    if (life->flight)
        report(life, life->flight, NULL);
    life->flight = 0;
}

void life_save(struct life *life, bool pins)
{
    varve_error error = { 0 };
    life_open(life);
    if (!life->is_resumed)
        return;
    uint64_t save = oracle_begins_save(life->values);
    fill_ballast(life);
    trace("saves %" PRIu64 " at step %" PRId64, save,
        life->values[VALUE_STEP]);
    char text[sizeof ORACLE_METADATA + ORACLE_DIGITS];
    snprintf(text, sizeof text, ORACLE_METADATA "%0*" PRIu64, ORACLE_DIGITS,
        save);
    const varve_metadata metadata = { .name = "save",
        .kind = VARVE_METADATA_STRING,
        .string = text };
    varve_status status = varve_manager_save_with(life->manager,
        life->values[VALUE_STEP],
        &(varve_manager_save_options){ .has_metric = true,
            .metric = metric_of(save),
            .metadata = &metadata,
            .metadata_count = life->schedule->job.is_incremental,
            .pin = pins },
        &error);
    const char *warning = varve_manager_warning(life->manager);
    if (warning)
        trace("  warning: %s", warning);
    if (!life_ended(life, "varve_manager_save", status, &error)) {
        life->flight = 0;
        return;
    }
    report_flight(life);
    const char *path = varve_manager_saved(life->manager);
    if (life->schedule->job.async)
        life->flight = save;
    else
        report(life, save, path);
    if (pins && !life->schedule->job.async && path)
        oracle_pinned(life->process, path);
}

void life_wait(struct life *life)
{
    varve_error error = { 0 };
    if (!life->manager)
        return;
    varve_status status = varve_manager_wait(life->manager, &error);
    if (life_ended(life, "varve_manager_wait", status, &error))
        report_flight(life);
    life->flight = 0;
}

void life_drain(struct life *life)
{
    varve_error error = { 0 };
    varve_level_state state = { 0 };
    if (!life->is_resumed)
        return;
    life_wait(life);
    varve_status status = varve_manager_drain(life->manager, 60, &error);
    if (!varve_manager_level_at(life->manager, 0, &state))
        return;
    if (life_ended(life, "varve_manager_drain", status, &error) &&
        life->saved && life->saved == (uint64_t)life->values[VALUE_SAVE])
        oracle_drained(life->process,
            oracle_series(life->process, life_level_prefix(life)),
            life->saved, state.latest);
}

void life_prune(struct life *life)
{
    varve_error error = { 0 };
    bool was_open = life->manager != NULL;
    if (!make_manager(life))
        return;
    varve_status status = varve_manager_prune(life->manager, &error);
    life_ended(life, "varve_manager_prune", status, &error);
    if (!was_open)
        life_close(life);
}

/* Finds the oldest checkpoint that is pinned, or not pinned. */
static bool find_managed(
    struct life *life, bool is_pinned, varve_checkpoint_info *found)
{
    for (size_t i = 0; varve_manager_at(life->manager, i, found); i++)
        if (found->is_pinned == is_pinned)
            return true;
    return false;
}

void life_pin(struct life *life)
{
    varve_error error = { 0 };
    varve_checkpoint_info found = { 0 };
    bool was_open = life->manager != NULL;
    char path[100];
    if (!make_manager(life))
        return;
    if (find_managed(life, false, &found)) {
        snprintf(path, sizeof path, "%s", found.path);
        trace("pins %s", path);
        varve_status status =
            varve_manager_pin(life->manager, found.number, &error);
        if (life_ended(life, "varve_manager_pin", status, &error))
            oracle_pinned(life->process, path);
    }
    if (!was_open)
        life_close(life);
}

void life_unpin(struct life *life)
{
    varve_error error = { 0 };
    varve_checkpoint_info found = { 0 };
    bool was_open = life->manager != NULL;
    if (!make_manager(life))
        return;
    if (find_managed(life, true, &found)) {
        oracle_unpins(life->process, found.path);
        varve_status status =
            varve_manager_unpin(life->manager, found.number, &error);
        life_ended(life, "varve_manager_unpin", status, &error);
    }
    if (!was_open)
        life_close(life);
}

void life_close(struct life *life)
{
    if (life->manager && life->flight)
        life_wait(life);
    varve_manager_free(life->manager);
    life->manager = NULL;
    life->is_resumed = false;
    life->flight = 0;
}

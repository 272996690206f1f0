/* levels.c - Queues each checkpoint at the storage levels at which it is due.
 *
 * SPDX-License-Identifier: MIT
 */
#include "levels.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "listing_refresh.h"
#include "name.h"
#include "store.h"
#include "system.h"
#include "try.h"

#define FIRST_PAUSE (VV_SECOND / 100)

enum { MOST_TRIES = 4 }; /* of a listing that fails, after the first */

static int64_t levels_this_process(const struct vv_context *context)
{
    return context->system->process(context->system->state, NULL, 0);
}

/* Releases the levels in a forked child. The threads belong to the parent,
 * which continues. Data that they may be changing is not accessed. */
bool vv_levels_are_lost(const struct vv_levels *levels)
{
    return levels->process != levels_this_process(levels->context);
}

static bool is_idle(const struct vv_levels *levels)
{
    return levels->count == 0 || levels->follows || vv_levels_are_lost(levels);
}

void vv_levels_add(struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *entry)
{
    if (is_idle(levels))
        return;
    for (size_t i = 0; i < levels->count; i++) {
        struct vv_level_queue *q = &levels->all[i];
        if (vv_level_queue_is_due(q, entry))
            vv_level_queue_add(q, listing, entry);
        vv_level_queue_go_on(q);
    }
}

/* --- Looking ------------------------------------------------------------ */

static varve_status levels_look_at(
    struct vv_levels *levels, struct vv_level_queue *q, varve_error *error)
{
    const struct vv_system *system = levels->context->system;
    struct vv_listing *l = &q->seen;
    q->unseen = (varve_error){ 0 };
    /* If numbers can be reused, another file can have the same size and time.
     */
    for (size_t i = 0; i < l->count && !levels->numbers_say; i++)
        l->entries[i].is_read = false;
    q->unseen.status = vv_listing_refresh(l, &q->unseen);
    for (int i = 0; i < MOST_TRIES && q->unseen.status == VARVE_IO; i++) {
        system->sleep(system->state, FIRST_PAUSE << i);
        q->unseen.status = vv_listing_refresh(l, &q->unseen);
    }
    if (q->unseen.status == VARVE_NO_MEMORY)
        *error = q->unseen;
    if (q->unseen.status) {
        l->count = 0;
        vv_level_queue_note(q, "looking there", &q->unseen);
    }
    uint64_t highest = vv_listing_highest(l, levels->numbers_say);
    if (q->highest < highest)
        q->highest = highest;
    return q->unseen.status == VARVE_NO_MEMORY ? VARVE_NO_MEMORY : VARVE_OK;
}

varve_status vv_levels_look(struct vv_levels *levels, varve_error *error)
{
    for (size_t i = 0; !levels->follows && i < levels->count; i++)
        VV_TRY(levels_look_at(levels, &levels->all[i], error));
    return VARVE_OK;
}

uint64_t vv_levels_highest(const struct vv_levels *levels)
{
    uint64_t highest = 0;
    for (size_t i = 0; i < levels->count; i++) {
        uint64_t one = vv_level_queue_highest(&levels->all[i]);
        highest = one > highest ? one : highest;
    }
    return highest;
}

/* --- What was left to do ------------------------------------------------ */

static const struct vv_entry *newest_of(const struct vv_listing *l)
{
    for (size_t i = l->count; i-- > 0;)
        if (l->entries[i].is_ours && !l->entries[i].is_damaged)
            return &l->entries[i];
    return NULL;
}

/* Finds the checkpoints that are due at a level and missing there; if only time
 * decides, only the newest. */
static void let_lacking_wait(struct vv_level_queue *q,
    struct vv_listing *listing, const uint64_t *except)
{
    const struct vv_system *system = q->level.context.system;
    const struct vv_entry *there = newest_of(&q->seen);
    const struct vv_entry *newest = newest_of(listing);
    struct vv_interval interval = q->interval;
    bool by_time = interval.seconds && !interval.steps;
    varve_error unread = { 0 };
    interval.seconds = 0;
    vv_fail(&unread, VARVE_IO,
        "%s: a checkpoint could not be read; the next checkpoint that is saved "
        "will be copied",
        listing->directory);
    for (size_t i = 0; i < listing->count; i++) {
        const struct vv_entry *e = &listing->entries[i];
        if (e->is_unread && (!there || e->counter > there->counter))
            vv_level_queue_note_missed(q, e->counter, &unread);
        if (!e->is_ours || e->is_damaged || (by_time && e != newest) ||
            (there && e->counter <= there->counter) ||
            (except && e->number == *except) ||
            !vv_interval_is_over(&interval, e->step, system))
            continue;
        vv_interval_begin(&interval, e->step, system);
        vv_level_queue_add(q, listing, e);
    }
}

void vv_levels_catch_up(struct vv_levels *levels, struct vv_listing *listing,
    const uint64_t *except)
{
    if (is_idle(levels) || levels->has_begun)
        return;
    levels->has_begun = true;
    for (size_t i = 0; i < levels->count; i++) {
        struct vv_level_queue *q = &levels->all[i];
        let_lacking_wait(q, listing, except);
        q->left_out = 0; /* they belonged to an earlier process */
        vv_level_queue_go_on(q);
    }
}

void vv_levels_pass_on(struct vv_levels *levels, struct vv_listing *listing,
    const struct vv_entry *own, bool is_durable)
{
    const struct vv_entry *entry = vv_listing_find(listing, own->number);
    bool is_read = entry && entry->is_read;
    bool had_begun = levels->has_begun;
    vv_levels_catch_up(
        levels, listing, is_durable && is_read ? NULL : &own->number);
    if (is_durable && (had_begun || !is_read))
        vv_levels_add(levels, listing, is_read ? entry : own);
}

void vv_levels_hold(struct vv_levels *levels, size_t level, uint64_t number)
{
    if (is_idle(levels))
        return;
    for (size_t i = 0; i < levels->count; i++)
        vv_level_queue_hold(&levels->all[i], i + 1 == level ? &number : NULL);
}

bool vv_levels_have_failed(struct vv_levels *levels, varve_error *failure)
{
    if (is_idle(levels))
        return false;
    for (size_t i = 0; i < levels->count; i++)
        if (vv_level_queue_has_failed(&levels->all[i], failure))
            return true;
    return false;
}

/* --- Waiting for it ----------------------------------------------------- */

varve_status vv_levels_drain(
    struct vv_levels *levels, int64_t deadline, varve_error *error)
{
    varve_status first = VARVE_OK;
    if (levels->follows)
        return VARVE_OK;
    if (levels->count && vv_levels_are_lost(levels))
        return vv_fail(error, VARVE_CANCELLED,
            "%s: levels cannot be used in a forked child process; the parent "
            "finishes the pending copies",
            levels->all[0].level.listing.directory);
    for (size_t i = 0; i < levels->count; i++)
        vv_level_queue_go_on(&levels->all[i]);
    for (size_t i = 0; i < levels->count; i++) {
        varve_error reason = { 0 };
        varve_status status =
            vv_level_queue_drain(&levels->all[i], deadline, &reason);
        if (status && !first) {
            first = status;
            *error = reason;
        }
    }
    return first;
}

/* --- Telling ------------------------------------------------------------ */

bool vv_levels_state(
    struct vv_levels *levels, size_t index, varve_level_state *state)
{
    if (index >= levels->count || !state)
        return false;
    struct vv_level_queue *q = &levels->all[index];
    *state = (varve_level_state){ .step = -1 };
    if (vv_levels_are_lost(levels))
        vv_fail(&q->reported, VARVE_CANCELLED,
            "%s: levels cannot be used in a forked child process",
            q->seen.directory);
    else
        vv_level_queue_state(q, state);
    state->directory = q->seen.directory;
    state->failure = q->reported.status ? q->reported.message : NULL;
    return true;
}

/* --- Beginning and ending ----------------------------------------------- */

static varve_status levels_check_one(const varve_level *levels, size_t index,
    const char *directory, varve_error *error)
{
    const char *own = levels[index].directory;
    VV_TRY(VV_CHECK_OPTIONS(&levels[index], error));
    if (!own || !*own)
        return vv_fail(error, VARVE_MISUSE, "%s: level %zu has no directory",
            directory, index);
    VV_TRY(vv_interval_check(
        own, "every_steps", levels[index].every_steps, error));
    VV_TRY(vv_interval_check(
        own, "every_seconds", levels[index].every_seconds, error));
    VV_TRY(vv_interval_check(
        own, "keep_every_steps", levels[index].keep_every_steps, error));
    if (levels[index].incremental)
        VV_TRY(vv_store_refuse_any(
            own, "has no locks, which incremental copies need", error));
    bool is_taken = strcmp(own, directory) == 0;
    for (size_t i = 0; i < index; i++)
        is_taken |= strcmp(own, levels[i].directory) == 0;
    return is_taken ? vv_fail(error, VARVE_MISUSE,
                          "%s: level %zu needs another directory: this one is "
                          "already used",
                          own, index)
                    : VARVE_OK;
}

varve_status vv_levels_check(const varve_level *levels, size_t count,
    const char *directory, varve_error *error)
{
    VV_TRY(vv_check_list(levels, count, "levels", error));
    for (size_t i = 0; i < count; i++)
        VV_TRY(levels_check_one(levels, i, directory, error));
    return VARVE_OK;
}

static void note_newest(struct vv_level_queue *q)
{
    const struct vv_entry *newest = newest_of(&q->seen);
    if (!newest)
        return;
    vv_interval_begin(&q->interval, newest->step, q->level.context.system);
    q->interval.has_last = newest->step >= 0;
    q->has_latest = true;
    q->latest = newest->number;
    q->latest_step = newest->step;
}

static varve_status begin_one(const struct vv_levels *levels,
    struct vv_level_queue *q, varve_level level, const struct vv_listing *like,
    varve_error *error)
{
    struct vv_buffer directory;
    vv_buffer_init(&directory, &like->context->allocator);
    vv_buffer_add_string(&directory, level.directory);
    if (levels->is_of_sets) {
        vv_buffer_add_string(&directory, "/rank-");
        vv_buffer_add_decimal(&directory, levels->rank);
    }
    level.directory = vv_buffer_string(&directory);
    varve_status status =
        directory.failed ? vv_fail_memory(error, "the directory of a level")
                         : vv_level_queue_begin(q, &level, like, error);
    vv_buffer_clear(&directory);
    return status;
}

/* Determines the directory to which a path leads. Returns false if it does not
 * exist. */
static bool levels_identify(const struct vv_context *context, const char *path,
    struct vv_file_info *info)
{
    const struct vv_system *system = context->system;
    int directory =
        system->open_directory(system->state, VV_WORKING_DIRECTORY, path);
    bool is_there =
        directory >= 0 && system->info(system->state, directory, info) == 0;
    vv_file_close(context, directory);
    return is_there;
}

/* Returns true if two paths lead to one directory. Copies there would replace
 * the originals. */
static varve_status levels_check_alias(const struct vv_levels *levels,
    size_t index, const struct vv_listing *own, varve_error *error)
{
    const char *path = levels->all[index].seen.directory;
    struct vv_file_info here, there;
    if (vv_is_of_store(path) || !levels_identify(levels->context, path, &here))
        return VARVE_OK;
    for (size_t i = 0; i <= index; i++) {
        const char *other =
            i == index ? own->directory : levels->all[i].seen.directory;
        if (!vv_is_of_store(other) &&
            levels_identify(levels->context, other, &there) &&
            here.device == there.device && here.serial == there.serial)
            return vv_fail(error, VARVE_MISUSE,
                "%s: level %zu is the same directory as %s; a level needs a "
                "directory of its own",
                path, index, other);
    }
    return VARVE_OK;
}

varve_status vv_levels_begin(struct vv_levels *levels, const varve_level *those,
    size_t count, const struct vv_listing *like, varve_error *error)
{
    if (count == 0)
        return VARVE_OK;
    levels->context = like->context;
    levels->process = levels_this_process(like->context);
    levels->all = vv_allocate_array(
        &like->context->allocator, count, sizeof *levels->all);
    if (!levels->all)
        return vv_fail_memory(error, "levels");
    memset(levels->all, 0, count * sizeof *levels->all);
    levels->count = count;
    levels->has_begun = levels->is_of_sets;
    for (size_t i = 0; i < count; i++) {
        struct vv_level_queue *q = &levels->all[i];
        q->level.replaces = !levels->numbers_say;
        q->level.is_of_sets = levels->is_of_sets;
        memcpy(q->level.run, levels->run, sizeof q->level.run);
        q->level.policy.best_is_larger = levels->best_is_larger;
        VV_TRY(begin_one(levels, q, those[i], like, error));
        VV_TRY(levels_check_alias(levels, i, like, error));
        if (!levels->follows)
            vv_listing_read_ledger(&q->seen, NULL, NULL);
    }
    VV_TRY(vv_levels_look(levels, error));
    for (size_t i = 0; i < count; i++)
        note_newest(&levels->all[i]);
    return VARVE_OK;
}

void vv_levels_end(struct vv_levels *levels)
{
    if (levels->count == 0 || vv_levels_are_lost(levels))
        return;
    for (size_t i = 0; i < levels->count; i++)
        vv_level_queue_end(&levels->all[i]);
    vv_release(&levels->context->allocator, levels->all,
        levels->count * sizeof *levels->all);
}

/* level.c - Copies a checkpoint at a limited rate, and deletes old copies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "level.h"

#include <inttypes.h>
#include <string.h>

#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layer_prune.h"
#include "listing_refresh.h"
#include "repack.h"
#include "retention.h"
#include "run_identity.h"
#include "system.h"
#include "try.h"

/* The interval at which a delayed copy checks for cancellation. */
#define LONGEST_PAUSE (VV_SECOND / 20)

varve_status vv_level_begin(struct vv_level *level,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error)
{
    level->context = *context;
    level->context.durable = &level->durable;
    level->lock.file = -1;
    level->decision.allocator = &level->context.allocator;
    vv_buffer_init(&level->whole, &level->context.allocator);
    return vv_listing_begin(
        &level->listing, &level->context, directory, prefix, metric, error);
}

void vv_level_clear(struct vv_level *level)
{
    vv_manager_lock_release(&level->lock, &level->context);
    vv_listing_clear(&level->listing);
    vv_decision_clear(&level->decision);
    vv_buffer_clear(&level->whole);
}

/* --- Copying ------------------------------------------------------------ */

/* Returns the time in nanoseconds that the bytes copied so far should take. */
static int64_t time_for(uint64_t bytes, uint64_t bytes_per_second)
{
    double seconds = (double)bytes / (double)bytes_per_second;
    double most = (double)(INT64_MAX / VV_SECOND / 2);
    return (int64_t)((seconds < most ? seconds : most) * (double)VV_SECOND);
}

/* The progress callback of a copy, which limits its rate. */
static int level_keep_pace(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    const struct vv_level *level = user;
    const struct vv_system *system = level->context.system;
    (void)total;
    (void)what;
    while (level->bytes_per_second && !atomic_load(&level->is_cancelled)) {
        int64_t passed = system->uptime(system->state) - level->begun;
        int64_t rest = time_for(done, level->bytes_per_second) - passed;
        if (rest <= 0)
            break;
        system->sleep(
            system->state, rest < LONGEST_PAUSE ? rest : LONGEST_PAUSE);
    }
    return atomic_load(&level->is_cancelled);
}

static varve_status level_look(struct vv_level *level, varve_error *error)
{
    bool is_first = !level->has_looked;
    if (is_first)
        vv_listing_read_ledger(&level->listing, NULL, NULL);
    level->has_looked = true;
    return is_first || level->replaces
               ? vv_listing_refresh(&level->listing, error)
               : vv_listing_refresh_names(&level->listing, error);
}

static struct vv_entry original_entry(const struct vv_original *o)
{
    struct vv_entry e = { .number = o->number,
        .counter = o->counter,
        .identity = o->identity,
        .parent = o->parent,
        .parent_counter = o->parent_counter,
        .origin = o->origin,
        .ancestry = o->ancestry };
    memcpy(e.run, o->run, sizeof e.run);
    return e;
}

/* Compares checkpoints by identity, and also by value if the identity may
 * belong to another checkpoint: the program has named the run, or an older
 * version wrote it. */
static varve_status level_is_copy(struct vv_level *level,
    const struct vv_entry *e, const struct vv_original *o, bool *is_copy,
    varve_error *error)
{
    bool may_be = e->is_ours && !e->is_damaged && e->counter == o->counter &&
                  e->step == o->step;
    *is_copy = may_be && e->identity == o->identity;
    if (!*is_copy || vv_run_identity_time(o->run))
        return VARVE_OK;
    const char *path = vv_listing_entry_path(&level->listing, e, VARVE_SUFFIX);
    return level->listing.path.failed
               ? vv_fail_memory(error, "the name of a copy")
               : vv_checkpoint_compare(
                     &level->context, o->path, path, is_copy, error);
}

/* A later save of a step replaces an earlier one of the same lineage, but never
 * one of another program, such as a file that could not be read. A free number
 * is used without replacing. */
static bool level_may_replace(const struct vv_level *level,
    const struct vv_entry *there, const struct vv_original *o)
{
    const struct vv_entry newer = original_entry(o);
    return level->replaces && there && there->is_read &&
           vv_listing_is_before(&level->listing, there, &newer);
}

static varve_status level_fail_taken(struct vv_level *level,
    const struct vv_entry *e, const struct vv_original *o, varve_error *error)
{
    const char *path = vv_listing_entry_path(&level->listing, e, VARVE_SUFFIX);
    if (e->is_unread)
        return vv_fail(error, VARVE_IO,
            "%s: an unreadable file has this number; %s was not copied over "
            "it, and the copy is tried again",
            path, o->path);
    return vv_fail(error, VARVE_EXISTS,
        "%s: this number belongs to another checkpoint, of run %s, step "
        "%" PRId64 "; %s, of run %s, step %" PRId64 ", was not copied over it",
        path, *e->run ? e->run : "unknown", e->step, o->path,
        *o->run ? o->run : "unknown", o->step);
}

/* Syncs the directory of an existing copy, because the process that made it may
 * have been killed before. */
static varve_status level_sync_names(struct vv_level *level, varve_error *error)
{
    const struct vv_system *system = level->context.system;
    int directory;
    const char *path = vv_listing_path(&level->listing, NULL, "");
    if (level->listing.path.failed)
        return vv_fail_memory(error, "the path of a directory");
    VV_TRY(vv_directory_open_parent(&level->context, path, &directory, error));
    int result = system->sync(system->state, directory);
    vv_file_close(&level->context, directory);
    return result < 0 ? vv_fail_system(error, -result, "sync of its directory",
                            level->listing.directory)
                      : VARVE_OK;
}

static varve_status level_make(struct vv_level *level,
    const struct vv_original *o, bool may_replace, uint64_t *size,
    varve_error *error)
{
    const struct vv_system *system = level->context.system;
    const varve_write_options options = { .no_replace = !may_replace,
        .progress = level_keep_pace,
        .progress_user = level };
    struct vv_buffer path;
    vv_buffer_init(&path, &level->context.allocator);
    vv_buffer_add_string(
        &path, vv_listing_path(&level->listing, &o->number, VARVE_SUFFIX));
    const char *to = vv_buffer_string(&path);
    varve_status status = VARVE_OK;
    level->begun = system->uptime(system->state);
    if (path.failed || level->listing.path.failed)
        status = vv_fail_memory(error, "the name of a copy");
    else if (level->is_incremental)
        status =
            vv_copy_layers(&level->context, o->path, to, &options, size, error);
    else
        status =
            vv_repack_to(&level->context, o->path, to, &options, size, error);
    vv_buffer_clear(&path);
    return status;
}

varve_status vv_level_copy(struct vv_level *level, const struct vv_original *o,
    uint64_t *size, varve_error *error)
{
    *size = 0;
    level->newest = original_entry(o);
    VV_TRY(level_look(level, error));
    struct vv_entry *there = vv_listing_find(&level->listing, o->number);
    bool is_copy = false;
    if (there)
        VV_TRY(level_is_copy(level, there, o, &is_copy, error));
    is_copy = is_copy && vv_listing_confirm(&level->listing, there);
    if (is_copy && !o->is_unsure)
        return level_sync_names(level, error);
    bool may_replace = is_copy || (there && there->is_damaged) ||
                       level_may_replace(level, there, o);
    if (there && !may_replace)
        return level_fail_taken(level, there, o, error);
    /* The file was replaced: its entry must be read again even if size and time
     * are equal. */
    if (there)
        there->is_read = false;
    return level_make(level, o, may_replace, size, error);
}

/* --- What follows it ---------------------------------------------------- */

/* Also removes data files of earlier incremental checkpoints. */
static varve_status prune_layers(struct vv_level *level, varve_error *error)
{
    const char *path = vv_listing_path(&level->listing, NULL, "");
    return level->listing.path.failed
               ? vv_fail_memory(error, "the path of layers")
               : vv_prune_layers(&level->context, path, error);
}

static bool level_is_whole(const struct vv_level *level, uint64_t number)
{
    const struct vv_buffer *whole = &level->whole;
    for (size_t i = 0; i < whole->size; i += sizeof number)
        if (memcmp(whole->data + i, &number, sizeof number) == 0)
            return true;
    return false;
}

/* Checkpoints of other programs are kept and not counted. */
static bool level_is_of_others(
    const struct vv_level *level, const struct vv_entry *e)
{
    return !vv_listing_is_before(&level->listing, e, &level->newest);
}

/* All ranks keep the same checkpoints because they count the same ones. */
static varve_status level_decide(
    struct vv_level *level, uint64_t good, varve_error *error)
{
    struct vv_listing *l = &level->listing;
    struct vv_decision *d = &level->decision;
    for (size_t i = 0; i < l->count; i++) {
        struct vv_entry *e = &l->entries[i];
        bool is_part = level->is_of_sets && !level_is_whole(level, e->number);
        e->is_excluded = is_part || level_is_of_others(level, e);
    }
    varve_status status = vv_decide_listing(d, &level->policy, l, &good, error);
    const struct vv_entry *newest = vv_listing_find(l, good);
    for (size_t i = 0; i < l->count; i++) {
        struct vv_entry *e = &l->entries[i];
        if (!status && e->is_ours && e->is_excluded &&
            !level_is_of_others(level, e) && newest &&
            e->counter < newest->counter &&
            d->facts[i].reasons == VV_KEPT_FOREIGN)
            d->facts[i].reasons = 0;
        if (!status && level->is_resumed && e->number == level->resumed)
            d->facts[i].reasons |= VV_KEPT_RESUMED;
    }
    return status;
}

varve_status vv_level_tidy(
    struct vv_level *level, uint64_t good, varve_error *error)
{
    struct vv_listing *l = &level->listing;
    const struct vv_lock_request request = { .run = level->run };
    size_t count;
    l->policy = level->policy;
    VV_TRY(vv_manager_lock_take(&level->lock, l, &request, error));
    VV_TRY(vv_listing_refresh_names(l, error));
    VV_TRY(level_decide(level, good, error));
    count = l->count;
    varve_status pruned = vv_prune(l, &level->decision, error);
    if (!pruned && l->count < count)
        pruned = prune_layers(level, error);
    varve_status noted = vv_listing_write_ledger(l, pruned ? NULL : error);
    return pruned ? pruned : noted;
}

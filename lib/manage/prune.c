/* prune.c - the decision about a listing, and its carrying out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "prune.h"

#include <errno.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "store.h"
#include "temporary.h"
#include "try.h"

/* --- Deciding ----------------------------------------------------------- */

/* What is so damaged that it does not say whose it is goes by its name, where
 * there is a bound for such. */
static bool is_nobodys(const struct vv_policy *policy, const struct vv_entry *e)
{
    return policy->keep_damaged && e->is_damaged && !e->is_read;
}

varve_status vv_decide_listing(struct vv_decision *d,
    const struct vv_policy *policy, const struct vv_listing *l,
    const uint64_t *newest_good, varve_error *error)
{
    d->count = 0;
    while (d->capacity < l->count)
        if (!vv_grow_array(d->allocator, &d->facts, &d->capacity, d->capacity,
                sizeof *d->facts))
            return vv_fail_memory(error, "a decision about checkpoints");
    for (size_t i = 0; i < l->count; i++) {
        const struct vv_entry *e = &l->entries[i];
        d->facts[i] = (struct vv_fact){
            .step = e->step,
            .time = e->time,
            .metric = e->metric,
            .size = e->size + e->data,
            .is_ours = e->is_ours || is_nobodys(policy, e),
            .is_pinned = e->is_pinned,
            .is_damaged = e->is_damaged,
            .is_newest_good = newest_good && e->number == *newest_good,
        };
    }
    d->count = l->count;
    vv_retention_decide(policy, d->facts, d->count);
    return VARVE_OK;
}

void vv_decision_clear(struct vv_decision *d)
{
    vv_release(d->allocator, d->facts, d->capacity * sizeof *d->facts);
    *d = (struct vv_decision){ .allocator = d->allocator };
}

/* --- Deleting ----------------------------------------------------------- */

/* Takes the lock of a file that is to go. Where there are no locks there are no
 * leases. */
static bool is_leased(const struct vv_context *context, int file)
{
    const struct vv_system *system = context->system;
    return system->lock(system->state, file) == -EWOULDBLOCK;
}

/* What keeps files of others goes first: without it this one is of no set. */
static varve_status delete_parity(struct vv_listing *l, int directory,
    const struct vv_entry *entry, varve_error *error)
{
    const char *name = vv_listing_name(l, &entry->number, ".parity");
    return l->path.failed
               ? vv_fail_memory(error, "the name of a checkpoint")
               : vv_file_remove(l->context, directory, name, name, error);
}

/* Renames a file away and removes it. The caller holds it open until that is on
 * disk: where a file system gives freed blocks away at once, a power cut would
 * bring back its name with bytes of others. */
static varve_status delete_named(struct vv_listing *l, int directory,
    const struct vv_entry *entry, varve_error *error)
{
    const struct vv_system *system = l->context->system;
    if (l->has_parity)
        VV_TRY(delete_parity(l, directory, entry, error));
    struct vv_buffer away;
    vv_buffer_init(&away, &l->context->allocator);
    vv_buffer_add8(&away, '.');
    vv_buffer_add_string(
        &away, vv_listing_name(l, &entry->number, VARVE_SUFFIX ".gone"));
    const char *to = vv_buffer_string(&away);
    const char *name = vv_listing_name(l, &entry->number, VARVE_SUFFIX);
    varve_status status = VARVE_OK;
    if (away.failed || l->path.failed) {
        status = vv_fail_memory(error, "the name of a checkpoint");
    } else {
        int result = system->rename(system->state, directory, name, to);
        bool stays = result == -EOPNOTSUPP; /* a store deletes in one step */
        if (result < 0 && result != -ENOENT && !stays)
            status = vv_fail_system(error, -result, "rename to delete", name);
        else if (result == 0 || stays)
            status = vv_file_remove(
                l->context, directory, stays ? name : to, name, error);
        if (!status && (result = system->sync(system->state, directory)) < 0)
            status = vv_fail_system(error, -result,
                "it is deleted, but sync of its directory", name);
    }
    vv_buffer_clear(&away);
    return status;
}

/* Opens the file of an entry that is to go, with its lock. Where the file has
 * to stay the fact gets the reason, and where it is gone *file is -1. */
static varve_status open_to_delete(struct vv_listing *l,
    const struct vv_entry *entry, struct vv_fact *fact, int *file,
    varve_error *error)
{
    uint64_t size;
    *file = -1;
    const char *path = vv_listing_path(l, &entry->number, VARVE_SUFFIX);
    if (l->path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    varve_status status = vv_file_open(l->context, path, file, &size, error);
    if (status == VARVE_NOT_FOUND)
        return VARVE_OK;
    if (status)
        fact->reasons |= VV_KEPT_UNREADABLE;
    else if (is_leased(l->context, *file))
        fact->reasons |= VV_KEPT_LEASED;
    else if (entry->is_damaged && !vv_listing_is_damaged(l, entry))
        fact->reasons |= VV_KEPT_DAMAGED;
    else if (entry->is_read && !vv_listing_confirm(l, entry))
        fact->reasons |= VV_KEPT_FOREIGN;
    return status;
}

static varve_status delete_one(struct vv_listing *l, int directory,
    const struct vv_entry *entry, struct vv_fact *fact, varve_error *error)
{
    int file;
    VV_TRY(open_to_delete(l, entry, fact, &file, error));
    varve_status status = VARVE_OK;
    if (file >= 0 && !fact->reasons)
        status = delete_named(l, directory, entry, error);
    vv_file_close(l->context, file);
    return status;
}

static void keep_first(varve_status *first, varve_status status)
{
    if (!*first)
        *first = status;
}

/* Whether it is a writer's, and not a deletion's. */
static bool is_set_aside(const char *name)
{
    size_t size = strlen(name);
    return size > 4 && strcmp(name + size - 4, ".tmp") == 0;
}

/* What a deletion or a save that was cut short has left. */
static varve_status sweep(
    struct vv_listing *l, int directory, varve_error *error)
{
    varve_status first = VARVE_OK;
    for (size_t i = 0; i < l->gone.size;) {
        const char *name = (const char *)l->gone.data + i;
        if (is_set_aside(name))
            vv_temporary_sweep_one(l->context, directory, name);
        else
            keep_first(&first, vv_file_remove(l->context, directory, name, name,
                                   first ? NULL : error));
        i += strlen(name) + 1;
    }
    if (!first)
        l->gone.size = 0;
    return first;
}

static bool has_work(const struct vv_listing *l, const struct vv_decision *d)
{
    bool found = l->gone.size > 0;
    for (size_t i = 0; i < d->count; i++)
        found |= !d->facts[i].reasons;
    return found;
}

varve_status vv_prune(
    struct vv_listing *l, struct vv_decision *d, varve_error *error)
{
    int directory;
    if (!has_work(l, d))
        return VARVE_OK;
    const char *path = vv_listing_path(l, NULL, "");
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a directory");
    VV_TRY(vv_store_refuse(path, error));
    VV_TRY(vv_directory_open_parent(l->context, path, &directory, error));
    varve_status first = sweep(l, directory, error);
    for (size_t i = 0; i < d->count;) {
        if (d->facts[i].reasons) {
            i++;
            continue;
        }
        varve_status status = delete_one(
            l, directory, &l->entries[i], &d->facts[i], first ? NULL : error);
        keep_first(&first, status);
        if (status || d->facts[i].reasons) {
            i++;
            continue;
        }
        vv_listing_remove(l, i);
        d->count--;
        memmove(
            &d->facts[i], &d->facts[i + 1], (d->count - i) * sizeof *d->facts);
    }
    vv_file_close(l->context, directory);
    return first;
}

varve_status vv_prune_trial(
    struct vv_listing *l, struct vv_decision *d, varve_error *error)
{
    varve_status first = VARVE_OK;
    for (size_t i = 0; i < d->count; i++) {
        int file = -1;
        if (d->facts[i].reasons)
            continue;
        keep_first(&first, open_to_delete(l, &l->entries[i], &d->facts[i],
                               &file, first ? NULL : error));
        vv_file_close(l->context, file);
    }
    return first;
}

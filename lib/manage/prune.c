/* prune.c - Decides which checkpoints of a listing to delete, and deletes them.
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
#include "lease.h"
#include "listing_refresh.h"
#include "publish.h"
#include "retry.h"
#include "store.h"
#include "temporary.h"
#include "try.h"

#define GONE ".gone" /* ending of the name that a file has while it goes */

/* --- Deciding ----------------------------------------------------------- */

/* If a file is so damaged that its owner is unknown, its name decides, if the
 * policy limits damaged files. */
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
            .is_ours = (e->is_ours && !e->is_excluded) || is_nobodys(policy, e),
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

/* --- One file ----------------------------------------------------------- */

/* Call with the lock of the file. A pin is made under a shared lock. */
static bool deletion_is_pinned(const struct vv_deletion *d, const char *pin)
{
    const struct vv_system *system = d->context->system;
    if (!pin)
        return false;
    int file = system->open_file(system->state, d->directory, pin);
    vv_file_close(d->context, file);
    return file != -ENOENT;
}

/* Checks for a lease file if there are no locks. */
static bool deletion_is_leased(const struct vv_deletion *d, const char *name)
{
    return d->is_unlocked &&
           vv_lease_file_exists(d->context, d->directory, name);
}

/* Returns true if the checkpoint was pinned or leased in the meantime. A
 * process that does so checks the name afterwards. */
static bool deletion_is_wanted(const struct vv_deletion *d, const char *name,
    const char *pin, enum vv_deletion_result *left)
{
    *left = deletion_is_pinned(d, pin)    ? VV_LEFT_PINNED
            : deletion_is_leased(d, name) ? VV_LEFT_LEASED
                                          : VV_DELETED;
    return *left != VV_DELETED;
}

/* Opens the file for writing, which an exclusive lock on NFS requires. Without
 * permission, or in a store, opens it for reading. */
static int deletion_open(const struct vv_deletion *d, const char *name)
{
    const struct vv_system *system = d->context->system;
    int file = system->open_to_write(system->state, d->directory, name);
    return file >= 0 || file == -ENOENT
               ? file
               : system->open_file(system->state, d->directory, name);
}

varve_status vv_deletion_begin(struct vv_deletion *d, const char *name,
    const char *pin, const char *path, int *file, enum vv_deletion_result *left,
    varve_error *error)
{
    const struct vv_system *system = d->context->system;
    unsigned tries = 0;
    *left = VV_DELETED;
    do
        *file = deletion_open(d, name);
    while (vv_try_again(*file, &tries));
    if (*file == -ENOENT) {
        *file = -1;
        return VARVE_OK;
    }
    if (*file < 0)
        return vv_fail_system(error, -*file, "opening it to delete it", path);
    int result = system->lock(system->state, *file);
    d->is_unlocked = result < 0 && !vv_is_of_store(path);
    if (result == -EWOULDBLOCK || deletion_is_leased(d, name))
        *left = VV_LEFT_LEASED;
    else if (deletion_is_pinned(d, pin))
        *left = VV_LEFT_PINNED;
    if (*left)
        vv_deletion_give_up(d, *file);
    return VARVE_OK;
}

void vv_deletion_give_up(struct vv_deletion *d, int file)
{
    vv_file_close(d->context, file);
}

/* Keeps the file open until the sync. Otherwise a file system could reuse its
 * blocks before the removal is durable, and a power loss could restore its name
 * with other contents. */
static varve_status deletion_hold(
    struct vv_deletion *d, int file, const char *path, varve_error *error)
{
    if (d->held_count == sizeof d->held / sizeof *d->held)
        VV_TRY(vv_deletion_end(d, path, error));
    d->held[d->held_count++] = file;
    return VARVE_OK;
}

static varve_status deletion_remove(struct vv_deletion *d, const char *name,
    const char *pin, const char *away, enum vv_deletion_result *left,
    varve_error *error)
{
    const struct vv_system *system = d->context->system;
    int result = d->is_direct
                     ? -EOPNOTSUPP
                     : system->rename(system->state, d->directory, name, away);
    if (result == -EOPNOTSUPP) /* a store deletes in one step */
        return vv_file_remove(d->context, d->directory, name, name, error);
    if (result == -ENOENT)
        return VARVE_OK;
    if (result < 0)
        return vv_fail_system(error, -result, "rename to delete", name);
    if (deletion_is_wanted(d, name, pin, left)) {
        result = vv_rename_new(d->context, d->directory, away, name);
        if (result == 0)
            return VARVE_OK;
        if (result != -EEXIST)
            return vv_fail_system(error, -result,
                *left == VV_LEFT_PINNED
                    ? "it was pinned while it was deleted: rename back from "
                      ".gone"
                    : "it was leased while it was deleted: rename back from "
                      ".gone",
                name);
        *left = VV_DELETED;
    }
    return vv_file_remove(d->context, d->directory, away, name, error);
}

varve_status vv_deletion_carry_out(struct vv_deletion *d, const char *name,
    const char *pin, int file, enum vv_deletion_result *left,
    varve_error *error)
{
    struct vv_buffer away;
    vv_buffer_init(&away, &d->context->allocator);
    vv_buffer_add8(&away, '.');
    vv_buffer_add_string(&away, name);
    vv_buffer_add_string(&away, GONE);
    const char *to = vv_buffer_string(&away);
    varve_status status = deletion_hold(d, file, name, error);
    if (status)
        vv_deletion_give_up(d, file);
    else if (away.failed)
        status = vv_fail_memory(error, "the name of a checkpoint");
    else
        status = deletion_remove(d, name, pin, to, left, error);
    vv_buffer_clear(&away);
    return status;
}

varve_status vv_deletion_end(
    struct vv_deletion *d, const char *path, varve_error *error)
{
    const struct vv_system *system = d->context->system;
    if (d->held_count == 0)
        return VARVE_OK;
    int result = system->sync(system->state, d->directory);
    while (d->held_count > 0)
        vv_file_close(d->context, d->held[--d->held_count]);
    return result < 0
               ? vv_fail_system(error, -result,
                     "files were deleted, but sync of the directory of", path)
               : VARVE_OK;
}

varve_status vv_delete_file(struct vv_deletion *d, const char *name,
    const char *pin, const char *path, enum vv_deletion_result *left,
    varve_error *error)
{
    int file;
    VV_TRY(vv_deletion_begin(d, name, pin, path, &file, left, error));
    return file < 0 || *left
               ? VARVE_OK
               : vv_deletion_carry_out(d, name, pin, file, left, error);
}

/* --- What a decision lets go -------------------------------------------- */

/* Deletes the parity file first. Without it the checkpoint file belongs to no
 * set. */
static varve_status prune_parity(struct vv_listing *l,
    const struct vv_deletion *d, const struct vv_entry *entry,
    varve_error *error)
{
    if (!l->has_parity)
        return VARVE_OK;
    const char *name = vv_listing_name(l, &entry->number, ".parity");
    return l->path.failed
               ? vv_fail_memory(error, "the name of a checkpoint")
               : vv_file_remove(l->context, d->directory, name, name, error);
}

/* Makes the names of the file of an entry and of its pin. */
struct prune_names {
    struct vv_buffer name, pin;
};

static varve_status prune_find_names(struct vv_listing *l,
    const struct vv_entry *entry, struct prune_names *n, varve_error *error)
{
    vv_buffer_init(&n->name, &l->context->allocator);
    vv_buffer_init(&n->pin, &l->context->allocator);
    vv_buffer_add_string(
        &n->name, vv_listing_entry_name(l, entry, VARVE_SUFFIX));
    vv_buffer_string(&n->name);
    if (!entry->is_padded)
        vv_buffer_add_string(&n->pin, vv_listing_entry_name(l, entry, ".pin"));
    vv_buffer_string(&n->pin);
    return l->path.failed || n->name.failed || n->pin.failed
               ? vv_fail_memory(error, "the name of a checkpoint")
               : VARVE_OK;
}

static void prune_clear_names(struct prune_names *n)
{
    vv_buffer_clear(&n->name);
    vv_buffer_clear(&n->pin);
}

/* Returns the reason to keep a locked file, or 0 if it can be deleted. */
static unsigned prune_second_thoughts(
    struct vv_listing *l, const struct vv_entry *entry)
{
    if (entry->is_damaged && !vv_listing_is_damaged(l, entry))
        return VV_KEPT_DAMAGED;
    if (entry->is_read && !vv_listing_confirm(l, entry))
        return VV_KEPT_FOREIGN;
    return 0;
}

/* Opens and locks the file of an entry to delete. If it must be kept, the fact
 * gets the reason. In this case, and if the file does not exist, *file is
 * -1. */
static varve_status prune_open(struct vv_listing *l, struct vv_deletion *d,
    const struct vv_entry *entry, const struct prune_names *n,
    struct vv_fact *fact, int *file, varve_error *error)
{
    enum vv_deletion_result left = VV_DELETED;
    const char *name = (const char *)n->name.data;
    const char *pin = n->pin.size ? (const char *)n->pin.data : NULL;
    varve_status status =
        vv_deletion_begin(d, name, pin, name, file, &left, error);
    if (status)
        fact->reasons |= VV_KEPT_UNREADABLE;
    else if (left)
        fact->reasons |=
            left == VV_LEFT_PINNED ? VV_KEPT_PINNED : VV_KEPT_LEASED;
    else if (*file >= 0 &&
             (fact->reasons |= prune_second_thoughts(l, entry)) != 0)
        vv_deletion_give_up(d, *file);
    if (fact->reasons)
        *file = -1;
    return status;
}

/* Deletes one file, unless it is leased, pinned or differs from the entry. The
 * fact then gets that reason. */
static varve_status prune_one(struct vv_listing *l, struct vv_deletion *d,
    const struct vv_entry *entry, struct vv_fact *fact, varve_error *error)
{
    struct prune_names n;
    enum vv_deletion_result left = VV_DELETED;
    int file = -1;
    varve_status status = prune_find_names(l, entry, &n, error);
    if (!status)
        status = prune_open(l, d, entry, &n, fact, &file, error);
    if (!status && file >= 0) {
        status = prune_parity(l, d, entry, error);
        if (status)
            vv_deletion_give_up(d, file);
        else
            status = vv_deletion_carry_out(d, (const char *)n.name.data,
                n.pin.size ? (const char *)n.pin.data : NULL, file, &left,
                error);
    }
    if (left)
        fact->reasons |= VV_KEPT_PINNED;
    prune_clear_names(&n);
    return status;
}

static void prune_keep_first(varve_status *first, varve_status status)
{
    if (!*first)
        *first = status;
}

/* Returns true if the file is temporary and not a partly deleted one. */
static bool is_set_aside(const char *name)
{
    size_t size = strlen(name);
    return size > 4 && strcmp(name + size - 4, ".tmp") == 0;
}

/* Removes the ".NAME.gone" file of an interrupted deletion. A checkpoint that
 * was pinned in the meantime gets its name back if it is free. */
static varve_status sweep_gone(
    struct vv_listing *l, int directory, const char *gone, varve_error *error)
{
    const struct vv_deletion d = { .context = l->context,
        .directory = directory };
    size_t size = strlen(gone) - 1 - (sizeof GONE - 1);
    struct vv_buffer name, pin;
    vv_buffer_init(&name, &l->context->allocator);
    vv_buffer_init(&pin, &l->context->allocator);
    vv_buffer_add(&name, gone + 1, size);
    vv_buffer_add(&pin, gone + 1, size - (sizeof VARVE_SUFFIX - 1));
    vv_buffer_add_string(&pin, ".pin");
    const char *to = vv_buffer_string(&name), *by = vv_buffer_string(&pin);
    varve_status status = VARVE_OK;
    int result = -EEXIST;
    if (name.failed || pin.failed)
        status = vv_fail_memory(error, "the name of a checkpoint");
    else if (deletion_is_pinned(&d, by))
        result = vv_rename_new(l->context, directory, gone, to);
    if (!status && result < 0 && result != -EEXIST && result != -ENOENT)
        status = vv_fail_system(error, -result,
            "it was pinned while it was deleted: rename back from .gone", to);
    if (!status && result == -EEXIST)
        status = vv_file_remove(l->context, directory, gone, gone, error);
    vv_buffer_clear(&pin);
    vv_buffer_clear(&name);
    return status;
}

/* Removes the files of an interrupted deletion or save. */
static varve_status prune_sweep(
    struct vv_listing *l, int directory, varve_error *error)
{
    varve_status first = VARVE_OK;
    for (size_t i = 0; i < l->gone.size;) {
        const char *name = (const char *)l->gone.data + i;
        if (is_set_aside(name))
            vv_temporary_sweep_one(l->context, directory, name);
        else
            prune_keep_first(
                &first, sweep_gone(l, directory, name, first ? NULL : error));
        i += strlen(name) + 1;
    }
    if (!first)
        l->gone.size = 0;
    return first;
}

bool vv_prune_has_work(const struct vv_listing *l, const struct vv_decision *d)
{
    bool found = l->gone.size > 0;
    for (size_t i = 0; i < d->count; i++)
        found |= !d->facts[i].reasons;
    return found;
}

static varve_status prune_all(struct vv_listing *l, struct vv_decision *d,
    struct vv_deletion *deletion, varve_status first, varve_error *error)
{
    size_t kept = 0, count = d->count;
    for (size_t i = 0; i < count; i++) {
        varve_status status = VARVE_OK;
        if (!d->facts[i].reasons)
            status = prune_one(l, deletion, &l->entries[i], &d->facts[i],
                first ? NULL : error);
        prune_keep_first(&first, status);
        if (!status && !d->facts[i].reasons)
            continue; /* it is gone */
        l->entries[kept] = l->entries[i];
        d->facts[kept++] = d->facts[i];
    }
    if (kept < count) {
        memmove(&l->entries[kept], &l->entries[count],
            (l->count - count) * sizeof *l->entries);
        l->count -= count - kept;
        d->count = kept;
    }
    return first;
}

static varve_status prune_open_directory(
    struct vv_listing *l, int *directory, varve_error *error)
{
    const char *path = vv_listing_path(l, NULL, "");
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a directory");
    VV_TRY(vv_store_refuse(path, error));
    return vv_listing_open_directory(l, directory, error);
}

static varve_status check_confirmed(struct vv_listing *l, varve_error *error)
{
    if (!l->is_unconfirmed)
        return VARVE_OK;
    return vv_fail(error, VARVE_IO,
        "%s: the listings of %s-N%s keep changing, so nothing was deleted; "
        "another program may be saving there",
        l->directory, l->prefix, VARVE_SUFFIX);
}

varve_status vv_prune(
    struct vv_listing *l, struct vv_decision *d, varve_error *error)
{
    struct vv_deletion deletion = { .context = l->context };
    if (!vv_prune_has_work(l, d))
        return VARVE_OK;
    VV_TRY(check_confirmed(l, error));
    VV_TRY(prune_open_directory(l, &deletion.directory, error));
    varve_status first = prune_sweep(l, deletion.directory, error);
    first = prune_all(l, d, &deletion, first, error);
    prune_keep_first(
        &first, vv_deletion_end(&deletion, l->directory, first ? NULL : error));
    vv_listing_close_directory(l, deletion.directory);
    return first;
}

static varve_status try_one(struct vv_listing *l, struct vv_deletion *d,
    const struct vv_entry *entry, struct vv_fact *fact, varve_error *error)
{
    struct prune_names n;
    int file = -1;
    varve_status status = prune_find_names(l, entry, &n, error);
    if (!status)
        status = prune_open(l, d, entry, &n, fact, &file, error);
    if (file >= 0)
        vv_deletion_give_up(d, file);
    prune_clear_names(&n);
    return status;
}

varve_status vv_prune_trial(
    struct vv_listing *l, struct vv_decision *d, varve_error *error)
{
    struct vv_deletion deletion = { .context = l->context };
    varve_status first = VARVE_OK;
    if (!vv_prune_has_work(l, d))
        return VARVE_OK;
    VV_TRY(check_confirmed(l, error));
    VV_TRY(prune_open_directory(l, &deletion.directory, error));
    for (size_t i = 0; i < d->count; i++) {
        if (!d->facts[i].reasons)
            prune_keep_first(&first, try_one(l, &deletion, &l->entries[i],
                                         &d->facts[i], first ? NULL : error));
    }
    vv_listing_close_directory(l, deletion.directory);
    return first;
}

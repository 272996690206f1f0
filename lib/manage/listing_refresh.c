/* listing_refresh.c - Compares a listing with its directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "listing_refresh.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "numbered.h"
#include "system.h"
#include "try.h"

#define A_MILLISECOND ((int64_t)1000000)

enum {
    MOST_SCANS = 20, /* until two agree */
    MOST_EMPTY = 8,  /* beside a ledger, until nothing is believed */
};

/* --- One look at the directory ------------------------------------------ */

/* The names that a directory has. */
struct listing_names {
    struct vv_listing *listing;
    struct vv_buffer files; /* struct vv_numbered: checkpoints */
    struct vv_buffer pins;  /* uint64_t: numbers */
    struct vv_buffer gone;
    bool has_parity;
    bool has_ledger;
    bool is_unconfirmed;
};

static int listing_sort_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    struct listing_names *names = user;
    const struct vv_listing *l = names->listing;
    struct vv_numbered file = { .has_info = info != NULL };
    if (info)
        file.info = *info;
    if (vv_numbered_parse(name, l->prefix, VARVE_SUFFIX, &file))
        vv_buffer_add(&names->files, &file, sizeof file);
    else if (vv_numbered_parse(name, l->prefix, ".pin", &file))
        vv_buffer_add(&names->pins, &file.number, sizeof file.number);
    else if (vv_numbered_parse(name, l->prefix, ".parity", &file))
        names->has_parity = true;
    else if (vv_listing_is_ledger(l, name))
        names->has_ledger = true;
    else if ((name[0] == '.' && vv_numbered_parse(name + 1, l->prefix,
                                    VARVE_SUFFIX ".gone", &file)) ||
             vv_listing_is_temporary(l, name))
        vv_buffer_add(&names->gone, name, strlen(name) + 1);
    return 0;
}

static void listing_names_begin(
    struct listing_names *names, struct vv_listing *l)
{
    const varve_allocator *a = &l->context->allocator;
    *names = (struct listing_names){ .listing = l };
    vv_buffer_init(&names->files, a);
    vv_buffer_init(&names->pins, a);
    vv_buffer_init(&names->gone, a);
}

static void listing_names_clear(struct listing_names *names)
{
    vv_buffer_clear(&names->gone);
    vv_buffer_clear(&names->pins);
    vv_buffer_clear(&names->files);
}

static varve_status listing_scan(
    struct vv_listing *l, struct listing_names *names, varve_error *error)
{
    names->files.size = names->pins.size = names->gone.size = 0;
    names->has_parity = names->has_ledger = false;
    const char *path = vv_listing_path(l, NULL, "");
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a directory");
    VV_TRY(
        vv_directory_each(l->context, path, listing_sort_name, names, error));
    if (names->files.failed || names->pins.failed || names->gone.failed)
        return vv_fail_memory(error, "the names in a directory");
    if (names->files.size)
        qsort(names->files.data, names->files.size / sizeof(struct vv_numbered),
            sizeof(struct vv_numbered), vv_numbered_compare);
    return VARVE_OK;
}

static bool listing_names_agree(
    const struct listing_names *one, const struct listing_names *other)
{
    size_t size = sizeof(struct vv_numbered);
    if (one->files.size != other->files.size)
        return false;
    for (size_t at = 0; at < one->files.size; at += size)
        if (vv_numbered_compare(one->files.data + at, other->files.data + at) !=
            0)
            return false;
    return true;
}

/* Lists until two listings agree. Beside a ledger one that shows no checkpoint
 * is not believed at once. Where somebody saves all the time they may never
 * agree: the last one is what is known, and nothing is deleted by it. */
static varve_status listing_scan_again(
    struct vv_listing *l, struct listing_names *names, varve_error *error)
{
    const struct vv_system *system = l->context->system;
    struct listing_names before;
    bool agrees = false;
    unsigned empty = 0;
    listing_names_begin(&before, l);
    varve_status status = listing_scan(l, names, error);
    for (unsigned i = 0; i < MOST_SCANS && !status && !agrees; i++) {
        bool is_doubtful = names->files.size == 0 && names->has_ledger;
        if (is_doubtful && empty++)
            system->sleep(system->state, A_MILLISECOND << empty);
        vv_buffer_swap(&names->files, &before.files);
        status = listing_scan(l, names, error);
        agrees = !status && listing_names_agree(names, &before) &&
                 !(is_doubtful && empty < MOST_EMPTY);
    }
    listing_names_clear(&before);
    names->is_unconfirmed = !agrees;
    return status;
}

/* --- Refreshing --------------------------------------------------------- */

static bool listing_has_number(const struct vv_buffer *numbers, uint64_t number)
{
    uint64_t other;
    for (size_t i = 0; i < numbers->size; i += sizeof other) {
        memcpy(&other, numbers->data + i, sizeof other);
        if (other == number)
            return true;
    }
    return false;
}

/* A refresh that is at work. */
struct listing_refresh {
    struct vv_listing *listing;
    const struct listing_names *names;
    struct vv_listing fresh;
    bool is_full; /* what is known already is looked at, too */
};

/* Fills in the entry of a file; *found says whether it is still there. */
static varve_status listing_refresh_one(struct listing_refresh *r,
    const struct vv_numbered *file, struct vv_entry *entry, bool *found,
    varve_error *error)
{
    struct vv_listing *l = r->listing;
    varve_error reason = { 0 };
    const struct vv_entry *known = vv_listing_find_file(l, file);
    *found = true;
    if (!r->is_full && known && (known->is_read || known->is_damaged)) {
        *entry = *known;
        return VARVE_OK;
    }
    *entry = (struct vv_entry){ .number = file->number,
        .is_padded = file->is_padded,
        .size = file->info.size,
        .modified = file->info.modified };
    vv_entry_forget(entry);
    varve_status status =
        file->has_info ? VARVE_OK : vv_entry_look(l, entry, &reason);
    *found = status != VARVE_NOT_FOUND && status != VARVE_IS_DIRECTORY;
    if (status == VARVE_NO_MEMORY && error)
        *error = reason;
    if (status == VARVE_NO_MEMORY || !*found)
        return *found ? status : VARVE_OK;
    if (known && known->is_read && known->size == entry->size &&
        known->modified == entry->modified) {
        *entry = *known;
        return VARVE_OK;
    }
    return vv_entry_read(l, entry, found, error);
}

static varve_status listing_add_file(struct listing_refresh *r,
    const struct vv_numbered *file, bool *found, varve_error *error)
{
    struct vv_entry entry;
    VV_TRY(listing_refresh_one(r, file, &entry, found, error));
    if (!*found)
        return VARVE_OK;
    entry.is_pinned =
        !file->is_padded && listing_has_number(&r->names->pins, file->number);
    return vv_listing_add(&r->fresh, &entry)
               ? VARVE_OK
               : vv_fail_memory(error, "a list of checkpoints");
}

/* Adds the checkpoints that an earlier listing or the ledger has, and that the
 * directory does not show. */
static varve_status listing_add_unlisted(
    struct listing_refresh *r, varve_error *error)
{
    size_t listed = r->fresh.count;
    for (size_t i = 0; i < r->listing->count; i++) {
        const struct vv_numbered file = {
            .number = r->listing->entries[i].number,
            .is_padded = r->listing->entries[i].is_padded,
        };
        bool is_listed = false, found;
        for (size_t k = 0; k < listed && !is_listed; k++)
            is_listed = r->fresh.entries[k].number == file.number &&
                        r->fresh.entries[k].is_padded == file.is_padded;
        if (!is_listed)
            VV_TRY(listing_add_file(r, &file, &found, error));
    }
    return VARVE_OK;
}

/* The numbers after the highest, which a late listing may not show yet. */
static varve_status listing_add_next(
    struct listing_refresh *r, uint64_t *highest, varve_error *error)
{
    while (*highest > 0 && *highest < UINT64_MAX) {
        struct vv_entry next = { .number = *highest + 1 };
        const struct vv_numbered file = { .number = next.number };
        bool found;
        if (vv_entry_look(r->listing, &next, NULL))
            break;
        VV_TRY(listing_add_file(r, &file, &found, error));
        ++*highest;
    }
    return VARVE_OK;
}

static varve_status listing_add_all(
    struct listing_refresh *r, uint64_t *highest, varve_error *error)
{
    const struct vv_buffer *files = &r->names->files;
    bool found;
    for (size_t at = 0; at < files->size; at += sizeof(struct vv_numbered)) {
        const void *file = files->data + at;
        uint64_t number = ((const struct vv_numbered *)file)->number;
        *highest = number > *highest ? number : *highest;
        VV_TRY(listing_add_file(r, file, &found, error));
    }
    if (!r->is_full)
        return VARVE_OK;
    VV_TRY(listing_add_unlisted(r, error));
    for (size_t i = 0; i < r->fresh.count; i++)
        if (r->fresh.entries[i].number > *highest)
            *highest = r->fresh.entries[i].number;
    return listing_add_next(r, highest, error);
}

static int listing_compare(const void *a, const void *b)
{
    const struct vv_entry *one = a;
    const struct vv_entry *other = b;
    if (one->counter != other->counter)
        return one->counter < other->counter ? -1 : 1;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return one->is_padded - other->is_padded;
}

/* Makes the listing that the names give, from the one before. */
static varve_status listing_rebuild(struct vv_listing *l,
    const struct listing_names *names, bool is_full, varve_error *error)
{
    struct listing_refresh r = { .listing = l,
        .names = names,
        .fresh = { .context = l->context },
        .is_full = is_full };
    uint64_t highest = 0;
    varve_status status = listing_add_all(&r, &highest, error);
    if (!status) {
        struct vv_listing old = *l;
        l->entries = r.fresh.entries;
        l->count = r.fresh.count;
        l->capacity = r.fresh.capacity;
        l->highest = highest;
        r.fresh.entries = old.entries;
        r.fresh.capacity = old.capacity;
        if (l->count)
            qsort(l->entries, l->count, sizeof *l->entries, listing_compare);
    }
    vv_release(&l->context->allocator, r.fresh.entries,
        r.fresh.capacity * sizeof *r.fresh.entries);
    return status;
}

/* Returns whether one listing shows all that is known already. */
static bool listing_shows_known(
    const struct vv_listing *l, const struct listing_names *names)
{
    const struct vv_buffer *files = &names->files;
    for (size_t i = 0; i < l->count; i++) {
        const struct vv_numbered known = { .number = l->entries[i].number,
            .is_padded = l->entries[i].is_padded };
        if (files->size == 0 ||
            !bsearch(&known, files->data, files->size / sizeof known,
                sizeof known, vv_numbered_compare))
            return false;
    }
    return true;
}

static varve_status listing_refresh(
    struct vv_listing *l, bool is_full, varve_error *error)
{
    struct listing_names names;
    listing_names_begin(&names, l);
    varve_status status = is_full ? VARVE_OK : listing_scan(l, &names, error);
    is_full = is_full || (!status && !listing_shows_known(l, &names));
    if (is_full)
        status = listing_scan_again(l, &names, error);
    if (!status)
        status = listing_rebuild(l, &names, is_full, error);
    if (!status) {
        vv_buffer_swap(&l->gone, &names.gone);
        l->has_parity = names.has_parity;
        l->has_ledger = names.has_ledger;
        l->is_unconfirmed = names.is_unconfirmed;
    }
    listing_names_clear(&names);
    return status;
}

varve_status vv_listing_refresh(struct vv_listing *l, varve_error *error)
{
    return listing_refresh(l, true, error);
}

varve_status vv_listing_refresh_names(struct vv_listing *l, varve_error *error)
{
    return listing_refresh(l, false, error);
}

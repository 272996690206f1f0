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
#include "file.h"
#include "numbered.h"
#include "temporary.h"
#include "try.h"

/* --- The open directory ------------------------------------------------- */

void vv_listing_hold(struct vv_listing *l)
{
    l->is_held = true;
    l->directory_file = -1;
}

void vv_listing_let_go(struct vv_listing *l)
{
    if (l->is_held)
        vv_file_close(l->context, l->directory_file);
    l->is_held = false;
    l->directory_file = -1;
}

varve_status vv_listing_open_directory(
    struct vv_listing *l, int *directory, varve_error *error)
{
    if (l->is_held && l->directory_file >= 0) {
        *directory = l->directory_file;
        return VARVE_OK;
    }
    const char *path = vv_listing_path(l, NULL, "");
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a directory");
    VV_TRY(vv_directory_open_parent(l->context, path, directory, error));
    if (l->is_held)
        l->directory_file = *directory;
    return VARVE_OK;
}

void vv_listing_close_directory(struct vv_listing *l, int directory)
{
    if (!l->is_held)
        vv_file_close(l->context, directory);
}

/* --- One look at the directory ------------------------------------------ */

/* The names in a directory. */
struct listing_names {
    struct vv_numbered_list list;
    struct vv_buffer pins; /* uint64_t: numbers */
    struct vv_buffer gone;
    bool has_parity;
};

/* Returns true if a name is that of a temporary file for PREFIX-N.varve, its
 * pin, its parity or the ledger. */
static bool listing_is_temporary(const struct vv_listing *l, const char *name)
{
    char bare[256];
    struct vv_numbered file;
    size_t size = strlen(name), front = strlen(l->prefix);
    if (size <= VV_TEMPORARY_OVERHEAD || size >= sizeof bare || *name != '.')
        return false;
    size -= VV_TEMPORARY_OVERHEAD;
    memcpy(bare, name + 1, size);
    bare[size] = '\0';
    return (vv_numbered_parse(bare, l->prefix, VARVE_SUFFIX, &file) ||
               vv_numbered_parse(bare, l->prefix, ".pin", &file) ||
               vv_numbered_parse(bare, l->prefix, ".parity", &file) ||
               (strncmp(bare, l->prefix, front) == 0 &&
                   strcmp(bare + front, VV_LEDGER_ENDING) == 0)) &&
           vv_temporary_is_of(bare, name);
}

static void listing_sort_name(
    struct listing_names *names, const struct vv_listing *l, const char *name)
{
    struct vv_numbered file;
    if (vv_numbered_parse(name, l->prefix, ".pin", &file))
        vv_buffer_add(&names->pins, &file.number, sizeof file.number);
    else if (vv_numbered_parse(name, l->prefix, ".parity", &file))
        names->has_parity = true;
    else if ((name[0] == '.' && vv_numbered_parse(name + 1, l->prefix,
                                    VARVE_SUFFIX ".gone", &file)) ||
             listing_is_temporary(l, name))
        vv_buffer_add(&names->gone, name, strlen(name) + 1);
}

static void listing_names_begin(
    struct listing_names *names, struct vv_listing *l)
{
    const varve_allocator *a = &l->context->allocator;
    *names = (struct listing_names){ .has_parity = false };
    vv_numbered_list_begin(&names->list, a);
    names->list.by_all = true;
    vv_buffer_init(&names->pins, a);
    vv_buffer_init(&names->gone, a);
}

static void listing_names_clear(struct listing_names *names)
{
    vv_buffer_clear(&names->gone);
    vv_buffer_clear(&names->pins);
    vv_numbered_list_clear(&names->list);
}

/* Returns true if one listing contains all known files. */
static bool listing_shows_known(
    const struct vv_listing *l, const struct vv_buffer *files)
{
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

static int listing_compare_numbers(const void *left, const void *right)
{
    uint64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return (a > b) - (a < b);
}

static varve_status listing_scan(struct vv_listing *l,
    struct listing_names *names, bool *is_full, varve_error *error)
{
    struct vv_numbered_list *list = &names->list;
    const char *path = vv_listing_path(l, NULL, "");
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a directory");
    if (!*is_full && l->is_held && l->directory_file >= 0)
        VV_TRY(vv_numbered_list_in(
            l->context, l->directory_file, path, list, error));
    else if (!*is_full)
        VV_TRY(vv_numbered_list(l->context, path, list, error));
    *is_full = *is_full || !listing_shows_known(l, &list->files);
    if (*is_full)
        VV_TRY(vv_numbered_list_again(l->context, path, list, error));
    for (size_t i = 0; i < list->others.size;) {
        const char *name = (const char *)list->others.data + i;
        listing_sort_name(names, l, name);
        i += strlen(name) + 1;
    }
    if (names->pins.failed || names->gone.failed)
        return vv_fail_memory(error, "the names in a directory");
    if (names->pins.size)
        qsort(names->pins.data, names->pins.size / sizeof(uint64_t),
            sizeof(uint64_t), listing_compare_numbers);
    return VARVE_OK;
}

/* --- Refreshing --------------------------------------------------------- */

/* Returns true if sorted numbers contain a number. */
static bool listing_has_number(const struct vv_buffer *numbers, uint64_t number)
{
    return numbers->size &&
           bsearch(&number, numbers->data, numbers->size / sizeof number,
               sizeof number, listing_compare_numbers);
}

/* A refresh in progress. */
struct listing_refresh {
    struct vv_listing *listing;
    const struct listing_names *names;
    struct vv_map known; /* index of `listing` */
    struct vv_listing fresh;
    bool is_full; /* known files are examined, too */
};

/* Sets the entry of a file, and *found to false if the file does not exist. */
static varve_status listing_refresh_one(struct listing_refresh *r,
    const struct vv_numbered *file, struct vv_entry *entry, bool *found,
    varve_error *error)
{
    struct vv_listing *l = r->listing;
    varve_error reason = { 0 };
    const struct vv_entry *known = vv_listing_find_file(l, &r->known, file);
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

/* Adds the checkpoints of an earlier listing or of the ledger that the
 * directory does not show. */
static varve_status listing_add_unlisted(
    struct listing_refresh *r, const struct vv_map *listed, varve_error *error)
{
    for (size_t i = 0; i < r->listing->count; i++) {
        const struct vv_numbered file = {
            .number = r->listing->entries[i].number,
            .is_padded = r->listing->entries[i].is_padded,
        };
        bool found;
        if (!vv_listing_find_file(&r->fresh, listed, &file))
            VV_TRY(listing_add_file(r, &file, &found, error));
    }
    return VARVE_OK;
}

static varve_status listing_add_others(
    struct listing_refresh *r, varve_error *error)
{
    struct vv_map listed;
    vv_map_init(&listed, &r->listing->context->allocator);
    varve_status status = vv_listing_index(&r->fresh, 0, &listed)
                              ? listing_add_unlisted(r, &listed, error)
                              : vv_fail_memory(error, "a list of checkpoints");
    vv_map_clear(&listed);
    return status;
}

/* Searches for the numbers after the highest, which a stale listing may
 * omit. */
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
    const struct vv_buffer *files = &r->names->list.files;
    bool found;
    for (size_t at = 0; at < files->size; at += sizeof(struct vv_numbered)) {
        const void *file = files->data + at;
        uint64_t number = ((const struct vv_numbered *)file)->number;
        *highest = number > *highest ? number : *highest;
        VV_TRY(listing_add_file(r, file, &found, error));
    }
    if (!r->is_full)
        return VARVE_OK;
    VV_TRY(listing_add_others(r, error));
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

/* Makes a listing of the names and the previous listing. */
static varve_status listing_rebuild(struct vv_listing *l,
    const struct listing_names *names, bool is_full, varve_error *error)
{
    struct listing_refresh r = { .listing = l,
        .names = names,
        .fresh = { .context = l->context },
        .is_full = is_full };
    uint64_t highest = 0;
    vv_map_init(&r.known, &l->context->allocator);
    varve_status status = vv_listing_index(l, 0, &r.known)
                              ? listing_add_all(&r, &highest, error)
                              : vv_fail_memory(error, "a list of checkpoints");
    vv_map_clear(&r.known);
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

static varve_status listing_refresh(
    struct vv_listing *l, bool is_full, varve_error *error)
{
    struct listing_names names;
    listing_names_begin(&names, l);
    varve_status status = listing_scan(l, &names, &is_full, error);
    if (!status)
        status = listing_rebuild(l, &names, is_full, error);
    if (!status) {
        vv_buffer_swap(&l->gone, &names.gone);
        l->has_parity = names.has_parity;
        l->has_ledger = names.list.has_ledger;
        l->is_unconfirmed = names.list.is_unconfirmed;
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

/* listing.c - reading a directory of checkpoints, and what each says of itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "listing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <varve/reader.h>

#include "allocator.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "ledger.h"
#include "name.h"
#include "reader.h"
#include "save.h"
#include "system.h"
#include "temporary.h"
#include "try.h"

/* --- Names -------------------------------------------------------------- */

static void set_name(struct vv_listing *l, const char *before,
    const uint64_t *number, const char *ending)
{
    l->path.failed = false;
    vv_buffer_add_string(&l->path, before);
    vv_buffer_add_string(&l->path, l->prefix);
    if (number) {
        vv_buffer_add8(&l->path, '-');
        vv_buffer_add_decimal(&l->path, *number);
    }
    vv_buffer_add_string(&l->path, ending);
}

const char *vv_listing_name(
    struct vv_listing *l, const uint64_t *number, const char *ending)
{
    l->path.size = 0;
    set_name(l, "", number, ending);
    return vv_buffer_string(&l->path);
}

const char *vv_listing_path(
    struct vv_listing *l, const uint64_t *number, const char *ending)
{
    l->path.size = 0;
    vv_buffer_add_string(&l->path, l->directory);
    set_name(l, "/", number, ending);
    return vv_buffer_string(&l->path);
}

static bool parse_name(const struct vv_listing *l, const char *name,
    const char *ending, uint64_t *number)
{
    return vv_parse_numbered(name, l->prefix, ending, number);
}

static bool is_ledger(const struct vv_listing *l, const char *name)
{
    size_t size = strlen(l->prefix);
    return strncmp(name, l->prefix, size) == 0 &&
           strcmp(name + size, VV_LEDGER_ENDING) == 0;
}

/* Whether a name is that of what a writer of PREFIX-N.varve, of its pin, or of
 * the ledger writes aside. */
static bool is_temporary(const struct vv_listing *l, const char *name)
{
    char bare[256];
    uint64_t number;
    size_t size = strlen(name);
    if (size <= VV_TEMPORARY_OVERHEAD || size >= sizeof bare || *name != '.')
        return false;
    size -= VV_TEMPORARY_OVERHEAD;
    memcpy(bare, name + 1, size);
    bare[size] = '\0';
    return (parse_name(l, bare, VARVE_SUFFIX, &number) ||
               parse_name(l, bare, ".pin", &number) ||
               parse_name(l, bare, ".parity", &number) || is_ledger(l, bare)) &&
           vv_temporary_is_of(bare, name);
}

/* --- What a file says --------------------------------------------------- */

static void take_metadata(
    struct vv_entry *entry, const struct vv_listing *l, const varve_metadata *m)
{
    if (m->kind == VARVE_METADATA_INTEGER && !strcmp(m->name, VV_STEP_KEY) &&
        m->integer >= 0)
        entry->step = m->integer;
    else if (m->kind == VARVE_METADATA_INTEGER &&
             !strcmp(m->name, VV_TIME_KEY) && m->integer >= 0)
        entry->time = m->integer;
    else if (m->kind == VARVE_METADATA_REAL && !strcmp(m->name, l->metric))
        entry->metric = m->real == m->real ? m->real : NAN; /* one of many */
    else if (m->kind == VARVE_METADATA_STRING &&
             !strcmp(m->name, VV_MANAGER_KEY))
        entry->is_ours = strcmp(m->string, l->prefix) == 0;
}

/* Opens a file for its metadata. One that cannot be opened is damaged, as far
 * as can be said; it is looked at again the next time. */
static varve_status read_facts(
    struct vv_listing *l, struct vv_entry *entry, varve_error *error)
{
    varve_error reason = { 0 };
    const char *path = vv_listing_path(l, &entry->number, VARVE_SUFFIX);
    varve_reader *reader = vv_reader_open_in(l->context, path, &reason);
    entry->counter = entry->number;
    if (!reader && reason.status == VARVE_NO_MEMORY) {
        if (error)
            *error = reason;
        return VARVE_NO_MEMORY;
    }
    if (!reader) {
        entry->is_damaged = reason.status != VARVE_TOO_NEW &&
                            reason.status != VARVE_NO_PERMISSION;
        return VARVE_OK;
    }
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)) != NULL; i++)
        take_metadata(entry, l, m);
    if (varve_reader_counter(reader))
        entry->counter = varve_reader_counter(reader);
    entry->is_read = true;
    varve_reader_free(reader);
    return VARVE_OK;
}

/* Size and time of a file; VARVE_NOT_FOUND where it is gone meanwhile. */
static varve_status look(
    struct vv_listing *l, struct vv_entry *entry, varve_error *error)
{
    const char *path = vv_listing_path(l, &entry->number, VARVE_SUFFIX);
    struct vv_file_info info;
    if (l->path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    VV_TRY(vv_file_look(l->context, path, &info, error));
    entry->size = info.size;
    entry->modified = info.modified;
    return VARVE_OK;
}

static void forget_facts(struct vv_entry *entry)
{
    entry->step = entry->time = -1;
    entry->metric = NAN;
    entry->is_ours = entry->is_read = entry->is_damaged = false;
}

bool vv_listing_confirm(struct vv_listing *l, const struct vv_entry *entry)
{
    struct vv_entry found = *entry;
    forget_facts(&found);
    return read_facts(l, &found, NULL) == VARVE_OK && found.is_ours &&
           found.step == entry->step &&
           memcmp(&found.metric, &entry->metric, sizeof found.metric) == 0;
}

bool vv_listing_is_damaged(struct vv_listing *l, const struct vv_entry *entry)
{
    varve_error reason = { 0 };
    const char *path = vv_listing_path(l, &entry->number, VARVE_SUFFIX);
    if (l->path.failed)
        return false;
    varve_reader *reader = vv_reader_open_in(l->context, path, &reason);
    varve_status status =
        reader ? varve_reader_verify(reader, NULL, &reason) : reason.status;
    varve_reader_free(reader);
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_EMPTY_FILE;
}

/* --- The listing -------------------------------------------------------- */

varve_status vv_listing_begin(struct vv_listing *l,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    *l = (struct vv_listing){ .context = context };
    vv_buffer_init(&l->gone, a);
    vv_buffer_init(&l->path, a);
    l->directory = vv_copy_string(a, directory);
    l->prefix = vv_copy_string(a, prefix);
    l->metric = metric ? vv_copy_string(a, metric) : NULL;
    if (!l->directory || !l->prefix || (metric && !l->metric))
        return vv_fail_memory(error, "a list of checkpoints");
    return VARVE_OK;
}

void vv_listing_clear(struct vv_listing *l)
{
    const varve_allocator *a = &l->context->allocator;
    vv_release_string(a, l->directory);
    vv_release_string(a, l->prefix);
    vv_release_string(a, l->metric);
    vv_release(a, l->entries, l->capacity * sizeof *l->entries);
    vv_buffer_clear(&l->gone);
    vv_buffer_clear(&l->path);
}

struct vv_entry *vv_listing_find(const struct vv_listing *l, uint64_t number)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->entries[i].number == number)
            return &l->entries[i];
    return NULL;
}

uint64_t vv_listing_below(const struct vv_listing *l, uint64_t number)
{
    uint64_t highest = 0;
    for (size_t i = 0; i < l->count; i++) {
        uint64_t one = l->entries[i].number;
        if (one < number && one > highest)
            highest = one;
    }
    return highest;
}

uint64_t vv_listing_highest(const struct vv_listing *l, bool numbers_count)
{
    uint64_t highest = l->count ? l->entries[l->count - 1].counter : 0;
    return numbers_count && l->highest > highest ? l->highest : highest;
}

void vv_listing_remove(struct vv_listing *l, size_t index)
{
    l->count--;
    memmove(&l->entries[index], &l->entries[index + 1],
        (l->count - index) * sizeof *l->entries);
}

bool vv_listing_add(struct vv_listing *l, const struct vv_entry *entry)
{
    if (!vv_grow_array(&l->context->allocator, &l->entries, &l->capacity,
            l->count, sizeof *l->entries))
        return false;
    l->entries[l->count++] = *entry;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct vv_entry *one = a;
    const struct vv_entry *other = b;
    if (one->counter != other->counter)
        return one->counter < other->counter ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

/* --- Refreshing --------------------------------------------------------- */

/* The names that a directory has, as numbers. */
struct names {
    struct vv_listing *listing;
    struct vv_buffer files; /* uint64_t: numbers of checkpoints */
    struct vv_buffer pins;  /* likewise */
    struct vv_buffer gone;
    bool has_parity;
};

static int sort_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct names *names = user;
    uint64_t number;
    if (parse_name(names->listing, name, VARVE_SUFFIX, &number))
        vv_buffer_add(&names->files, &number, sizeof number);
    else if (parse_name(names->listing, name, ".pin", &number))
        vv_buffer_add(&names->pins, &number, sizeof number);
    else if (parse_name(names->listing, name, ".parity", &number))
        names->has_parity = true;
    else if ((name[0] == '.' && parse_name(names->listing, name + 1,
                                    VARVE_SUFFIX ".gone", &number)) ||
             is_temporary(names->listing, name))
        vv_buffer_add(&names->gone, name, strlen(name) + 1);
    return 0;
}

static bool has_number(const struct vv_buffer *numbers, uint64_t number)
{
    uint64_t other;
    for (size_t i = 0; i < numbers->size; i += sizeof other) {
        memcpy(&other, numbers->data + i, sizeof other);
        if (other == number)
            return true;
    }
    return false;
}

/* Fills in the entry of a number that the directory has; `found` says whether
 * it is still there. */
static varve_status refresh_one(struct vv_listing *l, uint64_t number,
    struct vv_entry *entry, bool *found, varve_error *error)
{
    varve_error reason = { 0 };
    const struct vv_entry *known = vv_listing_find(l, number);
    *entry = (struct vv_entry){ .number = number };
    forget_facts(entry);
    varve_status status = look(l, entry, &reason);
    *found = status != VARVE_NOT_FOUND && status != VARVE_IS_DIRECTORY;
    if (status == VARVE_NO_MEMORY) {
        if (error)
            *error = reason;
        return status;
    }
    if (!*found)
        return VARVE_OK;
    if (known && known->is_read && known->size == entry->size &&
        known->modified == entry->modified) {
        *entry = *known;
        return VARVE_OK;
    }
    return read_facts(l, entry, error);
}

/* Makes the listing that the names give, from the one before. */
static varve_status rebuild(
    struct vv_listing *l, const struct names *names, varve_error *error)
{
    struct vv_listing fresh = { .context = l->context };
    varve_status status = VARVE_OK;
    uint64_t highest = 0;
    for (size_t i = 0; i < names->files.size && !status; i += 8) {
        struct vv_entry entry;
        uint64_t number;
        bool found;
        memcpy(&number, names->files.data + i, sizeof number);
        highest = number > highest ? number : highest;
        status = refresh_one(l, number, &entry, &found, error);
        if (status || !found)
            continue;
        entry.is_pinned = has_number(&names->pins, number);
        if (!vv_listing_add(&fresh, &entry))
            status = vv_fail_memory(error, "a list of checkpoints");
    }
    if (!status) {
        struct vv_listing old = *l;
        l->entries = fresh.entries;
        l->count = fresh.count;
        l->capacity = fresh.capacity;
        l->highest = highest;
        fresh.entries = old.entries;
        fresh.capacity = old.capacity;
        if (l->count)
            qsort(l->entries, l->count, sizeof *l->entries, compare);
    }
    vv_release(&l->context->allocator, fresh.entries,
        fresh.capacity * sizeof *fresh.entries);
    return status;
}

varve_status vv_listing_refresh(struct vv_listing *l, varve_error *error)
{
    const varve_allocator *a = &l->context->allocator;
    struct names names = { .listing = l };
    vv_buffer_init(&names.files, a);
    vv_buffer_init(&names.pins, a);
    vv_buffer_init(&names.gone, a);
    const char *path = vv_listing_path(l, NULL, "");
    varve_status status =
        l->path.failed
            ? vv_fail_memory(error, "the path of a directory")
            : vv_directory_each(l->context, path, sort_name, &names, error);
    if (!status &&
        (names.files.failed || names.pins.failed || names.gone.failed))
        status = vv_fail_memory(error, "the names in a directory");
    if (!status)
        status = rebuild(l, &names, error);
    if (!status) {
        vv_buffer_swap(&l->gone, &names.gone);
        l->has_parity = names.has_parity;
    }
    vv_buffer_clear(&names.gone);
    vv_buffer_clear(&names.pins);
    vv_buffer_clear(&names.files);
    return status;
}

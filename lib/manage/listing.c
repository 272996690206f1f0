/* listing.c - Lists the checkpoints of a prefix, and reads the metadata of
 * each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "listing.h"

#include <math.h>
#include <string.h>

#include <varve/reader.h>

#include "allocator.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "numbered.h"
#include "reader.h"
#include "temporary.h"
#include "try.h"

/* --- Names -------------------------------------------------------------- */

static const char *listing_set_name(struct vv_listing *l, const char *ending)
{
    vv_buffer_add_string(&l->path, l->prefix);
    vv_buffer_add_string(&l->path, ending);
    return vv_buffer_string(&l->path);
}

static void listing_begin_path(struct vv_listing *l)
{
    l->path.size = 0;
    l->path.failed = false;
    vv_buffer_add_string(&l->path, l->directory);
    vv_buffer_add8(&l->path, '/');
}

static const char *listing_add_numbered(
    struct vv_listing *l, uint64_t number, bool is_padded, const char *ending)
{
    vv_buffer_add_string(&l->path, l->prefix);
    vv_numbered_add(&l->path, number, is_padded, ending);
    return vv_buffer_string(&l->path);
}

const char *vv_listing_name(
    struct vv_listing *l, const uint64_t *number, const char *ending)
{
    l->path.size = 0;
    l->path.failed = false;
    return number ? listing_add_numbered(l, *number, false, ending)
                  : listing_set_name(l, ending);
}

const char *vv_listing_path(
    struct vv_listing *l, const uint64_t *number, const char *ending)
{
    listing_begin_path(l);
    return number ? listing_add_numbered(l, *number, false, ending)
                  : listing_set_name(l, ending);
}

const char *vv_listing_entry_name(
    struct vv_listing *l, const struct vv_entry *e, const char *ending)
{
    l->path.size = 0;
    l->path.failed = false;
    return listing_add_numbered(l, e->number, e->is_padded, ending);
}

const char *vv_listing_entry_path(
    struct vv_listing *l, const struct vv_entry *e, const char *ending)
{
    listing_begin_path(l);
    return listing_add_numbered(l, e->number, e->is_padded, ending);
}

/* --- What a file says --------------------------------------------------- */

/* Removes the next word from a text and returns it; "" at the end. */
static const char *listing_next_word(const char **text, size_t *size)
{
    const char *word = *text;
    *size = strcspn(word, " ");
    *text = word + *size + (word[*size] != '\0');
    return word;
}

void vv_entry_take_parent(struct vv_entry *entry, const char *text)
{
    char run[VV_RUN_SIZE] = "";
    uint64_t identity = 0, counter = 0, origin = 0;
    size_t size;
    const char *word = listing_next_word(&text, &size);
    vv_parse_hexadecimal(word, size, &identity);
    word = listing_next_word(&text, &size);
    if (size < sizeof run && !(size == 1 && *word == '-'))
        memcpy(run, word, size);
    listing_next_word(&text, &size); /* the number */
    word = listing_next_word(&text, &size);
    vv_parse_decimal(word, size, &counter);
    word = listing_next_word(&text, &size);
    vv_parse_hexadecimal(word, size, &origin);
    entry->parent = identity;
    entry->parent_counter = counter;
    entry->origin = origin;
    entry->ancestry.count = 0;
    if (!identity)
        return;
    vv_ancestry_add(&entry->ancestry, vv_run_hash(run), counter);
    word = listing_next_word(&text, &size);
    vv_ancestry_parse(&entry->ancestry, word, size);
}

static void listing_take_string(
    struct vv_entry *entry, const struct vv_listing *l, const varve_metadata *m)
{
    if (!strcmp(m->name, VV_MANAGER_KEY))
        entry->is_ours = strcmp(m->string, l->prefix) == 0;
    else if (!strcmp(m->name, VV_RUN_KEY) &&
             strlen(m->string) < sizeof entry->run)
        strcpy(entry->run, m->string);
    else if (!strcmp(m->name, VV_PARENT_KEY)) {
        vv_entry_take_parent(entry, m->string);
    }
}

static void listing_take_metadata(
    struct vv_entry *entry, const struct vv_listing *l, const varve_metadata *m)
{
    if (m->kind == VARVE_METADATA_INTEGER && !strcmp(m->name, VV_STEP_KEY) &&
        m->integer >= 0)
        entry->step = m->integer;
    else if (m->kind == VARVE_METADATA_INTEGER &&
             !strcmp(m->name, VV_TIME_KEY) && m->integer >= 0)
        entry->time = m->integer;
    else if (m->kind == VARVE_METADATA_REAL && !strcmp(m->name, l->metric))
        entry->metric =
            m->real == m->real ? m->real : NAN; /* one of the NaN values */
    else if (m->kind == VARVE_METADATA_STRING)
        listing_take_string(entry, l, m);
}

uint64_t vv_checkpoint_identity(const char *run, uint64_t counter)
{
    char text[VV_RUN_SIZE + 8] = "";
    size_t size = strlen(run);
    if (size == 0 || size >= VV_RUN_SIZE)
        return 0;
    memcpy(text, run, size);
    vv_store64(text + size, counter);
    uint64_t identity = vv_hash_of(text, size + 8);
    return identity ? identity : 1;
}

void vv_entry_set_run(
    struct vv_entry *entry, const char run[VV_RUN_SIZE], const char *parent)
{
    memcpy(entry->run, run, VV_RUN_SIZE);
    entry->identity = vv_checkpoint_identity(run, entry->counter);
    if (*parent)
        vv_entry_take_parent(entry, parent);
    if (!entry->parent)
        entry->origin = vv_run_hash(run);
}

static void listing_end_facts(struct vv_entry *entry)
{
    entry->identity = vv_checkpoint_identity(entry->run, entry->counter);
    if (!entry->parent)
        entry->origin = vv_run_hash(entry->run);
    entry->is_read = true;
}

static void listing_take_facts(
    struct vv_listing *l, struct vv_entry *entry, const varve_reader *reader)
{
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)) != NULL; i++)
        listing_take_metadata(entry, l, m);
    if (varve_reader_counter(reader))
        entry->counter = varve_reader_counter(reader);
    listing_end_facts(entry);
}

void vv_entry_take(struct vv_entry *entry, const struct vv_listing *l,
    const varve_metadata *metadata, size_t count)
{
    for (size_t i = 0; i < count; i++)
        listing_take_metadata(entry, l, &metadata[i]);
    listing_end_facts(entry);
}

/* Reads the metadata of a file. If it cannot be opened, the entry is marked as
 * unread if the reason is temporary, and otherwise as damaged. Both are tried
 * again the next time. Sets *found to false if the file was deleted. */
varve_status vv_entry_read(struct vv_listing *l, struct vv_entry *entry,
    bool *found, varve_error *error)
{
    varve_error reason = { 0 };
    const char *path = vv_listing_entry_path(l, entry, VARVE_SUFFIX);
    varve_reader *reader = vv_reader_open_in(l->context, path, &reason);
    entry->counter = entry->number;
    if (!reader && reason.status == VARVE_NO_MEMORY) {
        if (error)
            *error = reason;
        return VARVE_NO_MEMORY;
    }
    if (!reader) {
        *found = reason.status != VARVE_NOT_FOUND;
        entry->is_unread = reason.status == VARVE_IO;
        entry->is_damaged = reason.status != VARVE_TOO_NEW &&
                            reason.status != VARVE_NO_PERMISSION &&
                            !entry->is_unread;
        return VARVE_OK;
    }
    listing_take_facts(l, entry, reader);
    varve_reader_free(reader);
    return VARVE_OK;
}

/* Sets the size and time of a file. Returns VARVE_NOT_FOUND if it was
 * deleted. */
varve_status vv_entry_look(
    struct vv_listing *l, struct vv_entry *entry, varve_error *error)
{
    const char *path = vv_listing_entry_path(l, entry, VARVE_SUFFIX);
    struct vv_file_info info;
    if (l->path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    VV_TRY(vv_file_look(l->context, path, &info, error));
    entry->size = info.size;
    entry->modified = info.modified;
    return VARVE_OK;
}

void vv_entry_forget(struct vv_entry *entry)
{
    entry->step = entry->time = -1;
    entry->metric = NAN;
    entry->identity = entry->parent = entry->parent_counter = 0;
    entry->origin = 0;
    entry->ancestry.count = 0;
    entry->run[0] = '\0';
    entry->is_ours = entry->is_read = entry->is_damaged = false;
    entry->is_unread = false;
}

bool vv_listing_confirm(struct vv_listing *l, const struct vv_entry *entry)
{
    struct vv_entry other = *entry;
    bool found = true;
    vv_entry_forget(&other);
    return vv_entry_read(l, &other, &found, NULL) == VARVE_OK && found &&
           other.is_ours && other.step == entry->step &&
           other.identity == entry->identity &&
           memcmp(&other.metric, &entry->metric, sizeof other.metric) == 0;
}

bool vv_listing_is_damaged(struct vv_listing *l, const struct vv_entry *entry)
{
    varve_error reason = { 0 };
    const char *path = vv_listing_entry_path(l, entry, VARVE_SUFFIX);
    if (l->path.failed)
        return false;
    varve_reader *reader = vv_reader_open_in(l->context, path, &reason);
    varve_status status =
        reader ? varve_reader_verify(reader, NULL, &reason) : reason.status;
    varve_reader_free(reader);
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_EMPTY_FILE;
}

/* --- Whether two are the same ------------------------------------------- */

static varve_status listing_digest(const struct vv_context *context,
    const char *path, uint8_t digest[16], varve_error *error)
{
    varve_error reason = { 0 };
    varve_reader *reader = vv_reader_open_in(context, path, &reason);
    varve_status status =
        reader ? varve_reader_digest(reader, digest, &reason) : reason.status;
    varve_reader_free(reader);
    return status ? vv_pass_failure(error, &reason) : VARVE_OK;
}

varve_status vv_checkpoint_compare(const struct vv_context *context,
    const char *path, const char *other, bool *is_same, varve_error *error)
{
    uint8_t one[16], two[16];
    VV_TRY(listing_digest(context, path, one, error));
    VV_TRY(listing_digest(context, other, two, error));
    *is_same = memcmp(one, two, sizeof one) == 0;
    return VARVE_OK;
}

/* --- Lineage ------------------------------------------------------------ */

/* Returns the oldest recorded ancestor, or NULL. Older ancestors are not
 * recorded, unless this is the first run of the lineage. */
static const struct vv_ancestor *listing_oldest(const struct vv_entry *e)
{
    const struct vv_ancestry *a = &e->ancestry;
    return a->count ? &a->all[a->count - 1] : NULL;
}

/* Decides from the records of these two checkpoints only. */
static enum vv_descent listing_compare_runs(
    const struct vv_entry *older, const struct vv_entry *newer)
{
    const struct vv_ancestry *a = &newer->ancestry;
    const struct vv_ancestor *oldest = listing_oldest(newer);
    if (!*older->run || !*newer->run || strcmp(older->run, newer->run) == 0)
        return VV_DESCENDS;
    if (older->origin && newer->origin && older->origin != newer->origin)
        return VV_DESCENDS_NOT;
    size_t i = vv_ancestry_find(a, vv_run_hash(older->run));
    if (i < a->count)
        return older->counter <= a->all[i].counter ? VV_DESCENDS
                                                   : VV_DESCENDS_NOT;
    if (!oldest || oldest->run == newer->origin ||
        older->counter >= oldest->counter)
        return VV_DESCENDS_NOT;
    return a->count == VV_MOST_ANCESTORS ? VV_DESCENT_UNRECORDED
                                         : VV_DESCENT_UNKNOWN;
}

/* Returns the listed ancestor of a checkpoint that has recorded the oldest
 * ancestor, if that is older than the checkpoint's own; otherwise NULL. */
static const struct vv_entry *listing_find_further(
    const struct vv_listing *l, const struct vv_entry *newer)
{
    const struct vv_entry *best = NULL;
    const struct vv_ancestor *oldest = listing_oldest(newer);
    for (size_t i = 0; oldest && i < l->count; i++) {
        const struct vv_entry *e = &l->entries[i];
        const struct vv_ancestor *one = listing_oldest(e);
        if (*e->run && one && one->counter < oldest->counter &&
            listing_compare_runs(e, newer) == VV_DESCENDS) {
            best = e;
            oldest = one;
        }
    }
    return best;
}

enum vv_descent vv_listing_descent(const struct vv_listing *l,
    const struct vv_entry *older, const struct vv_entry *newer)
{
    enum vv_descent descent = listing_compare_runs(older, newer);
    while (descent > VV_DESCENDS) {
        const struct vv_entry *further = listing_find_further(l, newer);
        if (!further)
            break;
        newer = further;
        descent = listing_compare_runs(older, newer);
    }
    return descent;
}

bool vv_listing_is_before(const struct vv_listing *l,
    const struct vv_entry *older, const struct vv_entry *newer)
{
    return vv_listing_descent(l, older, newer) == VV_DESCENDS;
}

/* --- The listing -------------------------------------------------------- */

/* Removes trailing slashes, because "run/" and "run" are different in a
 * store. */
static char *listing_copy_directory(
    const varve_allocator *a, const char *directory)
{
    struct vv_buffer text;
    size_t size = strlen(directory);
    while (size > 1 && directory[size - 1] == '/')
        size--;
    vv_buffer_init(&text, a);
    vv_buffer_add(&text, directory, size);
    const char *shortened = vv_buffer_string(&text);
    char *copy = text.failed ? NULL : vv_copy_string(a, shortened);
    vv_buffer_clear(&text);
    return copy;
}

varve_status vv_listing_begin(struct vv_listing *l,
    const struct vv_context *context, const char *directory, const char *prefix,
    const char *metric, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    *l = (struct vv_listing){ .context = context };
    vv_buffer_init(&l->gone, a);
    vv_buffer_init(&l->path, a);
    l->directory = listing_copy_directory(a, directory);
    l->prefix = vv_copy_string(a, prefix);
    l->metric = metric ? vv_copy_string(a, metric) : NULL;
    if (!l->directory || !l->prefix || (metric && !l->metric))
        return vv_fail_memory(error, "a list of checkpoints");
    return VARVE_OK;
}

void vv_listing_clear(struct vv_listing *l)
{
    if (!l->context) /* not initialized */
        return;
    const varve_allocator *a = &l->context->allocator;
    vv_release_string(a, l->directory);
    vv_release_string(a, l->prefix);
    vv_release_string(a, l->metric);
    vv_release_string(a, l->other_metric);
    vv_release(a, l->entries, l->capacity * sizeof *l->entries);
    vv_buffer_clear(&l->gone);
    vv_buffer_clear(&l->path);
}

struct vv_entry *vv_listing_find(const struct vv_listing *l, uint64_t number)
{
    struct vv_entry *padded = NULL;
    for (size_t i = 0; i < l->count; i++) {
        struct vv_entry *e = &l->entries[i];
        if (e->number != number)
            continue;
        if (!e->is_padded)
            return e;
        padded = e;
    }
    return padded;
}

/* An item of an index is the place of an entry plus 1. */
struct listing_key {
    const struct vv_listing *listing;
    const struct vv_numbered *file;
};

static bool listing_is_file(const void *item, const void *key)
{
    const struct listing_key *wanted = key;
    const struct vv_entry *e = &wanted->listing->entries[(uintptr_t)item - 1];
    return e->number == wanted->file->number &&
           e->is_padded == wanted->file->is_padded;
}

bool vv_listing_index(
    const struct vv_listing *l, size_t begin, struct vv_map *index)
{
    if (!vv_map_reserve(index, l->count))
        return false;
    for (size_t i = begin; i < l->count; i++)
        vv_map_add(index, vv_map_mix(l->entries[i].number),
            (void *)(uintptr_t)(i + 1));
    return true;
}

struct vv_entry *vv_listing_find_file(const struct vv_listing *l,
    const struct vv_map *index, const struct vv_numbered *file)
{
    const struct listing_key key = { l, file };
    const void *item =
        vv_map_find(index, vv_map_mix(file->number), listing_is_file, &key);
    return item ? &l->entries[(uintptr_t)item - 1] : NULL;
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

bool vv_listing_add(struct vv_listing *l, const struct vv_entry *entry)
{
    if (!vv_grow_array(&l->context->allocator, &l->entries, &l->capacity,
            l->count, sizeof *l->entries))
        return false;
    l->entries[l->count++] = *entry;
    return true;
}

/* --- The ledger --------------------------------------------------------- */

/* Returns true if the ledger has the metric of the listing. A listing without a
 * metric takes that of the ledger. */
static varve_status listing_take_metric(struct vv_listing *l,
    const struct vv_ledger *ledger, bool *is_same, varve_error *error)
{
    if (!l->metric) {
        l->metric = vv_copy_string(&l->context->allocator, ledger->metric);
        if (!l->metric)
            return vv_fail_memory(error, "the name of a metric");
    }
    *is_same = strcmp(l->metric, ledger->metric) == 0;
    vv_release_string(&l->context->allocator, l->other_metric);
    l->other_metric = NULL;
    if (*is_same)
        return VARVE_OK;
    l->other_metric = vv_copy_string(&l->context->allocator, ledger->metric);
    return l->other_metric ? VARVE_OK
                           : vv_fail_memory(error, "the name of a metric");
}

/* Adds an entry unless the listing has one of its file. */
static bool listing_add_new(
    struct vv_listing *l, struct vv_map *index, const struct vv_entry *entry)
{
    const struct vv_numbered file = { .number = entry->number,
        .is_padded = entry->is_padded };
    return vv_listing_find_file(l, index, &file) ||
           (vv_listing_add(l, entry) &&
               vv_listing_index(l, l->count - 1, index));
}

static varve_status listing_take_entries(struct vv_listing *l,
    const struct vv_ledger *ledger, bool is_same, struct vv_map *index,
    varve_error *error)
{
    uint64_t newest = 0;
    if (!vv_listing_index(l, 0, index))
        return vv_fail_memory(error, "a list of checkpoints");
    for (size_t i = 0; i < ledger->count; i++) {
        struct vv_entry entry = ledger->entries[i];
        entry.is_read = is_same;
        if (entry.counter >= newest)
            l->noted = entry.number;
        newest = entry.counter > newest ? entry.counter : newest;
        if (!listing_add_new(l, index, &entry))
            return vv_fail_memory(error, "a list of checkpoints");
    }
    return VARVE_OK;
}

static varve_status listing_take_ledger(struct vv_listing *l,
    const struct vv_ledger *ledger, bool has_entries, varve_error *error)
{
    bool is_same = false;
    struct vv_map index;
    VV_TRY(listing_take_metric(l, ledger, &is_same, error));
    if (!has_entries)
        return VARVE_OK;
    vv_map_init(&index, &l->context->allocator);
    varve_status status =
        listing_take_entries(l, ledger, is_same, &index, error);
    vv_map_clear(&index);
    return status;
}

varve_status vv_listing_read_ledger(
    struct vv_listing *l, struct vv_policy *policy, varve_error *error)
{
    struct vv_ledger ledger;
    varve_error reason = { 0 };
    bool has_entries = false;
    const char *path = vv_listing_path(l, NULL, VV_LEDGER_ENDING);
    l->noted = 0;
    if (l->path.failed)
        return vv_fail_memory(error, "the path of a ledger");
    vv_ledger_begin(&ledger, &l->context->allocator);
    varve_status status =
        vv_ledger_read(&ledger, l->context, path, &has_entries, &reason);
    if (!status && policy)
        *policy = ledger.policy;
    if (!status)
        status = listing_take_ledger(l, &ledger, has_entries, &reason);
    vv_ledger_clear(&ledger);
    if (status != VARVE_NO_MEMORY && status != VARVE_IO)
        return VARVE_OK;
    return vv_pass_failure(error, &reason);
}

varve_status vv_listing_write_ledger(struct vv_listing *l, varve_error *error)
{
    const char *path = vv_listing_path(l, NULL, VV_LEDGER_ENDING);
    const struct vv_ledger ledger = {
        .allocator = &l->context->allocator,
        .entries = l->entries,
        .count = l->count,
        .metric = l->metric,
        .policy = l->policy,
        .is_swept = l->gone.size == 0,
    };
    return l->path.failed ? vv_fail_memory(error, "the path of a ledger")
                          : vv_ledger_write(&ledger, l->context, path, error);
}

/* numbered.c - Lists the numbered checkpoints of a prefix and finds the newest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "numbered.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_in.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "ledger.h"
#include "name.h"
#include "try.h"

#define A_MILLISECOND ((int64_t)1000000)

enum {
    MOST_LISTINGS = 100, /* until two agree on the highest number */
    MOST_OF_ALL = 20,    /* until two agree on all numbers */
    MOST_EMPTY = 8,     /* before an empty directory of a manager is accepted */
    MOST_VANISHED = 20, /* files that are missing when opened; after that
                           such a name is skipped */
    MOST_LATE = 7       /* that are older than the ledger; 1/4 s in total */
};

/* --- Names -------------------------------------------------------------- */

bool vv_numbered_parse(const char *name, const char *prefix, const char *ending,
    struct vv_numbered *file)
{
    struct vv_numbered_name parsed;
    size_t size = strlen(prefix);
    if (!vv_numbered_name_parse(name, '-', ending, &parsed) ||
        parsed.stem_size != size || memcmp(name, prefix, size) != 0)
        return false;
    file->number = parsed.number;
    file->is_padded = parsed.is_padded;
    return true;
}

void vv_numbered_add(
    struct vv_buffer *path, uint64_t number, bool is_padded, const char *ending)
{
    char text[32];
    snprintf(
        text, sizeof text, is_padded ? "-%08" PRIu64 : "-%" PRIu64, number);
    vv_buffer_add_string(path, text);
    vv_buffer_add_string(path, ending);
}

/* --- One listing -------------------------------------------------------- */

void vv_numbered_list_begin(
    struct vv_numbered_list *list, const varve_allocator *allocator)
{
    *list = (struct vv_numbered_list){ 0 };
    vv_buffer_init(&list->files, allocator);
    vv_buffer_init(&list->others, allocator);
}

void vv_numbered_list_clear(struct vv_numbered_list *list)
{
    vv_buffer_clear(&list->files);
    vv_buffer_clear(&list->others);
}

const struct vv_numbered *vv_numbered_at(
    const struct vv_numbered_list *list, size_t i)
{
    const void *files = list->files.data;
    return (const struct vv_numbered *)files + i;
}

struct numbered_scan {
    struct vv_numbered_list *list;
    const char *prefix; /* the last component of the path */
};

/* Returns true if a name is `before`, the prefix, `behind`. */
static bool numbered_is_side_file(const char *name, const char *before,
    const char *prefix, const char *behind)
{
    size_t front = strlen(before), size = strlen(prefix);
    return strncmp(name, before, front) == 0 &&
           strncmp(name + front, prefix, size) == 0 &&
           strcmp(name + front + size, behind) == 0;
}

static int numbered_take_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    struct numbered_scan *scan = user;
    struct vv_numbered file = { 0 };
    if (numbered_is_side_file(name, "", scan->prefix, VV_LEDGER_ENDING))
        scan->list->has_ledger = scan->list->is_managed = true;
    else if (numbered_is_side_file(name, ".", scan->prefix, ".lock"))
        scan->list->is_managed = true;
    if (!vv_numbered_parse(name, scan->prefix, VARVE_SUFFIX, &file)) {
        if (strncmp(
                name + (*name == '.'), scan->prefix, strlen(scan->prefix)) == 0)
            vv_buffer_add(&scan->list->others, name, strlen(name) + 1);
        return 0;
    }
    file.has_info = info != NULL;
    if (info)
        file.info = *info;
    vv_buffer_add(&scan->list->files, &file, sizeof file);
    return 0;
}

int vv_numbered_compare(const void *left, const void *right)
{
    const struct vv_numbered *a = left;
    const struct vv_numbered *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->is_padded - b->is_padded;
}

/* Lists an open directory; a negative one is opened by the path. */
static varve_status numbered_list(const struct vv_context *context,
    int directory, const char *prefix, struct vv_numbered_list *list,
    varve_error *error)
{
    struct numbered_scan scan = { list, vv_path_name(prefix) };
    list->files.size = list->others.size = 0;
    list->is_managed = list->has_ledger = false;
    VV_TRY(directory < 0 ? vv_directory_each(context, prefix,
                               numbered_take_name, &scan, error)
                         : vv_directory_each_in(context, directory, prefix,
                               numbered_take_name, &scan, error));
    if (list->files.failed || list->others.failed)
        return vv_fail_memory(error, "a list of checkpoints");
    if (list->files.size)
        qsort(list->files.data, vv_numbered_count(list),
            sizeof(struct vv_numbered), vv_numbered_compare);
    return VARVE_OK;
}

varve_status vv_numbered_list(const struct vv_context *context,
    const char *prefix, struct vv_numbered_list *list, varve_error *error)
{
    return numbered_list(context, -1, prefix, list, error);
}

varve_status vv_numbered_list_in(const struct vv_context *context,
    int directory, const char *prefix, struct vv_numbered_list *list,
    varve_error *error)
{
    return numbered_list(context, directory, prefix, list, error);
}

bool vv_numbered_has_any(const struct vv_context *context, const char *prefix)
{
    struct vv_numbered_list list;
    vv_numbered_list_begin(&list, &context->allocator);
    bool has_any = *vv_path_name(prefix) &&
                   !vv_numbered_list(context, prefix, &list, NULL) &&
                   vv_numbered_count(&list) > 0;
    vv_numbered_list_clear(&list);
    return has_any;
}

/* --- Until two agree ---------------------------------------------------- */

/* Returns true if two listings have the same files or, if not by_all, the same
 * last file. */
static bool numbered_agrees(
    const struct vv_numbered_list *list, const struct vv_numbered_list *before)
{
    size_t count = vv_numbered_count(list), other = vv_numbered_count(before);
    size_t from = list->by_all || count == 0 ? 0 : count - 1;
    if (list->by_all ? count != other : (count > 0) != (other > 0))
        return false;
    for (size_t i = from; i < count; i++)
        if (vv_numbered_compare(vv_numbered_at(list, i),
                vv_numbered_at(before, i + other - count)) != 0)
            return false;
    return true;
}

varve_status vv_numbered_list_again(const struct vv_context *context,
    const char *prefix, struct vv_numbered_list *list, varve_error *error)
{
    const struct vv_system *system = context->system;
    struct vv_numbered_list before;
    bool agrees = false;
    unsigned empty = 0, most = list->by_all ? MOST_OF_ALL : MOST_LISTINGS;
    vv_numbered_list_begin(&before, &context->allocator);
    varve_status status = vv_numbered_list(context, prefix, list, error);
    for (unsigned i = 0; i < most && !status && !agrees; i++) {
        bool may_be_torn = list->files.size == 0 && list->has_ledger;
        if (may_be_torn && empty++)
            system->sleep(system->state, A_MILLISECOND << empty);
        vv_buffer_swap(&list->files, &before.files);
        status = vv_numbered_list(context, prefix, list, error);
        agrees = !status && numbered_agrees(list, &before) &&
                 !(may_be_torn && empty < MOST_EMPTY);
    }
    list->is_unconfirmed = !agrees;
    vv_numbered_list_clear(&before);
    return status;
}

/* --- The newest --------------------------------------------------------- */

struct numbered_search {
    const struct vv_context *context;
    const char *prefix;
    struct vv_numbered_list list;
    struct vv_ledger ledger;
    bool has_ledger;
    unsigned vanished;         /* files that were listed but are gone, in all
                                  listings */
    bool has_gone;             /* the newest was gone when it was opened */
    uint64_t gone;             /* number of that file */
    unsigned late;             /* listings that did not show the ledger */
    struct vv_buffer counters; /* uint64_t for each file of the list; 0: it
                                  is not a checkpoint, or cannot be the
                                  newest */
    struct vv_buffer path;     /* scratch */
};

static const char *numbered_path(
    struct numbered_search *s, const struct vv_numbered *file)
{
    s->path.size = 0;
    vv_buffer_add_string(&s->path, s->prefix);
    vv_numbered_add(&s->path, file->number, file->is_padded, VARVE_SUFFIX);
    return vv_buffer_string(&s->path);
}

/* Returns true for files that have the name but are not checkpoints:
 * directories, dangling links and devices. */
static bool numbered_is_no_file(varve_status status)
{
    return status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY ||
           status == VARVE_NOT_A_CHECKPOINT;
}

static const struct vv_entry *numbered_in_ledger(
    const struct numbered_search *s, const struct vv_numbered *file)
{
    for (size_t i = 0; s->has_ledger && i < s->ledger.count; i++) {
        const struct vv_entry *e = &s->ledger.entries[i];
        if (e->number == file->number && e->is_padded == file->is_padded)
            return e;
    }
    return NULL;
}

/* Finds the counter of a file in the directory of a manager. It is taken from
 * the ledger if the entry is valid for the file, else from the file itself. */
static varve_status numbered_find_counter(struct numbered_search *s,
    const struct vv_numbered *file, uint64_t *counter, varve_error *error)
{
    varve_error reason = { 0 };
    struct vv_file_info info = file->info;
    struct vv_opened opened;
    const struct vv_entry *entry = numbered_in_ledger(s, file);
    const char *path = numbered_path(s, file);
    if (s->path.failed)
        return vv_fail_memory(error, "a path");
    *counter = file->number ? file->number : 1;
    varve_status status = file->has_info
                              ? VARVE_OK
                              : vv_file_look(s->context, path, &info, &reason);
    if (!status && entry && entry->size == info.size &&
        entry->modified == info.modified)
        *counter = entry->counter ? entry->counter : 1;
    else if (!status) {
        status = vv_data_in_open_index(&opened, s->context, path, &reason);
        if (!status && opened.parsed.index.counter)
            *counter = opened.parsed.index.counter;
        if (!status)
            vv_opened_close(&opened);
    }
    s->vanished += status == VARVE_NOT_FOUND;
    if (status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY)
        *counter = 0;
    else if (status == VARVE_NO_MEMORY || status == VARVE_IO)
        return vv_pass_failure(error, &reason);
    return VARVE_OK;
}

/* Adds the checkpoints that the ledger has and the listing does not. They are
 * looked up by name: a listing may be stale, but a file that can be opened
 * exists. */
static varve_status numbered_add_from_ledger(
    struct numbered_search *s, varve_error *error)
{
    size_t listed = vv_numbered_count(&s->list);
    for (size_t i = 0; s->has_ledger && i < s->ledger.count; i++) {
        const struct vv_entry *e = &s->ledger.entries[i];
        struct vv_numbered file = { .number = e->number,
            .is_padded = e->is_padded };
        bool is_listed = false;
        for (size_t k = 0; k < listed && !is_listed; k++)
            is_listed =
                vv_numbered_compare(vv_numbered_at(&s->list, k), &file) == 0;
        if (is_listed ||
            vv_file_look(s->context, numbered_path(s, &file), &file.info, NULL))
            continue;
        file.has_info = true;
        vv_buffer_add(&s->list.files, &file, sizeof file);
    }
    return s->path.failed || s->list.files.failed
               ? vv_fail_memory(error, "a list of checkpoints")
               : VARVE_OK;
}

static varve_status numbered_read_ledger(
    struct numbered_search *s, varve_error *error)
{
    varve_error reason = { 0 };
    vv_ledger_clear(&s->ledger);
    s->has_ledger = false;
    s->path.size = 0;
    vv_buffer_add_string(&s->path, s->prefix);
    vv_buffer_add_string(&s->path, VV_LEDGER_ENDING);
    const char *path = vv_buffer_string(&s->path);
    if (s->path.failed)
        return vv_fail_memory(error, "the path of a ledger");
    varve_status status =
        vv_ledger_read(&s->ledger, s->context, path, &s->has_ledger, &reason);
    bool may_hide_all = status == VARVE_IO && vv_numbered_count(&s->list) == 0;
    return status == VARVE_NO_MEMORY || may_hide_all
               ? vv_pass_failure(error, &reason)
               : VARVE_OK;
}

static varve_status numbered_find_counters(
    struct numbered_search *s, varve_error *error)
{
    VV_TRY(numbered_read_ledger(s, error));
    s->list.is_managed |= s->has_ledger;
    VV_TRY(numbered_add_from_ledger(s, error));
    s->counters.size = 0;
    for (size_t i = 0; i < vv_numbered_count(&s->list); i++) {
        const struct vv_numbered *file = vv_numbered_at(&s->list, i);
        uint64_t counter = file->number ? file->number : 1;
        if (s->list.is_managed)
            VV_TRY(numbered_find_counter(s, file, &counter, error));
        vv_buffer_add64(&s->counters, counter);
    }
    return s->counters.failed ? vv_fail_memory(error, "a list of checkpoints")
                              : VARVE_OK;
}

/* Returns the index of the file with the highest counter; of equal counters,
 * the one with the higher number. Returns the count if no file is left. */
static size_t numbered_best(const struct numbered_search *s)
{
    size_t count = vv_numbered_count(&s->list), best = count;
    uint64_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t counter = vv_load64(s->counters.data + 8 * i);
        if (counter == 0 || counter < highest)
            continue;
        highest = counter;
        best = i;
    }
    return best;
}

/* Returns true if the newest file was deleted since it was listed, so that a
 * newer one may exist. Returns true only once for a number: a dangling link
 * would be missing each time. */
static bool numbered_is_gone(
    struct numbered_search *s, varve_status status, uint64_t number)
{
    bool was_gone = s->has_gone && s->gone == number;
    if (status != VARVE_NOT_FOUND)
        return false;
    s->has_gone = true;
    s->gone = number;
    return !was_gone;
}

/* Chooses the newest file. Sets *is_gone to true if the directory must be
 * listed again. */
static varve_status numbered_choose(struct numbered_search *s,
    struct vv_buffer *found, bool *is_gone, varve_error *error)
{
    size_t best, count = vv_numbered_count(&s->list);
    while ((best = numbered_best(s)) < count) {
        varve_error reason = { 0 };
        const struct vv_numbered *file = vv_numbered_at(&s->list, best);
        const char *path = numbered_path(s, file);
        varve_status status = vv_file_look(s->context, path, NULL, &reason);
        *is_gone = numbered_is_gone(s, status, file->number);
        if (!status || *is_gone) {
            found->size = 0;
            vv_buffer_add_string(found, path);
            vv_buffer_string(found);
            return found->failed || s->path.failed
                       ? vv_fail_memory(error, "a path")
                       : VARVE_OK;
        }
        if (!numbered_is_no_file(status))
            return vv_pass_failure(error, &reason);
        vv_store64(s->counters.data + 8 * best, 0);
    }
    return vv_fail(error, VARVE_NOT_FOUND,
        "%s: no checkpoint has this name, and there is no %s-N%s", s->prefix,
        s->prefix, VARVE_SUFFIX);
}

/* Returns true if the listing is older than the directory: it has neither a
 * checkpoint nor the ledger, which was opened by its name. */
static bool numbered_is_late(const struct numbered_search *s)
{
    return s->has_ledger && !s->list.has_ledger &&
           vv_numbered_count(&s->list) == 0;
}

static varve_status numbered_wait(
    struct numbered_search *s, bool *is_gone, varve_error *error)
{
    const struct vv_system *system = s->context->system;
    if (s->late++ == MOST_LATE)
        return vv_fail(error, VARVE_IO,
            "%s%s: the ledger exists, but the listing of its directory does "
            "not show it: the listing is out of date, try again later",
            s->prefix, VV_LEDGER_ENDING);
    system->sleep(system->state, A_MILLISECOND << s->late);
    *is_gone = true;
    return VARVE_OK;
}

static varve_status numbered_search_once(struct numbered_search *s,
    struct vv_buffer *found, bool *is_gone, varve_error *error)
{
    unsigned vanished = s->vanished;
    VV_TRY(vv_numbered_list_again(s->context, s->prefix, &s->list, error));
    VV_TRY(numbered_find_counters(s, error));
    if (numbered_is_late(s))
        return numbered_wait(s, is_gone, error);
    *is_gone = s->vanished > vanished && vanished < MOST_VANISHED;
    return *is_gone ? VARVE_OK : numbered_choose(s, found, is_gone, error);
}

varve_status vv_numbered_newest(const struct vv_context *context,
    const char *prefix, struct vv_buffer *found, varve_error *error)
{
    struct numbered_search s = { .context = context, .prefix = prefix };
    bool is_gone = true;
    varve_status status = VARVE_OK;
    vv_numbered_list_begin(&s.list, &context->allocator);
    vv_ledger_begin(&s.ledger, &context->allocator);
    vv_buffer_init(&s.counters, &context->allocator);
    vv_buffer_init(&s.path, &context->allocator);
    for (unsigned i = 0; i < MOST_LISTINGS && !status && is_gone; i++)
        status = numbered_search_once(&s, found, &is_gone, error);
    if (!status && is_gone)
        status = vv_fail(error, VARVE_IO,
            "%s: all %d checkpoints found were deleted before they could be "
            "opened",
            prefix, MOST_LISTINGS);
    vv_buffer_clear(&s.path);
    vv_buffer_clear(&s.counters);
    vv_ledger_clear(&s.ledger);
    vv_numbered_list_clear(&s.list);
    return status;
}

bool vv_numbered_try_again(
    const char *prefix, const char *path, unsigned *tries)
{
    return strcmp(prefix, path) != 0 && ++*tries < MOST_LISTINGS;
}

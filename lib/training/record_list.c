/* record_list.c - Scans the files of a list, and opens those that are read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_list.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "try.h"

/* --- The text of a list --------------------------------------------------- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void vv_list_text_add(struct vv_buffer *text, const struct vv_listed_form *form)
{
    const char *name = last_part(form->path);
    char digest[33];
    vv_digest_text(&form->digest, digest);
    vv_path_add_name(text, name, strlen(name));
    vv_buffer_add_string(text, ": ");
    vv_buffer_add_decimal(text, form->records);
    vv_buffer_add_string(text, " records, ");
    vv_buffer_add_decimal(text, form->bytes);
    vv_buffer_add_string(text, " bytes, ");
    vv_buffer_add_string(text, form->what);
    vv_buffer_add_string(text, " ");
    vv_buffer_add_string(text, digest);
    vv_buffer_add_string(text, "\n");
}

/* --- Comparing ------------------------------------------------------------ */

/* Returns the size of the line at an offset, with its newline; 0 at the end. */
static size_t line_size(const char *text, size_t size, size_t at)
{
    const char *end = at < size ? memchr(text + at, '\n', size - at) : NULL;
    return end ? (size_t)(end - (text + at)) + 1 : size - at;
}

/* A line in a form for messages. */
struct quoted_entry {
    const char *text;
    int size;
};

static struct quoted_entry quote(const char *text, size_t size)
{
    enum { MOST = 400 };
    if (size == 0)
        return (struct quoted_entry){ "no more files", 15 };
    if (text[size - 1] == '\n')
        size--;
    return (struct quoted_entry){ text, size < MOST ? (int)size : MOST };
}

static varve_status fail_at(const struct vv_listed_texts *t, size_t at,
    uint64_t number, varve_error *error)
{
    size_t saved_size = line_size(t->saved, t->saved_size, at);
    size_t opened_size = line_size(t->opened, t->opened_size, at);
    struct quoted_entry saved = quote(t->saved + at, saved_size);
    struct quoted_entry opened = quote(t->opened + at, opened_size);
    return vv_fail(error, VARVE_MISMATCH,
        "%s: file %" PRIu64 " of the list differs from that of the saved "
        "position: expected %.*s; found %.*s: %s",
        t->name, number, saved.size, saved.text, opened.size, opened.text,
        saved_size == 0
            ? "if files were appended on purpose, set allow_appended"
            : "open the same files in the same order, or start an epoch with "
              "varve_records_rewind");
}

varve_status vv_list_text_compare(
    const struct vv_listed_texts *t, uint64_t *files, varve_error *error)
{
    size_t at = 0;
    uint64_t number = 0;
    while (at < t->saved_size || at < t->opened_size) {
        size_t saved = line_size(t->saved, t->saved_size, at);
        size_t opened = line_size(t->opened, t->opened_size, at);
        if (saved == 0 && t->allow_appended && number > 0)
            break;
        if (saved != opened || memcmp(t->saved + at, t->opened + at, saved))
            return fail_at(t, at, number, error);
        at += saved;
        number++;
    }
    *files = number;
    return VARVE_OK;
}

/* --- The list ------------------------------------------------------------- */

struct listed_file {
    struct vv_record_file *file; /* closed, unless it is in `open` */
    uint64_t first;              /* number of its first record */
    size_t text_end;
};

struct open_entry {
    uint64_t number;   /* number of the file */
    uint64_t turn;     /* time of the last read */
    bool is_unchecked; /* read since the last check */
};

struct vv_record_list {
    struct vv_context context;
    enum vv_source_kind kind;
    uint64_t mark; /* part of the fingerprint, in addition to digests */
    varve_status (*read)(
        void *self, uint64_t index, varve_sink *sink, varve_error *error);
    /* with one more element, for the end of the last file */
    struct listed_file *files;
    size_t count;
    struct vv_buffer text;

    /* changed by reading */
    struct open_entry open[VV_OPEN_FILES];
    size_t open_count;
    uint64_t turn;
};

/* --- Positions of records ------------------------------------------------- */

uint64_t vv_record_list_files(const struct vv_record_list *list)
{
    return list->count;
}

uint64_t vv_record_list_find(
    const struct vv_record_list *list, uint64_t index, uint64_t *record)
{
    size_t low = 0,
           /* invariant: [low].first <= index < [high].first */
        high = list->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (list->files[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    *record = index - list->files[low].first;
    return low;
}

const char *vv_record_list_path(
    const struct vv_record_list *list, uint64_t file)
{
    return list->files[file].file->path;
}

const char *vv_record_list_text(
    const struct vv_record_list *list, uint64_t files, size_t *size)
{
    *size = files ? list->files[files - 1].text_end : 0;
    return (const char *)list->text.data;
}

struct vv_record_extent vv_record_list_extent(
    const struct vv_record_list *list, uint64_t files)
{
    size_t size;
    const char *text = vv_record_list_text(list, files, &size);
    struct vv_digest digest = vv_digest_of(text, size);
    varve_source source = { .count = list->files[files].first };
    struct vv_record_extent extent = { .count = source.count, .files = files };
    vv_set_fingerprint(&source, list->kind, list->mark, &digest);
    memcpy(extent.fingerprint, source.fingerprint, sizeof extent.fingerprint);
    return extent;
}

/* --- Reading -------------------------------------------------------------- */

/* Returns the entry of a file in `open`, a free one, or that of the least
 * recently read file. */
static struct open_entry *record_list_place_of(
    struct vv_record_list *list, uint64_t number)
{
    struct open_entry *oldest = list->open;
    for (size_t i = 0; i < list->open_count; i++) {
        if (list->open[i].number == number)
            return &list->open[i];
        if (list->open[i].turn < oldest->turn)
            oldest = &list->open[i];
    }
    if (list->open_count < VV_OPEN_FILES)
        return &list->open[list->open_count];
    return oldest;
}

static varve_status record_list_check_entry(const struct vv_record_list *list,
    struct open_entry *entry, bool must, varve_error *error)
{
    if (!entry->is_unchecked)
        return VARVE_OK;
    struct vv_record_file *file = list->files[entry->number].file;
    const int64_t before = file->checked;
    VV_TRY(vv_record_file_check(file, must, error));
    entry->is_unchecked = file->checked == before;
    return VARVE_OK;
}

/* Opens a file unless it is open; closes another one if necessary. */
static varve_status record_list_reach(
    struct vv_record_list *list, uint64_t number, varve_error *error)
{
    struct open_entry *place = record_list_place_of(list, number);
    struct open_entry *end = list->open + list->open_count;
    if (place < end && place->number != number) {
        VV_TRY(record_list_check_entry(list, place, false, error));
        vv_record_file_shut(list->files[place->number].file);
        *place = *--end;
        place = end;
        list->open_count--;
    }
    if (place == end) {
        VV_TRY(vv_record_file_open_again(list->files[number].file, error));
        list->open_count++;
        place->number = number;
    }
    place->turn = ++list->turn;
    place->is_unchecked = true;
    return VARVE_OK;
}

varve_status vv_record_list_read(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    struct vv_record_list *list = self;
    uint64_t record;
    uint64_t number = vv_record_list_find(list, index, &record);
    VV_TRY(record_list_reach(list, number, error));
    return list->read(list->files[number].file, record, sink, error);
}

varve_status vv_record_list_check(void *self, bool must, varve_error *error)
{
    struct vv_record_list *list = self;
    for (size_t i = 0; i < list->open_count; i++)
        VV_TRY(record_list_check_entry(list, &list->open[i], must, error));
    return VARVE_OK;
}

void vv_record_list_hint(void *self, uint64_t index)
{
    struct vv_record_list *list = self;
    uint64_t record;
    uint64_t number = vv_record_list_find(list, index, &record);
    vv_record_file_hint(list->files[number].file, record);
}

/* --- Opening -------------------------------------------------------------- */

void vv_record_list_close(void *closed)
{
    struct vv_record_list *list = closed;
    if (!list)
        return;
    const varve_allocator a = list->context.allocator;
    for (size_t i = 0; list->files && i < list->count; i++)
        vv_record_file_close(list->files[i].file);
    vv_release(&a, list->files, (list->count + 1) * sizeof *list->files);
    vv_buffer_clear(&list->text);
    vv_release(&a, list, sizeof *list);
}

/* Scans a file, and closes it. */
static varve_status record_list_add_file(struct vv_record_list *list,
    size_t number, const struct vv_scanned *kind,
    const varve_records_options *options, varve_error *error)
{
    struct listed_file *listed = &list->files[number];
    struct vv_listed_form form = {
        .path = kind->path,
        .what = options->no_content ? "time" : "content",
    };
    VV_TRY(vv_scanned_open(
        &list->context, kind, options, &listed->file, &form.digest, error));
    form.records = vv_record_file_count(listed->file);
    form.bytes = listed->file->size;
    vv_record_file_shut(listed->file);
    vv_list_text_add(&list->text, &form);
    listed->text_end = list->text.size;
    listed[1].first = listed->first + form.records;
    return list->text.failed ? vv_fail_memory(error, "the names of files")
                             : VARVE_OK;
}

static varve_status record_list_add_files(struct vv_record_list *list,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error)
{
    if (paths->count > SIZE_MAX / sizeof *list->files - 1 ||
        !(list->files = vv_allocate_zeroed(&list->context.allocator,
              (paths->count + 1) * sizeof *list->files)))
        return vv_fail_memory(error, "a list of files");
    list->count = paths->count;
    for (size_t i = 0; i < paths->count; i++) {
        struct vv_scanned one = *kind;
        one.path = paths->all[i];
        VV_TRY(record_list_add_file(list, i, &one, options, error));
    }
    return VARVE_OK;
}

static varve_status check_paths(
    const struct vv_record_paths *paths, varve_error *error)
{
    if (paths->count == 0 || !paths->all)
        return vv_fail(error, VARVE_MISUSE, "files: no paths");
    for (size_t i = 0; i < paths->count; i++) {
        if (!paths->all[i])
            return vv_fail(error, VARVE_MISUSE,
                "files: of %zu path%s, number %zu is NULL", paths->count,
                vv_plural_s(paths->count), i);
    }
    return VARVE_OK;
}

struct vv_record_list *vv_record_list_open(const struct vv_context *context,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error)
{
    if (check_paths(paths, error))
        return NULL;
    struct vv_record_list *list =
        vv_allocate_zeroed(&context->allocator, sizeof *list);
    if (!list) {
        vv_fail_memory(error, "a list of files");
        return NULL;
    }
    list->context = *context;
    list->kind = kind->kind;
    list->mark = vv_scanned_mark(kind, options);
    list->read = kind->read;
    vv_buffer_init(&list->text, &list->context.allocator);
    if (record_list_add_files(list, kind, paths, options, error)) {
        vv_record_list_close(list);
        return NULL;
    }
    return list;
}

varve_records *vv_records_open_list(const struct vv_context *context,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error)
{
    if (vv_record_options_check(
            "files", options, VV_USES_APPENDED | vv_scanned_uses(kind), error))
        return NULL;
    struct vv_record_list *list =
        vv_record_list_open(context, kind, paths, options, error);
    if (!list)
        return NULL;
    struct vv_record_extent all = vv_record_list_extent(list, list->count);
    const struct vv_file_source from = {
        .source = {
            .name = "files",
            .count = all.count,
            .fingerprint = { all.fingerprint[0], all.fingerprint[1] },
            .read = vv_record_list_read,
            .close = vv_record_list_close,
            .self = list,
        },
        .list = list,
        .hint = vv_record_list_hint,
        .check = vv_record_list_check,
    };
    return vv_records_open_file_source(context, &from, options, error);
}

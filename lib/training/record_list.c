/* record_list.c - Scans the files of a list, and opens those that are read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_list.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "list_text.h"
#include "try.h"

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
                "files: of %zu paths, number %zu is NULL", paths->count, i);
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

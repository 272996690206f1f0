/* record_list.h - the records of several files of one kind, one file behind the
 * other.
 *
 * All files are scanned at opening, one at a time, and shut. Only the offsets
 * of their records stay in memory; a file is opened again when one of its
 * records is read. Up to VV_OPEN_FILES stay open; the one that was read longest
 * ago is closed first. A file whose size or time of modification has changed by
 * then is VARVE_MISMATCH.
 *
 * vv_record_list_read changes which files are open, and vv_record_list_check
 * when they were checked: one thread at a time calls them. All else is constant
 * after the opening, and any thread may read it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RECORD_LIST_H
#define VV_RECORD_LIST_H

#include "record_position.h"
#include "scanned.h"

enum { VV_OPEN_FILES = 16 };

struct vv_record_list;

/* The paths of a list, borrowed. */
struct vv_record_paths {
    /* to fill in */
    const char *const *all;
    size_t count;
};

/* Opens the files; the path of the kind is ignored. NULL on failure. */
struct vv_record_list *vv_record_list_open(const struct vv_context *context,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error);

/* Takes NULL. */
void vv_record_list_close(void *list);

/* As in varve_source. */
varve_status vv_record_list_read(
    void *list, uint64_t index, varve_sink *sink, varve_error *error);

/* As vv_record_check, of those files that are open. */
varve_status vv_record_list_check(void *list, bool must, varve_error *error);

/* The same as vv_record_file_hint. Where a file is shut, it has no effect: the
 * hint is not worth an opening. */
void vv_record_list_hint(void *list, uint64_t index);

/* The records of its first files, up to all of them. */
uint64_t vv_record_list_files(const struct vv_record_list *list);
struct vv_record_extent vv_record_list_extent(
    const struct vv_record_list *list, uint64_t files);

/* The file that has a record below the count, and the record's number in it. */
uint64_t vv_record_list_find(
    const struct vv_record_list *list, uint64_t index, uint64_t *record);
const char *vv_record_list_path(
    const struct vv_record_list *list, uint64_t file);

/* The text (list_text.h) of its first files. */
const char *vv_record_list_text(
    const struct vv_record_list *list, uint64_t files, size_t *size);

/* Opens records over such a list. */
varve_records *vv_records_open_list(const struct vv_context *context,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error);

#endif

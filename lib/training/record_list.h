/* record_list.h - The concatenated records of several files of one kind.
 *
 * All files are scanned when the list is opened, one at a time, and closed.
 * Only the offsets of their records stay in memory; a file is opened again when
 * one of its records is read. Up to VV_OPEN_FILES remain open; the least
 * recently read one is closed first. Returns VARVE_MISMATCH for a file whose
 * size or time of modification has changed by then.
 *
 * vv_record_list_read and vv_record_list_check change the set of open files and
 * the times of checks: only one thread at a time may call them. All other data
 * is constant after the list is opened, and any thread can read it.
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

/* Opens the files; ignores the path of the kind. Returns NULL on failure. */
struct vv_record_list *vv_record_list_open(const struct vv_context *context,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error);

/* Frees the list; accepts NULL. */
void vv_record_list_close(void *list);

/* Implements `read` of varve_source. */
varve_status vv_record_list_read(
    void *list, uint64_t index, varve_sink *sink, varve_error *error);

/* Implements vv_record_check for the files that are open. */
varve_status vv_record_list_check(void *list, bool must, varve_error *error);

/* Like vv_record_file_hint. Has no effect for a closed file, because a hint is
 * not worth opening it. */
void vv_record_list_hint(void *list, uint64_t index);

/* Return the number of files, and the extent of the records in the first
 * `files` of them. */
uint64_t vv_record_list_files(const struct vv_record_list *list);
struct vv_record_extent vv_record_list_extent(
    const struct vv_record_list *list, uint64_t files);

/* Returns the file that contains a record below the count, and sets *record to
 * its number in the file. */
uint64_t vv_record_list_find(
    const struct vv_record_list *list, uint64_t index, uint64_t *record);
const char *vv_record_list_path(
    const struct vv_record_list *list, uint64_t file);

/* Returns the text (list_text.h) of the first `files` files. */
const char *vv_record_list_text(
    const struct vv_record_list *list, uint64_t files, size_t *size);

/* Opens records over such a list. */
varve_records *vv_records_open_list(const struct vv_context *context,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error);

#endif

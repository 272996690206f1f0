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

#include <stdbool.h>
#include <varve/error.h>

#include "buffer.h"
#include "checksum.h"
#include "record_position.h"
#include "scan.h"

/* --- The text of a list --------------------------------------------------- */

/* Writes and compares the text that identifies the files of a list in a
 * checkpoint: one line for each file, in order.
 *
 * part-0.csv: 1000 records, 52000 bytes, content 6a0f...
 *
 * The name is the last part of the path, so that the files can be moved
 * together. The text is the value of a state; only these functions parse it. */

/* The contents of a line. */
struct vv_listed_form {
    /* to fill in */
    const char *path;
    uint64_t records;
    uint64_t bytes;
    /* "content", or "time" of modification: the input of the digest */
    const char *what;
    struct vv_digest digest;
};

/* Appends the line of a file. A failed allocation is recorded in the buffer. */
void vv_list_text_add(
    struct vv_buffer *text, const struct vv_listed_form *form);

/* Two texts of lists, borrowed. */
struct vv_listed_texts {
    /* to fill in */
    const char *name;  /* of the list, for messages */
    const char *saved; /* from a checkpoint; can contain anything */
    size_t saved_size;
    const char *opened; /* of the files that are open */
    size_t opened_size;
    bool allow_appended; /* `opened` can have further files at its end */
};

/* Sets *files to the number of files in the saved list if it is equal to the
 * opened list or, if that is allowed, to its beginning. Otherwise returns
 * VARVE_MISMATCH; the message contains both lines of the first file that
 * differs. */
varve_status vv_list_text_compare(
    const struct vv_listed_texts *texts, uint64_t *files, varve_error *error);

/* --- The list ------------------------------------------------------------- */

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

/* Returns the text (record_list.h) of the first `files` files. */
const char *vv_record_list_text(
    const struct vv_record_list *list, uint64_t files, size_t *size);

/* Opens records over such a list. */
varve_records *vv_records_open_list(const struct vv_context *context,
    const struct vv_scanned *kind, const struct vv_record_paths *paths,
    const varve_records_options *options, varve_error *error);

#endif

/* list_text.h - the text by which a checkpoint records the files of a list of
 * data files: one line for each, in order.
 *
 *     part-0.csv: 1000 records, 52000 bytes, content 6a0f...
 *
 * The name is the last part of the path, so that the files can be moved
 * together. The text is the value of a state; only these functions parse it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LIST_TEXT_H
#define VV_LIST_TEXT_H

#include <stdbool.h>

#include <varve/error.h>

#include "buffer.h"
#include "checksum.h"

/* The contents of a line. */
struct vv_listed_form {
    /* to fill in */
    const char *path;
    uint64_t records;
    uint64_t bytes;
    const char *what; /* "content", or "time" of modification: of what the
                         digest is */
    struct vv_digest digest;
};

/* Appends the line of a file; a failure sticks to the buffer. */
void vv_list_text_add(
    struct vv_buffer *text, const struct vv_listed_form *form);

/* Two texts of lists, borrowed. */
struct vv_listed_texts {
    /* to fill in */
    const char *name;  /* of the list, for messages */
    const char *saved; /* of a position, and may hold anything */
    size_t saved_size;
    const char *opened; /* of the files that are open */
    size_t opened_size;
    bool allow_appended; /* `opened` may have further files behind the others */
};

/* Sets `*files` to the number of files in the saved list where it is equal to
 * the opened list, or to its beginning if that is allowed. VARVE_MISMATCH
 * otherwise; the message has both lines of the first file that differs. */
varve_status vv_list_text_compare(
    const struct vv_listed_texts *texts, uint64_t *files, varve_error *error);

#endif

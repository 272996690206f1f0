/* list_text.h - Writes and compares the text that identifies the files of a
 * list in a checkpoint: one line for each file, in order.
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

#endif

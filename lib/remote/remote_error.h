/* remote_error.h - Stores the text of a failure for each thread, in addition to
 * the errno.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_WORDS_H
#define VV_REMOTE_WORDS_H

#include "failure.h"

/* Stores the text for this thread, and returns -number. */
int vv_remote_fail(int number, const char *format, ...) VV_PRINTF(2, 3);

/* Copies the stored text, to be passed to another thread. */
void vv_remote_copy_reason(char *text, size_t room);

/* Returns the last stored text if it is for this errno and `path` is a path of
 * a store. Returns it only once, because a later failure with the same errno
 * may have no text. */
const char *vv_remote_reason(int number, const char *path);

#endif

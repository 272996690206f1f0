/* remote_error.h - why something failed, beside the number that a system gives.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_WORDS_H
#define VV_REMOTE_WORDS_H

#include "failure.h"

/* Keeps the words for this thread, and returns -number. */
int vv_remote_fail(int number, const char *format, ...) VV_PRINTF(2, 3);

/* Copies the words that are kept, for another thread. */
void vv_remote_copy_reason(char *text, size_t room);

/* What was kept last, where it is about a store and of that number; once, since
 * another failure of the number may be without words. */
const char *vv_remote_reason(int number, const char *path);

#endif

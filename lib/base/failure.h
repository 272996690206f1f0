/* failure.h - Fills in a varve_error. The innermost function that detects the
 * cause does this; callers do not overwrite it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FAILURE_H
#define VV_FAILURE_H

#include <stdint.h>

#include <varve/error.h>
#include <varve/types.h>

#if defined(__GNUC__) || defined(__clang__)
#define VV_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define VV_PRINTF(text, first)
#endif

/* Writes status and message into `error` (which can be NULL), and returns the
 * status. A message that is too long ends in "...", control characters become
 * "?", and users and queries of URLs are removed (printed.h). No argument may
 * point into `error`. */
varve_status vv_fail(varve_error *error, varve_status status,
    const char *format, ...) VV_PRINTF(3, 4);

/* Like vv_fail, for a failed system call. The message is "<path>: <call>
 * failed: <text of the errno>", and the status follows from the errno. `number`
 * is a positive errno. */
varve_status vv_fail_system(
    varve_error *error, int number, const char *call, const char *path);

/* Explains errors of a system other than the local one. Its function can be
 * called on any thread. */
struct vv_failure_words {
    /* to fill in */
    /* Returns the reason of the last failed call of this thread if it was about
     * `path` and returned `number`. NULL: use the text of the errno. Valid
     * until the next call of this thread. */
    const char *(*reason)(int number, const char *path);
};

/* Registers these functions for the rest of the process. */
void vv_failure_register(const struct vv_failure_words *words);

/* Like vv_fail, with the status and errno of `reason`, which must not be
 * `error`. */
varve_status vv_fail_like(varve_error *error, const varve_error *reason,
    const char *format, ...) VV_PRINTF(3, 4);

/* Fails with the status and errno of another failure: "<text>: <first line of
 * its message>", followed by its other lines. `reason` must not be `error`. */
varve_status vv_fail_because(varve_error *error, const varve_error *reason,
    const char *format, ...) VV_PRINTF(3, 4);

/* Returns the ending of a regular noun after a count. */
static inline const char *vv_plural_s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Adds the object to a message: inserts `<kind> "<name>": ` after the `<path>:
 * ` with which it begins. A message that begins otherwise is unchanged. `error`
 * can be NULL. */
void vv_fail_of(varve_error *error, const char *path, const char *kind,
    const char *name, size_t size);

/* Fails for an argument that is NULL because an earlier call failed. If `error`
 * holds the failure of that call, keeps it and returns its status. Otherwise
 * fails with VARVE_MISUSE, "<what> is NULL, perhaps because <call> failed".
 * `error` must be initialized or filled in by a call. */
varve_status vv_fail_none(
    varve_error *error, const char *what, const char *call);

/* Fails with VARVE_NO_MEMORY, "out of memory: <what>". */
varve_status vv_fail_memory(varve_error *error, const char *what);

/* Returns the status of a call whose callback failed with `status`:
 * VARVE_NO_MEMORY is passed on, all others become VARVE_CALLBACK. */
varve_status vv_status_of_callback(varve_status status);

/* Copies a failure that was kept until now; `error` can be NULL. Returns its
 * status. */
static inline varve_status vv_pass_failure(
    varve_error *error, const varve_error *reason)
{
    if (error)
        *error = *reason;
    return reason->status;
}

/* Fails with VARVE_TOO_NEW if the reserved bytes at the end of `options` are
 * not zero: they contain members that this version does not have. `options` can
 * be NULL. */
#define VV_CHECK_OPTIONS(options, error)                                       \
    vv_check_reserved((options) ? &(options)->reserved : NULL,                 \
        sizeof(options)->reserved, error)

/* The same for the reserved bytes of one nested struct. */
#define VV_CHECK_ROOM(room, error)                                             \
    vv_check_reserved(&(room), sizeof(room), error)

varve_status vv_check_reserved(
    const void *reserved, size_t size, varve_error *error);

/* Fails with VARVE_MISUSE if a list of options is NULL although its count is
 * not 0. */
varve_status vv_check_list(
    const void *list, size_t count, const char *name, varve_error *error);

/* Appends a line to a message. If there is no room, the last line becomes a
 * note that the message is cut; returns false then and for all later lines. */
bool vv_error_add_line(varve_error *error, const char *format, ...)
    VV_PRINTF(2, 3);

/* Appends each line of a text, such as the message of another failure. A
 * newline at its start is skipped. */
void vv_error_add_lines(varve_error *error, const char *lines);

/* Like vv_error_add_lines, followed by a line that is always complete: if there
 * is too little room, lines before it are cut. */
void vv_error_add_lines_and_last(
    varve_error *error, const char *lines, const char *last);

#endif

/* failure.h - filling in a varve_error, by the innermost function that knows
 * the cause. Nobody above overwrites it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FAILURE_H
#define VV_FAILURE_H

#include <varve/error.h>
#include <varve/types.h>

#if defined(__GNUC__) || defined(__clang__)
#define VV_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define VV_PRINTF(text, first)
#endif

/* Writes status and message into `error` (which may be NULL), and returns the
 * status. The message reads `where: expected this, found that`; one that is too
 * long ends in "...", control characters become "?", and of URLs users and
 * queries are taken out (printed.h). No argument may be of
 * `error` itself. */
varve_status vv_fail(varve_error *error, varve_status status,
    const char *format, ...) VV_PRINTF(3, 4);

/* The same for a failed system call: "<path>: <call> failed: <text of the
 * errno>", with the status that the errno stands for. `number` is a positive
 * errno. */
varve_status vv_fail_system(
    varve_error *error, int number, const char *call, const char *path);

/* What a system besides the machine's knows of failures; for all threads. */
struct vv_failure_words {
    /* to fill in */
    /* Why the last call of this thread failed, where it is about `path` and
     * gave `number`; NULL: what the errno says. Valid until its next call. */
    const char *(*reason)(int number, const char *path);
};

/* From now on these are asked; they stay for ever. */
void vv_failure_ask(const struct vv_failure_words *words);

/* Fails as vv_fail does, with the status and the errno of `reason`, which must
 * not be `error`. */
varve_status vv_fail_like(varve_error *error, const varve_error *reason,
    const char *format, ...) VV_PRINTF(3, 4);

/* Fails for the reason of another failure, with its status and errno:
 * "<text>: <first line of its message>", and its other lines after that.
 * `reason` must not be `error`. */
varve_status vv_fail_because(varve_error *error, const varve_error *reason,
    const char *format, ...) VV_PRINTF(3, 4);

/* Names what a message is about: puts `<kind> "<name>": ` behind the `<path>: `
 * with which it begins. A message that begins otherwise stays, and `error` may
 * be NULL. */
void vv_fail_of(varve_error *error, const char *path, const char *kind,
    const char *name, size_t size);

/* For a call that is given NULL, which another call has returned that failed.
 * If `error` holds a failure, that of the other call, it stays and its status
 * is returned. Else VARVE_MISUSE: "<what>: expected one, found NULL, as after
 * <call> that failed". `error` has to be initialized, or filled by a call. */
varve_status vv_fail_none(
    varve_error *error, const char *what, const char *call);

/* VARVE_NO_MEMORY, "out of memory: <what>". */
varve_status vv_fail_memory(varve_error *error, const char *what);

/* The status of a call whose callback failed with `status`: lack of memory is
 * the same wherever it is noticed, all else the program's own business. */
varve_status vv_status_of_callback(varve_status status);

/* Hands on a failure that was kept until it counted; `error` may be NULL.
 * Returns its status. */
static inline varve_status vv_pass_failure(
    varve_error *error, const varve_error *reason)
{
    if (error)
        *error = *reason;
    return reason->status;
}

/* VARVE_TOO_NEW if there is something in the room that is left at the end of
 * `options`, which may be NULL: fields that this version does not know. */
#define VV_CHECK_OPTIONS(options, error)                                       \
    vv_check_reserved((options) ? &(options)->reserved : NULL,                 \
        sizeof(options)->reserved, error)

/* The same of one room, as each feature's struct in the options has its own. */
#define VV_CHECK_ROOM(room, error)                                             \
    vv_check_reserved(&(room), sizeof(room), error)

varve_status vv_check_reserved(
    const void *reserved, size_t size, varve_error *error);

/* Appends a line to a message that is already there; once there is no more
 * room, the last line says how the message was cut, and false is returned, then
 * and for every line after it. */
bool vv_error_add_line(varve_error *error, const char *format, ...)
    VV_PRINTF(2, 3);

/* Appends each line of a text, such as the message of another failure. A
 * newline at its start is skipped. */
void vv_error_add_lines(varve_error *error, const char *lines);

#endif

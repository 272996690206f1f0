/* failure.c - Makes the texts and numbers of errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdatomic.h>
#include <string.h>

#include "path_text.h"
#include "printed.h"

static const char *const status_names[] = {
    "VARVE_OK",
    "VARVE_MISUSE",
    "VARVE_NO_MEMORY",
    "VARVE_NOT_FOUND",
    "VARVE_EXISTS",
    "VARVE_NO_PERMISSION",
    "VARVE_NO_SPACE",
    "VARVE_IO",
    "VARVE_UNKNOWN_OUTCOME",
    "VARVE_IS_DIRECTORY",
    "VARVE_EMPTY_FILE",
    "VARVE_NOT_A_CHECKPOINT",
    "VARVE_TOO_NEW",
    "VARVE_TRUNCATED",
    "VARVE_CORRUPT",
    "VARVE_LIMIT",
    "VARVE_BAD_NAME",
    "VARVE_BAD_SHAPE",
    "VARVE_DUPLICATE",
    "VARVE_MISMATCH",
    "VARVE_UNMATCHED",
    "VARVE_CANCELLED",
    "VARVE_CALLBACK",
    "VARVE_PARTIALLY_RESTORED",
    "VARVE_TIMEOUT",
    "VARVE_DISCONNECTED",
};

static const struct vv_failure_words *_Atomic asked;

void vv_failure_register(const struct vv_failure_words *words)
{
    atomic_store_explicit(&asked, words, memory_order_release);
}

static const struct vv_failure_words *words_of_system(void)
{
    static const struct vv_failure_words none;
    const struct vv_failure_words *words =
        atomic_load_explicit(&asked, memory_order_acquire);
    return words ? words : &none;
}

const char *varve_status_name(varve_status status)
{
    size_t count = sizeof status_names / sizeof *status_names;
    return (size_t)status < count ? status_names[status] : "unknown status";
}

/* Ends a message with `ending`, at `size` or earlier, at the boundary of a
 * character. */
static void cut_message(varve_error *error, size_t size, const char *ending)
{
    while (size > 0 && ((unsigned char)error->message[size] & 0xc0) == 0x80)
        size--;
    strcpy(error->message + size, ending);
}

/* Replaces control characters: names from a file can contain anything, but a
 * message is one line. */
static void keep_one_line(char *message)
{
    for (; *message; message++) {
        unsigned char c = (unsigned char)*message;
        if (c < ' ' || c == 127)
            *message = '?';
    }
}

/* Writes a one-line message and its status. */
static void fill_message(varve_error *error, varve_status status,
    const char *format, va_list arguments)
{
    static const char more[] = "...";
    if (!vv_print(error->message, sizeof error->message, format, arguments)) {
        size_t size = strlen(error->message);
        size_t most = sizeof error->message - sizeof more;
        cut_message(error, size < most ? size : most, more);
    }
    keep_one_line(error->message);
    error->status = status;
    error->system_error = 0;
}

varve_status vv_fail(
    varve_error *error, varve_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    fill_message(error, status, format, arguments);
    va_end(arguments);
    return status;
}

varve_status vv_fail_like(
    varve_error *error, const varve_error *reason, const char *format, ...)
{
    if (!error)
        return reason->status;
    va_list arguments;
    va_start(arguments, format);
    fill_message(error, reason->status, format, arguments);
    va_end(arguments);
    error->system_error = reason->system_error;
    return reason->status;
}

static varve_status status_of_errno(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR: return VARVE_NOT_FOUND;
    case EEXIST: return VARVE_EXISTS;
    case EACCES:
    case EPERM: return VARVE_NO_PERMISSION;
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return VARVE_NO_SPACE;
    case ENOMEM: return VARVE_NO_MEMORY;
    case EISDIR: return VARVE_IS_DIRECTORY;
    case EINPROGRESS: return VARVE_UNKNOWN_OUTCOME;
    case EPROTONOSUPPORT: return VARVE_MISUSE;
    default: return VARVE_IO;
    }
}

/* Returns the reason of a failure for a path with a scheme that no system
 * handles, or NULL for other failures. */
static const char *reason_of_scheme(int number, const char *path)
{
    static const char *const known[] = { "s3://", "https://", "http://" };
    if (number != EPROTONOSUPPORT || !vv_url_scheme(path))
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strncmp(path, known[i], strlen(known[i])) != 0)
            continue;
        return words_of_system()->reason
                   ? "its reader or writer was created before "
                     "varve_remote_enable(): create it afterwards"
                   : "call varve_remote_enable() first to use paths of stores "
                     "and web servers";
    }
    return "this scheme is not supported, only s3://, https:// and http:// "
           "are; begin a local path with ./";
}

varve_status vv_fail_system(
    varve_error *error, int number, const char *call, const char *path)
{
    varve_status status = status_of_errno(number);
    const struct vv_failure_words *words = words_of_system();
    const char *reason = words->reason ? words->reason(number, path) : NULL;
    if (!reason)
        reason = reason_of_scheme(number, path);
    vv_fail(error, status, "%s: %s failed: %s", path, call,
        reason ? reason : strerror(number));
    if (error)
        error->system_error = number;
    return status;
}

void vv_fail_of(varve_error *error, const char *path, const char *kind,
    const char *name, size_t size)
{
    enum { MOST_SHOWN = 200 };
    size_t before = strlen(path);
    if (!error || strncmp(error->message, path, before) != 0 ||
        strncmp(error->message + before, ": ", 2) != 0)
        return;
    varve_error reason = *error;
    vv_fail_like(error, &reason, "%s: %s \"%.*s\": %s", path, kind,
        (int)(size < MOST_SHOWN ? size : MOST_SHOWN), name,
        reason.message + before + 2);
}

varve_status vv_fail_memory(varve_error *error, const char *what)
{
    return vv_fail(error, VARVE_NO_MEMORY, "out of memory: %s", what);
}

static bool holds_failure(const varve_error *error)
{
    const size_t count = sizeof status_names / sizeof *status_names;
    return error && error->status != VARVE_OK &&
           (size_t)error->status < count && error->message[0] &&
           memchr(error->message, '\0', sizeof error->message);
}

varve_status vv_fail_none(
    varve_error *error, const char *what, const char *call)
{
    if (holds_failure(error))
        return error->status;
    return vv_fail(error, VARVE_MISUSE, "%s is NULL, perhaps because %s failed",
        what, call);
}

varve_status vv_status_of_callback(varve_status status)
{
    return status == VARVE_NO_MEMORY ? status : VARVE_CALLBACK;
}

static bool ends_with(const char *text, size_t size, const char *ending)
{
    size_t ending_size = strlen(ending);
    return size >= ending_size &&
           strcmp(text + size - ending_size, ending) == 0;
}

varve_status vv_check_reserved(
    const void *reserved, size_t size, varve_error *error)
{
    const unsigned char *bytes = reserved;
    for (size_t i = 0; bytes && i < size; i++) {
        if (bytes[i])
            return vv_fail(error, VARVE_TOO_NEW,
                "options: the reserved fields must be 0: they are "
                "uninitialized or made for a newer version");
    }
    return VARVE_OK;
}

varve_status vv_check_list(
    const void *list, size_t count, const char *name, varve_error *error)
{
    return list || count == 0
               ? VARVE_OK
               : vv_fail(error, VARVE_MISUSE,
                     "options: `%s` is NULL, but its count is %zu", name,
                     count);
}

static const char cut[] =
    "\n(the message is cut; the report of varve_dry_run has all lines)";

bool vv_error_add_line(varve_error *error, const char *format, ...)
{
    if (!error)
        return false;
    size_t used = strlen(error->message);
    if (ends_with(error->message, used, cut))
        return false;
    char line[VARVE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    bool fits = vv_print(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t size = strlen(line);
    /* `cut` must still fit after it. */
    size_t room = sizeof error->message - used;
    if (!fits || size + 1 + sizeof cut > room) {
        size_t last = sizeof error->message - sizeof cut;
        cut_message(error, used < last ? used : last, cut);
        return false;
    }
    error->message[used] = '\n';
    memcpy(error->message + used + 1, line, size + 1);
    return true;
}

void vv_error_add_lines(varve_error *error, const char *lines)
{
    bool has_room = true;
    lines += *lines == '\n';
    while (*lines && has_room) {
        size_t size = strcspn(lines, "\n");
        has_room = vv_error_add_line(error, "%.*s", (int)size, lines);
        lines += size + (lines[size] == '\n');
    }
}

void vv_error_add_lines_and_last(
    varve_error *error, const char *lines, const char *last)
{
    if (!error)
        return;
    lines += *lines == '\n';
    size_t used = strlen(error->message), size = strlen(lines);
    bool is_cut = ends_with(lines, size, cut);
    size -= is_cut ? sizeof cut - 1 : 0;
    size_t others = used + 1 + (sizeof cut - 1) + 1 + strlen(last) + 1;
    size_t room =
        sizeof error->message > others ? sizeof error->message - others : 0;
    if (size > room) {
        is_cut = true;
        for (size = room; size > 0 && lines[size] != '\n';)
            size--;
    }
    snprintf(error->message + used, sizeof error->message - used,
        "%s%.*s%s\n%s", size ? "\n" : "", (int)size, lines, is_cut ? cut : "",
        last);
}

varve_status vv_fail_because(
    varve_error *error, const varve_error *reason, const char *format, ...)
{
    varve_error where = { 0 };
    const char *line = reason->message;
    if (!error)
        return reason->status;
    va_list arguments;
    va_start(arguments, format);
    fill_message(&where, reason->status, format, arguments);
    va_end(arguments);
    size_t size = strcspn(line, "\n");
    vv_fail_like(error, reason, "%s: %.*s", where.message, (int)size, line);
    vv_error_add_lines(error, line + size);
    return reason->status;
}

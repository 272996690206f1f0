/* expect.c - Defines the table of faults and checks statuses and messages
 * against the log of calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/expect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct fault faults[] = {
    { "EIO", FAULTY_FAILS, EIO, VARVE_IO },
    { "ENOSPC", FAULTY_FAILS, ENOSPC, VARVE_NO_SPACE },
    { "EDQUOT", FAULTY_FAILS, EDQUOT, VARVE_NO_SPACE },
    { "EFBIG", FAULTY_FAILS, EFBIG, VARVE_NO_SPACE },
    { "EROFS", FAULTY_FAILS, EROFS, VARVE_IO },
    { "EACCES", FAULTY_FAILS, EACCES, VARVE_NO_PERMISSION },
    { "EMFILE", FAULTY_FAILS, EMFILE, VARVE_IO },
    { "ENOMEM", FAULTY_FAILS, ENOMEM, VARVE_NO_MEMORY },
    { "ESTALE", FAULTY_FAILS, ESTALE, VARVE_IO },
    { "EINTR", FAULTY_FAILS, EINTR, VARVE_IO },
    { "EAGAIN", FAULTY_FAILS, EAGAIN, VARVE_IO },
    { "one byte moved", FAULTY_ONE_BYTE, 0, VARVE_OK },
    { "all but one byte moved", FAULTY_BUT_ONE, 0, VARVE_OK },
    { "half moved", FAULTY_HALF, 0, VARVE_OK },
    { "nothing moved", FAULTY_NOTHING, 0, VARVE_IO }, /* reads: truncated */
};
const size_t fault_count = sizeof faults / sizeof *faults;

/* Calls whose failure is ignored: hints, releases of resources, and thread
 * starts, without which fewer threads do the work. */
enum {
    HARMLESS = FAULTY_START_WRITE_BACK | FAULTY_WILL_READ | FAULTY_CLOSE |
               FAULTY_CLOSE_DIRECTORY | FAULTY_UNMAP | FAULTY_REMOVE |
               FAULTY_PROCESSORS | FAULTY_START_THREAD | FAULTY_JOIN_THREAD |
               FAULTY_LOCK,
    RENAMES = FAULTY_RENAME | FAULTY_RENAME_NEW,
    MADE_ONCE = FAULTY_SYNC | FAULTY_SYNC_DIRECTORY | RENAMES |
                FAULTY_CLOSE_CREATED | FAULTY_MAP | FAULTY_INFO |
                FAULTY_EACH_NAME, /* not retried */
};

/* The words by which messages name each kind of call. */
static const struct { unsigned kinds; const char *word; } words[] = {
    { FAULTY_OPEN, ": open" }, { FAULTY_OPEN, ": accessing it" },
    { FAULTY_CREATE, ": creating a temporary file" },
    { FAULTY_OPEN_DIRECTORY, ": opening the directory" },
    { FAULTY_OPEN_DIRECTORY, ": opening its parent directory" },
    { FAULTY_OPEN_DIRECTORY, ": accessing it" },
    { FAULTY_CLOSE_CREATED, ": close" },
    { FAULTY_INFO, ": getting its size" },
    { FAULTY_INFO, ": identifying the directory" },
    { FAULTY_READ, ": read" }, { FAULTY_WRITE, ": write" },
    { FAULTY_READ, "but the file ends after" },
    { FAULTY_RESERVE, ": reserve" }, { FAULTY_SYNC, ": sync" },
    { FAULTY_SYNC_DIRECTORY, "sync of its directory" },
    { FAULTY_SYNC_DIRECTORY, ": sync of its parent directory" },
    { RENAMES, ": rename" },
    { FAULTY_MAKE_DIRECTORY, ": creating the directory" },
    { FAULTY_EACH_NAME, ": listing" }, { FAULTY_MAP, ": map" },
    { FAULTY_RANDOM, ": getting a random name" },
};

void attempt_text(const struct attempt *a, enum faulty_kind kind, char *text,
    size_t size)
{
    static const char *const spreads[] = {
        "", ", and all calls after it", ", and all such calls after it",
    };
    int used = snprintf(text, size, "%s%s, call %ld (%s), %s%s",
        a->scenario->name, a->is_big ? " of large values" : "", a->number,
        faulty_kind_name(kind), a->first->name, spreads[a->spread]);
    if (a->second && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; call %ld, %s%s",
            a->second_number, a->second->name,
            a->second_sticky ? spreads[ALL_AFTER] : "");
}

/* --- The log -------------------------------------------------------------- */

/* Returns true if the call failed because of this fault. */
static bool is_by(const struct faulty_call *call, const struct fault *fault)
{
    if (!fault)
        return false;
    if (fault->way == FAULTY_FAILS)
        return call->result == -fault->error;
    return fault->way == FAULTY_NOTHING && call->result == 0 &&
           call->size > 0 && (call->kind & (FAULTY_READ | FAULTY_WRITE));
}

static const struct fault *fault_of(
    const struct attempt *a, const struct faulty_call *call)
{
    return is_by(call, a->first) ? a->first :
           is_by(call, a->second) ? a->second : NULL;
}

/* Returns the position of the first successful rename in the log; the size of
 * the log if there is none. */
static size_t renamed_at(const struct world *w)
{
    size_t size = faulty_log_size(w->faulty);
    size_t at = faulty_log_find(w->faulty, RENAMES, 0);
    while (at < size && faulty_log_at(w->faulty, at)->result != 0)
        at = faulty_log_find(w->faulty, RENAMES, at + 1);
    return at;
}

/* Returns true if the call belongs to the prefix.latest note, which is written
 * after a numbered file is in place and whose errors are ignored. */
static bool is_in_note(const struct world *w, size_t place)
{
    size_t size = faulty_log_size(w->faulty);
    size_t at = renamed_at(w);
    if (at >= size || faulty_log_at(w->faulty, at)->kind != FAULTY_RENAME_NEW)
        return false;
    at = faulty_log_find(w->faulty, FAULTY_SYNC_DIRECTORY, at);
    return at < place;
}

/* Returns true if the call looks for leftover temporary files, which happens
 * before a new temporary name is created, or locks a temporary file. */
static bool is_in_sweep(const struct world *w, size_t place)
{
    const struct faulty_call *call = faulty_log_at(w->faulty, place);
    if (call->kind == FAULTY_OPEN && strstr(call->name, ".tmp"))
        return true;
    return call->kind == FAULTY_EACH_NAME &&
           place + 1 < faulty_log_size(w->faulty) &&
           faulty_log_at(w->faulty, place + 1)->kind == FAULTY_RANDOM;
}

static bool outcome_is_unknown(const struct world *w)
{
    size_t size = faulty_log_size(w->faulty);
    size_t at = faulty_log_find(
        w->faulty, FAULTY_SYNC_DIRECTORY, renamed_at(w));
    return at < size && faulty_log_at(w->faulty, at)->result < 0;
}

/* Returns true if the call is retried and the retry succeeds. */
static bool passes(
    const struct attempt *a, const struct fault *fault, unsigned kind)
{
    bool is_mild = fault->error == EINTR || fault->error == EAGAIN;
    bool is_sticky = fault == a->first ? a->spread != ONCE : a->second_sticky;
    return is_mild && !is_sticky && !(kind & MADE_ONCE);
}

/* Returns true if the call reads a ledger. Its content can also be obtained by
 * listing the directory and reading the checkpoints. */
static bool is_of_ledger(const struct faulty_call *call)
{
    const char *ending = ".ledger";
    size_t size = strlen(call->name);
    return (call->kind & (FAULTY_OPEN | FAULTY_READ | FAULTY_INFO)) &&
           size > strlen(ending) &&
           strcmp(call->name + size - strlen(ending), ending) == 0;
}

static bool may_pass(const struct world *w, const struct attempt *a,
    size_t place)
{
    const struct faulty_call *call = faulty_log_at(w->faulty, place);
    const struct fault *fault = fault_of(a, call);
    if (!fault || (call->kind & HARMLESS) ||
        is_of_ledger(call) || is_in_note(w, place) || is_in_sweep(w, place))
        return true;
    /* If access is denied, the next call reports the error. */
    if (fault->error == EACCES &&
        (call->kind & (FAULTY_OPEN_DIRECTORY | FAULTY_OPEN)))
        return w->scenario->made != NULL;
    return passes(a, fault, call->kind);
}

static void expect_nothing_hidden(
    const struct world *w, const struct attempt *a, const char *where)
{
    size_t size = faulty_log_size(w->faulty);
    for (size_t i = 0; i < size; i++)
        cr_assert(may_pass(w, a, i), "%s: VARVE_OK, but call %zu (%s) failed",
            where, i, faulty_kind_name(faulty_log_at(w->faulty, i)->kind));
}

/* --- Statuses and messages ------------------------------------------------ */

/* Returns true if this failed call explains the status and the message. */
static bool explains(const struct faulty_call *call, const struct fault *fault,
    varve_status status, const varve_error *error)
{
    if (call->kind == FAULTY_LOCK && fault->error == EAGAIN) /* any name */
        return status == VARVE_IO &&
               strstr(error->message, "no free temporary name");
    bool is_end = fault->way == FAULTY_NOTHING && call->kind == FAULTY_READ;
    int number = is_end ? 0 : fault->error ? fault->error : EIO;
    varve_status expected = is_end ? VARVE_TRUNCATED : fault->expected;
    if (status != VARVE_UNKNOWN_OUTCOME && status != VARVE_PARTIALLY_RESTORED &&
        status != expected)
        return false;
    if (error->system_error != number ||
        (number && !strstr(error->message, strerror(number))))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((call->kind & words[i].kinds) &&
            strstr(error->message, words[i].word))
            return true;
    return false;
}

static bool is_explained(const struct world *w, const struct attempt *a,
    varve_status status, const varve_error *error)
{
    if (a->without_memory && strstr(error->message, "out of memory"))
        return status == VARVE_NO_MEMORY || status == VARVE_PARTIALLY_RESTORED;
    size_t size = faulty_log_size(w->faulty);
    for (size_t i = 0; i < size; i++) {
        const struct faulty_call *call = faulty_log_at(w->faulty, i);
        const struct fault *fault = fault_of(a, call);
        if (fault && !passes(a, fault, call->kind) &&
            explains(call, fault, status, error))
            return true;
    }
    return false;
}

/* Checks the form of a message: one line, unless it lists variables with new
 * values, that begins with the path, or with the directory in which the path
 * begins. */
static void expect_shape(
    const struct world *w, const varve_error *error, const char *where)
{
    const char *text = error->message;
    bool is_half = error->status == VARVE_PARTIALLY_RESTORED;
    cr_assert((strchr(text, '\n') != NULL) == is_half, "%s: lines: %s", where,
        text);
    cr_assert(!is_half || strstr(text, "partially restored:"),
        "%s: %s", where, text);
    cr_assert(strstr(text, "out of memory") ||
        strncmp(text, ".: ", 3) == 0 ||
        strncmp(text, w->scenario->file, strlen(w->scenario->file)) == 0,
        "%s: the path is not named first: %s", where, text);
}

void expect_truth(const struct world *w, const struct attempt *a,
    varve_status status, const varve_error *error, const char *where)
{
    cr_assert((status == VARVE_UNKNOWN_OUTCOME) == outcome_is_unknown(w),
        "%s: %s, but the sync of the directory %s: %s", where,
        varve_status_name(status),
        outcome_is_unknown(w) ? "failed" : "did not fail", error->message);
    if (status == VARVE_OK) {
        cr_assert(!error->status && !*error->message,
            "%s: VARVE_OK, and a message: %s", where, error->message);
        expect_nothing_hidden(w, a, where);
        return;
    }
    cr_assert(error->status == status, "%s: %s is returned, %s written", where,
        varve_status_name(status), varve_status_name(error->status));
    cr_assert(status != VARVE_PARTIALLY_RESTORED || w->scenario->may_half,
        "%s: half done: %s", where, error->message);
    cr_assert(is_explained(w, a, status, error),
        "%s: no call that failed explains %s, %s: %s", where,
        varve_status_name(status), strerror(error->system_error),
        error->message);
    expect_shape(w, error, where);
}

/* --- Trust ---------------------------------------------------------------- */

/* Checks the calls after the sync or close of a new file has failed, up to the
 * removal of its name and the start of the next file. */
static void expect_no_trust_after(
    const struct world *w, size_t place, const char *where)
{
    const struct faulty_call *failed = faulty_log_at(w->faulty, place);
    size_t size = faulty_log_size(w->faulty);
    for (size_t i = place + 1; i < size; i++) {
        const struct faulty_call *call = faulty_log_at(w->faulty, i);
        if (call->kind == FAULTY_CREATE && call->result >= 0)
            return;
        cr_assert_not(call->kind & (RENAMES | FAULTY_SYNC),
            "%s: %s after %s failed", where, faulty_kind_name(call->kind),
            faulty_kind_name(failed->kind));
    }
}

/* Checks that no second sync follows. A directory's descriptor is closed, and
 * is never synced before that. */
static void expect_no_second_sync(
    const struct world *w, size_t place, const char *where)
{
    const struct faulty_call *failed = faulty_log_at(w->faulty, place);
    size_t size = faulty_log_size(w->faulty);
    for (size_t i = place + 1; i < size; i++) {
        const struct faulty_call *call = faulty_log_at(w->faulty, i);
        if (call->descriptor != failed->descriptor)
            continue;
        if (call->kind == FAULTY_CLOSE_DIRECTORY)
            return;
        cr_assert_neq(call->kind, FAULTY_SYNC_DIRECTORY,
            "%s: a directory is synced again after that failed", where);
    }
}

void expect_no_trust(const struct world *w, const char *where)
{
    size_t size = faulty_log_size(w->faulty);
    for (size_t i = 0; i < size; i++) {
        const struct faulty_call *call = faulty_log_at(w->faulty, i);
        if (call->result >= 0)
            continue;
        if (call->kind & (FAULTY_SYNC | FAULTY_CLOSE_CREATED))
            expect_no_trust_after(w, i, where);
        else if (call->kind == FAULTY_SYNC_DIRECTORY)
            expect_no_second_sync(w, i, where);
    }
}

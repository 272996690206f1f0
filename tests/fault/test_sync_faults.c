/* test_sync_faults.c - Tests the calls that decide if a file exists: sync,
 * close, rename, sync of the directory. Each fails in each possible way and
 * must return exactly the expected status.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fault/writes.h"
#include "support/proof.h"

/* The call that fails, counted from 0 among those of its kind, and the message
 * after the path. */
struct decision {
    const struct scenario *scenario;
    enum faulty_kind kind;
    long number;
    const char *path;
    const char *words;
    bool is_unknown; /* it is unknown if the file survives a power failure */
};

static const struct { int error; varve_status status; } errors[] = {
    { EIO, VARVE_IO }, { ENOSPC, VARVE_NO_SPACE }, { EDQUOT, VARVE_NO_SPACE },
    { EFBIG, VARVE_NO_SPACE }, { EROFS, VARVE_IO },
    { ENOMEM, VARVE_NO_MEMORY }, { ESTALE, VARVE_IO }, { EINTR, VARVE_IO },
    { EAGAIN, VARVE_IO }, { EBADF, VARVE_IO },
};
enum { ERRORS = sizeof errors / sizeof *errors };

static void check_status(const struct decision *d, size_t i,
    varve_status status, const varve_error *error)
{
    char message[512];
    snprintf(message, sizeof message, "%s: %s failed: %s", d->path, d->words,
        strerror(errors[i].error));
    cr_assert_str_eq(error->message, message);
    cr_assert_eq(error->system_error, errors[i].error);
    cr_assert_eq(error->status, status);
    cr_assert_eq(status,
        d->is_unknown ? VARVE_UNKNOWN_OUTCOME : errors[i].status,
        "%s: %s", varve_status_name(status), message);
}

/* Checks that the failed call was the last of its kind and that no rename
 * followed. */
static void check_last(const struct world *w, const struct decision *d)
{
    size_t size = faulty_log_size(w->faulty);
    size_t at = faulty_log_hit(w->faulty);
    unsigned never = d->kind | FAULTY_RENAME | FAULTY_RENAME_NEW;
    cr_assert_lt(at, size);
    at = faulty_log_find(w->faulty, never, at + 1);
    cr_assert_eq(at, size, "%s: %s comes after it", d->words,
        at < size ? faulty_kind_name(faulty_log_at(w->faulty, at)->kind) : "");
}

static void fail(const struct decision *d, size_t i, bool sticky)
{
    struct world w;
    world_begin(&w, d->scenario, false);
    faulty_plan(w.faulty, &(struct faulty_plan){ .kinds = d->kind,
        .number = d->number, .sticky = sticky, .error = errors[i].error });
    varve_error error = { 0 };
    varve_status status = d->scenario->act(&w, &error);
    check_status(d, i, status, &error);
    check_last(&w, d);
    world_check(&w, status, &error, d->words);
    world_end(&w, d->words);
}

static void fail_by_all(const struct decision *d)
{
    for (size_t i = 0; i < ERRORS; i++)
        for (int sticky = 0; sticky < 2; sticky++)
            fail(d, i, sticky);
    proof_count("faults.calls", 2 * ERRORS);
}

TEST(sync_fault, a_failed_sync_fails_the_save_and_is_not_retried)
{
    fail_by_all(&(struct decision){ &first_write, FAULTY_SYNC, 0,
        "run/deep/a.varve", "sync", false });
    fail_by_all(&(struct decision){ &overwrite, FAULTY_SYNC, 0,
        "run/a.varve", "sync", false });
    fail_by_all(&(struct decision){ &numbered_save, FAULTY_SYNC, 0,
        "run/a-2.varve", "sync", false });
}

TEST(sync_fault, a_failed_close_of_a_new_file_fails_the_save)
{
    fail_by_all(&(struct decision){ &first_write, FAULTY_CLOSE_CREATED, 0,
        "run/deep/a.varve", "close", false });
    fail_by_all(&(struct decision){ &overwrite, FAULTY_CLOSE_CREATED, 0,
        "run/a.varve", "close", false });
    fail_by_all(&(struct decision){ &numbered_save, FAULTY_CLOSE_CREATED, 0,
        "run/a-2.varve", "close", false });
}

TEST(sync_fault, a_failed_rename_leaves_the_older_file)
{
    fail_by_all(&(struct decision){ &first_write, FAULTY_RENAME, 0,
        "run/deep/a.varve", "rename", false });
    fail_by_all(&(struct decision){ &overwrite, FAULTY_RENAME, 0,
        "run/a.varve", "rename", false });
    fail_by_all(&(struct decision){ &numbered_save, FAULTY_RENAME_NEW, 0,
        "run/a-2.varve", "rename", false });
}

/* Earlier syncs of directories are those of parent directories. */
TEST(sync_fault, a_failed_sync_of_the_directory_leaves_the_outcome_unknown)
{
    const char *words = "the file is in place, but sync of its directory";
    fail_by_all(&(struct decision){ &first_write, FAULTY_SYNC_DIRECTORY, 4,
        "run/deep/a.varve", words, true });
    fail_by_all(&(struct decision){ &overwrite, FAULTY_SYNC_DIRECTORY, 1,
        "run/a.varve", words, true });
    fail_by_all(&(struct decision){ &numbered_save, FAULTY_SYNC_DIRECTORY, 1,
        "run/a-2.varve", words, true });
}

TEST(sync_fault, a_failed_sync_of_the_parent_directory_fails_the_save)
{
    fail_by_all(&(struct decision){ &overwrite, FAULTY_SYNC_DIRECTORY, 0,
        "run", "sync of its parent directory", false });
    fail_by_all(&(struct decision){ &numbered_save, FAULTY_SYNC_DIRECTORY, 0,
        "run", "sync of its parent directory", false });
}

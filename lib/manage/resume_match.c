/* resume_match.c - Compares the resumed checkpoint with the program, or checks
 * that a run may start without one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume_match.h"

#include <inttypes.h>
#include <string.h>

#include <varve/restoration.h>

#include "failure.h"
#include "hand_over.h"
#include "manager_lock.h"
#include "manager_together.h"
#include "questions.h"
#include "restoration.h"
#include "try.h"

/* --- Resumes -------------------------------------------------------------- */

/* Compares the resumed checkpoint with the program, on all ranks. */

/* Passes the kept checkpoint to its level. */
static void pass_to_level(varve_manager *m)
{
    vv_levels_hold(&m->levels, m->resumed.is_held ? m->resumed.level : 0,
        m->resumed.number);
}

void vv_resume_match_clear(varve_manager *m)
{
    m->resumed = (struct vv_manager_match){ 0 };
    pass_to_level(m);
}

void vv_resume_match_begin(varve_manager *m, uint64_t number, size_t level)
{
    m->resumed = (struct vv_manager_match){
        .number = number,
        .level = level,
        .is_held = true,
        .is_unchecked = m->options.strict,
    };
    pass_to_level(m);
}

static varve_status resume_match_check(varve_manager *m, varve_error *error)
{
    static const char hint[] =
        "hint: map a renamed value by varve_alias, `.older_names` or `rename` "
        "of the read options; permit a difference by `expect` of the read "
        "options, VARVE_TAG_LATER or `.is_later`; permit all by "
        "`allow_partial` of the run (a manager: do not set `strict`)";
    varve_error reason = { 0 };
    VV_TRY(vv_restoration_check_renames(m->restoration, error));
    varve_status status = varve_assert_consumed(m->restoration, &reason);
    if (status != VARVE_UNMATCHED)
        return vv_hand_over(status, &reason, error);
    size_t size = strcspn(reason.message, "\n");
    vv_fail(error, status, "%s: the checkpoint and the program differ: %.*s",
        m->listing.directory, (int)size, reason.message);
    vv_error_add_lines_and_last(error, reason.message + size, hint);
    return status;
}

varve_status varve_manager_assert_consumed(varve_manager *m, varve_error *error)
{
    varve_error reason = { 0 };
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    if (!m->restoration)
        return VARVE_OK;
    varve_status status = resume_match_check(m, &reason);
    status = vv_manager_agree(m, status, &reason);
    if (!status) {
        m->resumed.is_unchecked = m->resumed.is_held = false;
        pass_to_level(m);
    }
    return vv_hand_over(status, &reason, error);
}

varve_status vv_resume_match_require(varve_manager *m, varve_error *error)
{
    return m->resumed.is_unchecked ? varve_manager_assert_consumed(m, error)
                                   : VARVE_OK;
}

void vv_resume_match_keep(varve_manager *m)
{
    if (!m->resumed.is_held || m->resumed.level > 0)
        return;
    for (size_t i = 0; i < m->decision.count; i++)
        if (m->listing.entries[i].number == m->resumed.number)
            m->decision.facts[i].reasons |= VV_KEPT_RESUMED;
}

varve_status vv_resume_match_weigh(varve_manager *m, varve_error *error)
{
    varve_error reason = { 0 };
    size_t unused = 0;
    if (!m->resumed.is_held || !m->restoration)
        return VARVE_OK;
    varve_status status = vv_restoration_check_renames(m->restoration, &reason);
    if (!status)
        status = vv_restoration_count_unused(m->restoration, &unused, &reason);
    bool is_held = unused > 0;
    status = vv_manager_any(m, status, &is_held, &reason);
    if (!status) {
        m->resumed.is_held = is_held;
        pass_to_level(m);
    }
    return vv_hand_over(status, &reason, error);
}

varve_status varve_manager_finish_resume(varve_manager *m, varve_error *error)
{
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    VV_TRY(vv_resume_match_require(m, error));
    return m->restoration ? vv_restoration_settle(m->restoration, error)
                          : VARVE_OK;
}

/* --- New runs ------------------------------------------------------------- */

/* Checks that a run may start from the beginning. */

/* If a level cannot be listed, the directory must show that no manager has
 * saved there: no file, no ledger, and this manager holds the lock. The
 * directory of a node that has lost its disk is empty. */
static varve_status resume_nothing_check_unseen(
    varve_manager *m, const varve_error *unseen, varve_error *error)
{
    struct vv_listing *l = &m->listing;
    varve_error warning = { 0 };
    if (!unseen->status)
        return VARVE_OK;
    if (vv_has_nodes(&m->nodes) || l->count > 0 || l->has_ledger ||
        l->is_unconfirmed || !vv_manager_lock_is_held(&m->lock, l))
        return vv_pass_failure(error, unseen);
    vv_fail(&warning, unseen->status,
        "%s: there was no checkpoint, so the run started from the beginning, "
        "but a level could not be listed: %s",
        l->directory, unseen->message);
    vv_manager_warn(m, &warning);
    return VARVE_OK;
}

static size_t resume_nothing_damaged_in(const struct vv_listing *l)
{
    size_t damaged = 0;
    for (size_t i = 0; i < l->count; i++)
        damaged += l->entries[i].is_damaged;
    return damaged;
}

/* Damaged checkpoints, in the directory or at a level, are not the same as
 * none. With redundancy, a first save that was killed leaves files of an
 * incomplete set, which look like those of a set that is lost. */
static varve_status resume_nothing_check_damaged(
    varve_manager *m, varve_error *error)
{
    const struct vv_listing *l = &m->listing;
    const char *first = varve_manager_skipped(m, 0);
    size_t damaged = resume_nothing_damaged_in(l);
    for (size_t i = 0; i < m->levels.count; i++)
        damaged += resume_nothing_damaged_in(&m->levels.all[i].seen);
    if (damaged == 0 || vv_has_nodes(&m->nodes) || m->options.may_resume_older)
        return VARVE_OK;
    return vv_fail(error, VARVE_CORRUPT,
        "%s: no checkpoint is intact, %zu %s damaged: %s; to start from the "
        "beginning, remove them or set may_resume_older",
        l->directory, damaged, damaged == 1 ? "is" : "are", first ? first : "");
}

varve_status vv_resume_check_nothing(
    varve_manager *m, const varve_error *unseen, varve_error *error)
{
    const struct vv_listing *l = &m->listing;
    if (m->unread_ledger.status)
        return vv_fail(error, VARVE_IO,
            "%s: there is no checkpoint, and the ledger, which may list some, "
            "could not be read: %s",
            l->directory, m->unread_ledger.message);
    if (l->noted && l->count == 0)
        return vv_fail(error, VARVE_IO,
            "%s: %s%s lists %s-%" PRIu64
            "%s, but there is no checkpoint: is its file system mounted? To "
            "start from the beginning, delete the ledger",
            l->directory, l->prefix, VV_LEDGER_ENDING, l->prefix, l->noted,
            VARVE_SUFFIX);
    if (m->options.must_resume || m->options.read_only)
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: there is no intact checkpoint %s-N%s, and %s is set",
            l->directory, l->prefix, VARVE_SUFFIX,
            m->options.must_resume ? "must_resume" : "read_only");
    VV_TRY(resume_nothing_check_damaged(m, error));
    return resume_nothing_check_unseen(m, unseen, error);
}

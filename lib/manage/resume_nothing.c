/* resume_nothing.c - Checks that a run may start from the beginning.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume_nothing.h"

#include <inttypes.h>

#include "failure.h"
#include "manager_lock.h"
#include "try.h"

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

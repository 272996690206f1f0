/* resume_match.c - Compares the resumed checkpoint with the program, on all
 * ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume_match.h"

#include <string.h>

#include <varve/restoration.h>

#include "failure.h"
#include "hand_over.h"
#include "manager_together.h"
#include "questions.h"
#include "restoration.h"
#include "try.h"

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

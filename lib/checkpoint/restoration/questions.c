/* questions.c - Brings a restoration up to date and makes reports from it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "questions.h"

#include "assertion.h"
#include "binding.h"
#include "failure.h"
#include "findings.h"
#include "overlap.h"
#include "try.h"

varve_status vv_prepare_report(struct varve_restoration *r, varve_error *error)
{
    VV_TRY(vv_need_paths(&r->pairing.saved, error));
    if (!vv_sweep(&r->matching))
        return vv_fail_memory(error, "a report");
    if (r->pairing.is_dry) /* changes since then were not observed */
        VV_TRY(vv_scope_begin(&r->pairing.scopes, r->pairing.root, error));
    return vv_scope_complete(
        &r->pairing.scopes, r->pairing.root, &r->pairing.saved, error);
}

static varve_report *questions_make(
    struct varve_restoration *r, unsigned asked, varve_error *error)
{
    if (vv_prepare_report(r, error))
        return NULL;
    return vv_report_make(&r->delivery, asked, error);
}

varve_report *varve_report_new(varve_restoration *r, varve_error *error)
{
    if (!r) {
        vv_fail_none(error, "restoration", "a read");
        return NULL;
    }
    varve_report *report =
        questions_make(r, VV_WITH_MATCHED | VV_ALL_NEAREST, error);
    if (report && !vv_report_write(report)) {
        varve_report_free(report);
        vv_fail_memory(error, "a report");
        return NULL;
    }
    return report;
}

size_t varve_finding_count(varve_restoration *r, varve_finding_kind kind)
{
    if (!r)
        return 0;
    varve_report *report = questions_make(r, 0, NULL);
    size_t count = report ? varve_report_count(report, kind) : SIZE_MAX;
    varve_report_free(report);
    return count;
}

varve_status varve_each_finding(varve_restoration *r, varve_finding_kind kind,
    varve_on_finding *visit, void *user, varve_error *error)
{
    if (!r)
        return vv_fail_none(error, "restoration", "a read");
    varve_error reason = { .status = VARVE_OK };
    bool has_nearest =
        kind != VARVE_FINDING_MATCHED && kind != VARVE_FINDING_DAMAGED;
    unsigned asked = kind == VARVE_FINDING_MATCHED ? VV_WITH_MATCHED : 0;
    varve_report *report =
        questions_make(r, asked | (has_nearest ? VV_ALL_NEAREST : 0), &reason);
    varve_finding finding;
    if (!report && error)
        *error = reason;
    for (size_t i = 0; report && reason.status == VARVE_OK &&
                       varve_report_at(report, kind, i, &finding);
         i++)
        reason.status = visit(user, &finding);
    varve_report_free(report);
    return reason.status;
}

varve_status vv_restoration_require_any(
    struct varve_restoration *r, varve_error *error)
{
    if (r->pairing.is_dry || vv_has_any_match(&r->delivery))
        return VARVE_OK;
    VV_TRY(vv_prepare_report(r, error));
    return vv_assert_any(&r->delivery, error);
}

varve_status vv_restoration_count_unused(
    struct varve_restoration *r, size_t *count, varve_error *error)
{
    VV_TRY(vv_prepare_report(r, error));
    return vv_count_unused(&r->delivery, count, error);
}

varve_status vv_restoration_check_renames(
    const struct varve_restoration *r, varve_error *error)
{
    const struct vv_rename *rename = r->pairing.selection.ambiguous;
    if (!rename)
        return VARVE_OK;
    return vv_fail(error, VARVE_UNMATCHED,
        "%s: the rename of \"%s\" to \"%s\" is ambiguous: the checkpoint has "
        "both paths, so it may have been saved after the rename: remove the "
        "rename if it was, or else apply it once with varve_read",
        r->file.path, rename->program, rename->file);
}

/* Checks for overlaps with memory that was added since the read. */
static varve_status check_memory(
    struct varve_restoration *r, varve_error *error)
{
    return r->pairing.graph && r->pairing.root
               ? vv_overlap_check(r->pairing.root, error)
               : VARVE_OK;
}

varve_status varve_assert_consumed(varve_restoration *r, varve_error *error)
{
    if (!r)
        return vv_fail_none(error, "restoration", "a read");
    VV_TRY(check_memory(r, error));
    VV_TRY(vv_prepare_report(r, error));
    return vv_assert_matched(&r->delivery, true, error);
}

varve_status varve_assert_existing_objects_matched(
    varve_restoration *r, varve_error *error)
{
    if (!r)
        return vv_fail_none(error, "restoration", "a read");
    VV_TRY(check_memory(r, error));
    VV_TRY(vv_prepare_report(r, error));
    return vv_assert_matched(&r->delivery, false, error);
}

varve_status varve_assert_nontrivial_match(
    varve_restoration *r, varve_error *error)
{
    if (!r)
        return vv_fail_none(error, "restoration", "a read");
    VV_TRY(vv_prepare_report(r, error));
    return vv_assert_nontrivial(&r->delivery, error);
}

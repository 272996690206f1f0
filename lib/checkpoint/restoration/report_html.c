/* report_html.c - the page of a restoration: its report, over its file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/page.h>

#include "failure.h"
#include "page_report.h"
#include "questions.h"
#include "reader.h"
#include "report.h"
#include "try.h"

static varve_status write_page(struct varve_restoration *r,
    const varve_report *report, const char *path,
    const varve_page_options *options, varve_error *error)
{
    varve_error reason = { .status = VARVE_OK };
    varve_reader *reader =
        vv_reader_over(&r->pairing.context, &r->file, &reason);
    if (!reader && error)
        *error = reason;
    if (!reader)
        return reason.status;
    varve_status status = vv_page_report(reader, report, path, options, error);
    varve_reader_free(reader);
    return status;
}

varve_status varve_report_html(varve_restoration *r, const char *path,
    const varve_page_options *options, varve_error *error)
{
    if (!r)
        return vv_fail(
            error, VARVE_MISUSE, "expected a restoration, found NULL");
    varve_error reason = { .status = VARVE_OK };
    varve_report *report = NULL;
    if (!vv_prepare_report(r, &reason))
        report = vv_report_make(&r->delivery, VV_WITH_MATCHED, &reason);
    if (!report && error)
        *error = reason;
    if (!report)
        return reason.status;
    varve_status status = write_page(r, report, path, options, error);
    varve_report_free(report);
    return status;
}

/* page_report.h - the report of a restoration, laid over the page of its file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAGE_REPORT_H
#define VV_PAGE_REPORT_H

#include <varve/page.h>

#include "report.h"

/* Writes the page of `reader` with the findings of `report`, which has those
 * that matched too. `options` may be NULL. */
varve_status vv_page_report(varve_reader *reader, const varve_report *report,
    const char *path, const varve_page_options *options, varve_error *error);

#endif

/* findings.h - Returns the findings of a report as data and as text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FINDINGS_H
#define VV_FINDINGS_H

#include "report.h"

/* Returns the findings of one kind that are stored in the report. */
const struct vv_finding *vv_findings(
    const varve_report *report, varve_finding_kind kind, size_t *count);

/* Appends a finding as a line of text, without a newline. */
void vv_add_finding_line(
    struct vv_buffer *text, const struct vv_finding *finding);

/* Return the parts that the reader left out, and append one as a line without a
 * newline. */
const struct vv_report_part *vv_report_parts(
    const varve_report *report, size_t *count);
void vv_add_part_line(
    struct vv_buffer *text, const struct vv_report_part *part);

/* Writes the complete report into its text. Returns false if out of memory. */
bool vv_report_write(varve_report *report);

#endif

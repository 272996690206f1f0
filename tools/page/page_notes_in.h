/* page_notes_in.h - pages with what another program says of a checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_NOTES_IN_H
#define TOOL_PAGE_NOTES_IN_H

#include "page_output.h"

/* page_output with what is in a file of JSON: a report, or notes (schemas
 * varve.report/1 and varve.notes/1 in docs/schemas). Complains where it is
 * neither, or about another checkpoint. */
int page_with_notes(const struct settings *settings, const struct page_to *to,
    const struct target *target, const char *file);

/* The same of the text of a report. */
int page_with_report(const struct settings *settings, const struct page_to *to,
    const struct target *target, const char *report);

#endif

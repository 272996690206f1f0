/* page_notes_in.h - Writes pages with notes of other programs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_NOTES_IN_H
#define TOOL_PAGE_NOTES_IN_H

#include "page_output.h"

/* Like page_output, with notes from a JSON file: a report or notes (schemas
 * varve.report/1 and varve.notes/1 in docs/schemas). Prints an error if it is
 * neither, or about another checkpoint. */
int page_with_notes(const struct settings *settings, const struct page_to *to,
    const struct target *target, const char *file);

/* Like page_with_notes, with the text of a report. */
int page_with_report(const struct settings *settings, const struct page_to *to,
    const struct target *target, const char *report);

#endif

/* notes.h - Parses notes of other programs for a page.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_NOTES_H
#define TOOL_NOTES_H

#include <jansson.h>

#include "noted.h"

enum { WHY_SIZE = 300 };

struct notes {
    json_t *source; /* owns the strings of marks */
    const varve_reader *reader;
    struct noted noted;
    struct page_mark marks[PAGE_MOST_MARKS];
    size_t mark_count;
    char why[WHY_SIZE]; /* error message */
};

/* Fill in the notes from a source that has the schema of
 * docs/schemas/varve.report-1.json or varve.notes-1.json. Return false if it is
 * invalid, or about another file. */
bool notes_of_report(struct notes *notes);
bool notes_of_items(struct notes *notes);

/* Parses type and shape; sets dtype to 0 if they are missing (NULL). Returns
 * false if they are invalid. */
bool notes_type(varve_tensor *type, const char *dtype, const json_t *shape);

/* Sets the error message and returns false. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
bool notes_fail(struct notes *notes, const char *format, ...);

#endif

/* notes.h - what is read of other programs to be laid over a page.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_NOTES_H
#define TOOL_NOTES_H

#include <jansson.h>

#include "noted.h"

enum { WHY_SIZE = 300 };

struct notes {
    json_t *source; /* has the strings of marks */
    const varve_reader *reader;
    struct noted noted;
    struct page_mark marks[PAGE_MOST_MARKS];
    size_t mark_count;
    char why[WHY_SIZE]; /* what is wrong with it */
};

/* Fills in what docs/schemas/varve.report-1.json and varve.notes-1.json
 * describe, of a source of that schema. False: it is not so, or is about
 * another file. */
bool notes_of_report(struct notes *notes);
bool notes_of_items(struct notes *notes);

/* Type and shape; dtype 0 where they are left out (NULL), false where they are
 * none. */
bool notes_type(varve_tensor *type, const char *dtype, const json_t *shape);

/* Says what is wrong: false. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
bool notes_fail(struct notes *notes, const char *format, ...);

#endif

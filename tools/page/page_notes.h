/* page_notes.h - Prints the notes of a page as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_NOTES_H
#define TOOL_PAGE_NOTES_H

#include "page.h"

/* Prints members of an object, without a comma after the last: the marks, the
 * notes of all nodes, and the rows. */
void page_print_notes(
    FILE *to, const varve_reader *reader, const struct page_overlay *overlay);

#endif

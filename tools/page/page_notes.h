/* page_notes.h - what a command says of nodes, and of what the file does not
 * have, as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_NOTES_H
#define TOOL_PAGE_NOTES_H

#include "page.h"

/* The members of an object, without a comma behind the last: the marks, the
 * notes of all nodes, the rows. */
void page_print_notes(
    FILE *to, const varve_reader *reader, const struct page_overlay *overlay);

#endif

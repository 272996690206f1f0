/* noted.h - what is to be said of nodes, and of what the file does not have,
 * gathered until the page is printed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_NOTED_H
#define TOOL_NOTED_H

#include "page.h"

struct noted {
    struct page_note *of_node;
    size_t node_count;
    struct page_row *rows;
    size_t row_count;
    size_t row_room;
};

void noted_begin(struct noted *noted, const varve_reader *reader);
void noted_clear(struct noted *noted);

/* Whether anything is said of a node. */
bool noted_has(const struct noted *noted, size_t node);

/* Says it; what `note` points to is copied. */
void noted_node(struct noted *noted, size_t node, const struct page_note *note);

/* The same of what is no node of the file. */
void noted_row(struct noted *noted, const struct page_row *row);

/* All of it, with these marks, as long as it is there. */
struct page_overlay noted_overlay(
    struct noted *noted, const struct page_mark *marks, size_t mark_count);

#endif

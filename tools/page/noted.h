/* noted.h - Collects notes about nodes, and rows for objects that the file does
 * not have, until the page is printed.
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

/* Returns true if a node has a note. */
bool noted_has(const struct noted *noted, size_t node);

/* Sets the note of a node; copies everything `note` points to. */
void noted_node(struct noted *noted, size_t node, const struct page_note *note);

/* Adds a row for an object that is not a node of the file. */
void noted_row(struct noted *noted, const struct page_row *row);

/* Returns an overlay with all notes and these marks. It is valid as long as
 * `noted`. */
struct page_overlay noted_overlay(
    struct noted *noted, const struct page_mark *marks, size_t mark_count);

#endif

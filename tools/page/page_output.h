/* page_output.h - Writes a checkpoint as a page for a browser.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_OUTPUT_H
#define TOOL_PAGE_OUTPUT_H

#include "outline.h"
#include "page.h"
#include "settings.h"
#include "target.h"

/* The destination of a page. */
struct page_to {
    const char *path;  /* NULL: standard output */
    const char *title; /* NULL: the name of the file */
};

/* Returns true if a view shows everything. */
bool page_takes(const struct view *view);

/* Writes the page. `overlay` contains notes about nodes (statistics, a dry run,
 * a comparison), or is NULL. */
int page_output(const struct settings *settings, const struct page_to *to,
    const struct target *target, const struct page_overlay *overlay);

#endif

/* page_output.h - a checkpoint as a page for a browser, with what a command
 * lays over it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_OUTPUT_H
#define TOOL_PAGE_OUTPUT_H

#include "outline.h"
#include "page.h"
#include "settings.h"
#include "target.h"

/* Where a page goes. */
struct page_to {
    const char *path;  /* NULL: standard output */
    const char *title; /* NULL: the name of the file */
};

/* Whether a view leaves nothing out. */
bool page_takes(const struct view *view);

/* Writes the page. `overlay` is what is to be said of
 * the nodes besides (statistics, a plan, a difference); NULL: nothing. */
int page_output(const struct settings *settings, const struct page_to *to,
    const struct target *target, const struct page_overlay *overlay);

#endif

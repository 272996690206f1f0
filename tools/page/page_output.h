/* page_output.h - a checkpoint as a page for a browser, with what a command
 * lays over it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_OUTPUT_H
#define TOOL_PAGE_OUTPUT_H

#include "page.h"
#include "settings.h"
#include "target.h"

/* Whether none of the options is there that leave something out. */
bool page_takes(const struct settings *settings);

/* Writes the page where the settings say. `overlay` is what is to be said of
 * the nodes besides (statistics, a plan, a difference); NULL: nothing. */
int page_output(const struct settings *settings, const struct target *target,
    const struct page_overlay *overlay);

#endif

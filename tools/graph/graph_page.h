/* graph_page.h - the graph as a page for a browser, made by the library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_GRAPH_PAGE_H
#define TOOL_GRAPH_PAGE_H

#include <varve/page.h>

#include "settings.h"
#include "target.h"

/* Whether none of the options is there that leave something out. */
bool page_takes(const struct settings *settings);

/* Writes the page where the settings say. `overlay` is what is to be said of
 * the nodes besides (statistics, a plan, a difference): marks, notes and rows
 * as varve/page.h has them; NULL: nothing. */
int graph_page(const struct settings *settings, const struct target *target,
    const varve_page_options *overlay);

#endif

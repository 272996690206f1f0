/* diff_page.h - Adds the findings of a comparison to the page of B.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DIFF_PAGE_H
#define TOOL_DIFF_PAGE_H

#include "answer.h"

struct diff_page;

/* Returns NULL without --page. The functions below accept NULL. */
struct diff_page *diff_page_begin(
    const struct diff_options *options, const struct side *b);

/* Adds the first finding of a node to it; nodes that B does not have get a row.
 * `path` is relative to the root of the comparison. */
void diff_page_add(
    struct diff_page *page, const struct finding_row *row, const char *path);

/* Writes the page unless `outcome` is that of a failure, and frees it. Returns
 * `outcome` or the failure of this call. */
int diff_page_end(struct diff_page *page, int outcome);

#endif

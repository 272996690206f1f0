/* diff_page.h - the findings of a comparison, laid over the page of B.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_DIFF_PAGE_H
#define TOOL_DIFF_PAGE_H

#include "answer.h"

struct diff_page;

/* NULL where --page is not asked for. Takes NULL below. */
struct diff_page *diff_page_begin(
    const struct diff_options *options, const struct side *b);

/* The first finding of a node is on it; what B has not gets a row. `path` is
 * below the root of the comparison. */
void diff_page_add(
    struct diff_page *page, const struct finding_row *row, const char *path);

/* Writes it, unless `outcome` is that of a failure; frees it. Returns `outcome`
 * or what failed now. */
int diff_page_end(struct diff_page *page, int outcome);

#endif

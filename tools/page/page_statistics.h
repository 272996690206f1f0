/* page_statistics.h - statistics and histograms of all values, laid over a
 * page.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_STATISTICS_H
#define TOOL_PAGE_STATISTICS_H

#include "page_output.h"

/* page_output with the statistics of each value, which is read and verified for
 * that; marks say which are damaged, and which have NaN or infinities.
 * OUTCOME_NO where one is damaged. */
int page_with_statistics(const struct settings *settings,
    const struct page_to *to, const struct target *target);

#endif

/* page_statistics.h - Adds statistics and histograms of all values to a page.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_STATISTICS_H
#define TOOL_PAGE_STATISTICS_H

#include "page_output.h"

/* Like page_output, with the statistics of each value, which is read and
 * verified. Marks show damaged values and those with NaN or infinities. Returns
 * OUTCOME_NO if a value is damaged. */
int page_with_statistics(const struct settings *settings,
    const struct page_to *to, const struct target *target);

#endif

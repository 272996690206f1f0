/* keep.h - The retention options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_KEEP_H
#define TOOL_KEEP_H

#include <varve/manager.h>

struct keep {
    uint64_t last;
    uint64_t best;
    uint64_t every_steps;
    uint64_t every_seconds;
    uint64_t bytes;
    const char *metric;
    bool greatest;
};

/* Returns options for a manager. With `retention_from_ledger`, values that are
 * not given are taken from its ledger. */
varve_manager_options keep_options(
    const struct keep *keep, bool retention_from_ledger);

/* Returns true if any of these options is given. */
bool keep_is_given(const struct keep *keep);

#endif

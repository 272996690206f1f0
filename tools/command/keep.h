/* keep.h - what the options say is kept.
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

/* For a manager; what they leave open is as its ledger has it where
 * `retention_from_ledger`.
 */
varve_manager_options keep_options(
    const struct keep *keep, bool retention_from_ledger);

/* Whether they say anything of what is kept. */
bool keep_is_given(const struct keep *keep);

#endif

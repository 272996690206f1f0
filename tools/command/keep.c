/* keep.c - Converts retention options to those of a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "keep.h"

varve_manager_options keep_options(
    const struct keep *keep, bool retention_from_ledger)
{
    return (
        varve_manager_options){ .retention_from_ledger = retention_from_ledger,
        .keep_last = (size_t)keep->last,
        .keep_best = (size_t)keep->best,
        .best_is_larger = keep->greatest,
        .metric = keep->metric,
        .keep_every_steps = keep->every_steps,
        .keep_every_seconds = keep->every_seconds,
        .keep_bytes = keep->bytes };
}

bool keep_is_given(const struct keep *keep)
{
    return keep->last || keep->best || keep->every_steps ||
           keep->every_seconds || keep->bytes;
}

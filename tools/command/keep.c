/* keep.c - options as a policy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "keep.h"

varve_manager_options keep_options(
    const struct settings *settings, bool as_noted)
{
    return (varve_manager_options){ .as_noted = as_noted,
        .keep_last = (size_t)settings->keep_last,
        .keep_best = (size_t)settings->keep_best,
        .best_is_larger = settings->greatest,
        .metric = settings->metric,
        .keep_every_steps = settings->keep_every_steps,
        .keep_every_seconds = settings->keep_every_seconds,
        .keep_bytes = settings->keep_bytes };
}

bool keep_is_given(const struct settings *settings)
{
    return settings->keep_last || settings->keep_best ||
           settings->keep_every_steps || settings->keep_every_seconds ||
           settings->keep_bytes;
}

/* retry.h - Decides which failed calls are repeated.
 *
 * Only for idempotent calls: opening, creating, reading, writing, making a
 * directory. Never for sync, close or rename.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RETRY_H
#define VV_RETRY_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* Limit of consecutive retries: a burst of signals passes, and a broken system
 * does not cause an endless loop. */
enum { VV_MOST_TRIES = 10000 };

/* Returns true if a call with this `result` was interrupted or must be
 * repeated. Counts such results in *tries, which starts at 0. */
static inline bool vv_try_again(int64_t result, unsigned *tries)
{
    if (result != -EINTR && result != -EAGAIN)
        return false;
    return ++*tries < VV_MOST_TRIES;
}

#endif

/* retry.h - which failed calls are worth another try.
 *
 * Only for calls that may be made twice: opening, creating, reading, writing,
 * making a directory. Never for sync, close or rename.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RETRY_H
#define VV_RETRY_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* So often in a row; a storm of signals passes, a broken system ends. */
enum { VV_MOST_TRIES = 10000 };

/* Whether a call that gave `result` was only interrupted or told to come back;
 * counts such answers in *tries, which begins at 0. */
static inline bool vv_try_again(int64_t result, unsigned *tries)
{
    if (result != -EINTR && result != -EAGAIN)
        return false;
    return ++*tries < VV_MOST_TRIES;
}

#endif

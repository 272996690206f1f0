/* remote_pool.h - A pool of libcurl handles with their connections, and the
 * lock of the module.
 *
 * A forked child starts with an empty pool, because its parent continues to use
 * the existing connections.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_POOL_H
#define VV_REMOTE_POOL_H

#include <curl/curl.h>

/* Initializes the pool; call it before all other functions, on one thread at a
 * time. Returns NULL, or the reason of a failure. */
const char *vv_remote_pool_start(void);

/* Returns a handle with default settings; NULL if there is no memory. */
CURL *vv_remote_pool_take(void);
void vv_remote_pool_give(CURL *handle);

/* Returns the number of forks that led to this process. Threads that were
 * started at another count do not exist in it. */
unsigned vv_remote_forks(void);

/* The lock of the module. Hold it only for short work in memory; fork waits for
 * it. */
void vv_remote_lock(void);
void vv_remote_unlock(void);

#endif

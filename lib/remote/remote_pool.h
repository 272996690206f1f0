/* remote_pool.h - handles of libcurl, each with its connections, for whoever
 * asks next; and the one lock of the module.
 *
 * A process that was forked begins anew: its parent goes on with the
 * connections that were there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_POOL_H
#define VV_REMOTE_POOL_H

#include <curl/curl.h>

/* Once before all else, by one thread at a time. NULL, or why it cannot be. */
const char *vv_remote_pool_start(void);

/* One without settings; NULL without memory. */
CURL *vv_remote_pool_take(void);
void vv_remote_pool_give(CURL *handle);

/* How many forks led to this process. Threads that were started at another
 * count are not in it. */
unsigned vv_remote_forks(void);

/* For short work in memory; forking waits for it. */
void vv_remote_lock(void);
void vv_remote_unlock(void);

#endif

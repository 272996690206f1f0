/* remote_pool.c - Manages a stack of idle handles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { MOST_IDLE = 32 };

/* The lock of the module. Guards `idle` and `idle_count`, and variables of
 * other files, whose comments refer to it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static CURL *idle[MOST_IDLE];
/* Used in a forked child; they are not closed, because that would shut down the
 * parent's connections */
static CURL *of_parent[MOST_IDLE];
static unsigned idle_count;
static bool is_started;
static atomic_uint forks;

void vv_remote_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void vv_remote_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

static void remote_pool_begin_anew(void)
{
    for (unsigned i = 0; i < idle_count; i++)
        of_parent[i] = idle[i];
    idle_count = 0;
    atomic_fetch_add(&forks, 1);
    pthread_mutex_unlock(&mutex);
}

unsigned vv_remote_forks(void)
{
    return atomic_load(&forks);
}

const char *vv_remote_pool_start(void)
{
    if (is_started)
        return NULL;
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code)
        return curl_easy_strerror(code);
    if (pthread_atfork(
            vv_remote_lock, vv_remote_unlock, remote_pool_begin_anew))
        return "no memory";
    is_started = true;
    return NULL;
}

CURL *vv_remote_pool_take(void)
{
    CURL *handle = NULL;
    vv_remote_lock();
    if (idle_count)
        handle = idle[--idle_count];
    vv_remote_unlock();
    if (handle)
        curl_easy_reset(handle);
    return handle ? handle : curl_easy_init();
}

void vv_remote_pool_give(CURL *handle)
{
    vv_remote_lock();
    if (idle_count < MOST_IDLE) {
        idle[idle_count++] = handle;
        handle = NULL;
    }
    vv_remote_unlock();
    if (handle)
        curl_easy_cleanup(handle);
}

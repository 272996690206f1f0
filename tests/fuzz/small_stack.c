/* small_stack.c - Runs every input on one thread whose stack is too small for
 * deep recursion.
 *
 * The stack has 96 KiB, or 256 KiB with AddressSanitizer, which makes frames
 * several times larger. It ends at a guard page.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <pthread.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_LARGE_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_LARGE_FRAMES 1
#endif
#endif
#ifndef HAS_LARGE_FRAMES
#define HAS_LARGE_FRAMES 0
#endif

enum { STACK_SIZE = (HAS_LARGE_FRAMES ? 256 : 96) * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_there;
static fuzz_target *task; /* NULL: nothing to do */
static const uint8_t *task_bytes;
static size_t task_size;

static void *serve(void *nothing)
{
    (void)nothing;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!task)
            pthread_cond_wait(&changed, &lock);
        task(task_bytes, task_size);
        task = NULL;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

static void start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    int result = pthread_attr_setstacksize(&attributes, STACK_SIZE);
    if (result == 0)
        result = pthread_create(&thread, &attributes, serve, NULL);
    FUZZ_CHECK(result == 0, "a thread with a small stack: %d", result);
    pthread_attr_destroy(&attributes);
    pthread_detach(thread);
}

void fuzz_run(fuzz_target *target, const uint8_t *bytes, size_t size)
{
    if (!is_there)
        start();
    is_there = true;
    pthread_mutex_lock(&lock);
    task = target;
    task_bytes = bytes;
    task_size = size;
    pthread_cond_broadcast(&changed);
    while (task)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

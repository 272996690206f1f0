/* main.c - Runs the visits in a process with an unusual setup.
 *
 *     guest HABIT [DIRECTORY]
 *
 * Exits with 77 and a message if this machine does not support the setup.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "guest/guest.h"
#include "guest/place.h"
#include "support/registers.h"

enum {
    SKIPPED = 77,
    TINY = 1000,
    FEW = 20000,   /* elements: values of at most one chunk */
    MANY = 600000, /* enough for several threads */
    SMALL_STACK = 65536,
    FEW_FILES = 10,
    LITTLE_MEMORY = 60 << 20,
    SMALL_FILE = 100000 /* bytes */
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

static struct guest guest = { .count = FEW, .visit = "none" };

static int skip(const char *reason)
{
    printf("guest: skipped: %s\n", reason);
    return SKIPPED;
}

static int finish(void)
{
    unsigned bad = guest_bad_callbacks();
    printf("guest: %u calls checked, %u callbacks, %u failures%s\n",
        guest.is_blind ? 0 : guest.calls, guest_callbacks(),
        guest.failures + bad,
        registers_can_be_seen()
            ? ""
            : "; this processor does not report if registers are in use");
    return guest.failures + bad > 0;
}

static int run(unsigned times)
{
    guest_run(&guest, times);
    return finish();
}

/* --- Habits --------------------------------------------------------------- */

static int plain(void)
{
    guest.count = MANY;
    guest.keeps_memory = IS_SANITIZED; /* to detect use after free */
    return run(3);
}

/* Checks only results, for systems and tools that report little. */
static int blind(void)
{
    guest.is_blind = true;
    return run(1);
}

static int tiny(void)
{
    guest.count = TINY;
    return blind();
}

/* Runs with a preloaded allocator, which keeps freed memory. */
static int preloaded(void)
{
    guest.keeps_memory = true;
    guest.count = MANY;
    return run(1);
}

static void *run_small(void *user)
{
    (void)user;
    guest_run(&guest, 1);
    return NULL;
}

static int small_stack(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (IS_SANITIZED)
        return skip("sanitizers take more stack");
    guest.count = MANY;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, SMALL_STACK) ||
        pthread_create(&thread, &attributes, run_small, NULL))
        return skip("a thread with a stack of 64 KiB cannot be created");
    pthread_attr_destroy(&attributes);
    pthread_join(thread, NULL);
    return finish();
}

static int denormals_are_zero(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    unsigned modes;
    __asm__ volatile("stmxcsr %0" : "=m"(modes));
    modes |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(modes));
    guest.count = MANY;
    return run(1);
#else
    return skip("flushing denormals to zero is tested on x86-64 only");
#endif
}

static int rounding_up(void)
{
    if (fesetround(FE_UPWARD))
        return skip("this machine supports only rounding to nearest");
    guest.count = MANY;
    return run(1);
}

static int limit(int resource, rlim_t most)
{
    struct rlimit limits;
    if (getrlimit((__rlimit_resource_t)resource, &limits))
        return skip("this system has no such limit");
    limits.rlim_cur = most;
    if (setrlimit((__rlimit_resource_t)resource, &limits))
        return skip("the limit cannot be set");
    return run(1);
}

static int few_files(void)
{
    guest.lacks_files = true;
    int status = limit(RLIMIT_NOFILE, FEW_FILES);
    printf("guest: %u calls failed with too many open files\n", guest.refused);
    return status;
}

static int little_memory(void)
{
    if (IS_SANITIZED)
        return skip("sanitizers take more address space");
    return limit(RLIMIT_AS, LITTLE_MEMORY);
}

static int small_files(void)
{
    guest.count = MANY;
    signal(SIGXFSZ, SIG_DFL);
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){ SMALL_FILE, SMALL_FILE }))
        return skip("the limit cannot be set");
    guest_visit(&guest, "too_large", visit_too_large);
    return finish();
}

/* Runs in a locale from the environment, which hosts.py creates. */
static int comma(void)
{
    if (!setlocale(LC_ALL, "") || *localeconv()->decimal_point != ',')
        return skip("there is no locale with a decimal comma");
    guest_visit(&guest, "texts", visit_texts);
    return run(1);
}

static int forking(void)
{
    if (IS_SANITIZED)
        return skip("sanitizers check each child for leaks, and wait for "
                    "threads that do not exist");
    unsigned forks = guest_run_forked(&guest);
    printf("guest: forked before %u calls\n", forks);
    return finish();
}

static const struct habit {
    const char *name;
    int (*run)(void);
} habits[] = { { "plain", plain }, { "blind", blind }, { "tiny", tiny },
    { "preloaded", preloaded }, { "small-stack", small_stack },
    { "denormals-are-zero", denormals_are_zero },
    { "rounding-up", rounding_up }, { "few-files", few_files },
    { "little-memory", little_memory }, { "small-files", small_files },
    { "comma", comma }, { "forking", forking } };

int main(int count, char **arguments)
{
    char place[PLACE_SIZE];
    const char *base = count > 2 ? arguments[2] : NULL;
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (count < 2 || strcmp(arguments[1], habits[i].name) != 0)
            continue;
        if (!place_enter(base, place)) {
            perror(place);
            return 1;
        }
        guest.place = place;
        int status = habits[i].run();
        if (!place_leave(NULL, place))
            perror(place);
        return status;
    }
    fputs("usage: guest HABIT [DIRECTORY]\n", stderr);
    return 2;
}

/* look.c - Captures the state of the process that a library must not change.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "guest/look.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/registers.h"

enum { FILES = 64 }; /* files checked individually */

extern char **environ;

static const char *const names[] = { "the mask of signals", "a handler",
    "the umask", "the working directory", "the locale", "the environment" };

static uint64_t sum(uint64_t so_far, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        so_far = (so_far ^ at[i]) * UINT64_C(0x100000001b3);
    return so_far;
}

static uint64_t sum_text(uint64_t so_far, const char *text)
{
    return text ? sum(so_far, text, strlen(text) + 1) : so_far;
}

static uint64_t sum_mask(void)
{
    sigset_t set;
    uint64_t mask = 0;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    for (int i = 1; i < LOOK_SIGNALS; i++)
        mask |= (uint64_t)(sigismember(&set, i) == 1) << (i - 1);
    return mask;
}

static uint64_t sum_handlers(void)
{
    uint64_t so_far = 0;
    for (int i = 1; i < LOOK_SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(i, NULL, &action))
            continue;
        so_far = sum(so_far, &action.sa_flags, sizeof action.sa_flags);
        so_far = sum(so_far, &action.sa_handler, sizeof action.sa_handler);
    }
    return so_far;
}

static uint64_t sum_umask(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return mask;
}

static uint64_t sum_directory(void)
{
    char path[PATH_MAX];
    return sum_text(0, getcwd(path, sizeof path));
}

static uint64_t sum_environment(void)
{
    uint64_t so_far = 0;
    for (char **at = environ; at && *at; at++)
        so_far = sum_text(so_far, *at);
    return so_far;
}

/* Returns the number of entries of a directory, including ".", ".." and the one
 * opened here. */
static int count_in(const char *path)
{
    int count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static int count_passed_on(void)
{
    int count = 0;
    for (int file = 3; file < FILES; file++) {
        int flags = fcntl(file, F_GETFD);
        count += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    return count;
}

static void look_at_modes(struct look *look)
{
    look->rounding = fegetround();
#if defined(__x86_64__) && defined(__GNUC__)
    __asm__ volatile("stmxcsr %0" : "=m"(look->modes));
    __asm__ volatile("fnstcw %0" : "=m"(look->x87));
    look->modes &= ~0x3fu; /* clear the exception flags, keep the masks */
#endif
}

void look_at(struct look *look)
{
    bool is_in_use = registers_in_use();
    int error = errno;
    memset(look, 0, sizeof *look);
    look->is_in_use = is_in_use;
    look_at_modes(look);
    look->passed_on = count_passed_on();
    look->threads = count_in("/proc/self/task");
    look->files = count_in("/proc/self/fd");
    look->parts[0] = sum_mask();
    look->parts[1] = sum_handlers();
    look->parts[2] = sum_umask();
    look->parts[3] = sum_directory();
    look->parts[4] = sum_text(0, setlocale(LC_ALL, NULL));
    look->parts[5] = sum_environment();
    errno = error;
}

void look_differs(
    const struct look *before, const struct look *after, char text[LOOK_TEXT])
{
    text[0] = '\0';
    if (after->is_in_use)
        snprintf(text, LOOK_TEXT, "vector registers are in use");
    else if (before->modes != after->modes || before->x87 != after->x87 ||
             before->rounding != after->rounding)
        snprintf(text, LOOK_TEXT, "modes of arithmetic %x, before %x",
            after->modes, before->modes);
    else if (before->threads != after->threads)
        snprintf(text, LOOK_TEXT, "%d threads more",
            after->threads - before->threads);
    else if (before->files != after->files)
        snprintf(text, LOOK_TEXT, "%d additional open files",
            after->files - before->files);
    else if (before->passed_on != after->passed_on)
        snprintf(text, LOOK_TEXT, "an open file is inherited");
    for (size_t i = 0; i < sizeof names / sizeof *names && !text[0]; i++) {
        if (before->parts[i] != after->parts[i])
            snprintf(text, LOOK_TEXT, "%s has changed", names[i]);
    }
}

long look_resident(void)
{
    long pages = -1, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return -1;
    if (fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = -1;
    fclose(file);
    return pages < 0 ? -1 : pages * (sysconf(_SC_PAGESIZE) / 1024);
}

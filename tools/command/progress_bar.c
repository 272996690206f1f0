/* progress_bar.c - Draws a progress bar on one line of the terminal.
 *
 * SPDX-License-Identifier: MIT
 */
#include "progress_bar.h"

#include <stdio.h>
#include <unistd.h>

#include "units.h"

enum { WIDTH = 28 };

void progress_bar_begin(
    struct progress_bar *bar, const struct settings *settings)
{
    *bar = (struct progress_bar){ .settings = settings,
        .style = style_for(settings, stderr) };
    bar->enabled = settings->progress == WHEN_ALWAYS ||
                   (settings->progress != WHEN_NEVER && !settings->quiet &&
                       !settings->json && isatty(STDERR_FILENO));
    clock_gettime(CLOCK_MONOTONIC, &bar->begun);
    if (settings->progress != WHEN_ALWAYS)
        bar->last = bar->begun;
}

static double seconds(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) +
           (double)(to->tv_nsec - from->tv_nsec) / 1e9;
}

static void draw(
    struct progress_bar *bar, uint64_t done, uint64_t total, double elapsed)
{
    char of[UNITS_TEXT_SIZE];
    char speed[UNITS_TEXT_SIZE];
    double part = total ? (double)done / (double)total : 1;
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    int left = rate > 0 ? (int)((double)(total - done) / rate + 0.5) : 0;
    fputs("\r[", stderr);
    for (int i = 0; i < WIDTH; i++) {
        bool full = i < (int)(part * WIDTH);
        fputs(bar->style.utf8 ? full ? "█" : "░" : full ? "#" : ".", stderr);
    }
    fprintf(stderr, "] %3.0f%%  of %s  %s/s  ETA %d:%02d ", 100 * part,
        size_text(bar->settings->units, total, of),
        size_text(bar->settings->units, (uint64_t)rate, speed), left / 60,
        left % 60);
    bar->drawn = true;
}

int progress_bar_update(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    struct progress_bar *bar = user;
    struct timespec now;
    (void)what;
    if (!bar->enabled)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds(&bar->last, &now) < 0.1 && done < total)
        return 0;
    bar->last = now;
    draw(bar, done, total, seconds(&bar->begun, &now));
    return 0;
}

void progress_bar_clear(struct progress_bar *bar)
{
    if (bar->drawn)
        fprintf(stderr, "\r%*s\r", WIDTH + 50, "");
    bar->drawn = false;
}

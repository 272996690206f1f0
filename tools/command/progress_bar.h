/* progress_bar.h - Shows the progress of long operations on standard error.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PROGRESS_BAR_H
#define TOOL_PROGRESS_BAR_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "style.h"

struct progress_bar {
    const struct settings *settings;
    struct style style;
    bool enabled;
    bool drawn;
    struct timespec begun;
    struct timespec last;
};

/* Enabled on a terminal, or according to --progress. */
void progress_bar_begin(
    struct progress_bar *bar, const struct settings *settings);

/* A varve_progress; `user` is the bar. Draws at most ten times a second and,
 * unless --progress=always, only after a short delay. */
int progress_bar_update(
    void *user, uint64_t done, uint64_t total, const char *what);

/* Erases the bar, so that lines can be printed. */
void progress_bar_clear(struct progress_bar *bar);

#endif

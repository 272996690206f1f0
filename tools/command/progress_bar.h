/* progress_bar.h - how far long work is, on standard error.
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

/* Enabled on a terminal, or as --progress says. */
void progress_bar_begin(
    struct progress_bar *bar, const struct settings *settings);

/* A varve_progress; `user` is the bar. Draws at most ten times a second, and
 * unless it is to be shown always, not before a moment has passed. */
int progress_bar_update(
    void *user, uint64_t done, uint64_t total, const char *what);

/* Takes the bar off the terminal, so that lines can be printed. */
void progress_bar_clear(struct progress_bar *bar);

#endif

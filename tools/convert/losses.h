/* losses.h - what could not be carried over, kept until the end and told by
 * kind.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LOSSES_H
#define TOOL_LOSSES_H

#include <stdbool.h>
#include <stddef.h>

struct loss {
    char *path;
    size_t kind; /* which of the texts */
};

struct losses {
    struct loss *items; /* in the order in which they came */
    size_t count, capacity;
    char **kinds; /* texts */
    size_t kind_count, kind_capacity;
};

/* A varve_loss; `user` is the losses. */
void losses_add(void *user, const char *path, const char *what);

/* A line for each kind: how many, what, and the first few paths or all. */
void losses_print(const struct losses *losses, bool all);

/* {"path":...,"what":...} for each. */
void losses_print_json(const struct losses *losses);

void losses_clear(struct losses *losses);

#endif

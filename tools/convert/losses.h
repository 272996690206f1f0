/* losses.h - Collects what a conversion could not preserve, and prints it by
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
    size_t kind; /* index in `kinds` */
};

struct losses {
    struct loss *items; /* in the order in which they were added */
    size_t count, capacity;
    char **kinds; /* texts */
    size_t kind_count, kind_capacity;
};

/* A varve_loss; `user` is the losses. */
void losses_add(void *user, const char *path, const char *what);

/* Prints a line for each kind: the number, a description, and the first few
 * paths or all. */
void losses_print(const struct losses *losses, bool all);

/* Prints {"path":...,"what":...} for each. */
void losses_print_json(const struct losses *losses);

void losses_clear(struct losses *losses);

#endif

/* lost.h - values that could not be had of a damaged file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LOST_H
#define TOOL_LOST_H

#include <stddef.h>

#include <varve/reader.h>

#include "settings.h"

struct lost_value {
    char *path;
    char *what; /* where it is damaged */
};

struct lost {
    struct lost_value *items;
    size_t count, capacity;
};

/* A varve_loss; `user` is a struct lost. */
void lost_add(void *user, const char *path, const char *what);

/* A line for what is damaged but the values, if anything is. */
void lost_print_damage(const char *damage);

/* A line for each: path, bytes of the value, where it is damaged. */
void lost_print(const struct lost *lost, const struct settings *settings,
    const varve_reader *source);

/* {"path":...,"size":...,"what":...} for each. */
void lost_print_json(const struct lost *lost, const varve_reader *source);

void lost_clear(struct lost *lost);

#endif

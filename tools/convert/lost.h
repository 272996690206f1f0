/* lost.h - Lists values that could not be read from a damaged file.
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
    char *what; /* location of the damage */
};

struct lost {
    struct lost_value *items;
    size_t count, capacity;
};

/* A varve_loss; `user` is a struct lost. */
void lost_add(void *user, const char *path, const char *what);

/* Prints a line about damage outside values, if there is any. */
void lost_print_damage(const char *damage);

/* Prints a line for each: path, size of the value, and location of the
 * damage. */
void lost_print(const struct lost *lost, const struct settings *settings,
    const varve_reader *source);

/* Prints {"path":...,"size":...,"what":...} for each. */
void lost_print_json(const struct lost *lost, const varve_reader *source);

void lost_clear(struct lost *lost);

#endif

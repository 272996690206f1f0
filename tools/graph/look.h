/* look.h - The appearance of nodes in pictures: colors by role, and texts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LOOK_H
#define TOOL_LOOK_H

#include <varve/tensor.h>

#include "outline.h"
#include "settings.h"

enum {
    LOOK_OBJECT, /* also lists and dicts, which have different notes */
    LOOK_VARIABLE,
    LOOK_OPTIMIZER, /* an owner of slots */
    LOOK_SLOT,
    LOOK_STATE,
    LOOK_COUNT
};

enum { LOOK_TEXT_SIZE = VARVE_TENSOR_TEXT_SIZE + 64 };

struct look {
    const char *name;
    const char *fill;
    const char *line;
    const char *deep;      /* for thin marks on the fill color */
    const char *dark_fill; /* for a dark background */
    const char *dark_line;
};

extern const struct look looks[LOOK_COUNT];

/* Returns the look of a node. */
unsigned look_of(const struct outline *outline, uint32_t node);

/* Returns the name of a node for a picture, allocated: the name of its edge;
 * for the root its path, "/" if that is empty. */
char *node_name(const struct outline *outline, uint32_t node);

/* Writes for example "float32 [784,256] · 784.0 KiB" or "list of 2 · 795.0
 * KiB"; returns `text`. */
const char *node_note(const struct settings *settings,
    const struct outline *outline, uint32_t node, char text[LOOK_TEXT_SIZE]);

/* look_folds_slots returns true if all slots of an owner are shown as one.
 * look_shows returns true if a node is shown in this mode. */
bool look_folds_slots(const struct outline *outline, uint32_t node);
bool look_shows(const struct outline *outline, uint32_t node);

/* Writes for example "m, v for 4 variables · 1.55 MiB"; returns `text`. */
const char *slots_note(const struct settings *settings,
    const struct outline *outline, uint32_t owner, char text[LOOK_TEXT_SIZE]);

#endif

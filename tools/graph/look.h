/* look.h - how nodes look in pictures: colours by what they are for, and the
 * words on them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LOOK_H
#define TOOL_LOOK_H

#include <varve/tensor.h>

#include "outline.h"
#include "settings.h"

enum {
    LOOK_OBJECT, /* lists and dicts too: their notes say which */
    LOOK_VARIABLE,
    LOOK_OPTIMIZER, /* what owns slots */
    LOOK_SLOT,
    LOOK_STATE,
    LOOK_COUNT
};

enum { LOOK_TEXT_SIZE = VARVE_TENSOR_TEXT_SIZE + 64 };

struct look {
    const char *name;
    const char *fill;
    const char *line;
    const char *deep;      /* for thin marks on the fill */
    const char *dark_fill; /* on a dark ground */
    const char *dark_line;
};

extern const struct look looks[LOOK_COUNT];

/* Which of them a node has. */
unsigned look_of(const struct outline *outline, uint32_t node);

/* The name of a node for a picture, allocated: that of its edge; for the root
 * its path, "/" if that is empty. */
char *node_name(const struct outline *outline, uint32_t node);

/* "float32 [784,256] · 784.0 KiB", "list of 2 · 795.0 KiB"; returns `text`. */
const char *node_note(const struct settings *settings,
    const struct outline *outline, uint32_t node, char text[LOOK_TEXT_SIZE]);

/* Whether all slots that a node owns are shown as one; whether a node is shown
 * where they are. */
bool look_folds_slots(const struct outline *outline, uint32_t node);
bool look_shows(const struct outline *outline, uint32_t node);

/* "m, v for 4 variables · 1.55 MiB"; returns `text`. */
const char *slots_note(const struct settings *settings,
    const struct outline *outline, uint32_t owner, char text[LOOK_TEXT_SIZE]);

#endif

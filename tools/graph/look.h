/* look.h - how nodes look in pictures: colours by kind, and the words on them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LOOK_H
#define TOOL_LOOK_H

#include <varve/tensor.h>

#include "outline.h"
#include "settings.h"

enum {
    LOOK_SLOT = 4,
    LOOK_COUNT = 6,
    LOOK_TEXT_SIZE = VARVE_TENSOR_TEXT_SIZE + 64
};

struct look {
    const char *name;
    const char *fill;
    const char *line;
    const char *deep; /* for thin marks on the fill */
};

/* The looks there are: object, list, dict, variable, slot, state. */
extern const struct look looks[LOOK_COUNT];

/* Which of them a node has. */
unsigned look_of(const struct outline *outline, uint32_t node);

/* The name of a node for a picture, allocated: that of its edge; for the root
 * its path, "/" if that is empty. */
char *node_name(const struct outline *outline, uint32_t node);

/* "float32 [784,256] · 784.0 KiB", "list of 2 · 795.0 KiB"; returns `text`. */
const char *node_note(const struct settings *settings,
    const struct outline *outline, uint32_t node, char text[LOOK_TEXT_SIZE]);

#endif

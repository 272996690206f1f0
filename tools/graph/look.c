/* look.c - how nodes look in pictures.
 *
 * SPDX-License-Identifier: MIT
 */
#include "look.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tensor_text.h"
#include "units.h"

const struct look looks[LOOK_COUNT] = {
    { "object", "#f1f5f9", "#b6c2d1", "#64748b" },
    { "list", "#e0f5ee", "#86cdb4", "#0f766e" },
    { "dict", "#fdf3d7", "#e2c46f", "#a16207" },
    { "variable", "#e0edfd", "#8ab4ea", "#2563eb" },
    { "slot", "#eee6fb", "#b99fe8", "#7c3aed" },
    { "state", "#fde7e0", "#eba48d", "#c2410c" },
};

unsigned look_of(const struct outline *outline, uint32_t node)
{
    if (outline->nodes[node].by_slot)
        return LOOK_SLOT;
    switch (outline_saved(outline, node).kind) {
    case VARVE_LIST: return 1;
    case VARVE_DICT: return 2;
    case VARVE_VARIABLE: return 3;
    case VARVE_STATE: return 5;
    default: return 0;
    }
}

char *node_name(const struct outline *outline, uint32_t node)
{
    struct branch branch = { .name = "" };
    const struct outline_node *place = &outline->nodes[node];
    if (place->parent == OUTLINE_NONE) {
        const char *path = outline_saved(outline, node).path;
        return strdup(*path ? path : "/");
    }
    outline_branch(outline, place->parent, place->branch, &branch);
    return shown_name(branch.name);
}

static int note_kind(const varve_saved_node *node, char text[LOOK_TEXT_SIZE])
{
    char type[VARVE_TENSOR_TEXT_SIZE];
    const char *kind = kind_name(node->kind);
    if (node->kind == VARVE_VARIABLE)
        return snprintf(
            text, LOOK_TEXT_SIZE, "%s", type_text(&node->value, type));
    if (node->kind == VARVE_LIST || node->kind == VARVE_DICT)
        return snprintf(
            text, LOOK_TEXT_SIZE, "%s of %zu", kind, node->edge_count);
    return snprintf(text, LOOK_TEXT_SIZE, "%s", kind);
}

const char *node_note(const struct settings *settings,
    const struct outline *outline, uint32_t node, char text[LOOK_TEXT_SIZE])
{
    char size[UNITS_TEXT_SIZE];
    varve_saved_node saved = outline_saved(outline, node);
    uint64_t bytes = outline->nodes[node].bytes;
    int used = note_kind(&saved, text);
    char *end = text + used;
    size_t room = LOOK_TEXT_SIZE - (size_t)used;
    if (saved.value.dtype && !saved.has_value)
        snprintf(end, room, " · not saved");
    else if (bytes || saved.has_value)
        snprintf(end, room, " · %s", size_text(settings->units, bytes, size));
    return text;
}

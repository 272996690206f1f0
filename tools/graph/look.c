/* look.c - Defines the appearance of nodes in pictures.
 *
 * SPDX-License-Identifier: MIT
 */
#include "look.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "slot_summary.h"
#include "tensor_text.h"
#include "units.h"

/* The first four colors are those of the picture with which TensorFlow
 * introduced such checkpoints: objects grey, variables blue, optimizers red,
 * slots orange. */
const struct look looks[LOOK_COUNT] = {
    { "object", "#f1f5f9", "#a9b6c6", "#475569", "#232c3b", "#64748b" },
    { "variable", "#dfecfe", "#7fadea", "#2563eb", "#172c54", "#4f86d6" },
    { "optimizer", "#fee4e4", "#ee9494", "#dc2626", "#4f1d22", "#d35b5b" },
    { "slot", "#fdebd3", "#eab06a", "#ea580c", "#4a2c12", "#d08a3c" },
    { "state", "#eee7fc", "#b79fe8", "#7c3aed", "#34225a", "#8d6fd1" },
};

unsigned look_of(const struct outline *outline, uint32_t node)
{
    varve_saved_node saved = outline_saved(outline, node);
    if (outline->nodes[node].is_slot)
        return LOOK_SLOT;
    if (saved.slot_count > 0)
        return LOOK_OPTIMIZER;
    if (saved.kind == VARVE_VARIABLE)
        return LOOK_VARIABLE;
    return saved.kind == VARVE_STATE ? LOOK_STATE : LOOK_OBJECT;
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

bool look_folds_slots(const struct outline *outline, uint32_t node)
{
    const char *name;
    uint32_t variable;
    uint32_t slot;
    const struct view *view = outline->view;
    if (view->slots || outline->nodes[node].depth >= view->depth)
        return false;
    for (size_t i = 0; varve_reader_slot_at(
             outline->reader, node, i, &name, &variable, &slot);
         i++) {
        if (outline_has(outline, slot))
            return true;
    }
    return false;
}

bool look_shows(const struct outline *outline, uint32_t node)
{
    return outline_has(outline, node) &&
           (outline->view->slots || !outline->nodes[node].by_slot);
}

const char *slots_note(const struct settings *settings,
    const struct outline *outline, uint32_t owner, char text[LOOK_TEXT_SIZE])
{
    char size[UNITS_TEXT_SIZE];
    char summary[LOOK_TEXT_SIZE - UNITS_TEXT_SIZE - 8];
    uint64_t bytes = slot_summary(outline, owner, summary, sizeof summary);
    snprintf(text, LOOK_TEXT_SIZE, "%s%s%s", summary, bytes ? " · " : "",
        bytes ? size_text(settings->units, bytes, size) : "");
    return text;
}

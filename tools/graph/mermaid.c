/* mermaid.c - the graph as text for Mermaid, which pages in Markdown show.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "look.h"
#include "style.h"

/* The inside of a quoted string: an entity is '#', a number and ';'. What HTML,
 * Markdown and Mermaid could take for theirs is one. */
static void print_label(FILE *to, const char *text)
{
    while (*text) {
        const char *begin = text;
        unsigned long point = text_next(&text);
        if (point_steers(point))
            fputs("#65533;", to);
        else if (point < 0x80 && strchr("\"#&;<>`\\", (int)point))
            fprintf(to, "#%lu;", point);
        else
            fwrite(begin, 1, (size_t)(text - begin), to);
    }
}

static void print_words(
    const char *name, const char *note, unsigned look, FILE *to)
{
    fputs("[\"", to);
    print_label(to, name);
    fputs("<br/>", to);
    print_label(to, note);
    fprintf(to, "\"]:::%s\n", looks[look].name);
}

static bool print_node(const struct settings *settings,
    const struct outline *outline, uint32_t id, FILE *to)
{
    char note[LOOK_TEXT_SIZE];
    char *name = node_name(outline, id);
    if (!name)
        return false;
    fprintf(to, "  n%" PRIu32, id);
    print_words(
        name, node_note(settings, outline, id, note), look_of(outline, id), to);
    free(name);
    if (look_folds_slots(settings, outline, id)) {
        fprintf(to, "  s%" PRIu32, id);
        print_words(
            "slots", slots_note(settings, outline, id, note), LOOK_SLOT, to);
    }
    return true;
}

/* All slots of an owner are one node, with an edge to each variable. */
static void print_folded(
    const struct outline *outline, uint32_t owner, FILE *to)
{
    struct branch branch;
    uint32_t last = OUTLINE_NONE;
    size_t i = outline_saved(outline, owner).edge_count;
    fprintf(to, "  n%" PRIu32 " --> s%" PRIu32 "\n", owner, owner);
    for (; outline_branch(outline, owner, i, &branch); i++) {
        if (branch.variable != last && outline_has(outline, branch.variable))
            fprintf(to, "  s%" PRIu32 " -.-> n%" PRIu32 "\n", owner,
                branch.variable);
        last = branch.variable;
    }
}

static bool print_edge(const struct outline *outline, uint32_t from,
    const struct branch *branch, FILE *to)
{
    fprintf(to, "  n%" PRIu32, from);
    if (branch->is_alias) {
        char *name = shown_name(branch->name);
        if (!name)
            return false;
        fputs(" ==>|\"", to);
        print_label(to, name);
        fputs("\"|", to);
        free(name);
    } else {
        fputs(" -->", to);
    }
    fprintf(to, " n%" PRIu32 "\n", branch->node);
    if (branch->variable != OUTLINE_NONE &&
        outline_has(outline, branch->variable))
        fprintf(to, "  n%" PRIu32 " -.-> n%" PRIu32 "\n", branch->node,
            branch->variable);
    return true;
}

static bool print_edges(const struct settings *settings,
    const struct outline *outline, uint32_t from, FILE *to)
{
    struct branch branch;
    bool folds = look_folds_slots(settings, outline, from);
    if (folds)
        print_folded(outline, from, to);
    for (size_t i = 0; outline_branch(outline, from, i, &branch); i++) {
        if (folds && branch.variable != OUTLINE_NONE)
            break;
        if (!outline_has(outline, branch.node) ||
            !outline_shows(outline, from, &branch))
            continue;
        if (!print_edge(outline, from, &branch, to))
            return false;
    }
    return true;
}

bool graph_mermaid(
    const struct settings *settings, const struct outline *outline, FILE *to)
{
    bool good = true;
    char note[FOLD_NOTE_SIZE];
    fputs("flowchart LR\n", to);
    if (*outline_fold_note(outline, note))
        fprintf(to, "  folded[/\"%s\"/]\n", note);
    for (int i = 0; i < LOOK_COUNT; i++)
        fprintf(to, "  classDef %s fill:%s,stroke:%s,color:#1e293b\n",
            looks[i].name, looks[i].fill, looks[i].line);
    for (size_t i = 0; good && i < outline->reached; i++) {
        if (look_shows(settings, outline, outline->order[i]))
            good = print_node(settings, outline, outline->order[i], to);
    }
    for (size_t i = 0; good && i < outline->reached; i++) {
        if (look_shows(settings, outline, outline->order[i]))
            good = print_edges(settings, outline, outline->order[i], to);
    }
    return good;
}

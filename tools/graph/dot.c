/* dot.c - Prints the graph in the language of Graphviz.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cycles.h"
#include "graph.h"
#include "look.h"
#include "style.h"
#include "text_graph.h"

/* Prints the inside of a quoted string. Graphviz decodes entities, so '&' must
 * be escaped. */
static void print_label(FILE *to, const char *text)
{
    while (*text) {
        const char *begin = text;
        unsigned long point = text_next(&text);
        if (point == '&')
            fputs("&amp;", to);
        else if (point_steers(point))
            fputs("&#65533;", to);
        else if (point == '"' || point == '\\')
            fprintf(to, "\\%c", *begin);
        else
            fwrite(begin, 1, (size_t)(text - begin), to);
    }
}

static void print_words(
    const char *name, const char *note, unsigned look, FILE *to)
{
    fputs(" [label=\"", to);
    print_label(to, name);
    fputs("\\n", to);
    print_label(to, note);
    fprintf(to, "\", fillcolor=\"%s\", color=\"%s\"];\n", looks[look].fill,
        looks[look].line);
}

static void print_folded(uint32_t owner, uint32_t variable, FILE *to)
{
    const char *color = looks[LOOK_SLOT].line;
    if (variable == OUTLINE_NONE)
        fprintf(to,
            "  n%" PRIu32 " -> s%" PRIu32 " [style=dashed, color=\"%s\"];\n",
            owner, owner, color);
    else
        fprintf(to,
            "  s%" PRIu32 " -> n%" PRIu32 " [style=dashed, color=\"%s\", "
            "constraint=false];\n",
            owner, variable, color);
}

/* Prints an edge. Edges of the tree have no label, because their name is that
 * of the child. */
static bool print_edge(
    const struct text_graph *graph, uint32_t from, const struct branch *branch)
{
    const uint32_t *components = graph->components;
    FILE *to = graph->to;
    bool is_slot = branch->variable != OUTLINE_NONE;
    fprintf(to, "  n%" PRIu32 " -> n%" PRIu32, from, branch->node);
    if (branch->is_alias) {
        char *name = shown_name(branch->name);
        if (!name)
            return false;
        fputs(" [label=\"", to);
        print_label(to, name);
        bool is_cycle =
            !is_slot && components[from] == components[branch->node];
        const char *color = is_cycle ? "#be185d" : "#0f766e";
        fprintf(to,
            "\", style=%s, color=\"%s\", fontcolor=\"%s\", constraint=false]",
            is_cycle ? "bold" : "dashed", color, color);
        free(name);
    } else if (is_slot) {
        fprintf(to, " [style=dashed, color=\"%s\"]", looks[LOOK_SLOT].line);
    }
    fputs(";\n", to);
    if (is_slot && outline_has(graph->outline, branch->variable))
        fprintf(to,
            "  n%" PRIu32 " -> n%" PRIu32
            " [style=dashed, color=\"%s\", constraint=false];\n",
            branch->node, branch->variable, looks[LOOK_SLOT].line);
    return true;
}

static const struct text_language dot = { print_words, print_folded,
    print_edge };

bool graph_dot(
    const struct settings *settings, const struct outline *outline, FILE *to)
{
    uint32_t *components = cycles_find(outline);
    if (!components)
        return false;
    fputs("digraph checkpoint {\n"
          "  graph [rankdir=LR, nodesep=0.12, ranksep=0.6];\n"
          "  node [shape=box, style=\"rounded,filled\", "
          "fontname=\"sans-serif\", fontsize=10,\n"
          "    fontcolor=\"#1e293b\", margin=\"0.12,0.05\", height=0.3];\n"
          "  edge [color=\"#94a3b8\", arrowsize=0.6, "
          "fontname=\"sans-serif\", fontsize=9];\n",
        to);
    char note[FOLD_NOTE_SIZE];
    if (*outline_fold_note(outline, note))
        fprintf(to, "  label=\"%s\"; fontname=\"sans-serif\"; fontsize=10;\n",
            note);
    const struct text_graph graph = { settings, outline, &dot, components, to };
    bool good = text_graph_print(&graph);
    fputs("}\n", to);
    free(components);
    return good;
}

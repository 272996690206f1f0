/* mermaid.c - Prints the graph in the language of Mermaid, which Markdown
 * viewers display.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "look.h"
#include "style.h"
#include "text_graph.h"

/* Prints the inside of a quoted string. Characters with a meaning in HTML,
 * Markdown or Mermaid become an entity: '#', a number and ';'. */
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

static void print_folded(uint32_t owner, uint32_t variable, FILE *to)
{
    if (variable == OUTLINE_NONE)
        fprintf(to, "  n%" PRIu32 " --> s%" PRIu32 "\n", owner, owner);
    else
        fprintf(to, "  s%" PRIu32 " -.-> n%" PRIu32 "\n", owner, variable);
}

static bool print_edge(
    const struct text_graph *graph, uint32_t from, const struct branch *branch)
{
    FILE *to = graph->to;
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
        outline_has(graph->outline, branch->variable))
        fprintf(to, "  n%" PRIu32 " -.-> n%" PRIu32 "\n", branch->node,
            branch->variable);
    return true;
}

static const struct text_language mermaid = { print_words, print_folded,
    print_edge };

bool graph_mermaid(
    const struct settings *settings, const struct outline *outline, FILE *to)
{
    char note[FOLD_NOTE_SIZE];
    fputs("flowchart LR\n", to);
    if (*outline_fold_note(outline, note))
        fprintf(to, "  folded[/\"%s\"/]\n", note);
    for (int i = 0; i < LOOK_COUNT; i++)
        fprintf(to, "  classDef %s fill:%s,stroke:%s,color:#1e293b\n",
            looks[i].name, looks[i].fill, looks[i].line);
    const struct text_graph graph = { settings, outline, &mermaid, NULL, to };
    return text_graph_print(&graph);
}

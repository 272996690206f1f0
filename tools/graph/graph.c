/* graph.c - Implements varve graph: prints the saved graph as a picture or as
 * JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph.h"

#include <stdio.h>

#include "command.h"
#include "complaint.h"
#include "output.h"
#include "page_notes_in.h"
#include "page_statistics.h"
#include "target.h"

enum { MANY_NODES = 2000 };

enum { SVG_TREE = 1, SVG_ICICLE };

struct graph_options {
    struct settings settings;
    struct view view;
    struct page_to to;
    unsigned svg; /* 0: not given */
    bool dot;
    bool mermaid;
    bool html;
    bool statistics;
    const char *notes;
};

#define OPTIONS struct graph_options
static const struct option_row option_rows[] = {
    OPTION("svg", 0, OPTION_WORD, svg, "[=tree|icicle]",
        "draw a tree (default), or the bytes"),
    OPTION("dot", 0, OPTION_FLAG, dot, NULL, "text for graphviz"),
    OPTION("html", 0, OPTION_FLAG, html, NULL,
        "an HTML page for a browser: search, fold, filter"),
    OPTION("statistics", 0, OPTION_FLAG, statistics, NULL,
        "add statistics of all values to the page"),
    OPTION("title", 0, OPTION_TEXT, to.title, "TEXT",
        "title of the page (default: the file name)"),
    OPTION("notes", 0, OPTION_TEXT, notes, "NOTES",
        "show a report or notes (JSON) in the page"),
    OPTION("mermaid", 0, OPTION_FLAG, mermaid, NULL,
        "text for Mermaid, for example in Markdown"),
    OPTION_JSON,
    OPTION_OUTPUT(to.path),
    OPTION_DEPTH,
    OPTION_PATTERNS(view.patterns),
    OPTION_SLOTS,
    OPTION_VALUES,
    OPTION_ALL,
    OPTION_PROGRESS,
    OPTION_UNITS,
    OPTION_FOREIGN,
    OPTION_HELP,
    OPTION_END,
};

static void warn_of_many(
    const struct graph_options *options, const struct outline *outline)
{
    size_t count = 0;
    for (size_t i = 0; i < outline->reached; i++)
        count += outline_has(outline, outline->order[i]);
    if (count <= MANY_NODES || options->settings.json ||
        options->svg == SVG_ICICLE)
        return;
    fprintf(stderr,
        "varve: note: a picture of %zu nodes is large; use --depth N, "
        "FILE:PATH or --svg=icicle%s\n",
        count, options->dot ? ", or graphviz's sfdp" : "");
}

static bool draw(const struct graph_options *options,
    const struct outline *outline, FILE *to)
{
    const struct settings *settings = &options->settings;
    if (settings->json)
        return graph_json(outline, to);
    if (options->dot)
        return graph_dot(settings, outline, to);
    if (options->mermaid)
        return graph_mermaid(settings, outline, to);
    if (options->svg == SVG_ICICLE)
        return graph_icicle(settings, outline, to);
    return graph_tree(settings, outline, to);
}

static int draw_target(const struct graph_options *options, const char *file,
    struct target *target)
{
    const struct settings *settings = &options->settings;
    struct outline outline;
    struct output output;
    /* output for programs is never folded */
    if (!(settings->json ? outline_make : outline_make_folded)(
            &outline, target->reader, target->node.id, &options->view))
        return complain_memory(settings);
    int outcome = complain_unmatched(
        settings, file, &options->view.patterns, &outline.matches);
    if (outcome == OUTCOME_DONE)
        outcome = output_open(settings, options->to.path, &output);
    if (outcome == OUTCOME_DONE) {
        warn_of_many(options, &outline);
        if (!draw(options, &outline, output.stream))
            outcome = complain_memory(settings);
        outcome = output_close(settings, &output, outcome);
    }
    outline_clear(&outline);
    return outcome;
}

static int draw_page(
    const struct graph_options *options, const struct target *target)
{
    const struct settings *settings = &options->settings;
    const struct page_to *to = &options->to;
    if (options->notes)
        return page_with_notes(settings, to, target, options->notes);
    return options->statistics ? page_with_statistics(settings, to, target)
                               : page_output(settings, to, target, NULL);
}

static int run(const void *given, int count, char **operands)
{
    const struct graph_options *options = given;
    const struct settings *settings = &options->settings;
    (void)count;
    struct target target;
    if (options->dot + options->mermaid + options->html + (options->svg != 0) +
            settings->json >
        1)
        return complain_usage(settings,
            "--svg, --dot, --mermaid, --html and --json exclude each other");
    if (options->html && !page_takes(&options->view))
        return complain_usage(settings, "--html cannot be combined with "
                                        "--depth, --slots, --values, -I or -X");
    if ((options->statistics || options->notes) && !options->html)
        return complain_usage(settings, "--%s needs --html",
            options->statistics ? "statistics" : "notes");
    if (options->statistics && options->notes)
        return complain_usage(
            settings, "--statistics and --notes exclude each other");
    int outcome = target_open(settings, operands[0], &target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    outcome = options->html ? draw_page(options, &target)
                            : draw_target(options, operands[0], &target);
    target_close(&target);
    return outcome;
}

const struct command graph_command = {
    .name = "graph",
    .operands = "FILE[:PATH]",
    .summary = "draw the saved graph as a picture",
    .details = "In a tree every node is drawn once. Lines in two colors are "
               "further edges to a node\n"
               "and edges that close a cycle. The slots of a node are one box, "
               "with lines to their\n"
               "variables. In an icicle the width of each part is its number "
               "of bytes. A page\n"
               "(--html) contains the whole file and needs no network; it "
               "opens at PATH.\n"
               "--statistics reads and verifies each value for its histogram; "
               "the exit status is 1\n"
               "if one is damaged. --notes takes the output of "
               "varve_report_json, and the page shows\n"
               "what became of each value. It also takes notes of another "
               "program in the format\n"
               "varve.notes-1.json (see the schemas).\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};

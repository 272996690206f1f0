/* graph.c - varve graph: the saved graph as a picture or as JSON.
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
        "draw a tree (also without it), or the bytes"),
    OPTION("dot", 0, OPTION_FLAG, dot, NULL, "text for graphviz"),
    OPTION("html", 0, OPTION_FLAG, html, NULL,
        "a page for a browser: search, fold, filter"),
    OPTION("statistics", 0, OPTION_FLAG, statistics, NULL,
        "of each value in the page: reads them all"),
    OPTION("title", 0, OPTION_TEXT, to.title, "TEXT",
        "of the page, instead of the name of the file"),
    OPTION("notes", 0, OPTION_TEXT, notes, "NOTES",
        "a report or notes in JSON, laid over the page"),
    OPTION("mermaid", 0, OPTION_FLAG, mermaid, NULL,
        "text for Mermaid, as in a page of Markdown"),
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
        "varve: note: %zu nodes make a large picture; use --depth N, FILE:PATH "
        "or --svg=icicle%s\n",
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

static int draw_target(
    const struct graph_options *options, struct target *target)
{
    const struct settings *settings = &options->settings;
    struct outline outline;
    struct output output;
    /* What programs read is never folded. */
    if (!(settings->json ? outline_make : outline_make_folded)(
            &outline, target->reader, target->node.id, &options->view))
        return complain_memory(settings);
    int outcome = output_open(settings, options->to.path, &output);
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
            "expected one of --svg, --dot, --mermaid, --html and --json");
    if (options->html && !page_takes(&options->view))
        return complain_usage(settings,
            "a page has all of the file: expected --html without --depth, "
            "--slots, --values, -I and -X");
    if ((options->statistics || options->notes) && !options->html)
        return complain_usage(settings, "--%s: expected --html with it",
            options->statistics ? "statistics" : "notes");
    if (options->statistics && options->notes)
        return complain_usage(
            settings, "expected one of --statistics and --notes");
    int outcome = target_open(settings, operands[0], &target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    outcome = options->html ? draw_page(options, &target)
                            : draw_target(options, &target);
    target_close(&target);
    return outcome;
}

const struct command graph_command = {
    .name = "graph",
    .operands = "FILE[:PATH]",
    .summary = "the saved graph as a picture",
    .details =
        "In a tree every node is drawn once; lines in two colours are further "
        "edges to it\nand edges that close a cycle. The slots of a node are "
        "one box, with lines to\ntheir variables. An icicle has the bytes of "
        "each part as its width.\nA page (--html) has all of the file and "
        "needs no network; it opens at PATH.\nWith --statistics each value is "
        "read and verified for its histogram, and it ends\nwith 1 where one "
        "is damaged.\n--notes takes what varve_report_json gives: the page has "
        "what became of each\nvalue. Or what another program says of nodes, "
        "as varve.notes-1.json among the\nschemas describes it.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};

/* show.c - Implements varve show: prints one value, another node, or all values
 * below it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "array_text.h"
#include "command.h"
#include "complaint.h"
#include "show_parts.h"
#include "slice.h"
#include "store_path.h"
#include "target.h"

#define OPTIONS struct show_options
static const struct option_row option_rows[] = {
    OPTION_JSON,
    OPTION("slice", 0, OPTION_TEXT, slice, "PART",
        "only a part, as in NumPy: 10:20,...,::2"),
    OPTION(
        "all", 'a', OPTION_FLAG, all, NULL, "print every value below the node"),
    OPTION_PATTERNS(view.patterns),
    OPTION("full", 0, OPTION_FLAG, full, NULL, "print all elements"),
    OPTION(
        "precision", 0, OPTION_MOST, precision, "N", "at most N decimals (8)"),
    OPTION("width", 0, OPTION_NUMBER, width, "N",
        "wrap lines at N columns if possible (75)"),
    OPTION("statistics", 's', OPTION_FLAG, statistics, NULL,
        "print extremes, mean, zeros, NaN"),
    OPTION("histogram", 0, OPTION_FLAG, histogram, NULL,
        "how many elements lie where"),
    OPTION("bins", 0, OPTION_NUMBER, bins, "N",
        "print a histogram of N bins, 1 to 64 (16)"),
    OPTION_UNITS,
    OPTION_ASCII,
    OPTION_COLOR,
    OPTION_HELP,
    OPTION_END,
};

/* Reads everything before the output begins, so that damage is reported
 * instead. */
static varve_status look_ahead(struct subject *s, varve_error *error)
{
    struct selection shown;
    struct piece piece;
    varve_status status = VARVE_OK;
    if (s->pieces.whole.bytes)
        return VARVE_OK;
    array_shorten(&s->selection, &shown);
    pieces_begin(&s->pieces, s->options->full ? &s->selection : &shown);
    do
        status = pieces_next(&s->pieces, &piece, error);
    while (status == VARVE_OK && piece.count > 0);
    return status;
}

/* Reads only what is shown; for statistics, reads everything. */
static varve_status read_and_print(struct subject *s, varve_error *error)
{
    uint64_t bins = s->options->bins ? s->options->bins : SHOW_BINS;
    varve_status status = VARVE_OK;
    if (s->has_statistics)
        status = statistics_make(
            &s->statistics, &s->pieces, &s->selection, (unsigned)bins, error);
    else
        status = look_ahead(s, error);
    if (status != VARVE_OK)
        return status;
    if (s->settings->json)
        return show_json(s, error);
    show_head(s);
    status = s->node.kind == VARVE_STATE ? show_state(s, error)
                                         : array_print(s, error);
    if (status == VARVE_OK)
        show_statistics(s);
    return status;
}

static int show_value(struct subject *s)
{
    const char *path = shown_path(varve_reader_path(s->outline.reader));
    varve_error error = { .status = VARVE_OK };
    varve_status status =
        pieces_open(&s->pieces, s->outline.reader, &s->node, &error);
    if (status == VARVE_OK) {
        s->has_statistics = s->options->statistics || s->options->histogram;
        status = read_and_print(s, &error);
        pieces_close(&s->pieces);
    }
    if (status != VARVE_OK)
        return complain_status(s->settings, "cannot read", path, &error);
    return OUTCOME_DONE;
}

/* Shows a node without a value. */
static int show_other(struct subject *s)
{
    varve_error error = { .status = VARVE_OK };
    const char *file = shown_path(varve_reader_path(s->outline.reader));
    if (s->options->slice || s->options->statistics || s->options->histogram)
        return complain_not_found(
            s->settings, "no value", file, s->node.path, NULL);
    if (s->settings->json)
        return outcome_of(show_json(s, &error));
    show_head(s);
    if (!s->node.value.dtype)
        show_object(s);
    return OUTCOME_DONE;
}

static int show_node(const struct show_options *options, struct target *target)
{
    const struct settings *settings = &options->settings;
    struct subject s = { .settings = settings,
        .options = options,
        .style = style_for(settings, stdout),
        .node = target->node };
    int outcome = slice_choose(settings, options->slice, &s.node, &s.selection);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (!outline_make(&s.outline, target->reader, 0, &view_of_all))
        return complain_memory(settings);
    outcome = s.node.has_value ? show_value(&s) : show_other(&s);
    outline_clear(&s.outline);
    return outcome;
}

/* Shows each value that the patterns select, in the order of the tree. Stops at
 * the first one that cannot be read. */
static int show_values(struct subject *s, const struct outline *selected)
{
    int outcome = OUTCOME_DONE;
    const char *between = "";
    for (size_t i = 0; outcome == OUTCOME_DONE && i < selected->reached; i++) {
        uint32_t id = selected->order[i];
        if (!selected->nodes[id].shown ||
            !varve_reader_node_at(selected->reader, id, &s->node) ||
            !s->node.has_value)
            continue;
        if (!s->settings->json)
            fputs(between, stdout);
        between = "\n";
        outcome = slice_choose(s->settings, NULL, &s->node, &s->selection);
        if (outcome == OUTCOME_DONE)
            outcome = show_value(s);
    }
    return outcome;
}

static int show_all(
    const struct show_options *options, const char *file, struct target *target)
{
    const struct settings *settings = &options->settings;
    struct view view = options->view;
    struct outline selected;
    struct subject s = { .settings = settings,
        .options = options,
        .style = style_for(settings, stdout) };
    if (options->slice)
        return complain_usage(settings, "--slice and --all exclude each other");
    view.all = true;
    view.slots = true;
    view.depth = view.limit = UINT64_MAX;
    if (!outline_make(&selected, target->reader, target->node.id, &view))
        return complain_memory(settings);
    int outcome =
        complain_unmatched(settings, file, &view.patterns, &selected.matches);
    if (outcome == OUTCOME_DONE) {
        if (outline_make(&s.outline, target->reader, 0, &view_of_all)) {
            outcome = show_values(&s, &selected);
            outline_clear(&s.outline);
        } else {
            outcome = complain_memory(settings);
        }
    }
    outline_clear(&selected);
    return outcome;
}

static int run(const void *given, int count, char **operands)
{
    const struct show_options *options = given;
    const struct settings *settings = &options->settings;
    struct target target;
    if (options->bins > MOST_BINS)
        return complain_usage(
            settings, "--bins: expected at most %d", (int)MOST_BINS);
    int outcome = target_open_at(settings, count, operands, &target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (!options->all && options->view.patterns.count)
        outcome =
            complain_usage(settings, "--include and --exclude need --all");
    else
        outcome = options->all ? show_all(options, operands[0], &target)
                               : show_node(options, &target);
    target_close(&target);
    return outcome;
}

const struct command show_command = {
    .name = "show",
    .operands = "FILE[:PATH] [PATH]",
    .summary = "print a value, all values, or the contents of an object",
    .details = "A value is printed as NumPy prints arrays: if it has more than "
               "1000 elements, only\n"
               "those at the ends of each dimension. Only the printed elements "
               "are read and verified.\n"
               "--slice selects a part: for each dimension give BEGIN:END, "
               "BEGIN:END:STEP, or an\n"
               "index, which removes the dimension. Negative numbers count "
               "from the end; ... stands\n"
               "for the dimensions that are not given.\n"
               "\n"
               "The lines before the value show its type, shape, size, digest, "
               "offset, tags, global\n"
               "name, and every other path to it. The bytes of a custom "
               "serializer are printed as\n"
               "text if possible, otherwise in hexadecimal. For an object its "
               "edges and slots are\n"
               "printed, and for the root also the metadata.\n"
               "\n"
               "--all prints every value below the node; with --json as one "
               "document after the other.\n"
               "\n"
               "The statistics are those of varve stat.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 2,
    .run = run,
};

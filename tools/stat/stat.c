/* stat.c - Implements varve stat: prints sizes and types of a checkpoint, or
 * statistics of its values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "command.h"
#include "complaint.h"
#include "statistics.h"
#include "stat_tables.h"
#include "target.h"

#define OPTIONS struct stat_options
static const struct option_row option_rows[] = {
    OPTION("values", 'v', OPTION_FLAG, values, NULL,
        "read the values and print statistics of each"),
    OPTION("strict", 0, OPTION_FLAG, strict, NULL,
        "exit with 1 if a value has NaN or infinities"),
    OPTION("bins", 0, OPTION_NUMBER, bins, "N",
        "histograms of N bins, 1 to 64 (8)"),
    OPTION_FORMS,
    OPTION("sort", 0, OPTION_WORD, view.sort, "path|bytes|offset",
        "order of the rows (bytes: largest first)"),
    OPTION("limit", 0, OPTION_MOST, view.limit, "N", "at most N rows"),
    OPTION("depth", 0, OPTION_MOST, view.depth, "N",
        "subtrees N levels below the root (1), or values no deeper"),
    OPTION_PATTERNS(view.patterns),
    OPTION("threads", 'j', OPTION_NUMBER, threads, "N",
        "at most N values at once"),
    OPTION_UNITS,
    OPTION_ASCII,
    OPTION_COLOR,
    OPTION_FOREIGN,
    OPTION_HELP,
    OPTION_END,
};

/* Prints the answer. For sizes, the depth determines only the subtrees; all
 * nodes are counted. */
static int answer(const struct stat_options *options, const char *file,
    const struct target *target)
{
    struct view whole = options->view;
    struct outline outline;
    if (!options->values)
        whole.depth = UINT64_MAX;
    if (!outline_make(&outline, target->reader, target->node.id, &whole))
        return complain_memory(&options->settings);
    int outcome = complain_unmatched(
        &options->settings, file, &whole.patterns, &outline.matches);
    if (outcome == OUTCOME_DONE)
        outcome = options->values ? stat_values(options, &outline)
                                  : stat_sizes(options, &outline);
    outline_clear(&outline);
    return outcome;
}

static int run(const void *given, int count, char **operands)
{
    const struct stat_options *options = given;
    const struct settings *settings = &options->settings;
    (void)count;
    struct target target;
    if (options->bins > MOST_BINS)
        return complain_usage(
            settings, "--bins: expected at most %d", (int)MOST_BINS);
    if (options->strict && !options->values)
        return complain_usage(settings, "--strict needs --values");
    int outcome = target_open(settings, operands[0], &target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    outcome = answer(options, operands[0], &target);
    target_close(&target);
    return outcome;
}

const struct command stat_command = {
    .name = "stat",
    .operands = "FILE[:PATH]",
    .summary = "print sizes, types, and statistics of values",
    .details = "Without --values no values are read: prints the number and "
               "size of values of each\n"
               "type and in each subtree, and the largest values.\n"
               "\n"
               "With --values each value is read and verified: prints its "
               "minimum, maximum, mean,\n"
               "standard deviation (of the population), zeros, NaN, "
               "infinities, and a histogram with\n"
               "bins of equal width. NaN and infinities are counted; "
               "everything else is about the\n"
               "finite elements. Complex numbers are represented by their "
               "magnitude, strings by their\n"
               "length, and custom serializers by their bytes. If a value is "
               "damaged, the others are\n"
               "still printed and the exit status is 1.\n"
               "\n"
               "Values of more than 8 MiB are read a few MiB at a time, and "
               "twice if an element has\n"
               "more than two bytes.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};

/* log.c - varve log: the checkpoints of a directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "command.h"
#include "complaint.h"
#include "keep.h"
#include "run.h"
#include "table.h"
#include "units.h"

struct log_options {
    struct settings settings;
    uint64_t limit; /* UINT64_MAX: none */
    struct keep keep;
};

#define OPTIONS struct log_options
static const struct option_row option_rows[] = {
    OPTION_FORMS,
    OPTION("limit", 0, OPTION_MOST, limit, "N", "at most the newest N"),
    OPTION_KEEP,
    OPTION_UNITS,
    OPTION_ASCII,
    OPTION_COLOR,
    OPTION_HELP,
    OPTION_END,
};

static const struct column columns[] = { { "name", "NAME", false },
    { "step", "STEP", true }, { "saved", "SAVED", false },
    { "bytes", "SIZE", true }, { "format", NULL, false },
    { "state", "STATE", false }, { "metric_name", NULL, false },
    { "metric", "METRIC", true }, { "kept", "KEPT BECAUSE", false },
    { "number", NULL, true }, { "counter", NULL, true }, { "time", NULL, true },
    { "modified", NULL, true }, { "pinned", NULL, false },
    { "ours", NULL, false }, { "path", NULL, false } };

static void print_known(struct table *table, int64_t number)
{
    if (number < 0)
        table_none(table);
    else
        table_integer(table, number);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The time that is in the file, else that of the file. */
static const char *when(const struct run_entry *e, char text[UNITS_TEXT_SIZE])
{
    int64_t time = e->facts.time >= 0 ? e->facts.time : e->modified;
    return time >= 0 ? time_text(time, text) : NULL;
}

static void print_entry(
    struct table *table, const struct run *run, const struct run_entry *e)
{
    char text[UNITS_TEXT_SIZE];
    const varve_managed *f = &e->facts;
    bool has_metric = f->metric == f->metric;
    table_text(table, name_of(f->path));
    print_known(table, f->step);
    table_text(table, when(e, text));
    table_size(table, f->size);
    table_text(table, f->is_damaged ? NULL : varve_format_name(e->format));
    table_text(table, f->is_damaged ? "damaged" : "complete");
    table_text(table, has_metric ? run->metric : NULL);
    if (has_metric)
        table_real(table, f->metric);
    else
        table_none(table);
    table_text(table, f->kept);
    table_count(table, f->number);
    table_count(table, f->counter);
    print_known(table, f->time);
    print_known(table, e->modified);
    table_flag(table, f->is_pinned);
    table_flag(table, f->is_ours);
    table_text(table, f->path);
    if (f->is_damaged)
        table_color(table, table->style.red);
}

static void print_list(
    const struct log_options *options, const struct run_list *list)
{
    struct table table;
    uint64_t left = options->limit;
    table_begin(&table, &options->settings, stdout, "varve.log/1", columns,
        sizeof columns / sizeof *columns);
    for (size_t i = 0; i < list->count; i++) {
        const struct run *run = &list->runs[i];
        for (size_t j = run->count; j > 0 && left > 0; j--, left--)
            print_entry(&table, run, &run->entries[j - 1]);
    }
    table_end(&table);
}

static int run(const void *given, int count, char **operands)
{
    const struct log_options *options = given;
    const struct settings *settings = &options->settings;
    (void)count;
    const varve_manager_options keep = keep_options(&options->keep, true);
    struct run_list list;
    int outcome = run_list_open(settings, operands[0], &keep, &list);
    if (outcome == OUTCOME_DONE && list.count == 0)
        outcome = complain_not_found(settings, "no checkpoints", operands[0],
            "expected files such as ckpt-12.varve",
            "varve ls FILE looks into one of another name");
    if (outcome == OUTCOME_DONE)
        print_list(options, &list);
    run_list_clear(&list);
    return outcome;
}

const struct command log_command = {
    .name = "log",
    .operands = "DIRECTORY[/PREFIX]",
    .summary = "the checkpoints of a directory, newest first",
    .details =
        "Lists numbered checkpoints, PREFIX-N, in the order in which they were "
        "saved, and\nwhy each stays, as its manager's ledger says what is "
        "kept; "
        "'-': its next save\ndeletes it. With --keep-... it says what such a "
        "policy would keep. No value is\nread. A time that is not in the file "
        "is that of the file.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};

/* log.c - Implements varve log: lists the checkpoints of directories, and draws
 * which was resumed from which.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "complaint.h"
#include "keep.h"
#include "lineage.h"
#include "lineage_graph.h"
#include "memory.h"
#include "run.h"
#include "store_path.h"
#include "style.h"
#include "table.h"
#include "units.h"

struct log_options {
    struct settings settings;
    uint64_t limit; /* UINT64_MAX: unlimited */
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
    { "ours", NULL, false }, { "path", NULL, false }, { "run", "RUN", false },
    { "parent_run", NULL, false }, { "parent_number", NULL, true },
    { "parent_identity", NULL, false } };

enum { COLUMN_COUNT = sizeof columns / sizeof *columns, RUN_COLUMN = 16 };

/* The state of the listing. */
struct listing {
    const struct log_options *options;
    struct run_list *lists; /* one for each operand */
    size_t list_count;
    struct log_row *rows; /* by prefix, then in the order of lineage_link */
    size_t count;
    size_t room;
    bool knows_runs; /* the run of at least one row is known */
    bool has_graph;  /* the checkpoints of a prefix are not in a single line */
    struct table table;
    uint64_t left; /* number of rows that may still be printed */
};

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

/* Returns the time stored in the file, otherwise the time of modification. */
static const char *when(const struct run_entry *e, char text[UNITS_TEXT_SIZE])
{
    int64_t time = e->facts.time >= 0 ? e->facts.time : e->modified;
    return time >= 0 ? time_text(time, text) : NULL;
}

/* --- Rows --------------------------------------------------------------- */

static void print_run(struct listing *l, const struct lineage *lineage)
{
    struct table *table = &l->table;
    bool is_short = l->options->settings.form == FORM_PEOPLE ||
                    l->options->settings.form == FORM_MARKDOWN;
    const char *run = lineage->run;
    table_text(table, run && is_short ? lineage_short(run) : run);
    table_text(table, lineage->parent_run);
    if (lineage->has_parent)
        table_count(table, lineage->parent_number);
    else
        table_none(table);
    table_text(table, lineage->has_parent ? lineage->parent_identity : NULL);
}

/* Prints the name, with the path if there are several directories. */
static void print_name(
    struct listing *l, const struct log_row *row, const char *drawn)
{
    const char *path = shown_path(row->entry->facts.path);
    const char *name = l->list_count > 1 ? path : name_of(path);
    if (!l->has_graph || l->options->settings.form != FORM_PEOPLE) {
        table_text(&l->table, name);
        return;
    }
    size_t size = strlen(drawn) + strlen(name) + 2;
    char *text = memory_allocate(size, 1);
    snprintf(text, size, "%s %s", drawn, name);
    table_text(&l->table, text);
    free(text);
}

static void print_entry(
    struct listing *l, const struct log_row *row, const char *drawn)
{
    char text[UNITS_TEXT_SIZE];
    struct table *table = &l->table;
    const struct run_entry *e = row->entry;
    const varve_checkpoint_info *f = &e->facts;
    bool has_metric = f->metric == f->metric;
    print_name(l, row, drawn);
    print_known(table, f->step);
    table_text(table, when(e, text));
    table_size(table, f->size);
    table_text(table, f->is_damaged ? NULL : varve_format_name(e->format));
    table_text(table, f->is_damaged ? "damaged" : "complete");
    table_text(table, has_metric ? row->run->metric : NULL);
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
    table_text(table, shown_path(f->path));
    print_run(l, &row->lineage);
    if (f->is_damaged)
        table_color(table, table->style.red);
}

/* --- Lineages ----------------------------------------------------------- */

/* Rows of one prefix that are drawn together. */
struct group {
    struct listing *listing;
    const struct log_row *rows;
};

static void print_line(void *user, const char *drawn, size_t node)
{
    const struct group *group = user;
    struct listing *l = group->listing;
    if (l->left == 0)
        return;
    if (node != LINEAGE_NONE) {
        l->left--;
        print_entry(l, &group->rows[node], drawn);
    } else if (l->has_graph) {
        table_line(&l->table, drawn);
    }
}

static size_t group_size(const struct listing *l, size_t begin)
{
    size_t end = begin;
    while (end < l->count &&
           strcmp(l->rows[begin].run->prefix, l->rows[end].run->prefix) == 0)
        end++;
    return end - begin;
}

static void print_group(struct listing *l, size_t begin, size_t count)
{
    struct group group = { .listing = l, .rows = l->rows + begin };
    struct lineage_node *nodes = memory_allocate(count, sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct lineage_node){ .id = group.rows[i].id,
            .parent = group.rows[i].parent_id };
    lineage_graph_draw(nodes, count, l->table.style.utf8, print_line, &group);
    free(nodes);
}

static void print_listing(struct listing *l)
{
    struct column shown[COLUMN_COUNT];
    memcpy(shown, columns, sizeof shown);
    if (!l->knows_runs)
        shown[RUN_COLUMN].title = NULL;
    table_begin(&l->table, &l->options->settings, stdout, "varve.log/1", shown,
        COLUMN_COUNT);
    l->left = l->options->limit;
    for (size_t i = 0, size; i < l->count && l->left > 0; i += size) {
        size = group_size(l, i);
        print_group(l, i, size);
    }
    table_end(&l->table);
}

/* --- The listing -------------------------------------------------------- */

static void add_run(struct listing *l, const struct run *run, size_t source)
{
    for (size_t i = 0; i < run->count; i++) {
        l->rows = memory_grow(l->rows, &l->room, l->count, sizeof *l->rows);
        struct log_row *row = &l->rows[l->count++];
        *row = (struct log_row){
            .run = run, .entry = &run->entries[i], .source = source
        };
        lineage_read(&row->lineage, row->entry);
        l->knows_runs |= row->lineage.run != NULL;
    }
}

static int by_prefix(const void *left, const void *right)
{
    const struct log_row *a = left;
    const struct log_row *b = right;
    int order = text_compare(a->run->prefix, b->run->prefix);
    return order ? order : strcmp(a->run->prefix, b->run->prefix);
}

static void link_rows(struct listing *l)
{
    if (l->count)
        qsort(l->rows, l->count, sizeof *l->rows, by_prefix);
    for (size_t i = 0, size; i < l->count; i += size) {
        size = group_size(l, i);
        l->has_graph |= lineage_link(l->rows + i, size) > 1;
    }
}

/* Returns the worst outcome. */
static int open_lists(struct listing *l, int count, char **operands)
{
    const struct settings *settings = &l->options->settings;
    varve_manager_options keep = keep_options(&l->options->keep, true);
    int worst = OUTCOME_DONE;
    keep.read_only = true;
    l->lists = memory_allocate((size_t)count, sizeof *l->lists);
    for (int i = 0; i < count; i++) {
        struct run_list *list = &l->lists[l->list_count++];
        int outcome = run_list_open(settings, operands[i], &keep, list);
        if (outcome == OUTCOME_DONE && list->count == 0)
            outcome = complain_not_found(settings, "no checkpoints",
                operands[i],
                is_in_store(operands[i]) || access(operands[i], F_OK) == 0
                    ? "there are no files such as ckpt-12.varve"
                    : "there is no such directory, and no checkpoint has this "
                      "prefix",
                "to inspect a single file, use varve ls FILE");
        for (size_t j = 0; outcome == OUTCOME_DONE && j < list->count; j++)
            add_run(l, &list->runs[j], (size_t)i);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

static void clear_listing(struct listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        lineage_clear(&l->rows[i].lineage);
        free(l->rows[i].id);
    }
    free(l->rows);
    for (size_t i = 0; i < l->list_count; i++)
        run_list_clear(&l->lists[i]);
    free(l->lists);
}

static int run(const void *given, int count, char **operands)
{
    struct listing l = { .options = given };
    int outcome = open_lists(&l, count, operands);
    link_rows(&l);
    if (l.count > 0 || outcome == OUTCOME_DONE)
        print_listing(&l);
    clear_listing(&l);
    return outcome;
}

const struct command log_command = {
    .name = "log",
    .operands = "DIRECTORY[/PREFIX]...",
    .summary = "list the checkpoints of a directory, newest first",
    .details = "Lists numbered checkpoints, PREFIX-N, in the order in which "
               "they were saved, and\n"
               "the retention policies that keep each of them, according to "
               "the ledger of the\n"
               "manager. '-' in KEPT BECAUSE means that none of them keeps the "
               "checkpoint: the next\n"
               "save deletes it, unless it has another format. Damaged "
               "checkpoints are kept too.\n"
               "With --keep-... the list shows what such a policy would keep. "
               "No values are read. If\n"
               "a file has no time of its own, the modification time of the "
               "file is shown.\n"
               "\n"
               "If two runs were resumed from one checkpoint, or are "
               "unrelated, a graph before the\n"
               "names shows which run was resumed from which checkpoint, with "
               "a column for each\n"
               "lineage. If the parent of a checkpoint was deleted, the graph "
               "shows the newest\n"
               "checkpoint before it instead. RUN has the last six characters "
               "of the run id, or\n"
               "'-' if the file has none. If several directories are given, "
               "for example the levels\n"
               "of one manager, all checkpoints of a prefix are in one graph, "
               "with copies below\n"
               "each other.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1 << 10,
    .run = run,
};

/* diff.c - Implements varve diff: compares two checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "complaint.h"
#include "diff_page.h"
#include "graphs.h"
#include "pairing.h"
#include "memory.h"
#include "store_path.h"

#define OPTIONS struct diff_options
static const struct option_row option_rows[] = {
    OPTION("rename", 0, OPTION_TEXTS, rename.texts, "'NEW -> OLD'",
        "a path in B, and what it is in A; repeatable"),
    OPTION("rename-file", 0, OPTION_TEXT, rename.file, "FILE",
        "a file with one rename per line; # starts a comment"),
    OPTION_PATTERNS(patterns),
    OPTION("tolerance", 0, OPTION_TEXT, tolerance, "ABS",
        "elements so close are equal"),
    OPTION("relative", 0, OPTION_TEXT, relative, "REL",
        "and those within REL times |B|"),
    OPTION("cast", 0, OPTION_FLAG, any_type, NULL,
        "compare numbers of different types"),
    OPTION("nan-differs", 0, OPTION_FLAG, nan_differs, NULL,
        "a NaN is not equal to a NaN"),
    OPTION("values", 0, OPTION_FLAG, values, NULL,
        "compare only values, not kinds, tags, names, sharing, metadata"),
    OPTION("equal", 0, OPTION_FLAG, equal, NULL, "list what is equal, too"),
    OPTION("strict", 0, OPTION_FLAG, strict, NULL,
        "treat different metadata as a difference"),
    OPTION("page", 0, OPTION_TEXT, page, "FILE",
        "write B as an HTML page that shows the differences"),
    OPTION_SHARED("quiet", 'q', OPTION_FLAG, quiet, NULL,
        "print nothing; only set the exit status"),
    OPTION_FORMS,
    OPTION_PROGRESS,
    OPTION_COLOR,
    OPTION_FOREIGN,
    OPTION_HELP,
    OPTION_END,
};

struct diff {
    const struct settings *settings;
    const struct diff_options *options;
    struct measure measure;
    struct renames renames;
    struct side a, b;
    bool has_structure;
    /* computes the total for the progress bar, without reading or printing */
    bool is_counting;
    struct answer answer;
    struct diff_page *page; /* or NULL */
    struct progress_bar bar;
    struct reading reading;
    /* by node of A: the node of B with which it was first paired */
    uint32_t *met_by_a;
    uint32_t *met_by_b;
    /* by entry of B: the first entry of A that follows it and has no partner;
     * by entry of A: the next one */
    size_t *left;
    size_t *left_next;
    const struct side *at; /* current position: the side of a path */
    size_t entry;          /* and its entry */
    char *path;            /* its text; NULL: not needed yet */
    char *path_a;
    bool stops;
    int outcome;
    struct pattern_matches matches;
};

/* --- Options ------------------------------------------------------------ */

static int parse_real(const struct settings *settings, const char *option,
    const char *text, double *value)
{
    char *end;
    if (!text)
        return OUTCOME_DONE;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value) && *value >= 0)
        return OUTCOME_DONE;
    return complain_usage(settings,
        "--%s: must be a number of at least 0, found '%s'", option, text);
}

static int make_measure(const struct diff_options *o, struct measure *m)
{
    const struct settings *s = &o->settings;
    *m = (struct measure){ .is_tolerant = o->tolerance || o->relative,
        .any_type = o->any_type,
        .nan_differs = o->nan_differs,
        .only_whether = s->quiet };
    int outcome = parse_real(s, "tolerance", o->tolerance, &m->tolerance);
    return outcome == OUTCOME_DONE
               ? parse_real(s, "relative", o->relative, &m->relative)
               : outcome;
}

/* --- Rows --------------------------------------------------------------- */

static const char *path_here(struct diff *d)
{
    if (!d->path)
        d->path = side_path(d->at, d->entry);
    return d->path;
}

/* Returns the path in A if it differs. */
static const char *path_in_a(struct diff *d)
{
    size_t entry = d->at == &d->a ? d->entry : d->at->entries[d->entry].partner;
    if (!d->path_a && entry != ENTRY_NONE)
        d->path_a = side_own_path(&d->a, entry);
    return d->path_a && strcmp(d->path_a, path_here(d)) ? d->path_a : NULL;
}

static void add_row(struct diff *d, struct finding_row *row)
{
    if (d->is_counting)
        return;
    if (answer_shows(&d->answer, row->finding)) {
        row->path = path_here(d);
        row->path_a = path_in_a(d);
    }
    if (d->page)
        diff_page_add(d->page, row, path_here(d));
    answer_add(&d->answer, row);
}

/* --- Pairs -------------------------------------------------------------- */

static void finding_of_pair(
    struct diff *d, const struct difference *found, struct finding_row *row)
{
    static const enum finding findings[] = {
        [VERDICT_EQUAL] = FINDING_EQUAL,
        [VERDICT_CHANGED] = FINDING_CHANGED,
        [VERDICT_INCOMPARABLE] = FINDING_INCOMPARABLE,
        [VERDICT_DAMAGED] = FINDING_DAMAGED,
    };
    row->finding = findings[found->verdict];
    row->difference = found;
    row->note = found->why;
    if (found->verdict != VERDICT_DAMAGED)
        return;
    const struct side *s = found->is_of_b ? &d->b : &d->a;
    row->note = found->error.message;
    if (d->outcome == OUTCOME_DONE)
        d->outcome = complain_status(d->settings, "cannot read",
            shown_path(varve_reader_path(s->target.reader)), &found->error);
}

/* Describes the value in B if the two cannot be compared. */
static void describe_other(
    const varve_saved_node *b, const char *why, char note[NOTE_SIZE])
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    snprintf(note, NOTE_SIZE, "%s: %s in B", why,
        varve_tensor_text(&b->value, text));
}

static void compare_values(struct diff *d, struct finding_row *row)
{
    struct difference found;
    char note[NOTE_SIZE];
    if (d->is_counting) {
        d->reading.total +=
            difference_cost(&d->measure, &d->a, row->a, &d->b, row->b);
        return;
    }
    difference_find(
        &found, &d->measure, &d->a, row->a, &d->b, row->b, &d->reading);
    if (found.verdict == VERDICT_EQUAL && !row->a->has_value)
        return;
    finding_of_pair(d, &found, row);
    if (found.verdict == VERDICT_INCOMPARABLE && row->a->value.dtype &&
        row->b->value.dtype && row->a->has_value == row->b->has_value) {
        describe_other(row->b, found.why, note);
        row->note = note;
    }
    add_row(d, row);
}

static void add_structure(
    struct diff *d, const struct finding_row *pair, const char *note)
{
    struct finding_row row = {
        .finding = FINDING_STRUCTURE, .a = pair->a, .b = pair->b, .note = note
    };
    add_row(d, &row);
}

/* Reports that two paths lead to one node in one file and to two in the
 * other. */
static void compare_sharing(struct diff *d, const struct finding_row *row)
{
    char note[NOTE_SIZE];
    bool is_of_a = d->met_by_a[row->a->id] != OUTLINE_NONE;
    if (!is_of_a && d->met_by_b[row->b->id] == OUTLINE_NONE)
        return;
    snprintf(note, sizeof note, "shared only in %s, with %.300s",
        is_of_a ? "A" : "B", is_of_a ? row->a->path : row->b->path);
    add_structure(d, row, note);
}

static void compare_nodes(struct diff *d, struct finding_row *row)
{
    char note[NOTE_SIZE];
    if (d->met_by_a[row->a->id] == row->b->id)
        return; /* already compared by another path */
    if (d->has_structure) {
        if (nodes_differ(&d->a, row->a, &d->b, row->b, note))
            add_structure(d, row, note);
        compare_sharing(d, row);
    }
    if (d->met_by_a[row->a->id] == OUTLINE_NONE)
        d->met_by_a[row->a->id] = row->b->id;
    if (d->met_by_b[row->b->id] == OUTLINE_NONE)
        d->met_by_b[row->b->id] = row->a->id;
    if (row->a->value.dtype || row->b->value.dtype)
        compare_values(d, row);
}

/* --- Missing on one side ------------------------------------------------ */

/* Returns true for values, and for nodes of the graph without anything below
 * them that is reported. */
static bool is_listed(const struct diff *d, const struct side *s,
    const struct entry *e, const varve_saved_node *node)
{
    size_t place = s->places[e->node];
    bool is_elsewhere = e->is_alias && place != ENTRY_NONE &&
                        s->entries[place].other != OUTLINE_NONE;
    if (!d->has_structure)
        return node->has_value && !is_elsewhere;
    return node->value.dtype || e->is_alias ||
           node->edge_count + node->slot_count == 0;
}

static void add_only(struct diff *d)
{
    const struct side *s = d->at;
    const struct entry *e = &s->entries[d->entry];
    struct finding_row row = { .finding = FINDING_ONLY_IN_A };
    varve_saved_node node = side_saved(s, e->node);
    char note[NOTE_SIZE] = "";
    if (d->is_counting || !is_listed(d, s, e, &node))
        return;
    if (e->is_alias)
        snprintf(note, sizeof note, "the same as %.350s", node.path);
    if (s == &d->b)
        row.finding = FINDING_ONLY_IN_B;
    *(s == &d->a ? &row.a : &row.b) = &node;
    row.note = note;
    add_row(d, &row);
}

/* --- All entries -------------------------------------------------------- */

static void look_at_pair(struct diff *d)
{
    const struct entry *e = &d->at->entries[d->entry];
    bool is_a = d->at == &d->a;
    varve_saved_node mine = side_saved(d->at, e->node);
    varve_saved_node other = side_saved(is_a ? &d->b : &d->a, e->other);
    struct finding_row row = {
        .a = is_a ? &mine : &other, .b = is_a ? &other : &mine, .note = ""
    };
    compare_nodes(d, &row);
}

/* Compares an entry of B with its partner in A, or reports an entry of A
 * without a partner. */
static void look_at(struct diff *d, const struct side *s, size_t entry)
{
    const struct pattern_list *patterns = &d->options->patterns;
    d->at = s;
    d->entry = entry;
    if (patterns->count &&
        !pattern_selects(patterns, path_here(d), &d->matches))
        ;
    else if (s->entries[entry].other == OUTLINE_NONE)
        add_only(d);
    else
        look_at_pair(d);
    free(d->path);
    free(d->path_a);
    d->path = d->path_a = NULL;
    if (d->settings->quiet && answer_differs(&d->answer))
        d->stops = true;
}

/* Places entries of A without a partner after the entry that they follow. */
static void place_left(struct diff *d)
{
    size_t behind = 0;
    d->left = memory_allocate(d->b.count, sizeof *d->left);
    d->left_next = memory_allocate(d->a.count, sizeof *d->left_next);
    size_t *ends = memory_allocate(d->b.count, sizeof *ends);
    memset(d->left, 0xff, d->b.count * sizeof *d->left);
    for (size_t i = 0; i < d->a.count; i++) {
        d->left_next[i] = ENTRY_NONE;
        if (d->a.entries[i].partner != ENTRY_NONE) {
            behind = d->a.entries[i].partner;
            continue;
        }
        if (d->left[behind] == ENTRY_NONE)
            d->left[behind] = i;
        else
            d->left_next[ends[behind]] = i;
        ends[behind] = i;
    }
    free(ends);
}

static void forget_met(struct diff *d)
{
    memset(d->met_by_a, 0xff, d->a.outline.count * sizeof *d->met_by_a);
    memset(d->met_by_b, 0xff, d->b.outline.count * sizeof *d->met_by_b);
}

static void look_at_all(struct diff *d)
{
    forget_met(d);
    for (size_t i = 0; i < d->b.count && !d->stops; i++) {
        look_at(d, &d->b, i);
        for (size_t j = d->left[i]; j != ENTRY_NONE && !d->stops;
             j = d->left_next[j])
            look_at(d, &d->a, j);
    }
}

static void add_metadata(void *user, const char *name, const char *note)
{
    struct diff *d = user;
    answer_add(&d->answer,
        &(struct finding_row){
            .finding = FINDING_METADATA, .path = name, .note = note });
}

static bool has_metadata(const struct diff *d)
{
    return d->has_structure && d->options->patterns.count == 0 &&
           !*d->a.target.node.path && !*d->b.target.node.path;
}

/* --- The command -------------------------------------------------------- */

static int prepare(struct diff *d, char **operands)
{
    const struct settings *s = d->settings;
    const struct diff_options *o = d->options;
    if (o->page && s->quiet)
        return complain_usage(s, "--page and --quiet exclude each other");
    int outcome = make_measure(o, &d->measure);
    if (outcome == OUTCOME_DONE)
        outcome = renames_read(s, &o->rename, &d->renames);
    if (outcome == OUTCOME_DONE)
        outcome = side_open(s, operands[0], &d->a);
    if (outcome == OUTCOME_DONE)
        outcome = side_open(s, operands[1], &d->b);
    if (outcome != OUTCOME_DONE)
        return outcome;
    side_name(&d->a, &d->renames);
    side_name(&d->b, NULL);
    outcome = renames_check(s, &d->renames);
    if (outcome != OUTCOME_DONE)
        return outcome;
    pair_sides(&d->a, &d->b);
    place_left(d);
    d->met_by_a = memory_allocate(d->a.outline.count, sizeof *d->met_by_a);
    d->met_by_b = memory_allocate(d->b.outline.count, sizeof *d->met_by_b);
    d->has_structure = !o->values && graphs_are_comparable(&d->a, &d->b);
    return OUTCOME_DONE;
}

static int compare(struct diff *d)
{
    progress_bar_begin(&d->bar, d->settings);
    d->reading.bar = &d->bar;
    if (d->bar.enabled) {
        d->is_counting = true;
        look_at_all(d);
        d->is_counting = false;
    }
    d->page = diff_page_begin(d->options, &d->b);
    answer_begin(&d->answer, d->options, &d->a, &d->b, d->has_structure);
    look_at_all(d);
    if (has_metadata(d))
        metadata_differences(&d->a, &d->b, add_metadata, d);
    progress_bar_clear(&d->bar);
    answer_end(&d->answer);
    int outcome = d->outcome;
    if (outcome == OUTCOME_DONE && !d->stops)
        outcome = complain_unmatched(
            d->settings, NULL, &d->options->patterns, &d->matches);
    if (outcome == OUTCOME_DONE && answer_differs(&d->answer))
        outcome = OUTCOME_NO;
    return diff_page_end(d->page, outcome);
}

static int run(const void *given, int count, char **operands)
{
    const struct diff_options *options = given;
    struct diff d = { .settings = &options->settings, .options = options };
    (void)count;
    int outcome = prepare(&d, operands);
    if (outcome == OUTCOME_DONE)
        outcome = compare(&d);
    side_clear(&d.a);
    side_clear(&d.b);
    renames_clear(&d.renames);
    free(d.met_by_a);
    free(d.met_by_b);
    free(d.left);
    free(d.left_next);
    return outcome;
}

const struct command diff_command = {
    .name = "diff",
    .operands = "A[:PATH] B[:PATH]",
    .summary = "compare two checkpoints",
    .details = "A and B are checkpoints in any supported formats. Values are "
               "paired by their paths\n"
               "and compared bit for bit: a NaN is equal to the same NaN, and "
               "-0 is not equal to 0.\n"
               "If both files are Varve's, values with equal digests are not "
               "read. MAX ABS is the\n"
               "largest |A - B| and WHERE is its position; MAX REL is the "
               "largest |A - B| over the\n"
               "larger of |A| and |B|; NORM is the Euclidean norm of A - B. A "
               "NaN in only one of\n"
               "them counts as a difference, but is not included in these.\n"
               "\n"
               "With --tolerance or --relative numbers are equal if |A - B| <= "
               "ABS + REL |B|; then\n"
               "0 is equal to -0, and any NaN to any NaN. With --cast numbers "
               "of different types are\n"
               "equal if they represent the same value; integers are compared "
               "exactly.\n"
               "\n"
               "In NEW and OLD the same wildcards stand for the same text: "
               "'encoder/** -> enc/**'.\n"
               "PAT are paths of B. Kinds, tags, global names and sharing are "
               "compared if the formats\n"
               "are the same. Metadata, such as the step, are printed but are "
               "not a difference.\n"
               "\n"
               "The exit status is 0 if nothing differs, 1 if something "
               "differs or cannot be\n"
               "compared, and higher if an error occurred.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 2,
    .most_operands = 2,
    .run = run,
};

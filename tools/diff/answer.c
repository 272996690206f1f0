/* answer.c - Prints findings as rows of a table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "store_path.h"
#include "tensor_text.h"

static const struct column columns[] = { { "status", "STATUS", false },
    { "path", "PATH", false }, { "path_a", NULL, false },
    { "kind", NULL, false }, { "dtype", "DTYPE", false },
    { "shape", "SHAPE", false }, { "dtype_b", NULL, false },
    { "shape_b", NULL, false }, { "elements", NULL, true },
    { "differing", "DIFFER", true }, { "max_abs", "MAX ABS", true },
    { "max_rel", "MAX REL", true }, { "where", "WHERE", false },
    { "a", NULL, false }, { "b", NULL, false }, { "norm", "NORM", true },
    { "note", "NOTE", false } };

static const struct {
    const char *key; /* in JSON and with tabs */
    const char *words;
} names[FINDING_KINDS] = { { "changed", "changed" },
    { "incomparable", "incomparable" }, { "only_in_a", "only in A" },
    { "only_in_b", "only in B" }, { "structure", "structure" },
    { "metadata", "metadata" }, { "damaged", "damaged" },
    { "equal", "equal" } };

static bool is_text_form(const struct answer *answer)
{
    enum form form = answer->settings->form;
    return form == FORM_PEOPLE || form == FORM_MARKDOWN;
}

/* --- Facts -------------------------------------------------------------- */

static void print_side(
    struct table *table, const char *key, const struct side *s)
{
    const varve_reader *reader = s->target.reader;
    const char *file = shown_path(varve_reader_path(reader));
    const char *path = s->target.node.path;
    json_t *fact = json_object();
    json_object_set_new(fact, "file", json_bytes(file, strlen(file)));
    json_object_set_new(fact, "format",
        json_string(varve_format_name(varve_reader_format(reader))));
    json_object_set_new(fact, "path", json_bytes(path, strlen(path)));
    table_fact(table, key, fact);
}

void answer_begin(struct answer *answer, const struct diff_options *options,
    const struct side *a, const struct side *b, bool has_structure)
{
    const struct settings *settings = &options->settings;
    *answer = (struct answer){ .settings = settings,
        .options = options,
        .style = style_for(settings, stdout) };
    if (settings->quiet)
        return;
    table_begin(&answer->table, settings, stdout, "varve.diff/1", columns,
        sizeof columns / sizeof *columns);
    print_side(&answer->table, "a", a);
    print_side(&answer->table, "b", b);
    table_fact(
        &answer->table, "structure_compared", json_boolean(has_structure));
}

bool answer_differs(const struct answer *answer)
{
    const uint64_t *n = answer->counts;
    return n[FINDING_CHANGED] || n[FINDING_INCOMPARABLE] ||
           n[FINDING_ONLY_IN_A] || n[FINDING_ONLY_IN_B] ||
           n[FINDING_STRUCTURE] ||
           (answer->options->strict && n[FINDING_METADATA]);
}

static void print_counts(const struct answer *answer)
{
    const char *between = "";
    for (int i = 0; i < FINDING_KINDS; i++) {
        if (answer->counts[i] == 0 && i != FINDING_EQUAL)
            continue;
        printf("%s%" PRIu64 " %s", between, answer->counts[i], names[i].words);
        between = ", ";
    }
    if (answer->unread)
        printf(" (%" PRIu64 " not read)", answer->unread);
    putchar('\n');
}

void answer_end(struct answer *answer)
{
    if (answer->settings->quiet)
        return;
    for (int i = 0; i < FINDING_KINDS; i++)
        table_fact(&answer->table, names[i].key, json_count(answer->counts[i]));
    table_fact(&answer->table, "equal_unread", json_count(answer->unread));
    table_fact(&answer->table, "same", json_boolean(!answer_differs(answer)));
    table_end(&answer->table);
    if (answer->settings->form == FORM_PEOPLE)
        print_counts(answer);
}

/* --- Cells -------------------------------------------------------------- */

/* Adds cells for type and shape of the value of a node, or two empty cells. */
static void print_type_row(struct table *table, const varve_saved_node *node)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    if (!node || !node->value.dtype) {
        table_none(table);
        table_none(table);
        return;
    }
    json_t *shape = json_array();
    for (uint32_t i = 0; i < node->value.rank; i++)
        json_array_append_new(shape, json_count(node->value.shape[i]));
    table_text(table, varve_dtype_name(node->value.dtype));
    table_json(table, shape, shape_text(&node->value, text));
}

static bool have_one_type(const varve_saved_node *a, const varve_saved_node *b)
{
    return !a || !b ||
           (a->value.dtype == b->value.dtype &&
               a->value.rank == b->value.rank &&
               memcmp(a->value.shape, b->value.shape,
                   a->value.rank * sizeof *a->value.shape) == 0);
}

/* Adds a cell for the position of an element, given its index. */
static void print_place_row(
    struct table *table, const varve_tensor *value, uint64_t position)
{
    varve_tensor at = *value;
    char text[VARVE_TENSOR_TEXT_SIZE];
    json_t *place = json_array();
    for (uint32_t i = value->rank; i-- > 0;) {
        at.shape[i] = position % value->shape[i];
        position /= value->shape[i];
        json_array_insert_new(place, 0, json_count(at.shape[i]));
    }
    table_json(table, place, shape_text(&at, text));
}

/* Adds a cell for an element given as JSON. Integers that Jansson cannot
 * represent are strings. */
static void print_element_row(struct table *table, const char *json)
{
    json_t *value = *json ? json_loads(json, JSON_DECODE_ANY, NULL) : NULL;
    if (!*json)
        table_none(table);
    else
        table_json(table, value ? value : json_string(json), json);
}

static void print_differing(const struct answer *answer, struct table *table,
    const struct difference *d)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64, d->differing);
    if (is_text_form(answer))
        snprintf(text, sizeof text, "%" PRIu64 "/%" PRIu64, d->differing,
            d->elements);
    table_json(table, json_count(d->differing), text);
}

/* Returns false if a state is longer on one side, and the difference is after
 * the end of the other. */
static bool has_place(const struct difference *d, const varve_saved_node *node)
{
    return d->differing && d->place < varve_tensor_count(&node->value);
}

static void print_number_rows(struct table *table, const struct difference *d)
{
    if (!d->has_gaps) {
        table_none(table);
        table_none(table);
        return;
    }
    if (d->is_exact)
        table_count(table, d->largest_whole);
    else
        table_real(table, d->largest);
    table_real(table, d->largest_relative);
}

static void print_difference_rows(struct answer *answer,
    const struct difference *d, const varve_saved_node *node)
{
    struct table *table = &answer->table;
    if (!d || !d->was_read || d->verdict == VERDICT_DAMAGED) {
        for (int i = 0; i < 8; i++)
            table_none(table);
        return;
    }
    table_count(table, d->elements);
    print_differing(answer, table, d);
    print_number_rows(table, d);
    if (has_place(d, node))
        print_place_row(table, &node->value, d->place);
    else
        table_none(table);
    print_element_row(table, d->a);
    print_element_row(table, d->b);
    if (d->has_gaps)
        table_real(table, d->norm);
    else
        table_none(table);
}

static const char *color_of(const struct answer *answer, enum finding finding)
{
    switch (finding) {
    case FINDING_ONLY_IN_A:
    case FINDING_DAMAGED: return answer->style.red;
    case FINDING_ONLY_IN_B: return answer->style.green;
    case FINDING_INCOMPARABLE:
    case FINDING_STRUCTURE: return answer->style.cyan;
    case FINDING_EQUAL:
    case FINDING_METADATA: return answer->style.dim;
    default: return "";
    }
}

bool answer_shows(const struct answer *answer, enum finding finding)
{
    return !answer->settings->quiet &&
           (finding != FINDING_EQUAL || answer->options->equal);
}

void answer_add(struct answer *answer, const struct finding_row *row)
{
    struct table *table = &answer->table;
    bool is_equal = row->finding == FINDING_EQUAL;
    const varve_saved_node *node = row->a ? row->a : row->b;
    answer->counts[row->finding]++;
    answer->unread += is_equal && row->difference && !row->difference->was_read;
    if (!answer_shows(answer, row->finding))
        return;
    table_text(table, is_text_form(answer) ? names[row->finding].words
                                           : names[row->finding].key);
    table_text(table, row->path);
    table_text(table, row->path_a);
    table_text(table, node ? kind_name(node->kind) : NULL);
    print_type_row(table, node);
    print_type_row(table, have_one_type(row->a, row->b) ? NULL : row->b);
    print_difference_rows(answer, row->difference, node);
    table_text(table, *row->note ? row->note : NULL);
    table_color(table, color_of(answer, row->finding));
}

/* stat_sizes.c - Computes sizes and types by subtree, from the index only.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "heading.h"
#include "json_out.h"
#include "number_sort.h"
#include "memory.h"
#include "stat_tables.h"
#include "store_path.h"
#include "style.h"
#include "table.h"
#include "tensor_text.h"

enum { STATES = 0, KINDS = VARVE_DTYPE_COUNT + 1, MOST_LARGEST = 5 };

/* The totals for one type; states count as a type. */
struct tally {
    uint64_t values;
    uint64_t elements;
    uint64_t bytes;
};

struct subtree {
    uint32_t node;
    uint32_t largest; /* where a value is saved */
    uint64_t largest_bytes;
    uint64_t objects;
    struct tally all;
    size_t kind; /* of all values, if `kinds` is NULL */
    struct tally
        *kinds; /* by element type; NULL: values of one type, or none */
};

/* A file with a million values at the root has a million subtrees of one node,
 * so the totals of these are not stored. */
struct row {
    uint32_t node;    /* the first node of the subtree */
    uint32_t subtree; /* its totals; OUTLINE_NONE: it has no other node */
};

struct largest {
    uint64_t bytes;
    const char *path;
    uint32_t node;
};

struct sizes {
    const struct settings *settings;
    const struct view *view;
    const struct outline *outline;
    struct subtree total;
    uint64_t slots;
    uint64_t shared;
    uint64_t unsaved;
    struct row *rows;
    size_t row_count;
    size_t row_room;
    struct subtree *subtrees;
    size_t subtree_count;
    size_t subtree_room;
    uint32_t *order; /* of the rows */
    struct largest largest[MOST_LARGEST];
    size_t largest_count;
    uint32_t *row_of; /* by node: its row, or OUTLINE_NONE */
};

static const char *tally_name(size_t kind)
{
    return kind == STATES ? "state" : varve_dtype_name((varve_dtype)kind);
}

/* --- Counting ----------------------------------------------------------- */

static bool is_object(varve_kind kind)
{
    return kind == VARVE_OBJECT || kind == VARVE_LIST || kind == VARVE_DICT;
}

static void add_value(struct tally *tally, const varve_saved_node *node)
{
    tally->values++;
    tally->elements += varve_tensor_count(&node->value);
    tally->bytes += node->size;
}

/* Adds a value that is not yet part of to->all. */
static void add_to_kind(struct subtree *to, const varve_saved_node *node)
{
    size_t kind = node->kind == VARVE_STATE ? STATES : node->value.dtype;
    if (to->all.values == 0)
        to->kind = kind;
    if (!to->kinds && kind != to->kind) {
        to->kinds = memory_allocate(KINDS, sizeof *to->kinds);
        to->kinds[to->kind] = to->all;
    }
    if (to->kinds)
        add_value(&to->kinds[kind], node);
}

static struct tally tally_of(const struct subtree *t, size_t kind)
{
    if (t->kinds)
        return t->kinds[kind];
    return kind == t->kind ? t->all : (struct tally){ .values = 0 };
}

static void add_node(struct subtree *to, const varve_saved_node *node)
{
    to->objects += is_object(node->kind);
    if (!node->has_value)
        return;
    add_to_kind(to, node);
    add_value(&to->all, node);
    if (to->all.values == 1 || node->size > to->largest_bytes) {
        to->largest = node->id;
        to->largest_bytes = node->size;
    }
}

/* Returns the totals of a row. */
static struct subtree subtree_of(const struct sizes *s, size_t row)
{
    const struct row *at = &s->rows[row];
    if (at->subtree != OUTLINE_NONE)
        return s->subtrees[at->subtree];
    struct subtree only = { .node = at->node };
    const varve_saved_node node = outline_saved(s->outline, at->node);
    add_node(&only, &node);
    return only;
}

/* Adds a node to a row, unless it is its first node. */
static void add_to_row(
    struct sizes *s, uint32_t row, const varve_saved_node *node)
{
    struct row *at = &s->rows[row];
    if (at->node == node->id)
        return;
    if (at->subtree == OUTLINE_NONE) {
        s->subtrees = memory_grow(s->subtrees, &s->subtree_room,
            s->subtree_count, sizeof *s->subtrees);
        s->subtrees[s->subtree_count] = subtree_of(s, row);
        at->subtree = (uint32_t)s->subtree_count++;
    }
    add_node(&s->subtrees[at->subtree], node);
}

/* Returns the row of a node: that of its parent, or a new one. Returns
 * OUTLINE_NONE for an object above the subtrees. Parents must be processed
 * first. */
static uint32_t row_for(
    struct sizes *s, const varve_saved_node *node, uint64_t depth)
{
    const struct outline_node *place = &s->outline->nodes[node->id];
    uint32_t row =
        place->parent == OUTLINE_NONE ? OUTLINE_NONE : s->row_of[place->parent];
    if (row == OUTLINE_NONE && is_object(node->kind) && place->depth < depth)
        return OUTLINE_NONE;
    if (row == OUTLINE_NONE) {
        s->rows =
            memory_grow(s->rows, &s->row_room, s->row_count, sizeof *s->rows);
        row = (uint32_t)s->row_count++;
        s->rows[row] = (struct row){ node->id, OUTLINE_NONE };
    }
    s->row_of[node->id] = row;
    return row;
}

/* Counts the branches that lead to each node. */
static void count_branches(struct sizes *s)
{
    const struct outline *outline = s->outline;
    uint32_t *leading = memory_allocate(outline->count, sizeof *leading);
    struct branch branch;
    for (size_t i = 0; i < outline->reached; i++) {
        uint32_t id = outline->order[i];
        size_t edges = outline_saved(outline, id).edge_count;
        for (size_t j = 0; outline_branch(outline, id, j, &branch); j++) {
            bool counts = outline_has(outline, branch.node);
            s->slots += counts && j >= edges && !branch.is_alias;
            s->shared += counts && ++leading[branch.node] == 2;
        }
    }
    free(leading);
}

static bool is_larger(const struct largest *a, const struct largest *b)
{
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    int order = text_compare(a->path, b->path);
    return order ? order < 0 : a->node < b->node;
}

/* Inserts a value among the largest ones, if it is one of them. */
static void note_largest(struct sizes *s, const varve_saved_node *node)
{
    const struct largest value = { node->size, node->path, node->id };
    const struct pattern_list *patterns = &s->outline->view->patterns;
    size_t at = s->largest_count;
    if (!node->has_value || !node->value.dtype ||
        (at == MOST_LARGEST && !is_larger(&value, &s->largest[at - 1])) ||
        !pattern_selects(patterns, node->path, NULL))
        return;
    if (at < MOST_LARGEST)
        s->largest_count++;
    else
        at--;
    for (; at > 0 && is_larger(&value, &s->largest[at - 1]); at--)
        s->largest[at] = s->largest[at - 1];
    s->largest[at] = value;
}

static void count_all(struct sizes *s)
{
    const struct outline *outline = s->outline;
    uint64_t depth = s->view->depth == UINT64_MAX ? 1 : s->view->depth;
    s->row_of = memory_allocate(outline->count, sizeof *s->row_of);
    memset(s->row_of, 0xff, outline->count * sizeof *s->row_of);
    for (size_t i = 0; i < outline->reached; i++) {
        varve_saved_node node = outline_saved(outline, outline->order[i]);
        if (!outline_has(outline, node.id))
            continue;
        add_node(&s->total, &node);
        note_largest(s, &node);
        s->unsaved += node.value.dtype && !node.has_value;
        const uint32_t row = row_for(s, &node, depth);
        if (row != OUTLINE_NONE)
            add_to_row(s, row, &node);
    }
    free(s->row_of);
    count_branches(s);
}

/* --- Order -------------------------------------------------------------- */

/* The key that orders the rows. */
struct row_keys {
    const char **paths;
    const uint64_t *bytes; /* NULL: rows are ordered by path */
};

static bool is_before(const void *user, uint32_t a, uint32_t b)
{
    const struct row_keys *keys = user;
    if (keys->bytes && keys->bytes[a] != keys->bytes[b])
        return keys->bytes[a] > keys->bytes[b];
    int order = text_compare(keys->paths[a], keys->paths[b]);
    return order ? order < 0 : a < b;
}

static void sort_rows(struct sizes *s)
{
    struct row_keys keys = { .paths = memory_allocate(
                                 s->row_count, sizeof *keys.paths) };
    uint64_t *bytes = s->view->sort == SORT_BYTES
                          ? memory_allocate(s->row_count, sizeof *bytes)
                          : NULL;
    s->order = memory_allocate(s->row_count, sizeof *s->order);
    for (size_t i = 0; i < s->row_count; i++) {
        s->order[i] = (uint32_t)i;
        keys.paths[i] = outline_saved(s->outline, s->rows[i].node).path;
        if (bytes)
            bytes[i] = subtree_of(s, i).all.bytes;
    }
    keys.bytes = bytes;
    number_sort(s->order, s->row_count, is_before, &keys);
    free(bytes);
    free(keys.paths);
}

static void free_rows(struct sizes *s)
{
    for (size_t i = 0; i < s->subtree_count; i++)
        free(s->subtrees[i].kinds);
    free(s->total.kinds);
    free(s->subtrees);
    free(s->rows);
    free(s->order);
}

/* --- Subtrees ----------------------------------------------------------- */

static json_t *types_json(const struct subtree *t)
{
    json_t *types = json_array();
    for (size_t k = 0; k < KINDS; k++) {
        struct tally tally = tally_of(t, k);
        if (tally.values)
            json_array_append_new(
                types, json_pack("{s:s, s:o, s:o, s:o}", "dtype", tally_name(k),
                           "values", json_count(tally.values), "elements",
                           json_count(tally.elements), "bytes",
                           json_count(tally.bytes)));
    }
    return types;
}

/* Adds for example "float32, int64", in the order of bytes. */
static void put_types(struct table *table, const struct subtree *t)
{
    char text[KINDS * 20] = "";
    bool printed[KINDS] = { false };
    for (;;) {
        size_t next = KINDS;
        for (size_t k = 0; k < KINDS; k++) {
            struct tally tally = tally_of(t, k);
            if (tally.values && !printed[k] &&
                (next == KINDS || tally.bytes > tally_of(t, next).bytes))
                next = k;
        }
        if (next == KINDS)
            break;
        printed[next] = true;
        strcat(strcat(text, *text ? ", " : ""), tally_name(next));
    }
    table_json(
        table, table_is_json(table) ? types_json(t) : NULL, *text ? text : "-");
}

static void put_subtree(
    const struct sizes *s, struct table *table, const struct subtree *t)
{
    const char *path = outline_saved(s->outline, t->node).path;
    bool is_text_form = table->settings->form == FORM_PEOPLE ||
                        table->settings->form == FORM_MARKDOWN;
    table_text(table, is_text_form && !*path ? "/" : path);
    table_count(table, t->objects);
    table_count(table, t->all.values);
    table_count(table, t->all.elements);
    table_size(table, t->all.bytes);
    put_types(table, t);
    table_text(table,
        t->all.values ? outline_saved(s->outline, t->largest).path : NULL);
}

/* --- Totals ------------------------------------------------------------- */

static void put_facts(const struct sizes *s, struct table *table)
{
    const varve_reader *reader = s->outline->reader;
    const char *file = shown_path(varve_reader_path(reader));
    json_t *list = json_array();
    for (size_t i = 0; i < s->largest_count; i++) {
        varve_saved_node node = outline_saved(s->outline, s->largest[i].node);
        json_array_append_new(
            list, json_pack("{s:o, s:s, s:o}", "path",
                      json_bytes(node.path, strlen(node.path)), "dtype",
                      varve_dtype_name(node.value.dtype), "bytes",
                      json_count(node.size)));
    }
    table_fact(table, "file", json_bytes(file, strlen(file)));
    table_fact(table, "format",
        json_string(varve_format_name(varve_reader_format(reader))));
    table_fact(table, "size", json_count(varve_reader_size(reader)));
    table_fact(table, "counts",
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "objects",
            json_count(s->total.objects), "values",
            json_count(s->total.all.values), "bytes",
            json_count(s->total.all.bytes), "states",
            json_count(tally_of(&s->total, STATES).values), "slots",
            json_count(s->slots), "shared", json_count(s->shared), "unsaved",
            json_count(s->unsaved)));
    table_fact(table, "types", types_json(&s->total));
    table_fact(table, "largest", list);
}

static void print_counts(const struct sizes *s)
{
    const struct {
        uint64_t count;
        const char *one, *many;
    } facts[] = {
        { s->total.objects, "object", "objects" },
        { s->total.all.values, "value", "values" },
        { s->slots, "slot", "slots" },
        { tally_of(&s->total, STATES).values, "state", "states" },
        { s->shared, "shared", "shared" },
        { s->unsaved, "not saved", "not saved" },
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (i < 2 || facts[i].count)
            printf("%s%" PRIu64 " %s", i ? ", " : "", facts[i].count,
                facts[i].count == 1 ? facts[i].one : facts[i].many);
    }
    puts("\n");
}

static void print_types(const struct sizes *s)
{
    static const struct column columns[] = { { "dtype", "TYPE", false },
        { "values", "VALUES", true }, { "elements", "ELEMENTS", true },
        { "bytes", "BYTES", true } };
    struct table table;
    table_begin(&table, s->settings, stdout, "", columns, 4);
    for (size_t k = 0; k < KINDS; k++) {
        struct tally tally = tally_of(&s->total, k);
        if (tally.values == 0)
            continue;
        table_text(&table, tally_name(k));
        table_count(&table, tally.values);
        table_count(&table, tally.elements);
        table_size(&table, tally.bytes);
    }
    table_end(&table);
    putchar('\n');
}

static void print_largest(const struct sizes *s)
{
    static const struct column columns[] = { { "path", "LARGEST", false },
        { "type", "TYPE", false }, { "bytes", "BYTES", true } };
    char text[VARVE_TENSOR_TEXT_SIZE];
    struct table table;
    if (s->largest_count == 0)
        return;
    putchar('\n');
    table_begin(&table, s->settings, stdout, "", columns, 3);
    for (size_t i = 0; i < s->largest_count; i++) {
        varve_saved_node node = outline_saved(s->outline, s->largest[i].node);
        table_text(&table, node.path);
        table_text(&table, type_text(&node.value, text));
        table_size(&table, node.size);
    }
    table_end(&table);
}

static void print_all(const struct sizes *s)
{
    static const struct column columns[] = { { "path", "PATH", false },
        { "objects", "OBJECTS", true }, { "values", "VALUES", true },
        { "elements", "ELEMENTS", true }, { "bytes", "BYTES", true },
        { "types", "TYPES", false }, { "largest", NULL, false } };
    struct table table;
    bool is_text_form =
        s->settings->form == FORM_PEOPLE || s->settings->form == FORM_MARKDOWN;
    if (is_text_form) {
        struct style style = style_for(s->settings, stdout);
        heading_print(s->settings, &style, s->outline);
        print_counts(s);
        print_types(s);
    }
    table_begin(&table, s->settings, stdout, "varve.stat/1", columns,
        sizeof columns / sizeof *columns);
    put_facts(s, &table);
    table_measure(&table);
    do {
        for (size_t i = 0; i < s->row_count && i < s->view->limit; i++) {
            const struct subtree subtree = subtree_of(s, s->order[i]);
            put_subtree(s, &table, &subtree);
        }
    } while (table_again(&table));
    table_end(&table);
    if (is_text_form)
        print_largest(s);
}

int stat_sizes(
    const struct stat_options *options, const struct outline *outline)
{
    struct sizes s = { .settings = &options->settings,
        .view = &options->view,
        .outline = outline };
    count_all(&s);
    sort_rows(&s);
    print_all(&s);
    free_rows(&s);
    return OUTCOME_DONE;
}

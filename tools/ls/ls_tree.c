/* ls_tree.c - Prints the output of varve ls as a tree: names, types, sizes,
 * notes.
 *
 * The tree is traversed twice, first to measure its columns.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heading.h"
#include "ls.h"
#include "slot_summary.h"
#include "style.h"
#include "tensor_text.h"
#include "tree_walk.h"
#include "units.h"
#include "value.h"

enum {
    WIDEST_NAMES = 48, /* longer names shift the rest of their row */
    WIDEST_TYPES = 32,
    DEEPEST = 64 /* number of levels shown without --depth */
};

struct tree_printer {
    const struct settings *settings;
    const struct outline *outline;
    struct style style;
    size_t name_width;
    size_t type_width;
    size_t size_width;
    uint64_t row_count;
};

/* The texts of a row. `name` is allocated. */
struct cells {
    char *name;
    char type[VARVE_TENSOR_TEXT_SIZE];
    char size[UNITS_TEXT_SIZE];
};

static void name_row(
    const struct tree_printer *p, const struct row *row, struct cells *cells)
{
    if (row->kind == ROW_SLOTS) {
        cells->name = strdup("(slots)");
    } else if (row->depth == 0) {
        const char *path = outline_saved(p->outline, p->outline->root).path;
        cells->name = strdup(*path ? path : "/");
    } else if (row->branch.variable != OUTLINE_NONE) {
        varve_saved_node slot = outline_saved(p->outline, row->branch.node);
        cells->name = strdup(slot_label(slot.path));
    } else {
        cells->name = shown_name(row->branch.name);
    }
}

static void type_node(
    const struct tree_printer *p, const varve_saved_node *node, char *type)
{
    const char *kind = kind_name(node->kind);
    if (node->kind == VARVE_VARIABLE)
        type_text(&node->value, type);
    else if (node->kind == VARVE_LIST || node->kind == VARVE_DICT)
        snprintf(type, VARVE_TENSOR_TEXT_SIZE, "%s %s%zu", kind, p->style.times,
            node->edge_count);
    else
        snprintf(type, VARVE_TENSOR_TEXT_SIZE, "%s", kind);
}

static void fill(
    const struct tree_printer *p, const struct row *row, struct cells *cells)
{
    cells->type[0] = cells->size[0] = '\0';
    name_row(p, row, cells);
    if (row->kind == ROW_ALIAS)
        return;
    if (row->kind == ROW_SLOTS) {
        uint64_t bytes = slot_summary(
            p->outline, row->branch.node, cells->type, sizeof cells->type);
        size_text(p->settings->units, bytes, cells->size);
        return;
    }
    varve_saved_node node = outline_saved(p->outline, row->branch.node);
    uint64_t bytes = p->outline->nodes[row->branch.node].bytes;
    type_node(p, &node, cells->type);
    if (bytes || node.has_value)
        size_text(p->settings->units, bytes, cells->size);
}

static void widen(size_t *width, size_t wanted, size_t most)
{
    if (wanted > *width)
        *width = wanted < most ? wanted : most;
}

static bool measure(struct tree_printer *p, uint64_t depth)
{
    struct tree_walk walk;
    struct row row;
    struct cells cells;
    bool good = true;
    tree_walk_begin(&walk, p->outline, depth, p->outline->view->slots);
    while (good && tree_walk_next(&walk, &row)) {
        if (p->row_count++ >= p->outline->view->limit)
            continue;
        fill(p, &row, &cells);
        good = cells.name != NULL;
        if (good) {
            widen(&p->name_width, 3 * row.depth + text_width(cells.name),
                WIDEST_NAMES);
            widen(&p->type_width, text_width(cells.type), WIDEST_TYPES);
            widen(&p->size_width, strlen(cells.size), UNITS_TEXT_SIZE);
        }
        free(cells.name);
    }
    good = good && !walk.failed;
    tree_walk_end(&walk);
    return good;
}

/* Prints the lines to the left of a row, and its name. */
static size_t print_name(const struct tree_printer *p,
    const struct tree_walk *walk, const struct row *row, const char *name)
{
    const struct style *s = &p->style;
    bool bold =
        row->kind == ROW_NODE &&
        outline_saved(p->outline, row->branch.node).kind != VARVE_VARIABLE;
    fputs(s->dim, stdout);
    for (size_t level = 1; level < row->depth; level++)
        fputs(tree_walk_goes_on(walk, level) ? s->pipe : s->blank, stdout);
    if (row->depth)
        fputs(tree_walk_goes_on(walk, row->depth) ? s->tee : s->corner, stdout);
    fputs(s->plain, stdout);
    fputs(bold ? s->bold : "", stdout);
    print_clean(stdout, name);
    fputs(bold ? s->plain : "", stdout);
    return 3 * row->depth + text_width(name);
}

/* Returns the reason why a value is not in the file. */
static const char *why_not_saved(const struct tree_printer *p, uint32_t id)
{
    const char *tag;
    for (size_t i = 0; (tag = varve_reader_tag_at(p->outline->reader, id, i));
         i++)
        if (strcmp(tag, VARVE_TAG_LOCAL) == 0)
            return "local: not saved by policy";
    return "not saved: it had no value";
}

static void print_tags(const struct tree_printer *p, uint32_t id)
{
    const char *tag;
    for (size_t i = 0; (tag = varve_reader_tag_at(p->outline->reader, id, i));
         i++) {
        if (strcmp(tag, VARVE_TAG_LOCAL) == 0)
            continue;
        printf("  %s#", p->style.dim);
        print_clean(stdout, tag);
        fputs(p->style.plain, stdout);
    }
}

/* Prints a scalar, or the start of a state that is text, if it is small enough
 * to be read here. */
static void print_value(
    const struct tree_printer *p, const varve_saved_node *node)
{
    enum { LARGEST = 1 << 20 };
    struct value value;
    varve_error error;
    bool is_state = node->kind == VARVE_STATE;
    if (!node->has_value || node->size > LARGEST ||
        (node->value.rank > 0 && !is_state))
        return;
    varve_reader *reader = p->outline->reader;
    if ((is_state ? value_read_beginning(&value, reader, node, &error)
                  : value_read(&value, reader, node, &error)) != VARVE_OK) {
        printf("  %sdamaged%s", p->style.red, p->style.plain);
        return;
    }
    if (!is_state || value_is_text(&value))
        fputs("  = ", stdout);
    if (!is_state)
        value_print_scalar(stdout, &value);
    else if (value_is_text(&value))
        value_print_text(stdout, &value);
    value_clear(&value);
}

static void print_notes(const struct tree_printer *p, const struct row *row)
{
    if (row->kind != ROW_NODE)
        return;
    char part[PART_TEXT_SIZE];
    varve_saved_node node = outline_saved(p->outline, row->branch.node);
    print_value(p, &node);
    if (node.part)
        printf("  %s%s%s", p->style.dim, part_text(node.part, part),
            p->style.plain);
    if (node.value.dtype && !node.has_value)
        printf("  %s%s%s", p->style.dim, why_not_saved(p, row->branch.node),
            p->style.plain);
    print_tags(p, row->branch.node);
    if (row->is_cut)
        printf("  %s%s %" PRIu32 " below%s", p->style.dim, p->style.dots,
            p->outline->nodes[row->branch.node].below, p->style.plain);
}

static void print_alias(const struct tree_printer *p, uint32_t id)
{
    char *path = outline_path(p->outline, id);
    printf("%s%s ", p->style.dim, p->style.arrow);
    print_clean(stdout, !path ? "?" : *path ? path : "/");
    printf(" (stored once)%s", p->style.plain);
    free(path);
}

/* Prints the columns after the name, which was `used` columns wide. The last
 * column is not padded. */
static void print_columns(const struct tree_printer *p, const struct row *row,
    const struct cells *cells, size_t used)
{
    size_t width = used < p->name_width ? p->name_width - used : 0;
    printf("%*s", (int)width + 2, "");
    if (row->kind == ROW_ALIAS) {
        print_alias(p, row->branch.node);
        return;
    }
    varve_saved_node node = outline_saved(p->outline, row->branch.node);
    bool typed = row->kind == ROW_NODE && node.value.dtype;
    fputs(typed ? p->style.cyan : p->style.dim, stdout);
    if (cells->size[0] || typed)
        print_padded(cells->type, p->type_width);
    else
        print_clean(stdout, cells->type);
    fputs(p->style.plain, stdout);
    if (cells->size[0])
        printf("  %*s", (int)p->size_width, cells->size);
}

static bool print_rows(const struct tree_printer *p, uint64_t depth)
{
    struct tree_walk walk;
    struct row row;
    struct cells cells;
    bool good = true;
    tree_walk_begin(&walk, p->outline, depth, p->outline->view->slots);
    for (uint64_t i = 0;
         i < p->outline->view->limit && good && tree_walk_next(&walk, &row);
         i++) {
        fill(p, &row, &cells);
        good = cells.name != NULL;
        if (good) {
            size_t used = print_name(p, &walk, &row, cells.name);
            print_columns(p, &row, &cells, used);
            print_notes(p, &row);
            putchar('\n');
        }
        free(cells.name);
    }
    good = good && !walk.failed;
    tree_walk_end(&walk);
    return good;
}

static void print_fold_note(const struct tree_printer *p)
{
    char note[FOLD_NOTE_SIZE];
    if (*outline_fold_note(p->outline, note))
        printf(
            "%s%s %s%s\n", p->style.dim, p->style.dots, note, p->style.plain);
}

bool ls_tree(const struct settings *settings, const struct outline *outline)
{
    struct tree_printer p = { .settings = settings,
        .outline = outline,
        .style = style_for(settings, stdout) };
    const struct view *view = outline->view;
    uint64_t depth = view->depth == UINT64_MAX ? DEEPEST : view->depth;
    if (!measure(&p, depth))
        return false;
    heading_print(settings, &p.style, outline);
    if (!print_rows(&p, depth))
        return false;
    if (p.row_count > view->limit)
        printf(
            "%s %" PRIu64 " more\n", p.style.dots, p.row_count - view->limit);
    print_fold_note(&p);
    return true;
}

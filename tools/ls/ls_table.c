/* ls_table.c - ls as a table: a line for each value.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ls.h"
#include "ls_values.h"
#include "style.h"
#include "tensor_text.h"
#include "units.h"

enum { COLUMNS = 6, GLOBAL_NAME = COLUMNS - 1 };

/* The texts of one line. */
struct line {
    const char *cells[COLUMNS];
    char shape[VARVE_TENSOR_TEXT_SIZE];
    char bytes[UNITS_TEXT_SIZE];
    char digest[DIGEST_TEXT_SIZE];
};

static void fill(const struct settings *settings, const varve_saved_node *node,
    struct line *line)
{
    unsigned units = settings->units ? settings->units : UNITS_BYTES;
    line->cells[0] = node->path;
    line->cells[1] = varve_dtype_name(node->value.dtype);
    line->cells[2] = shape_text(&node->value, line->shape);
    line->cells[GLOBAL_NAME] = node->global_name ? node->global_name : "-";
    line->cells[3] = "-";
    line->cells[4] = "not saved";
    if (node->has_value) {
        line->cells[3] = size_text(units, node->size, line->bytes);
        line->cells[4] = digest_text(node->digest, line->digest);
    }
}

static void measure(const struct line *line, size_t widths[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        size_t width = text_width(line->cells[i]);
        if (width > widths[i])
            widths[i] = width;
    }
}

/* Sizes stand to the right, everything else to the left. */
static void print_line(
    const struct line *line, const size_t widths[COLUMNS], int columns)
{
    for (int i = 0; i < columns - 1; i++) {
        if (i == 3)
            printf("%*s  ", (int)widths[i], line->cells[i]);
        else {
            print_padded(line->cells[i], widths[i]);
            fputs("  ", stdout);
        }
    }
    print_clean(stdout, line->cells[columns - 1]);
    putchar('\n');
}

static void print_tsv(const struct line *line, const varve_saved_node *node)
{
    for (int i = 0; i < GLOBAL_NAME; i++) {
        print_clean(stdout, i == 4 && !node->has_value ? "-" : line->cells[i]);
        putchar('\t');
    }
    if (node->has_value && node->file)
        printf("%" PRIu64 "\t%s\t", node->offset, kind_name(node->kind));
    else
        printf("-\t%s\t", kind_name(node->kind));
    print_clean(stdout, line->cells[GLOBAL_NAME]);
    putchar('\t');
    print_clean(stdout, node->has_value && node->file ? node->file : "-");
    putchar('\n');
}

static const struct line header = { .cells = { "PATH", "DTYPE", "SHAPE",
                                        "BYTES", "XXH3-128", "GLOBAL NAME" } };

/* Whether a name says more than the path does. */
static bool has_other_name(const varve_saved_node *node)
{
    return node->global_name && strcmp(node->global_name, node->path) != 0;
}

static void print_table(const struct settings *settings,
    const struct outline *outline, const uint32_t *ids, size_t count)
{
    size_t widths[COLUMNS] = { 0 };
    struct line line;
    struct style style = style_for(settings, stdout);
    int columns = COLUMNS - 1;
    measure(&header, widths);
    for (size_t i = 0; i < count; i++) {
        varve_saved_node node = outline_saved(outline, ids[i]);
        fill(settings, &node, &line);
        measure(&line, widths);
        if (has_other_name(&node))
            columns = COLUMNS;
    }
    fputs(style.bold, stdout);
    print_line(&header, widths, columns);
    fputs(style.plain, stdout);
    for (size_t i = 0; i < count; i++) {
        varve_saved_node node = outline_saved(outline, ids[i]);
        fill(settings, &node, &line);
        print_line(&line, widths, columns);
    }
}

bool ls_table(const struct settings *settings, const struct outline *outline)
{
    size_t count;
    uint32_t *ids = ls_values(settings, outline, &count);
    if (!ids)
        return false;
    if (!settings->tsv) {
        print_table(settings, outline, ids, count);
    } else {
        struct line line;
        puts("path\tdtype\tshape\tbytes\txxh3-128\toffset\tkind\t"
             "global_name\tfile");
        for (size_t i = 0; i < count; i++) {
            varve_saved_node node = outline_saved(outline, ids[i]);
            fill(settings, &node, &line);
            print_tsv(&line, &node);
        }
    }
    free(ids);
    return true;
}

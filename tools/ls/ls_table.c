/* ls_table.c - Prints the output of varve ls as a table with a row for each
 * value.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "ls.h"
#include "store_path.h"
#include "value_list.h"
#include "table.h"
#include "tensor_text.h"

static void print_value(struct table *table, const varve_saved_node *node)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    char digest[DIGEST_TEXT_SIZE];
    bool is_for_programs = table->settings->form == FORM_TSV;
    table_text(table, node->path);
    table_text(table, varve_dtype_name(node->value.dtype));
    table_text(table, shape_text(&node->value, text));
    if (node->has_value)
        table_size(table, node->size);
    else
        table_none(table);
    if (node->has_value)
        table_text(table, digest_text(node->digest, digest));
    else
        table_text(table, is_for_programs ? NULL : "not saved");
    if (node->has_value && node->file)
        table_count(table, node->offset);
    else
        table_none(table);
    table_text(table, kind_name(node->kind));
    table_text(table, node->global_name);
    table_text(table, node->has_value ? shown_path(node->file) : NULL);
}

/* Returns true if the global name differs from the path. */
static bool has_other_name(const varve_saved_node *node)
{
    return node->global_name && strcmp(node->global_name, node->path) != 0;
}

static bool any_has_other_name(
    const struct outline *outline, const uint32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        varve_saved_node node = outline_saved(outline, ids[i]);
        if (has_other_name(&node))
            return true;
    }
    return false;
}

bool ls_table(const struct settings *settings, const struct outline *outline)
{
    enum { GLOBAL_NAME = 7 };
    struct column columns[] = { { "path", "PATH", false },
        { "dtype", "DTYPE", false }, { "shape", "SHAPE", false },
        { "bytes", "BYTES", true }, { "xxh3-128", "XXH3-128", false },
        { "offset", NULL, true }, { "kind", NULL, false },
        { "global_name", NULL, false }, { "file", NULL, false } };
    struct settings exact = *settings;
    struct table table;
    size_t count;
    uint32_t *ids = value_list(outline->view, outline, &count);
    if (!ids)
        return false;
    if (!settings->units)
        exact.units = UNITS_BYTES;
    if (any_has_other_name(outline, ids, count))
        columns[GLOBAL_NAME].title = "GLOBAL NAME";
    table_begin(&table, &exact, stdout, "varve.ls/1", columns,
        sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        varve_saved_node node = outline_saved(outline, ids[i]);
        print_value(&table, &node);
    }
    table_end(&table);
    free(ids);
    return true;
}

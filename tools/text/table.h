/* table.h - Prints rows as a text table, as JSON, as lines of JSON, in
 * Markdown, or separated by tabs. A command declares its columns once, and then
 * adds each row cell by cell:
 *
 *     table_begin(&table, settings, stdout, "varve.log/1", columns, 2);
 *     table_text(&table, path);
 *     table_size(&table, size);
 *     table_end(&table);
 *
 * JSON is one object with the schema, facts, and the rows as `items`; lines of
 * JSON contain only the items. For a text table all rows are kept until the end
 * to determine the widths; otherwise they are printed immediately. A command
 * with many rows that are cheap to make adds them twice, so that none is kept:
 *
 *     table_begin(&table, ...);
 *     table_measure(&table);
 *     do {
 *         ... all rows ...
 *     } while (table_again(&table));
 *     table_end(&table);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "style.h"

struct column {
    const char *key; /* in JSON, and as the heading with tabs */
    /* in text tables and Markdown; NULL: the column is omitted there */
    const char *title;
    bool is_number; /* right-aligned */
};

enum table_stage { TABLE_FACTS, TABLE_ROWS, TABLE_MORE_FACTS };

/* A table keeps its rows until the end, or a first pass measures their widths
 * and a second one prints each row. */
enum table_pass { TABLE_KEEP, TABLE_MEASURE, TABLE_PRINT };

struct table {
    const struct settings *settings;
    FILE *to;
    const struct column *columns;
    size_t column_count;
    struct style style;
    enum table_stage stage;
    enum table_pass pass;
    size_t rows;    /* number of complete rows */
    size_t next;    /* column of the next cell */
    size_t *widths; /* of each column, for text tables */
    /* for text tables: cells, each NUL-terminated; of all rows, or of the last
     * one */
    FILE *kept;
    char *text; /* content of `kept` */
    size_t size;
    const char **colors; /* by row, if rows are kept; NULL: none */
    size_t color_room;
    const char *color; /* of the last row, if rows are printed */
};

void table_begin(struct table *table, const struct settings *settings, FILE *to,
    const char *schema, const struct column *columns, size_t count);

/* To be called before the first row: all rows will be added twice. */
void table_measure(struct table *table);

/* Returns true if all rows must be added again, with the same cells. */
bool table_again(struct table *table);

/* Returns true if the table is printed as JSON or as lines of JSON. */
bool table_is_json(const struct table *table);

/* Adds a fact, only for JSON, before the first row or after the last. Releases
 * `value`. */
void table_fact(struct table *table, const char *key, json_t *value);

/* Adds the next cell. NULL, or table_none, is an empty cell: null, or "-". */
void table_text(struct table *table, const char *text);
void table_none(struct table *table);
void table_count(struct table *table, uint64_t count);
void table_integer(struct table *table, int64_t number);
/* Adds a size, in text tables with a unit. */
void table_size(struct table *table, uint64_t bytes);
/* Adds a real, in text tables with six digits. */
void table_real(struct table *table, double real);
void table_flag(struct table *table, bool flag);

/* Adds a cell that is `value` in JSON, and `text` elsewhere. Releases
 * `value`. */
void table_json(struct table *table, json_t *value, const char *text);

/* Like table_json, for text that is already JSON. */
void table_raw(struct table *table, const char *json, const char *text);

/* For text tables only: adds a line between two rows. */
void table_line(struct table *table, const char *text);

/* Sets the color of the last complete row in a text table. */
void table_color(struct table *table, const char *color);

/* Prints the remaining output, and frees everything. */
void table_end(struct table *table);

#endif

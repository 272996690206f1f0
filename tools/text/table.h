/* table.h - an answer of many rows: for people, as JSON, as lines of JSON, in
 * Markdown, or with tabs. A command names its columns once, and then gives each
 * row cell by cell:
 *
 *     table_begin(&table, settings, stdout, "varve.log/1", columns, 2);
 *     table_text(&table, path);
 *     table_size(&table, size);
 *     table_end(&table);
 *
 * JSON is one object with the schema, facts, and the rows as `items`; lines of
 * JSON are the items alone. For people all rows are kept until the end, for
 * their widths; else they are printed as they come.
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
    const char *key;   /* in JSON, and above the column with tabs */
    const char *title; /* for people and in Markdown; NULL: not for them */
    bool is_number;    /* stands to the right */
};

enum table_stage { TABLE_FACTS, TABLE_ROWS, TABLE_MORE_FACTS };

struct table {
    const struct settings *settings;
    FILE *to;
    const struct column *columns;
    size_t column_count;
    struct style style;
    enum table_stage stage;
    size_t rows;    /* that are complete */
    size_t next;    /* the column of the next cell */
    size_t *widths; /* of each column, for people */
    FILE *kept;     /* for people: all cells, each with its '\0' */
    char *text;     /* what is kept */
    size_t size;
    const char **colors; /* of each row; NULL: none */
    size_t color_room;
};

void table_begin(struct table *table, const struct settings *settings, FILE *to,
    const char *schema, const struct column *columns, size_t count);

/* What is said once, in JSON alone: before the first row or after the last.
 * Releases `value`. */
void table_fact(struct table *table, const char *key, json_t *value);

/* The next cell. NULL, or table_none, where there is nothing: null, or "-". */
void table_text(struct table *table, const char *text);
void table_none(struct table *table);
void table_count(struct table *table, uint64_t count);
void table_integer(struct table *table, int64_t number);
void table_size(struct table *table, uint64_t bytes); /* in units for people */
void table_real(struct table *table, double real); /* six digits for people */
void table_flag(struct table *table, bool flag);

/* A cell that is one thing in JSON, and `text` elsewhere. Releases `value`. */
void table_json(struct table *table, json_t *value, const char *text);

/* The same, of what is written as JSON already. */
void table_raw(struct table *table, const char *json, const char *text);

/* For people alone: a line between two rows, of one cell. */
void table_line(struct table *table, const char *text);

/* The colour for people of the row that is complete now. */
void table_color(struct table *table, const char *color);

/* Prints what is not printed yet, and forgets everything. */
void table_end(struct table *table);

#endif

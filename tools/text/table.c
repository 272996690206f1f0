/* table.c - Prints rows and columns in each format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "element_text.h"
#include "json_out.h"
#include "memory.h"
#include "settings.h"
#include "units.h"

static enum form form_of(const struct table *t)
{
    return t->settings->form;
}

/* --- Each form ---------------------------------------------------------- */

/* Escapes characters with a meaning in Markdown. */
static void print_markdown(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>#|~&", *text))
            putc('\\', to);
        putc(*text, to);
    }
}

static char *clean_text(const char *text)
{
    char *clean = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&clean, &size);
    if (to) {
        print_clean(to, text);
        fclose(to);
    }
    return clean ? clean : memory_copy_text("?", 1);
}

static void print_tabs(struct table *t, const char *text)
{
    if (t->next > 0)
        putc('\t', t->to);
    print_clean(t->to, text);
}

static void print_bar(struct table *t, const char *text)
{
    if (!t->columns[t->next].title)
        return;
    char *clean = clean_text(text);
    fputs("| ", t->to);
    print_markdown(t->to, clean);
    putc(' ', t->to);
    free(clean);
}

static void keep(struct table *t, const char *text)
{
    if (!t->columns[t->next].title)
        return;
    if (t->pass != TABLE_PRINT) {
        size_t width = text_width(text);
        if (width > t->widths[t->next])
            t->widths[t->next] = width;
    }
    if (t->pass != TABLE_MEASURE) {
        print_clean(t->kept, text);
        if (putc('\0', t->kept) == EOF)
            memory_exhausted();
    }
}

/* --- Rows of text tables ------------------------------------------------ */

/* Prints a cell, padded unless it is the last. */
static void print_cell(
    const struct table *t, const char *text, size_t column, bool is_last)
{
    size_t used = text_width(text);
    int pad = (int)(t->widths[column] - used);
    if (t->columns[column].is_number)
        fprintf(t->to, "%*s%s", pad, "", text);
    else
        fprintf(t->to, "%s%*s", text, is_last ? 0 : pad, "");
}

/* Returns the last column of a row; for a line between rows, the first. */
static size_t last_column(const struct table *t, const char *text)
{
    size_t last = 0;
    bool is_line = true;
    for (size_t i = 0; i < t->column_count; i++) {
        if (!t->columns[i].title)
            continue;
        is_line = is_line && (i == 0 || !*text);
        last = i;
        text += strlen(text) + 1;
    }
    return is_line ? 0 : last;
}

/* Prints one row, whose cells begin at `text`. Returns the start of the next
 * row. */
static const char *print_row(
    const struct table *t, const char *text, const char *color)
{
    const char *between = "";
    size_t last = last_column(t, text);
    fputs(color, t->to);
    for (size_t i = 0; i < t->column_count; i++) {
        if (!t->columns[i].title)
            continue;
        if (i <= last) {
            fputs(between, t->to);
            print_cell(t, text, i, i == last);
        }
        text += strlen(text) + 1;
        between = "  ";
    }
    fprintf(t->to, "%s\n", *color ? t->style.plain : "");
    return text;
}

/* Prints the row that was added last, if rows are printed. */
static void print_last(struct table *t)
{
    if (t->pass != TABLE_PRINT || ftello(t->kept) == 0)
        return;
    if (fflush(t->kept) != 0)
        memory_exhausted();
    print_row(t, t->text, t->color);
    rewind(t->kept);
    t->color = "";
}

/* --- Cells -------------------------------------------------------------- */

static void begin_rows(struct table *t)
{
    if (t->stage == TABLE_FACTS && form_of(t) == FORM_JSON)
        fputs(",\"items\":[", t->to);
    t->stage = TABLE_ROWS;
}

static void begin_row(struct table *t)
{
    if (t->next > 0)
        return;
    begin_rows(t);
    if (form_of(t) == FORM_JSON)
        fputs(t->rows ? ",\n" : "\n", t->to);
    if (form_of(t) != FORM_PEOPLE)
        return;
    print_last(t);
    if (t->pass == TABLE_KEEP) {
        t->colors =
            memory_grow(t->colors, &t->color_room, t->rows, sizeof *t->colors);
        t->colors[t->rows] = "";
    }
}

static void end_row(struct table *t)
{
    static const char *const ends[] = { [FORM_PEOPLE] = "",
        [FORM_JSON] = "}",
        [FORM_JSONL] = "}\n",
        [FORM_MARKDOWN] = "|\n",
        [FORM_TSV] = "\n" };
    if (++t->next < t->column_count)
        return;
    fputs(ends[form_of(t)], t->to);
    t->next = 0;
    t->rows++;
}

bool table_is_json(const struct table *t)
{
    return form_of(t) == FORM_JSON || form_of(t) == FORM_JSONL;
}

/* Prints the key of the next cell; its value follows. */
static void print_key(struct table *t)
{
    fprintf(t->to, "%s\"%s\":", t->next ? "," : "{", t->columns[t->next].key);
}

static void cell(struct table *t, const char *json, const char *text)
{
    begin_row(t);
    if (table_is_json(t)) {
        print_key(t);
        fputs(json, t->to);
    } else if (form_of(t) == FORM_TSV) {
        print_tabs(t, text);
    } else if (form_of(t) == FORM_MARKDOWN) {
        print_bar(t, text);
    } else {
        keep(t, text);
    }
    end_row(t);
}

void table_json(struct table *t, json_t *value, const char *text)
{
    char *json = table_is_json(t) ? json_text(value) : NULL;
    if (table_is_json(t) && !json)
        json_print(t->to, NULL); /* prints an error and ends the program */
    cell(t, json, text ? text : "-");
    free(json);
    json_decref(value);
}

void table_raw(struct table *t, const char *json, const char *text)
{
    cell(t, json, text);
}

void table_text(struct table *t, const char *text)
{
    if (!text)
        table_none(t);
    else if (table_is_json(t))
        table_json(t, json_bytes(text, strlen(text)), text);
    else
        cell(t, NULL, text);
}

void table_none(struct table *t)
{
    cell(t, "null", "-");
}

void table_count(struct table *t, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    cell(t, text, text);
}

void table_integer(struct table *t, int64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    cell(t, text, text);
}

void table_size(struct table *t, uint64_t bytes)
{
    char plain[UNITS_TEXT_SIZE];
    char shown[UNITS_TEXT_SIZE];
    bool is_text_form =
        form_of(t) == FORM_PEOPLE || form_of(t) == FORM_MARKDOWN;
    size_text(UNITS_BYTES, bytes, plain);
    cell(t, plain,
        is_text_form ? size_text(t->settings->units, bytes, shown) : plain);
}

void table_real(struct table *t, double real)
{
    char json[ELEMENT_TEXT_SIZE];
    char text[ELEMENT_TEXT_SIZE];
    real_text(real, true, json);
    if (form_of(t) == FORM_TSV)
        real_text(real, false, text);
    else
        snprintf(text, sizeof text, "%.6g", real);
    cell(t, json, text);
}

void table_flag(struct table *t, bool flag)
{
    cell(t, flag ? "true" : "false", flag ? "yes" : "no");
}

void table_line(struct table *t, const char *text)
{
    if (form_of(t) != FORM_PEOPLE)
        return;
    for (size_t i = 0; i < t->column_count; i++) {
        begin_row(t);
        keep(t, i == 0 ? text : "");
        end_row(t);
    }
}

void table_color(struct table *t, const char *color)
{
    if (form_of(t) != FORM_PEOPLE)
        return;
    t->color = color;
    if (t->pass == TABLE_KEEP)
        t->colors[t->rows - 1] = color;
}

/* --- Tables ------------------------------------------------------------- */

static void print_title(struct table *t)
{
    const struct column *c = &t->columns[t->next];
    if (form_of(t) == FORM_TSV)
        print_tabs(t, c->key);
    else if (form_of(t) == FORM_MARKDOWN)
        print_bar(t, c->title);
    else if (c->title)
        keep(t, c->title);
}

static void print_titles(struct table *t)
{
    for (t->next = 0; t->next < t->column_count; t->next++)
        print_title(t);
    t->next = 0;
    if (form_of(t) == FORM_TSV)
        putc('\n', t->to);
    if (form_of(t) != FORM_MARKDOWN)
        return;
    fputs("|\n", t->to);
    for (size_t i = 0; i < t->column_count; i++) {
        if (t->columns[i].title)
            fputs(t->columns[i].is_number ? "| ---: " : "| --- ", t->to);
    }
    fputs("|\n", t->to);
}

void table_begin(struct table *t, const struct settings *settings, FILE *to,
    const char *schema, const struct column *columns, size_t count)
{
    *t = (struct table){ .settings = settings,
        .to = to,
        .columns = columns,
        .column_count = count,
        .style = style_for(settings, to),
        .color = "" };
    if (form_of(t) == FORM_JSON)
        fprintf(to, "{\"schema\":\"%s\"", schema);
    if (table_is_json(t))
        return;
    if (form_of(t) == FORM_PEOPLE) {
        t->widths = memory_allocate(count, sizeof *t->widths);
        t->kept = open_memstream(&t->text, &t->size);
        if (!t->kept)
            memory_exhausted();
    }
    print_titles(t);
}

void table_measure(struct table *t)
{
    if (form_of(t) == FORM_PEOPLE)
        t->pass = TABLE_MEASURE;
}

/* Prints the titles, which were kept, if there are rows. */
bool table_again(struct table *t)
{
    if (t->pass != TABLE_MEASURE)
        return false;
    t->pass = TABLE_PRINT;
    if (t->rows == 0)
        rewind(t->kept);
    t->color = t->style.bold;
    t->rows = 0;
    return true;
}

void table_fact(struct table *t, const char *key, json_t *value)
{
    if (form_of(t) != FORM_JSON) {
        json_decref(value);
        return;
    }
    if (t->stage == TABLE_ROWS) {
        fputs("\n]", t->to);
        t->stage = TABLE_MORE_FACTS;
    }
    fprintf(t->to, ",\"%s\":", key);
    json_print(t->to, value);
}

static void print_kept(struct table *t)
{
    print_last(t);
    bool failed = ferror(t->kept);
    if (fclose(t->kept) != 0 || failed)
        memory_exhausted();
    const char *text = t->pass == TABLE_KEEP ? t->text : NULL;
    if (t->rows > 0 && text)
        text = print_row(t, text, t->style.bold);
    for (size_t i = 0; text && i < t->rows; i++)
        text = print_row(t, text, t->colors[i]);
    free(t->text);
    free(t->widths);
    free(t->colors);
}

void table_end(struct table *t)
{
    if (form_of(t) == FORM_JSON) {
        if (t->stage == TABLE_FACTS)
            begin_rows(t);
        fputs(t->stage == TABLE_MORE_FACTS ? "}\n" : "\n]}\n", t->to);
    }
    if (form_of(t) == FORM_PEOPLE)
        print_kept(t);
    *t = (struct table){ .rows = 0 };
}

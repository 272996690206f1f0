/* array_text.c - Prints arrays while their elements are read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "array_text.h"

#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "element_text.h"

enum { MOST_SHORTENED = 8000, MOST_STRING = 400 };

struct printer {
    struct cells cells;
    const struct selection *selection;
    uint32_t rank; /* rank of the output */
    const struct axis *axes[VARVE_MAX_RANK];
    uint64_t at[VARVE_MAX_RANK]; /* the next element */
    size_t width;                /* of a line */
    size_t column;       /* position in the line, including pending spaces */
    size_t waiting;      /* number of spaces to print before the next text */
    uint64_t most_bytes; /* of a string */
    bool begun;
};

/* --- Selection ---------------------------------------------------------- */

static void shorten_axis(struct axis *axis, uint64_t edge)
{
    if (axis->count <= 2 * edge)
        return;
    axis->skipped = axis->count - 2 * edge;
    axis->lead = edge;
    axis->count = 2 * edge;
}

void array_shorten(const struct selection *selection, struct selection *shown)
{
    *shown = *selection;
    if (selection_count(selection) <= MOST_ELEMENTS)
        return;
    for (uint64_t edge = 3; edge > 0; edge--) {
        *shown = *selection;
        for (uint32_t d = 0; d < shown->rank; d++)
            shorten_axis(&shown->axes[d], edge);
        if (selection_count(shown) <= MOST_SHORTENED)
            return;
    }
}

/* --- Lines -------------------------------------------------------------- */

static void put_spaces(struct printer *p)
{
    printf("%*s", (int)p->waiting, "");
    p->waiting = 0;
}

static void new_lines(struct printer *p, uint32_t lines, size_t indent)
{
    while (lines-- > 0)
        putchar('\n');
    printf("%*s", (int)indent, "");
    p->column = indent;
    p->waiting = 0;
}

/* Begins a new line if a word of `size` columns does not fit. A row begins
 * after its brackets. */
static void make_space(struct printer *p, size_t size)
{
    if (p->column > p->rank && p->column + size > p->width - p->rank)
        new_lines(p, 1, p->rank);
    put_spaces(p);
    p->column += size;
}

static void end_word(struct printer *p, size_t spaces)
{
    p->waiting = spaces + 1;
    p->column++;
}

static void print_string(struct printer *p, const varve_string *string)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    size_t columns = print_quoted(to, string, p->most_bytes);
    fclose(to);
    make_space(p, columns);
    fputs(text, stdout);
    free(text);
    end_word(p, 0);
}

static void print_element(struct printer *p, const unsigned char *bytes)
{
    char text[CELL_SIZE];
    if (p->cells.dtype == VARVE_STRING) {
        print_string(p, (const void *)bytes);
        return;
    }
    cell_text(&p->cells, bytes, text);
    size_t size = strlen(text), used = size;
    while (used > 0 && text[used - 1] == ' ')
        used--;
    make_space(p, size);
    fwrite(text, 1, used, stdout);
    end_word(p, size - used);
}

/* --- Brackets ----------------------------------------------------------- */

/* Returns the dimension that continues with the next element; inner dimensions
 * begin. */
static uint32_t going_on(const struct printer *p)
{
    uint32_t d = p->rank;
    while (d > 0 && p->at[d - 1] == 0)
        d--;
    return d;
}

/* Separates blocks of the dimension `d` by as many newlines as there are inner
 * dimensions. */
static void begin_block(struct printer *p, uint32_t d)
{
    bool is_gap = p->at[d] == p->axes[d]->lead && p->axes[d]->skipped;
    if (d + 1 == p->rank) {
        if (!is_gap)
            return;
        make_space(p, 3);
        fputs("...", stdout);
        end_word(p, 0);
        return;
    }
    new_lines(p, p->rank - 1 - d, d + 1);
    if (is_gap) {
        fputs("...", stdout);
        new_lines(p, p->rank - 1 - d, d + 1);
    }
}

static void open_brackets(struct printer *p)
{
    uint32_t d = going_on(p);
    if (d > 0)
        begin_block(p, d - 1);
    for (; d < p->rank; d++)
        putchar('[');
    if (p->column < p->rank || !p->begun)
        p->column = p->rank;
    p->begun = true;
}

/* Closes the dimensions that end after an element. */
static void close_brackets(struct printer *p)
{
    uint32_t d = p->rank;
    for (; d > 0 && ++p->at[d - 1] == p->axes[d - 1]->count; d--) {
        p->at[d - 1] = 0;
        /* drops the separator; prints the trailing spaces of the last cell */
        p->waiting -= p->waiting > 0;
        put_spaces(p);
        putchar(']');
    }
    if (d < p->rank)
        p->column = 0;
}

/* --- Public functions --------------------------------------------------- */

static varve_status each(struct printer *p, struct pieces *pieces,
    void (*function)(struct printer *p, const struct piece *piece),
    varve_error *error)
{
    struct piece piece;
    varve_status status;
    pieces_begin(pieces, p->selection);
    while ((status = pieces_next(pieces, &piece, error)) == VARVE_OK &&
           piece.count > 0)
        function(p, &piece);
    return status;
}

static void measure(struct printer *p, const struct piece *piece)
{
    cells_measure(&p->cells, piece->bytes, piece->count);
}

static void fit(struct printer *p, const struct piece *piece)
{
    cells_fit(&p->cells, piece->bytes, piece->count);
}

static void print_piece(struct printer *p, const struct piece *piece)
{
    size_t size = varve_dtype_size(p->cells.dtype);
    for (uint64_t i = 0; i < piece->count; i++) {
        open_brackets(p);
        print_element(p, piece->bytes + i * size);
        close_brackets(p);
    }
}

static void print_scalar(struct printer *p, const struct piece *piece)
{
    char text[ELEMENT_TEXT_SIZE];
    if (p->cells.dtype == VARVE_STRING)
        print_quoted(stdout, (const void *)piece->bytes, p->most_bytes);
    else
        fputs(element_text(p->cells.dtype, piece->bytes, false, text), stdout);
}

static varve_status print_array(
    struct printer *p, struct pieces *pieces, varve_error *error)
{
    varve_status status = each(p, pieces, measure, error);
    if (status == VARVE_OK)
        status = each(p, pieces, fit, error);
    if (status == VARVE_OK)
        status = each(p, pieces, print_piece, error);
    return status;
}

varve_status array_print(struct subject *s, varve_error *error)
{
    const struct show_options *options = s->options;
    const struct selection *selection = &s->selection;
    struct selection shown;
    array_shorten(selection, &shown);
    struct printer p = { .selection = options->full ? selection : &shown,
        .width = options->width ? (size_t)options->width : DEFAULT_WIDTH,
        .most_bytes = options->full ? UINT64_MAX : MOST_STRING };
    varve_status status = VARVE_OK;
    cells_begin(&p.cells, selection->dtype,
        options->precision > 100 ? DEFAULT_PRECISION
                                 : (unsigned)options->precision);
    for (uint32_t d = 0; d < selection->rank; d++) {
        if (!selection->axes[d].is_index)
            p.axes[p.rank++] = &p.selection->axes[d];
    }
    if (p.width < 2 * (size_t)p.rank + 1)
        p.width = 2 * (size_t)p.rank + 1;
    if (selection_count(selection) == 0)
        fputs("[]", stdout);
    else
        status = p.rank > 0 ? print_array(&p, &s->pieces, error)
                            : each(&p, &s->pieces, print_scalar, error);
    putchar('\n');
    return status;
}

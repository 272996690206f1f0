/* page_notes.c - Prints notes of nodes, and rows for objects that the file does
 * not have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_notes.h"

#include "page_out.h"

/* --- A note ------------------------------------------------------------- */

static void print_statistics(FILE *to, const struct page_statistics *s)
{
    const uint64_t counts[] = { s->count, s->zeros, s->nans, s->infinities };
    const double reals[] = { s->least, s->most, s->mean, s->deviation, s->low,
        s->high };
    fputs("[", to);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        page_out_number(to, counts[i]);
        fputs(",", to);
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        page_out_real(to, reals[i]);
        fputs(",", to);
    }
    fputs("[", to);
    for (size_t i = 0; s->bins && i < s->bin_count; i++) {
        page_out_comma(to, i);
        page_out_number(to, s->bins[i]);
    }
    fputs("]]", to);
}

static bool is_empty(const struct page_note *note)
{
    return !note->mark && !note->text && !note->nearest && !note->statistics;
}

/* Prints mark, text, nearest path and statistics. */
static void print_note(FILE *to, const struct page_note *note)
{
    page_out_number(to, note->mark);
    fputs(",", to);
    page_out_text(to, note->text);
    fputs(",", to);
    page_out_text(to, note->nearest);
    fputs(",", to);
    if (note->statistics)
        print_statistics(to, note->statistics);
    else
        fputs("0", to);
}

/* --- Public functions --------------------------------------------------- */

static void print_marks(FILE *to, const struct page_overlay *overlay)
{
    fputs("\"marks\":[", to);
    for (size_t i = 0; i < overlay->mark_count; i++) {
        page_out_comma(to, i);
        fputs("[", to);
        page_out_text(to, overlay->marks[i].name);
        fputs(",", to);
        page_out_text(to, overlay->marks[i].help);
        fputs(",", to);
        page_out_number(to, overlay->marks[i].tone);
        fputs("]", to);
    }
    fputs("],\n", to);
}

/* Prints, for each node with a note, its number and the note. */
static void print_node_notes(
    FILE *to, const varve_reader *reader, const struct page_overlay *overlay)
{
    varve_saved_node node;
    size_t count = 0;
    fputs("\"notes\":[", to);
    for (size_t i = 0;
         overlay->on_node && varve_reader_node_at(reader, i, &node); i++) {
        struct page_note note = { 0 };
        overlay->on_node(overlay->user, &node, &note);
        if (is_empty(&note))
            continue;
        page_out_comma(to, count++);
        fputs("[", to);
        page_out_number(to, node.id);
        fputs(",", to);
        print_note(to, &note);
        fputs("]", to);
    }
    fputs("],\n", to);
}

static void print_row(FILE *to, const struct page_row *row)
{
    char type[VARVE_TENSOR_TEXT_SIZE];
    fputs("[", to);
    page_out_text(to, row->path);
    fputs(",", to);
    page_out_text(
        to, row->value.dtype ? varve_tensor_text(&row->value, type) : NULL);
    fputs(",", to);
    print_note(to, &row->note);
    fputs("]", to);
}

static void print_rows(FILE *to, const struct page_overlay *overlay)
{
    struct page_row row = { 0 };
    fputs("\"rows\":[", to);
    for (size_t i = 0;
         overlay->on_row && overlay->on_row(overlay->user, i, &row); i++) {
        page_out_comma(to, i);
        print_row(to, &row);
        row = (struct page_row){ 0 };
    }
    fputs("]", to);
}

void page_print_notes(
    FILE *to, const varve_reader *reader, const struct page_overlay *overlay)
{
    print_marks(to, overlay);
    print_node_notes(to, reader, overlay);
    print_rows(to, overlay);
}

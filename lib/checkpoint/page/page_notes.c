/* page_notes.c - notes of nodes, rows of what the file does not have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_notes.h"

#include "failure.h"

varve_status vv_page_check_options(
    const varve_page_options *options, varve_error *error)
{
    if (options->mark_count > VV_PAGE_MOST_MARKS ||
        (options->mark_count > 0 && !options->marks))
        return vv_fail(error, VARVE_MISUSE,
            "marks: expected up to %d marks, found %zu%s", VV_PAGE_MOST_MARKS,
            options->mark_count, options->marks ? "" : " at NULL");
    for (size_t i = 0; i < options->mark_count; i++) {
        if (!options->marks[i].name)
            return vv_fail(error, VARVE_MISUSE,
                "marks: expected a name for mark %zu, found NULL", i + 1);
        if ((unsigned)options->marks[i].tone > VARVE_PAGE_BROKEN)
            return vv_fail(error, VARVE_MISUSE,
                "marks: expected a tone of 0 to %d for mark %zu, found %d",
                VARVE_PAGE_BROKEN, i + 1, (int)options->marks[i].tone);
    }
    return VARVE_OK;
}

/* --- A note ------------------------------------------------------------- */

static void add_statistics(
    struct vv_page_out *out, const varve_page_statistics *s)
{
    const uint64_t counts[] = { s->count, s->zeros, s->nans, s->infinities };
    const double reals[] = { s->least, s->most, s->mean, s->deviation, s->low,
        s->high };
    vv_page_out_text(out, "[");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        vv_page_out_number(out, counts[i]);
        vv_page_out_text(out, ",");
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        vv_page_out_real(out, reals[i]);
        vv_page_out_text(out, ",");
    }
    vv_page_out_text(out, "[");
    for (size_t i = 0; s->bins && i < s->bin_count; i++) {
        vv_page_out_comma(out, i);
        vv_page_out_number(out, s->bins[i]);
    }
    vv_page_out_text(out, "]]");
}

static bool is_empty(const varve_page_note *note)
{
    return !note->mark && !note->text && !note->nearest && !note->statistics;
}

/* Mark, text, nearest, statistics. */
static void add_note(struct vv_page_out *out, const varve_page_options *options,
    const varve_page_note *note)
{
    if (note->mark > options->mark_count && !out->status)
        vv_page_out_fail(
            out, vv_fail(out->error, VARVE_MISUSE,
                     "a note of a page: expected a mark of 0 to %zu, found %zu",
                     options->mark_count, note->mark));
    vv_page_out_number(out, note->mark);
    vv_page_out_text(out, ",");
    vv_page_out_maybe(out, note->text);
    vv_page_out_text(out, ",");
    vv_page_out_maybe(out, note->nearest);
    vv_page_out_text(out, ",");
    if (note->statistics)
        add_statistics(out, note->statistics);
    else
        vv_page_out_text(out, "0");
}

static void fail(struct vv_page_out *out, const char *what, varve_status status)
{
    vv_page_out_fail(
        out, vv_fail(out->error, vv_status_of_callback(status),
                 "a page: %s failed with %s", what, varve_status_name(status)));
}

/* --- All of them -------------------------------------------------------- */

static void add_marks(
    struct vv_page_out *out, const varve_page_options *options)
{
    vv_page_out_text(out, "\"marks\":[");
    for (size_t i = 0; i < options->mark_count; i++) {
        vv_page_out_comma(out, i);
        vv_page_out_text(out, "[");
        vv_page_out_maybe(out, options->marks[i].name);
        vv_page_out_text(out, ",");
        vv_page_out_maybe(out, options->marks[i].help);
        vv_page_out_text(out, ",");
        vv_page_out_number(out, (uint64_t)options->marks[i].tone);
        vv_page_out_text(out, "]");
    }
    vv_page_out_text(out, "],\n");
}

/* Of each node that has one: its number, then the note. */
static void add_node_notes(struct vv_page_out *out, varve_reader *reader,
    const varve_page_options *options)
{
    varve_saved_node node;
    size_t count = 0;
    vv_page_out_text(out, "\"notes\":[");
    for (size_t i = 0; options->on_node && !out->status &&
                       varve_reader_node_at(reader, i, &node);
         i++) {
        varve_page_note note = { 0 };
        varve_status status =
            options->on_node(options->on_node_user, &node, &note);
        if (status)
            fail(out, "on_node", status);
        if (status || is_empty(&note))
            continue;
        vv_page_out_comma(out, count++);
        vv_page_out_text(out, "[");
        vv_page_out_number(out, node.id);
        vv_page_out_text(out, ",");
        add_note(out, options, &note);
        vv_page_out_text(out, "]");
    }
    vv_page_out_text(out, "],\n");
}

static void add_row(struct vv_page_out *out, const varve_page_options *options,
    const varve_page_row *row)
{
    char type[VARVE_TENSOR_TEXT_SIZE];
    vv_page_out_text(out, "[");
    vv_page_out_maybe(out, row->path);
    vv_page_out_text(out, ",");
    vv_page_out_maybe(
        out, row->value.dtype ? varve_tensor_text(&row->value, type) : NULL);
    vv_page_out_text(out, ",");
    add_note(out, options, &row->note);
    vv_page_out_text(out, "]");
}

static void add_rows(struct vv_page_out *out, const varve_page_options *options)
{
    varve_status status = VARVE_OK;
    vv_page_out_text(out, "\"rows\":[");
    for (size_t i = 0; options->on_row && !status && !out->status; i++) {
        varve_page_row row = { 0 };
        status = options->on_row(options->on_row_user, i, &row);
        if (status)
            break;
        vv_page_out_comma(out, i);
        add_row(out, options, &row);
    }
    if (status && status != VARVE_NOT_FOUND)
        fail(out, "on_row", status);
    vv_page_out_text(out, "]");
}

void vv_page_add_notes(struct vv_page_out *out, varve_reader *reader,
    const varve_page_options *options)
{
    add_marks(out, options);
    add_node_notes(out, reader, options);
    add_rows(out, options);
}

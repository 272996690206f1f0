/* diff_page.c - a mark for each node that differs, and in which way.
 *
 * SPDX-License-Identifier: MIT
 */
#include "diff_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_output.h"
#include "room.h"

/* The mark of a finding is one more than its number. */
static const varve_page_mark marks[FINDING_KINDS] = {
    [FINDING_CHANGED] = { "changed", "other elements", VARVE_PAGE_CHANGED },
    [FINDING_INCOMPARABLE] = { "incomparable", "another type or shape",
        VARVE_PAGE_BAD },
    [FINDING_ONLY_IN_A] = { "only in A", "B has it not", VARVE_PAGE_APART },
    [FINDING_ONLY_IN_B] = { "only in B", "A has it not", VARVE_PAGE_NEW },
    [FINDING_STRUCTURE] = { "structure", "kind, tags, names or sharing",
        VARVE_PAGE_WAITS },
    [FINDING_METADATA] = { "metadata", NULL, VARVE_PAGE_QUIET },
    [FINDING_DAMAGED] = { "damaged", "it does not read", VARVE_PAGE_BROKEN },
    [FINDING_EQUAL] = { "equal", NULL, VARVE_PAGE_GOOD },
};

struct said {
    size_t mark; /* 0: nothing */
    char *path;  /* of a row */
    char *text;  /* NULL: all is plain */
    varve_tensor value;
};

struct diff_page {
    const struct settings *settings;
    const struct side *b;
    struct said *of_node;
    size_t node_count;
    struct said *rows;
    size_t row_count;
    size_t row_room;
};

struct diff_page *diff_page_begin(
    const struct settings *settings, const struct side *b)
{
    if (!settings->page)
        return NULL;
    struct diff_page *page = room_for(1, sizeof *page);
    page->settings = settings;
    page->b = b;
    page->node_count = varve_reader_node_count(b->target.reader);
    page->of_node = room_for(page->node_count, sizeof *page->of_node);
    return page;
}

static char *words_of(const struct finding_row *row)
{
    char text[400];
    const struct difference *d = row->difference;
    if (row->finding != FINDING_CHANGED || !d || !d->has_gaps)
        return *row->note ? room_copy(row->note, strlen(row->note)) : NULL;
    int size = snprintf(text, sizeof text,
        "%" PRIu64 " of %" PRIu64 " elements differ, by %g at most",
        d->differing, d->elements, d->largest);
    if (*row->note)
        snprintf(
            text + size, sizeof text - (size_t)size, "; %.200s", row->note);
    return room_copy(text, strlen(text));
}

void diff_page_add(
    struct diff_page *page, const struct finding_row *row, const char *path)
{
    struct said said = { .mark = 1 + (size_t)row->finding };
    if (!page || (row->b && page->of_node[row->b->id].mark))
        return;
    said.text = words_of(row);
    if (row->b) {
        page->of_node[row->b->id] = said;
        return;
    }
    if (row->finding != FINDING_METADATA)
        said.path = room_join(page->b->target.node.path, path);
    if (row->a)
        said.value = row->a->value;
    page->rows = room_more(
        page->rows, &page->row_room, page->row_count, sizeof *page->rows);
    page->rows[page->row_count++] = said;
}

static varve_status on_node(
    void *user, const varve_saved_node *node, varve_page_note *note)
{
    const struct diff_page *page = user;
    note->mark = page->of_node[node->id].mark;
    note->text = page->of_node[node->id].text;
    return VARVE_OK;
}

static varve_status on_row(void *user, size_t index, varve_page_row *row)
{
    const struct diff_page *page = user;
    if (index >= page->row_count)
        return VARVE_NOT_FOUND;
    row->path = page->rows[index].path;
    row->value = page->rows[index].value;
    row->note.mark = page->rows[index].mark;
    row->note.text = page->rows[index].text;
    return VARVE_OK;
}

static int write_page(struct diff_page *page)
{
    struct settings settings = *page->settings;
    varve_page_options overlay = {
        .marks = marks,
        .mark_count = FINDING_KINDS,
        .on_node = on_node,
        .on_node_user = page,
        .on_row = on_row,
        .on_row_user = page,
    };
    settings.output = settings.page;
    return page_output(&settings, &page->b->target, &overlay);
}

int diff_page_end(struct diff_page *page, int outcome)
{
    if (!page)
        return outcome;
    if (outcome == OUTCOME_DONE || outcome == OUTCOME_NO) {
        int written = write_page(page);
        outcome = written == OUTCOME_DONE ? outcome : written;
    }
    for (size_t i = 0; i < page->node_count; i++)
        free(page->of_node[i].text);
    for (size_t i = 0; i < page->row_count; i++) {
        free(page->rows[i].path);
        free(page->rows[i].text);
    }
    free(page->of_node);
    free(page->rows);
    free(page);
    return outcome;
}

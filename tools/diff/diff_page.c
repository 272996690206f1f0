/* diff_page.c - Marks each node that differs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "diff_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "noted.h"
#include "page_output.h"
#include "memory.h"

/* The number of the mark of a finding is the finding plus 1. */
static const struct page_mark marks[FINDING_KINDS] = {
    [FINDING_CHANGED] = { "changed", "other elements", PAGE_CHANGED },
    [FINDING_INCOMPARABLE] = { "incomparable", "another type or shape",
        PAGE_BAD },
    [FINDING_ONLY_IN_A] = { "only in A", "B has it not", PAGE_APART },
    [FINDING_ONLY_IN_B] = { "only in B", "A has it not", PAGE_NEW },
    [FINDING_STRUCTURE] = { "structure", "kind, tags, names or sharing",
        PAGE_WAITS },
    [FINDING_METADATA] = { "metadata", NULL, PAGE_QUIET },
    [FINDING_DAMAGED] = { "damaged", "it does not read", PAGE_BROKEN },
    [FINDING_EQUAL] = { "equal", NULL, PAGE_GOOD },
};

struct diff_page {
    const struct diff_options *options;
    const struct side *b;
    struct noted noted;
};

struct diff_page *diff_page_begin(
    const struct diff_options *options, const struct side *b)
{
    if (!options->page)
        return NULL;
    struct diff_page *page = memory_allocate(1, sizeof *page);
    page->options = options;
    page->b = b;
    noted_begin(&page->noted, b->target.reader);
    return page;
}

enum { WORDS_SIZE = 400 };

/* Returns NULL if there is nothing to add. */
static const char *words_of(
    const struct finding_row *row, char text[WORDS_SIZE])
{
    const struct difference *d = row->difference;
    if (row->finding != FINDING_CHANGED || !d || !d->has_gaps)
        return *row->note ? row->note : NULL;
    int size = snprintf(text, WORDS_SIZE,
        "%" PRIu64 " of %" PRIu64 " element%s differ%s, by %g at most",
        d->differing, d->elements, d->elements == 1 ? "" : "s",
        d->differing == 1 ? "s" : "", d->largest);
    if (*row->note)
        snprintf(text + size, WORDS_SIZE - (size_t)size, "; %.200s", row->note);
    return text;
}

void diff_page_add(
    struct diff_page *page, const struct finding_row *row, const char *path)
{
    char text[WORDS_SIZE];
    char *whole = NULL;
    if (!page || (row->b && noted_has(&page->noted, row->b->id)))
        return;
    struct page_row said = { .note = { .mark = 1 + (size_t)row->finding,
                                 .text = words_of(row, text) } };
    if (row->b) {
        noted_node(&page->noted, row->b->id, &said.note);
        return;
    }
    if (row->finding != FINDING_METADATA)
        whole = memory_join_path(page->b->target.node.path, path);
    said.path = whole;
    if (row->a)
        said.value = row->a->value;
    noted_row(&page->noted, &said);
    free(whole);
}

static int write_page(struct diff_page *page)
{
    const struct page_to to = { .path = page->options->page };
    struct page_overlay overlay =
        noted_overlay(&page->noted, marks, FINDING_KINDS);
    return page_output(
        &page->options->settings, &to, &page->b->target, &overlay);
}

int diff_page_end(struct diff_page *page, int outcome)
{
    if (!page)
        return outcome;
    if (outcome == OUTCOME_DONE || outcome == OUTCOME_NO) {
        int written = write_page(page);
        outcome = written == OUTCOME_DONE ? outcome : written;
    }
    noted_clear(&page->noted);
    free(page);
    return outcome;
}

/* noted.c - Stores notes by node, and a list of rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "noted.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

void noted_begin(struct noted *noted, const varve_reader *reader)
{
    *noted = (struct noted){ .node_count = varve_reader_node_count(reader) };
    noted->of_node = memory_allocate(noted->node_count, sizeof *noted->of_node);
}

static void free_note(const struct page_note *note)
{
    free((char *)note->text);
    free((char *)note->nearest);
    if (note->statistics)
        free((uint64_t *)note->statistics->bins);
    free((struct page_statistics *)note->statistics);
}

void noted_clear(struct noted *noted)
{
    for (size_t i = 0; i < noted->node_count; i++)
        free_note(&noted->of_node[i]);
    for (size_t i = 0; i < noted->row_count; i++) {
        free((char *)noted->rows[i].path);
        free_note(&noted->rows[i].note);
    }
    free(noted->of_node);
    free(noted->rows);
    *noted = (struct noted){ .node_count = 0 };
}

bool noted_has(const struct noted *noted, size_t node)
{
    const struct page_note *note = &noted->of_node[node];
    return note->mark || note->text || note->nearest || note->statistics;
}

static char *copied(const char *text)
{
    return text ? memory_copy_text(text, strlen(text)) : NULL;
}

static const struct page_statistics *copied_statistics(
    const struct page_statistics *from)
{
    if (!from)
        return NULL;
    struct page_statistics *copy = memory_allocate(1, sizeof *copy);
    uint64_t *bins = memory_allocate(from->bin_count, sizeof *bins);
    *copy = *from;
    copy->bins = bins;
    for (size_t i = 0; i < from->bin_count; i++)
        bins[i] = from->bins[i];
    return copy;
}

static struct page_note copied_note(const struct page_note *note)
{
    return (struct page_note){ .mark = note->mark,
        .text = copied(note->text),
        .nearest = copied(note->nearest),
        .statistics = copied_statistics(note->statistics) };
}

void noted_node(struct noted *noted, size_t node, const struct page_note *note)
{
    free_note(&noted->of_node[node]);
    noted->of_node[node] = copied_note(note);
}

void noted_row(struct noted *noted, const struct page_row *row)
{
    noted->rows = memory_grow(
        noted->rows, &noted->row_room, noted->row_count, sizeof *noted->rows);
    noted->rows[noted->row_count++] =
        (struct page_row){ .path = copied(row->path),
            .value = row->value,
            .note = copied_note(&row->note) };
}

static void on_node(
    void *user, const varve_saved_node *node, struct page_note *note)
{
    const struct noted *noted = user;
    *note = noted->of_node[node->id];
}

static bool on_row(void *user, size_t index, struct page_row *row)
{
    const struct noted *noted = user;
    if (index >= noted->row_count)
        return false;
    *row = noted->rows[index];
    return true;
}

struct page_overlay noted_overlay(
    struct noted *noted, const struct page_mark *marks, size_t mark_count)
{
    return (struct page_overlay){ .marks = marks,
        .mark_count = mark_count,
        .on_node = on_node,
        .on_row = on_row,
        .user = noted };
}

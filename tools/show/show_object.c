/* show_object.c - Prints edges, slots and metadata, and the bytes of a state.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heading.h"
#include "memory.h"
#include "show_parts.h"
#include "table.h"
#include "tensor_text.h"

/* --- Objects ------------------------------------------------------------ */

/* Adds for example "dense" or "float32 [784,10]"; for an alias also its
 * target. */
static void put_target(
    struct table *table, const struct subject *s, const struct branch *branch)
{
    char type[VARVE_TENSOR_TEXT_SIZE], *text = NULL;
    size_t size;
    varve_saved_node node = outline_saved(&s->outline, branch->node);
    FILE *to = open_memstream(&text, &size);
    if (!to)
        memory_exhausted();
    fputs(node.value.dtype && node.kind != VARVE_STATE
              ? type_text(&node.value, type)
              : kind_name(node.kind),
        to);
    if (branch->is_alias)
        fprintf(to, " %s %s", s->style.arrow, *node.path ? node.path : "/");
    fclose(to);
    if (node.value.dtype && !node.has_value)
        table_none(table);
    else
        table_size(table, s->outline.nodes[node.id].bytes);
    table_text(table, text);
    free(text);
}

static void put_branch(
    struct table *table, const struct subject *s, const struct branch *branch)
{
    char *name = shown_name(branch->name);
    if (!name)
        memory_exhausted();
    if (branch->variable != OUTLINE_NONE) {
        const char *path = outline_saved(&s->outline, branch->variable).path;
        size_t size = strlen(name) + strlen(path) + 3;
        char *slot = memory_allocate(size, 1);
        snprintf(slot, size, "%s(%s)", name, path);
        free(name);
        name = slot;
    }
    table_text(table, name);
    put_target(table, s, branch);
    free(name);
}

/* Prints a table of edges or of slots, which are after the edges. */
static void print_branches(const struct subject *s, bool slots)
{
    const struct column columns[] = { { "name", slots ? "SLOT" : "EDGE",
                                          false },
        { "bytes", "BYTES", true }, { "type", "TO", false } };
    struct table table;
    struct branch branch;
    size_t edges = s->node.edge_count;
    size_t end = slots ? edges + s->node.slot_count : edges;
    size_t i = slots ? edges : 0;
    if (i == end)
        return;
    putchar('\n');
    table_begin(&table, s->settings, stdout, "", columns, 3);
    for (; i < end && outline_branch(&s->outline, s->node.id, i, &branch); i++)
        put_branch(&table, s, &branch);
    table_end(&table);
}

void show_object(const struct subject *s)
{
    if (s->node.id == 0)
        heading_print(s->settings, &s->style, &s->outline);
    print_branches(s, false);
    print_branches(s, true);
}

/* --- States ------------------------------------------------------------- */

/* Returns the number of bytes if they are text, otherwise 0. If more bytes
 * follow, the last code point can be incomplete and is excluded. */
static size_t text_size(const char *bytes, size_t size, bool goes_on)
{
    const char *at = bytes;
    if (memchr(bytes, 0, size))
        return 0;
    while (at < bytes + size) {
        const char *begin = at;
        unsigned long point = text_next(&at);
        if (goes_on && point == 0xfffd && begin + 4 > bytes + size)
            return (size_t)(begin - bytes);
        if (point != '\n' && point != '\t' && point_steers(point))
            return 0;
    }
    return size;
}

static void print_hex(const unsigned char *bytes, uint64_t count, uint64_t at)
{
    enum { ROW = 16 };
    for (uint64_t i = 0; i < count; i += ROW) {
        uint64_t size = count - i < ROW ? count - i : ROW;
        printf("%08" PRIx64 " ", at + i);
        for (uint64_t j = 0; j < ROW; j++) {
            if (j < size)
                printf("%s %02x", j == ROW / 2 ? " " : "", bytes[i + j]);
            else
                printf("%s   ", j == ROW / 2 ? " " : "");
        }
        fputs("  |", stdout);
        for (uint64_t j = 0; j < size; j++)
            putchar(bytes[i + j] >= 0x20 && bytes[i + j] < 0x7f ? bytes[i + j]
                                                                : '.');
        puts("|");
    }
}

static void print_rest(const struct subject *s, uint64_t count)
{
    if (count > 0)
        printf("%s %" PRIu64 " more byte%s\n", s->style.dots, count,
            count == 1 ? "" : "s");
}

/* Prints a state if it is text, and returns true if it is. The first bytes
 * decide; with --full, all bytes do. */
static bool print_text(
    const struct subject *s, const struct piece *piece, uint64_t count)
{
    bool is_full = s->options->full;
    size_t size = is_full || piece->count < MOST_STATE_TEXT
                      ? (size_t)piece->count
                      : MOST_STATE_TEXT;
    char *text = memory_allocate(size + 1, 1);
    memcpy(text, piece->bytes, size);
    size_t shown = text_size(text, size, size < count);
    bool is_text = shown > 0 && (!is_full || size == count);
    if (is_text) {
        fwrite(text, 1, shown, stdout);
        if (text[shown - 1] != '\n')
            putchar('\n');
        print_rest(s, count - shown);
    }
    free(text);
    return is_text;
}

varve_status show_state(struct subject *s, varve_error *error)
{
    struct selection shown = s->selection;
    uint64_t count = selection_count(&s->selection);
    struct piece piece;
    if (!s->options->full && shown.axes[0].count > MOST_STATE_TEXT)
        shown.axes[0].count = shown.axes[0].lead = MOST_STATE_TEXT;
    pieces_begin(&s->pieces, &shown);
    varve_status status = pieces_next(&s->pieces, &piece, error);
    if (status != VARVE_OK || piece.count == 0 || print_text(s, &piece, count))
        return status;
    if (!s->options->full) {
        uint64_t size =
            count < MOST_STATE_BYTES ? count : (uint64_t)MOST_STATE_BYTES;
        print_hex(piece.bytes, size, 0);
        print_rest(s, count - size);
        return VARVE_OK;
    }
    while (status == VARVE_OK && piece.count > 0) {
        print_hex(piece.bytes, piece.count, piece.first);
        status = pieces_next(&s->pieces, &piece, error);
    }
    return status;
}

/* lineage.c - Reads runs and parents, and finds the rows that they refer to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lineage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* --- Reading ------------------------------------------------------------ */

/* Parses a number that is followed by the end or a space. */
static bool parse_number(const char *text, uint64_t *number)
{
    char again[24];
    *number = strtoull(text, NULL, 10);
    snprintf(again, sizeof again, "%" PRIu64, *number);
    size_t size = strlen(again);
    return strncmp(text, again, size) == 0 &&
           (text[size] == '\0' || text[size] == ' ');
}

/* Parses "IDENTITY RUN NUMBER"; further text is ignored. Any other text means
 * no parent. */
static void parse_parent(struct lineage *lineage)
{
    const char *text = lineage->parent;
    size_t digits = strspn(text, "0123456789abcdef");
    if (digits != LINEAGE_IDENTITY_SIZE || text[digits] != ' ')
        return;
    const char *run = text + LINEAGE_IDENTITY_SIZE + 1;
    size_t size = strcspn(run, " ");
    if (size == 0 || run[size] != ' ' ||
        !parse_number(run + size + 1, &lineage->parent_number))
        return;
    lineage->has_parent = true;
    if (size != 1 || *run != '-')
        lineage->parent_run = memory_copy_text(run, size);
    memcpy(lineage->parent_identity, text, LINEAGE_IDENTITY_SIZE);
}

static char *copy_of(const varve_metadata *entry)
{
    return memory_copy_text(entry->string, strlen(entry->string));
}

void lineage_read(struct lineage *lineage, const struct run_entry *entry)
{
    const varve_metadata *m;
    *lineage = (struct lineage){ .run = NULL };
    if (!entry->is_managed || !entry->facts.is_ours || entry->facts.is_damaged)
        return;
    varve_reader *reader = varve_reader_open(entry->facts.path, NULL, NULL);
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)); i++) {
        if (m->kind != VARVE_METADATA_STRING || !*m->string)
            continue;
        if (strcmp(m->name, LINEAGE_RUN_KEY) == 0)
            lineage->run = copy_of(m);
        else if (strcmp(m->name, LINEAGE_PARENT_KEY) == 0)
            lineage->parent = copy_of(m);
    }
    if (lineage->parent)
        parse_parent(lineage);
    varve_reader_free(reader);
}

void lineage_clear(struct lineage *lineage)
{
    free(lineage->run);
    free(lineage->parent);
    free(lineage->parent_run);
    *lineage = (struct lineage){ .run = NULL };
}

const char *lineage_short(const char *run)
{
    size_t size = strlen(run);
    return size > LINEAGE_SHORT_SIZE ? run + size - LINEAGE_SHORT_SIZE : run;
}

/* --- Order -------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int64_t time_of(const struct log_row *row)
{
    const varve_checkpoint_info *facts = &row->entry->facts;
    return facts->time >= 0 ? facts->time : row->entry->modified;
}

/* Compares for sorting newest first. */
static int by_age(const void *left, const void *right)
{
    const struct log_row *a = left;
    const struct log_row *b = right;
    int order = compare(b->entry->facts.counter, a->entry->facts.counter);
    if (!order)
        order = (time_of(b) > time_of(a)) - (time_of(b) < time_of(a));
    if (!order)
        order = compare(b->entry->facts.number, a->entry->facts.number);
    if (!order)
        order = compare(a->source, b->source);
    return order ? order : strcmp(b->entry->facts.path, a->entry->facts.path);
}

/* Compares by run; unknown runs by directory. */
static int by_run(const struct log_row *a, const struct log_row *b)
{
    const char *one = a->lineage.run, *other = b->lineage.run;
    if (!one != !other)
        return one ? 1 : -1;
    return one ? strcmp(one, other) : compare(a->source, b->source);
}

/* Compares by run, then by number, or by age if the run is unknown. */
static int by_lineage(const void *left, const void *right)
{
    const struct log_row *a = *(const struct log_row *const *)left;
    const struct log_row *b = *(const struct log_row *const *)right;
    int order = by_run(a, b);
    if (!order && a->lineage.run)
        order = compare(a->entry->facts.number, b->entry->facts.number);
    return order ? order : (a < b) - (a > b); /* newest last */
}

/* --- Parents ------------------------------------------------------------ */

/* Returns the last of the sorted rows that belongs to a run and is not above a
 * number. */
static const struct log_row *find_row(struct log_row *const *sorted,
    size_t count, const char *run, uint64_t number)
{
    struct run_entry entry = { .facts = { .number = number } };
    struct log_row wanted = { .entry = &entry,
        .lineage = { .run = (char *)run } };
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = by_run(sorted[middle], &wanted);
        if (!order)
            order = compare(sorted[middle]->entry->facts.number, number);
        if (order <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && by_run(sorted[low - 1], &wanted) == 0 ? sorted[low - 1]
                                                            : NULL;
}

/* Returns the checkpoint of an unknown run from which the run of a row was
 * resumed. */
static const struct log_row *find_unknown(
    const struct log_row *rows, size_t count, const struct log_row *row)
{
    for (size_t i = 0; i < count; i++) {
        if (!rows[i].lineage.run && rows[i].source == row->source &&
            rows[i].entry->facts.number == row->lineage.parent_number)
            return &rows[i];
    }
    return NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns the row before row `at` in its lineage: of the same run, and resumed
 * from the same checkpoint; or NULL. */
static const struct log_row *find_older(
    struct log_row *const *sorted, size_t at)
{
    const struct log_row *row = sorted[at];
    while (at-- > 0 && by_run(sorted[at], row) == 0) {
        if (row->lineage.run && strcmp(sorted[at]->id, row->id) == 0)
            continue; /* a copy */
        return is_same(sorted[at]->lineage.parent, row->lineage.parent)
                   ? sorted[at]
                   : NULL;
    }
    return NULL;
}

static char *make_id(const struct log_row *row)
{
    char number[24];
    if (!row->lineage.run)
        return memory_join_path("unknown", row->entry->facts.path);
    snprintf(number, sizeof number, "%" PRIu64, row->entry->facts.number);
    return memory_join_path(row->lineage.run, number);
}

static const struct log_row *find_parent(struct log_row *const *sorted,
    size_t count, size_t at, const struct log_row *rows)
{
    const struct log_row *row = sorted[at];
    const struct log_row *older = find_older(sorted, at);
    if (older || !row->lineage.has_parent)
        return older;
    return row->lineage.parent_run
               ? find_row(sorted, count, row->lineage.parent_run,
                     row->lineage.parent_number)
               : find_unknown(rows, count, row);
}

size_t lineage_link(struct log_row *rows, size_t count)
{
    struct log_row **sorted = memory_allocate(count, sizeof *sorted);
    bool *has_child = memory_allocate(count, sizeof *has_child);
    size_t ends = 0;
    if (count)
        qsort(rows, count, sizeof *rows, by_age);
    for (size_t i = 0; i < count; i++) {
        rows[i].id = make_id(&rows[i]);
        sorted[i] = &rows[i];
    }
    if (count)
        qsort(sorted, count, sizeof *sorted, by_lineage);
    for (size_t i = 0; i < count; i++) {
        const struct log_row *parent = find_parent(sorted, count, i, rows);
        sorted[i]->parent_id = parent ? parent->id : NULL;
        if (parent)
            has_child[parent - rows] = true;
    }
    for (size_t i = 0; i < count; i++) {
        bool has_copy =
            i + 1 < count && strcmp(sorted[i]->id, sorted[i + 1]->id) == 0;
        ends += !has_copy && !has_child[sorted[i] - rows];
    }
    free(has_child);
    free(sorted);
    return ends;
}

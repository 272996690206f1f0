/* notes_items.c - Parses notes of a program about paths, with its own marks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "notes.h"
#include "memory.h"

/* --- Marks -------------------------------------------------------------- */

static const char *const tones[PAGE_TONES] = {
    [PAGE_QUIET] = "quiet",
    [PAGE_GOOD] = "good",
    [PAGE_WAITS] = "waits",
    [PAGE_APART] = "apart",
    [PAGE_NEW] = "new",
    [PAGE_CHANGED] = "changed",
    [PAGE_BAD] = "bad",
    [PAGE_BROKEN] = "broken",
};

static bool take_mark(struct notes *n, json_t *from)
{
    const char *tone = NULL;
    json_error_t error;
    struct page_mark *mark = &n->marks[n->mark_count];
    if (n->mark_count == PAGE_MOST_MARKS)
        return notes_fail(n, "expected up to %d marks", PAGE_MOST_MARKS);
    if (json_unpack_ex(from, &error, 0, "{s:s, s?s, s?s}", "name", &mark->name,
            "help", &mark->help, "tone", &tone))
        return notes_fail(n, "a mark: %s", error.text);
    for (int i = 0; i < PAGE_TONES; i++) {
        if (!tone || strcmp(tone, tones[i]) == 0) {
            mark->tone = (enum page_tone)i;
            n->mark_count++;
            return true;
        }
    }
    return notes_fail(n, "expected a tone, found %.40s", tone);
}

/* Finds the mark with a name; sets *mark to 0 if `name` is NULL. */
static bool find_mark(struct notes *n, const char *name, size_t *mark)
{
    *mark = 0;
    for (size_t i = 0; name && i < n->mark_count && !*mark; i++) {
        if (strcmp(n->marks[i].name, name) == 0)
            *mark = i + 1;
    }
    return !name || *mark || notes_fail(n, "unknown mark %.80s", name);
}

/* --- Statistics --------------------------------------------------------- */

struct numbers {
    struct page_statistics shown;
    uint64_t *bins;
};

static bool take_count(const json_t *from, const char *key, uint64_t *count)
{
    const json_t *number = from ? json_object_get(from, key) : NULL;
    *count = (uint64_t)json_integer_value(number);
    return !number ||
           (json_is_integer(number) && json_integer_value(number) >= 0);
}

static double real_of(const json_t *from, const char *key)
{
    const json_t *number = json_object_get(from, key);
    return json_is_number(number) ? json_number_value(number) : (double)NAN;
}

static bool take_bins(struct numbers *s, const json_t *bins)
{
    size_t count = json_array_size(bins);
    s->bins = memory_allocate(count, sizeof *s->bins);
    for (size_t i = 0; i < count; i++) {
        json_int_t bin = json_integer_value(json_array_get(bins, i));
        if (bin < 0)
            return false;
        s->bins[i] = (uint64_t)bin;
    }
    s->shown.bins = s->bins;
    s->shown.bin_count = count;
    return true;
}

static bool take_statistics(
    struct notes *n, const json_t *from, struct numbers *s)
{
    s->shown = (struct page_statistics){
        .least = real_of(from, "least"),
        .most = real_of(from, "most"),
        .mean = real_of(from, "mean"),
        .deviation = real_of(from, "deviation"),
        .low = real_of(from, "low"),
        .high = real_of(from, "high"),
    };
    return (take_count(from, "count", &s->shown.count) &&
               take_count(from, "zeros", &s->shown.zeros) &&
               take_count(from, "nans", &s->shown.nans) &&
               take_count(from, "infinities", &s->shown.infinities) &&
               take_bins(s, json_object_get(from, "bins"))) ||
           notes_fail(n, "expected counts in statistics");
}

/* --- Items -------------------------------------------------------------- */

/* Adds a note to the node at its path. If there is no such node, or it has a
 * note already, adds a row. */
static void add_row(struct notes *n, const struct page_row *row)
{
    varve_saved_node node;
    if (row->path && varve_reader_find(n->reader, row->path, &node) &&
        !noted_has(&n->noted, node.id))
        noted_node(&n->noted, node.id, &row->note);
    else
        noted_row(&n->noted, row);
}

static bool take_item(struct notes *n, json_t *from)
{
    struct page_row row = { 0 };
    struct numbers numbers = { .bins = NULL };
    const char *mark = NULL, *dtype = NULL;
    const json_t *shape = NULL, *statistics = NULL;
    json_error_t error;
    if (json_unpack_ex(from, &error, 0, "{s?s, s?s, s?s, s?s, s?s, s?o, s?o}",
            "path", &row.path, "mark", &mark, "text", &row.note.text, "nearest",
            &row.note.nearest, "dtype", &dtype, "shape", &shape, "statistics",
            &statistics))
        return notes_fail(n, "%s", error.text);
    bool good = find_mark(n, mark, &row.note.mark) &&
                (notes_type(&row.value, dtype, shape) ||
                    notes_fail(n, "expected dtype and shape of a value")) &&
                (!statistics || take_statistics(n, statistics, &numbers));
    if (statistics)
        row.note.statistics = &numbers.shown;
    if (good)
        add_row(n, &row);
    free(numbers.bins);
    return good;
}

bool notes_of_items(struct notes *n)
{
    size_t i;
    json_t *each;
    const json_t *marks = json_object_get(n->source, "marks");
    const json_t *items = json_object_get(n->source, "items");
    json_array_foreach(marks, i, each)
    {
        if (!take_mark(n, each))
            return false;
    }
    json_array_foreach(items, i, each)
    {
        if (!take_item(n, each))
            return false;
    }
    return json_is_array(items) || notes_fail(n, "expected an array of items");
}

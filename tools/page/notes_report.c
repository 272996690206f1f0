/* notes_report.c - Converts the findings of a report to notes about nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/restoration.h>

#include "notes.h"
#include "memory.h"

enum { EXCUSED = VARVE_FINDING_KINDS, MARKS };

/* By kind of finding; the last one is for expected findings. */
static const struct page_mark marks[MARKS] = {
    [VARVE_FINDING_MATCHED] = { "arrived", "has its value from the file",
        PAGE_GOOD },
    [VARVE_FINDING_PENDING] = { "waits",
        "in the file; the program may still ask", PAGE_WAITS },
    [VARVE_FINDING_UNEXPECTED] = { "only in the file", "nothing waits for it",
        PAGE_APART },
    [VARVE_FINDING_MISSING] = { "only in the program", "the file lacks it",
        PAGE_NEW },
    [VARVE_FINDING_MISMATCHED] = { "does not fit",
        "both have it, but it differs", PAGE_BAD },
    [VARVE_FINDING_DAMAGED] = { "damaged", "in the file, but not to be read",
        PAGE_BROKEN },
    [EXCUSED] = { "expected", "not restored, ignored by assertions",
        PAGE_QUIET },
};

static const char *const kinds[VARVE_FINDING_KINDS] = {
    [VARVE_FINDING_MATCHED] = "matched",
    [VARVE_FINDING_PENDING] = "waiting",
    [VARVE_FINDING_UNEXPECTED] = "only_in_file",
    [VARVE_FINDING_MISSING] = "only_in_program",
    [VARVE_FINDING_MISMATCHED] = "mismatched",
    [VARVE_FINDING_DAMAGED] = "damaged",
};

enum { NONE = -1 };

/* An item of a report. */
struct item {
    int kind;
    const char *path; /* in the program; or NULL */
    const char *file_path;
    json_int_t node;
    varve_tensor wanted;
    json_int_t bytes; /* of its value in the file */
    const char *reason;
    const char *nearest;
    int is_cast;
    int is_excused;
    json_int_t inexact;
};

/* --- Reading ------------------------------------------------------------ */

static bool take_item(struct notes *n, json_t *from, struct item *item)
{
    const char *kind = NULL, *dtype = NULL;
    const json_t *shape = NULL;
    json_error_t error;
    *item = (struct item){ .node = NONE, .bytes = NONE };
    if (json_unpack_ex(from, &error, 0,
            "{s:s, s?s, s?s, s?I, s?s, s?o, s?I, s?s, s?s, s?b, s?b, s?I}",
            "kind", &kind, "path", &item->path, "file_path", &item->file_path,
            "node", &item->node, "dtype", &dtype, "shape", &shape, "bytes",
            &item->bytes, "reason", &item->reason, "nearest", &item->nearest,
            "cast", &item->is_cast, "expected", &item->is_excused, "inexact",
            &item->inexact))
        return notes_fail(n, "%s", error.text);
    while (item->kind < VARVE_FINDING_KINDS &&
           strcmp(kind, kinds[item->kind]) != 0)
        item->kind++;
    if (item->kind == VARVE_FINDING_KINDS)
        return notes_fail(n, "expected a kind of finding, found %.40s", kind);
    return notes_type(&item->wanted, dtype, shape) ||
           notes_fail(n, "expected dtype and shape of a value");
}

static bool is_of(const varve_saved_node *node, const struct item *item)
{
    return item->bytes == NONE ||
           (node->has_value && node->size == (uint64_t)item->bytes);
}

/* Checks that the file contains the value of an item. */
static bool check_node(struct notes *n, const struct item *item)
{
    varve_saved_node node;
    if (item->node == NONE)
        return true;
    if (item->node >= 0 && (uint64_t)item->node < n->noted.node_count &&
        varve_reader_node_at(n->reader, (size_t)item->node, &node) &&
        is_of(&node, item))
        return true;
    return notes_fail(n,
        "the report belongs to another file: see node %" JSON_INTEGER_FORMAT,
        item->node);
}

/* --- Words -------------------------------------------------------------- */

struct words {
    FILE *to;
    char *text;
    size_t size;
    bool has_any;
};

static void words_begin(struct words *w)
{
    *w = (struct words){ .has_any = false };
    w->to = open_memstream(&w->text, &w->size);
    if (!w->to)
        memory_exhausted();
}

/* Returns the text, to be freed. */
static char *words_end(struct words *w)
{
    if (ferror(w->to) | fclose(w->to))
        memory_exhausted();
    return w->text;
}

static void add_words(struct words *w, const char *before, const char *text)
{
    fprintf(w->to, "%s%s%s", w->has_any ? "; " : "", before, text);
    w->has_any = true;
}

static void add_type(
    struct words *w, const char *before, const varve_tensor *type)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    if (type->dtype)
        add_words(w, before, varve_tensor_text(type, text));
}

static void add_finding_words(struct words *w, const struct item *item)
{
    bool has_path = item->path && item->file_path &&
                    strcmp(item->path, item->file_path) != 0;
    if (item->is_excused && item->kind != VARVE_FINDING_MISMATCHED)
        add_words(w, "", marks[item->kind].name);
    if (item->reason)
        add_words(w, "", item->reason);
    if (has_path)
        add_words(w, "in the program: ", *item->path ? item->path : "the root");
    if (item->kind == VARVE_FINDING_MISMATCHED)
        add_type(w, "the program has ", &item->wanted);
    if (item->is_cast)
        add_type(w, "converted to ", &item->wanted);
    if (item->inexact) {
        add_words(w, "", "");
        fprintf(w->to, "%" JSON_INTEGER_FORMAT " %s not kept exactly",
            item->inexact,
            item->inexact == 1 ? "element was" : "elements were");
    }
}

/* --- Notes -------------------------------------------------------------- */

static void add_finding(struct notes *n, const struct item *item)
{
    bool is_excused = item->is_excused && item->kind != VARVE_FINDING_MATCHED;
    struct words words;
    words_begin(&words);
    add_finding_words(&words, item);
    char *text = words_end(&words);
    struct page_note note = {
        .mark = 1 + (size_t)(is_excused ? (int)EXCUSED : item->kind),
        .text = words.has_any ? text : NULL,
        .nearest = item->nearest,
    };
    /* The first finding about a node is its note; others are rows. */
    if (item->node != NONE && !noted_has(&n->noted, (size_t)item->node))
        noted_node(&n->noted, (size_t)item->node, &note);
    else
        noted_row(
            &n->noted, &(struct page_row){
                           .path = item->path ? item->path : item->file_path,
                           .value = item->wanted,
                           .note = note });
    free(text);
}

/* Adds a remark about a rename or pattern that matched nothing. */
static void add_remark(struct notes *n, const struct item *item)
{
    struct words words;
    words_begin(&words);
    fprintf(words.to, "%s: %s%s%s", item->reason ? item->reason : "",
        item->path ? item->path : "",
        item->path && item->file_path ? " -> " : "",
        item->file_path ? item->file_path : "");
    char *text = words_end(&words);
    noted_row(&n->noted, &(struct page_row){ .note = { .text = text,
                                                 .nearest = item->nearest } });
    free(text);
}

bool notes_of_report(struct notes *n)
{
    size_t i;
    json_t *each;
    struct item item;
    const json_t *items = json_object_get(n->source, "items");
    if (!json_is_array(items))
        return notes_fail(n, "expected an array of items");
    n->mark_count = MARKS;
    memcpy(n->marks, marks, sizeof marks);
    if (json_is_true(json_object_get(n->source, "plan")))
        n->marks[VARVE_FINDING_MATCHED].name = "would arrive";
    json_array_foreach(items, i, each)
    {
        if (!take_item(n, each, &item) || !check_node(n, &item))
            return false;
        if (item.kind == VARVE_FINDING_MISMATCHED && item.node == NONE)
            add_remark(n, &item);
        else
            add_finding(n, &item);
    }
    return true;
}

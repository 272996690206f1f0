/* plan_answer.c - Prints the findings of a plan as rows of a table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan_answer.h"

#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "outline.h"
#include "memory.h"
#include "store_path.h"
#include "table.h"
#include "tensor_text.h"

static const struct column columns[] = { { "status", "STATUS", false },
    { "path", "IN PROGRAM", false }, { "file_path", "IN A", false },
    { "dtype", "DTYPE", false }, { "shape", "SHAPE", false },
    { "dtype_saved", NULL, false }, { "shape_saved", NULL, false },
    { "bytes", NULL, true }, { "by", "BY", false },
    { "candidates", "OF", true }, { "distance", "DISTANCE", true },
    { "nearest", NULL, false }, { "expected", NULL, false },
    { "note", "NOTE", false } };

enum plan_status {
    STATUS_MATCHED,
    STATUS_SUGGESTED,
    STATUS_MISSING,
    STATUS_UNEXPECTED,
    STATUS_MISMATCHED,
    STATUS_UNUSED, /* a rename or pattern that matched nothing */
    STATUS_ALLOWED,
    STATUS_COUNT
};

static const char *const status_names[STATUS_COUNT] = { "matched", "suggested",
    "missing", "unexpected", "mismatched", "unused", "allowed" };

struct plan_table {
    const struct plan_facts *facts;
    struct table table;
    struct style style;
    size_t counts[STATUS_COUNT];
};

static const char *const how_names[] = { "along", "end", "only", "name",
    "place" };

const char *how_text(enum how how)
{
    static const char *const texts[] = {
        [HOW_ALONG] = "slots that go along",
        [HOW_END] = "no other paths end in the same names",
        [HOW_ONLY] = "the only ones left with their type and shape",
        [HOW_NAME] = "each is nearest to the other by its path",
        [HOW_PLACE] =
            "same position among equally many of their type and shape",
    };
    return texts[how];
}

const char *how_word(enum how how)
{
    return how_names[how];
}

bool how_is_guess(enum how how)
{
    return how >= HOW_ONLY;
}

/* --- Cells -------------------------------------------------------------- */

static void print_type_row(struct table *table, const varve_tensor *value)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    if (!value || !value->dtype) {
        table_none(table);
        table_none(table);
        return;
    }
    json_t *shape = json_array();
    for (uint32_t i = 0; i < value->rank; i++)
        json_array_append_new(shape, json_count(value->shape[i]));
    table_text(table, varve_dtype_name(value->dtype));
    table_json(table, shape, shape_text(value, text));
}

static const char *or_null(const char *text)
{
    return text && *text ? text : NULL;
}

static void print_suggestion(
    struct table *table, const struct suggestion *suggestion)
{
    if (!suggestion) {
        table_none(table);
        table_none(table);
        table_none(table);
        return;
    }
    table_text(table, how_names[suggestion->how]);
    if (suggestion->candidates)
        table_count(table, suggestion->candidates);
    else
        table_none(table);
    if (suggestion->distance >= 0)
        table_real(table, suggestion->distance);
    else
        table_none(table);
}

static const char *color_of(const struct plan_table *t, enum plan_status status)
{
    switch (status) {
    case STATUS_MATCHED: return t->style.green;
    case STATUS_SUGGESTED: return t->style.cyan;
    case STATUS_MISMATCHED: return t->style.red;
    case STATUS_ALLOWED:
    case STATUS_UNUSED: return t->style.dim;
    default: return "";
    }
}

/* Adds a row with type and shape in the program, or in the file if only that
 * has them; with both if they do not match. */
static void add_row(struct plan_table *t, enum plan_status status,
    const struct found *f, const struct suggestion *suggestion)
{
    struct table *table = &t->table;
    const varve_tensor *saved = f->saved.dtype ? &f->saved : NULL;
    const varve_tensor *wanted = f->wanted.dtype ? &f->wanted : saved;
    bool shows_both = status == STATUS_MISMATCHED || f->is_cast;
    char note[VARVE_TENSOR_TEXT_SIZE + 160], text[VARVE_TENSOR_TEXT_SIZE];
    snprintf(note, sizeof note, "%.140s", f->reason);
    if (shows_both && saved)
        snprintf(note, sizeof note, "%s in A%s%.120s",
            varve_tensor_text(saved, text), *f->reason ? ": " : "", f->reason);
    t->counts[status]++;
    if (t->facts->settings->quiet)
        return;
    table_text(table, status_names[status]);
    table_text(table, or_null(f->program_path));
    table_text(table, or_null(f->file_path));
    print_type_row(table, wanted);
    print_type_row(table, shows_both ? saved : NULL);
    if (f->size)
        table_size(table, f->size);
    else
        table_none(table);
    print_suggestion(table, suggestion);
    table_text(table, or_null(f->nearest));
    table_flag(table, f->is_excused);
    table_text(table, or_null(note));
    table_color(table, color_of(t, status));
}

/* --- Suggestions -------------------------------------------------------- */

/* Sorted program paths for lookups. */
struct lookup {
    const char **paths;
    size_t count;
};

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static struct lookup lookup_of(const struct found_list *list)
{
    struct lookup l = { memory_allocate(list->count, sizeof *l.paths), 0 };
    for (size_t i = 0; i < list->count; i++)
        l.paths[l.count++] = list->items[i].program_path;
    qsort(l.paths, l.count, sizeof *l.paths, compare_paths);
    return l;
}

static bool lookup_has(const struct lookup *l, const char *path)
{
    return bsearch(&path, l->paths, l->count, sizeof path, compare_paths);
}

static int compare_suggestions(const void *left, const void *right)
{
    const struct suggestion *const *a = left;
    const struct suggestion *const *b = right;
    return strcmp((*a)->program_path, (*b)->program_path);
}

static int compare_suggested(const void *key, const void *item)
{
    const struct suggestion *const *s = item;
    return strcmp(key, (*s)->program_path);
}

/* Adds values that matched another path: by a rename, or, if they were missing
 * before, by a suggestion. A missing slot without a suggestion follows its
 * owner and variable. */
static void add_moved(struct plan_table *t)
{
    static const struct suggestion along = { .how = HOW_ALONG, .distance = -1 };
    const struct suggestions *s = t->facts->suggestions;
    const struct found_list *moved = &t->facts->after->moved;
    struct lookup missing = lookup_of(&t->facts->before->missing);
    const struct suggestion **sorted =
        memory_allocate(s->count, sizeof *sorted);
    for (size_t i = 0; i < s->count; i++)
        sorted[i] = &s->items[i];
    qsort(sorted, s->count, sizeof *sorted, compare_suggestions);
    for (int suggested = 0; suggested < 2; suggested++) {
        for (size_t i = 0; i < moved->count; i++) {
            const struct found *f = &moved->items[i];
            if (lookup_has(&missing, f->program_path) != (suggested == 1))
                continue;
            const struct suggestion **found = bsearch(f->program_path, sorted,
                s->count, sizeof *sorted, compare_suggested);
            if (suggested)
                add_row(t, STATUS_SUGGESTED, f, found ? *found : &along);
            else if (t->facts->options->verbose)
                add_row(t, STATUS_MATCHED, f, NULL);
            else
                t->counts[STATUS_MATCHED]++;
        }
    }
    free(sorted);
    free(missing.paths);
}

/* --- The whole answer --------------------------------------------------- */

static void add_list(struct plan_table *t, const struct found_list *list,
    enum plan_status status)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct found *f = &list->items[i];
        enum plan_status real = status;
        if (f->is_excused)
            real = status == STATUS_MISMATCHED && !f->saved.dtype &&
                           !f->wanted.dtype
                       ? STATUS_UNUSED
                       : STATUS_ALLOWED;
        if (real == STATUS_ALLOWED && !t->facts->options->verbose)
            t->counts[real]++;
        else
            add_row(t, real, f, NULL);
    }
}

static bool is_complete(const struct plan_table *t)
{
    return !t->counts[STATUS_SUGGESTED] && !t->counts[STATUS_MISSING] &&
           !t->counts[STATUS_UNEXPECTED] && !t->counts[STATUS_MISMATCHED];
}

static json_t *side(const char *file, const char *format, const char *path)
{
    json_t *fact = json_object();
    json_object_set_new(fact, "file", json_bytes(file, strlen(file)));
    json_object_set_new(fact, "format", json_string(format));
    json_object_set_new(fact, "path", json_bytes(path, strlen(path)));
    return fact;
}

static void begin(struct plan_table *t)
{
    const struct plan_facts *f = t->facts;
    table_begin(&t->table, f->settings, stdout, "varve.plan/1", columns,
        sizeof columns / sizeof *columns);
    table_fact(&t->table, "a",
        side(shown_path(varve_reader_path(f->source)),
            varve_format_name(varve_reader_format(f->source)), f->source_path));
    table_fact(&t->table, "program",
        side(f->program, f->program_format, f->program_path));
}

static size_t guess_count(const struct suggestions *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += how_is_guess(s->items[i].how);
    return count;
}

/* Prints the number of values for which no rename was searched, or for which
 * suggestions were not used. */
static void print_untried(const struct plan_facts *f)
{
    const struct suggestions *s = f->suggestions;
    if (s->uncompared)
        printf("the names of %zu value%s were not compared: too many have the "
               "same type and shape\n",
            s->uncompared, s->uncompared == 1 ? "" : "s");
    if (s->left_out)
        printf("%zu suggestion%s left out: there are too many, and renames "
               "of a few objects do not explain them\n",
            s->left_out, s->left_out == 1 ? " was" : "s were");
    if (s->uncompared || s->left_out)
        printf("use --rename%s, or rename objects in --rename-file\n",
            f->settings->opening.dots ? "" : " or --dots");
}

static void print_counts(const struct plan_table *t)
{
    const char *between = "";
    for (int i = 0; i < STATUS_COUNT; i++) {
        if (t->counts[i] == 0 && i != STATUS_MATCHED)
            continue;
        printf("%s%zu %s", between, t->counts[i], status_names[i]);
        between = ", ";
    }
    putchar('\n');
    if (t->facts->options->map) {
        size_t guesses = guess_count(t->facts->suggestions);
        fputs("wrote ", stdout);
        print_clean(stdout, t->facts->options->map);
        puts("; check it before you use it");
        if (guesses)
            printf(guesses == 1
                       ? "%zu rename in it is a guess, written as a comment: "
                         "remove '#? ' if it is right\n"
                       : "%zu renames in it are guesses, written as comments: "
                         "remove '#? ' if they are right\n",
                guesses);
    }
    print_untried(t->facts);
}

static void end(struct plan_table *t)
{
    const char *map = t->facts->options->map;
    size_t by_path = t->facts->after->by_path;
    table_fact(&t->table, "matched_by_path", json_count(by_path));
    for (int i = 0; i < STATUS_COUNT; i++)
        table_fact(&t->table, status_names[i], json_count(t->counts[i]));
    table_fact(
        &t->table, "uncompared", json_count(t->facts->suggestions->uncompared));
    table_fact(
        &t->table, "left_out", json_count(t->facts->suggestions->left_out));
    table_fact(&t->table, "complete", json_boolean(is_complete(t)));
    table_fact(
        &t->table, "map", map ? json_bytes(map, strlen(map)) : json_null());
    table_end(&t->table);
    if (t->facts->settings->form == FORM_PEOPLE)
        print_counts(t);
}

bool plan_answer(const struct plan_facts *facts)
{
    struct plan_table t = { .facts = facts,
        .style = style_for(facts->settings, stdout) };
    if (!facts->settings->quiet)
        begin(&t);
    t.counts[STATUS_MATCHED] = facts->after->by_path;
    add_moved(&t);
    add_list(&t, &facts->after->missing, STATUS_MISSING);
    add_list(&t, &facts->after->unexpected, STATUS_UNEXPECTED);
    add_list(&t, &facts->after->inexact, STATUS_MISMATCHED);
    if (!facts->settings->quiet)
        end(&t);
    return is_complete(&t);
}

/* run.c - Lists directories of numbered checkpoints, and finds the requested
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "run.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <varve/remote.h>

#include "../../lib/base/path_text.h"
#include "complaint.h"
#include "memory.h"
#include "store_path.h"
#include "style.h"

/* --- Names -------------------------------------------------------------- */

/* Extensions of a checkpoint of one file, or of the first of several files. */
static const char *const endings[] = { VARVE_SUFFIX, ".index", ".safetensors",
    ".npz" };

enum { ENDING_COUNT = sizeof endings / sizeof *endings, OURS = 0 };

/* Returns true for a file PREFIX-NUMBER, and sets *ending to its extension. */
static bool parse_numbered(
    const char *name, struct vv_numbered_name *n, size_t *ending)
{
    for (*ending = 0; *ending < ENDING_COUNT; ++*ending)
        if (vv_numbered_name_parse(name, '-', endings[*ending], n))
            return n->stem_size > 0 && *name != '.';
    return false;
}

static bool is_directory(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* --- Listing directories ------------------------------------------------ */

static struct run *find_run(struct run_list *list, const char *directory,
    const char *prefix, size_t prefix_size)
{
    for (size_t i = 0; i < list->count; i++) {
        struct run *run = &list->runs[i];
        if (strlen(run->prefix) == prefix_size &&
            memcmp(run->prefix, prefix, prefix_size) == 0)
            return run;
    }
    list->runs =
        memory_grow(list->runs, &list->room, list->count, sizeof *list->runs);
    struct run *run = &list->runs[list->count++];
    *run = (struct run){ .directory =
                             memory_copy_text(directory, strlen(directory)),
        .prefix = memory_copy_text(prefix, prefix_size) };
    return run;
}

static int64_t modified_of(const char *path)
{
    struct stat info;
    return !is_in_store(path) && stat(path, &info) == 0 ? (int64_t)info.st_mtime
                                                        : -1;
}

static void add_entry(struct run *run, const struct run_entry *entry)
{
    run->entries =
        memory_grow(run->entries, &run->room, run->count, sizeof *run->entries);
    run->entries[run->count++] = *entry;
}

/* Returns a copy that is valid as long as the run; NULL for NULL. */
static const char *keep_text(struct run *run, const char *text)
{
    if (!text)
        return NULL;
    run->texts = memory_grow(
        run->texts, &run->text_room, run->text_count, sizeof *run->texts);
    return run->texts[run->text_count++] = memory_copy_text(text, strlen(text));
}

/* Opens a file for a list. Such files are never passed to libhdf5. */
static varve_reader *open_listed(const char *path)
{
    const varve_reader_options how = { .foreign.no_hdf5 = true };
    return varve_reader_open_with(path, &how, NULL);
}

/* Adds a checkpoint of another format. One that cannot be opened is marked as
 * damaged. */
static void add_foreign(struct run *run, const char *name, uint64_t number)
{
    char *path = memory_join_path(run->directory, name);
    struct run_entry entry = { .facts = { .number = number,
                                   .counter = number,
                                   .step = -1,
                                   .time = -1,
                                   .metric = NAN },
        .modified = modified_of(path) };
    varve_reader *reader = open_listed(path);
    entry.facts.is_damaged = !reader;
    if (reader) {
        entry.format = varve_reader_format(reader);
        entry.facts.size = varve_reader_size(reader);
    }
    varve_reader_free(reader);
    entry.facts.path = keep_text(run, path);
    free(path);
    add_entry(run, &entry);
}

static int open_manager(const struct settings *settings, struct run_list *list,
    struct run *run, const varve_manager_options *options)
{
    varve_error error = { .status = VARVE_OK };
    varve_manager_options own = *options;
    if (run->manager || run->is_busy)
        return OUTCOME_DONE;
    own.prefix = run->prefix;
    if (!list->graph)
        list->graph = varve_graph_new(NULL);
    if (!list->graph)
        return complain_memory(settings);
    run->manager = varve_manager_new(
        varve_graph_root(list->graph), run->directory, &own, &error);
    run->is_busy = error.status == VARVE_EXISTS;
    if (!run->manager) {
        int outcome =
            complain_status(settings, "cannot read", run->directory, &error);
        if (!run->is_busy)
            return outcome;
        list->busy_outcome = outcome;
        return OUTCOME_DONE;
    }
    struct run_entry entry = { .is_managed = true,
        .format = VARVE_FORMAT_VARVE };
    run->metric = varve_manager_metric(run->manager);
    for (size_t i = 0; varve_manager_at(run->manager, i, &entry.facts); i++) {
        entry.facts.path = keep_text(run, entry.facts.path);
        entry.facts.kept = keep_text(run, entry.facts.kept);
        entry.modified = modified_of(entry.facts.path);
        add_entry(run, &entry);
    }
    return OUTCOME_DONE;
}

static int add_file(const struct settings *settings, struct run_list *list,
    const char *directory, const char *prefix, const char *name,
    const varve_manager_options *options)
{
    struct vv_numbered_name n;
    size_t ending;
    if (!parse_numbered(name, &n, &ending) ||
        (prefix && (strlen(prefix) != n.stem_size ||
                       memcmp(prefix, name, n.stem_size) != 0)))
        return OUTCOME_DONE;
    struct run *run = find_run(list, directory, name, n.stem_size);
    if (ending == OURS)
        return open_manager(settings, list, run, options);
    add_foreign(run, name, n.number);
    return OUTCOME_DONE;
}

static int by_counter(const void *left, const void *right)
{
    const varve_checkpoint_info *a = &((const struct run_entry *)left)->facts;
    const varve_checkpoint_info *b = &((const struct run_entry *)right)->facts;
    if (a->counter != b->counter)
        return a->counter < b->counter ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int by_prefix(const void *left, const void *right)
{
    return text_compare(((const struct run *)left)->prefix,
        ((const struct run *)right)->prefix);
}

static void sort_runs(struct run_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->runs[i].count)
            qsort(list->runs[i].entries, list->runs[i].count,
                sizeof *list->runs[i].entries, by_counter);
    if (list->count)
        qsort(list->runs, list->count, sizeof *list->runs, by_prefix);
}

static int look(const struct settings *settings, const char *directory,
    const char *prefix, const varve_manager_options *options,
    struct run_list *list)
{
    DIR *names = opendir(*directory ? directory : ".");
    struct dirent *name;
    int outcome = OUTCOME_DONE;
    if (!names)
        return complain_system(settings, "cannot read", directory);
    while (outcome == OUTCOME_DONE && (name = readdir(names)))
        outcome =
            add_file(settings, list, directory, prefix, name->d_name, options);
    closedir(names);
    sort_runs(list);
    return outcome;
}

/* --- Listing stores ------------------------------------------------------ */

struct store_look {
    const struct settings *settings;
    const char *directory;
    const char *prefix; /* NULL: any */
    const varve_manager_options *options;
    struct run_list *list;
    int outcome;
};

static varve_status look_at_name(void *user, const char *name)
{
    struct store_look *l = user;
    l->outcome = add_file(
        l->settings, l->list, l->directory, l->prefix, name, l->options);
    return l->outcome == OUTCOME_DONE ? VARVE_OK : VARVE_CALLBACK;
}

static int look_at_names(struct store_look *l)
{
    varve_error error = { .status = VARVE_OK };
    varve_status status =
        varve_remote_each(l->directory, look_at_name, l, &error);
    sort_runs(l->list);
    return status && l->outcome == OUTCOME_DONE
               ? complain_status(
                     l->settings, "cannot read", l->directory, &error)
               : l->outcome;
}

/* Lists checkpoints in a store. A name is that of a directory if it contains
 * checkpoints; otherwise it is a prefix. */
static int look_in_store(const struct settings *settings, const char *argument,
    const varve_manager_options *options, struct run_list *list)
{
    struct store_look l = { .settings = settings,
        .options = options,
        .list = list,
        .outcome = OUTCOME_DONE };
    const char *slash = strrchr(behind_host(argument), '/');
    size_t size = strlen(argument);
    if (strncmp(argument, "s3:", 3) != 0)
        return complain_usage(settings,
            "expected s3://BUCKET/DIRECTORY or s3://BUCKET/PREFIX, such as "
            "s3://bucket/run/ckpt, found '%s'",
            shown_path(argument));
    while (argument[size - 1] == '/')
        size--;
    char *directory = memory_copy_text(argument, size);
    l.directory = directory;
    int outcome = look_at_names(&l);
    free(directory);
    if (outcome != OUTCOME_DONE || list->count > 0 || !slash || !slash[1])
        return outcome;
    directory = memory_copy_text(argument, (size_t)(slash - argument));
    l.directory = directory;
    l.prefix = slash + 1;
    outcome = look_at_names(&l);
    free(directory);
    return outcome;
}

int run_list_open(const struct settings *settings, const char *argument,
    const varve_manager_options *options, struct run_list *list)
{
    *list = (struct run_list){ .graph = NULL };
    const char *slash = strrchr(argument, '/');
    if (is_in_store(argument))
        return look_in_store(settings, argument, options, list);
    if (is_directory(argument))
        return look(settings, argument, NULL, options, list);
    char *directory =
        slash ? memory_copy_text(
                    argument, (size_t)(slash - argument) + (slash == argument))
              : memory_copy_text(".", 1);
    int outcome =
        look(settings, directory, slash ? slash + 1 : argument, options, list);
    free(directory);
    return outcome;
}

static void run_clear(struct run *run)
{
    varve_manager_free(run->manager);
    for (size_t i = 0; i < run->text_count; i++)
        free(run->texts[i]);
    free(run->texts);
    free(run->entries);
    free(run->directory);
    free(run->prefix);
}

void run_list_clear(struct run_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        run_clear(&list->runs[i]);
    free(list->runs);
    varve_graph_free(list->graph);
    *list = (struct run_list){ .graph = NULL };
}

/* --- Selecting a checkpoint --------------------------------------------- */

enum which { WHICH_LATEST, WHICH_VALID, WHICH_BEST, WHICH_NUMBER };

static bool parse_which(const char *text, enum which *which, uint64_t *number)
{
    static const char *const words[] = { "latest", "latest-valid", "best" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        *which = (enum which)i;
        if (strcmp(text, words[i]) == 0)
            return true;
    }
    *which = WHICH_NUMBER;
    return vv_parse_decimal(text, strlen(text), number);
}

const char *run_which(const char *argument)
{
    enum which which;
    uint64_t number;
    const char *at = strrchr(argument, '@');
    return at && at > argument && parse_which(at + 1, &which, &number) ? at
                                                                       : NULL;
}

/* Returns the checkpoint with a number in its name, otherwise the newest one of
 * that step. */
static const struct run_entry *find_number(
    const struct run *run, uint64_t number)
{
    const struct run_entry *found = NULL;
    for (size_t i = 0; i < run->count; i++) {
        const struct run_entry *e = &run->entries[i];
        if (e->facts.number == number)
            return e;
        if (e->facts.step >= 0 && (uint64_t)e->facts.step == number)
            found = e;
    }
    return found;
}

static const struct run_entry *find_best(const struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct run_entry *e = &run->entries[i];
        if (e->facts.kept && strstr(e->facts.kept, "best 1"))
            return e;
    }
    return NULL;
}

static bool verifies(const struct run_entry *entry)
{
    varve_reader *reader = open_listed(entry->facts.path);
    bool is_good =
        reader && varve_reader_verify(reader, NULL, NULL) == VARVE_OK;
    varve_reader_free(reader);
    return is_good;
}

static const struct run_entry *find_valid(const struct run *run)
{
    for (size_t i = run->count; i > 0; i--) {
        if (verifies(&run->entries[i - 1]))
            return &run->entries[i - 1];
    }
    return NULL;
}

static const struct run_entry *find_entry(
    const struct run *run, enum which which, uint64_t number)
{
    switch (which) {
    case WHICH_LATEST: return &run->entries[run->count - 1];
    case WHICH_VALID: return find_valid(run);
    case WHICH_BEST: return find_best(run);
    case WHICH_NUMBER: break;
    }
    return find_number(run, number);
}

static int complain_which(const struct settings *settings, const char *base,
    const char *what, const char *why)
{
    char *hint = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&hint, &size);
    if (to) {
        fprintf(to, "to list the checkpoints, use varve log %s", base);
        fclose(to);
    }
    int outcome = complain_not_found(
        settings, what, why ? base : NULL, why ? why : base, hint);
    free(hint);
    return outcome;
}

static int complain_several(const struct settings *settings, const char *base,
    const struct run_list *list)
{
    char why[512];
    char hint[512];
    int size = 0;
    for (size_t i = 0; i < list->count && size < (int)sizeof why; i++)
        size += snprintf(why + size, sizeof why - (size_t)size, "%s%s",
            i ? ", " : "the directory has checkpoints with several names: ",
            list->runs[i].prefix);
    snprintf(hint, sizeof hint, "choose one, such as %s/%s@latest", base,
        list->runs[0].prefix);
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_USAGE,
                                  .code = "USAGE",
                                  .what = "which checkpoint",
                                  .file = base,
                                  .why = why,
                                  .hint = hint });
}

/* Finds the entry for `text` in the only run of the list. */
static int find_which(const struct settings *settings, const char *base,
    const char *text, const struct run_list *list,
    const struct run_entry **entry)
{
    enum which which;
    uint64_t number = 0;
    parse_which(text, &which, &number);
    if (list->count > 1)
        return complain_several(settings, base, list);
    *entry = list->count ? find_entry(&list->runs[0], which, number) : NULL;
    if (*entry)
        return OUTCOME_DONE;
    if (list->count && which == WHICH_BEST)
        return complain_which(
            settings, base, "no checkpoint has a metric", NULL);
    if (list->count && which == WHICH_VALID)
        return complain_which(settings, base, "no checkpoint is intact", NULL);
    return complain_which(settings, base, "no such checkpoint", text);
}

/* Opens the run before the '@', or the whole argument. */
static int open_which(const struct settings *settings, const char *argument,
    struct run_list *list, const struct run_entry **entry)
{
    const char *at = run_which(argument);
    const varve_manager_options options = { .read_only = true,
        .retention_from_ledger = true,
        .keep_best = at && strcmp(at, "@best") == 0 };
    size_t size = at ? (size_t)(at - argument) : strlen(argument);
    char *base = memory_copy_text(argument, size);
    int outcome = run_list_open(settings, base, &options, list);
    if (outcome == OUTCOME_DONE)
        outcome =
            find_which(settings, base, at ? at + 1 : "latest", list, entry);
    free(base);
    return outcome;
}

int run_open_one(const struct settings *settings, const char *argument,
    struct run_list *list, const struct run_entry **entry)
{
    int outcome = open_which(settings, argument, list, entry);
    if (outcome != OUTCOME_DONE)
        run_list_clear(list);
    return outcome;
}

char *run_find_file(
    const struct settings *settings, const char *argument, int *outcome)
{
    struct stat info;
    struct run_list list;
    const struct run_entry *entry;
    *outcome = OUTCOME_DONE;
    if (!run_which(argument) ||
        (!is_in_store(argument) && stat(argument, &info) == 0))
        return memory_copy_text(argument, strlen(argument));
    *outcome = run_open_one(settings, argument, &list, &entry);
    if (*outcome != OUTCOME_DONE)
        return NULL;
    char *file = memory_copy_text(entry->facts.path, strlen(entry->facts.path));
    run_list_clear(&list);
    return file;
}

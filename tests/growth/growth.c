/* growth.c - Runs one operation on n items. growth.py counts its instructions.
 *
 *     growth FAMILY N FOLDER
 *
 * The counts of callgrind are set to zero when the operation begins, so that
 * its preparation is not counted. The peak of the memory that the operation
 * allocates is printed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include <varve/varve.h>

enum { MOST = 1 << 18, NAME = 64 };

static varve_error error;
static char path[4096];
static float values[MOST];

/* --- Counts ------------------------------------------------------------- */

static size_t held, peak, calls;

static void *growth_resize(void *user, void *block, size_t old, size_t size)
{
    (void)user;
    calls++;
    held += size - old;
    if (held > peak)
        peak = held;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static varve_graph *graph_new(void)
{
    static const varve_allocator counted = { growth_resize, NULL };
    return varve_graph_new(&counted);
}

static size_t held_before;

static void begin(void)
{
    held_before = peak = held;
    calls = 0;
    CALLGRIND_ZERO_STATS;
}

static void end(void)
{
    CALLGRIND_DUMP_STATS;
    printf("%zu %zu\n", peak - held_before, calls);
}

static void expect(bool is_so, const char *what)
{
    if (is_so)
        return;
    fprintf(stderr, "growth: %s: %s\n", what, error.message);
    exit(EXIT_FAILURE);
}

/* --- Graphs ------------------------------------------------------------- */

/* A graph with n variables below the root. `first` is the number in the name of
 * the first one. */
static varve_graph *flat(size_t n, size_t first)
{
    char name[NAME];
    varve_graph *graph = graph_new();
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "name-%07zu", first + i);
        varve_add_variable(
            varve_graph_root(graph), name, varve_scalar(&values[i]));
    }
    return graph;
}

/* A graph with n objects below the root that have one variable each. */
static varve_graph *modules(size_t n, size_t first)
{
    char name[NAME];
    varve_graph *graph = graph_new();
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "name-%07zu", first + i);
        varve_node *module = varve_add_object(varve_graph_root(graph), name);
        varve_add_variable(module, "w", varve_scalar(&values[i]));
    }
    return graph;
}

/* A graph with n variables below one object. */
static varve_graph *nested(size_t n, size_t first)
{
    char name[NAME];
    varve_graph *graph = graph_new();
    varve_node *object = varve_add_object(varve_graph_root(graph), "object");
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "name-%07zu", first + i);
        varve_add_variable(object, name, varve_scalar(&values[i]));
    }
    return graph;
}

/* A graph with n variables below the root that have one slot each. Its name
 * depends on `first`. */
static varve_graph *slots(size_t n, size_t first)
{
    varve_graph *graph = flat(n, 0);
    varve_node *optimizer = varve_add_object(varve_graph_root(graph), "opt");
    char name[NAME];
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "name-%07zu", i);
        varve_node *variable = varve_find(varve_graph_root(graph), name);
        varve_add_slot(optimizer, variable, first ? "momentum" : "m",
            varve_scalar(&values[MOST / 2 + i]));
    }
    return graph;
}

/* A chain of n objects that have one variable each. */
static varve_graph *chain(size_t n, const char *name)
{
    varve_graph *graph = graph_new();
    varve_node *node = varve_graph_root(graph);
    for (size_t i = 0; i < n; i++) {
        node = varve_add_object(node, "submodule");
        varve_add_variable(node, name, varve_scalar(&values[i]));
    }
    return graph;
}

static void save(varve_graph *graph)
{
    varve_write_options options = { .no_sync = true };
    expect(!varve_write(varve_graph_root(graph), path, &options, &error), path);
}

/* --- Renames ------------------------------------------------------------ */

typedef varve_graph *build_graph(size_t n, size_t first);

/* Reads a file with n renames. Both formats have a number in them, those of
 * slots the same one. */
static void renames(
    size_t n, build_graph *build, const char *program, const char *file)
{
    varve_graph *graph = build(n, n);
    varve_rename *list = calloc(n, sizeof *list);
    char(*texts)[2][NAME] = calloc(n, sizeof *texts);
    save(build(n, 0));
    expect(list && texts, "memory");
    for (size_t i = 0; i < n; i++) {
        snprintf(texts[i][0], NAME, program, build == slots ? i : n + i);
        snprintf(texts[i][1], NAME, file, i);
        list[i] = (varve_rename){ texts[i][0], texts[i][1] };
    }
    varve_read_options options = { .rename = { .list = list, .count = n } };
    begin();
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, &options, &error);
    end();
    expect(r && !varve_assert_consumed(r, &error), "renames");
}

/* --- Patterns ----------------------------------------------------------- */

static varve_status count_visit(void *user, varve_node *node, const char *at)
{
    (void)node;
    (void)at;
    ++*(size_t *)user;
    return VARVE_OK;
}

static void patterns(size_t n, const char *pattern)
{
    varve_graph *graph = flat(n, 0);
    char *all = calloc(n, NAME), *at = all;
    size_t count = 0;
    expect(all, "memory");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            *at++ = '|';
        at += snprintf(at, NAME, pattern, i);
    }
    varve_select select = { .pattern = all };
    begin();
    expect(!varve_each(
               varve_graph_root(graph), &select, count_visit, &count, &error),
        "patterns");
    end();
    expect(count == n, "another count");
}

/* --- Deep graphs -------------------------------------------------------- */

static void deep(size_t n, const char *operation)
{
    varve_graph *graph = chain(n, "v");
    varve_node *root = varve_graph_root(graph);
    size_t count = 0;
    save(graph);
    graph = strcmp(operation, "renamed") == 0 ? chain(n, "w") : graph;
    root = varve_graph_root(graph);
    varve_restoration *r = varve_read(root, path, NULL, &error);
    expect(r, path);
    begin();
    if (strcmp(operation, "walk") == 0)
        expect(!varve_walk(root, count_visit, &count, &error), operation);
    else if (strcmp(operation, "each") == 0)
        expect(!varve_each(root, NULL, count_visit, &count, &error), operation);
    else if (strcmp(operation, "pattern") == 0)
        expect(!varve_each(root, &(varve_select){ .pattern = "**/v" },
                   count_visit, &count, &error),
            operation);
    else if (strcmp(operation, "load") == 0)
        expect(varve_graph_from(path, NULL, &error), operation);
    else
        expect(varve_report_new(r, &error), operation);
    end();
}

/* --- Findings ----------------------------------------------------------- */

static void findings(size_t n, const char *operation)
{
    varve_graph *graph = flat(n, n);
    save(flat(n, 0));
    varve_restoration *r =
        varve_dry_run(varve_graph_root(graph), path, NULL, &error);
    expect(r, path);
    begin();
    if (strcmp(operation, "count") == 0)
        expect(varve_finding_count(r, VARVE_FINDING_UNEXPECTED) == n, "count");
    else if (strcmp(operation, "plan") == 0)
        expect(
            varve_dry_run(varve_graph_root(graph), path, NULL, &error), path);
    else
        expect(varve_assert_consumed(r, &error) == VARVE_UNMATCHED, "assert");
    end();
}

/* --- Constants ---------------------------------------------------------- */

/* Builds a graph of n variables. */
static void build(size_t n)
{
    begin();
    flat(n, 0);
    end();
}

/* Saves n scalars a second time. */
static void write_again(size_t n)
{
    varve_graph *graph = flat(n, 0);
    save(graph);
    begin();
    save(graph);
    end();
}

/* Saves n scalars incrementally, none of which is dirty. */
static void write_clean(size_t n)
{
    varve_graph *graph = flat(n, 0);
    varve_write_options options = {
        .no_sync = true,
        .incremental = true,
        .increment = { .only_dirty = true },
    };
    varve_node *root = varve_graph_root(graph);
    expect(!varve_write(root, path, &options, &error), path);
    expect(!varve_write(root, path, &options, &error), path);
    begin();
    expect(!varve_write(root, path, &options, &error), path);
    end();
}

/* Restores n scalars into the graph that they were saved from. */
static void read_again(size_t n)
{
    varve_graph *graph = flat(n, 0);
    save(graph);
    begin();
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, NULL, &error);
    end();
    expect(r && !varve_assert_consumed(r, &error), path);
}

/* Reads each of n scalars through a reader. */
static void reader(size_t n, const char *operation)
{
    save(flat(n, 0));
    static const varve_allocator counted = { growth_resize, NULL };
    begin();
    varve_reader *r = varve_reader_open(path, &counted, &error);
    expect(r, path);
    if (strcmp(operation, "open") != 0)
        begin();
    for (size_t i = 1; strcmp(operation, "read") == 0 && i <= n; i++) {
        float value;
        expect(!varve_reader_read(r, i, &value, sizeof value, &error), path);
    }
    for (size_t i = 1; strcmp(operation, "list") == 0 && i <= n; i++) {
        varve_saved_node node;
        expect(varve_reader_node_at(r, i, &node), path);
    }
    end();
}

/* Draws n streams along a chain of nodes. */
static void randoms(size_t n)
{
    static varve_random streams[MOST / 16];
    varve_graph *graph = graph_new();
    varve_node *node = varve_graph_root(graph);
    begin();
    for (size_t i = 0; i < n; i++) {
        node = varve_add_object(node, "submodule");
        varve_add_random(node, "random", &streams[i], 1);
    }
    end();
}

/* Drops each of n pending values with a pattern of its own. */
static void drop(size_t n, const char *pattern)
{
    char text[NAME];
    save(flat(n, 0));
    varve_graph *graph = graph_new();
    varve_restoration *r =
        varve_read(varve_graph_root(graph), path, NULL, &error);
    expect(r, path);
    begin();
    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, pattern, i);
        expect(!varve_drop_pending(r, text, &error), text);
    }
    end();
    expect(varve_pending_count(r) == 0, "drop");
}

/* --- Families ----------------------------------------------------------- */

static bool rename_family(const char *family, size_t n)
{
    static const struct {
        const char *name;
        build_graph *build;
        const char *program, *file;
    } all[] = {
        { "rename-exact", flat, "name-%07zu", "name-%07zu" },
        { "rename-exact-same-end", modules, "name-%07zu/w", "name-%07zu/w" },
        { "rename-begin", flat, "*%07zu", "*%07zu" },
        { "rename-end", modules, "name-%07zu/*", "name-%07zu/*" },
        { "rename-above", nested, "*/name-%07zu", "*/name-%07zu" },
        { "rename-deep-begin", modules, "**/name-%07zu/w", "**/name-%07zu/w" },
        { "rename-deep-end", modules, "name-%07zu/**", "name-%07zu/**" },
        { "rename-deep-middle", modules, "name-%07zu/**/w", "name-%07zu/**/w" },
        { "rename-deep-twice", modules, "**/name-%07zu/**/w",
            "**/name-%07zu/**/w" },
        { "rename-slot", slots, "opt/momentum(name-%07zu)",
            "opt/m(name-%07zu)" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(family, all[i].name) == 0) {
            renames(n, all[i].build, all[i].program, all[i].file);
            return true;
        }
    }
    return false;
}

static bool pattern_family(const char *family, size_t n)
{
    static const char *const all[][2] = {
        { "pattern-begin", "*%07zu" },
        { "pattern-end", "name-%07zu*" },
        { "pattern-middle", "name*-%07zu" },
        { "pattern-deep", "**/*%07zu" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(family, all[i][0]) == 0) {
            patterns(n, all[i][1]);
            return true;
        }
    }
    return false;
}

static bool constant_family(const char *family, size_t n)
{
    if (strcmp(family, "build") == 0)
        build(n);
    else if (strcmp(family, "write") == 0)
        write_again(n);
    else if (strcmp(family, "write-clean") == 0)
        write_clean(n);
    else if (strcmp(family, "read") == 0)
        read_again(n);
    else if (strncmp(family, "reader-", 7) == 0)
        reader(n, family + 7);
    else if (strcmp(family, "random") == 0)
        randoms(n);
    else if (strcmp(family, "drop-exact") == 0)
        drop(n, "name-%07zu");
    else if (strcmp(family, "drop-wild") == 0)
        drop(n, "*%07zu");
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    size_t n = strtoul(argv[2], NULL, 10);
    expect(n > 0 && n <= MOST / 2, "N");
    snprintf(path, sizeof path, "%s/growth.varve", argv[3]);
    if (rename_family(argv[1], n) || pattern_family(argv[1], n) ||
        constant_family(argv[1], n))
        return 0;
    if (strncmp(argv[1], "deep-", 5) == 0)
        deep(n, argv[1] + 5);
    else
        findings(n, argv[1]);
    return 0;
}

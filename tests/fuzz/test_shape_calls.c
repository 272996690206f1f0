/* test_shape_calls.c - Tests every library call that processes a whole graph,
 * and every command of the tool, with hostile shapes. Time and memory must be
 * proportional to the file size for each shape.
 *
 *     test_shape_calls [--shape SHAPE] [--part N] [TOOL]
 *
 * A file has the size of one Nth of a megabyte.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <varve/varve.h>

#include "fuzz/fuzz.h"
#include "fuzz/shapes.h"
#include "support/proof.h"

enum {
    MOST_BYTES = 4 << 20,
    LONGEST = 30, /* seconds; quadratic algorithms would take minutes */
    /* maximum ratio of memory to the file size, in addition to the names of all
     * edges: a report has up to three paths of 4,095 bytes for each finding */
    FACTOR = 512,
    BESIDE = 64 << 20,
    /* A process that keeps its output, perhaps under a sanitizer. */
    FACTOR_OF_TOOL = 2048,
    BESIDE_TOOL = 256 << 20
};

static uint8_t file[MOST_BYTES];
static size_t file_size;
static char directory[200];
static uint64_t measured;

/* --- Memory --------------------------------------------------------------- */

static size_t bytes, peak;

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    bytes += new_size - old_size;
    peak = bytes > peak ? bytes : peak;
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

static const varve_allocator allocator = { .function = allocate };

/* --- Calls ---------------------------------------------------------------- */

struct subject {
    varve_graph *graph;
    varve_node *root;
    char path[220];
    char other[220];
    size_t seen;
    size_t spelled; /* total size of the names of all edges */
};

static varve_status visit(void *user, varve_node *node, const char *path)
{
    (void)node;
    ((struct subject *)user)->seen += strlen(path) < 4096;
    return VARVE_OK;
}

static varve_status spell(void *user, varve_node *node, const char *path)
{
    (void)path;
    for (const varve_edge *e = varve_edge_first(node); e;
         e = varve_edge_next(e))
        ((struct subject *)user)->spelled += strlen(e->name);
    return VARVE_OK;
}

/* A graph supports fewer tags than a file may contain. */
static void open_graph(struct subject *s)
{
    varve_error error;
    s->graph = varve_graph_from(s->path, &allocator, &error);
    FUZZ_CHECK(s->graph || error.status == VARVE_LIMIT,
        "graph from a file: %s", error.message);
    s->root = s->graph ? varve_graph_root(s->graph) : NULL;
}

static void walk(struct subject *s)
{
    size_t before = s->seen;
    FUZZ_CHECK(!varve_walk(s->root, visit, s, NULL), "walk");
    FUZZ_CHECK(s->seen > before, "walk");
    s->spelled = 0;
    FUZZ_CHECK(!varve_walk(s->root, spell, s, NULL), "walk");
    FUZZ_CHECK(!varve_report_uninitialized(s->root, visit, s, NULL), "report");
}

static void each(struct subject *s)
{
    const varve_select selects[] = { { .kind = VARVE_VARIABLE },
        { .pattern = "**/x|n/**|*/*/v0*" } };
    for (size_t i = 0; i < 2; i++)
        FUZZ_CHECK(!varve_each(s->root, &selects[i], visit, s, NULL), "each");
    if (varve_require_ready(s->root, NULL, NULL))
        s->seen++;
}

static void save_by_name(struct subject *s)
{
    varve_saver *saver = varve_saver_new(s->graph, NULL, NULL);
    varve_error error;
    if (saver && !varve_saver_add_named(saver, s->root, &error) &&
        varve_saver_save(saver, s->other, NULL, &error))
        s->seen++;
    varve_saver_free(saver);
}

static varve_status different(void *user, const varve_difference *difference)
{
    ((struct subject *)user)->seen += difference != NULL;
    return VARVE_OK;
}

static void snapshots(struct subject *s)
{
    const varve_snapshot_options options = { .except = "**/y|z" };
    varve_error error;
    varve_snapshot *all = varve_snapshot_new(s->root, &error);
    varve_snapshot *most = varve_snapshot_new_with(s->root, &options, &error);
    FUZZ_CHECK(all && most, "snapshot: %s", error.message);
    FUZZ_CHECK(!varve_snapshot_restore(all, &error), "%s", error.message);
    FUZZ_CHECK(!varve_snapshot_diff(all, most, different, s, &error), "%s",
        error.message);
    FUZZ_CHECK(!varve_snapshot_write(all, s->other, NULL, &error), "%s",
        error.message);
    FUZZ_CHECK(!varve_snapshot_read(all, s->other, NULL, &error), "%s",
        error.message);
    varve_snapshot_free(most);
    varve_snapshot_free(all);
}

static void graft(struct subject *s)
{
    varve_error error;
    varve_graph *graph = varve_graph_new(&allocator);
    FUZZ_CHECK(
        varve_copy_subgraph(varve_graph_root(graph), "copy", s->root, &error),
        "%s", error.message);
    varve_graph_free(graph);
}

static void look_at(varve_restoration *r, struct subject *s)
{
    varve_report *report = r ? varve_report_new(r, NULL) : NULL;
    s->seen += report && varve_report_text(report);
    varve_report_free(report);
    varve_restoration_free(r);
}

/* Reads with renames whose paths are as long as the graph is deep, with
 * patterns, into the same name, into another root, and to nothing. */
static void read_renamed(struct subject *s)
{
    static const varve_rename renames[] = { { "**/z/*", "**/y/*" },
        { "q/**/x", "n/**/x" }, { "**/n/**/v*", "**/n/**/v*" },
        { "p/**", "**" }, { "**/q(m)", "**/q(m)" }, { "**", "**" } };
    const varve_read_options options[] = {
        { .rename = { .list = renames, .count = 6 } },
        { .rename = { .list = renames, .count = 4 }, .only = "p|q/**/x" },
        { .rename = { .list = renames + 3, .count = 1 }, .except = "**/n" },
    };
    varve_error error;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        look_at(varve_read(s->root, s->path, &options[i], &error), s);
        look_at(varve_dry_run(s->root, s->path, &options[i], &error), s);
        varve_graph *graph = varve_graph_new(&allocator);
        varve_node *root = varve_graph_root(graph);
        varve_restoration *r = varve_read(root, s->path, &options[i], &error);
        if (r && !varve_copy_subgraph(root, "p", s->root, &error))
            look_at(r, s);
        else
            varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

static void read_again(struct subject *s)
{
    const varve_read_options options[] = { { 0 },
        { .only = "n|*/x", .expect.unexpected = "**" } };
    varve_error error;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        look_at(varve_read(s->root, s->path, &options[i], &error), s);
    look_at(varve_dry_run(s->root, s->path, NULL, &error), s);
    varve_graph *empty = varve_graph_new(&allocator);
    look_at(varve_dry_run(varve_graph_root(empty), s->path, NULL, &error), s);
    varve_graph_free(empty);
}

static int progress(void *user, uint64_t done, uint64_t total, const char *what)
{
    ((struct subject *)user)->seen += done < total && *what;
    return 0;
}

static void lose(void *user, const char *path, const char *what)
{
    ((struct subject *)user)->seen += *path && *what;
}

static void write_all(struct subject *s)
{
    varve_error error;
    for (int format = 0; format < VARVE_FORMAT_GGUF; format++) {
        const varve_write_options options = {
            .format = (varve_format)format, .no_sync = true,
            .progress = progress, .progress_user = s, .foreign = { .loss = lose,
            .loss_user = s } };
        if (varve_write(s->root, s->other, &options, &error))
            s->seen++;
    }
}

static void touch(struct subject *s)
{
    varve_mark_dirty(s->root);
}

static varve_status fix(void *user, varve_node *node, const char *path)
{
    static const varve_resizing none = { 0 };
    ((struct subject *)user)->seen += *path != '\0';
    varve_tag(node, VARVE_TAG_FIXED);
    varve_set_resizing(node, &none, NULL);
    return VARVE_OK;
}

/* Every value is compared, and accepts other shapes. */
static void fix_all(struct subject *s)
{
    const varve_select select = { .kind = VARVE_VARIABLE };
    varve_error error;
    FUZZ_CHECK(!varve_each(s->root, &select, fix, s, NULL), "each");
    varve_graph_clear_error(s->graph, NULL);
    varve_restoration *r = varve_read(s->root, s->path, NULL, &error);
    FUZZ_CHECK(r, "reading what is fixed: %s", error.message);
    look_at(r, s);
}

struct part {
    int count;
    float *x;
    struct part *n;
};

static const varve_field inner_fields[] = {
    VARVE_FIELD(struct part, count),
    VARVE_FIELD_POINTER(struct part, x, count, .room = calloc),
    VARVE_FIELDS_END,
};

static const varve_field outer_fields[] = {
    VARVE_FIELD_POINTER(
        struct part, x, count, .older_names = "v00000|q", .room = calloc),
    VARVE_FIELD_STRUCTS_AT(struct part, n, inner_fields, count,
        .older_names = "0|dict|e00000|p", .room = calloc),
    VARVE_FIELDS_END,
};

/* Lists and their elements are resized to the sizes in the file. */
static void read_into_struct(struct subject *s)
{
    struct part whole = { 0 };
    varve_error error;
    varve_graph *graph = varve_graph_new(&allocator);
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "n", outer_fields, &whole);
    varve_node *again = varve_add_struct(root, "0", outer_fields, &whole);
    look_at(varve_read(root, s->path, NULL, &error), s);
    varve_graph_clear_error(graph, NULL);
    varve_rebind_struct(again, &whole);
    varve_graph_free(graph);
    for (int i = 0; whole.n && i < whole.count; i++)
        free(whole.n[i].x);
    free(whole.n);
    free(whole.x);
}

static void close_graph(struct subject *s)
{
    varve_graph_free(s->graph);
}

static const struct {
    const char *name;
    void (*run)(struct subject *s);
} runs[] = {
    { "a graph from it", open_graph },
    { "walk", walk },
    { "collections", each },
    { "saver", save_by_name },
    { "snapshots", snapshots },
    { "graft", graft },
    { "reading it again", read_again },
    { "reading it renamed", read_renamed },
    { "writing every format", write_all },
    { "touching all of it", touch },
    { "a struct", read_into_struct },
    { "all of it fixed", fix_all },
    { "freeing", close_graph },
};

/* --- Measuring ------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(
    const char *shape, const char *what, double taken, size_t memory,
    size_t most)
{
    fprintf(stderr, "%s, %zu bytes: %s: %.3f s, %zu KiB\n", shape, file_size,
        what, taken, memory >> 10);
    FUZZ_CHECK(taken < LONGEST, "%s: %s takes too long", shape, what);
    FUZZ_CHECK(memory < most,
        "%s: %s takes too much memory", shape, what);
    measured++;
}

static void measure_library(const char *shape, struct subject *s)
{
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double begin = seconds();
        peak = bytes;
        if (i == 0 || s->graph)
            runs[i].run(s);
        check(shape, runs[i].name, seconds() - begin, peak,
            BESIDE + FACTOR * file_size + s->spelled);
    }
    FUZZ_CHECK(bytes == 0, "%zu bytes were not freed", bytes);
}

/* --- The tool ------------------------------------------------------------- */

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The quarantine of a sanitizer would distort the measurement. */
static void run_tool(const char *shape, const struct subject *s,
    const char *tool, const char *line)
{
    char command[512];
    struct rusage used;
    int outcome;
    snprintf(command, sizeof command,
        "exec \"$0\" %s > /dev/null 2>&1", line);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = { LONGEST, LONGEST };
        setrlimit(RLIMIT_CPU, &most);
        setenv("F", s->path, 1);
        setenv("O", s->other, 1);
        setenv("ASAN_OPTIONS", "quarantine_size_mb=1:detect_leaks=0", 1);
        execl("/bin/sh", "sh", "-c", command, tool, (char *)NULL);
        _exit(127);
    }
    FUZZ_CHECK(child > 0 && wait4(child, &outcome, 0, &used) == child, "wait");
    double taken = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    check(shape, line, taken, (size_t)used.ru_maxrss << 10,
        BESIDE_TOOL + FACTOR_OF_TOOL * file_size + s->spelled);
    FUZZ_CHECK(WIFEXITED(outcome) && WEXITSTATUS(outcome) < 5,
        "%s: %s: ended by %d", shape, line, outcome);
}

static void measure_tool(
    const char *shape, const struct subject *s, const char *tool)
{
    static const char *const lines[] = { "ls \"$F\"", "ls -lR \"$F\"",
        "ls --json \"$F\"", "verify \"$F\"", "cat \"$F:x\"", "graph \"$F\"",
        "graph --dot \"$F\"", "graph --json \"$F\"",
        "graph --svg=icicle \"$F\"", "convert -f \"$F\" \"$O.varve\"",
        "convert -f \"$F\" \"$O.safetensors\"",
        "convert -f \"$F\" \"$O.npz\"", "convert -f \"$F\" \"$O.index\"",
        "convert -f --except=nothing \"$F\" \"$O.varve\"",
        "convert -f --rename='m -> q' \"$F\" \"$O.varve\"" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        run_tool(shape, s, tool, lines[i]);
}

/* --- All shapes ----------------------------------------------------------- */

static void remove_directory(void)
{
    char command[240];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    FUZZ_CHECK(system(command) == 0, "%s", command);
}

static void measure(const char *shape, const char *tool)
{
    struct subject s = { .seen = 0 };
    snprintf(s.path, sizeof s.path, "%s/f.varve", directory);
    snprintf(s.other, sizeof s.other, "%s/o", directory);
    FILE *stream = fopen(s.path, "wb");
    FUZZ_CHECK(stream && fwrite(file, 1, file_size, stream) == file_size &&
            fclose(stream) == 0,
        "%s", s.path);
    measure_library(shape, &s);
    if (tool)
        measure_tool(shape, &s, tool);
}

int main(int argc, char **argv)
{
    uint32_t part = (uint32_t)proof_size(160, 1);
    const char *only = NULL, *name;
    if (argc > 2 && strcmp(argv[1], "--shape") == 0) {
        only = argv[2];
        argc -= 2;
        argv += 2;
    }
    if (argc > 2 && strcmp(argv[1], "--part") == 0) {
        part = (uint32_t)strtoul(argv[2], NULL, 10);
        argc -= 2;
        argv += 2;
    }
    const char *parent = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/varve-shapes-XXXXXX",
        parent ? parent : "/tmp");
    FUZZ_CHECK(mkdtemp(directory), "%s", directory);
    for (size_t i = 0; (name = shape_name(i)); i++) {
        if (only && strcmp(only, name) != 0)
            continue;
        file_size = shape_make(i, part, file, sizeof file);
        FUZZ_CHECK(file_size, "%s: too large", name);
        measure(name, argc > 1 ? argv[1] : NULL);
    }
    remove_directory();
    proof_count("fuzz.shape_calls", measured);
    return 0;
}

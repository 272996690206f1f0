/* test_chunks.c - Damages each position of every kind of file: values that
 * `verify` reports as damaged are lost, and all others can be read in every
 * way.
 *
 * SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <varve/reader.h>
#include <varve/slice.h>
#include <varve/structure.h>
#include <varve/collective.h>

#include "support/cut_pieces.h"
#include "support/proof.h"
#include "support/test.h"
#include "support/thread_comm.h"

enum {
    ROWS = 64,
    WIDE = 300,
    HALF = WIDE / 2,
    BIG = 300 * 1024, /* two chunks */
    STEP = 4,         /* the length of the start of each frame */
    LAYER_HEAD = 64,
    MOST_DAMAGES = 16,
    MOST_SEEN = 64,
    PACKED = 4096, /* compressed from this size on, with `compress` */
    RANKS = 2
};

/* Small values next to compressed ones; the last has several chunks. */
struct model {
    int32_t first[24];
    float w[1100];
    int32_t a[24];
    float table[ROWS][WIDE];
    int32_t z[24];
    float v[3000];
    float big[BIG];
};

#define PART(name)                                                             \
#name, offsetof(struct model, name), sizeof(((struct model *)0)->name)

static const struct part {
    const char *name;
    size_t place;
    size_t size;
    varve_dtype dtype;
} parts[] = {
    { PART(first), VARVE_INT32 },
    { PART(w), VARVE_FLOAT32 },
    { PART(a), VARVE_INT32 },
    { PART(table), VARVE_FLOAT32 },
    { PART(z), VARVE_INT32 },
    { PART(v), VARVE_FLOAT32 },
    { PART(big), VARVE_FLOAT32 },
};

enum { PARTS = sizeof parts / sizeof *parts, TABLE = 3 };

static varve_shape shape_of(const struct part *part)
{
    return part == &parts[TABLE] ? VARVE_SHAPE(ROWS, WIDE)
                                 : VARVE_SHAPE(part->size / 4);
}

/* Fills the model with compressible values. */
static void fill(struct model *m)
{
    for (size_t k = 0; k < PARTS; k++) {
        uint32_t *words = (uint32_t *)(void *)((char *)m + parts[k].place);
        for (size_t i = 0; i < parts[k].size / 4; i++)
            words[i] = 1000 * (uint32_t)k + (uint32_t)(i % 97);
    }
}

static varve_graph *graph_over(struct model *m)
{
    varve_graph *graph = varve_graph_new(test_allocator());
    for (size_t k = 0; k < PARTS; k++) {
        varve_shape shape = shape_of(&parts[k]);
        varve_add_variable(varve_graph_root(graph), parts[k].name,
            varve_view((char *)m + parts[k].place, parts[k].dtype, shape));
    }
    return graph;
}

/* --- Kinds of files ------------------------------------------------------- */

/* A damaged chunk; `is_broken` if its compressed frame cannot be decoded. */
struct seen {
    uint64_t offset;
    size_t part;
    bool is_broken;
};

struct world {
    struct model saved;
    struct model now;
    char path[256];
    varve_write_options options;
    bool is_lost[PARTS];
    uint64_t tried;
    struct seen seen[MOST_SEEN];
    size_t seen_count;
};

static void write_alone(struct world *w)
{
    varve_error error = { 0 };
    varve_graph *graph = graph_over(&w->saved);
    cr_assert_ok(
        varve_write(varve_graph_root(graph), w->path, &w->options, &error),
        error);
    varve_graph_free(graph);
}

/* Writes sharded rows, which may be compressed. */
static void write_pieces(struct world *w)
{
    static const varve_box boxes[] = { { { 0, 0 }, { 20, WIDE } },
        { { 20, 0 }, { ROWS - 20, WIDE } } };
    varve_error error = { 0 };
    write_alone(w);
    cr_assert_ok(
        cut_into_pieces(NULL, w->path, "table", boxes, 2, &error), error);
}

static void write_part(const varve_comm *comm, void *user)
{
    struct world *w = user;
    static float half[RANKS][ROWS][HALF];
    const uint64_t start[] = { 0, comm->rank * HALF };
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    for (size_t k = 0; k < PARTS; k++) {
        if (k != TABLE)
            varve_add_variable(root, parts[k].name,
                varve_view((char *)&w->saved + parts[k].place, parts[k].dtype,
                    shape_of(&parts[k])));
    }
    for (size_t row = 0; row < ROWS; row++)
        memcpy(half[comm->rank][row], &w->saved.table[row][start[1]],
            sizeof half[0][0]);
    varve_add_slice(root, "table",
        varve_view(half[comm->rank], VARVE_FLOAT32, VARVE_SHAPE(ROWS, HALF)),
        VARVE_SHAPE(ROWS, WIDE), start);
    cr_assert_ok(
        varve_write_all(comm, root, w->path, &w->options, &error), error);
    varve_graph_free(graph);
}

static void write_together(struct world *w)
{
    thread_comm_run(RANKS, 1, -1, write_part, w);
}

static const struct kind {
    const char *name;
    void (*write)(struct world *w);
    varve_write_options options;
} kinds[] = {
    { "plain", write_alone, { 0 } },
    { "packed", write_alone, { .compress = 1 } },
    { "incremental", write_alone, { .incremental = true } },
    { "incremental, packed", write_alone,
        { .incremental = true, .compress = 1 } },
    { "in pieces", write_pieces, { 0 } },
    { "in pieces, packed", write_pieces, { .compress = 1 } },
    { "of many", write_together, { 0 } },
};

/* --- Ways to have what is left -------------------------------------------- */

/* Checks that a value was restored, or is unchanged. */
static void check_part(const struct world *w, size_t k, const varve_node *node,
    bool came, const char *way)
{
    const unsigned char *saved =
        (const unsigned char *)&w->saved + parts[k].place;
    cr_assert(node, "%s: %s", way, parts[k].name);
    cr_assert_eq(came, !w->is_lost[k], "%s: %s: lost %d", way, parts[k].name,
        w->is_lost[k]);
    if (came)
        cr_assert_eq(memcmp(varve_data(node), saved, parts[k].size), 0,
            "%s: %s", way, parts[k].name);
}

static void check_graph(
    const struct world *w, const varve_graph *graph, const char *way)
{
    varve_node *root = varve_graph_root((varve_graph *)graph);
    for (size_t k = 0; k < PARTS; k++) {
        const varve_node *node = varve_find(root, parts[k].name);
        check_part(w, k, node, varve_state_of(node) == VARVE_RESTORED, way);
    }
}

/* Restores into memory of the program, staged or in place. */
static void read_into(struct world *w, uint64_t staging, const char *way)
{
    varve_error error = { 0 };
    memset(&w->now, 0, sizeof w->now);
    varve_graph *graph = graph_over(&w->now);
    varve_restoration *r = varve_read(varve_graph_root(graph), w->path,
        &(varve_read_options){
            .salvage.on = true, .resources.staging_size = staging },
        &error);
    cr_assert(r, "%s: %s", way, error.message);
    check_graph(w, graph, way);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void read_staged(struct world *w)
{
    read_into(w, 0, "staged");
}

static void read_in_place(struct world *w)
{
    read_into(w, 1, "in place");
}

/* Restores all values except the damaged one, which is not read. */
static void read_others(struct world *w)
{
    char except[256] = "";
    varve_error error = { 0 };
    for (size_t k = 0; k < PARTS; k++) {
        if (w->is_lost[k] && *except)
            strcat(except, "|");
        if (w->is_lost[k])
            strcat(except, parts[k].name);
    }
    varve_graph *graph = graph_over(&w->now);
    varve_restoration *r = varve_read(varve_graph_root(graph), w->path,
        &(varve_read_options){ .except = *except ? except : NULL }, &error);
    cr_assert(r, "all others: %s", error.message);
    check_graph(w, graph, "all others");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

static void make_graph(struct world *w)
{
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_from_part(w->path,
        &(varve_read_options){ .salvage.on = true }, test_allocator(), &error);
    cr_assert(graph, "%s", error.message);
    check_graph(w, graph, "graph");
    varve_graph_free(graph);
}

static void read_at_rank(const varve_comm *comm, void *user)
{
    struct world *w = user;
    varve_error error = { 0 };
    struct model *now = calloc(1, sizeof *now);
    varve_graph *graph = graph_over(now);
    varve_restoration *r =
        varve_read_all(comm, varve_graph_root(graph), w->path,
            &(varve_read_options){ .salvage.on = true, .resources.threads = 1 },
            &error);
    cr_assert(r, "many: %s", error.message);
    check_graph(w, graph, "many");
    varve_restoration_free(r);
    varve_graph_free(graph);
    free(now);
}

static void read_together(struct world *w)
{
    thread_comm_run(RANKS, 0, -1, read_at_rank, w);
}

static void run_tool(struct world *w, const char *format, const char *way)
{
    char command[2048], out[256];
    const char *tool = getenv("VARVE_TOOL");
    varve_error error = { 0 };
    snprintf(out, sizeof out, "%s", test_path("out.varve"));
    snprintf(command, sizeof command, format, tool, w->path, out);
    int ended = system(command);
    bool loses = false;
    for (size_t k = 0; k < PARTS; k++)
        loses |= w->is_lost[k];
    cr_assert(WIFEXITED(ended) && WEXITSTATUS(ended) == loses, "%s", command);
    varve_graph *graph = varve_graph_from(out, test_allocator(), &error);
    cr_assert(graph, "%s: %s", way, error.message);
    check_graph(w, graph, way);
    varve_graph_free(graph);
    remove(out);
}

static void repair(struct world *w)
{
    run_tool(w, "'%s' repair -q '%s' -o '%s'", "repair");
}

static void convert(struct world *w)
{
    run_tool(w, "'%s' convert -q --salvage '%s' '%s'", "convert");
}

static const struct way {
    void (*take)(struct world *w);
    bool needs_tool; /* requires the command, which is optional */
} ways[] = {
    { read_staged, false },
    { read_in_place, false },
    { read_others, false },
    { make_graph, false },
    { read_together, false },
    { repair, true },
    { convert, true },
};

/* --- Places --------------------------------------------------------------- */

/* The values that verifying reports. A new set of damaged positions is checked
 * further. */
struct found {
    struct seen places[MOST_DAMAGES];
    size_t count;
};

static void on_damage(void *user, const varve_damage *damage)
{
    struct found *f = user;
    cr_assert_lt(f->count, MOST_DAMAGES);
    if (!damage->path)
        return; /* padding; no value depends on it */
    struct seen *place = &f->places[f->count++];
    place->offset = damage->offset;
    while (strcmp(damage->path, parts[place->part].name) != 0)
        cr_assert_lt(++place->part, PARTS, "%s", damage->path);
}

/* Tries to read the chunk. Damaged compressed data may fail to decompress. */
static void try_to_read(varve_reader *reader, struct seen *place)
{
    static struct model room;
    const struct part *part = &parts[place->part];
    varve_error error = { 0 };
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, part->name, &node));
    cr_assert_eq(varve_reader_read(reader, node.id, &room, part->size, &error),
        VARVE_CORRUPT, "%s", error.message);
    place->is_broken = strstr(error.message, "frame") != NULL;
}

/* Verifies the file. Returns false if it cannot be opened. */
static bool look(const struct world *w, struct found *f)
{
    varve_error error = { 0 };
    *f = (struct found){ 0 };
    varve_reader *reader = varve_reader_open(w->path, test_allocator(), &error);
    if (!reader)
        return false;
    varve_status status = varve_reader_verify(reader,
        &(varve_verify_options){ .on_damage = on_damage, .on_damage_user = f },
        &error);
    cr_assert(f->count == 0 || status == VARVE_CORRUPT, "%s", error.message);
    for (size_t i = 0; i < f->count; i++)
        try_to_read(reader, &f->places[i]);
    varve_reader_free(reader);
    return true;
}

static void take_each_way(struct world *w, const struct found *f)
{
    memset(w->is_lost, 0, sizeof w->is_lost);
    for (size_t i = 0; i < f->count; i++)
        w->is_lost[f->places[i].part] = true;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].needs_tool && !getenv("VARVE_TOOL"))
            continue;
        ways[i].take(w);
        w->tried++;
    }
}

static bool is_seen(const struct world *w, size_t part, bool is_broken)
{
    for (size_t i = 0; i < w->seen_count; i++)
        if (w->seen[i].part == part && w->seen[i].is_broken == is_broken)
            return true;
    return false;
}

/* Returns true if the chunk was not damaged in this way before. */
static bool is_first(struct world *w, const struct found *f)
{
    size_t before = w->seen_count;
    for (size_t i = 0; i < f->count; i++) {
        size_t k = 0;
        while (k < w->seen_count &&
               (w->seen[k].offset != f->places[i].offset ||
                   w->seen[k].is_broken != f->places[i].is_broken))
            k++;
        cr_assert_lt(k, MOST_SEEN);
        if (k == w->seen_count)
            w->seen[w->seen_count++] = f->places[i];
    }
    return w->seen_count > before;
}

static void flip(FILE *file, long place)
{
    fseek(file, place, SEEK_SET);
    int c = fgetc(file);
    fseek(file, place, SEEK_SET);
    fputc(c ^ 0x40, file);
    fflush(file);
}

/* Damages one position. Returns false if the file does not open because its
 * index is damaged; the rest of the file is the index. Inside a large chunk the
 * step grows. If a large step leads to a new result, it is undone and repeated
 * with the smallest steps. */
static bool damage_place(
    struct world *w, FILE *file, long place, struct found *before, long *step)
{
    struct found f;
    flip(file, place);
    bool opens = look(w, &f);
    bool is_new = !opens || memcmp(&f, before, sizeof f) != 0;
    bool is_passed = is_new && *step > STEP;
    if (!is_passed && is_first(w, &f))
        take_each_way(w, &f);
    flip(file, place);
    if (is_passed)
        *step = STEP - *step;
    else
        *step = is_new ? STEP : 2 * *step;
    if (!is_passed)
        *before = f;
    return opens || is_passed;
}

static void damage_file(struct world *w, const char *path, long begin)
{
    FILE *file = fopen(path, "r+b");
    struct found before = { 0 };
    cr_assert(file, "%s", path);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    bool is_packed = size < BIG;
    long step = STEP, most = (long)proof_size(16384, 512);
    /* compressed: each position costs the same, and differences are close
     * together */
    if (is_packed)
        most = (long)proof_size(8 * STEP, STEP);
    for (long place = begin; place < size;) {
        if (!damage_place(w, file, place, &before, &step))
            break;
        if (step > most || before.count == 0 || place + step >= size)
            step = STEP;
        place += step;
        step = step < STEP ? STEP : step;
    }
    fclose(file);
}

/* Damages or removes each data file in turn. */
static void each_layer(struct world *w, bool is_over)
{
    char folder[256], path[600];
    snprintf(folder, sizeof folder, "%s", test_path("layers"));
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!strstr(e->d_name, ".data"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (is_over)
            remove(path);
        else
            damage_file(w, path, LAYER_HEAD);
    }
    if (d)
        closedir(d);
}

/* Checks that the search has seen all kinds of damage. */
static void check_seen(const struct world *w, const char *kind)
{
    for (size_t k = 0; k < PARTS; k++) {
        bool is_packed = w->options.compress && parts[k].size >= PACKED;
        cr_assert(is_seen(w, k, false) || is_packed, "%s: %s was never lost",
            kind, parts[k].name);
        cr_assert(is_seen(w, k, true) || !is_packed, "%s: %s was always read",
            kind, parts[k].name);
    }
}

TEST(damage, of_any_chunk_affects_no_other_value)
{
    struct world *w = calloc(1, sizeof *w);
    fill(&w->saved);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(w->path, sizeof w->path, "%s", test_path("x.varve"));
        w->options = kinds[i].options;
        w->seen_count = 0;
        uint64_t before = w->tried;
        kinds[i].write(w);
        damage_file(w, w->path, 64);
        each_layer(w, false);
        each_layer(w, true);
        remove(w->path);
        check_seen(w, kinds[i].name);
        cr_log_info(
            "%s: %llu", kinds[i].name, (unsigned long long)(w->tried - before));
    }
    proof_count("damage.chunks_by_way", w->tried);
    free(w);
}

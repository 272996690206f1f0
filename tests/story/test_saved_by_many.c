/* test_saved_by_many.c - Tests that a checkpoint of several processes supports
 * everything that one process does with checkpoints, although its values are
 * sharded.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/incremental.h>
#include <varve/reader.h>
#include <varve/saver.h>
#include <varve/slice.h>
#include <varve/snapshot.h>
#include <varve/collective.h>

#include "support/thread_comm.h"

enum { ROWS = 200, COLUMNS = 300, PIECES = 4, ROUND = 1000 };

/* An element of the table saved in a round. */
static float element(uint64_t row, uint64_t column, unsigned round)
{
    return (float)(row * COLUMNS + column + ROUND * COLUMNS * round);
}

/* --- Saved -------------------------------------------------------------- */

struct save {
    char path[256];
    unsigned round;
    unsigned files;
    varve_status status[PIECES];
};

static varve_status save_letter(void *self, varve_sink *sink)
{
    (void)self;
    varve_put(sink, "x", 1);
    return VARVE_OK;
}

static varve_status refuse(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_CALLBACK;
}

static const varve_state_callbacks refusing = { save_letter, refuse };

/* Saves blocks on two by two ranks. */
static void save(const varve_comm *comm, void *user)
{
    struct save *s = user;
    enum { HIGH = ROWS / 2, WIDE = COLUMNS / 2 };
    const uint64_t start[] = { comm->rank / 2 * HIGH, comm->rank % 2 * WIDE };
    float *own = malloc(sizeof(float[HIGH][WIDE]));
    float step = (float)s->round;
    for (uint64_t i = 0; i < HIGH * WIDE; i++)
        own[i] = element(start[0] + i / WIDE, start[1] + i % WIDE, s->round);
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_slice(root, "table", varve_array(own, HIGH, WIDE),
        VARVE_SHAPE(ROWS, COLUMNS), start);
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_state(root, "late", &refusing, NULL);
    s->status[comm->rank] = varve_write_all(comm, root, s->path,
        &(varve_write_options){ .no_sync = true, .collective.files = s->files },
        &error);
    varve_graph_free(graph);
    free(own);
}

static void save_to_files(const char *name, unsigned round, unsigned files)
{
    struct save s = { .round = round, .files = files };
    snprintf(s.path, sizeof s.path, "%s", test_path(name));
    thread_comm_run(PIECES, 0, -1, save, &s);
    for (int i = 0; i < PIECES; i++)
        cr_assert_eq(s.status[i], VARVE_OK);
}

static void save_by_many(const char *name, unsigned round)
{
    save_to_files(name, round, 0);
}

/* --- What a part of it is ----------------------------------------------- */

/* A box that intersects all shards, one within a shard, and one across two. */
static const varve_box boxes[] = {
    { { 90, 140 }, { 20, 20 } },
    { { 10, 10 }, { 30, 40 } },
    { { 150, 100 }, { 10, 150 } },
};
enum { BOXES = sizeof boxes / sizeof *boxes, MOST = 1500 };

struct part {
    varve_graph *graph;
    varve_node *root;
    float memory[BOXES][MOST];
};

static void name_of(int i, char *name)
{
    sprintf(name, "box%d", i);
}

static struct part *new_part(void)
{
    struct part *p = calloc(1, sizeof *p);
    p->graph = story_graph();
    p->root = varve_graph_root(p->graph);
    for (int i = 0; i < BOXES; i++) {
        char name[16];
        name_of(i, name);
        for (int k = 0; k < MOST; k++)
            p->memory[i][k] = -1;
        varve_add_slice(p->root, name,
            varve_array(
                p->memory[i], boxes[i].extents[0], boxes[i].extents[1]),
            VARVE_SHAPE(ROWS, COLUMNS), boxes[i].start);
    }
    return p;
}

static void free_part(struct part *p)
{
    varve_graph_free(p->graph);
    free(p);
}

static const varve_rename renames[] = {
    { "box0", "table" }, { "box1", "table" }, { "box2", "table" }
};
static const varve_read_options by_boxes = {
    .rename = { .list = renames, .count = BOXES }
};

/* Returns true if a box has the elements of a round; of -1, none. */
static bool has(const struct part *p, int box, int round)
{
    const varve_box *b = &boxes[box];
    const float *at = p->memory[box];
    for (uint64_t i = 0; i < b->extents[0]; i++)
        for (uint64_t k = 0; k < b->extents[1]; k++, at++)
            if (*at != (round < 0 ? -1
                                  : element(b->start[0] + i, b->start[1] + k,
                                        (unsigned)round)))
                return false;
    return true;
}

/* Checks that all ways to read the file return the table of a round. */
static void look(const char *name, int round)
{
    varve_error error = { 0 };
    struct part *p = new_part();
    varve_restoration_free(story_read(p->root, name, &by_boxes));
    for (int i = 0; i < BOXES; i++)
        cr_assert(has(p, i, round), "box %d of %s", i, name);
    varve_reader *reader = varve_reader_open(test_path(name), NULL, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    free_part(p);
}

static varve_graph *graph_of(const char *name)
{
    varve_error error = { 0 };
    varve_graph *graph =
        varve_graph_from(test_path(name), test_allocator(), &error);
    cr_assert(graph, "%s", error.message);
    return graph;
}

static void write_graph(const char *from, const char *to,
    const varve_write_options *options)
{
    varve_error error = { 0 };
    varve_graph *graph = graph_of(from);
    float step = -1;
    memcpy(&step, varve_data(varve_find(varve_graph_root(graph), "step")), 4);
    cr_assert_eq(step, 1);
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path(to), options,
                     &error),
        error);
    varve_graph_free(graph);
}

/* --- Meetings ----------------------------------------------------------- */

/* Whatever the number of data files, the repacked checkpoint equals that of one
 * process with all values. */
TEST(saved_by_many, is_repacked_to_the_bytes_of_one_process)
{
    varve_error error = { 0 };
    size_t sizes[PIECES + 2];
    unsigned char *bytes[PIECES + 2];
    for (unsigned files = 0; files <= PIECES; files++) {
        save_to_files("f.varve", 1, files);
        cr_assert_ok(varve_repack(test_path("f.varve"), test_path("one.varve"),
                         NULL, &error),
            error);
        bytes[files] = test_read_file(test_path("one.varve"), &sizes[files]);
        cr_assert_eq(sizes[files], sizes[0]);
        cr_assert(memcmp(bytes[files], bytes[0], sizes[0]) == 0);
    }
    write_graph("f.varve", "by_one.varve",
        &(varve_write_options){ .keep_counter = true });
    bytes[PIECES + 1] =
        test_read_file(test_path("by_one.varve"), &sizes[PIECES + 1]);
    cr_assert_eq(sizes[PIECES + 1], sizes[0]);
    cr_assert(memcmp(bytes[PIECES + 1], bytes[0], sizes[0]) == 0);
    for (unsigned i = 0; i <= PIECES + 1; i++)
        free(bytes[i]);
}

TEST(saved_by_many, is_repacked_and_converted_to_every_format)
{
    varve_error error = { 0 };
    save_by_many("f.varve", 1);
    look("f.varve", 1);
    cr_assert_ok(varve_repack(test_path("f.varve"), test_path("one.varve"),
                     NULL, &error),
        error);
    look("one.varve", 1);
    write_graph("f.varve", "f.npz",
        &(varve_write_options){ .format = VARVE_FORMAT_NPZ });
    look("f.npz", 1);
    write_graph("one.varve", "f.safetensors",
        &(varve_write_options){ .format = VARVE_FORMAT_SAFETENSORS });
    look("f.safetensors", 1);
    write_graph("one.varve", "tf",
        &(varve_write_options){ .format = VARVE_FORMAT_TENSORFLOW });
    look("tf", 1);
}

/* One process saves incrementally or compressed, based on it and next to it;
 * then several processes save incrementally based on that. */
TEST(saved_by_many, can_be_a_base_and_have_a_base)
{
    varve_error error = { 0 };
    save_by_many("f.varve", 1);
    varve_write_options options = { .incremental = true,
        .increment.base = test_path("f.varve") };
    write_graph("f.varve", "g.varve", &options);
    look("g.varve", 1);
#ifdef VV_HAVE_ZSTD
    options.compress = 1;
#endif
    options.increment.base = NULL;
    write_graph("g.varve", "f.varve", &options);
    look("f.varve", 1);
    options.incremental = false;
    write_graph("f.varve", "h.varve", &options);
    look("h.varve", 1);
    save_by_many("f.varve", 2);
    save_by_many("h.varve", 3);
    cr_assert_ok(varve_prune_data_files(test_path("."), &error), error);
    look("f.varve", 2);
    look("g.varve", 1);
    look("h.varve", 3);
}

/* Flips a bit of an element in the single data file. */
static void damage(uint64_t row, uint64_t column, unsigned round)
{
    char path[512];
    float wanted = element(row, column, round), found = -1;
    DIR *folder = opendir(test_path("layers"));
    struct dirent *entry;
    while ((entry = readdir(folder)) && entry->d_name[0] == '.')
        continue;
    snprintf(path, sizeof path, "%s/%s", test_path("layers"), entry->d_name);
    closedir(folder);
    FILE *file = fopen(path, "r+b");
    while (found != wanted)
        cr_assert_eq(fread(&found, sizeof found, 1, file), 1);
    fseek(file, -1, SEEK_CUR);
    fputc(0x7f, file);
    fclose(file);
}

TEST(saved_by_many, loses_only_the_damaged_pieces)
{
    varve_error error = { 0 };
    save_by_many("f.varve", 1);
    damage(60, 200, 1); /* in the upper right shard */
    struct part *p = new_part();
    varve_read_options options = by_boxes;
    story_refused(p->root, "f.varve", &options, VARVE_CORRUPT, &error);
    cr_assert(story_says(&error, "box0: bytes"), "%s", error.message);
    for (int i = 0; i < BOXES; i++)
        cr_assert(has(p, i, -1));
    options.salvage.on = true;
    varve_restoration *r = story_read(p->root, "f.varve", &options);
    cr_assert(has(p, 0, -1));
    cr_assert(has(p, 1, 1) && has(p, 2, 1));
    cr_assert_eq(varve_finding_count(r, VARVE_FINDING_DAMAGED), 1);
    varve_restoration_free(r);
    free_part(p);
}

TEST(saved_by_many, changes_nothing_without_memory)
{
    save_by_many("f.varve", 1);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status == VARVE_NO_MEMORY; n++) {
        varve_error error = { 0 };
        struct part *p = new_part();
        float step = -1;
        varve_add_variable(p->root, "step", varve_scalar(&step));
        varve_node *all = varve_add_allocated_variable(p->root, "table",
            VARVE_FLOAT64, VARVE_SHAPE(ROWS, COLUMNS), NULL, NULL);
        varve_read_options options = by_boxes;
        options.cast = VARVE_CAST_WIDEN;
        options.resources.threads = 1;
        test_fail_allocation(n, false);
        varve_restoration *r =
            varve_read(p->root, test_path("f.varve"), &options, &error);
        test_fail_allocation(-1, false);
        status = r ? VARVE_OK : error.status;
        for (int i = 0; i < BOXES; i++)
            cr_assert(has(p, i, r ? 1 : -1));
        cr_assert_eq(step, r ? 1 : -1);
        if (r)
            cr_assert_eq(((double *)varve_data(all))[1], element(0, 1, 1));
        varve_restoration_free(r);
        free_part(p);
    }
    cr_assert_eq(status, VARVE_OK);
}

/* Restored values are undone from memory, or by a second pass. */
TEST(saved_by_many, is_undone_if_a_state_fails_to_load)
{
    save_by_many("f.varve", 1);
    for (uint64_t staging = 0; staging < 2; staging++) {
        varve_error error = { 0 };
        struct part *p = new_part();
        varve_add_state(p->root, "late", &refusing, NULL);
        varve_read_options options = by_boxes;
        options.resources.staging_size = staging;
        story_refused(p->root, "f.varve", &options,
            staging ? VARVE_PARTIALLY_RESTORED : VARVE_CALLBACK, &error);
        for (int i = 0; i < BOXES && !staging; i++)
            cr_assert(has(p, i, -1));
        free_part(p);
    }
}

static const char *reason_of(varve_report *report, const char *path)
{
    static varve_finding finding;
    for (size_t i = 0;
         varve_report_at(report, VARVE_FINDING_MATCHED, i, &finding); i++)
        if (strcmp(finding.program_path, path) == 0)
            return finding.reason;
    return "";
}

static void read_unmapped(const varve_box *box, const char *reason)
{
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *node = varve_add_allocated_slice(varve_graph_root(graph),
        "table", VARVE_FLOAT32, VARVE_SHAPE(ROWS, COLUMNS), box, NULL, NULL);
    varve_restoration *r = story_read(varve_graph_root(graph), "f.varve",
        &(varve_read_options){ .map = true });
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report, "%s", error.message);
    cr_assert_str_eq(reason_of(report, "table"), reason);
    for (uint64_t i = 0; i < box->extents[0] * COLUMNS; i++)
        cr_assert_eq(((float *)varve_data(node))[i],
            element(i / COLUMNS, i % COLUMNS, 1));
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(saved_by_many, is_read_if_it_cannot_be_mapped)
{
    const varve_box all = { { 0, 0 }, { ROWS, COLUMNS } };
    const varve_box upper = { { 0, 0 }, { ROWS / 2, COLUMNS } };
    save_by_many("f.varve", 1);
    read_unmapped(&all, "not mapped: it is stored in several pieces");
    read_unmapped(&upper, "not mapped: it is a part of a saved value");
}

/* Values of another type, undone from memory and from the file. */
TEST(saved_by_many, is_restored_into_slices_and_undone)
{
    varve_error error = { 0 };
    const varve_box box = boxes[0];
    uint64_t inexact = 1;
    save_by_many("f.varve", 1);
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *slice = varve_add_allocated_slice(root, "table", VARVE_FLOAT32,
        VARVE_SHAPE(ROWS, COLUMNS), &box, NULL, NULL);
    varve_restoration_free(story_read(root, "f.varve", NULL));
    cr_assert_ok(
        varve_retype(slice, VARVE_FLOAT64, &inexact, &error), error);
    cr_assert_eq(inexact, 0);
    double *values = varve_data(slice);
    cr_assert_eq(values[21], element(91, 141, 1));
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    cr_assert(snapshot, "%s", error.message);
    save_by_many("f.varve", 2);
    varve_restoration_free(story_read(root, "f.varve",
        &(varve_read_options){ .cast = VARVE_CAST_WIDEN }));
    cr_assert_eq(values[21], element(91, 141, 2));
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert_eq(values[21], element(91, 141, 1));
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
}

TEST(saved_by_many, can_be_restored_but_not_saved_by_a_saver)
{
    varve_error error = { 0 };
    float part[20][20];
    save_by_many("f.varve", 1);
    varve_graph *graph = story_graph();
    varve_node *slice = varve_add_slice(varve_graph_root(graph), "mine",
        varve_array(part[0], 20, 20), VARVE_SHAPE(ROWS, COLUMNS),
        boxes[0].start);
    varve_saver *saver = varve_saver_new(graph, NULL, &error);
    cr_assert_ok(varve_saver_add(saver, "table", slice, &error), error);
    cr_assert_ok(varve_saver_restore(
                     saver, test_path("f.varve"), NULL, NULL, &error),
        error);
    cr_assert_eq(part[1][2], element(91, 142, 1));
    int before = test_file_count();
    cr_assert_eq(
        varve_saver_save(saver, test_path("g"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "float32[200,300]"), "%s", error.message);
    cr_assert_eq(test_file_count(), before);
    varve_saver_free(saver);
    varve_graph_free(graph);
}

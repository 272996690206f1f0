/* battery.c - Tests what must be identical on every machine, as a plain
 * program.
 *
 *     battery write DIRECTORY    writes files, each time the same bytes
 *     battery read DIRECTORY     restores them into programs, and compares
 *
 * scripts/portable.sh runs it on other machines and compares the files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/everything.h"
#include "portable/nodes.h"

enum { SEED = 3, DRAWS = 2000, RECORDS = 1000, PATH_SIZE = 4096 };

static const char *directory;
static int failures;

static const char *path_of(const char *name)
{
    static char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "battery: %s: %s\n", what, why);
    failures++;
}

/* --- A graph of everything ----------------------------------------------- */

static void write_everything(void)
{
    varve_error error = { .status = VARVE_OK };
    struct everything model = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    model.big = calloc(EVERYTHING_BIG, sizeof *model.big);
    everything_build(&model, graph);
    everything_fill(&model, SEED);
    varve_write_options options = everything_options();
    if (varve_write(varve_graph_root(graph), path_of("everything.varve"),
            &options, &error))
        fail("everything.varve", error.message);
    varve_graph_free(graph);
    free(model.big);
}

static void read_everything(const varve_read_options *options)
{
    varve_error error = { .status = VARVE_OK };
    struct everything model = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    model.big = calloc(EVERYTHING_BIG, sizeof *model.big);
    everything_build(&model, graph);
    varve_restoration *restoration = varve_read(varve_graph_root(graph),
        path_of("everything.varve"), options, &error);
    if (!restoration || varve_assert_consumed(restoration, &error))
        fail("everything.varve", error.message);
    const char *differs = everything_differs(&model, SEED);
    if (differs)
        fail("everything.varve has a wrong value", differs);
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    free(model.big);
}

/* --- In the formats of others -------------------------------------------- */

static const struct {
    const char *name;
    varve_format format;
    uint64_t shard_size;
} foreign[] = {
    { "tensorflow", VARVE_FORMAT_TENSORFLOW, 0 },
    { "names", VARVE_FORMAT_TENSORFLOW_NAMES, 128 },
    { "sharded.safetensors", VARVE_FORMAT_SAFETENSORS, 128 },
    { "whole.safetensors", VARVE_FORMAT_SAFETENSORS, 0 },
    { "arrays.npz", VARVE_FORMAT_NPZ, 0 },
    { "state.pt", VARVE_FORMAT_TORCH, 0 },
};

struct numbers {
    float kernel[7][5];
    double bias[11];
    int64_t step;
    uint16_t codes[3];
    bool flags[5];
};

static varve_graph *number_graph(struct numbers *n)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *layer = varve_add_object(root, "layer");
    varve_add_variable(layer, "kernel", varve_array(&n->kernel[0][0], 7, 5));
    varve_add_variable(layer, "bias", varve_array(n->bias, 11));
    varve_add_variable(layer, "codes", varve_array(n->codes, 3));
    varve_add_variable(root, "flags", varve_array(n->flags, 5));
    varve_add_variable(root, "step", varve_scalar(&n->step));
    return graph;
}

static void fill(struct numbers *n)
{
    for (int i = 0; i < 7 * 5; i++)
        n->kernel[i / 5][i % 5] = (float)i / 3 - 4;
    for (int i = 0; i < 11; i++)
        n->bias[i] = ldexp(1.0 / (i + 3), 40 * (i - 5));
    n->step = -INT64_C(1234567890123);
    for (int i = 0; i < 3; i++)
        n->codes[i] = (uint16_t)(0xfedc - i);
    for (int i = 0; i < 5; i++)
        n->flags[i] = i % 2 == 0;
}

static bool is_same(const struct numbers *a, const struct numbers *b)
{
    return memcmp(a->kernel, b->kernel, sizeof a->kernel) == 0 &&
           memcmp(a->bias, b->bias, sizeof a->bias) == 0 &&
           memcmp(a->codes, b->codes, sizeof a->codes) == 0 &&
           memcmp(a->flags, b->flags, sizeof a->flags) == 0 &&
           a->step == b->step;
}

static void write_foreign(void)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        varve_error error = { .status = VARVE_OK };
        struct numbers numbers = { 0 };
        varve_graph *graph = number_graph(&numbers);
        fill(&numbers);
        varve_write_options options = { .format = foreign[i].format,
            .foreign = { .shard_size = foreign[i].shard_size } };
        if (varve_write(varve_graph_root(graph), path_of(foreign[i].name),
                &options, &error))
            fail(foreign[i].name, error.message);
        varve_graph_free(graph);
    }
}

static void read_foreign(void)
{
    struct numbers wanted = { 0 };
    fill(&wanted);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        varve_error error = { .status = VARVE_OK };
        struct numbers numbers = { 0 };
        varve_graph *graph = number_graph(&numbers);
        /* Names are paths with dots. */
        varve_read_options options = {
            .foreign = { .dots = foreign[i].format == VARVE_FORMAT_TORCH }
        };
        varve_restoration *restoration = varve_read(varve_graph_root(graph),
            path_of(foreign[i].name), &options, &error);
        if (!restoration || varve_assert_consumed(restoration, &error))
            fail(foreign[i].name, error.message);
        else if (!is_same(&numbers, &wanted))
            fail(foreign[i].name, "the restored values differ");
        varve_restoration_free(restoration);
        varve_graph_free(graph);
    }
}

/* --- Numbers that are drawn ---------------------------------------------- */

static void put_bits(FILE *file, const char *name, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    fprintf(file, "%s %016" PRIx64 "\n", name, bits);
}

static void put_draws(FILE *file)
{
    varve_random stream = { .position = 0 };
    float singles[DRAWS];
    varve_random_seed(&stream, 7, "a/path");
    for (int i = 0; i < DRAWS; i++) {
        put_bits(file, "unit", varve_random_unit(&stream));
        put_bits(file, "uniform", varve_random_uniform(&stream, -0.1, 1e7 / 3));
        put_bits(file, "normal", varve_random_normal(&stream, 0.3, 1.7));
        put_bits(file, "truncated",
            varve_random_truncated_normal(&stream, -3, 0.01));
        fprintf(file, "below %" PRIu64 "\n",
            varve_random_below(&stream, UINT64_C(3) << 62));
    }
    varve_random_fill_normal_float32(&stream, singles, DRAWS, 0.1, 0.7);
    for (int i = 0; i < DRAWS; i++)
        put_bits(file, "single", (double)singles[i]);
}

static void put_order(FILE *file)
{
    static int32_t numbers[RECORDS];
    varve_error error = { .status = VARVE_OK };
    varve_batch batch;
    varve_records_options options = { .shuffle = true, .seed = 5, .epochs = 2 };
    varve_records *records = varve_records_open_array(
        numbers, RECORDS, sizeof *numbers, &options, &error);
    while (records && !varve_records_next(records, &batch, &error) &&
           batch.count)
        fprintf(file, "record %" PRIu64 "\n", batch.records[0].index);
    if (error.status)
        fail("records", error.message);
    varve_records_free(records);
}

static void write_draws(void)
{
    FILE *file = fopen(path_of("draws.txt"), "w");
    if (!file) {
        fail("draws.txt", "it cannot be created");
        return;
    }
    put_draws(file);
    put_order(file);
    fclose(file);
}

/* --- Files of later times ------------------------------------------------ */

/* Checks that a file dated 2040 is found, opened and listed like others. */
static void look_at_later_file(void)
{
    varve_error error = { .status = VARVE_OK };
    struct timespec times[2] = { { 0 } };
    times[0].tv_sec = times[1].tv_sec = (time_t)INT64_C(2208988800);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", path_of("everything.varve"));
    if (sizeof(time_t) < 8 || utimensat(AT_FDCWD, path, times, 0)) {
        fail(path, "it cannot be dated 2040");
        return;
    }
    varve_reader *reader = varve_reader_open(path, NULL, &error);
    if (!reader || varve_reader_verify(reader, NULL, &error))
        fail("a file of 2040", error.message);
    varve_reader_free(reader);
}

static void note_nodes(const char *wrong)
{
    if (wrong)
        fail("nodes", wrong);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: battery write|read DIRECTORY\n");
        return 2;
    }
    directory = argv[2];
    if (strcmp(argv[1], "write") == 0) {
        write_everything();
        write_foreign();
        write_draws();
        note_nodes(nodes_write(path_of("nodes")));
    } else {
        read_everything(NULL);
        read_everything(&(varve_read_options){ .passes = VARVE_ONE_PASS });
        read_everything(
            &(varve_read_options){ .map = true, .resources.threads = 2 });
        read_foreign();
        look_at_later_file();
        note_nodes(nodes_read(path_of("nodes")));
    }
    if (!failures)
        printf("battery: %s: passed\n", argv[1]);
    return failures ? 1 : 0;
}

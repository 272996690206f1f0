/* test_format_memory.c - Tests writing each format with each option, from a
 * program and from files of other formats, while one allocation after another
 * fails.
 *
 * The write returns the same as with enough memory, or VARVE_NO_MEMORY. After a
 * failure all files are unchanged; a second write then produces the same files
 * as one that never failed.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* for setenv */
#include "writes.h"

#include "kept_files.h"
#include "structure.h"
#include "unit/foreign/written.h"

/* --- Formats and graphs --------------------------------------------------- */

static const struct {
    varve_format format;
    const char *path;
} targets[] = {
    { VARVE_FORMAT_VARVE, "t.varve" },
    { VARVE_FORMAT_TENSORFLOW, "t" },
    { VARVE_FORMAT_TENSORFLOW_NAMES, "t" },
    { VARVE_FORMAT_SAFETENSORS, "t.safetensors" },
    { VARVE_FORMAT_NPY, "t.npy" },
    { VARVE_FORMAT_NPZ, "t.npz" },
    { VARVE_FORMAT_GGUF, "t.gguf" },
    { VARVE_FORMAT_TORCH, "t.pt" },
#ifdef VV_HAVE_HDF5
    { VARVE_FORMAT_HDF5, "t.h5" },
#endif
};

enum { TARGETS = sizeof targets / sizeof *targets };

/* Golden files separated by '|'; the first is opened. */
static const char *const samples[] = {
    "keras3_adam.index|keras3_adam.data-00000-of-00001",
    ("keras2_mixed_precision.index|"
     "keras2_mixed_precision.data-00000-of-00001"),
    "st_all_types.safetensors",
    "npz_all_types.npz",
    "npy_big.npy",
    "small.gguf",
    "torch_training.pt",
    "torch_unnamed.pt",
    "torch_module.pt",
    "onnx_model.onnx|onnx_model.data",
    "flax_state.msgpack",
#ifdef VV_HAVE_HDF5
    "hdf5_model.weights.h5",
    "hdf5_model.keras",
    "hdf5_keras2.h5",
#endif
};

enum { SAMPLES = sizeof samples / sizeof *samples };

/* A program with every kind of node. */
struct program {
    float w[64], m[64], b[4], more[64];
    bool flags[3];
    int64_t step;
    varve_string words[2];
    char state;
};

static varve_status save_state(void *self, varve_sink *sink)
{
    varve_put(sink, self, 1);
    return VARVE_OK;
}

static varve_status load_state(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

static void build(struct program *p, varve_graph *graph, varve_format format)
{
    static const varve_state_callbacks callbacks = { save_state, load_state };
    *p = (struct program){ .step = 3,
        .words = { { "one", 3 }, { "other", 5 } }, .state = 's' };
    varve_node *root = varve_graph_root(graph);
    varve_node *model = varve_add_object(root, "model");
    varve_node *w = varve_add_variable(model, "w", varve_array(p->w, 8, 8));
    if (format == VARVE_FORMAT_NPY)
        return;
    varve_node *layers = varve_add_list(model, "layers");
    varve_node *b =
        varve_add_variable(layers, VARVE_APPEND, varve_array(p->b, 4));
    varve_set_global_name(b, "the.b");
    varve_track(model, "tied", b);
    varve_track(model, "up", root);
    varve_node *optimizer = varve_add_object(root, "optimizer");
    cr_assert(varve_add_slot(optimizer, w, "m", varve_array(p->m, 8, 8)));
    varve_add_variable(root, "more", varve_array(p->more, 64));
    varve_add_variable(root, "flags", varve_array(p->flags, 3));
    varve_add_variable(root, "words", varve_array(p->words, 2));
    varve_add_variable(root, "step", varve_scalar(&p->step));
    varve_add_state(root, "state", &callbacks, &p->state);
}

/* --- A case --------------------------------------------------------------- */

struct write_case {
    struct trial trial;
    struct program program;
    varve_graph *graph;
    const char *path;
    char name[160];
    varve_write_options options;
    varve_status wanted;
    struct kept_files before, after;
    int open;   /* descriptors of the page tracker of the graph */
    long tried; /* number of allocations */
};

static varve_graph *open_sample(struct write_case *c, const char *sample)
{
    char name[64], path[512];
    varve_error error = { 0 };
    for (const char *at = sample; *at;) {
        size_t size = strcspn(at, "|"), file_size;
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        snprintf(path, sizeof path, "%s/%s", FOREIGN_DIRECTORY, name);
        void *bytes = test_read_file(path, &file_size);
        memory_put(c->trial.disk.memory, name, bytes, file_size);
        free(bytes);
        at += size + (at[size] == '|');
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(sample, "|"), sample);
    varve_graph *graph =
        vv_graph_from_in(&c->trial.disk.context, name, NULL, &error);
    cr_assert(graph, "%s: %s", name, error.message);
    return graph;
}

static void begin(struct write_case *c, size_t target, const char *sample)
{
    memset(c, 0, sizeof *c);
    disk_begin(&c->trial.disk);
    cr_assert_eq(setenv("VARVE_MODULES", MODULE_DIRECTORY, 1), 0);
    c->path = targets[target].path;
    if (sample) {
        c->graph = open_sample(c, sample);
    } else {
        c->graph = vv_graph_new_in(&c->trial.disk.context);
        build(&c->program, c->graph, targets[target].format);
    }
    c->options.format = targets[target].format;
    snprintf(c->name, sizeof c->name, "%.40s as %s",
        sample ? sample : "program",
        varve_format_name(targets[target].format));
}

static void end(struct write_case *c)
{
    varve_graph_free(c->graph);
    kept_files_free(&c->before);
    kept_files_free(&c->after);
    disk_end(&c->trial.disk);
}

static varve_status write_once(
    struct write_case *c, long failing, bool is_sticky, varve_error *error)
{
    *error = (varve_error){ 0 };
    test_fail_allocation(failing, is_sticky);
    varve_status status = varve_write(
        varve_graph_root(c->graph), c->path, &c->options, error);
    c->tried = test_allocation_count();
    test_fail_allocation(-1, false);
    return status;
}

static void check_files(const struct write_case *c,
    const struct kept_files *files, long number, const char *when)
{
    const char *other = kept_files_differ(files, c->trial.disk.memory);
    cr_assert_null(other, "%s, allocation %ld: %s %s", c->name, number, other,
        when);
}

static void check_written(struct write_case *c)
{
    varve_error error = { 0 };
    varve_reader *reader =
        vv_reader_open_in(&c->trial.disk.context, c->path, &error);
    cr_assert(reader, "%s: %s", c->name, error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
}

/* Compares the files. Names of data files are random, so only their number is
 * compared, and that all can be read. */
static void check_result(
    struct write_case *c, long number, const char *when)
{
    if (!c->options.incremental) {
        check_files(c, &c->after, number, when);
        return;
    }
    cr_assert_eq(memory_file_count(c->trial.disk.memory), c->after.count,
        "%s, allocation %ld: files differ %s", c->name, number, when);
    check_written(c);
}

/* Fails one allocation. Returns false if it was not reached. */
static bool try_write(struct write_case *c, long number, bool is_sticky)
{
    varve_error error;
    struct memory *memory = c->trial.disk.memory;
    kept_files_restore(&c->before, memory);
    long blocks = test_block_count();
    varve_status status = write_once(c, number, is_sticky, &error);
    bool is_tried = c->tried > number;
    cr_assert(status == c->wanted || status == VARVE_NO_MEMORY,
        "%s, allocation %ld: %s %s", c->name, number,
        varve_status_name(status), error.message);
    cr_assert(!status || *error.message, "%s: no message", c->name);
    cr_assert_eq(memory_open_count(memory), c->open, "%s", c->name);
    cr_assert_eq(test_block_count(), blocks, "%s, allocation %ld: %ld blocks",
        c->name, number, test_block_count() - blocks);
    if (status)
        check_files(c, &c->before, number, "after the failure");
    else
        check_result(c, number, "after the write");
    if (status != c->wanted) {
        status = write_once(c, -1, false, &error);
        cr_assert_eq(status, c->wanted, "%s, after allocation %ld: %s %s",
            c->name, number, varve_status_name(status), error.message);
        check_result(c, number, "after a second write");
    }
    return is_tried;
}

/* Fails about `most` allocations in the short version, all in the long one. */
static long sweep(struct write_case *c, long most)
{
    varve_error error;
    long count = 0;
    kept_files_take(&c->before, c->trial.disk.memory);
    write_once(c, -1, false, &error); /* cached data remains allocated */
    kept_files_restore(&c->before, c->trial.disk.memory);
    c->wanted = write_once(c, -1, false, &error);
    if (c->wanted == VARVE_MISUSE || c->wanted == VARVE_TOO_NEW)
        return 0;
    kept_files_take(&c->after, c->trial.disk.memory);
    c->open = memory_open_count(c->trial.disk.memory);
    if (!c->wanted)
        check_written(c);
    long step = (long)proof_size((size_t)(c->tried / most) + 1, 1);
    for (int sticky = 0; sticky < 2; sticky++)
        for (long n = sticky; try_write(c, n, sticky); n += step)
            count++;
    return count;
}

/* --- The sweeps ----------------------------------------------------------- */

/* Runs with no existing file, and with a file to replace. */
static long sweep_both(struct write_case *c, long most)
{
    varve_error error;
    long count = sweep(c, most);
    varve_write_options plain = { .format = c->options.format };
    kept_files_restore(&c->before, c->trial.disk.memory);
    varve_status status =
        varve_write(varve_graph_root(c->graph), c->path, &plain, &error);
    strcat(c->name, ", replaced");
    return status ? count : count + sweep(c, most);
}

static long sweep_row(const struct write_row *row, size_t target)
{
    static struct write_case c;
    begin(&c, target, NULL);
    if (row->set_before)
        row->set_before(&c.options, &c.trial);
    row->set(&c.options, &c.trial);
    c.options.format = targets[target].format;
    sprintf(c.name + strlen(c.name), " with `%s`", row->name);
    long count = sweep_both(&c, 5);
    end(&c);
    return count;
}

static long sweep_program(size_t target)
{
    static struct write_case c;
    begin(&c, target, NULL);
    long count = sweep_both(&c, 40);
    end(&c);
    for (size_t i = 0; i < write_row_count; i++)
        if (!write_rows[i].is_too_new && !write_rows[i].between &&
            !write_rows[i].act)
            count += sweep_row(&write_rows[i], target);
    return count;
}

static long sweep_sample(size_t target, const char *sample)
{
    static struct write_case c;
    begin(&c, target, sample);
    long count = sweep_both(&c, 12);
    end(&c);
    return count;
}

TEST(memory_of_formats, may_fail_in_each_write_of_a_program)
{
    long count = 0;
    for (size_t t = 0; t < TARGETS; t++)
        count += sweep_program(t);
    proof_count("options.write_allocations", (size_t)count);
    cr_assert_gt(count, 1000);
}

TEST(memory_of_formats, may_fail_in_each_write_of_a_file)
{
    long count = 0;
    for (size_t s = 0; s < SAMPLES; s++)
        for (size_t t = 0; t < TARGETS; t++)
            count += sweep_sample(t, samples[s]);
    proof_count("options.write_allocations", (size_t)count);
    cr_assert_gt(count, 1000);
}

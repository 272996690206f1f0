/* test_profile.c - Tests that a build without a feature rejects its use and
 * names the build option, and that the core works.
 *
 *     test_profile FOREIGN PLACE
 *
 * The program uses only public headers of the core.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/checkpoint.h>
#include <varve/graph.h>
#include <varve/reader.h>
#include <varve/restoration.h>
#include <varve/snapshot.h>
#include <varve/variable.h>
#include <varve/version.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct sample {
    const char *option;
    const char *file;    /* in tests/golden/foreign */
    varve_format format; /* to be written; Varve's own: only read */
};

static const struct sample samples[] = {
    { "tensorflow", "keras3_adam.index", VARVE_FORMAT_TENSORFLOW },
    { "tensorflow", "names.index", VARVE_FORMAT_TENSORFLOW_NAMES },
    { "safetensors", "st_all_types.safetensors", VARVE_FORMAT_SAFETENSORS },
    { "safetensors", "st_sharded.safetensors.index.json",
        VARVE_FORMAT_SAFETENSORS },
    { "numpy", "npy_version_1.npy", VARVE_FORMAT_NPZ },
    { "numpy", "npz_stored.npz", VARVE_FORMAT_NPZ },
    { "gguf", "small.gguf", VARVE_FORMAT_GGUF },
    { "torch", "torch_new.pt", VARVE_FORMAT_TORCH },
    { "torch", "torch_legacy.pt", VARVE_FORMAT_TORCH },
    { "torch", "torch_tar.pt", VARVE_FORMAT_TORCH },
    { "torch", "dcp", VARVE_FORMAT_VARVE },
    { "onnx", "onnx_model.onnx", VARVE_FORMAT_VARVE },
    { "flax", "flax_state.msgpack", VARVE_FORMAT_VARVE },
};

static float kernel[3] = { 1, 2, 3 };
static int failed;

static void expect(bool holds, const char *what, const char *found)
{
    if (holds)
        return;
    fprintf(stderr, "expected %s, found %s\n", what, found);
    failed = 1;
}

static bool is_here(const char *option)
{
    size_t size = strlen(option);
    const char *at = varve_built_with();
    for (; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, option, size) == 0 && strchr(",", at[size]))
            return true;
    }
    return false;
}

/* Checks the status of a call that requires a feature. */
static void check(const struct sample *s, varve_status status,
    const varve_error *error, const char *what)
{
    char option[64];
    snprintf(option, sizeof option, "-D%s=enabled", s->option);
    if (is_here(s->option)) {
        expect(status == VARVE_OK, what, error->message);
        return;
    }
    expect(status == VARVE_TOO_NEW, what, varve_status_name(status));
    expect(strstr(error->message, option), option, error->message);
}

static varve_graph *build(void)
{
    static const uint64_t extents[] = { 3 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_add_variable(varve_graph_root(graph), "kernel",
        varve_view(kernel, VARVE_FLOAT32, varve_shape_of(1, extents)));
    return graph;
}

static void check_formats(const char *foreign, const char *place)
{
    char path[4096];
    varve_graph *graph = build();
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        varve_error error = { 0 };
        snprintf(path, sizeof path, "%s/%s", foreign, s->file);
        varve_reader *reader = varve_reader_open(path, NULL, &error);
        check(s, reader ? VARVE_OK : error.status, &error, s->file);
        varve_reader_free(reader);
        if (s->format == VARVE_FORMAT_VARVE)
            continue;
        const varve_write_options options = { .format = s->format };
        snprintf(path, sizeof path, "%s.other", place);
        varve_status status =
            varve_write(varve_graph_root(graph), path, &options, &error);
        check(s, status, &error, varve_format_name(s->format));
    }
    varve_graph_free(graph);
}

static void check_own(const char *place)
{
    varve_error error = { 0 };
    varve_graph *graph = build();
    varve_node *root = varve_graph_root(graph);
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    expect(snapshot, "a snapshot", error.message);
    expect(!varve_write(root, place, NULL, &error), "a file", error.message);
    memset(kernel, 0, sizeof kernel);
    varve_restoration *r = varve_read(root, place, NULL, &error);
    expect(r && !varve_assert_consumed(r, &error), "all", error.message);
    expect(kernel[2] == 3, "the value of the file", "another");
    varve_restoration_free(r);
    kernel[2] = 0;
    if (snapshot)
        expect(!varve_snapshot_restore(snapshot, &error) && kernel[2] == 3,
            "the value of the snapshot", "another");
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
}

/* Every build can read incremental checkpoints. */
static void check_layers(const char *foreign, const char *place)
{
    static const struct sample layers = { .option = "layers" };
    const varve_write_options options = { .incremental = true };
    char path[4096];
    varve_error error = { 0 };
    varve_graph *graph = build();
    check(&layers,
        varve_write(varve_graph_root(graph), place, &options, &error), &error,
        "a layer");
    varve_graph_free(graph);
    snprintf(path, sizeof path, "%s/../version-1-layers.varve", foreign);
    varve_reader *reader = varve_reader_open(path, NULL, &error);
    expect(reader && !varve_reader_verify(reader, NULL, &error),
        "values in layers", error.message);
    varve_reader_free(reader);
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: test_profile FOREIGN PLACE\n");
        return 2;
    }
    check_own(arguments[2]);
    check_formats(arguments[1], arguments[2]);
    check_layers(arguments[1], arguments[2]);
    printf("profile: built with %s\n", varve_built_with());
    return failed;
}

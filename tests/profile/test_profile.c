/* test_profile.c - Tests a build with any options: without `formats`, files in
 * other formats are refused by a message that names the format and the option,
 * and Varve's own format works.
 *
 *     test_profile FOREIGN PLACE
 *
 * Uses only public headers that every build has.
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

#define OPTION "-Dformats=enabled"

struct sample {
    const char *what;
    const char *file;    /* in tests/golden/foreign */
    varve_format format; /* to be written; Varve's own: only read */
};

static const struct sample samples[] = {
    { "a TensorFlow checkpoint", "keras3_adam.index", VARVE_FORMAT_TENSORFLOW },
    { "a TensorFlow checkpoint", "names.index", VARVE_FORMAT_TENSORFLOW_NAMES },
    { "a safetensors file", "st_all_types.safetensors",
        VARVE_FORMAT_SAFETENSORS },
    { "a safetensors file", "st_sharded.safetensors.index.json",
        VARVE_FORMAT_SAFETENSORS },
    { "a NumPy file", "npy_version_1.npy", VARVE_FORMAT_NPZ },
    { "a NumPy file", "npz_stored.npz", VARVE_FORMAT_NPZ },
    { "a GGUF file", "small.gguf", VARVE_FORMAT_GGUF },
    { "a PyTorch file", "torch_new.pt", VARVE_FORMAT_TORCH },
    { "a PyTorch file", "torch_legacy.pt", VARVE_FORMAT_TORCH },
    { "a PyTorch file", "torch_tar.pt", VARVE_FORMAT_TORCH },
    { "a PyTorch file", "dcp", VARVE_FORMAT_VARVE },
    { "an ONNX model", "onnx_model.onnx", VARVE_FORMAT_VARVE },
    { "a Flax file", "flax_state.msgpack", VARVE_FORMAT_VARVE },
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

/* Checks a call with a file or format, which returned `status`. */
static void check(
    varve_status status, const varve_error *error, const char *what)
{
    if (is_here("formats")) {
        expect(status == VARVE_OK, what, error->message);
        return;
    }
    expect(status == VARVE_TOO_NEW, what, varve_status_name(status));
    expect(strstr(error->message, what), what, error->message);
    expect(strstr(error->message, OPTION), OPTION, error->message);
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
        check(reader ? VARVE_OK : error.status, &error, s->what);
        varve_reader_free(reader);
        if (s->format == VARVE_FORMAT_VARVE)
            continue;
        const varve_write_options options = { .format = s->format };
        snprintf(path, sizeof path, "%s.other", place);
        varve_status status =
            varve_write(varve_graph_root(graph), path, &options, &error);
        check(status, &error, varve_format_name(s->format));
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

/* Incremental checkpoints are written and read by every build. */
static void check_incremental(const char *foreign, const char *place)
{
    const varve_write_options options = { .incremental = true };
    char path[4096];
    varve_error error = { 0 };
    varve_graph *graph = build();
    expect(!varve_write(varve_graph_root(graph), place, &options, &error),
        "an incremental checkpoint", error.message);
    varve_graph_free(graph);
    snprintf(path, sizeof path, "%s/../version-1-layers.varve", foreign);
    varve_reader *reader = varve_reader_open(path, NULL, &error);
    expect(reader && !varve_reader_verify(reader, NULL, &error),
        "values in data files", error.message);
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
    check_incremental(arguments[1], arguments[2]);
    printf("profile: built with %s\n", varve_built_with());
    return failed;
}

/* test_left_out.c - Tests errors for formats that this build does not include.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "left_out.h"
#include "unit/foreign/written.h"

struct sample {
    const char *name; /* in tests/golden/foreign */
    const char *option;
};

static struct sample samples[] = {
    { "keras3_adam.index", "tensorflow" },
    { "st_all_types.safetensors", "safetensors" },
    { "st_sharded.safetensors.index.json", "safetensors" },
    { "npy_big.npy", "numpy" },
    { "npz_stored.npz", "numpy" },
    { "npz_none.npz", "numpy" },
    { "small.gguf", "gguf" },
    { "torch_big.pt", "torch" },
    { "torch_tar.pt", "torch" },
    { "onnx_model.onnx", "onnx" },
    { "flax_state.msgpack", "flax" },
    { "flax_values.msgpack", "flax" },
    { "hdf5_model.h5", "keras" },
    { "hdf5_model.keras", "keras" },
    { "hdf5_model.weights.h5", "keras" },
    { "hdf5_block.mat", "keras" },
    { "README.md", NULL },
    { "../v1.varve", NULL },
};

static const char *option_of(const char *name)
{
    static unsigned char bytes[1 << 20];
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", FOREIGN_DIRECTORY, name);
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    size_t tail = size < 64 ? size : 64;
    struct vv_candidate candidate = { .path = path,
        .size = size,
        .head = bytes,
        .head_size = size < VV_CANDIDATE_HEAD ? size : VV_CANDIDATE_HEAD,
        .tail = bytes + size - tail,
        .tail_size = tail };
    const struct vv_format_option *option = NULL;
    enum vv_bid bid = vv_format_option_bid(&candidate, false, &option);
    cr_assert((bid != VV_BID_NONE) == (option != NULL), "%s", path);
    return option ? option->name : NULL;
}

TEST(left_out, tells_the_files_of_each_format_without_reading_them)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const char *found = option_of(samples[i].name);
        const char *expected = samples[i].option;
        cr_assert(expected ? found && strcmp(found, expected) == 0 : !found,
            "%s: %s", samples[i].name, found ? found : "nothing");
    }
}

TEST(left_out, has_an_option_for_each_format_but_ours)
{
    for (int i = 0; strcmp(varve_format_name((varve_format)i), "unknown") != 0;
         i++) {
        const struct vv_format_option *option =
            vv_format_option_of((varve_format)i);
        cr_assert_eq(option != NULL, i != VARVE_FORMAT_VARVE, "%d", i);
        cr_assert(!option || option->is_here);
    }
}

TEST(left_out, names_the_option_to_build_with)
{
    varve_error error = { 0 };
    const struct vv_format_option *option =
        vv_format_option_of(VARVE_FORMAT_DCP);
    cr_assert_eq(
        vv_format_left_out(option, "x.pt", &error), VARVE_TOO_NEW);
    cr_assert_str_eq(error.message,
        "x.pt: a PyTorch file, which this build does not support: build Varve "
        "with -Dtorch=enabled");
}

/* test_signature.c - lib/foreign/formats/signature.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "signature.h"
#include "unit/foreign/written.h"

struct sample {
    const char *name; /* in tests/golden/foreign */
    const char *what;
};

static struct sample samples[] = {
    { "keras3_adam.index", "a TensorFlow checkpoint" },
    { "st_all_types.safetensors", "a safetensors file" },
    { "st_sharded.safetensors.index.json", "a safetensors file" },
    { "npy_big.npy", "a NumPy file" },
    { "npz_stored.npz", "a NumPy file" },
    { "npz_none.npz", "a NumPy file" },
    { "small.gguf", "a GGUF file" },
    { "torch_big.pt", "a PyTorch file" },
    { "torch_tar.pt", "a PyTorch file" },
    { "onnx_model.onnx", "an ONNX model" },
    { "flax_state.msgpack", "a Flax file" },
    { "flax_values.msgpack", "a Flax file" },
    { "hdf5_model.h5", "a Keras or HDF5 file" },
    { "hdf5_model.keras", "a Keras or HDF5 file" },
    { "hdf5_model.weights.h5", "a Keras or HDF5 file" },
    { "hdf5_block.mat", "a Keras or HDF5 file" },
    { "README.md", NULL },
    { "../v1.varve", NULL },
};

static const char *what_of(const char *name)
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
    return vv_format_recognize(&candidate);
}

TEST(signature, recognizes_files_of_each_format_by_their_first_bytes)
{
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const char *found = what_of(samples[i].name);
        const char *expected = samples[i].what;
        cr_assert(expected ? found && strcmp(found, expected) == 0 : !found,
            "%s: %s", samples[i].name, found ? found : "nothing");
    }
}

TEST(signature, returns_the_names_of_formats)
{
    static const char *const names[] = { "varve", "tensorflow",
        "tensorflow-names", "safetensors", "npy", "npz", "gguf", "torch",
        "onnx", "flax", "dcp", "hdf5", "unknown" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_str_eq(varve_format_name((varve_format)i), names[i]);
    cr_assert_str_eq(varve_format_name((varve_format)-1), "unknown");
}

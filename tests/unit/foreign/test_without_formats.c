/* test_without_formats.c - lib/foreign/formats/without_formats.c, in a build
 * without the option `formats`.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "format_choice.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "unit/foreign/written.h"

struct sample {
    const char *name; /* in tests/golden/foreign */
    const char *what;
};

static struct sample samples[] = {
    { "keras3_adam.index", "a TensorFlow checkpoint" },
    { "st_sharded.safetensors.index.json", "a safetensors file" },
    { "npz_stored.npz", "a NumPy file" },
    { "small.gguf", "a GGUF file" },
    { "torch_tar.pt", "a PyTorch file" },
    { "onnx_model.onnx", "an ONNX model" },
    { "flax_state.msgpack", "a Flax file" },
    { "hdf5_model.keras", "a Keras or HDF5 file" },
};

#define REFUSED                                                                \
    ", which this build does not support: build Varve with -Dformats=enabled"

TEST(without_formats, reports_the_format_of_a_file_and_the_option)
{
    struct vv_context context = test_context(&vv_posix_system);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[4096], expected[5000];
        struct vv_opened opened;
        varve_error error = { 0 };
        snprintf(path, sizeof path, "%s/%s", FOREIGN_DIRECTORY,
            samples[i].name);
        snprintf(expected, sizeof expected, "%s: %s" REFUSED, path,
            samples[i].what);
        cr_assert_eq(vv_checkpoint_open(&opened, &context, path, &error),
            VARVE_TOO_NEW, "%s", error.message);
        cr_assert_str_eq(error.message, expected);
    }
}

TEST(without_formats, does_not_affect_other_files)
{
    struct vv_context context = test_context(&vv_posix_system);
    struct vv_opened opened;
    varve_error error = { 0 };
    cr_assert_eq(vv_checkpoint_open(&opened, &context,
                     FOREIGN_DIRECTORY "/README.md", &error),
        VARVE_NOT_A_CHECKPOINT, "%s", error.message);
    cr_assert_ok(vv_checkpoint_open(&opened, &context,
                     FOREIGN_DIRECTORY "/../v1.varve", &error),
        error);
    cr_assert_eq(vv_checkpoint_format(&opened), VARVE_FORMAT_VARVE);
    cr_assert_not(vv_checkpoint_kept(&opened));
    vv_opened_close(&opened);
}

TEST(without_formats, refuses_to_write_them)
{
    varve_error error = { 0 };
    struct vv_target target = { .path = "out" };
    cr_assert_eq(vv_target_write(&target, VARVE_FORMAT_NPZ, &error),
        VARVE_TOO_NEW);
    cr_assert_str_eq(error.message, "out: the format npz" REFUSED);
}

/* target_keras.c - Fuzzes the config.json of Keras archives, whose layer
 * descriptions are read before libhdf5 is called.
 *
 * The parts that libhdf5 reads are not tested here; SECURITY.md contains the
 * reason.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "allocator.h"
#include "file.h"
#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "keras_config.h"

enum { FACTOR = 96 /* a layer of a few bytes can have a path of many names */ };

static void look_at_layers(const struct vv_keras_config *config, size_t size)
{
    size_t count = vv_keras_layer_count(config);
    FUZZ_CHECK(count <= size / 8, "%zu layers in %zu bytes", count, size);
    for (size_t i = 0; i < count; i++) {
        const struct vv_keras_layer *layer = vv_keras_layer_at(config, i);
        FUZZ_CHECK(strncmp(layer->path, "layers/", 7) == 0, "%s", layer->path);
        FUZZ_CHECK(layer->class != NULL, "%s", layer->path);
        FUZZ_CHECK(vv_keras_layer_find(config, layer->path) != NULL, "%s",
            layer->path);
    }
}

void fuzz_keras(const uint8_t *bytes, size_t size)
{
    struct bounded bounded = bounded_by(size);
    struct one_file file;
    varve_error error = { VARVE_OK, 0, "" };
    uint32_t number;
    bounded_raise(&bounded, FACTOR * size);
    one_file_init(&file, bytes, size);
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded), .system = &file.system
    };
    struct vv_foreign foreign = { .context = &context };
    struct vv_zip_entry entry = { .size = size };
    struct vv_hdf5_source source = { .foreign = &foreign, .config = &entry };
    struct vv_keras_config config;
    vv_arena_init(&source.names, &context.allocator);
    varve_status status =
        vv_foreign_add_file(&foreign, FUZZ_PATH, &number, &error);
    FUZZ_CHECK(!status, "%s", error.message);
    status = vv_keras_config_read(&config, &source, &error);
    FUZZ_CHECK(!status || status == VARVE_NO_MEMORY, "%s", error.message);
    if (!status)
        look_at_layers(&config, size);
    vv_keras_config_clear(&config);
    vv_arena_clear(&source.names);
    vv_file_close(&context, foreign.files[0].file);
    vv_release_string(&context.allocator, foreign.files[0].path);
    vv_release(&context.allocator, foreign.files,
        foreign.file_capacity * sizeof *foreign.files);
    bounded_check_empty(&bounded);
}

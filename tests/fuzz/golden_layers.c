/* golden_layers.c - Reads the data files of the golden files on first use.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "fuzz/golden_layers.h"

#include <dirent.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { MOST_LAYERS = 8, MOST_SIZE = 128 * 1024 };

static struct golden_layer layers[MOST_LAYERS];
static size_t layer_count;

static void read_layer(const char *name)
{
    char path[4096];
    FUZZ_CHECK(layer_count < MOST_LAYERS, "too many layers");
    struct golden_layer *layer = &layers[layer_count++];
    snprintf(path, sizeof path, "%s/layers/%s", FUZZ_GOLDEN, name);
    snprintf(layer->name, sizeof layer->name, "%.40s", name);
    FILE *file = fopen(path, "rb");
    layer->bytes = malloc(MOST_SIZE);
    FUZZ_CHECK(file && layer->bytes, "%s", path);
    layer->size = fread(layer->bytes, 1, MOST_SIZE, file);
    fclose(file);
}

size_t golden_layer_count(void)
{
    DIR *folder = layer_count ? NULL : opendir(FUZZ_GOLDEN "/layers");
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.')
            read_layer(entry->d_name);
    if (folder)
        closedir(folder);
    FUZZ_CHECK(layer_count, "%s has no layers", FUZZ_GOLDEN);
    return layer_count;
}

const struct golden_layer *golden_layer_at(size_t i)
{
    return &layers[i];
}

void golden_layer_add(struct many_files *files, const char *folder,
    const struct golden_layer *layer, const uint8_t *bytes, size_t size)
{
    char name[2 * MOST_NAME];
    int length =
        snprintf(name, sizeof name, "%slayers/%s", folder, layer->name);
    many_files_add(files, name, (size_t)length, bytes, size);
}

/* hdf5_sample.h - Provides files written by h5py and Keras, for tests that need
 * the HDF5 module.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_HDF5_SAMPLE_H
#define UNIT_HDF5_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>

#include "hdf5_graph.h"
#include "readers.h"
#include "unit/foreign/written.h"

#define HDF5_MARK "\x89HDF\r\n\x1a\n"

/* Selects the module of this build for this process. */
static inline void use_module(void)
{
    cr_assert_eq(setenv("VARVE_MODULES", MODULE_DIRECTORY, 1), 0);
}

/* Returns the content of a golden file. */
static inline struct vv_buffer read_sample(const char *name)
{
    char path[512], bytes[4096];
    size_t size;
    struct vv_buffer all = new_bytes();
    snprintf(path, sizeof path, "%s/%s", FOREIGN_DIRECTORY, name);
    FILE *file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        vv_buffer_add(&all, bytes, size);
    fclose(file);
    return all;
}

/* A sample, opened in its own world, which contains no other file. */
struct hdf5_sample {
    struct world world;
    varve_reader *reader;
};

static inline struct hdf5_sample open_sample(const char *name)
{
    struct hdf5_sample s = { .world = world_new() };
    varve_error error = { 0 };
    struct vv_buffer bytes = read_sample(name);
    use_module();
    s.reader = open_bytes(&s.world, name, &bytes, &error);
    cr_assert(s.reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(s.reader), VARVE_FORMAT_HDF5);
    vv_buffer_clear(&bytes);
    return s;
}

static inline void close_sample(struct hdf5_sample *s)
{
    varve_reader_free(s->reader);
    world_free(&s->world);
}

static inline varve_saved_node find_sample(
    const struct hdf5_sample *s, const char *path)
{
    varve_saved_node node;
    cr_assert(varve_reader_find(s->reader, path, &node), "%s", path);
    return node;
}

/* Returns true if a node has this tag. */
static inline bool has_tag(
    const struct hdf5_sample *s, const char *path, const char *tag)
{
    varve_saved_node node = find_sample(s, path);
    const char *found;
    for (size_t i = 0; (found = varve_reader_tag_at(s->reader, node.id, i));
         i++) {
        if (strcmp(found, tag) == 0)
            return true;
    }
    return false;
}

static inline const char *sample_text(
    const struct hdf5_sample *s, const char *name)
{
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(s->reader, i)); i++) {
        if (strcmp(m->name, name) == 0)
            return m->string;
    }
    return NULL;
}

#endif

/* safetensors_graph.h - Writes graphs as safetensors to a system in memory, and
 * records reported losses.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_SAFETENSORS_GRAPH_H
#define UNIT_SAFETENSORS_GRAPH_H

#include "unit/foreign/safetensors.h"

#include <stdio.h>

#include "graph.h"

struct written {
    struct memory *memory;
    varve_graph *graph;
    varve_node *root;
    varve_write_options options;
    char losses[2048]; /* a line "<path>: <what>" for each */
    varve_error error;
};

static inline void note_loss(void *user, const char *path, const char *what)
{
    struct written *w = user;
    size_t size = strlen(w->losses);
    snprintf(w->losses + size, sizeof w->losses - size, "%s: %s\n", path, what);
}

/* Initializes in place; the address must not change. */
static inline void begin_graph(struct written *w)
{
    *w = (struct written){ .memory = memory_new() };
    struct vv_context context = test_context(memory_system(w->memory));
    w->graph = vv_graph_new_in(&context);
    w->root = varve_graph_root(w->graph);
    w->options = (varve_write_options){ .format = VARVE_FORMAT_SAFETENSORS,
        .foreign = { .loss = note_loss, .loss_user = w } };
}

static inline void end_graph(struct written *w)
{
    varve_graph_free(w->graph);
    cr_assert_eq(memory_open_count(w->memory), 0);
    memory_free(w->memory);
}

static inline varve_status write_to(struct written *w, const char *path)
{
    w->losses[0] = '\0';
    return varve_write(w->root, path, &w->options, &w->error);
}

/* Returns the header of a file without trailing spaces. */
static inline const char *header_of(struct written *w, const char *path)
{
    static char header[4096];
    size_t size;
    const unsigned char *bytes = memory_bytes(w->memory, path, &size);
    cr_assert(bytes && size >= 8, "%s", path);
    size_t header_size = (size_t)vv_load64(bytes);
    cr_assert(header_size <= size - 8 && header_size < sizeof header);
    cr_assert_eq(header_size % 8, 0);
    memcpy(header, bytes + 8, header_size);
    while (header_size > 0 && header[header_size - 1] == ' ')
        header_size--;
    header[header_size] = '\0';
    return header;
}

/* Returns the whole file as a string. */
static inline const char *text_of_file(struct written *w, const char *path)
{
    static char text[4096];
    size_t size;
    const unsigned char *bytes = memory_bytes(w->memory, path, &size);
    cr_assert(bytes && size < sizeof text, "%s", path);
    memcpy(text, bytes, size);
    text[size] = '\0';
    return text;
}

#endif

/* hdf5_in.c - Recognizes HDF5 files, reads objects and links, and then resolves
 * names and slots of Keras.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_in.h"

#include <string.h>

#include "hdf5_graph.h"
#include "hdf5_kept_type.h"
#include "hdf5_slots.h"
#include "hdf5_soft.h"
#include "keras_moments.h"
#include "keras_names.h"
#include "keras_slots.h"
#include "name.h"
#include "try.h"

#define MARK "\x89HDF\r\n\x1a\n"
#define MATLAB "MATLAB 7.3"

static bool hdf5_in_begins_with(
    const struct vv_candidate *c, const char *bytes, size_t size)
{
    return c->head_size >= size && memcmp(c->head, bytes, size) == 0;
}

/* Returns true for an archive whose first entry is metadata.json, as Keras
 * writes it. */
static bool is_of_keras(const struct vv_candidate *c)
{
    static const char first[] = "metadata.json";
    enum { LOCAL_SIZE = 30, AT_SIZE = 26 };
    return vv_hdf5_is_archive(c->head, c->head_size) &&
           c->head_size >= LOCAL_SIZE + sizeof first - 1 &&
           c->head[AT_SIZE] == sizeof first - 1 && c->head[AT_SIZE + 1] == 0 &&
           memcmp(c->head + LOCAL_SIZE, first, sizeof first - 1) == 0;
}

static enum vv_bid hdf5_in_bid(const struct vv_candidate *c)
{
    static const char *const endings[] = { ".h5", ".hdf5" };
    size_t size = strlen(c->path);
    if (hdf5_in_begins_with(c, MARK, sizeof MARK - 1) ||
        hdf5_in_begins_with(c, MATLAB, sizeof MATLAB - 1) || is_of_keras(c))
        return VV_BID_SURE;
    if (vv_text_ends_in(c->path, size, ".keras"))
        return vv_hdf5_is_archive(c->head, c->head_size) ? VV_BID_SURE
                                                         : VV_BID_NAME;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (vv_text_ends_in(c->path, size, endings[i]))
            return VV_BID_NAME;
    }
    return VV_BID_NONE;
}

static varve_status add_meaning(
    struct vv_hdf5_graph *g, const struct vv_keras_config *config)
{
    VV_TRY(vv_keras_add_slots(g, config));
    VV_TRY(vv_keras_add_moments(g));
    return vv_keras_name_layers(g, config);
}

static varve_status hdf5_in_read_all(struct vv_hdf5_graph *g)
{
    struct vv_keras_config config;
    VV_TRY(vv_hdf5_follow_soft(g));
    VV_TRY(vv_hdf5_add_slots(g));
    varve_status status = vv_keras_config_read(&config, g->source, g->error);
    if (!status && !g->draft->failed)
        status = add_meaning(g, &config);
    vv_keras_config_clear(&config);
    if (!status && !g->draft->failed)
        status = vv_hdf5_keep_types(g);
    return status ? status : vv_hdf5_graph_end(g);
}

static varve_status hdf5_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct vv_hdf5_source *source;
    struct vv_hdf5_graph graph;
    VV_TRY(vv_hdf5_open(foreign, &source, error));
    varve_status status = vv_hdf5_graph_read(&graph, source, draft, error);
    if (!status && !draft->failed)
        status = hdf5_in_read_all(&graph);
    vv_hdf5_graph_clear(&graph);
    return status;
}

const struct vv_foreign_format vv_hdf5_format = {
    .format = VARVE_FORMAT_HDF5, .bid = hdf5_in_bid, .open = hdf5_in_open_source
};

/* torch_in.c - Opens a torch.save file: archive, pickle, graph and slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_in.h"

#include <string.h>

#include "failure.h"
#include "name.h"
#include "pickle_in.h"
#include "magic_bytes.h"
#include "torch_decode.h"
#include "torch_graph.h"
#include "torch_slots.h"
#include "try.h"

/* An archive could also be one of NumPy, unless its name has an ending of torch
 * files. */
static enum vv_bid torch_in_bid(const struct vv_candidate *c)
{
    static const char *const endings[] = { ".pt", ".pth", ".bin", ".ckpt",
        ".pkl" };
    enum { LOCAL_SIZE = 30 };
    if (vv_torch_is_legacy(c->head, c->head_size) ||
        vv_torch_is_tar(c->head, c->head_size))
        return VV_BID_SURE;
    if (c->head_size < LOCAL_SIZE || memcmp(c->head, VV_ZIP_ENTRY_MARK, 4) != 0)
        return VV_BID_NONE;
    size_t size = (size_t)c->head[26] | (size_t)c->head[27] << 8;
    if (size <= c->head_size - LOCAL_SIZE &&
        vv_text_ends_in((const char *)c->head + LOCAL_SIZE, size, "/data.pkl"))
        return VV_BID_SURE;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (vv_text_ends_in(c->path, strlen(c->path), endings[i]))
            return VV_BID_LIKELY;
    }
    return VV_BID_NONE;
}

varve_status vv_torch_read_graph(struct vv_draft *draft,
    struct vv_torch_file *file, const struct vv_pickle *pickle,
    varve_error *error)
{
    struct vv_torch_graph graph;
    varve_status status =
        vv_torch_graph_make(&graph, draft, file, pickle, error);
    if (!status && !draft->failed)
        status = vv_torch_add_slots(&graph);
    vv_torch_graph_clear(&graph);
    return status;
}

static varve_status torch_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct vv_pickle pickle;
    struct vv_torch_file *file = vv_torch_file_new(foreign);
    if (!file)
        return vv_fail_memory(error, "an archive");
    foreign->decode = vv_torch_decode;
    VV_TRY(vv_torch_file_read(file, foreign, vv_zip_whole(foreign, 0), error));
    varve_status status = vv_torch_file_pickle(file, &pickle, error);
    if (!status)
        status = vv_torch_read_graph(draft, file, &pickle, error);
    vv_pickle_clear(&pickle);
    return status;
}

const struct vv_foreign_format vv_torch_format = { .format = VARVE_FORMAT_TORCH,
    .bid = torch_in_bid,
    .open = torch_in_open_source };

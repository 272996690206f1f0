/* torch_made.h - Makes the graph of a pickle for tests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_TORCH_MADE_H
#define UNIT_TORCH_MADE_H

#include "support/test.h"

#include "torch_model.h"
#include "torch_sample.h"

struct made {
    struct world w;
    struct vv_buffer bytes;
    struct vv_foreign *foreign;
    struct vv_draft draft;
    struct vv_pickle p;
    struct vv_torch_graph g;
    varve_error error;
};

/* Makes a graph and frees the pickle. */
static inline struct made *made_graph(struct vv_buffer *b)
{
    struct made *m = calloc(1, sizeof *m);
    m->w = world_new();
    m->bytes = new_torch(b, NULL);
    m->foreign = world_foreign(&m->w, "a.pt", &m->bytes);
    struct vv_torch_file *file = vv_torch_file_new(m->foreign);
    cr_assert_ok(vv_torch_file_read(
                     file, m->foreign, vv_zip_whole(m->foreign, 0), &m->error),
        m->error);
    cr_assert_ok(vv_torch_file_pickle(file, &m->p, &m->error), m->error);
    vv_draft_begin(&m->draft, &m->w.context, "a.pt");
    cr_assert_ok(vv_torch_graph_make(&m->g, &m->draft, file, &m->p, &m->error),
        m->error);
    m->g.roles =
        vv_allocate_zeroed(test_allocator(), vv_torch_place_count(&m->g));
    vv_buffer_clear(b);
    return m;
}

static inline void made_end(struct made *m)
{
    vv_torch_graph_clear(&m->g);
    vv_pickle_clear(&m->p);
    vv_draft_clear(&m->draft);
    vv_foreign_free(m->foreign);
    vv_buffer_clear(&m->bytes);
    world_free(&m->w);
    free(m);
}

/* Returns the child of a node whose name begins with this letter. */
static inline uint32_t made_child(struct made *m, uint32_t node, char name)
{
    struct vv_torch_edges e = vv_torch_edges_of(&m->g, node);
    while (e.at < e.end && *e.at->name.bytes != name)
        e.at++;
    cr_assert(e.at < e.end);
    return e.at->child;
}

#endif

/* test_torch_edges.c - lib/foreign/torch/torch_edges.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "torch_edges.h"
#include "torch_sample.h"

/* {"a": {"b": 1, "c": 2}, "d": 3} */
struct made {
    struct world w;
    struct vv_buffer bytes;
    struct vv_foreign *foreign;
    struct vv_draft draft;
    struct vv_pickle p;
    struct vv_torch_graph g;
    varve_error error;
};

static struct made *begin(void)
{
    struct made *m = calloc(1, sizeof *m);
    struct vv_buffer b = new_bytes();
    OP(&b, "}(U\1a}(U\1bK\1U\1cK\2uU\1dK\3u.");
    m->w = world_new();
    m->bytes = new_torch(&b, NULL);
    m->foreign = world_foreign(&m->w, "a.pt", &m->bytes);
    struct vv_torch_file *file = vv_torch_file_new(m->foreign);
    cr_assert_ok(vv_torch_file_read(file, m->foreign,
        vv_zip_whole(m->foreign, 0), &m->error), m->error);
    cr_assert_ok(vv_torch_file_pickle(file, &m->p, &m->error), m->error);
    vv_draft_begin(&m->draft, &m->w.context, "a.pt");
    cr_assert_ok(vv_torch_graph_make(&m->g, &m->draft, file, &m->p,
        &m->error), m->error);
    m->g.roles = vv_allocate_zeroed(
        test_allocator(), vv_torch_way_count(&m->g));
    vv_buffer_clear(&b);
    return m;
}

static void end(struct made *m)
{
    vv_torch_graph_clear(&m->g);
    vv_pickle_clear(&m->p);
    vv_draft_clear(&m->draft);
    vv_foreign_free(m->foreign);
    vv_buffer_clear(&m->bytes);
    world_free(&m->w);
    free(m);
}

/* What a node calls so. */
static uint32_t child_of(struct made *m, uint32_t node, char name)
{
    struct vv_torch_edges e = vv_torch_edges_of(&m->g, node);
    while (e.at < e.end && *e.at->name.bytes != name)
        e.at++;
    cr_assert(e.at < e.end);
    return e.at->child;
}

TEST(torch_edges, are_those_of_each_node)
{
    struct made *m = begin();
    struct vv_torch_edges root = vv_torch_edges_of(&m->g, 0);
    cr_assert_eq(root.end - root.at, 2);
    uint32_t a = child_of(m, 0, 'a'), d = child_of(m, 0, 'd');
    struct vv_torch_edges below = vv_torch_edges_of(&m->g, a);
    cr_assert_eq(below.end - below.at, 2);
    struct vv_torch_edges none = vv_torch_edges_of(&m->g, d);
    cr_assert_eq(none.at, none.end);
    cr_assert_null(vv_torch_value_of(&m->g, a));
    cr_assert_eq(vv_torch_value_of(&m->g, d)->dtype, VARVE_INT64);
    end(m);
}

static size_t slot_count(struct made *m)
{
    return m->draft.slots.size / sizeof(struct vv_draft_slot);
}

TEST(torch_edges, are_slots_of_one_variable_only)
{
    struct made *m = begin();
    struct vv_draft_name name = { .bytes = "m", .size = 1 };
    uint32_t a = child_of(m, 0, 'a'), d = child_of(m, 0, 'd');
    uint32_t b = child_of(m, a, 'b'), c = child_of(m, a, 'c');
    vv_torch_add_slot(&m->g, a, d, &name, b);
    cr_assert_eq(slot_count(m), 1);
    vv_torch_add_slot(&m->g, a, d, &name, d); /* of itself */
    vv_torch_add_slot(&m->g, a, d, &name, b); /* which is one */
    vv_torch_add_slot(&m->g, a, c, &name, d); /* which is trained */
    vv_torch_add_slot(&m->g, a, b, &name, c); /* of one that is a slot */
    vv_torch_add_slot(&m->g, a, d, &name, a); /* without a value */
    name.size = 256;
    vv_torch_add_slot(&m->g, a, d, &name, c); /* of a long name */
    cr_assert_eq(slot_count(m), 1);
    name.size = 1;
    vv_torch_add_slot(&m->g, a, d, &name, c);
    cr_assert_eq(slot_count(m), 2);
    end(m);
}

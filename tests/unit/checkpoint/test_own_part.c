/* test_own_part.c - Tests the selection of a rank's own children of a
 * rank-local node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_world.h"

#include "own_part.h"

static int32_t x;

/* Writes own/0/x, own/1/x and own/1/y, which is shared with `other`, and a slot
 * of own/1/x. */
static void write_plain(void)
{
    varve_node *root = new_root();
    varve_node *all = varve_add_object(root, "own");
    varve_add_variable(
        varve_add_object(all, "0"), "x", varve_scalar(COPY_AT(&x)));
    varve_node *one = varve_add_object(all, "1");
    varve_node *slow = varve_add_variable(one, "x", varve_scalar(COPY_AT(&x)));
    varve_add_slot(one, slow, "m", varve_scalar(COPY_AT(&x)));
    varve_node *shared = varve_add_variable(
        one, "y", varve_scalar(COPY_AT(&x)));
    varve_track(root, "other", shared);
    write_root(root);
    free_root(root);
}

static uint32_t node_at(const varve_restoration *r, const char *path)
{
    varve_saved_node node;
    varve_reader *reader = open_world(FILE_NAME);
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    varve_reader_free(reader);
    (void)r;
    return node.id;
}

static void reach(
    const struct vv_pairing *p, uint32_t file, uint32_t kept, uint8_t why[16])
{
    struct vv_own_cut cut = { file, kept, 3 };
    cr_assert_leq(vv_index_of(p)->node_count, 16);
    cr_assert(
        vv_own_reach(vv_index_of(p), &p->context.allocator, &cut, 1, why));
}

TEST(own_part, includes_shared_nodes_only_along_its_own_edges)
{
    begin_world();
    write_plain();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    const struct vv_pairing *p = &r->pairing;
    uint8_t why[16];
    uint32_t own = node_at(r, "own"), y = node_at(r, "own/1/y");
    uint32_t first = node_at(r, "own/0/x"), second = node_at(r, "own/1/x");
    uint32_t slot = vv_at32(vv_index_of(p)->slot_nodes, 0);
    reach(p, own, node_at(r, "own/0"), why);
    cr_assert(!why[own] && !why[first] && !why[y]);
    cr_assert(why[second] == 3 && why[slot] == 3);
    reach(p, own, VV_NONE, why);
    cr_assert(why[first] == 3 && !why[y]);
    reach(p, own, node_at(r, "own/1"), why);
    cr_assert(why[first] == 3 && !why[second] && !why[slot]);
    struct vv_own_cut cut = { own, VV_NONE, 3 };
    test_fail_allocation(0, false);
    cr_assert_not(
        vv_own_reach(vv_index_of(p), &p->context.allocator, &cut, 1, why));
    test_fail_allocation(-1, false);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A node reached only from the parts of other ranks is excluded. */
TEST(own_part, excludes_nodes_reached_only_by_other_ranks)
{
    begin_world();
    varve_node *root = new_root();
    varve_node *parts[2][2], *all[2];
    for (int i = 0; i < 2; i++) {
        all[i] = varve_add_object(root, i ? "b" : "a");
        for (int k = 0; k < 2; k++)
            parts[i][k] = varve_add_object(all[i], k ? "1" : "0");
        varve_add_variable(parts[i][1], "x", varve_scalar(COPY_AT(&x)));
    }
    varve_track(parts[1][1], "both",
        varve_add_variable(parts[0][1], "both", varve_scalar(COPY_AT(&x))));
    varve_track(parts[1][1], "up", parts[1][1]);
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    struct vv_own_cut cuts[2] = {
        { node_at(r, "b"), node_at(r, "b/0"), 2 },
        { node_at(r, "a"), VV_NONE, 1 },
    };
    uint8_t why[16];
    cr_assert_leq(vv_index_of(&r->pairing)->node_count, sizeof why);
    cr_assert(vv_own_reach(
        vv_index_of(&r->pairing), &r->pairing.context.allocator, cuts, 2, why));
    cr_assert(!why[0] && !why[node_at(r, "a")] && !why[node_at(r, "b/0")]);
    cr_assert(why[node_at(r, "a/0")] == 1 && why[node_at(r, "a/1/x")] == 1);
    cr_assert(why[node_at(r, "b/1/x")] == 2 && why[node_at(r, "b/1")] == 2);
    cr_assert_eq(why[node_at(r, "a/1/both")], 1, "of the first of them");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(own_part, matches_only_the_number_of_processes_of_the_save)
{
    begin_world();
    write_plain();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    uint32_t own = node_at(r, "own");
    cr_assert_eq(vv_own_count(vv_index_of(&r->pairing), own), 2);
    for (uint32_t size = 1; size < 4; size++) {
        const varve_comm comm = { .size = size };
        varve_node *to = varve_add_object(root, "to");
        varve_add_rank_local(to, "own", &comm, NULL);
        cr_assert_eq(
            vv_own_fits(vv_index_of(&r->pairing), varve_find(to, "own"), own),
            size == 2);
        cr_assert(vv_own_fits(vv_index_of(&r->pairing), to, own));
        varve_remove(to);
    }
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

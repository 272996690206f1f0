/* test_own_part.c - lib/checkpoint/pairing/own_part.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_world.h"

#include "own_part.h"

static int32_t x;

/* own/0/x, own/1/x and own/1/y, which is shared with `other`; a slot of
 * own/1/x. */
static void write_plain(void)
{
    varve_node *root = new_root();
    varve_node *all = varve_add_object(root, "own");
    varve_add_variable(varve_add_object(all, "0"), "x", varve_scalar(&x));
    varve_node *one = varve_add_object(all, "1");
    varve_node *slow = varve_add_variable(one, "x", varve_scalar(&x));
    varve_add_slot(one, slow, "m", varve_scalar(&x));
    varve_node *shared = varve_add_variable(one, "y", varve_scalar(&x));
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

TEST(own_part, reaches_what_others_lead_to_only_along_its_own)
{
    begin_world();
    write_plain();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    const struct vv_pairing *p = &r->pairing;
    uint8_t is_reached[16];
    cr_assert_leq(vv_index_of(p)->node_count, sizeof is_reached);
    uint32_t own = node_at(r, "own"), y = node_at(r, "own/1/y");
    uint32_t first = node_at(r, "own/0/x"), second = node_at(r, "own/1/x");
    uint32_t slot = vv_at32(vv_index_of(p)->slot_nodes, 0);
    cr_assert(vv_own_reach(p, own, "0", is_reached));
    cr_assert(is_reached[own] && is_reached[first] && is_reached[y]);
    cr_assert(!is_reached[second] && !is_reached[slot]);
    cr_assert(vv_own_reach(p, own, NULL, is_reached));
    cr_assert(!is_reached[first] && is_reached[y]);
    cr_assert(vv_own_reach(p, own, "1", is_reached));
    cr_assert(!is_reached[first] && is_reached[second] && is_reached[slot]);
    test_fail_allocation(0, false);
    cr_assert_not(vv_own_reach(p, own, "1", is_reached));
    test_fail_allocation(-1, false);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(own_part, fits_as_many_processes_as_saved_it)
{
    begin_world();
    write_plain();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    uint32_t own = node_at(r, "own");
    cr_assert_eq(vv_own_count(&r->pairing, own), 2);
    for (uint32_t size = 1; size < 4; size++) {
        const varve_comm comm = { .size = size };
        varve_node *to = varve_add_object(root, "to");
        varve_add_private(to, "own", &comm, NULL);
        cr_assert_eq(vv_own_fits(&r->pairing, varve_find(to, "own"), own),
            size == 2);
        cr_assert(vv_own_fits(&r->pairing, to, own));
        varve_remove(to);
    }
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* test_delivery.c - Tests the setup and the lists of a delivery.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "delivery.h"

TEST(delivery, records_a_failed_allocation)
{
    float x[3] = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *v = varve_add_variable(root, "x", varve_array(x, 3));
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    struct vv_delivery *d = &r->delivery;
    test_fail_allocation(0, true);
    vv_enlist(d, &d->stuck, v, 0);
    test_fail_allocation(-1, false);
    cr_assert(d->has_lost && d->stuck.pairs.size == 0);
    cr_assert_eq(d->failure.status, VARVE_NO_MEMORY);
    vv_enlist(d, &d->stuck, v, 0);
    cr_assert_eq(d->stuck.pairs.size, sizeof(struct vv_pair));
    vv_delivery_forget_graph(d);
    cr_assert_eq(d->stuck.pairs.size, 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

#ifndef NDEBUG
static void be_due_on_no_list(varve_restoration *r)
{
    r->delivery.delivery_states.of[0] = VV_DELIVERY_STATE_DUE;
    vv_delivery_check(&r->delivery);
}

TEST(delivery, inconsistency_aborts_the_program)
{
    float x[3];
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(x, 3));
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    vv_delivery_check(&r->delivery);
    check_aborts(be_due_on_no_list, r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
#endif

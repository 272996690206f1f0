/* test_matching.c - Tests matching without delivery: pairs are found, and the
 * values that are due are determined.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "formats.h"
#include "match.h"
#include "worlds.h"

static double two[2];

static varve_node *new_program(void)
{
    varve_node *root = new_root();
    varve_node *part = varve_add_object(root, "part");
    varve_add_variable(part, "w", varve_array(two, 2));
    good(root);
    return root;
}

struct all {
    struct vv_opened file;
    struct vv_pairing pairing;
    struct vv_delivery delivery;
    struct vv_matching matching;
};

static void begin(
    struct all *all, varve_node *root, const varve_read_options *options)
{
    varve_error error = { 0 };
    struct vv_opened *file = &all->file;
    struct vv_pairing *p = &all->pairing;
    cr_assert_ok(
        vv_checkpoint_open(file, &world.context, FILE_NAME, &error), error);
    vv_pairing_init(p, root, &file->parsed);
    vv_delivery_init(&all->delivery, p, file);
    vv_matching_init(&all->matching, p, &all->delivery);
    p->number = 1;
    p->is_dry = true;
    cr_assert_ok(vv_pairing_select(p, options, &error), error);
    cr_assert_ok(vv_pairing_begin(p, "here", &error), error);
    cr_assert_ok(vv_delivery_begin(&all->delivery, &error), error);
    vv_matching_begin(&all->matching);
    cr_assert_ok(vv_scope_begin(&p->scopes, root, &error), error);
}

static void end(struct all *all)
{
    vv_matching_end(&all->matching);
    vv_delivery_end(&all->delivery);
    vv_pairing_end(&all->pairing);
    vv_opened_close(&all->file);
}

static uint32_t count_held(const struct all *all)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < vv_index_of(&all->pairing)->node_count; f++)
        count += all->pairing.matches.node_of[f] != NULL;
    return count;
}

TEST(matching, notifies_delivery_immediately)
{
    begin_world();
    varve_node *root = new_program();
    write_root(root);
    struct all all = { .file = { 0 } };
    begin(&all, root, NULL);
    cr_assert_eq(all.delivery.delivery_states.of[0], VV_DELIVERY_STATE_WAITING);
    vv_match_roots(&all.matching);
    cr_assert_eq(count_held(&all), 1);
    vv_match_queue(&all.matching);
    cr_assert_eq(count_held(&all), 3, "root, part and w");
    cr_assert_eq(all.delivery.delivery_states.of[0], VV_DELIVERY_STATE_DUE);
    cr_assert_eq(all.pairing.failure.status, VARVE_OK);
    vv_matching_forget_graph(&all.matching);
    cr_assert(count_held(&all) == 0 && !all.pairing.graph);
    end(&all);
    free_root(root);
    end_world();
}

TEST(matching, starts_at_a_subtree)
{
    begin_world();
    varve_node *root = new_program();
    write_root(root);
    free_root(root);
    root = new_root();
    varve_add_variable(root, "w", varve_array(two, 2));
    struct all all = { .file = { 0 } };
    begin(&all, root, &(varve_read_options){ .subtree = "part" });
    vv_match_roots(&all.matching);
    vv_match_queue(&all.matching);
    cr_assert_eq(count_held(&all), 2, "part, as the root, and w");
    end(&all);
    free_root(root);
    end_world();
}

TEST(matching, records_a_failed_allocation)
{
    begin_world();
    varve_node *root = new_program();
    write_root(root);
    struct all all = { .file = { 0 } };
    begin(&all, root, NULL);
    test_fail_allocation(0, true);
    cr_assert_not(vv_matching_reserve_numbers(&all.matching));
    test_fail_allocation(-1, false);
    cr_assert_eq(all.pairing.failure.status, VARVE_NO_MEMORY);
    cr_assert(vv_matching_reserve_numbers(&all.matching));
    cr_assert_eq(all.pairing.failure.status, VARVE_NO_MEMORY,
        "until all is matched again");
    end(&all);
    free_root(root);
    end_world();
}

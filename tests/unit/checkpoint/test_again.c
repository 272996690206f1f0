/* test_again.c - Tests that delivered values are delivered again on request,
 * and only then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "state.h"
#include "variable.h"

static float memory[4] = { 1, 2, 3, 4 };

/* Writes net/x and net/y, a state net/s, and a slot m of opt for net/x. */
static void write_all(void)
{
    struct text_state state = { .text = "saved" };
    varve_node *root = new_root();
    varve_node *net = varve_add_object(root, "net");
    varve_node *x = varve_add_variable(net, "x", varve_scalar(&memory[0]));
    varve_add_variable(net, "y", varve_scalar(&memory[1]));
    varve_add_state(net, "s", &text_callbacks, &state);
    varve_add_slot(
        varve_add_object(root, "opt"), x, "m", varve_scalar(&memory[2]));
    write_root(root);
    free_root(root);
}

struct program {
    varve_node *root;
    varve_node *net;
    float x, y, m;
    struct text_state state;
    varve_restoration *r;
};

static void begin_program(
    struct program *p, const varve_read_options *options)
{
    *p = (struct program){ .root = new_root() };
    p->net = varve_add_object(p->root, "net");
    varve_node *x = varve_add_variable(p->net, "x", varve_scalar(&p->x));
    varve_add_variable(p->net, "y", varve_scalar(&p->y));
    varve_add_state(p->net, "s", &text_callbacks, &p->state);
    varve_add_slot(
        varve_add_object(p->root, "opt"), x, "m", varve_scalar(&p->m));
    p->r = read_root(p->root, options);
}

static void spoil(struct program *p)
{
    p->x = p->y = p->m = 9;
    strcpy(p->state.text, "changed");
}

static void end_program(struct program *p)
{
    varve_restoration_free(p->r);
    free_root(p->root);
    end_world();
}

TEST(again, restores_a_subtree_with_its_slots)
{
    varve_error error;
    begin_world();
    write_all();
    struct program p;
    begin_program(&p, NULL);
    spoil(&p);
    cr_assert_ok(varve_restore_again(p.r, p.net, &error), error);
    cr_assert(p.x == 1 && p.y == 2 && p.m == 3);
    cr_assert_str_eq(p.state.text, "saved");
    spoil(&p);
    varve_node *x = varve_find_path(p.root, "net/x");
    cr_assert_ok(varve_restore_again(p.r, x, &error), error);
    cr_assert(p.x == 1 && p.y == 9 && p.m == 3);
    p.m = 9;
    varve_node *opt = varve_find(p.root, "opt");
    cr_assert_ok(varve_restore_again(p.r, opt, &error), error);
    cr_assert(p.y == 9 && p.m == 3);
    cr_assert_ok(varve_assert_consumed(p.r, &error), error);
    end_program(&p);
}

TEST(again, restores_a_node_that_replaced_another)
{
    varve_error error;
    float new = 7;
    begin_world();
    write_all();
    struct program p;
    begin_program(&p, NULL);
    varve_remove(varve_find(p.net, "x"));
    varve_node *x = varve_add_variable(p.net, "x", varve_scalar(&new));
    cr_assert_eq(new, 7);
    cr_assert_eq(
        varve_assert_existing_objects_matched(p.r, &error), VARVE_UNMATCHED);
    cr_assert_ok(varve_restore_again(p.r, x, &error), error);
    cr_assert_eq(new, 1);
    cr_assert_ok(varve_assert_consumed(p.r, &error), error);
    end_program(&p);
}

TEST(again, restores_dropped_values_and_former_mismatches)
{
    varve_error error;
    float wrong[2] = { 0 };
    begin_world();
    write_all();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    varve_node *net = varve_add_object(root, "net");
    varve_node *x = varve_add_variable(net, "x", varve_array(wrong, 2));
    cr_assert_eq(varve_graph_check(varve_node_graph(root), &error),
        VARVE_MISMATCH);
    cr_assert_eq(varve_restore_again(r, x, &error), VARVE_MISMATCH);
    cr_assert_eq(r->delivery.mismatched.pairs.size, sizeof(struct vv_pair));
    cr_assert_eq(varve_state_of(x), VARVE_INITIALIZED);
    cr_assert_ok(varve_drop_pending(r, "net/x", &error), error);
    cr_assert_eq(varve_restore_again(r, x, &error), VARVE_MISMATCH);
    good(root);
    varve_node *scalar = varve_add_variable(
        varve_add_detached(varve_node_graph(root)), "x",
        varve_scalar(&wrong[0]));
    varve_replace(net, "x", scalar);
    cr_assert_eq(wrong[0], 0);
    cr_assert_ok(varve_restore_again(r, scalar, &error), error);
    cr_assert_eq(wrong[0], 1);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(again, keeps_values_of_later_restorations_and_excluded_ones)
{
    varve_error error;
    begin_world();
    write_all();
    struct program p;
    begin_program(&p, &(varve_read_options){ .except = "net/y" });
    varve_restoration *later =
        read_root(p.root, &(varve_read_options){ .only = "net/x" });
    spoil(&p);
    cr_assert_ok(varve_restore_again(p.r, p.root, &error), error);
    cr_assert(p.x == 9 && p.y == 9 && p.m == 3);
    cr_assert_ok(varve_restore_again(later, p.root, &error), error);
    cr_assert_eq(p.x, 1);
    varve_restoration_free(later);
    end_program(&p);
}

TEST(again, changes_nothing_after_a_failure)
{
    varve_error error;
    begin_world();
    write_all();
    struct program p;
    begin_program(&p, NULL);
    spoil(&p);
    p.state.load_status = VARVE_IO;
    p.state.fails_at = p.state.loads + 1;
    cr_assert_eq(varve_restore_again(p.r, p.root, &error), VARVE_CALLBACK);
    cr_assert(p.x == 9 && p.y == 9 && p.m == 9);
    cr_assert_eq(varve_state_of(varve_find(p.net, "x")), VARVE_RESTORED);
    cr_assert_eq(p.r->delivery.stuck.pairs.size, 0);
    good(p.root);
    cr_assert_ok(varve_assert_consumed(p.r, &error), error);
    cr_assert_ok(varve_restore_again(p.r, p.root, &error), error);
    cr_assert_eq(p.x, 1);
    end_program(&p);
}

TEST(again, requires_a_node_of_the_program)
{
    varve_error error = { 0 };
    begin_world();
    write_all();
    struct program p;
    begin_program(&p, NULL);
    varve_node *other = new_root();
    varve_restoration *plan = varve_dry_run(p.root, FILE_NAME, NULL, &error);
    cr_assert_eq(varve_restore_again(NULL, p.root, &error), VARVE_MISUSE);
    cr_assert_eq(varve_restore_again(p.r, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_restore_again(p.r, other, &error), VARVE_MISUSE);
    cr_assert_eq(varve_restore_again(plan, p.root, &error), VARVE_MISUSE);
    varve_restoration_free(plan);
    free_root(other);
    free_root(p.root);
    cr_assert_eq(varve_restore_again(p.r, NULL, &error), VARVE_MISUSE);
    varve_restoration_free(p.r);
    end_world();
}

static varve_status ask_without(long allocation, bool sticky)
{
    varve_error error = { 0 };
    struct program p;
    begin_program(&p, NULL);
    spoil(&p);
    test_fail_allocation(allocation, sticky);
    varve_status status = varve_restore_again(p.r, p.root, &error);
    test_fail_allocation(-1, false);
    if (status)
        cr_assert_eq(status, VARVE_NO_MEMORY);
    cr_assert_eq(p.x, status ? 9 : 1, "allocation %ld", allocation);
    good(p.root);
    cr_assert_ok(varve_restore_again(p.r, p.root, &error), error);
    cr_assert(p.x == 1 && p.y == 2 && p.m == 3);
    varve_restoration_free(p.r);
    free_root(p.root);
    return status;
}

/* The graph must not record an error either. */
TEST(again, is_undone_by_every_failed_allocation)
{
    begin_world();
    write_all();
    for (int sticky = 0; sticky < 2; sticky++)
        for (long n = 0; ask_without(n, sticky); n++)
            continue;
    end_world();
}

/* If memory was exhausted while another node was added, the matching is
 * incomplete, and nothing may be delivered before a retry. */
TEST(again, changes_nothing_after_an_earlier_failed_allocation)
{
    bool has_refused = false, was_well = false;
    for (long n = 0; !was_well; n++) {
        float w = 1;
        int64_t late = 1;
        varve_error error = { 0 };
        varve_graph *graph = varve_graph_new(test_allocator());
        varve_node *root = varve_graph_root(graph);
        varve_node *x = varve_add_variable(root, "w", varve_scalar(&w));
        varve_add_variable(root, "late", varve_scalar(&late));
        cr_assert_ok(
            varve_write(root, test_path("again"), NULL, &error), error);
        varve_untrack(root, "late");
        varve_restoration *r =
            varve_read(root, test_path("again"), NULL, &error);
        cr_assert(r, "%s", error.message);
        test_fail_allocation(n, false);
        varve_add_variable(root, "late", varve_scalar(&late));
        test_fail_allocation(-1, false);
        was_well = !varve_graph_check(graph, NULL);
        varve_graph_clear_error(graph, NULL);
        w = 2;
        varve_status status = varve_restore_again(r, x, &error);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(w, status ? 2 : 1);
        has_refused |= status == VARVE_NO_MEMORY;
        cr_assert_ok(varve_restoration_retry(r, &error), error);
        w = 3;
        cr_assert_ok(varve_restore_again(r, x, &error), error);
        cr_assert_eq(w, 1);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
    cr_assert(has_refused);
}

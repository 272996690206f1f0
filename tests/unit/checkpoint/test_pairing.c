/* test_pairing.c - tests of checkpoint/pairing/pairing.c: pairs are found where
 * nobody delivers anything.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "checkpoint_in.h"
#include "match.h"
#include "pairing.h"
#include "scope.h"

/* Whoever is asked of values; counts what it is told. */
static size_t pair_count;

static void count_pair(
    struct vv_delivery *nobody, varve_node *node, uint32_t file)
{
    (void)nobody;
    (void)node;
    (void)file;
    pair_count++;
}

static void ignore(
    struct vv_delivery *nobody, varve_node *node, uint32_t number)
{
    (void)nobody;
    (void)node;
    (void)number;
}

static bool deny(const struct vv_delivery *nobody, uint32_t value)
{
    (void)nobody;
    (void)value;
    return false;
}

static const struct vv_value_calls counting = { .paired = count_pair,
    .claimed = ignore, .outdone = ignore, .confirmed = ignore,
    .parted = ignore, .taken_in = ignore, .is_final = deny,
    .is_left_out = deny };

static double two[2];

static varve_node *new_program(void)
{
    varve_node *root = new_root();
    varve_node *part = varve_add_object(root, "part");
    varve_add_variable(part, "w", varve_array(two, 2));
    good(root);
    return root;
}

/* Opens what new_program makes, saved. */
static struct vv_opened open_saved(void)
{
    varve_node *root = new_program();
    write_root(root);
    free_root(root);
    struct vv_opened file = { 0 };
    varve_error error = { 0 };
    cr_assert_ok(vv_checkpoint_open(&file, &world.context, FILE_NAME, &error),
        error);
    return file;
}

static varve_status begin_pairing(struct vv_pairing *pairing, varve_node *root,
    const struct vv_opened *file, const varve_read_options *options,
    varve_error *error)
{
    vv_pairing_init(pairing, root, &file->parsed);
    pairing->values = &counting;
    pairing->number = 1;
    varve_status status = vv_selection_begin(
        &pairing->selection, &pairing->context, options, error);
    return status ? status : vv_pairing_begin(pairing, "here", error);
}

TEST(pairing, needs_nobody_who_delivers)
{
    begin_world();
    struct vv_opened file = open_saved();
    varve_node *root = new_program();
    struct vv_pairing pairing = { 0 };
    varve_error error = { 0 };
    cr_assert_ok(begin_pairing(&pairing, root, &file, NULL, &error), error);
    cr_assert_ok(vv_scope_begin(&pairing, &error), error);
    pair_count = 0;
    vv_match_roots(&pairing);
    vv_match_queue(&pairing);
    cr_assert_eq(pair_count, 3, "root, part and w");
    cr_assert_eq(pairing.failure.status, VARVE_OK);
    vv_pairing_forget_graph(&pairing);
    for (uint32_t f = 0; f < vv_index_of(&pairing)->node_count; f++)
        cr_assert_null(pairing.node_of[f]);
    vv_pairing_end(&pairing);
    vv_opened_close(&file);
    free_root(root);
    end_world();
}

/* Objects and variables by turns, some hundred of them. */
TEST(pairing, knows_the_values_of_nodes)
{
    enum { COUNT = 300 };
    static float value;
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        if (i % 3 && i % 7)
            varve_add_variable(root, name, varve_scalar(&value));
        else
            varve_add_object(root, name);
    }
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    const struct vv_index *index = vv_index_of(&r->pairing);
    cr_assert_gt(index->value_count, 128);
    for (uint32_t f = 0; f < index->node_count; f++)
        cr_assert_eq(vv_value_of(&r->pairing, f),
            vv_index_find_value(index, f));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(pairing, begins_at_a_subtree)
{
    begin_world();
    struct vv_opened file = open_saved();
    varve_node *root = new_root();
    varve_add_variable(root, "w", varve_array(two, 2));
    struct vv_pairing pairing = { 0 };
    varve_error error = { 0 };
    varve_read_options options = { .subtree = "part" };
    cr_assert_ok(begin_pairing(&pairing, root, &file, &options, &error), error);
    cr_assert_neq(pairing.file_root, 0);
    pair_count = 0;
    vv_match_roots(&pairing);
    vv_match_queue(&pairing);
    cr_assert_eq(pair_count, 2, "part, as the root, and w");
    vv_pairing_end(&pairing);

    struct vv_pairing other = { 0 };
    options.subtree = "absent";
    cr_assert_eq(begin_pairing(&other, root, &file, &options, &error),
        VARVE_NOT_FOUND);
    cr_assert_str_eq(error.message,
        "here: expected a subtree \"absent\", found none");
    vv_pairing_end(&other);
    vv_opened_close(&file);
    free_root(root);
    end_world();
}

/* An object in the place of a variable of the file, and then in that of an
 * object as well. */
TEST(pairing, of_an_object_may_begin_with_what_it_does_not_fit)
{
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(two, 2));
    varve_add_object(varve_add_object(root, "b"), "c");
    write_root(root);
    free_root(root);
    root = new_root();
    varve_node *object = varve_add_object(root, "a");
    varve_track(varve_add_object(root, "b"), "c", object);
    fail_read(root, NULL, VARVE_MISMATCH);
    good(root);
    free_root(root);
    end_world();
}

#ifndef NDEBUG
/* Two nodes stand for one. */
static void have_another_holder(varve_restoration *r)
{
    r->pairing.node_of[1] = r->pairing.root;
    vv_pairing_check(&r->pairing);
}

/* A node stands for one that nobody stands for any more. */
static void have_no_holder(varve_restoration *r)
{
    r->pairing.node_of[0] = NULL;
    vv_pairing_check(&r->pairing);
}

TEST(pairing, that_contradicts_itself_ends_the_program)
{
    begin_world();
    varve_node *root = new_program();
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    vv_pairing_check(&r->pairing);
    check_aborts(have_another_holder, r);
    check_aborts(have_no_holder, r);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
#endif

/* test_pairing.c - Tests the pairing of nodes of the program and the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pairing.h"

#include "formats.h"
#include "edge.h"
#include "worlds.h"

enum { COUNT = 40 };

static float one;

/* A root with the first so many of the names, from the last on if backwards. */
static varve_node *new_names(int count, bool backwards)
{
    varve_node *root = new_root();
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", backwards ? count - 1 - i : i);
        varve_add_variable(root, name, varve_scalar(COPY_AT(&one)));
    }
    good(root);
    return root;
}

static void check_all(struct vv_saved_names *names, const varve_node *root,
    const struct vv_index *index)
{
    for (struct vv_edge *e = vv_first_edge(root); e; e = vv_next_edge(e)) {
        const struct vv_name *name = vv_edge_name(e);
        uint32_t id = vv_index_find_name(index, name->bytes, name->size);
        uint32_t child =
            id == VV_NONE ? VV_NONE : vv_index_find_child(index, 0, id);
        cr_assert_eq(vv_child_in_file(names, 0, name), child);
        cr_assert_eq(vv_find_in_file(names, name), id);
        cr_assert_eq(vv_name_in_file(names, name), id);
        cr_assert_eq(vv_find_in_file(names, name), id, "as it was kept");
    }
}

TEST(saved_names, are_found_in_any_order_and_again_after_removal)
{
    begin_world();
    varve_node *root = new_names(COUNT, false);
    write_root(root);
    free_root(root);
    struct vv_opened file = { 0 };
    varve_error error = { 0 };
    cr_assert_ok(vv_checkpoint_open(&file, &world.context, FILE_NAME, &error),
        error);
    for (int backwards = 0; backwards < 2; backwards++) {
        struct vv_saved_names names;
        root = new_names(COUNT + 3, backwards); /* the last are not there */
        vv_saved_names_init(&names, &world.context.allocator,
            varve_node_graph(root), &file.parsed.index);
        check_all(&names, root, &file.parsed.index);
        check_all(&names, root, &file.parsed.index);
        vv_saved_names_clear(&names);
        test_fail_allocation(0, true); /* they are found, and not kept */
        check_all(&names, root, &file.parsed.index);
        test_fail_allocation(-1, false);
        vv_saved_names_clear(&names);
        free_root(root);
    }
    vv_opened_close(&file);
    end_world();
}

static double two[2];

static varve_node *new_program(void)
{
    varve_node *root = new_root();
    varve_node *part = varve_add_object(root, "part");
    varve_add_variable(part, "w", varve_array(two, 2));
    good(root);
    return root;
}

/* Saves and opens the graph of new_program. */
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
    varve_status status = vv_pairing_select(pairing, options, error);
    return status ? status : vv_pairing_begin(pairing, "here", error);
}

TEST(pairing, works_without_matching_and_delivery)
{
    begin_world();
    struct vv_opened file = open_saved();
    varve_node *root = new_program();
    struct vv_pairing pairing = { 0 };
    varve_error error = { 0 };
    varve_read_options options = { .subtree = "part" };
    cr_assert_ok(begin_pairing(&pairing, root, &file, &options, &error), error);
    cr_assert_neq(pairing.saved.root, 0);
    cr_assert_not(vv_is_known(&pairing, root));
    cr_assert(vv_matches_grow(&pairing.matches, pairing.graph->number_limit));
    vv_set_holder(&pairing.matches, pairing.saved.root, root);
    cr_assert(vv_matches_bind(
        &pairing.matches, root, pairing.saved.root, VV_BY_PATH));
    cr_assert(vv_is_known(&pairing, root));
    vv_pairing_check(&pairing);
    cr_assert_eq(vv_pairing_keep_names(&pairing), 0, "no path matters");
    vv_pairing_forget_graph(&pairing);
    for (uint32_t f = 0; f < vv_index_of(&pairing)->node_count; f++)
        cr_assert_null(pairing.matches.node_of[f]);
    vv_pairing_end(&pairing);
    vv_opened_close(&file);
    free_root(root);
    end_world();
}

/* An object is paired with a variable of the file, and then with an object as
 * well. */
TEST(pairing, of_an_object_may_start_with_a_mismatch)
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
/* Binds two nodes to one file node. */
static void have_another_holder(varve_restoration *r)
{
    r->pairing.matches.node_of[1] = r->pairing.root;
    vv_pairing_check(&r->pairing);
}

/* Binds a node to a file node that is not bound to it. */
static void have_no_holder(varve_restoration *r)
{
    r->pairing.matches.node_of[0] = NULL;
    vv_pairing_check(&r->pairing);
}

TEST(pairing, inconsistency_aborts_the_program)
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

/* test_visited_paths.c - Tests the paths of visited nodes and their renames.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <string.h>

#include "visited_paths.h"

static float memory[2] = { 1, 2 };

static void write_file(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *k = varve_add_variable(
        model, "k", varve_array(COPY_OF(memory), 1));
    varve_add_slot(
        varve_add_object(root, "opt"), k, "m", varve_array(memory + 1, 1));
    write_root(root);
    free_root(root);
}

static uint32_t renamed(
    varve_restoration *r, const varve_node *parent, const char *name)
{
    uint32_t file = 12345;
    struct vv_text text = { name, strlen(name) };
    return vv_find_renamed(&r->pairing.ways, parent, text, &file) ? file
                                                                  : 54321;
}

TEST(visited_paths, returns_the_targets_of_renames)
{
    begin_world();
    write_file();
    static const varve_rename renames[] = { { "net/a%2Fb", "model/k" },
        { "net/*s", "opt/m(model/*)" }, { "adam/v(**)", "opt/m(**)" },
        { "net/none", "gone" } };
    varve_node *root = new_root();
    varve_node *net = varve_add_object(root, "net");
    varve_node *adam = varve_add_object(root, "adam");
    varve_node *model = varve_add_object(root, "model");
    varve_node *k = varve_add_variable(
        model, "k", varve_array(COPY_OF(memory), 1));
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .rename = { .list = renames, .count = 4 } });
    uint32_t variable = vv_file_node_of(&r->pairing.matches, k), slot;
    cr_assert_neq(variable, VV_NONE);
    cr_assert_eq(renamed(r, net, "a/b"), variable);
    cr_assert_eq(renamed(r, net, "none"), VV_NONE, "decided all the same");
    cr_assert_eq(renamed(r, net, "other"), 54321);
    cr_assert_eq(renamed(r, root, "k"), 54321);
    cr_assert(vv_find_renamed_slot(&r->pairing.ways, adam, k, "v", &slot));
    cr_assert_eq(renamed(r, net, "ks"), slot);
    cr_assert_not(vv_find_renamed_slot(&r->pairing.ways, adam, k, "m", &slot));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A node at such a depth has a path that is not used for renames of slots. */
TEST(visited_paths, searches_paths_of_slots_up_to_a_bound)
{
    enum { FITS = 2000, TOO_DEEP = 5000 };
    static const varve_rename rename = { "adam/v(**)", "opt/m(**)" };
    begin_world();
    write_file();
    varve_node *root = new_root(), *near = NULL, *far = root;
    varve_node *adam = varve_add_object(root, "adam");
    for (int depth = 0; depth < TOO_DEEP; depth++) {
        far = varve_add_object(far, "n");
        if (depth == FITS)
            near = varve_add_variable(
                far, "k", varve_array(COPY_OF(memory), 1));
    }
    far = varve_add_variable(far, "k", varve_array(COPY_OF(memory), 1));
    varve_restoration *r = read_root(root,
        &(varve_read_options){ .expect.missing = "**",
            .rename = { .list = &rename, .count = 1 } });
    uint32_t slot;
    cr_assert(vv_find_renamed_slot(&r->pairing.ways, adam, near, "v", &slot));
    cr_assert_not(
        vv_find_renamed_slot(&r->pairing.ways, adam, far, "v", &slot));
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Nodes below it are still reachable elsewhere, and get new children. */
TEST(visited_paths, can_be_used_after_the_root_of_a_read_is_removed)
{
    static const varve_rename rename = { "model/x", "model/k" };
    begin_world();
    write_file();
    varve_node *root = new_root();
    varve_node *net = varve_add_object(root, "net");
    varve_node *model = varve_add_object(net, "model");
    varve_error error = { 0 };
    varve_track(root, "kept", model);
    varve_restoration *r = varve_read(net, FILE_NAME,
        &(varve_read_options){ .rename = { .list = &rename, .count = 1 } },
        &error);
    cr_assert_ok(error.status, error);
    varve_remove(net);
    float x = 0;
    varve_add_variable(model, "x", varve_array(&x, 1));
    good(root);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

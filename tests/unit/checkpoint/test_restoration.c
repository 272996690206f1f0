/* test_restoration.c - lib/checkpoint/restoration.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

static float values[2] = { 1, 2 };
static float mine[2];

static void write_model(void)
{
    varve_error error = { 0 };
    varve_metadata metadata = { .name = "note",
        .kind = VARVE_METADATA_STRING, .string = "text" };
    varve_write_options options = { .metadata = &metadata,
        .metadata_count = 1 };
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "model"), "x", varve_array(values, 2));
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    free_root(root);
}

TEST(restoration, tells_of_its_file)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_str_eq(varve_restoration_path(r), FILE_NAME);
    cr_assert_eq(varve_restoration_counter(r), 0);
    cr_assert_str_eq(varve_restoration_metadata(r, "note")->string, "text");
    cr_assert_null(varve_restoration_metadata(r, "none"));
    varve_restoration_free(r);
    varve_restoration_free(NULL);
    free_root(root);
    end_world();
}

TEST(restoration, takes_a_subtree_for_its_root)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(mine, 2));
    mine[1] = 0;
    varve_restoration *r =
        read_root(root, &(varve_read_options){ .subtree = "/model" });
    cr_assert_eq(mine[1], 2);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    fail_read(root, &(varve_read_options){ .subtree = "modell" },
        VARVE_NOT_FOUND);
    free_root(root);
    end_world();
}

TEST(restoration, outlives_its_graph)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "x", varve_array(mine, 2));
    varve_restoration *r = read_root(root, NULL);
    free_root(root);
    cr_assert_ok(varve_restoration_retry(r, &error), error);
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    varve_restoration_free(r);
    end_world();
}

TEST(restoration, verifies_what_has_arrived)
{
    varve_error error = { 0 };
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "model"), "x", varve_array(mine, 2));
    varve_restoration *r = read_root(root, NULL);
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    size_t at = 64;
    while (bytes[at] != 0x3f)
        at++;
    bytes[at] ^= 1;
    cr_assert_eq(varve_restoration_verify(r, &error), VARVE_CORRUPT);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(restoration, keeps_no_mistake_of_a_read_that_failed)
{
    begin_world();
    write_model();
    varve_node *root = new_root();
    varve_add_variable(
        varve_add_object(root, "model"), "x", varve_array(mine, 1));
    mine[0] = 7;
    fail_read(root, NULL, VARVE_MISMATCH);
    good(root);
    cr_assert_eq(mine[0], 7);
    cr_assert_null(varve_node_graph(root)->newest);
    free_root(root);
    end_world();
}

TEST(restoration, survives_every_failed_allocation)
{
    varve_rename rename = { "net", "model" };
    varve_read_options options = { .renames = &rename, .rename_count = 1,
        .except = "nothing" };
    begin_world();
    write_model();
    varve_restoration *r = NULL;
    for (long n = 0; !r; n++) {
        varve_error error = { 0 };
        varve_node *root = new_root();
        varve_add_variable(
            varve_add_object(root, "net"), "x", varve_array(mine, 2));
        good(root);
        mine[1] = 0;
        test_fail_allocation(n, false);
        r = varve_read(root, FILE_NAME, &options, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, r ? VARVE_OK : VARVE_NO_MEMORY);
        cr_assert_eq(mine[1], r ? 2 : 0, "%ld: %g", n, mine[1]);
        good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

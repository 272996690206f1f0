/* test_saved_graph.c - Tests the lookup tables for nodes and names of a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "formats.h"
#include "saved_graph.h"

static float one;

static varve_status open_saved(struct vv_opened *file,
    struct vv_saved_graph *saved, const char *subtree, varve_error *error)
{
    cr_assert_ok(
        vv_checkpoint_open(file, &world.context, FILE_NAME, error), *error);
    vv_saved_graph_init(saved, &world.context.allocator, &file->parsed);
    return vv_saved_graph_begin(saved, subtree, "here", error);
}

static struct vv_saved_graph begin_saved(
    struct vv_opened *file, const char *subtree)
{
    struct vv_saved_graph saved;
    varve_error error = { 0 };
    cr_assert_ok(open_saved(file, &saved, subtree, &error), error);
    return saved;
}

static void end_saved(struct vv_saved_graph *saved, struct vv_opened *file)
{
    vv_saved_graph_end(saved);
    vv_opened_close(file);
}

/* Some hundred objects and variables alternately. */
TEST(saved_graph, returns_the_values_of_nodes)
{
    enum { COUNT = 300 };
    static float values[COUNT];
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        if (i % 3 && i % 7)
            varve_add_variable(root, name, varve_scalar(&values[i]));
        else
            varve_add_object(root, name);
    }
    write_root(root);
    struct vv_opened file = { 0 };
    struct vv_saved_graph saved = begin_saved(&file, NULL);
    const struct vv_index *index = &file.parsed.index;
    cr_assert_gt(index->value_count, 128);
    for (uint32_t f = 0; f < index->node_count; f++)
        cr_assert_eq(vv_saved_value(&saved, f),
            vv_index_find_value(index, f));
    end_saved(&saved, &file);
    free_root(root);
    end_world();
}

/* Writes a/b/c; b/c is also a single edge, and "g" is the global name of
 * a/b. */
static void write_names(void)
{
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(a, "b");
    varve_add_variable(b, "c", varve_scalar(&one));
    varve_node *named =
        varve_add_variable(a, "b/c", varve_scalar(COPY_AT(&one)));
    varve_set_global_name(named, "g");
    write_root(root);
    free_root(root);
}

static uint32_t at_parts(const struct vv_saved_graph *saved, const char *name)
{
    return vv_saved_at_parts(saved, name, strlen(name));
}

static uint32_t global(const struct vv_saved_graph *saved, const char *name)
{
    return vv_saved_global(saved, name, strlen(name));
}

TEST(saved_graph, finds_path_names_and_global_names)
{
    begin_world();
    write_names();
    struct vv_opened file = { 0 };
    struct vv_saved_graph saved = begin_saved(&file, NULL);
    uint32_t deep = at_parts(&saved, "a/b/c"), edge = global(&saved, "g");
    cr_assert(vv_saved_has_globals(&saved));
    cr_assert(deep != VV_NONE && edge != VV_NONE && deep != edge);
    cr_assert_eq(at_parts(&saved, "a/none"), VV_NONE);
    cr_assert_eq(global(&saved, "a"), VV_NONE);
    cr_assert_eq(global(&saved, "none"), VV_NONE);
    end_saved(&saved, &file);
    end_world();
}

TEST(saved_graph, starts_at_a_subtree)
{
    begin_world();
    write_names();
    struct vv_opened file = { 0 };
    struct vv_saved_graph saved = begin_saved(&file, "/a");
    cr_assert_neq(saved.root, 0u);
    cr_assert_neq(at_parts(&saved, "b"), VV_NONE);
    cr_assert_eq(at_parts(&saved, "a"), VV_NONE);
    cr_assert_neq(global(&saved, "g"), VV_NONE);
    end_saved(&saved, &file);
    saved = begin_saved(&file, "a/b");
    cr_assert_eq(global(&saved, "g"), VV_NONE, "not below it");
    end_saved(&saved, &file);
    varve_error error = { 0 };
    cr_assert_eq(open_saved(&file, &saved, "absent", &error), VARVE_NOT_FOUND);
    cr_assert_str_eq(error.message,
        "here: no subtree \"absent\"");
    end_saved(&saved, &file);
    end_world();
}

TEST(saved_graph, handles_every_failed_allocation)
{
    begin_world();
    write_names();
    varve_status status = VARVE_NO_MEMORY;
    struct vv_opened file = { 0 };
    struct vv_saved_graph saved = begin_saved(&file, "a");
    vv_saved_graph_end(&saved);
    for (long n = 0; status == VARVE_NO_MEMORY; n++) {
        varve_error error = { 0 };
        vv_saved_graph_init(&saved, &world.context.allocator, &file.parsed);
        test_fail_allocation(n, false);
        status = vv_saved_graph_begin(&saved, "a", "here", &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || error.message[0]);
        vv_saved_graph_end(&saved);
    }
    cr_assert_eq(status, VARVE_OK);
    vv_opened_close(&file);
    end_world();
}

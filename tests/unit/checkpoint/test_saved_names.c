/* test_saved_names.c - Tests the lookup of program names in a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "formats.h"
#include "edge.h"
#include "saved_names.h"

enum { COUNT = 40 };

static float one;

/* Creates a root with the first `count` names, in reverse order if
 * `backwards`. */
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

TEST(saved_names, are_found_in_any_order_and_after_they_were_forgotten)
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
        root = new_names(COUNT + 3, backwards); /* the last ones do not exist */
        vv_saved_names_init(&names, &world.context.allocator,
            varve_node_graph(root), &file.parsed.index);
        check_all(&names, root, &file.parsed.index);
        check_all(&names, root, &file.parsed.index);
        vv_saved_names_clear(&names);
        test_fail_allocation(0, true); /* they are found without being cached */
        check_all(&names, root, &file.parsed.index);
        test_fail_allocation(-1, false);
        vv_saved_names_clear(&names);
        free_root(root);
    }
    vv_opened_close(&file);
    end_world();
}

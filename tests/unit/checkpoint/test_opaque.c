/* test_opaque.c - Tests data of a loaded file that the graph keeps for the next
 * save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "opaque.h"
#include "state.h"

TEST(opaque, keeps_its_bytes)
{
    varve_error error;
    struct vv_buffer out;
    varve_graph *g = varve_graph_new(test_allocator());
    cr_assert(vv_opaque_watch(g));
    cr_assert(vv_opaque_watch(g), "once is enough");
    varve_node *node = varve_add_state(varve_graph_root(g), "s",
        &vv_opaque_callbacks, vv_opaque_new(g));
    vv_buffer_init(&out, test_allocator());
    cr_assert_ok(vv_state_load(node, "s", "some bytes", 10, &error), error);
    cr_assert_ok(vv_state_save(node, "s", &out, &error), error);
    cr_assert_eq(out.size, 10);
    cr_assert_eq(memcmp(out.data, "some bytes", 10), 0);
    test_fail_allocation(0, true);
    static char many[1000];
    cr_assert_neq(
        vv_state_load(node, "s", many, sizeof many, &error), VARVE_OK);
    test_fail_allocation(-1, false);
    out.size = 0;
    cr_assert_ok(vv_state_save(node, "s", &out, &error), error);
    cr_assert_eq(out.size, 10, "what it was");
    cr_assert_ok(vv_state_load(node, "s", NULL, 0, &error), error);
    vv_buffer_clear(&out);
    varve_graph_free(g);
}

TEST(opaque, is_freed_with_its_node)
{
    varve_graph *g = varve_graph_new(test_allocator());
    cr_assert(vv_opaque_watch(g));
    varve_node *node = varve_add_state(varve_graph_root(g), "s",
        &vv_opaque_callbacks, vv_opaque_new(g));
    long before = test_block_count();
    varve_remove(node);
    cr_assert_lt(test_block_count(), before);
    vv_opaque_free(g, NULL);
    varve_graph_free(g);
}

TEST(opaque, metadata_is_copied)
{
    size_t count;
    char name[] = "name";
    char text[] = "text";
    const varve_metadata all[] = {
        { .name = name, .kind = VARVE_METADATA_STRING, .string = text },
        { .name = "n", .kind = VARVE_METADATA_INTEGER, .integer = 3 },
    };
    varve_graph *g = varve_graph_new(test_allocator());
    cr_assert_null(vv_graph_kept_metadata(g, &count));
    cr_assert(vv_opaque_watch(g));
    cr_assert(vv_graph_keep_metadata(g, all, 2));
    name[0] = text[0] = 'X';
    const varve_metadata *kept = vv_graph_kept_metadata(g, &count);
    cr_assert_eq(count, 2);
    cr_assert_str_eq(kept[0].name, "name");
    cr_assert_str_eq(kept[0].string, "text");
    cr_assert_eq(kept[1].integer, 3);
    varve_graph_free(g);
}

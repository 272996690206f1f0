/* test_saved_spread.c - Tests patterns along the edges of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../checkpoint/worlds.h"

#include "columns.h"
#include "saved_spread.h"

static float memory[2];
static struct vv_walk walk;
static struct vv_columns columns;
static struct vv_index saved;
static struct vv_saved_paths paths;
static varve_node *root;

static void begin(void)
{
    begin_world();
    root = new_root();
}

static void save(void)
{
    varve_error error = { 0 };
    cr_assert_ok(vv_walk_begin(&walk, root, &error), error);
    cr_assert_ok(vv_columns_begin(&columns, &walk, &error), error);
    cr_assert_ok(vv_columns_index(&columns, &saved, &error), error);
    cr_assert_ok(vv_saved_paths_begin(
                     &paths, test_allocator(), &saved, 0, &error),
        error);
}

static void end(void)
{
    vv_saved_paths_end(&paths);
    vv_columns_end(&columns);
    vv_walk_end(&walk);
    free_root(root);
    end_world();
}

static void check(
    const char *patterns, varve_node *node, bool all, const char *path)
{
    struct vv_spread s;
    struct vv_buffer text;
    varve_error error = { 0 };
    cr_assert_ok(vv_saved_spread_begin(&s, &paths, patterns, &error), error);
    uint32_t number = vv_walk_place(&walk, node);
    cr_assert_eq(vv_spread_has_any(&s, number), path != NULL, "%s", patterns);
    cr_assert_eq(vv_spread_has_all(&s, number), all, "%s", patterns);
    if (path) {
        vv_buffer_init(&text, test_allocator());
        vv_saved_spread_path(
            &s, &saved, vv_spread_find(&s, number, true), 4095, &text);
        cr_assert_str_eq(vv_buffer_string(&text), path);
        vv_buffer_clear(&text);
    }
    vv_spread_end(&s);
}

TEST(saved_spread, finds_every_path_of_a_shared_node)
{
    begin();
    varve_node *layer =
        varve_add_object(varve_add_object(root, "model"), "a/%");
    varve_node *w = varve_add_variable(layer, "w", varve_array(memory, 2));
    varve_node *opt = varve_add_object(root, "opt");
    varve_track(opt, "0", w);
    varve_track(opt, "up", root);
    varve_node *m = varve_add_slot(opt, w, "m", varve_array(memory, 2));
    save();
    check("model", w, false, "model/a%2F%25/w");
    check("opt", w, false, "opt/0");
    check("opt|model", w, true, "opt/0");
    check("opt/up/model/*/w", w, false, NULL); /* that leads back */
    check("other", w, false, NULL);
    check("opt/m(model)", m, false, "opt/m(model/a%2F%25/w)");
    check("**/m(**/0)", m, false, "opt/m(opt/0)");
    check("opt/v(**)", m, false, NULL);
    end();
}

TEST(saved_spread, fails_without_memory)
{
    begin();
    varve_node *w = varve_add_variable(root, "w", varve_array(memory, 2));
    varve_add_slot(root, w, "m", varve_array(memory, 2));
    save();
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct vv_spread s;
        test_fail_allocation(n, false);
        status = vv_saved_spread_begin(&s, &paths, "**/w|m(**)", NULL);
        if (status == VARVE_OK)
            vv_spread_end(&s);
        else
            cr_assert_eq(status, VARVE_NO_MEMORY);
    }
    test_fail_allocation(-1, false);
    end();
}

/* test_hint.c - Tests suggestions of similar names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "hint.h"
#include "scope.h"

static float values[4];

struct found {
    const char *reason, *nearest;
    bool is_retired;
};

static struct found hint_at(
    varve_restoration *r, const char *path, struct vv_arena *arena, bool file)
{
    struct vv_walk walk;
    struct vv_hints hints;
    struct vv_buffer scratch;
    varve_error error = { 0 };
    vv_buffer_init(&scratch, test_allocator());
    cr_assert_ok(vv_walk_begin(&walk, r->pairing.root, &error), error);
    cr_assert_ok(vv_need_paths(&r->pairing.saved, &error), error);
    cr_assert(vv_hints_begin(&hints, &r->pairing, &walk));
    struct found hint = { NULL, NULL, false };
    if (file) {
        uint32_t number =
            vv_saved_find(vv_index_of(&r->pairing), 0, path, &scratch);
        struct vv_hint of_file = vv_hint_for_file(&hints, number, arena);
        hint.reason = of_file.reason;
        hint.is_retired = of_file.is_retired;
        if (!hint.is_retired)
            hint.nearest = vv_nearest_for_file(&hints, number, arena);
    } else {
        const varve_node *node = varve_find_path(r->pairing.root, path);
        hint.reason = vv_hint_for_program(&hints, node, arena);
        hint.nearest = vv_nearest_for_program(&hints, node, arena);
    }
    cr_assert(vv_hints_end(&hints));
    vv_walk_end(&walk);
    vv_buffer_clear(&scratch);
    return hint;
}

TEST(hint, reports_the_first_missing_edge_and_the_nearest_name)
{
    struct vv_arena arena;
    begin_world();
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(
        varve_add_object(
            model, "layer_1"), "x", varve_array(COPY_OF(values), 4));
    varve_add_variable(model, "unlike", varve_array(COPY_OF(values), 3));
    write_root(root);
    free_root(root);
    root = new_root();
    model = varve_add_object(root, "model");
    varve_add_variable(
        varve_add_object(
            model, "layer-1"), "x", varve_array(COPY_OF(values), 4));
    varve_add_variable(model, "qwertyuiop", varve_array(COPY_OF(values), 3));
    varve_restoration *r = read_root(root, NULL);
    vv_arena_init(&arena, test_allocator());
    struct found hint = hint_at(r, "model/layer_1/x", &arena, true);
    cr_assert_str_eq(
        hint.reason, "model of the program has no edge \"layer_1\"");
    cr_assert_str_eq(hint.nearest, "model/layer-1/x");
    hint = hint_at(r, "model/layer-1/x", &arena, false);
    cr_assert_str_eq(hint.reason, "model of the file has no edge \"layer-1\"");
    cr_assert_str_eq(hint.nearest, "model/layer_1/x");
    /* No name is similar, but a single value has the same type and shape. */
    hint = hint_at(r, "model/unlike", &arena, true);
    cr_assert_str_eq(hint.nearest, "model/qwertyuiop");
    hint = hint_at(r, "model/qwertyuiop", &arena, false);
    cr_assert_str_eq(hint.nearest, "model/unlike");
    vv_arena_clear(&arena);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(hint, does_not_suggest_matched_names)
{
    struct vv_arena arena;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "name", varve_array(COPY_OF(values), 4));
    varve_add_variable(root, "names", varve_array(COPY_OF(values), 3));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_add_variable(root, "name", varve_array(COPY_OF(values), 4));
    varve_restoration *r = read_root(root, NULL);
    vv_arena_init(&arena, test_allocator());
    struct found hint = hint_at(r, "names", &arena, true);
    cr_assert_str_eq(
        hint.reason, "the root of the program has no edge \"names\"");
    cr_assert_null(hint.nearest);
    vv_arena_clear(&arena);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* 254 letters, then a two-byte character across the limit, then more. */
TEST(hint, shortens_a_long_name_between_characters)
{
    char name[300], shown[300];
    struct vv_arena arena;
    begin_world();
    memset(name, 'n', sizeof name);
    memcpy(name + 254, "\xc3\xa4", 2);
    name[299] = '\0';
    snprintf(shown, sizeof shown,
        "the root of the program has no edge \"%.254s...\"", name);
    varve_node *root = new_root();
    varve_add_variable(root, name, varve_array(COPY_OF(values), 4));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    vv_arena_init(&arena, test_allocator());
    cr_assert_str_eq(hint_at(r, name, &arena, true).reason, shown);
    vv_arena_clear(&arena);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* The result does not depend on the order of similar names. */
TEST(hint, suggests_the_nearest_of_several_names)
{
    struct vv_arena arena;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "kernels", varve_array(COPY_OF(values), 4));
    write_root(root);
    free_root(root);
    static const char *const orders[2][3] = {
        { "kennel", "kernel", "kernal" }, { "kernel", "kernal", "kennel" }
    };
    vv_arena_init(&arena, test_allocator());
    for (int i = 0; i < 2; i++) {
        root = new_root();
        for (int k = 0; k < 3; k++)
            varve_add_variable(
                root, orders[i][k], varve_array(COPY_OF(values), 4));
        varve_restoration *r = read_strange(root);
        cr_assert_str_eq(
            hint_at(r, "kernels", &arena, true).nearest, "kernel");
        varve_restoration_free(r);
        free_root(root);
    }
    vv_arena_clear(&arena);
    end_world();
}

/* A dry run does not match nodes that the program adds afterwards. */
TEST(hint, explains_a_node_that_was_added_after_a_dry_run)
{
    static const varve_rename renames[] = { { "other", "unlike" } };
    varve_error error = { 0 };
    struct vv_arena arena;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(root, "name", varve_array(COPY_OF(values), 4));
    varve_add_variable(root, "late", varve_array(COPY_OF(values), 4));
    write_root(root);
    free_root(root);
    for (size_t count = 0; count <= 1; count++) {
        root = new_root();
        varve_add_variable(root, "name", varve_array(COPY_OF(values), 4));
        varve_read_options options = {
            .rename = { .list = renames, .count = count }
        };
        varve_restoration *r = varve_dry_run(root, FILE_NAME, &options, &error);
        cr_assert(r, "%s", error.message);
        varve_add_variable(root, "late", varve_array(COPY_OF(values), 4));
        vv_arena_init(&arena, test_allocator());
        cr_assert_str_eq(hint_at(r, "late", &arena, true).reason,
            "the program added it after the dry run");
        cr_assert_str_eq(hint_at(r, "late", &arena, false).reason,
            "the program added it after the dry run");
        vv_arena_clear(&arena);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* A variable does not take the place of an object that matched before. */
TEST(hint, explains_a_variable_that_replaced_an_object)
{
    struct vv_arena arena;
    begin_world();
    varve_node *root = new_root();
    varve_add_variable(varve_add_object(root, "model"), "x",
        varve_array(COPY_OF(values), 4));
    varve_add_variable(root, "name", varve_array(COPY_OF(values), 4));
    write_root(root);
    free_root(root);
    root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(root, "name", varve_array(COPY_OF(values), 4));
    varve_restoration *r = read_root(root, NULL);
    varve_remove(model);
    varve_add_variable(root, "model", varve_array(COPY_OF(values), 4));
    vv_arena_init(&arena, test_allocator());
    cr_assert_str_eq(hint_at(r, "model/x", &arena, true).reason,
        "it does not match the node at the same path");
    vv_arena_clear(&arena);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* test_saved_path.c - Tests the paths of saved nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../checkpoint/worlds.h"

#include "columns.h"
#include "saved_path.h"

static float memory[2];
static struct vv_walk walk;
static struct vv_columns columns;
static struct vv_index saved;
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
}

static void end(void)
{
    vv_columns_end(&columns);
    vv_walk_end(&walk);
    free_root(root);
    end_world();
}

static void check_path(const struct vv_saved_paths *paths, varve_node *node,
    const char *wanted)
{
    struct vv_buffer path;
    vv_buffer_init(&path, test_allocator());
    vv_buffer_add_string(&path, "older content");
    vv_saved_path(paths, vv_walk_place(&walk, node), &path);
    cr_assert_str_eq(vv_buffer_string(&path), wanted);
    vv_buffer_clear(&path);
}

static void check_name(const struct vv_saved_paths *paths, varve_node *node,
    const char *wanted)
{
    struct vv_buffer name;
    vv_buffer_init(&name, test_allocator());
    vv_buffer_add_string(&name, "older content");
    vv_saved_name(paths, vv_walk_place(&walk, node), &name);
    cr_assert_str_eq(vv_buffer_string(&name), wanted);
    vv_buffer_clear(&name);
}

TEST(saved_path, is_the_shortest_with_slots_last)
{
    struct vv_saved_paths paths;
    varve_error error = { 0 };
    begin();
    varve_node *a = varve_add_object(root, "a/%");
    varve_node *b = varve_add_object(a, "b");
    varve_node *x = varve_add_variable(b, "x", varve_array(memory, 2));
    varve_node *m = varve_add_slot(a, x, "m", varve_array(memory, 2));
    varve_node *own = varve_add_slot(root, x, "m", varve_array(memory, 2));
    varve_track(root, "near", b);
    varve_track(b, "up", root);
    save();
    cr_assert_ok(vv_saved_paths_begin(&paths, test_allocator(), &saved, 0,
                     &error), error);
    check_path(&paths, root, "");
    check_path(&paths, a, "a%2F%25");
    check_path(&paths, b, "near");
    check_path(&paths, x, "near/x");
    check_path(&paths, m, "a%2F%25/m(near/x)");
    check_path(&paths, own, "m(near/x)");
    check_name(&paths, root, "");
    check_name(&paths, x, "near/x");
    check_name(&paths, m, "a/%/m(near/x)");
    vv_saved_paths_end(&paths);
    vv_saved_paths_end(&paths);
    end();
}

TEST(saved_path, begins_at_any_root_and_exists_only_below_it)
{
    struct vv_saved_paths paths;
    varve_error error = { 0 };
    begin();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(root, "b");
    varve_node *x = varve_add_variable(a, "x", varve_array(memory, 2));
    varve_node *y = varve_add_variable(b, "y", varve_array(memory, 2));
    varve_node *m = varve_add_slot(a, x, "m", varve_array(memory, 2));
    varve_node *n = varve_add_slot(a, y, "m", varve_array(memory, 2));
    save();
    cr_assert_ok(vv_saved_paths_begin(&paths, test_allocator(), &saved,
                     vv_walk_place(&walk, a), &error), error);
    check_path(&paths, a, "");
    check_path(&paths, x, "x");
    check_path(&paths, m, "m(x)");
    varve_node *outside[] = { root, b, y, n };
    for (int i = 0; i < 4; i++)
        cr_assert(!vv_saved_path_exists(
            &paths, vv_walk_place(&walk, outside[i])));
    vv_saved_paths_end(&paths);
    end();
}

TEST(saved_path, can_be_looked_up)
{
    struct vv_buffer scratch;
    begin();
    varve_node *odd = varve_add_object(root, "a/b");
    varve_node *list = varve_add_list(odd, "list");
    varve_add_object(list, VARVE_APPEND);
    varve_node *second = varve_add_object(list, VARVE_APPEND);
    save();
    vv_buffer_init(&scratch, test_allocator());
    cr_assert_eq(vv_saved_find(&saved, 0, "", &scratch), 0);
    cr_assert_eq(vv_saved_find(&saved, 0, "a%2Fb/list/1", &scratch),
        vv_walk_place(&walk, second));
    cr_assert_eq(vv_saved_find(&saved, vv_walk_place(&walk, list), "1",
                     &scratch), vv_walk_place(&walk, second));
    static const char *const none[] = { "a", "a/b", "a%2Fb/list/2",
        "a%2Fb/list/01", "a%2", "/", "a%2Fb//list" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_assert_eq(vv_saved_find(&saved, 0, none[i], &scratch), VV_NONE,
            "%s", none[i]);
    vv_buffer_clear(&scratch);
    end();
}

TEST(saved_path, of_a_slot_can_be_looked_up)
{
    static float held[3];
    struct vv_buffer scratch;
    begin();
    varve_node *model = varve_add_object(root, "a|b");
    varve_node *owner = varve_add_object(model, "opt");
    varve_node *k = varve_add_variable(model, "k(1)", varve_scalar(&held[0]));
    varve_node *m = varve_add_slot(owner, k, "m)", varve_scalar(&held[1]));
    varve_node *odd = varve_add_variable(root, "a(b)", varve_scalar(&held[2]));
    save();
    vv_buffer_init(&scratch, test_allocator());
    cr_assert_eq(vv_saved_find(&saved, 0, "a%7Cb/opt/m%29(a%7Cb/k%281%29)",
                     &scratch), vv_walk_place(&walk, m));
    cr_assert_eq(vv_saved_find(&saved, vv_walk_place(&walk, model),
                     "opt/m%29(k%281%29)", &scratch),
        vv_walk_place(&walk, m), "both from where it begins");
    cr_assert_eq(vv_saved_find(&saved, 0, "a(b)", &scratch),
        vv_walk_place(&walk, odd), "not escaped, but nothing else");
    static const char *const none[] = { "a%7Cb/opt/m%29",
        "m%29(a%7Cb/k%281%29)",
        "a%7Cb/opt/m%29(k%281%29)", "a%7Cb/opt/m%29()", "a%7Cb/opt/(k)",
        "a%7Cb/opt/m%29(a%7Cb/k%281%29)/x", "a%7Cb/opt/m%29(m%29(m%29(m%29(" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        cr_assert_eq(vv_saved_find(&saved, 0, none[i], &scratch), VV_NONE,
            "%s", none[i]);
    vv_buffer_clear(&scratch);
    end();
}

TEST(saved_path, can_have_a_hundred_thousand_names)
{
    enum { DEPTH = 100000 };
    struct vv_saved_paths paths;
    struct vv_buffer path, scratch;
    varve_error error = { 0 };
    begin();
    varve_node *node = root;
    for (int i = 0; i < DEPTH; i++)
        node = varve_add_object(node, "n");
    save();
    cr_assert_ok(vv_saved_paths_begin(&paths, test_allocator(), &saved, 0,
                     &error), error);
    vv_buffer_init(&path, test_allocator());
    vv_buffer_init(&scratch, test_allocator());
    for (int i = 0; i < 20; i++) {
        vv_saved_path(&paths, vv_walk_place(&walk, node), &path);
        cr_assert_leq(path.size, VV_SHORTENED_PATH);
        cr_assert_geq(path.size, VV_SHORTENED_PATH - 8);
        cr_assert_leq(path.capacity, 4 * VV_LONGEST_PATH);
        cr_assert_eq(strcmp(vv_buffer_string(&path) + path.size - 5, "n/n/n"),
            0);
        cr_assert_eq(strncmp(vv_buffer_string(&path), ".../n", 4), 0);
    }
    vv_saved_searched_path(&paths, vv_walk_place(&walk, node), &path);
    cr_assert_geq(path.size, VV_LONGEST_SEARCHED_PATH - 8);
    path.size = 0;
    for (int i = 0; i < DEPTH; i++)
        vv_buffer_add_string(&path, "/n");
    cr_assert_eq(
        vv_saved_find(&saved, 0, vv_buffer_string(&path) + 1, &scratch),
        vv_walk_place(&walk, node));
    vv_buffer_clear(&path);
    vv_buffer_clear(&scratch);
    vv_saved_paths_end(&paths);
    end();
}

/* Checks a path of this name followed by one that ends it. */
static void check_cut(const char *unit, size_t unit_size, size_t count)
{
    struct vv_saved_paths paths;
    struct vv_buffer path;
    varve_error error = { 0 };
    static char name[VARVE_MAX_NAME_SIZE + 1];
    begin();
    for (size_t i = 0; i < count * unit_size; i++)
        name[i] = unit[i % unit_size];
    name[count * unit_size] = '\0';
    varve_node *long_one = varve_add_object(root, name);
    varve_node *last = varve_add_variable(long_one, "x",
        varve_array(memory, 2));
    varve_node *slot = varve_add_slot(long_one, last, "m",
        varve_array(memory, 2));
    save();
    cr_assert_ok(vv_saved_paths_begin(&paths, test_allocator(), &saved, 0,
                     &error), error);
    vv_buffer_init(&path, test_allocator());
    varve_node *const nodes[] = { long_one, last, slot };
    for (int i = 0; i < 3; i++) {
        vv_saved_path(&paths, vv_walk_place(&walk, nodes[i]), &path);
        const char *text = vv_buffer_string(&path);
        cr_assert_leq(path.size, VV_SHORTENED_PATH);
        cr_assert_geq(path.size, VV_SHORTENED_PATH - 8);
        cr_assert_leq(path.capacity, 16 * VV_LONGEST_PATH);
        cr_assert_eq(strncmp(text, "...", 3), 0);
        const char *first = *unit == '/' ? "%2F%2F" : unit;
        cr_assert_eq(strncmp(text + 3, first, unit_size), 0, "%.12s", text);
        cr_assert_neq(text[3] & 0xc0, 0x80);
    }
    vv_buffer_clear(&path);
    vv_saved_paths_end(&paths);
    end();
}

TEST(saved_path, is_shortened_at_a_character_to_its_end)
{
    for (size_t count = 1370; count < 1380; count++)
        check_cut("\xe2\x82\xac", 3, count * 3);
    for (size_t count = 5000; count < 5005; count++)
        check_cut("/", 1, count);
    check_cut("n", 1, VARVE_MAX_NAME_SIZE);
}

/* A cursor returns the path of each node, regardless of its previous
 * position. */
static void check_cursor(const struct vv_saved_paths *paths, uint32_t count)
{
    static const uint32_t strides[] = { 1, 2, 7, 8, 9, 10, 997 };
    struct vv_path_cursor cursor = { .node = paths->root };
    struct vv_buffer whole, path;
    vv_buffer_init(&whole, test_allocator());
    vv_buffer_init(&path, test_allocator());
    vv_buffer_init(&cursor.path, test_allocator());
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        for (uint32_t n = 0; n < count; n++) {
            uint32_t node = n * strides[i] % count;
            vv_saved_path(paths, node, &whole);
            vv_saved_path_next(paths, &cursor, node, &path);
            cr_assert_str_eq(vv_buffer_string(&path), vv_buffer_string(&whole),
                "node %u, stride %u", node, strides[i]);
        }
    }
    vv_buffer_clear(&cursor.path);
    vv_buffer_clear(&path);
    vv_buffer_clear(&whole);
}

/* A chain of names: the path of each node, derived from that of the previous
 * one, equals that from the root. */
static void check_chain(const char *const *names, size_t count, int depth)
{
    struct vv_saved_paths paths;
    struct vv_buffer whole, on;
    varve_error error = { 0 };
    begin();
    varve_node *node = root;
    for (int i = 0; i < depth; i++)
        node = varve_add_object(node, names[(size_t)i % count]);
    save();
    cr_assert_ok(vv_saved_paths_begin(&paths, test_allocator(), &saved, 0,
                     &error), error);
    vv_buffer_init(&whole, test_allocator());
    vv_buffer_init(&on, test_allocator());
    for (uint32_t i = 1; i <= (uint32_t)depth; i++) {
        cr_assert_eq(paths.parents[i], i - 1);
        vv_saved_path(&paths, i, &whole);
        vv_saved_child_path(&paths, i, &on);
        cr_assert_str_eq(vv_buffer_string(&on), vv_buffer_string(&whole),
            "the path of node %u goes on otherwise", i);
    }
    cr_assert_leq(on.size, VV_SHORTENED_PATH);
    check_cursor(&paths, (uint32_t)depth + 1);
    vv_buffer_clear(&whole);
    vv_buffer_clear(&on);
    vv_saved_paths_end(&paths);
    end();
}

TEST(saved_path, extends_the_path_of_the_parent)
{
    static char wide[300], wider[5000];
    memset(wide, 'w', sizeof wide - 1);
    memset(wider, 'w', sizeof wider - 1);
    const char *const names[] = { "n", "\xe2\x82\xac", "/", "...", "ab%c",
        "\xf0\x9f\x98\x80x", ".", wide, "(\xc3\xa4)", wider };
    enum { NAMES = sizeof names / sizeof *names };
    for (size_t first = 0; first < NAMES; first++) {
        for (size_t count = 1; count <= NAMES - first; count++)
            check_chain(&names[first], count, 2600);
    }
}

TEST(saved_path, reports_failed_allocations)
{
    struct vv_saved_paths paths;
    begin();
    varve_add_object(root, "a");
    save();
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_saved_paths_begin(
            &paths, test_allocator(), &saved, 0, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, status);
    }
    vv_saved_paths_end(&paths);
    end();
}

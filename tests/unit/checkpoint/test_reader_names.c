/* test_reader_names.c - Tests the names and paths of nodes of a reader.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "reader_names.h"

/* The memory that the test allocates: calls, and how many may succeed. */
static size_t reader_names_calls, reader_names_most;

static void *reader_names_resize(
    void *user, void *block, size_t old, size_t size)
{
    (void)user, (void)old;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return reader_names_calls++ < reader_names_most ? realloc(block, size)
                                                    : NULL;
}

static varve_reader *reader_names_open(void)
{
    static const varve_allocator counted = { reader_names_resize, NULL };
    struct vv_context context = world.context;
    varve_error error = { 0 };
    varve_node *root = new_root();
    static float values[3];
    varve_add_variable(root, "a", varve_array(COPY_OF(values), 1));
    varve_add_variable(root, "b/c", varve_array(COPY_OF(values), 2));
    varve_add_variable(varve_add_object(root, "model"), "x",
        varve_array(COPY_OF(values), 3));
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
    free_root(root);
    reader_names_most = SIZE_MAX;
    context.allocator = counted;
    varve_reader *reader = vv_reader_open_in(&context, "a", &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

TEST(reader_names, are_the_paths_of_children_of_the_root)
{
    static const char *const paths[] = { "", "a", "b%2Fc", "model", "model/x" };
    const char *name;
    uint32_t child;
    begin_world();
    varve_reader *reader = reader_names_open();
    reader_names_calls = 0;
    const char *path = vv_reader_node_path(reader, 1);
    cr_assert(varve_reader_edge_at(reader, 0, 0, &name, &child));
    cr_assert(path == name && child == 1);
    cr_assert_str_eq(vv_reader_node_path(reader, 0), "");
    cr_assert_str_eq(vv_reader_node_path(reader, 3), "model");
    cr_assert_eq(reader_names_calls, 0);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_str_eq(vv_reader_node_path(reader, i), paths[i]);
        cr_assert(
            vv_reader_node_path(reader, i) == vv_reader_node_path(reader, i));
    }
    varve_reader_free(reader);
    end_world();
}

TEST(reader_names, are_a_question_mark_without_memory)
{
    begin_world();
    varve_reader *reader = reader_names_open();
    for (size_t i = 0; i < 3; i++) {
        reader_names_calls = 0;
        reader_names_most = i;
        const char *path = vv_reader_node_path(reader, 4);
        if (strcmp(path, "model/x") == 0)
            break;
        cr_assert_str_eq(path, "?");
    }
    reader_names_most = SIZE_MAX;
    cr_assert_str_eq(vv_reader_node_path(reader, 4), "model/x");
    varve_reader_free(reader);
    end_world();
}

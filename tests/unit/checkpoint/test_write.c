/* test_write.c - Tests writing a checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "write.h"

static float values[3] = { 1, 2, 3 };
static struct text_state state;

static varve_node *make(bool reversed)
{
    varve_node *root = new_root();
    const char *names[] = { "a", "b" };
    for (int i = 0; i < 2; i++)
        varve_add_variable(
            root, names[reversed ? 1 - i : i], varve_array(COPY_OF(values), 3));
    state = (struct text_state){ .text = "state" };
    varve_add_state(root, "s", &text_callbacks, &state);
    return root;
}

TEST(write, writes_the_same_bytes_for_the_same_graph)
{
    begin_world();
    size_t size, other_size;
    varve_node *root = make(false);
    write_root(root);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    unsigned char *copy = malloc(size);
    memcpy(copy, bytes, size);
    free_root(root);
    root = make(true);
    write_root(root);
    bytes = memory_bytes(world.memory, FILE_NAME, &other_size);
    cr_assert_eq(size, other_size);
    cr_assert_eq(memcmp(bytes, copy, size), 0);
    free(copy);
    free_root(root);
    end_world();
}

static void check_fails(varve_node *root, const varve_write_options *options,
    varve_status wanted)
{
    varve_error error = { 0 };
    cr_assert_eq(
        varve_write(root, FILE_NAME, options, &error), wanted, "%s",
        error.message);
    cr_assert_eq(error.status, wanted);
    cr_assert_eq(memory_file_count(world.memory), 0);
}

TEST(write, refuses_invalid_metadata)
{
    static const struct {
        varve_metadata metadata[2];
        size_t count;
        varve_status status;
    } bad[] = {
        { { { .name = "", .kind = VARVE_METADATA_REAL } }, 1, VARVE_BAD_NAME },
        { { { .kind = VARVE_METADATA_REAL } }, 1, VARVE_BAD_NAME },
        { { { .name = "a" } }, 1, VARVE_MISUSE },
        { { { .name = "a", .kind = (varve_metadata_kind)5 } }, 1,
            VARVE_MISUSE },
        { { { .name = "a", .kind = VARVE_METADATA_STRING } }, 1,
            VARVE_BAD_NAME },
        { { { .name = "a", .kind = VARVE_METADATA_STRING,
              .string = "\xff" } }, 1, VARVE_BAD_NAME },
        { { { .name = "a", .kind = VARVE_METADATA_REAL },
              { .name = "a", .kind = VARVE_METADATA_BOOLEAN } }, 2,
            VARVE_DUPLICATE },
    };
    begin_world();
    varve_node *root = make(false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_fails(root,
            &(varve_write_options){ .metadata = bad[i].metadata,
                .metadata_count = bad[i].count },
            bad[i].status);
    free_root(root);
    end_world();
}

static int cancel(void *user, uint64_t done, uint64_t total, const char *what)
{
    cr_assert(done <= total && what);
    return --*(int *)user < 0;
}

TEST(write, leaves_no_file_after_a_failure)
{
    begin_world();
    varve_node *root = make(false);
    for (int calls = 0; calls < 2; calls++)
        check_fails(root,
            &(varve_write_options){ .progress = cancel,
                .progress_user = &(int){ calls } },
            VARVE_CANCELLED);
    state.save_status = VARVE_IO;
    check_fails(root, NULL, VARVE_CALLBACK);
    state.save_status = VARVE_OK;
    memory_set_capacity(world.memory, 200);
    check_fails(root, NULL, VARVE_NO_SPACE);
    memory_set_capacity(world.memory, UINT64_MAX);
    varve_add_object(root, "");
    check_fails(root, NULL, VARVE_BAD_NAME);
    free_root(root);
    end_world();
}

TEST(write, replaces_an_older_file_unless_no_replace_is_set)
{
    varve_error error = { 0 };
    varve_write_options keep = { .no_replace = true };
    begin_world();
    varve_node *root = make(false);
    cr_assert_ok(varve_write(root, FILE_NAME, &keep, &error), error);
    cr_assert_eq(varve_write(root, FILE_NAME, &keep, &error), VARVE_EXISTS);
    cr_assert_ok(varve_write(root, FILE_NAME, NULL, &error), error);
    cr_assert_eq(varve_write(root, NULL, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(memory_file_count(world.memory), 1);
    free_root(root);
    end_world();
}

TEST(write, keeps_a_counter)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = make(false);
    cr_assert_ok(vv_save_now(&(struct vv_save_request){ .root = root,
                                 .target = FILE_NAME,
                                 .counter = UINT64_MAX },
                     &error),
        error);
    varve_restoration *r = read_root(root, NULL);
    cr_assert_eq(varve_restoration_counter(r), UINT64_MAX);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(write, handles_every_failed_allocation)
{
    varve_metadata metadata = { .name = "a", .kind = VARVE_METADATA_REAL };
    varve_write_options options = { .metadata = &metadata,
        .metadata_count = 1 };
    begin_world();
    varve_node *root = make(false);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_write(root, FILE_NAME, &options, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(memory_file_count(world.memory), status ? 0 : 1);
    }
    free_root(root);
    end_world();
}

TEST(write, requires_a_node_and_a_path)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    cr_assert_eq(varve_write(NULL, FILE_NAME, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_write(root, NULL, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_save(NULL, "a", NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_save(root, NULL, NULL, &error), VARVE_MISUSE);
    cr_assert_null(varve_read(NULL, FILE_NAME, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_read(root, NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_snapshot_new(NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    char path[8];
    cr_assert_eq(varve_latest(NULL, path, 8, &error), VARVE_MISUSE);
    cr_assert_eq(varve_latest("a", NULL, 8, &error), VARVE_MISUSE);
    good(root);
    varve_add_object(root, "");
    cr_assert_eq(varve_save(root, "a", NULL, &error), VARVE_BAD_NAME);
    free_root(root);
    end_world();
}

/* A value with more chunks than the initial capacity for digests. */
TEST(write, handles_every_failed_allocation_of_digests)
{
    enum { CHUNKS = 20, SIZE = CHUNKS << 20 };
    varve_status status = VARVE_NO_MEMORY;
    begin_world();
    char *large = calloc(SIZE, 1);
    varve_node *root = new_root();
    varve_add_variable(
        root, "x", varve_view(large, VARVE_UINT8, VARVE_SHAPE(SIZE)));
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_write(root, FILE_NAME, NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, status);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(memory_file_count(world.memory), status ? 0 : 1);
    }
    varve_restoration_free(read_root(root, NULL));
    free_root(root);
    free(large);
    end_world();
}

/* An error of another graph has no effect on this one. */
TEST(write, refuses_a_nil_node)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *nil = &varve_node_graph(root)->nil;
    cr_assert_eq(varve_write(nil, FILE_NAME, NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_save(nil, "a", NULL, &error), VARVE_MISUSE);
    cr_assert_null(varve_snapshot_new(nil, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    fail_read(nil, NULL, VARVE_MISUSE);
    cr_assert_eq(memory_file_count(world.memory), 0);
    free_root(root);
    end_world();
}

/* test_transfer.c - Tests the delivery of values and its undo.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "support/faulty_system.h"

enum { COUNT = 1000 };

static float a[COUNT], b[COUNT];
static struct text_state state;

static varve_node *make(float value, const char *text)
{
    varve_node *root = new_root();
    for (int i = 0; i < COUNT; i++)
        a[i] = b[i] = value;
    state = (struct text_state){ .load_status = VARVE_IO };
    strcpy(state.text, text);
    varve_add_variable(root, "a", varve_array(a, COUNT));
    varve_add_variable(root, "b", varve_array(b, COUNT));
    varve_add_state(root, "s", &text_callbacks, &state);
    return root;
}

static void begin(void)
{
    begin_world();
    varve_node *root = make(5, "new");
    write_root(root);
    free_root(root);
}

static void check_all(float value, const char *text)
{
    for (int i = 0; i < COUNT; i++)
        cr_assert(a[i] == value && b[i] == value);
    cr_assert_str_eq(state.text, text);
}

/* Changes a byte of the last array. */
static void damage(void)
{
    size_t size;
    size_t offset;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    /* The values consist of the float 5: 00 00 a0 40. */
    for (offset = size - 1; bytes[offset] != 0xa0 || bytes[offset + 1] != 0x40;)
        offset--;
    bytes[offset] ^= 1;
}

static uint64_t reads_of(uint64_t staging_size, varve_passes passes)
{
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    struct vv_context old = world.context;
    world.context = test_context(faulty_system(faulty));
    varve_node *root = make(0, "old");
    varve_restoration *r = read_root(root,
        &(varve_read_options){
            .passes = passes,
            .resources = { .staging_size = staging_size, .threads = 1 } });
    check_all(5, "new");
    uint64_t bytes = 0;
    for (size_t i = 0; i < faulty_log_size(faulty); i++) {
        const struct faulty_call *call = faulty_log_at(faulty, i);
        bytes += call->kind == FAULTY_READ ? (uint64_t)call->result : 0;
    }
    varve_restoration_free(r);
    free_root(root);
    faulty_free(faulty);
    world.context = old;
    return bytes;
}

TEST(transfer, reads_values_above_the_staging_size_twice)
{
    begin();
    const uint64_t all = 2 * COUNT * sizeof *a;
    uint64_t once = reads_of(0, VARVE_TWO_PASSES);
    cr_assert_eq(reads_of(all, VARVE_TWO_PASSES), once);
    cr_assert_geq(reads_of(all - 1, VARVE_TWO_PASSES), once + all);
    cr_assert_geq(reads_of(1, VARVE_TWO_PASSES), once + all);
    cr_assert_eq(reads_of(1, VARVE_ONE_PASS), once);
    cr_assert_eq(reads_of(1, VARVE_PASSES_AUTO), once);
    end_world();
}

TEST(transfer, changes_nothing_when_a_value_is_damaged)
{
    static const uint64_t sizes[] = { 0, 1, 2 * COUNT * sizeof *a };
    begin();
    damage();
    for (int i = 0; i < 3; i++) {
        varve_node *root = make(1, "old");
        fail_read(root,
            &(varve_read_options){ .passes = VARVE_TWO_PASSES,
                .resources.staging_size = sizes[i] },
            VARVE_CORRUPT);
        check_all(1, "old");
        cr_assert_eq(state.loads, 0);
        free_root(root);
    }
    end_world();
}

/* --- Small values that are staged together ------------------------------ */

enum { NEIGHBOURS = 40, MOST_BYTES = 4096 };

static unsigned char neighbours[NEIGHBOURS][MOST_BYTES];

/* Creates values whose sizes grow by `step`. If the sizes are multiples of 64
 * bytes, staging has the layout of the file. One may be cast. */
static varve_node *make_neighbours(
    size_t size, size_t step, int cast, unsigned char byte)
{
    varve_node *root = new_root();
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < NEIGHBOURS; i++) {
        size_t count = (size + (size_t)i * step) / (i == cast ? 2 : 1);
        memset(neighbours[i], byte ? byte + i : 0, MOST_BYTES);
        varve_add_variable(list, VARVE_APPEND,
            varve_view(neighbours[i],
                i == cast && byte == 0 ? VARVE_UINT16 : VARVE_UINT8,
                VARVE_SHAPE(count)));
    }
    return root;
}

static void check_neighbours(size_t size, size_t step, int cast, int byte)
{
    for (int i = 0; i < NEIGHBOURS; i++) {
        size_t all = size + (size_t)i * step;
        for (size_t at = 0; at < MOST_BYTES; at++) {
            bool is_high = i == cast && at % 2 == 1;
            int expected = at < all && byte && !is_high ? byte + i : 0;
            if (neighbours[i][at] != expected)
                cr_assert_fail("%zu bytes, value %d at %zu", size, i, at);
        }
    }
}

/* If one is damaged, no value changes. */
static void damage_neighbours(size_t size, size_t step)
{
    size_t file_size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &file_size);
    for (int i = 0; i < NEIGHBOURS; i += 13) {
        unsigned char *first = bytes, wanted[16];
        memset(wanted, 7 + i, sizeof wanted);
        while (memcmp(first, wanted, sizeof wanted) != 0)
            cr_assert(++first < bytes + file_size - sizeof wanted);
        *first ^= 0x10;
        varve_node *root = make_neighbours(size, step, -1, 0);
        fail_read(root, &(varve_read_options){ .resources.threads = 1 },
            VARVE_CORRUPT);
        check_neighbours(size, step, -1, 0);
        free_root(root);
        *first ^= 0x10;
    }
}

TEST(transfer, stages_adjacent_values_with_any_layout)
{
    static const size_t sizes[][2] = { { 4096, 0 }, { 64, 64 }, { 68, 4 },
        { 4000, 0 }, { 64, 0 }, { 32, 64 } };
    static const int casts[] = { -1, 0, 20, NEIGHBOURS - 1 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i][0], step = sizes[i][1];
        for (int c = 0; c < 4; c++) {
            begin_world();
            varve_node *root = make_neighbours(size, step, casts[c], 7);
            write_root(root);
            free_root(root);
            root = make_neighbours(size, step, casts[c], 0);
            varve_restoration_free(read_root(
                root, &(varve_read_options){ .cast = VARVE_CAST_WIDEN }));
            check_neighbours(size, step, casts[c], 7);
            free_root(root);
            if (casts[c] < 0)
                damage_neighbours(size, step);
            end_world();
        }
    }
}

TEST(transfer, reports_variables_changed_by_a_streaming_read)
{
    begin();
    damage();
    varve_node *root = make(1, "old");
    varve_error error =
        fail_read(root, &(varve_read_options){ .passes = VARVE_ONE_PASS },
            VARVE_PARTIALLY_RESTORED);
    cr_assert_not_null(strstr(error.message, "\n  a"), "%s", error.message);
    cr_assert(a[0] == 5 && b[0] == 1);
    cr_assert_str_eq(state.text, "old");
    free_root(root);
    end_world();
}

TEST(transfer, undoes_everything_if_a_state_fails)
{
    begin();
    varve_node *root = make(1, "old");
    state.fails_at = 1;
    fail_read(root, NULL, VARVE_CALLBACK);
    check_all(1, "old");
    cr_assert_eq(state.loads, 1, "it refused, so it is as it was");
    cr_assert_eq(state.saves, 0, "nothing is loaded after it");
    free_root(root);
    root = make(1, "old");
    state.fails_at = 1;
    varve_error error =
        fail_read(root, &(varve_read_options){ .resources.staging_size = 1 },
            VARVE_PARTIALLY_RESTORED);
    cr_assert_not_null(strstr(error.message, "\n  a"));
    cr_assert_str_eq(state.text, "old");
    free_root(root);
    end_world();
}

TEST(transfer, restores_empty_values)
{
    begin_world();
    varve_node *root = new_root();
    varve_string none[1];
    struct text_state empty = { .text = "" };
    varve_add_variable(root, "strings",
        varve_view(none, VARVE_STRING, VARVE_SHAPE(0)));
    varve_add_variable(
        root, "floats", varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(3, 0)));
    varve_add_allocated_variable(
        root, "owned", VARVE_STRING, VARVE_SHAPE(0), NULL, NULL);
    varve_add_state(root, "state", &text_callbacks, &empty);
    write_root(root);
    strcpy(empty.text, "later");
    varve_restoration *r = read_root(root, NULL);
    varve_error error = { 0 };
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert_str_eq(empty.text, "");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(transfer, is_undone_by_every_failed_allocation)
{
    static const uint64_t sizes[] = { 0, 1 };
    begin();
    for (int i = 0; i < 2; i++) {
        varve_restoration *r = NULL;
        for (long n = 0; !r; n++) {
            varve_error error = { 0 };
            varve_node *root = make(1, "old");
            good(root);
            test_fail_allocation(n, false);
            r = varve_read(root, FILE_NAME,
                &(varve_read_options){ .passes = VARVE_TWO_PASSES,
                    .resources = { .staging_size = sizes[i], .threads = 1 } },
                &error);
            test_fail_allocation(-1, false);
            if (r) {
                check_all(5, "new");
            } else {
                cr_assert_eq(error.status, VARVE_NO_MEMORY);
                check_all(1, "old");
            }
            varve_restoration_free(r);
            free_root(root);
        }
    }
    end_world();
}

/* Mapped pages and new memory are released: the variable is pending again, and
 * a retry delivers both. */
TEST(transfer, frees_new_memory_if_a_state_fails)
{
    enum { LARGE = 1 << 15 }; /* 128 KiB: is mapped */
    static float large[LARGE];
    begin_world();
    large[LARGE - 1] = 3;
    varve_node *root = new_root();
    struct text_state saved = { .text = "new" };
    varve_node *s = varve_add_state(root, "s", &text_callbacks, &saved);
    varve_add_variable(s, "large", varve_array(large, LARGE));
    write_root(root);
    free_root(root);
    for (int map = 0; map < 2; map++) {
        struct text_state refusing = { .text = "old", .fails_at = 1,
            .load_status = VARVE_IO };
        varve_error error = { 0 };
        root = new_root();
        varve_restoration *r =
            read_root(root, &(varve_read_options){ .map = map });
        s = varve_add_state(root, "s", &text_callbacks, &refusing);
        varve_node *node = varve_add_allocated_variable(
            s, "large", VARVE_FLOAT32, VARVE_SHAPE(LARGE), NULL, NULL);
        cr_assert_eq(refusing.loads, 1, "it refused");
        cr_assert_str_eq(refusing.text, "old");
        cr_assert_eq(varve_state_of(node), VARVE_PENDING);
        cr_assert_eq(((float *)varve_data(node))[LARGE - 1], 0);
        cr_assert_eq(
            varve_graph_check(varve_node_graph(root), NULL), VARVE_CALLBACK);
        cr_assert_ok(varve_restoration_retry(r, &error), error);
        cr_assert_eq(((float *)varve_data(node))[LARGE - 1], 3);
        cr_assert_str_eq(refusing.text, "new");
        good(root);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

/* A few of very many values, read in file order regardless of the program's
 * order. */
TEST(transfer, restores_a_few_of_many)
{
    enum { MANY = 200 };
    float values[MANY], late[3] = { 0 };
    char name[8];
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < MANY; i++) {
        values[i] = (float)i;
        snprintf(name, sizeof name, "v%03d", i);
        varve_add_variable(root, name, varve_scalar(&values[i]));
    }
    write_root(root);
    free_root(root);
    root = new_root();
    varve_add_variable(root, "v150", varve_scalar(&late[0]));
    varve_add_variable(root, "v007", varve_scalar(&late[1]));
    varve_add_variable(root, "v199", varve_scalar(&late[2]));
    varve_restoration *r = read_root(root, NULL);
    cr_assert(late[0] == 150 && late[1] == 7 && late[2] == 199);
    cr_assert_eq(varve_pending_count(r), MANY - 3);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(transfer, lists_as_many_paths_as_fit_a_message)
{
    static float many[3000];
    char name[16];
    begin_world();
    for (int turn = 0; turn < 2; turn++) {
        varve_node *root = new_root();
        for (int i = 0; i < 3000; i++) {
            snprintf(name, sizeof name, "variable%04d", i);
            varve_add_variable(root, name,
                varve_view(&many[i], VARVE_FLOAT32,
                    turn ? VARVE_SHAPE(1, 1) : VARVE_SHAPE(1)));
        }
        if (turn) {
            varve_error error = fail_read(root, NULL, VARVE_MISMATCH);
            cr_assert_not_null(strstr(
                error.message, "3000 variables have another type or shape"));
            cr_assert_not_null(strstr(error.message, "\n  variable0000: "));
            cr_assert_not_null(strstr(error.message, "\n(the message is cut"));
        } else {
            write_root(root);
        }
        free_root(root);
    }
    end_world();
}

/* As many names as fit into a message. */
TEST(transfer, lists_as_many_changed_variables_as_fit)
{
    enum { MANY = 3000 };
    static float many[MANY];
    char name[16];
    size_t size;
    begin_world();
    varve_node *root = new_root();
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "variable%04d", i);
        varve_add_variable(root, name, varve_scalar(&many[i]));
    }
    write_root(root);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    /* the last one: each is at a multiple of 8 */
    bytes[64 + 8 * (MANY - 1)] ^= 1;
    varve_read_options options = { .passes = VARVE_ONE_PASS,
        .resources.threads = 1 };
    varve_error error = fail_read(root, &options, VARVE_PARTIALLY_RESTORED);
    cr_assert_not_null(strstr(error.message, " 2999 of 3000 variables"), "%s",
        error.message);
    cr_assert_not_null(strstr(error.message, "\n  variable0000"));
    cr_assert_not_null(strstr(error.message, "\n(the message is cut"));
    good(root);
    cr_assert_null(varve_read(root, FILE_NAME, &options, NULL));
    free_root(root);
    end_world();
}

/* test_item_copy_bulk.c - Tests snapshots of large values, which several
 * threads copy.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdlib.h>

#include "support/faulty_system.h"
#include "system.h"
#include "worlds.h"

enum { SMALL = 5, LARGE = (7 << 20) + 123 };

/* Returns byte i of a pattern that differs at every distance by which chunks
 * could be confused. */
static unsigned char pattern(size_t i, unsigned which)
{
    return (unsigned char)(i * 31 + (i >> 8) * 7 + (i >> 20) * 3 + which);
}

static void fill(unsigned char *bytes, size_t size, unsigned which)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = pattern(i, which);
}

static bool is_filled(const unsigned char *bytes, size_t size, unsigned which)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != pattern(i, which))
            return false;
    }
    return true;
}

TEST(bulk, copies_every_byte_of_large_values_out_and_back)
{
    size_t size = LARGE;
    unsigned char *memory = malloc(2 * size + 2 * SMALL);
    cr_assert(memory != NULL);
    unsigned char *parts[] = { memory, memory + SMALL, memory + SMALL + size,
        memory + 2 * SMALL + size };
    size_t sizes[] = { SMALL, size, SMALL, size };
    static const char *const names[] = { "a", "b", "c", "d" };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_error error = { 0 };
    for (unsigned i = 0; i < 4; i++) {
        fill(parts[i], sizes[i], i);
        varve_add_variable(root, names[i], varve_array(parts[i], sizes[i]));
    }
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert(s != NULL);
    memset(memory, 0, 2 * size + 2 * SMALL);
    cr_assert(varve_snapshot_restore(s, &error) == VARVE_OK);
    for (unsigned i = 0; i < 4; i++)
        cr_assert(is_filled(parts[i], sizes[i], i));
    varve_snapshot_free(s);
    varve_graph_free(graph);
    free(memory);
}

/* --- Boundary sizes, and missing threads -------------------------------- */

enum { FEW = 4 << 20, CHUNK = 4 << 20, MOST_PARTS = 1000 };

/* A model of `count` variables with a total of `size` bytes, on a machine with
 * three processors whose threads may fail to start. */
static struct {
    struct vv_system system;
    struct faulty *faulty;
    unsigned char *memory;
    size_t size, count;
    varve_node *root, *parts[MOST_PARTS];
} model;

static unsigned three_processors(void *state)
{
    (void)state;
    return 3;
}

static void begin_model(size_t size, size_t count)
{
    begin_world();
    model.faulty = faulty_new(memory_system(world.memory));
    model.system = *faulty_system(model.faulty);
    model.system.processors = three_processors;
    world.context.system = &model.system;
    model.memory = malloc(size);
    cr_assert(model.memory != NULL);
    model.size = size;
    model.count = count;
    model.root = new_root();
    for (size_t i = 0; i < count; i++) {
        char name[24];
        size_t begin = size / count * i;
        size_t end = i + 1 < count ? size / count * (i + 1) : size;
        snprintf(name, sizeof name, "v%zu", i);
        model.parts[i] = varve_add_variable(
            model.root, name, varve_array(model.memory + begin, end - begin));
    }
    good(model.root);
}

static void end_model(void)
{
    cr_assert_eq(faulty_open_count(model.faulty), 0, "not joined");
    free_root(model.root);
    free(model.memory);
    faulty_free(model.faulty);
    end_world();
}

/* Copies in both directions; no memory may be allocated. */
static void check_copies(varve_snapshot *s)
{
    varve_error error = { 0 };
    fill(model.memory, model.size, 5);
    test_fail_allocation(0, true);
    varve_status taken = varve_snapshot_retake(s, &error);
    memset(model.memory, 0, model.size);
    varve_status put = varve_snapshot_restore(s, &error);
    long allocations = test_allocation_count();
    test_fail_allocation(-1, false);
    cr_assert_ok(taken, error);
    cr_assert_ok(put, error);
    cr_assert_eq(allocations, 0);
    cr_assert(is_filled(model.memory, model.size, 5), "%zu bytes in %zu",
        model.size, model.count);
}

/* Returns the total number of requested threads. Those from `number` on do not
 * start. */
static long check_model(size_t size, size_t count, long number)
{
    varve_error error = { 0 };
    begin_model(size, count);
    varve_snapshot *s = varve_snapshot_new(model.root, &error);
    cr_assert(s, "%s", error.message);
    faulty_plan(model.faulty, &(struct faulty_plan){ .number = number,
                                  .sticky = true,
                                  .error = EAGAIN,
                                  .kinds = FAULTY_START_THREAD });
    check_copies(s);
    long threads = faulty_count(model.faulty);
    cr_assert_eq(faulty_hit(model.faulty), number >= 0 && threads > number);
    varve_snapshot_free(s);
    end_model();
    return threads;
}

TEST(bulk, copies_at_size_limits_without_allocations)
{
    static const size_t sizes[] = { 1, FEW - 8192, FEW - 1, FEW, FEW + 1,
        FEW + CHUNK - 1, FEW + CHUNK, FEW + CHUNK + 1, 2 * FEW + 4321 };
    static const size_t counts[] = { 1, 2, 7, MOST_PARTS };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            if (counts[k] <= sizes[i])
                check_model(sizes[i], counts[k], -1);
        }
}

TEST(bulk, starts_threads_for_large_values_only)
{
    cr_assert_eq(check_model(FEW - 8192, 1, -1), 0);
    cr_assert_eq(check_model(FEW, 1, -1), 4, "two for each way");
}

TEST(bulk, copies_everything_if_threads_do_not_start)
{
    for (long number = 0; number < 4; number++) {
        check_model(FEW + CHUNK + 1, 1, number);
        check_model(FEW + CHUNK + 1, 7, number);
    }
}

TEST(bulk, handles_random_streams_of_a_large_model)
{
    varve_error error = { 0 };
    size_t size = 3 * (FEW / 2 + 99);
    begin_model(size, 3);
    varve_tag(model.parts[1], VARVE_TAG_RANDOM);
    fill(model.memory, size, 1);
    varve_snapshot *s = varve_snapshot_new(model.root, &error);
    cr_assert(s, "%s", error.message);
    memset(model.memory, 0, size);
    cr_assert_ok(
        varve_snapshot_restore_with(s,
            &(varve_snapshot_restore_options){ .keep_random = true }, &error),
        error);
    for (size_t i = 0; i < size; i++) {
        bool is_random = i / (size / 3) == 1;
        if (model.memory[i] != (is_random ? 0 : pattern(i, 1)))
            cr_assert(false, "byte %zu", i);
    }
    varve_snapshot_free(s);
    end_model();
}

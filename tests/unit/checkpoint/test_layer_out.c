/* test_layer_out.c - Tests the new data file of an incremental save and its
 * extents.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layered_world.h"

#include <errno.h>

#include "layer_out.h"
#include "system.h"

static struct vv_index_columns columns;

static struct vv_layer_out begin_out(int level)
{
    static const struct vv_layer_base none;
    struct vv_layer_out out;
    varve_error error = { 0 };
    vv_index_columns_begin(&columns, &world.context.allocator);
    cr_assert_ok(vv_layer_out_begin(&out, &world.context, "run/x.varve", 0,
                     level, &columns, &error),
        error);
    cr_assert_ok(vv_layer_out_set_base(&out, &none, &error), error);
    return out;
}

/* Ends without an index. */
static void end_out(struct vv_layer_out *out)
{
    varve_error error = { 0 };
    struct vv_publication index = { .context = &world.context, .file = -1 };
    cr_assert_ok(vv_layer_out_end(out, &error), error);
    cr_assert_ok(vv_layer_out_publish(out, &index, &error), error);
}

TEST(layer_out, joins_contiguous_ranges_and_stores_no_zeros)
{
    varve_error error = { 0 };
    begin_world();
    struct vv_layer_out out = begin_out(0);
    cr_assert_ok(vv_layer_out_zeros(&out, 32, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, "abcd", 4, 1, &error), error);
    cr_assert_ok(vv_layer_out_zeros(&out, 60, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, "abcd", 4, 1, &error), error);
    end_out(&out);
    struct vv_index index = vv_index_of_columns(&columns);
    cr_assert_eq(index.layer_count, 1);
    cr_assert_eq(index.place_count, 2);
    cr_assert_eq(vv_at32(index.place_layers, 0), VV_NONE);
    cr_assert_eq(vv_at64(index.place_begins, 1), 96);
    cr_assert_eq(vv_at64(index.place_offsets, 1), 96, "as in its 64 bytes");
    vv_layer_out_clear(&out, true);
    cr_assert_eq(memory_file_count(world.memory), 1);
    vv_index_columns_end(&columns);
    end_world();
}

TEST(layer_out, removes_a_data_file_without_an_index)
{
    varve_error error = { 0 };
    for (int ends = 0; ends < 3; ends++) {
        begin_world();
        struct vv_layer_out out = begin_out(0);
        cr_assert_ok(vv_layer_out_new(&out, "abcd", 4, 1, &error), error);
        if (ends == 1)
            cr_assert_ok(vv_layer_out_end(&out, &error), error);
        if (ends == 2)
            end_out(&out);
        vv_layer_out_clear(&out, false);
        cr_assert_eq(memory_file_count(world.memory), 0);
        vv_index_columns_end(&columns);
        end_world();
    }
}

TEST(layer_out, locks_the_directory_shared_and_waits_for_exclusive_locks)
{
    varve_error error = { 0 };
    begin_world();
    const struct vv_system *system = world.context.system;
    struct vv_layer_out out = begin_out(0);
    vv_index_columns_end(&columns);
    struct vv_layer_out other = begin_out(0);
    int folder = system->open_directory(
        system->state, VV_WORKING_DIRECTORY, "run/layers");
    cr_assert_eq(system->lock(system->state, folder), -EWOULDBLOCK);
    vv_layer_out_clear(&other, false);
    vv_layer_out_clear(&out, false);
    cr_assert_eq(system->lock(system->state, folder), 0);
    cr_assert_eq(vv_layer_out_begin(&out, &world.context, "run/x.varve", 0,
                     0, &columns, &error),
        VARVE_TIMEOUT);
    vv_layer_out_clear(&out, false);
    system->close(system->state, folder);
    vv_index_columns_end(&columns);
    end_world();
}

#ifdef VV_HAVE_ZSTD
TEST(layer_out, compresses_new_data_only_if_it_is_worthwhile)
{
    static uint8_t even[VV_CHUNK_SIZE], odd[8192];
    varve_error error = { 0 };
    begin_world();
    for (size_t i = 0; i < sizeof odd; i++)
        odd[i] = (uint8_t)((i * 2654435761u) >> 13 ^ i * i * 40503u >> 7);
    struct vv_layer_out out = begin_out(1);
    cr_assert_ok(
        vv_layer_out_new(&out, even, sizeof even, 4, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, even, 8192, 0, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, odd, 8192, 1, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, even, 4095, 1, &error), error);
    cr_assert_ok(vv_layer_out_new(&out, even, 4096, 1, &error), error);
    end_out(&out);
    struct vv_index index = vv_index_of_columns(&columns);
    cr_assert_eq(index.place_count, 3);
    cr_assert_eq(index.packed_count, 3);
    cr_assert_gt(vv_at32(index.place_packed, 0), 0);
    cr_assert_eq(vv_at32(index.place_plain, 0), sizeof even);
    cr_assert_eq(index.place_planes[0], 4);
    cr_assert_eq(vv_at32(index.place_packed, 1), 0);
    cr_assert_gt(vv_at32(index.place_packed, 2), 0);
    cr_assert_eq(vv_at64(index.place_begins, 2), 64 + sizeof even + 2 * 8192 +
            4095);
    vv_layer_out_clear(&out, true);
    vv_index_columns_end(&columns);
    end_world();
}
#endif

TEST(layer_out, omits_compression_columns_without_compression)
{
    varve_error error = { 0 };
    begin_world();
    struct vv_layer_out out = begin_out(0);
    cr_assert_ok(vv_layer_out_new(&out, "abcd", 4, 1, &error), error);
    end_out(&out);
    cr_assert_eq(vv_index_of_columns(&columns).packed_count, 0);
    vv_layer_out_clear(&out, true);
    vv_index_columns_end(&columns);
    end_world();
}

#ifdef VV_HAVE_ZSTD

static unsigned processors;

static unsigned count_processors(void *state)
{
    (void)state;
    return processors;
}

static int start_none(void *state, void *(*function)(void *), void *argument,
    uintptr_t *handle)
{
    (void)state, (void)function, (void)argument, (void)handle;
    return -EAGAIN;
}

/* Writes a graph with large and small values in turn through its own system. */
static void write_by(const struct vv_system *system, const char *path)
{
    static float large[12][LARGE], middle[12][MIDDLE];
    const varve_write_options options = { .compress = 1 };
    const struct vv_context context = test_context(system);
    varve_error error = { 0 };
    varve_node *root = varve_graph_root(vv_graph_new_in(&context));
    for (size_t i = 0; i < 12; i++) {
        char name[16];
        memcpy(large[i], incremental.large + i * 1000,
            (LARGE - i * 50000) * sizeof *incremental.large);
        memcpy(middle[i], incremental.middle, sizeof incremental.middle);
        snprintf(name, sizeof name, "large%zu", i);
        varve_add_variable(
            root, name, varve_array(large[i], LARGE - i * 50000));
        snprintf(name, sizeof name, "middle%zu", i);
        varve_add_variable(
            root, name, varve_array(middle[i], 500 + i * 400));
        snprintf(name, sizeof name, "small%zu", i);
        varve_add_variable(root, name, varve_scalar(&incremental.small[i]));
    }
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    free_root(root);
}

/* 0 represents processors for which no thread can be started. */
TEST(layer_out, compresses_to_the_same_bytes_with_any_number_of_threads)
{
    static const unsigned ways[] = { 1, 2, 3, 8, 0 };
    size_t sizes[2];
    begin_incremental();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct vv_system system = *world.context.system;
        processors = ways[i] ? ways[i] : 4;
        system.processors = count_processors;
        if (ways[i] == 0)
            system.start_thread = start_none;
        write_by(&system, i ? "run/b.varve" : "run/a.varve");
        uint8_t *a = memory_bytes(world.memory, "run/a.varve", &sizes[0]);
        uint8_t *b = memory_bytes(
            world.memory, i ? "run/b.varve" : "run/a.varve", &sizes[1]);
        cr_assert(sizes[0] == sizes[1] && memcmp(a, b, sizes[0]) == 0,
            "%u processors", ways[i]);
    }
    end_incremental();
}

#endif

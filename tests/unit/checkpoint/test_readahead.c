/* test_readahead.c - Tests reading ahead of neighboring values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <errno.h>

#include "support/faulty_system.h"

#include "data_in.h"
#include "layout.h"
#include "readahead.h"

enum { VALUES = 4000, VALUE_SIZE = 64 };

static uint8_t values[VALUES][VALUE_SIZE];

/* An open file of contiguous values, and the log of its reads. */
static struct {
    struct faulty *faulty;
    struct vv_opened file;
    struct vv_readahead readahead;
    uint64_t first;
} sample;

static void begin_sample(void)
{
    varve_error error = { 0 };
    char name[16];
    begin_world();
    varve_node *root = new_root();
    for (size_t i = 0; i < VALUES; i++) {
        memset(values[i], (int)(i % 251), VALUE_SIZE);
        snprintf(name, sizeof name, "x%05zu", i);
        varve_add_variable(root, name,
            varve_view(values[i], VARVE_UINT8, VARVE_SHAPE(VALUE_SIZE)));
    }
    write_root(root);
    free_root(root);
    sample.faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(sample.faulty));
    cr_assert_ok(
        vv_data_in_open(&sample.file, &world.context, FILE_NAME, &error),
        error);
    sample.first = vv_at64(sample.file.parsed.index.value_offsets, 0);
    vv_readahead_init(&sample.readahead, &world.context.allocator);
    faulty_plan(sample.faulty, NULL);
}

static void end_sample(void)
{
    vv_readahead_end(&sample.readahead);
    vv_opened_close(&sample.file);
    faulty_free(sample.faulty);
    end_world();
}

static varve_status take(size_t i, varve_error *error)
{
    const unsigned char *found = NULL;
    varve_status status = vv_readahead_take(&sample.readahead, &sample.file,
        sample.first + i * VALUE_SIZE, VALUE_SIZE, &found, error);
    if (!status)
        cr_assert_arr_eq(found, values[i], VALUE_SIZE, "value %zu", i);
    return status;
}

static void check_take(size_t i)
{
    varve_error error = { 0 };
    cr_assert_ok(take(i, &error), error);
}

/* Returns the size of the largest read. */
static uint64_t largest_read(void)
{
    uint64_t most = 0;
    for (size_t i = 0; i < faulty_log_size(sample.faulty); i++) {
        const struct faulty_call *call = faulty_log_at(sample.faulty, i);
        if (call->kind == FAULTY_READ && call->size > most)
            most = call->size;
    }
    return most;
}

TEST(readahead, reads_increasingly_ahead_for_sequential_values)
{
    begin_sample();
    for (size_t i = 0; i < VALUES; i++)
        check_take(i);
    cr_assert_eq(largest_read(), VV_MOST_AHEAD);
    cr_assert_leq(faulty_log_size(sample.faulty), 10);
    cr_assert_leq(sample.readahead.bytes.capacity, 2 * VV_MOST_AHEAD);
    end_sample();
}

/* The first value follows the header. */
TEST(readahead, reads_ahead_backwards)
{
    begin_sample();
    for (size_t i = VALUES; i-- > 0;)
        check_take(i);
    cr_assert_eq(largest_read(), VV_MOST_AHEAD);
    cr_assert_leq(faulty_log_size(sample.faulty), 10);
    cr_assert_eq(sample.readahead.begin, VV_HEADER_SIZE);
    end_sample();
}

TEST(readahead, reads_little_for_random_access)
{
    begin_sample();
    for (size_t i = 0; i < VALUES; i++)
        check_take(i * 1777 % VALUES);
    cr_assert_eq(largest_read(), VV_LEAST_AHEAD);
    end_sample();
}

/* The last value ends at the end of the data. */
TEST(readahead, reads_nothing_past_the_data)
{
    begin_sample();
    check_take(VALUES - 2);
    check_take(VALUES - 1);
    cr_assert_eq(faulty_log_size(sample.faulty), 1);
    cr_assert_eq(sample.readahead.begin + sample.readahead.bytes.size,
        sample.file.data_end);
    end_sample();
}

TEST(readahead, requires_only_the_requested_bytes)
{
    varve_error error = { 0 };
    begin_sample();
    faulty_plan(sample.faulty,
        &(struct faulty_plan){ .kinds = FAULTY_READ, .error = EIO });
    cr_assert_eq(take(7, &error), VARVE_IO);
    check_take(7);
    cr_assert_eq(sample.readahead.bytes.size, VALUE_SIZE);
    faulty_plan(sample.faulty,
        &(struct faulty_plan){
            .kinds = FAULTY_READ, .error = EIO, .sticky = true });
    cr_assert_eq(take(8, &error), VARVE_IO);
    cr_assert_eq(take(7, &error), VARVE_IO, "it kept what was overwritten");
    faulty_plan(sample.faulty, NULL);
    check_take(8);
    end_sample();
}

TEST(readahead, reports_failed_allocations)
{
    varve_error error = { 0 };
    begin_sample();
    test_fail_allocation(0, false);
    varve_status status = take(0, &error);
    test_fail_allocation(-1, false);
    cr_assert_eq(status, VARVE_NO_MEMORY);
    check_take(0);
    end_sample();
}

TEST(readahead, rereads_released_blocks)
{
    begin_sample();
    check_take(0);
    vv_readahead_forget(&sample.readahead);
    check_take(0);
    cr_assert_eq(faulty_log_size(sample.faulty), 2);
    end_sample();
}

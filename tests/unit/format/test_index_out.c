/* test_index_out.c - Tests writing an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "index_out.h"
#include "support/index_sample.h"

static varve_status take(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    (void)error;
    vv_buffer_add(user, bytes, size);
    return VARVE_OK;
}

/* The expected bytes were encoded by other code. */
static void check_bytes(const struct vv_index *index, struct sample *s)
{
    struct vv_buffer bytes;
    varve_error error;
    vv_buffer_init(&bytes, test_allocator());
    cr_assert_ok(vv_index_write(index, take, &bytes, &error), error);
    cr_assert_eq(bytes.size, s->bytes.size);
    cr_assert_arr_eq(bytes.data, s->bytes.data, bytes.size);
    cr_assert_eq(vv_index_size(index), bytes.size);
    vv_buffer_clear(&bytes);
}

TEST(index_out, writes_columns_counter_and_metadata)
{
    struct sample s;
    sample_build(&s);
    struct vv_index index = sample_index(&s);
    index.counter = SAMPLE_COUNTER;
    index.metadata = sample_metadata;
    index.metadata_count = SAMPLE_METADATA_COUNT;
    check_bytes(&index, &s);
    sample_clear(&s);
}

TEST(index_out, writes_global_names_last)
{
    struct sample s;
    sample_build(&s);
    sample_add_globals(&s);
    sample_encode(&s);
    struct vv_index index = sample_index(&s);
    index.counter = SAMPLE_COUNTER;
    index.metadata = sample_metadata;
    index.metadata_count = SAMPLE_METADATA_COUNT;
    check_bytes(&index, &s);
    sample_clear(&s);
}

TEST(index_out, writes_the_shapes_of_sharded_values)
{
    struct sample s;
    sample_build(&s);
    sample_add_part(&s);
    sample_encode(&s);
    struct vv_index index = sample_index(&s);
    index.counter = SAMPLE_COUNTER;
    index.metadata = sample_metadata;
    index.metadata_count = SAMPLE_METADATA_COUNT;
    check_bytes(&index, &s);
    sample_clear(&s);
}

TEST(index_out, omits_empty_optional_columns)
{
    struct sample s;
    sample_build_smallest(&s);
    struct vv_index index = sample_index(&s);
    check_bytes(&index, &s);
    cr_assert_eq(s.bytes.data[0], 0xa0 + VV_REQUIRED_COLUMN_COUNT);
    sample_clear(&s);
}

TEST(index_out, refuses_metadata_that_is_not_sorted_or_not_unique)
{
    struct sample s;
    varve_error error;
    sample_build_smallest(&s);
    struct vv_index index = sample_index(&s);
    varve_metadata twice[2] = { sample_metadata[0], sample_metadata[0] };
    varve_metadata wrong[2] = { sample_metadata[1], sample_metadata[0] };
    index.metadata_count = 2;
    index.metadata = twice;
    cr_assert_eq(vv_index_write(&index, take, NULL, &error), VARVE_MISUSE);
    index.metadata = wrong;
    cr_assert_eq(vv_index_write(&index, take, NULL, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "\"best\" before \"lr\""), "%s",
        error.message);
    sample_clear(&s);
}

TEST(index_out, refuses_more_than_2_to_the_32_entries)
{
    struct sample s;
    varve_error error;
    sample_build_smallest(&s);
    struct vv_index index = sample_index(&s);
    index.edge_count = VV_NONE;
    cr_assert_eq(vv_index_write(&index, take, NULL, &error), VARVE_LIMIT);
    cr_assert(strstr(error.message, "edge names"), "%s", error.message);
    cr_assert_eq(vv_index_size(&index), 0);
    index.edge_count = VV_NONE - 1;
    cr_assert_gt(vv_index_size(&index), UINT32_MAX);
    index.edge_count = 0;
    index.extent_count = UINT64_C(1) << 33;
    cr_assert_gt(vv_index_size(&index), UINT64_C(1) << 36);
    index.names_size = UINT64_C(1) << 32;
    cr_assert_eq(vv_index_write(&index, take, NULL, &error), VARVE_LIMIT);
    sample_clear(&s);
}

static varve_status fail_third(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    unsigned *calls = user;
    (void)bytes;
    (void)size;
    (void)error;
    return ++*calls == 3 ? VARVE_NO_SPACE : VARVE_OK;
}

TEST(index_out, returns_the_failure_of_its_sink)
{
    struct sample s;
    unsigned calls = 0;
    sample_build_smallest(&s);
    struct vv_index index = sample_index(&s);
    cr_assert_eq(
        vv_index_write(&index, fail_third, &calls, NULL), VARVE_NO_SPACE);
    cr_assert_eq(calls, 3);
    sample_clear(&s);
}

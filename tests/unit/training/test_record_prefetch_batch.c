/* test_record_prefetch_batch.c - Tests batches of records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "record_prefetch.h"

/* Record i consists of i digits i. */
static varve_status read_digits(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    const uint64_t *bad = self;
    (void)error;
    for (uint64_t i = 0; i < index; i++)
        varve_put(sink, &"0123456789"[index], 1);
    return index == *bad ? VARVE_IO : VARVE_OK;
}

static struct vv_record_step step_of(uint64_t consumed, size_t count)
{
    return (struct vv_record_step){
        .from = { .consumed = consumed, .count = 10 },
        .count = count,
    };
}

TEST(record_batch, has_contiguous_records)
{
    uint64_t bad = 99;
    varve_error error = { 0 };
    const varve_source source = { .name = "digits", .read = read_digits,
        .self = &bad };
    struct vv_record_batch batch;
    struct vv_record_step step = step_of(0, 4);
    vv_record_batch_init(&batch, test_allocator());
    cr_assert_ok(vv_record_batch_read(&batch, &source, &step, &error), error);
    cr_assert_eq(batch.records[0].size, 0);
    cr_assert_arr_eq(batch.records[1].data, "122333", 6);
    cr_assert_eq(batch.records[3].index, 3);
    cr_assert(batch.records[3].data ==
        (const char *)batch.records[1].data + 3);
    step = step_of(0, 1); /* of no bytes, and in existing memory */
    cr_assert_ok(vv_record_batch_read(&batch, &source, &step, &error), error);
    cr_assert_not_null(batch.records[0].data);
    bad = 5;
    step = step_of(4, 3);
    cr_assert_eq(vv_record_batch_read(&batch, &source, &step, &error),
        VARVE_CALLBACK);
    cr_assert_str_eq(error.message,
        "digits: record 5: its source failed with VARVE_IO");
    vv_record_batch_clear(&batch);
}

TEST(record_batch, handles_failed_allocations)
{
    uint64_t bad = 99;
    const varve_source source = { .name = "digits", .read = read_digits,
        .self = &bad };
    const struct vv_record_step step = step_of(1, 9);
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        struct vv_record_batch batch;
        vv_record_batch_init(&batch, test_allocator());
        test_fail_allocation(n, false);
        varve_status status =
            vv_record_batch_read(&batch, &source, &step, &error);
        bool failed = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert_eq(status, failed ? VARVE_NO_MEMORY : VARVE_OK);
        vv_record_batch_clear(&batch);
        if (!failed)
            break;
    }
}

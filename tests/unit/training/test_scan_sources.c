/* test_scan_sources.c - Tests opening record files, and failures while they are
 * read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include <errno.h>

#include "scan.h"
#include "support/faulty_system.h"

/* Opens and reads. Returns the status of the first failure. */
static varve_status try_all(
    open_function *open, const struct vv_context *context, const char *wanted)
{
    const varve_records_options options = { .epochs = 1, .batch = 3 };
    varve_error error = { 0 };
    char text[4096];
    size_t at = 0;
    varve_records *records = open(context, &options, &error);
    if (!records) {
        cr_assert(error.status && error.message[0]);
        return error.status;
    }
    for (;;) {
        varve_batch batch = { .count = 77 };
        varve_status status = varve_records_next(records, &batch, &error);
        if (status) {
            cr_assert_eq(status, error.status);
            cr_assert_eq(batch.count, 77);
            /* No batch was returned: the next try returns it. */
            uint64_t consumed = varve_records_consumed(records);
            test_fail_allocation(-1, false);
            if (varve_records_next(records, &batch, NULL) == VARVE_OK)
                cr_assert_eq(batch.records->index, consumed);
            varve_records_free(records);
            return status;
        }
        if (batch.count == 0)
            break;
        for (size_t i = 0; i < batch.count; i++) {
            memcpy(text + at, batch.records[i].data, batch.records[i].size);
            at += batch.records[i].size;
            text[at++] = '|';
        }
    }
    text[at] = '\0';
    cr_assert_str_eq(text, wanted);
    varve_records_free(records);
    return VARVE_OK;
}

static long fail_calls(open_function *open, struct memory *memory,
    struct faulty_plan plan, const char *wanted)
{
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    for (plan.number = 0;; plan.number++) {
        faulty_plan(faulty, &plan);
        varve_status status = try_all(open, &context, wanted);
        cr_assert_eq(faulty_open_count(faulty), 0);
        if (!faulty_hit(faulty)) {
            cr_assert_eq(status, VARVE_OK);
            break;
        }
        if (plan.way == FAULTY_NOTHING)
            cr_assert_eq(status, VARVE_TRUNCATED);
        else if (plan.way == FAULTY_ONE_BYTE || plan.error == EINTR)
            cr_assert_eq(status, VARVE_OK);
        else if (status != VARVE_OK) /* a failed close may be ignored */
            cr_assert_eq(status, VARVE_IO);
    }
    faulty_free(faulty);
    return plan.number;
}

void survives_faults(open_function *open, const void *bytes, size_t size,
    const char *wanted)
{
    struct memory *memory = memory_new();
    memory_put(memory, "file", bytes, size);
    cr_assert_gt(fail_calls(open, memory,
        (struct faulty_plan){ .error = EIO }, wanted), 4);
    fail_calls(open, memory, (struct faulty_plan){
        .kinds = FAULTY_READ, .error = EINTR }, wanted);
    fail_calls(open, memory, (struct faulty_plan){
        .kinds = FAULTY_READ, .way = FAULTY_ONE_BYTE }, wanted);
    fail_calls(open, memory, (struct faulty_plan){
        .kinds = FAULTY_READ, .way = FAULTY_NOTHING }, wanted);
    struct vv_context context = test_context(memory_system(memory));
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_status status = try_all(open, &context, wanted);
        bool failed = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert_eq(memory_open_count(memory), 0);
        if (status == VARVE_OK) {
            cr_assert(!failed);
            break;
        }
        cr_assert_eq(status, VARVE_NO_MEMORY);
    }
    memory_free(memory);
}

static varve_status index_nothing(
    struct vv_record_file *file, struct vv_scan *scan, varve_error *error)
{
    vv_scan_skip(scan, vv_scan_left(scan));
    return vv_record_file_add(file, file->size, error);
}

static varve_records *open_nothing(const struct vv_context *context,
    const varve_records_options *options, varve_error *error)
{
    const struct vv_scanned kind = {
        .path = "file",
        .kind = VV_LINES,
        .index = index_nothing,
        .read = NULL, /* there are no records to read */
    };
    return vv_records_open_scanned(context, &kind, options, error);
}

TEST(scanned, opens_the_given_paths)
{
    holds(open_nothing, "abc", 3, "");
}

TEST(scanned, refuses_a_null_path)
{
    varve_error error = { 0 };
    cr_assert_null(varve_records_open_lines(NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_records_open_lines(
        test_path("missing"), NULL, &error));
    cr_assert_eq(error.status, VARVE_NOT_FOUND);
    cr_assert_null(varve_records_open_lines(".", NULL, &error));
    cr_assert_eq(error.status, VARVE_IS_DIRECTORY);
}

static int cancel(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)done;
    (void)what;
    cr_assert_eq(total, 3);
    return (*(int *)user)-- == 0;
}

TEST(scanned, leaks_nothing_when_it_is_cancelled)
{
    int left = 0;
    const varve_records_options options = {
        .no_content = true,
        .progress = cancel,
        .progress_user = &left,
    };
    refuses(open_nothing, &options, "abc", 3, VARVE_CANCELLED,
        "file: cancelled");
}

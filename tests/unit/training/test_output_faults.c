/* test_output_faults.c - Tests outputs when the disk or memory fails, and when
 * they are synced.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph.h"
#include "support/faulty_system.h"
#include "support/test_context.h"
#include "system.h"

static varve_graph *graph;
static varve_node *root;
static struct faulty *faulty;
static FILE *out;

/* Creates an output over a system that fails on request. */
static void begin(void)
{
    faulty = faulty_new(&vv_posix_system);
    struct vv_context context = test_context(faulty_system(faulty));
    graph = vv_graph_new_in(&context);
    root = varve_graph_root(graph);
    out = fopen(test_path("log"), "w");
    cr_assert_not_null(out);
    varve_add_output(root, "log", out);
}

static void end(void)
{
    varve_graph_free(graph);
    fclose(out);
    faulty_free(faulty);
}

static void check_log(const char *wanted)
{
    size_t size;
    char *bytes = test_read_file(test_path("log"), &size);
    cr_assert_eq(size, strlen(wanted), "%.*s", (int)size, bytes);
    cr_assert_eq(memcmp(bytes, wanted, size), 0, "%.*s", (int)size, bytes);
    free(bytes);
}

static void fail_save(varve_status wanted, const char *message)
{
    varve_error error = { 0 };
    cr_assert_eq(
        varve_write(root, test_path("a.varve"), NULL, &error), wanted);
    cr_assert_str_eq(error.message, message);
}

/* The faulty system treats a descriptor that it has not opened as that of a
 * directory. */
static size_t find_sync(int descriptor)
{
    size_t i = faulty_log_find(faulty, FAULTY_SYNC_DIRECTORY, 0);
    while (i < faulty_log_size(faulty) &&
           faulty_log_at(faulty, i)->descriptor != descriptor)
        i = faulty_log_find(faulty, FAULTY_SYNC_DIRECTORY, i + 1);
    return i;
}

TEST(output_faults, is_synced_before_the_checkpoint_is_published)
{
    varve_error error = { 0 };
    begin();
    for (int kind = 0; kind < 4; kind++) {
        const varve_write_options options = { .no_sync = kind == 3 };
        varve_snapshot *snapshot =
            kind == 2 ? varve_snapshot_new(root, &error) : NULL;
        faulty_plan(faulty, NULL);
        varve_job *job = kind == 1
            ? varve_write_async(root, test_path("a.varve"), &options, &error)
            : NULL;
        if (kind == 1)
            cr_assert_ok(varve_job_wait(job, &error), error);
        else if (kind == 2)
            cr_assert_ok(varve_snapshot_write(snapshot, test_path("a.varve"),
                &options, &error), error);
        else
            cr_assert_ok(varve_write(root, test_path("a.varve"), &options,
                &error), error);
        size_t synced = find_sync(fileno(out));
        size_t published =
            faulty_log_find(faulty, FAULTY_RENAME | FAULTY_RENAME_NEW, 0);
        cr_assert_lt(published, faulty_log_size(faulty));
        if (options.no_sync)
            cr_assert_eq(synced, faulty_log_size(faulty));
        else
            cr_assert_lt(synced, published, "%d", kind);
        varve_job_free(job);
        varve_snapshot_free(snapshot);
    }
    end();
}

/* The system may have dropped the unwritten data, so a later sync does not
 * help. */
TEST(output_faults, whose_sync_failed_is_not_saved_again)
{
    begin();
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_SYNC_DIRECTORY, .error = EIO });
    for (int i = 0; i < 2; i++)
        fail_save(VARVE_IO,
            "log: the output file: fsync failed: Input/output error");
    cr_assert_eq(faulty_count(faulty), 1);
    cr_assert_eq(access(test_path("a.varve"), F_OK), -1);
    end();
}

TEST(output_faults, whose_size_cannot_be_read_is_not_saved)
{
    begin();
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_INFO, .error = EIO });
    fail_save(VARVE_IO,
        "log: the output file: fstat failed: Input/output error");
    end();
}

static varve_status flush(void *self)
{
    (void)self;
    return VARVE_OK;
}

static varve_status seek(void *self, uint64_t length)
{
    (void)self;
    (void)length;
    return VARVE_OK;
}

TEST(output_faults, reports_failed_allocations)
{
    static const varve_output_callbacks callbacks = { flush, seek };
    test_write_file(test_path("log"), "", 0);
    long number = 0;
    for (bool is_done = false; !is_done; number++) {
        varve_error error = { 0 };
        graph = varve_graph_new(test_allocator());
        int files = test_descriptor_count();
        test_fail_allocation(number, false);
        varve_node *node = varve_add_output_path(varve_graph_root(graph),
            "log", test_path("log"), &callbacks, NULL);
        is_done = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        cr_assert_eq(vv_is_nil(node), !is_done);
        cr_assert_eq(varve_graph_check(graph, &error),
            is_done ? VARVE_OK : VARVE_NO_MEMORY);
        cr_assert_eq(test_descriptor_count(), files + is_done);
        varve_graph_free(graph);
    }
    cr_assert_gt(number, 2);
}

TEST(output_faults, is_restored_completely_or_not_without_memory)
{
    varve_error error = { 0 };
    begin();
    fputs("one\n", out);
    cr_assert_ok(
        varve_write(root, test_path("a.varve"), NULL, &error), error);
    bool is_done = false;
    for (long number = 0; !is_done; number++) {
        fputs("two\n", out);
        test_fail_allocation(number, false);
        varve_restoration *r =
            varve_read(root, test_path("a.varve"), NULL, &error);
        is_done = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        if (r)
            check_log("one\n");
        else
            cr_assert_eq(error.status, VARVE_NO_MEMORY);
        cr_assert(r || !is_done);
        varve_restoration_free(r);
    }
    end();
}

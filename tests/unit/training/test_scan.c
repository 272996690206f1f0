/* test_scan.c - Tests scanning a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scan.h"

#include <stdlib.h>

#include "sources.h"

enum { SIZE = (2 << 20) + 5 };

/* A file of more than two windows. */
struct world {
    struct memory *memory;
    unsigned char *bytes;
    struct vv_record_file *file;
    struct vv_scan scan;
};

static void begin(struct world *w, const varve_records_options *options)
{
    varve_error error = { 0 };
    w->memory = memory_new();
    w->bytes = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        w->bytes[i] = (unsigned char)(i * 7 >> 4);
    memory_put(w->memory, "file", w->bytes, SIZE);
    struct vv_context context = test_context(memory_system(w->memory));
    w->file = vv_record_file_open(&context, "file", &error);
    cr_assert_ok(vv_scan_begin(&w->scan, w->file, options, &error), error);
}

static void end(struct world *w)
{
    vv_scan_end(&w->scan);
    vv_record_file_close(w->file);
    memory_free(w->memory);
    free(w->bytes);
}

TEST(scan, reads_all_bytes_and_their_digest)
{
    varve_error error = { 0 };
    struct world w;
    begin(&w, &plain_options);
    size_t at = 0;
    for (size_t most = 1; vv_scan_left(&w.scan) > 0; most = most * 3 % 99991) {
        unsigned char few[7];
        size_t size = vv_scan_left(&w.scan) < 7 ? 1 : 7;
        cr_assert_ok(vv_scan_exact(&w.scan, few, size, &error), error);
        cr_assert_arr_eq(few, w.bytes + at, size);
        at += size;
        if (vv_scan_left(&w.scan) < most)
            continue;
        const unsigned char *bytes;
        cr_assert_ok(
            vv_scan_some(&w.scan, most, &bytes, &size, &error), error);
        cr_assert(size > 0 && size <= most);
        cr_assert(memcmp(bytes, w.bytes + at, size) == 0);
        at += size;
    }
    cr_assert_eq(at, (size_t)SIZE);
    struct vv_digest digest, wanted = vv_digest_of(w.bytes, SIZE);
    cr_assert_ok(vv_scan_digest(&w.scan, &digest, &error), error);
    cr_assert(vv_digest_equal(&digest, &wanted));
    end(&w);
}

TEST(scan, skips_without_reading)
{
    varve_error error = { 0 };
    struct world w;
    const varve_records_options options = { .no_content = true };
    begin(&w, &options);
    static const uint64_t steps[] = { 3, 10, 1 << 20, 5, (1 << 20) - 100 };
    uint64_t at = 0;
    for (size_t i = 0; i < 5; i++) {
        unsigned char byte;
        vv_scan_skip(&w.scan, steps[i]);
        at += steps[i];
        cr_assert_ok(vv_scan_exact(&w.scan, &byte, 1, &error), error);
        cr_assert_eq(byte, w.bytes[at++]);
    }
    end(&w);
}

/* Counts calls, and cancels one of them. */
struct watcher {
    int calls;
    int cancel;
    uint64_t last;
};

static int watch(void *user, uint64_t done, uint64_t total, const char *what)
{
    struct watcher *w = user;
    cr_assert_eq(total, (uint64_t)SIZE);
    cr_assert_str_eq(what, "file");
    cr_assert(done >= w->last && done <= total);
    w->last = done;
    return w->calls++ == w->cancel;
}

static varve_status read_whole(struct world *w, varve_error *error)
{
    struct vv_digest digest;
    while (vv_scan_left(&w->scan) > 0) {
        const unsigned char *bytes;
        size_t size;
        varve_status status = vv_scan_some(
            &w->scan, vv_scan_left(&w->scan), &bytes, &size, error);
        if (status)
            return status;
    }
    return vv_scan_digest(&w->scan, &digest, error);
}

TEST(scan, reports_progress_and_can_be_cancelled)
{
    for (int cancel = 0; cancel < 5; cancel++) {
        varve_error error = { 0 };
        struct world w;
        struct watcher watcher = { 0, cancel, 0 };
        const varve_records_options options = {
            .progress = watch,
            .progress_user = &watcher,
        };
        begin(&w, &options);
        varve_status status = read_whole(&w, &error);
        if (cancel < 4) {
            cr_assert_eq(status, VARVE_CANCELLED);
            cr_assert_eq(watcher.calls, cancel + 1);
            cr_assert(strstr(error.message, "file: cancelled"));
        } else {
            cr_assert_eq(status, VARVE_OK);
            cr_assert_eq(watcher.last, (uint64_t)SIZE);
        }
        end(&w);
    }
}

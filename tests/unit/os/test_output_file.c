/* test_output_file.c - Tests files that the program has opened.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output_file.h"

static int open_file(int flags)
{
    int descriptor = open(test_path("out"), flags | O_CREAT, 0666);
    cr_assert_geq(descriptor, 0);
    return descriptor;
}

static void check_file(const char *wanted)
{
    size_t size;
    char *bytes = test_read_file(test_path("out"), &size);
    cr_assert_eq(size, strlen(wanted));
    cr_assert_eq(memcmp(bytes, wanted, size), 0);
    free(bytes);
}

TEST(output_file, is_truncated_and_continued_at_its_end)
{
    static const int flags[] = { O_WRONLY, O_RDWR, O_WRONLY | O_APPEND };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        int descriptor = open_file(flags[i] | O_TRUNC);
        cr_assert_eq(vv_output_is_writable(descriptor), 1);
        cr_assert_eq(write(descriptor, "one two", 7), 7);
        cr_assert_eq(vv_output_is_at_end(descriptor, 7), 1);
        cr_assert_eq(vv_output_is_at_end(descriptor, 6), 1, "it has grown");
        cr_assert_eq(vv_output_cut(descriptor, 4), 0);
        cr_assert_eq(write(descriptor, "2", 1), 1);
        check_file("one 2");
        close(descriptor);
    }
}

TEST(output_file, is_at_its_end_if_the_next_write_appends)
{
    test_write_file(test_path("out"), "12345", 5);
    int descriptor = open_file(O_WRONLY);
    cr_assert_eq(vv_output_is_at_end(descriptor, 5), 0);
    cr_assert_eq(vv_output_is_at_end(descriptor, 0), 1);
    close(descriptor);
    descriptor = open_file(O_WRONLY | O_APPEND);
    cr_assert_eq(vv_output_is_at_end(descriptor, 5), 1);
    close(descriptor);
    descriptor = open_file(O_RDONLY);
    cr_assert_eq(vv_output_is_writable(descriptor), 0);
    cr_assert_eq(vv_output_cut(descriptor, 1), -EINVAL);
    close(descriptor);
    cr_assert_eq(vv_output_is_writable(descriptor), -EBADF);
    cr_assert_eq(vv_output_is_at_end(descriptor, 0), -EBADF);
    cr_assert_eq(vv_output_cut(descriptor, 0), -EBADF);
}

TEST(output_file, has_no_position_in_a_pipe)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(vv_output_is_writable(ends[1]), 1);
    cr_assert_eq(vv_output_is_at_end(ends[1], 0), -ESPIPE);
    cr_assert_eq(vv_output_cut(ends[1], 0), -EINVAL);
    close(ends[0]);
    close(ends[1]);
}

TEST(output_file, of_a_stream_is_flushed_and_remains_usable)
{
    FILE *stream = fopen(test_path("out"), "w");
    int descriptor = vv_output_stream_descriptor(stream);
    fputs("one two", stream);
    cr_assert_eq(vv_output_stream_flush(stream), 0);
    check_file("one two");
    cr_assert_eq(vv_output_cut(descriptor, 3), 0);
    cr_assert_eq(vv_output_stream_seek(stream, 3), 0);
    fputs(" 2", stream);
    cr_assert_not(vv_output_stream_has_failed(stream));
    fclose(stream);
    check_file("one 2");
    char memory[8];
    stream = fmemopen(memory, sizeof memory, "w");
    cr_assert_eq(vv_output_stream_descriptor(stream), -EBADF);
    fclose(stream);
}

TEST(output_file, of_a_stream_reports_a_failed_write)
{
    FILE *stream = fopen("/dev/full", "w");
    if (!stream)
        return; /* a system without it */
    fputs("lost", stream);
    cr_assert_eq(vv_output_stream_flush(stream), -ENOSPC);
    cr_assert(vv_output_stream_has_failed(stream));
    fclose(stream);
}

TEST(output_file, is_opened_by_its_path_for_appending)
{
    cr_assert_eq(vv_output_open(test_path("none")), -ENOENT);
    test_write_file(test_path("out"), "one ", 4);
    int kept = dup(0);
    close(0);
    int descriptor = vv_output_open(test_path("out"));
    cr_assert_gt(descriptor, 2, "no standard stream");
    cr_assert_eq(fcntl(0, F_GETFD), -1);
    dup2(kept, 0);
    close(kept);
    cr_assert(fcntl(descriptor, F_GETFD) & FD_CLOEXEC);
    cr_assert_eq(vv_output_is_at_end(descriptor, 4), 1);
    cr_assert_eq(write(descriptor, "two", 3), 3);
    vv_output_close(descriptor);
    cr_assert_eq(fcntl(descriptor, F_GETFD), -1);
    check_file("one two");
}

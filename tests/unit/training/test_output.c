/* test_output.c - Tests outputs, which are truncated when a checkpoint is
 * restored.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph.h"
#include "output_log.h"

static void fail_save(varve_status wanted, const char *message)
{
    varve_error error = { 0 };
    cr_assert_eq(
        varve_write(root, test_path("a.varve"), NULL, &error), wanted);
    cr_assert_str_eq(error.message, message);
}

static void restore(void)
{
    varve_error error = { 0 };
    varve_restoration *r =
        varve_read(root, test_path("a.varve"), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
}

static void fail_restore(varve_status wanted, const char *message)
{
    varve_error error = { 0 };
    cr_assert_null(varve_read(root, test_path("a.varve"), NULL, &error));
    cr_assert_eq(error.status, wanted, "%s", error.message);
    cr_assert_not_null(strstr(error.message, message), "%s", error.message);
}

/* --- Streams and descriptors ---------------------------------------------- */

TEST(output, of_a_stream_is_truncated_to_its_saved_length)
{
    static const char *const modes[] = { "a", "w", "a+", "w+" };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        remove(test_path("log"));
        FILE *log = open_log(modes[i]);
        begin();
        varve_node *node = varve_add_output(root, "log", log);
        cr_assert_eq(varve_node_kind(node), VARVE_STATE);
        fputs("one\ntwo\n", log);
        save();
        check_log("one\ntwo\n");
        fputs("three\n", log);
        restore();
        check_log("one\ntwo\n");
        fputs("3\n", log);
        save();
        check_log("one\ntwo\n3\n");
        fclose(log);
        varve_graph_free(graph);
    }
}

/* Regardless of the order of saves, text buffered by the other stream
 * counts. */
TEST(output, of_two_streams_is_truncated_to_the_common_length)
{
    FILE *first = open_log("a"), *second = open_log("a");
    begin();
    varve_add_output(root, "a", second);
    varve_add_output(root, "b", first);
    fputs("two\n", first);
    fputs("three\n", second);
    save();
    fputs("four\n", first);
    fputs("five\n", second);
    restore();
    check_log("two\nthree\n");
    fclose(first);
    fclose(second);
    varve_graph_free(graph);
}

/* With the number of a descriptor that was closed. */
TEST(output, never_truncates_another_file)
{
    int log = open(test_path("log"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    begin();
    varve_add_output_descriptor(root, "log", log);
    cr_assert_eq(write(log, "one\n", 4), 4);
    save();
    close(log);
    int other = open(test_path("other"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    cr_assert_eq(other, log);
    cr_assert_eq(write(other, "precious\n", 9), 9);
    fail_restore(
        VARVE_MISUSE, "the descriptor refers to another file than when the");
    cr_assert_eq(lseek(other, 0, SEEK_END), 9);
    close(other);
    varve_graph_free(graph);
}

TEST(output, of_a_descriptor_is_truncated_to_its_saved_length)
{
    for (int flags = 0; flags <= O_APPEND; flags += O_APPEND) {
        int log = open(
            test_path("log"), O_WRONLY | O_CREAT | O_TRUNC | flags, 0666);
        begin();
        varve_add_output_descriptor(root, "log", log);
        cr_assert_eq(write(log, "one\n", 4), 4);
        save();
        cr_assert_eq(write(log, "two\n", 4), 4);
        restore();
        cr_assert_eq(write(log, "2\n", 2), 2);
        check_log("one\n2\n");
        close(log);
        varve_graph_free(graph);
    }
}

/* --- Buffers of the program ----------------------------------------------- */

struct buffered {
    int descriptor;
    char text[100];
    size_t size;
    uint64_t sought; /* offset of the last seek */
    varve_status flush_status, seek_status;
};

static varve_status flush(void *self)
{
    struct buffered *b = self;
    if (b->flush_status)
        return b->flush_status;
    cr_assert_eq(write(b->descriptor, b->text, b->size), (ssize_t)b->size);
    b->size = 0;
    return VARVE_OK;
}

static varve_status seek(void *self, uint64_t length)
{
    struct buffered *b = self;
    b->sought = length;
    return b->seek_status;
}

static void put(struct buffered *b, const char *text)
{
    strcpy(b->text + b->size, text);
    b->size += strlen(text);
}

TEST(output, of_a_buffer_is_flushed_and_repositioned)
{
    static const varve_output_callbacks callbacks = { flush, seek };
    struct buffered b = { .descriptor = open(test_path("log"),
        O_WRONLY | O_CREAT | O_TRUNC, 0666) };
    begin();
    varve_add_buffered_output(root, "log", b.descriptor, &callbacks, &b);
    put(&b, "one\n");
    save();
    check_log("one\n");
    put(&b, "two\n");
    restore();
    cr_assert_eq(b.size, 0);
    cr_assert_eq(b.sought, 4);
    put(&b, "2\n");
    save();
    check_log("one\n2\n");
    b.flush_status = VARVE_IO;
    fail_save(VARVE_CALLBACK, "log: its flush callback failed with VARVE_IO");
    fail_restore(VARVE_CALLBACK, "log: its flush callback failed");
    b.flush_status = VARVE_NO_MEMORY;
    fail_save(VARVE_NO_MEMORY,
        "log: its flush callback failed with VARVE_NO_MEMORY");
    b.flush_status = VARVE_OK;
    b.seek_status = VARVE_IO;
    fail_restore(VARVE_CALLBACK, "log: its seek callback failed with "
        "VARVE_IO after the file was truncated to 6 bytes");
    close(b.descriptor);
    varve_graph_free(graph);
}

TEST(output, of_a_buffer_needs_no_seek)
{
    const varve_output_callbacks callbacks = { .flush = flush };
    struct buffered b = { .descriptor = open(test_path("log"),
        O_WRONLY | O_CREAT | O_TRUNC, 0666) };
    begin();
    varve_add_buffered_output(root, "log", b.descriptor, &callbacks, &b);
    put(&b, "one\n");
    save();
    put(&b, "two\n");
    restore();
    put(&b, "2\n");
    flush(&b);
    check_log("one\n2\n");
    close(b.descriptor);
    varve_graph_free(graph);
}

TEST(output, of_a_path_is_the_current_file)
{
    static const varve_output_callbacks callbacks = { flush, seek };
    struct buffered b = { .descriptor = open(test_path("log"),
        O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666) };
    begin();
    int files = test_descriptor_count();
    varve_node *node = varve_add_output_path(
        root, "log", test_path("log"), &callbacks, &b);
    cr_assert_eq(test_descriptor_count(), files + 1);
    put(&b, "one\n");
    save();
    put(&b, "two\n");
    restore();
    put(&b, "2\n");
    save();
    check_log("one\n2\n");
    varve_remove(node);
    cr_assert_eq(test_descriptor_count(), files);
    close(b.descriptor);
    varve_graph_free(graph);
}

/* --- Refused files -------------------------------------------------------- */

static void check_mistake(varve_node *node, varve_status wanted,
    const char *message)
{
    varve_error error = { 0 };
    cr_assert(vv_is_nil(node));
    cr_assert_eq(varve_graph_clear_error(graph, &error), wanted);
    cr_assert_str_eq(error.message, message);
}

TEST(output, must_be_a_writable_regular_file)
{
    static const char no_file[] = "log: not a regular file: a pipe, terminal "
        "or device cannot be truncated";
    static const char read_only[] = "log: the file is not open for writing";
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    begin();
    check_mistake(varve_add_output_descriptor(root, "log", ends[1]),
        VARVE_MISUSE, no_file);
    FILE *stream = fdopen(ends[1], "w");
    check_mistake(varve_add_output(root, "log", stream), VARVE_MISUSE,
        no_file);
    check_mistake(varve_add_output_descriptor(root, "log", ends[0]),
        VARVE_MISUSE, read_only);
    close(ends[0]);
    check_mistake(varve_add_output_descriptor(root, "log", ends[0]), VARVE_IO,
        "log: the output file: fcntl failed: Bad file descriptor");
    fclose(stream);
    char memory[8];
    stream = fmemopen(memory, sizeof memory, "w");
    check_mistake(varve_add_output(root, "log", stream), VARVE_MISUSE,
        "log: the stream has no file descriptor");
    fclose(stream);
    check_mistake(varve_add_output(root, "log", NULL), VARVE_MISUSE,
        "log: stream is NULL");
    check_mistake(varve_add_buffered_output(root, "log", 1, NULL, NULL),
        VARVE_MISUSE, "log: the flush callback is NULL");
    const varve_output_callbacks callbacks = { flush, seek };
    const varve_output_callbacks no_seek = { .flush = flush };
    check_mistake(varve_add_output_path(root, "log", "none", &no_seek, NULL),
        VARVE_MISUSE, "log: the seek callback is NULL");
    check_mistake(varve_add_output_path(root, "log", NULL, &callbacks, NULL),
        VARVE_MISUSE, "log: path is NULL");
    check_mistake(varve_add_output_path(root, "log", "none", NULL, NULL),
        VARVE_MISUSE, "log: the flush callback is NULL");
    check_mistake(varve_add_output_path(root, "log", "none", &callbacks, NULL),
        VARVE_NOT_FOUND,
        "log: none: open failed: No such file or directory");
    struct buffered none = { .descriptor = STDOUT_FILENO };
    int files = test_descriptor_count();
    check_mistake(
        varve_add_output_path(root, "log", "/dev/null", &callbacks, &none),
        VARVE_MISUSE, no_file);
    cr_assert_eq(test_descriptor_count(), files);
    cr_assert_null(varve_find(root, "log"));
    varve_graph_free(graph);
}

TEST(output, that_is_too_short_fails_and_changes_nothing)
{
    int64_t step = 1;
    FILE *log = open_log("w");
    begin();
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_output(root, "log", log);
    fputs("one\ntwo\n", log);
    save();
    fclose(log);
    varve_graph_free(graph);
    log = open_log("w");
    begin();
    step = 5;
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_output(root, "log", log);
    /* New text does not replace lost text. */
    fputs("another text", log);
    static const varve_passes passes[] = { VARVE_PASSES_AUTO,
        VARVE_TWO_PASSES, VARVE_ONE_PASS };
    for (size_t i = 0; i < 3; i++) {
        varve_error error = { 0 };
        const varve_read_options options = { .passes = passes[i] };
        cr_assert_null(varve_read(
            root, test_path("a.varve"), &options, &error));
        cr_assert_eq(error.status, VARVE_MISMATCH);
        cr_assert_str_eq(error.message,
            "log: the output file is too short: 8 bytes were recorded, found "
            "0: open the file that the earlier run wrote, for appending "
            "(\"a\"; \"w\" empties it)");
        cr_assert_eq(step, 5);
    }
    fclose(log);
    check_log("another text");
    varve_graph_free(graph);
}

TEST(output, that_is_written_in_its_middle_is_not_saved)
{
    test_write_file(test_path("log"), "12345", 5);
    FILE *log = open_log("r+");
    begin();
    varve_add_output(root, "log", log);
    fail_save(VARVE_MISUSE, "log: the output is written before byte 5, not "
        "at its end: open the file for appending (\"a\", O_APPEND)");
    fseek(log, 0, SEEK_END);
    fputs("6", log);
    save();
    fclose(log);
    varve_graph_free(graph);
}

TEST(output, of_a_stream_with_a_failed_write_is_not_saved)
{
    FILE *log = open_log("w");
    begin();
    varve_add_output(root, "log", log);
    int kept = dup(fileno(log));
    int reading = open(test_path("log"), O_RDONLY);
    dup2(reading, fileno(log)); /* now it cannot be written */
    fputs("lost", log);
    fail_save(VARVE_IO,
        "log: the output file: fflush failed: Bad file descriptor");
    dup2(kept, fileno(log));
    fail_save(VARVE_IO, "log: the stream has its error flag set (ferror): a "
        "write failed, and its text may be lost");
    fail_restore(VARVE_NOT_FOUND, "a.varve");
    close(kept);
    close(reading);
    fclose(log);
    varve_graph_free(graph);
}

static varve_status put_text(void *self, varve_sink *sink)
{
    varve_put(sink, self, strlen(self));
    return VARVE_OK;
}

static varve_status take_nothing(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

TEST(output, refuses_other_states)
{
    static const varve_state_callbacks callbacks = { put_text, take_nothing };
    char text[] = "seven..";
    begin();
    varve_add_state(root, "log", &callbacks, text);
    save();
    varve_graph_free(graph);
    begin();
    FILE *log = open_log("w");
    varve_add_output(root, "log", log);
    fail_restore(VARVE_MISMATCH, "log: the saved length of an output must "
        "have 8 or 24 bytes, found 7 bytes");
    fclose(log);
    varve_graph_free(graph);
}

/* --- Other values --------------------------------------------------------- */

struct refusing {
    int loads;
    bool saves, refuses;
};

static varve_status save_refusing(void *self, varve_sink *sink)
{
    const struct refusing *r = self;
    varve_put(sink, "x", 1);
    return r->saves ? VARVE_OK : VARVE_IO;
}

static varve_status load_refusing(void *self, const void *bytes, size_t size)
{
    struct refusing *r = self;
    (void)bytes;
    (void)size;
    r->loads++;
    return r->refuses ? VARVE_IO : VARVE_OK;
}

/* A truncation cannot be undone, so it must not happen if another state
 * fails. */
TEST(output, is_truncated_after_all_states_that_can_fail)
{
    static const varve_state_callbacks callbacks = { save_refusing,
        load_refusing };
    for (int saves = 0; saves < 2; saves++) {
        struct refusing a = { .saves = true }, z = { .saves = true };
        FILE *log = open_log("w");
        begin();
        varve_add_state(root, "a", &callbacks, &a);
        varve_add_output(root, "m", log);
        varve_add_state(root, "z", &callbacks, &z);
        fputs("one\n", log);
        save();
        fputs("two\n", log);
        a.saves = z.saves = saves;
        for (int which = 0; which < 2; which++) {
            a.refuses = which == 0;
            z.refuses = which == 1;
            varve_error error = { 0 };
            cr_assert_null(varve_read(
                root, test_path("a.varve"), NULL, &error));
            check_log("one\ntwo\n");
        }
        z.refuses = false;
        restore();
        check_log("one\n");
        fclose(log);
        varve_graph_free(graph);
    }
}

TEST(output, is_truncated_by_a_snapshot)
{
    int64_t step = 1;
    FILE *log = open_log("w");
    varve_error error = { 0 };
    begin();
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_add_output(root, "log", log);
    fputs("one\n", log);
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    cr_assert_not_null(snapshot, "%s", error.message);
    fputs("two\n", log);
    step = 2;
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert_eq(step, 1);
    fputs("2\n", log);
    cr_assert_ok(varve_snapshot_retake(snapshot, &error), error);
    fputs("three\n", log);
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    check_log("one\n2\n");
    step = 3;
    cr_assert_eq(ftruncate(fileno(log), 1), 0);
    cr_assert_eq(varve_snapshot_restore(snapshot, &error), VARVE_MISMATCH);
    cr_assert_eq(step, 3, "nothing has changed");
    varve_snapshot_free(snapshot);
    fclose(log);
    varve_graph_free(graph);
}

TEST(output, not_in_a_snapshot_is_not_truncated)
{
    FILE *log = open_log("w");
    varve_error error = { 0 };
    begin();
    varve_add_output(root, "log", log);
    varve_snapshot *snapshot = varve_snapshot_new_with(root,
        &(varve_snapshot_options){ .except = "log" }, &error);
    cr_assert_not_null(snapshot, "%s", error.message);
    fputs("one\n", log);
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    fclose(log);
    check_log("one\n");
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
}

TEST(output, added_after_the_read_is_truncated_when_added)
{
    FILE *log = open_log("w");
    begin();
    varve_add_output(root, "log", log);
    fputs("one\n", log);
    save();
    fputs("two\n", log);
    fclose(log);
    varve_graph_free(graph);
    begin();
    varve_error error = { 0 };
    varve_restoration *r =
        varve_restore(root, test_path("a.varve"), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    log = open_log("a");
    check_log("one\ntwo\n");
    varve_add_output(root, "log", log);
    check_log("one\n");
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    fclose(log);
    varve_graph_free(graph);
}

TEST(output, added_after_the_read_and_too_short_is_an_error)
{
    FILE *log = open_log("w");
    begin();
    varve_add_output(root, "log", log);
    fputs("one\n", log);
    save();
    fclose(log);
    varve_graph_free(graph);
    begin();
    varve_error error = { 0 };
    varve_restoration *r =
        varve_restore(root, test_path("a.varve"), NULL, &error);
    cr_assert_not_null(r, "%s", error.message);
    log = open_log("w");
    varve_add_output(root, "log", log);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISMATCH);
    cr_assert_not_null(strstr(error.message, "4 bytes were recorded"), "%s",
        error.message);
    cr_assert_eq(varve_assert_consumed(r, &error), VARVE_UNMATCHED);
    varve_restoration_free(r);
    fclose(log);
    varve_graph_free(graph);
}

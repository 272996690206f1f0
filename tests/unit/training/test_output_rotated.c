/* test_output_rotated.c - Tests outputs whose file was replaced by another one.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "output_log.h"

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

/* The bytes are documented and read by other programs. */
TEST(output, is_saved_as_its_length_and_a_digest_of_its_end)
{
    FILE *log = open_log("w");
    begin();
    varve_add_output(root, "log", log);
    for (int i = 0; i < 258; i++)
        fputc('x', log);
    save();
    varve_error error = { 0 };
    varve_reader *reader =
        varve_reader_open(test_path("a.varve"), NULL, &error);
    cr_assert_not_null(reader, "%s", error.message);
    varve_saved_node node;
    unsigned char bytes[24];
    char text[258];
    memset(text, 'x', sizeof text);
    const struct vv_digest digest = vv_digest_of(text, sizeof text);
    cr_assert(varve_reader_find(reader, "log", &node));
    cr_assert_eq(node.size, sizeof bytes);
    cr_assert_ok(varve_reader_read(
        reader, node.id, bytes, sizeof bytes, &error), error);
    cr_assert_eq(memcmp(bytes, "\2\1\0\0\0\0\0\0", 8), 0);
    cr_assert_eq(memcmp(bytes + 8, digest.bytes, 16), 0);
    varve_reader_free(reader);
    fclose(log);
    varve_graph_free(graph);
}

enum { LONG = 5000 };

/* Saves a long log, and then replaces it by one of `size` bytes in which the
 * byte `other` differs. */
static void save_and_rotate(const char *mode, size_t size, size_t other)
{
    static char text[2 * LONG];
    memset(text, 'x', sizeof text);
    remove(test_path("log"));
    FILE *log = open_log(mode);
    begin();
    varve_add_output(root, "log", log);
    cr_assert_eq(fwrite(text, 1, LONG, log), LONG);
    save();
    fclose(log);
    varve_graph_free(graph);
    text[other] = 'y';
    test_write_file(test_path("log"), text, size);
    begin();
}

static void fails_and_keeps(size_t size)
{
    size_t found;
    FILE *log = open_log("a");
    varve_add_output(root, "log", log);
    for (int i = 0; i < 2; i++)
        fail_restore(VARVE_MISMATCH,
            "log: the first 5000 bytes of the output file differ");
    fclose(log);
    free(test_read_file(test_path("log"), &found));
    cr_assert_eq(found, size);
    varve_graph_free(graph);
}

static void cuts(void)
{
    size_t found;
    FILE *log = open_log("a");
    varve_add_output(root, "log", log);
    restore();
    fclose(log);
    free(test_read_file(test_path("log"), &found));
    cr_assert_eq(found, LONG);
    varve_graph_free(graph);
}

TEST(output, that_was_rotated_is_not_truncated)
{
    static const char *const modes[] = { "a", "w", "a+" };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        save_and_rotate(modes[i], 2 * LONG, LONG - 1);
        fails_and_keeps(2 * LONG);
        save_and_rotate(modes[i], LONG, LONG - 4096);
        fails_and_keeps(LONG);
        save_and_rotate(modes[i], 2 * LONG, LONG);
        cuts();
    }
}

/* As documented, earlier text is not compared. */
TEST(output, is_compared_in_its_last_4096_bytes)
{
    save_and_rotate("a", LONG + 1, LONG - 4097);
    cuts();
}

static varve_status take_nothing(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

static varve_status put_length(void *self, varve_sink *sink)
{
    (void)self;
    varve_put(sink, "\4\0\0\0\0\0\0\0", 8);
    return VARVE_OK;
}

TEST(output, of_an_older_checkpoint_is_truncated_unchecked)
{
    static const varve_state_callbacks callbacks = { put_length, take_nothing };
    begin();
    varve_add_state(root, "log", &callbacks, NULL);
    save();
    varve_graph_free(graph);
    begin();
    FILE *log = open_log("w");
    fputs("some text", log);
    varve_add_output(root, "log", log);
    restore();
    fclose(log);
    check_log("some");
    varve_graph_free(graph);
}

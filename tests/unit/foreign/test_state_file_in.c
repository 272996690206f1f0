/* test_state_file_in.c - Tests the files in which TensorFlow records the latest
 * checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "state_file_in.h"

#include <string.h>

#include "support/memory_system.h"
#include "support/test_context.h"

static struct memory *memory;
static varve_error error;

/* Returns the prefix of a record in "run" for comparison, or NULL and the
 * error. */
static const char *latest(const char *text)
{
    static char found[512];
    struct vv_context context = test_context(memory_system(memory));
    struct vv_buffer prefix, noted;
    memory_put(memory, "run/checkpoint", text, strlen(text));
    vv_buffer_init(&prefix, test_allocator());
    vv_buffer_init(&noted, test_allocator());
    error = (varve_error){ 0 };
    varve_status status = vv_state_file_latest(
        &context, "run/checkpoint", &prefix, &noted, &error);
    cr_assert_eq(status, error.status);
    if (!status)
        strcpy(found, vv_buffer_string(&prefix));
    vv_buffer_clear(&prefix);
    vv_buffer_clear(&noted);
    cr_assert_eq(memory_open_count(memory), 0);
    return status ? NULL : found;
}

#define GIVES(text, prefix)                                                    \
    cr_assert(latest(text) && strcmp(latest(text), prefix) == 0, "%s: %s",     \
        text, error.message)

TEST(state_file_in, finds_the_latest_of_a_tensorflow_record)
{
    memory = memory_new();
    GIVES("model_checkpoint_path: \"ckpt-3\"\n"
          "all_model_checkpoint_paths: \"ckpt-2\"\n"
          "all_model_checkpoint_paths: \"ckpt-3\"\n"
          "all_model_checkpoint_timestamps: 1700000000.5\n"
          "all_model_checkpoint_timestamps: 1.7e+09\n"
          "last_preserved_timestamp: 1699999999.0\n",
        "run/ckpt-3");
    memory_free(memory);
}

TEST(state_file_in, accepts_all_forms_of_the_text_format)
{
    memory = memory_new();
    GIVES("# a record\nmodel_checkpoint_path :'a' \"b\"  # the end", "run/ab");
    GIVES("model_checkpoint_path:\"a\";all_model_checkpoint_paths:[],"
          "all_model_checkpoint_paths:[\"x\" 'y', \"z\"] "
          "all_model_checkpoint_timestamps:[inf,-1.5,nan]",
        "run/a");
    GIVES("last_preserved_timestamp: -inf, model_checkpoint_path: \"a\"",
        "run/a");
    GIVES("model_checkpoint_path: \"\\141\\x62\\X63\\\\\\\"\\'\\n\\303\\244\"",
        "run/abc\\\"'\n\xc3\xa4");
    GIVES("model_checkpoint_path: '\\x41f\\1011\\x4G'", "run/AfA1\x04G");
    GIVES("model_checkpoint_path: \"\xc3\xa4/b\"", "run/\xc3\xa4/b");
    memory_free(memory);
}

TEST(state_file_in, searches_the_directory_of_the_record_for_other_paths)
{
    memory = memory_new();
    GIVES("model_checkpoint_path: \"/old/place/ckpt-1\"", "run/ckpt-1");
    GIVES("model_checkpoint_path: \"../other/ckpt-1\"", "run/ckpt-1");
    GIVES("model_checkpoint_path: \"a/../../ckpt-1\"", "run/ckpt-1");
    GIVES("model_checkpoint_path: \"a//..//ckpt-1\"", "run/ckpt-1");
    GIVES("model_checkpoint_path: \"a/..b/ckpt-1\"", "run/a/..b/ckpt-1");
    GIVES("model_checkpoint_path: \"./ckpt-1\"", "run/./ckpt-1");
    memory_free(memory);
}

TEST(state_file_in, refuses_text_that_is_not_a_record)
{
    static const struct {
        const char *text;
        const char *says;
    } rows[] = {
        { "", "offset 0: expected a model_checkpoint_path" },
        { "all_model_checkpoint_paths: \"a\"", "a model_checkpoint_path" },
        { "model_checkpoint_path: \"\"", "a model_checkpoint_path" },
        { "model_checkpoint_paths: \"a\"", "a field of a `checkpoint` record" },
        { "x: 1 model_checkpoint_path: \"a\"", "offset 0: expected a field" },
        { "model_checkpoint_path \"a\"", "a colon" },
        { "model_checkpoint_path: a", "a string" },
        { "model_checkpoint_path: [\"a\"]", "a string" },
        { "model_checkpoint_path: \"a", "the end of the string" },
        { "model_checkpoint_path: \"a'", "the end of the string" },
        { "model_checkpoint_path: \"a\nb\"", "the end of the string" },
        { "model_checkpoint_path: \"\\q\"", "an escape sequence of one byte" },
        { "model_checkpoint_path: \"a\\0b\"", "an escape sequence of one "
            "byte" },
        { "model_checkpoint_path: \"\\777\"", "an escape sequence of one "
            "byte" },
        { "model_checkpoint_path: \"\\", "an escape" },
        { "last_preserved_timestamp: \"1\"", "a number" },
        { "all_model_checkpoint_paths: [\"a\"", "the end of the list" },
        { "all_model_checkpoint_paths: [\"a\",]", "a string" },
    };
    memory = memory_new();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_null(latest(rows[i].text), "%s", rows[i].text);
        cr_assert_eq(error.status, VARVE_CORRUPT);
        cr_assert(strstr(error.message, "run/checkpoint: ") == error.message &&
                      strstr(error.message, rows[i].says),
            "%s: %s", rows[i].text, error.message);
    }
    memory_free(memory);
}

TEST(state_file_in, refuses_a_record_that_is_too_large)
{
    memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_buffer prefix, noted;
    memory_put(memory, "checkpoint", "", 0);
    memory_resize(memory, "checkpoint", (16 << 20) + 1);
    vv_buffer_init(&prefix, test_allocator());
    vv_buffer_init(&noted, test_allocator());
    cr_assert_eq(vv_state_file_latest(
                     &context, "checkpoint", &prefix, &noted, &error),
        VARVE_LIMIT);
    cr_assert_eq(
        vv_state_file_latest(&context, "none", &prefix, &noted, &error),
        VARVE_NOT_FOUND);
    vv_buffer_clear(&prefix);
    vv_buffer_clear(&noted);
    memory_free(memory);
}

static bool is_one(const char *text)
{
    struct vv_context context = test_context(memory_system(memory));
    memory_put(memory, "f", text, strlen(text));
    return vv_state_file_is_one(&context, "f");
}

TEST(state_file_in, recognizes_a_record_by_its_first_field)
{
    memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    cr_assert(is_one("model_checkpoint_path: \"a\""));
    cr_assert(is_one("# text\n\n  all_model_checkpoint_paths: \"a\""));
    cr_assert_not(is_one(""));
    cr_assert_not(is_one("VARVE"));
    cr_assert_not(is_one("model_checkpoint"));
    cr_assert_not(vv_state_file_is_one(&context, "none"));
    memory_free(memory);
}

TEST(state_file_in, leaks_nothing_without_memory)
{
    memory = memory_new();
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        const char *found = latest("all_model_checkpoint_paths: 'b' "
                                   "model_checkpoint_path: 'a'");
        test_fail_allocation(-1, false);
        cr_assert_eq(test_block_count(), 0);
        if (found)
            break;
        cr_assert_eq(error.status, VARVE_NO_MEMORY);
    }
    memory_free(memory);
}

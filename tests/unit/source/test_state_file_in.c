/* test_state_file_in.c - lib/source/state_file_in.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "arrays.h"
#include "state_file_in.h"
#include "support/faulty_system.h"

#define LATEST "model_checkpoint_path"
#define ALL "all_model_checkpoint_paths"

static varve_status read_bytes(struct world *w, const void *text, size_t size,
    struct vv_buffer *prefix, varve_error *error)
{
    memory_put(w->memory, "run/checkpoint", text, size);
    return vv_state_file_latest(
        &w->context, "run/checkpoint", prefix, error);
}

static void check(const char *text, const char *wanted)
{
    struct world w = world_new();
    struct vv_buffer prefix = new_bytes();
    varve_error error = { 0 };
    cr_assert_ok(read_bytes(&w, text, strlen(text), &prefix, &error), error);
    cr_assert_str_eq(vv_buffer_string(&prefix), wanted);
    vv_buffer_clear(&prefix);
    world_free(&w);
}

static void check_bytes_refused(const char *text, size_t size, const char *says)
{
    struct world w = world_new();
    struct vv_buffer prefix = new_bytes();
    varve_error error = { 0 };
    cr_assert_eq(
        read_bytes(&w, text, size, &prefix, &error), VARVE_CORRUPT, "%s", text);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert_eq(strncmp(error.message, "run/checkpoint: offset ", 23), 0);
    vv_buffer_clear(&prefix);
    world_free(&w);
}

static void check_refused(const char *text, const char *says)
{
    check_bytes_refused(text, strlen(text), says);
}

TEST(state_file_in, has_the_latest_beside_the_record)
{
    check(LATEST ": \"ckpt-12\"\n" ALL ": \"ckpt-11\"\n" ALL ": \"ckpt-12\"\n"
        "all_model_checkpoint_timestamps: 1.5e+9\n"
        "last_preserved_timestamp: -1.25\n", "run/ckpt-12");
    check(ALL ": \"a\"\n" LATEST ": \"b\"", "run/b");
    check(LATEST ": \"first\" " LATEST ": \"last\"", "run/last");
}

TEST(state_file_in, skips_space_comments_and_separators)
{
    check("# what\n \t\r\v\f" LATEST "#here\n:\n# and\n'x' # end", "run/x");
    check(LATEST ":'x'," ALL ":'y';" ALL ":\n'z'", "run/x");
    check_refused(LATEST ":'x',," ALL ":'y'", "a field");
}

TEST(state_file_in, undoes_escapes)
{
    check(LATEST ": \"a\\\"\\'\\?\\\\b\\n\\t\\r\\a\\b\\f\\v\"",
        "run/a\"'?\\b\n\t\r\a\b\f\v");
    check(LATEST ": \"\\101\\7z\\1011\"", "run/A\az" "A1");
    check(LATEST ": \"\\x41\\X4a\\x4G\"", "run/AJ\x04G");
    check(LATEST ": \"\\303\\244\"", "run/\xc3\xa4");
    check_refused(LATEST ": \"\\0\"", "an escape of a byte");
    check_refused(LATEST ": \"\\400\"", "an escape of a byte");
    check_refused(LATEST ": \"\\x\"", "an escape of a byte");
    check_refused(LATEST ": \"\\q\"", "an escape of a byte");
    check_refused(LATEST ": \"\\", "offset 25: expected an escape");
}

TEST(state_file_in, joins_strings_in_both_quotes)
{
    check(LATEST ": \"a'\" 'b\"'\n# and\n \"c\"", "run/a'b\"c");
    check_refused(LATEST ": \"a", "the end of a string");
    check_refused(LATEST ": \"a\n\"", "the end of a string");
    check_refused(LATEST ": 'a\"", "the end of a string");
    check_refused(LATEST ": a", "a string");
    check_bytes_refused(
        LATEST ": \"a\0b\"", sizeof LATEST ": \"a\0b\"" - 1, "the end");
    check_bytes_refused(LATEST ": \"a\"\0", sizeof LATEST ": \"a\"", "a field");
}

TEST(state_file_in, takes_lists_of_what_is_repeated)
{
    check(ALL ": ['a', \"b\" 'c'] all_model_checkpoint_timestamps: [1, 2.5]"
        LATEST ": 'x' " ALL ": []", "run/x");
    check_refused(ALL ": ['a' " LATEST ": 'x'", "the end of a list");
    check_refused(ALL ": ['a',]", "a string");
    check_refused("all_model_checkpoint_timestamps: ['a']", "a number");
    check_refused(LATEST ": ['x']", "a string");
}

TEST(state_file_in, refuses_what_is_no_record)
{
    check_refused("", "a model_checkpoint_path");
    check_refused(ALL ": 'a'", "a model_checkpoint_path");
    check_refused(LATEST ": ''", "a model_checkpoint_path");
    check_refused("other: 'a'", "offset 0: expected a field");
    check_refused(LATEST "s: 'a'", "a field");
    check_refused(LATEST " 'a'", "a colon");
    check_refused("last_preserved_timestamp: " LATEST " : 'x'", "a field");
}

TEST(state_file_in, stays_in_its_directory)
{
    check(LATEST ": '/old/home/ckpt-3'", "run/ckpt-3");
    check(LATEST ": '../home/ckpt-3'", "run/ckpt-3");
    check(LATEST ": 'a/../../ckpt-3'", "run/ckpt-3");
    check(LATEST ": 'a//..//ckpt-3'", "run/ckpt-3");
    check(LATEST ": 'a/ckpt-3'", "run/a/ckpt-3");
    check(LATEST ": '..a/b../ckpt...3'", "run/..a/b../ckpt...3");
    check(LATEST ": '/..'", "run/..");
}

TEST(state_file_in, refuses_one_that_is_too_large)
{
    struct world w = world_new();
    struct vv_buffer prefix = new_bytes();
    varve_error error = { 0 };
    memory_put(w.memory, "checkpoint", "x", 1);
    memory_resize(w.memory, "checkpoint", (16 << 20) + 1);
    test_reset_peak();
    cr_assert_eq(
        vv_state_file_latest(&w.context, "checkpoint", &prefix, &error),
        VARVE_LIMIT);
    cr_assert(strstr(error.message, "found 16777217"), "%s", error.message);
    cr_assert_lt(test_peak_bytes(), 4096);
    cr_assert_eq(
        vv_state_file_latest(&w.context, "none", &prefix, &error),
        VARVE_NOT_FOUND);
    vv_buffer_clear(&prefix);
    world_free(&w);
}

TEST(state_file_in, fails_without_memory_and_when_it_cannot_be_read)
{
    static const char text[] = ALL ": 'ckpt-1' " LATEST ": 'ckpt-2'";
    struct world w = world_new();
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct vv_buffer prefix = new_bytes();
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = read_bytes(&w, text, strlen(text), &prefix, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        vv_buffer_clear(&prefix);
        cr_assert_eq(test_block_count(), 0);
        cr_assert(n < 100);
    }
    struct faulty *faulty = faulty_new(memory_system(w.memory));
    struct vv_context context = test_context(faulty_system(faulty));
    struct vv_buffer prefix = new_bytes();
    faulty_plan(faulty,
        &(struct faulty_plan){ .kinds = FAULTY_READ, .error = 5 });
    cr_assert_eq(
        vv_state_file_latest(&context, "run/checkpoint", &prefix, NULL),
        VARVE_IO);
    cr_assert_eq(faulty_open_count(faulty), 0);
    vv_buffer_clear(&prefix);
    faulty_free(faulty);
    world_free(&w);
}

static bool is_one(const char *text)
{
    struct world w = world_new();
    memory_put(w.memory, "f", text, strlen(text));
    bool result = vv_state_file_is_one(&w.context, "f");
    world_free(&w);
    return result;
}

TEST(state_file_in, is_known_by_its_first_field)
{
    struct world w = world_new();
    cr_assert(is_one("# made\n " LATEST ": 'x'"));
    cr_assert(is_one(ALL ":"));
    cr_assert_not(is_one("varve"));
    cr_assert_not(is_one(""));
    cr_assert_not(vv_state_file_is_one(&w.context, "none"));
    world_free(&w);
}

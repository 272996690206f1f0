/* test_selection.c - Tests the copies and checks of read options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "pattern.h"
#include "selection.h"

static void begin(struct vv_selection *s, const varve_read_options *options)
{
    varve_error error = { 0 };
    cr_assert_ok(
        vv_selection_begin(s, &world.context, options, &error), error);
}

static varve_error fail(const varve_read_options *options, varve_status wanted)
{
    struct vv_selection s;
    varve_error error = { 0 };
    cr_assert_eq(
        vv_selection_begin(&s, &world.context, options, &error), wanted,
        "%s", error.message);
    return error;
}

static void put(const char *text)
{
    memory_put(world.memory, "renames", text, strlen(text));
}

TEST(selection, copies_its_options)
{
    struct vv_selection s;
    begin_world();
    char only[] = "model|/optimizer";
    begin(&s, &(varve_read_options){ .only = only, .except = "model/*/bias" });
    memset(only, 'x', sizeof only - 1);
    cr_assert_str_eq(s.only, "model|/optimizer");
    cr_assert_str_eq(s.except, "model/*/bias");
    vv_selection_end(&s);
    end_world();
}

TEST(selection, refuses_every_reserved_field_that_is_set)
{
    static int something;
    varve_read_options options = { 0 };
    void **resize_buffers[] = { options.reserved, options.rename.reserved.words,
        options.expect.reserved.words, options.foreign.reserved.words,
        options.salvage.reserved.words, options.resources.reserved.words };
    begin_world();
    for (size_t i = 0; i < sizeof resize_buffers / sizeof *resize_buffers;
         i++) {
        resize_buffers[i][i] = &something;
        fail(&options, VARVE_TOO_NEW);
        resize_buffers[i][i] = NULL;
    }
    end_world();
}

TEST(selection, refuses_values_outside_an_enumeration)
{
    begin_world();
    varve_read_options options = { .passes = VARVE_TWO_PASSES,
        .cast = VARVE_CAST_ANY };
    struct vv_selection s;
    begin(&s, &options);
    vv_selection_end(&s);
    fail(&(varve_read_options){ .cast = (varve_cast)99 }, VARVE_MISUSE);
    fail(&(varve_read_options){ .cast = (varve_cast)-1 }, VARVE_MISUSE);
    fail(&(varve_read_options){ .passes = (varve_passes)99 }, VARVE_MISUSE);
    fail(&(varve_read_options){ .passes = (varve_passes)-1 }, VARVE_MISUSE);
    end_world();
}

static const struct vv_rename *rename_of(const struct vv_selection *s,
    const char *path, struct vv_buffer *result)
{
    for (size_t i = 0; i < s->rename_count; i++) {
        const struct vv_rename *rename = &s->renames[i];
        if (vv_pattern_rename(rename->program, rename->file, path, result))
            return rename;
    }
    return NULL;
}

static void check_rename(
    struct vv_selection *s, const char *path, const char *wanted)
{
    struct vv_buffer result;
    vv_buffer_init(&result, test_allocator());
    const struct vv_rename *rename = rename_of(s, path, &result);
    cr_assert_eq(!rename, !wanted, "%s", path);
    if (rename)
        cr_assert_str_eq(vv_buffer_string(&result), wanted);
    vv_buffer_clear(&result);
}

TEST(selection, uses_the_first_matching_rename)
{
    struct vv_selection s;
    varve_rename renames[] = { { "/a/b", "x" }, { "a/*", "y/*" },
        { "**/k", "z/**" } };
    begin_world();
    put("last -> file/last\n");
    begin(&s, &(varve_read_options){ .rename = { .list = renames, .count = 3,
                  .file = "renames" } });
    check_rename(&s, "a/b", "x");
    check_rename(&s, "a/c", "y/c");
    check_rename(&s, "p/q/k", "z/p/q");
    check_rename(&s, "last", "file/last");
    check_rename(&s, "a/b/c", NULL);
    vv_selection_end(&s);
    end_world();
}

TEST(selection, reads_a_rename_file)
{
    struct vv_selection s;
    begin_world();
    put("# a comment\n\n  a ->  b \r\n\t/c->/d\t\n   # another\ne f -> g h");
    begin(&s, &(varve_read_options){ .rename.file = "renames" });
    cr_assert_eq(s.rename_count, 3);
    check_rename(&s, "a", "b");
    check_rename(&s, "c", "d");
    check_rename(&s, "e f", "g h");
    vv_selection_end(&s);
    put("");
    begin(&s, &(varve_read_options){ .rename.file = "renames" });
    cr_assert_eq(s.rename_count, 0);
    vv_selection_end(&s);
    end_world();
}

TEST(selection, reports_the_line_of_an_invalid_rename)
{
    static const struct {
        const char *text;
        const char *where;
        varve_status status;
    } bad[] = {
        { "a b\n", "renames:1: ", VARVE_MISUSE },
        { "# x\n\na -> b\nnothing\n", "renames:4: ", VARVE_MISUSE },
        { "a -> b\n*/c -> d", "renames:2: ", VARVE_MISUSE },
        { "a -> b\n\n** -> *\n", "renames:3: ", VARVE_MISUSE },
        { "a -> \xff\n", "renames: ", VARVE_BAD_NAME },
    };
    begin_world();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put(bad[i].text);
        varve_error error =
            fail(&(varve_read_options){ .rename.file = "renames" },
                bad[i].status);
        cr_assert_eq(strncmp(error.message, bad[i].where,
                         strlen(bad[i].where)), 0, "%s", error.message);
        cr_assert_null(strchr(error.message, '\n'));
    }
    memory_put(world.memory, "renames", "a -> b\0c\n", 9);
    fail(&(varve_read_options){ .rename.file = "renames" }, VARVE_BAD_NAME);
    fail(&(varve_read_options){ .rename.file = "none" }, VARVE_NOT_FOUND);
    end_world();
}

TEST(selection, refuses_invalid_renames)
{
    begin_world();
    const varve_rename bad[] = { { NULL, "a" }, { "a", NULL }, { "*", "a" },
        { "a|b", "c" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        fail(&(varve_read_options){ .rename = { .list = &bad[i], .count = 1 } },
            VARVE_MISUSE);
    end_world();
}

TEST(selection, handles_every_failed_allocation)
{
    varve_rename renames[10];
    for (int i = 0; i < 10; i++)
        renames[i] = (varve_rename){ "program/a", "file/b" };
    varve_read_options options = { .rename = { .list = renames, .count = 10,
        .file = "renames" }, .only = "a", .except = "b", .resize = "c",
        .expect = { .missing = "d", .unexpected = "e" } };
    begin_world();
    put("a -> b\nc -> d\n");
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct vv_selection s;
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_selection_begin(&s, &world.context, &options, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, status);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        if (!status)
            vv_selection_end(&s);
    }
    end_world();
}

TEST(selection, refuses_a_rename_file_that_is_too_large)
{
    enum { LIMIT = 16 << 20 };
    begin_world();
    char *text = malloc(LIMIT + 1);
    memset(text, '#', LIMIT + 1);
    memory_put(world.memory, "renames", text, LIMIT + 1);
    varve_error error = fail(
        &(varve_read_options){ .rename.file = "renames" }, VARVE_LIMIT);
    cr_assert_not_null(strstr(error.message, "found 16777217"));
    memory_put(world.memory, "renames", text, LIMIT);
    struct vv_selection s;
    begin(&s, &(varve_read_options){ .rename.file = "renames" });
    cr_assert_eq(s.rename_count, 0);
    vv_selection_end(&s);
    free(text);
    end_world();
}

TEST(selection, sets_the_options_for_opening_files)
{
    struct vv_context context = { .dots = true, .no_hdf5 = true,
        .salvages = true };
    vv_choose_opening(&context, NULL);
    cr_assert(!context.dots && !context.no_hdf5 && !context.salvages);
    vv_choose_opening(&context, &(varve_read_options){ .foreign.dots = true });
    cr_assert(context.dots && !context.no_hdf5 && !context.salvages);
    vv_choose_opening(
        &context, &(varve_read_options){ .foreign.no_hdf5 = true });
    cr_assert(!context.dots && context.no_hdf5 && !context.salvages);
    vv_choose_opening(&context, &(varve_read_options){ .salvage.on = true });
    cr_assert(!context.dots && !context.no_hdf5 && context.salvages);
}

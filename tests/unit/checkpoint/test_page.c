/* test_page.c - lib/checkpoint/page/page.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_world.h"

#include <errno.h>

#include "support/faulty_system.h"

TEST(page, is_one_file_from_top_to_bottom)
{
    varve_error error = { 0 };
    begin_world();
    write_graph();
    varve_reader *reader = open_graph();
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, NULL, &error), error);
    char *page = page_text();
    cr_assert_eq(strncmp(page, "<!doctype html>\n", 16), 0);
    cr_assert_str_eq(page + strlen(page) - 8, "</html>\n");
    cr_assert_eq(memory_file_count(world.memory), 2);
    free(page);
    varve_reader_free(reader);
    end_world();
}

/* --- Printing ----------------------------------------------------------- */

static struct {
    char *bytes;
    size_t size;
    varve_status status;
} printed;

static varve_status on_bytes(void *user, const void *bytes, size_t size)
{
    cr_assert_eq(user, &printed);
    printed.bytes = realloc(printed.bytes, printed.size + size);
    cr_assert(printed.bytes);
    memcpy(printed.bytes + printed.size, bytes, size);
    printed.size += size;
    return printed.status;
}

TEST(page, prints_the_same_bytes_as_it_writes)
{
    varve_error error = { 0 };
    size_t size;
    begin_world();
    write_graph();
    varve_reader *reader = open_graph();
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, NULL, &error), error);
    cr_assert_ok(
        varve_page_print(reader, on_bytes, &printed, NULL, &error), error);
    const void *bytes = memory_bytes(world.memory, PAGE_NAME, &size);
    cr_assert_eq(printed.size, size);
    cr_assert_eq(memcmp(printed.bytes, bytes, size), 0);
    printed.status = VARVE_IO;
    cr_assert_eq(varve_page_print(reader, on_bytes, &printed, NULL, &error),
        VARVE_CALLBACK);
    check_error(&error, VARVE_CALLBACK, "on_bytes failed with VARVE_IO");
    free(printed.bytes);
    varve_reader_free(reader);
    end_world();
}

/* --- What cannot be ----------------------------------------------------- */

TEST(page, refuses_what_is_not_there)
{
    varve_error error = { 0 };
    varve_page_options later = { .reserved = { { &error } } };
    begin_world();
    write_graph();
    varve_reader *reader = open_graph();
    cr_assert_eq(
        varve_page_write(NULL, PAGE_NAME, NULL, &error), VARVE_MISUSE);
    check_error(&error, VARVE_MISUSE, "expected a reader, found NULL");
    cr_assert_eq(varve_page_write(reader, NULL, NULL, &error), VARVE_MISUSE);
    check_error(&error, VARVE_MISUSE, "expected a path, found NULL");
    cr_assert_eq(
        varve_page_write(reader, PAGE_NAME, &later, &error), VARVE_TOO_NEW);
    cr_assert_eq(
        varve_page_print(reader, NULL, NULL, NULL, &error), VARVE_MISUSE);
    check_error(&error, VARVE_MISUSE, "on_bytes");
    cr_assert_eq(
        varve_page_print(NULL, on_bytes, NULL, NULL, NULL), VARVE_MISUSE);
    varve_reader_free(reader);
    end_world();
}

TEST(page, spares_what_has_its_name_where_that_is_asked_for)
{
    varve_error error = { 0 };
    size_t size;
    begin_world();
    write_graph();
    varve_reader *reader = open_graph();
    memory_put(world.memory, PAGE_NAME, "old", 3);
    varve_page_options options = { .no_replace = true };
    cr_assert_eq(
        varve_page_write(reader, PAGE_NAME, &options, &error), VARVE_EXISTS);
    cr_assert_eq(
        memcmp(memory_bytes(world.memory, PAGE_NAME, &size), "old", 3), 0);
    options.no_replace = false;
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, &options, &error), error);
    memory_bytes(world.memory, PAGE_NAME, &size);
    cr_assert_gt(size, 1000);
    varve_reader_free(reader);
    end_world();
}

TEST(page, leaves_the_older_one_without_memory)
{
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    size_t size;
    long n = 0;
    begin_world();
    write_graph();
    varve_reader *reader = open_graph();
    for (; status; n++) {
        memory_put(world.memory, PAGE_NAME, "old", 3);
        test_fail_allocation(n, false);
        status = varve_page_write(reader, PAGE_NAME, NULL, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
        const void *bytes = memory_bytes(world.memory, PAGE_NAME, &size);
        cr_assert(size == 3 && memcmp(bytes, "old", 3) == 0);
        cr_assert_eq(memory_file_count(world.memory), 2);
    }
    cr_assert_gt(n, 0);
    varve_reader_free(reader);
    end_world();
}

/* Whole or as it was, whatever the system does. */
TEST(page, is_whole_or_as_it_was_where_the_system_fails)
{
    varve_error error = { 0 };
    size_t size, whole;
    begin_world();
    write_graph();
    varve_reader *reader = open_graph();
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, NULL, &error), error);
    char *page = page_text();
    memory_bytes(world.memory, PAGE_NAME, &whole);
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    reader->context.system = faulty_system(faulty);
    long n = 0;
    for (;; n++) {
        memory_put(world.memory, PAGE_NAME, "old", 3);
        faulty_plan(faulty, &(struct faulty_plan){ .number = n, .error = EIO });
        error.status = VARVE_OK;
        varve_status status = varve_page_write(reader, PAGE_NAME, NULL, &error);
        if (!faulty_hit(faulty))
            break;
        const void *bytes = memory_bytes(world.memory, PAGE_NAME, &size);
        if (!status || status == VARVE_UNKNOWN_OUTCOME)
            cr_assert(size == whole && memcmp(bytes, page, whole) == 0);
        else
            cr_assert(size == 3 && memcmp(bytes, "old", 3) == 0);
        cr_assert_eq(status, error.status);
    }
    cr_assert_gt(n, 5);
    cr_assert_eq(faulty_open_count(faulty), 0);
    reader->context.system = memory_system(world.memory);
    faulty_free(faulty);
    free(page);
    varve_reader_free(reader);
    end_world();
}

/* --- Many, and damaged -------------------------------------------------- */

TEST(page, has_a_hundred_thousand_nodes)
{
    enum { COUNT = 100000 };
    varve_error error = { 0 };
    char name[24];
    begin_world();
    varve_node *root = new_root();
    for (int i = 1; i < COUNT; i++) {
        snprintf(name, sizeof name, "kernel_%d", i);
        varve_add_variable(root, name, varve_scalar(&page_values[0]));
    }
    good(root);
    write_root(root);
    free_root(root);
    varve_reader *reader = open_graph();
    size_t before = test_byte_count();
    test_reset_peak();
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, NULL, &error), error);
    cr_assert_lt(test_peak_bytes() - before, 1 << 18);
    char *page = page_text();
    const char *kinds = strstr(page, "\"kinds\":\"");
    cr_assert(kinds);
    cr_assert_eq(strspn(kinds + 9, "12"), COUNT);
    cr_assert(strstr(page, "\"kernel_99999\""));
    free(page);
    varve_reader_free(reader);
    end_world();
}

/* The values are not looked at. */
TEST(page, is_made_of_a_damaged_file_too)
{
    varve_error error = { 0 };
    varve_saved_node node = { 0 };
    size_t size;
    begin_world();
    write_graph();
    varve_reader *reader = open_graph();
    cr_assert(varve_reader_find(reader, "model/kernel", &node));
    memory_bytes(world.memory, FILE_NAME, &size)[node.offset] ^= 1;
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, NULL, &error), error);
    varve_reader_free(reader);
    page_has("\"kinds\":\"11122\"");
    memory_bytes(world.memory, FILE_NAME, &size)[0] ^= 1;
    cr_assert_null(vv_reader_open_in(&world.context, FILE_NAME, &error));
    reader = vv_reader_salvage_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, NULL, &error), error);
    page_has("\"kinds\":\"11122\"");
    varve_reader_free(reader);
    end_world();
}

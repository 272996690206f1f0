/* test_event_queue_file.c - Tests the files of events and their names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "event_queue.h"
#include "file.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

static char path[4096];

/* Creates a file and sets `path`. */
static void make(const struct vv_context *context, const char *directory)
{
    varve_error error = { 0 };
    int file;
    char *made;
    cr_assert_ok(
        vv_event_file_create(context, directory, &file, &made, &error), error);
    vv_file_close(context, file);
    strcpy(path, made);
    vv_release_string(&context->allocator, made);
}

TEST(event_file, is_named_by_time_host_process_and_number)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    memory_set_now(memory, INT64_C(1700000000999999999));
    make(&context, "run");
    cr_assert_str_eq(path, "run/events.out.tfevents.1700000000.machine.1.0");
    make(&context, "deep/er/");
    cr_assert_str_eq(
        path, "deep/er/events.out.tfevents.1700000000.machine.1.0");
    memory_free(memory);
}

TEST(event_file, sorts_after_existing_files)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    static const char *const others[] = { "events.out.tfevents.17.x.1.0.more",
        "events.out.tfevents.9999999999999.x", "events.out.tfevents.x.y",
        "events.out.tfevents.", "notes.9999999998", "events.out.tfevents" };
    memory_set_now(memory, INT64_C(1700000000000000000));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char name[128] = "run/";
        memory_put(memory, strcat(name, others[i]), "", 0);
    }
    make(&context, "run");
    cr_assert_str_eq(path, "run/events.out.tfevents.1700000000.machine.1.0");
    make(&context, "run");
    cr_assert_str_eq(path, "run/events.out.tfevents.1700000001.machine.1.0");
    memory_set_now(memory, INT64_C(1000000000000000000)); /* set back */
    make(&context, "run");
    cr_assert_str_eq(path, "run/events.out.tfevents.1700000002.machine.1.0");
    memory_set_now(memory, -1);
    make(&context, "run");
    cr_assert_str_eq(path, "run/events.out.tfevents.1700000003.machine.1.0");
    memory_free(memory);
}

TEST(event_file, has_a_unique_name_at_the_largest_time)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    memory_put(memory, "run/events.out.tfevents.9999999999.z", "", 0);
    memory_set_now(memory, 0);
    make(&context, "run");
    cr_assert_str_eq(path, "run/events.out.tfevents.0000000000.machine.1.0");
    make(&context, "run");
    cr_assert_str_eq(path, "run/events.out.tfevents.0000000000.machine.1.1");
    memory_free(memory);
}

static int64_t odd_process(void *state, char *machine, size_t size)
{
    (void)state;
    memset(machine, '/', size - 1);
    machine[size - 1] = '\0';
    memcpy(machine, "a-b.C9\xc3\xa4 ", 9);
    return INT64_MAX;
}

TEST(event_file, accepts_any_host_name)
{
    struct memory *memory = memory_new();
    struct vv_system system = *memory_system(memory);
    system.process = odd_process;
    struct vv_context context = test_context(&system);
    make(&context, "run");
    cr_assert_neq(strstr(path, ".a-b.C9___"), NULL);
    cr_assert_neq(strstr(path, "_.9223372036854775807.0"), NULL);
    memory_free(memory);
}

TEST(event_file, is_created_in_a_real_directory)
{
    struct vv_context context = test_context(&vv_posix_system);
    make(&context, test_path("a/b"));
    size_t size;
    void *bytes = test_read_file(path, &size);
    cr_assert_eq(size, 0);
    free(bytes);
    make(&context, test_path("a/b"));
    test_write_file(test_path("file"), "x", 1);
    varve_error error = { 0 };
    int file;
    char *made;
    cr_assert_eq(
        vv_event_file_create(&context, test_path("file"), &file, &made, &error),
        VARVE_NOT_FOUND);
    cr_assert_neq(strstr(error.message, "file: "), NULL);
}

TEST(event_file, without_memory_leaves_no_file)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    varve_error error = { 0 };
    int file;
    char *made;
    varve_status status;
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        status = vv_event_file_create(&context, "run", &file, &made, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(memory_file_count(memory), 0);
        cr_assert_eq(memory_open_count(memory), 0);
    }
    vv_file_close(&context, file);
    vv_release_string(&context.allocator, made);
    memory_free(memory);
}

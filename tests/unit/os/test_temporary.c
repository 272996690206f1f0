/* test_temporary.c - Tests temporary files: remains are removed, and files in
 * use are not.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "publishing.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "temporary.h"

#define LEFT ".f.0123456789abcdef.tmp"

static varve_status make(struct vv_temporary *t,
    const struct vv_context *context, const char *name)
{
    varve_error error;
    return vv_temporary_make(
        t, context, VV_WORKING_DIRECTORY, name, name, false, &error);
}

static void end(struct vv_temporary *t)
{
    vv_file_close(t->context, t->file);
    vv_temporary_remove(t);
}

TEST(temporary, an_abandoned_file_is_removed)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    memory_put(memory, LEFT, "left", 4);
    vv_temporary_sweep(&context, VV_WORKING_DIRECTORY, "f");
    cr_assert_eq(memory_file_count(memory), 0);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

TEST(temporary, other_files_are_kept)
{
    static const char *const others[] = { "f", "f.0123456789abcdef.tmp",
        ".f.tmp", ".f.0123456789abcde.tmp", ".f.0123456789abcdeg.tmp",
        ".f.0123456789ABCDEF.tmp", ".f.0123456789abcdef.tmp2",
        ".f.00123456789abcdef.tmp", ".f.x.0123456789abcdef.tmp",
        ".g.0123456789abcdef.tmp", ".ff.0123456789abcdef.tmp", ".f",
        "..0123456789abcdef.tmp" };
    enum { COUNT = sizeof others / sizeof *others };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    for (size_t i = 0; i < COUNT; i++)
        memory_put(memory, others[i], "other", 5);
    vv_temporary_sweep(&context, VV_WORKING_DIRECTORY, "f");
    cr_assert_eq(memory_file_count(memory), COUNT);
    memory_free(memory);
}

TEST(temporary, a_file_that_is_being_written_is_kept)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    struct vv_temporary t;
    cr_assert_eq(make(&t, &context, "f"), VARVE_OK);
    vv_temporary_sweep(&context, VV_WORKING_DIRECTORY, "f");
    cr_assert_eq(memory_file_count(memory), 1);
    vv_file_close(&context, t.file); /* and not yet renamed */
    vv_temporary_sweep(&context, VV_WORKING_DIRECTORY, "f");
    cr_assert_eq(memory_file_count(memory), 1);
    vv_temporary_release(&t);
    vv_temporary_sweep(&context, VV_WORKING_DIRECTORY, "f");
    cr_assert_eq(memory_file_count(memory), 0);
    memory_free(memory);
}

TEST(temporary, long_names_are_shortened_and_recognized)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    char name[256] = "";
    for (int i = 0; i < 127; i++)
        strcat(name, "\xc3\xa9"); /* a byte limit would split a character */
    struct vv_temporary t;
    cr_assert_eq(make(&t, &context, name), VARVE_OK);
    cr_assert_leq(strlen(t.name), 255);
    vv_file_close(&context, t.file);
    vv_temporary_release(&t);
    vv_temporary_sweep(&context, VV_WORKING_DIRECTORY, name);
    cr_assert_eq(memory_file_count(memory), 0);
    memory_free(memory);
}

/* Another process that cleans up just before a call of the one that creates a
 * file. */
struct rival {
    struct vv_context context;
    bool is_slow; /* removes files that it locked only later */
    int file;     /* the file that it locked, or -1 */
    char name[256];
};

static int lock_it(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    struct rival *rival = user;
    const struct vv_system *system = rival->context.system;
    rival->file = system->open_file(
        system->state, VV_WORKING_DIRECTORY, name);
    cr_assert_eq(system->lock(system->state, rival->file), 0);
    snprintf(rival->name, sizeof rival->name, "%s", name);
    return 1;
}

static void come_between(void *user)
{
    struct rival *rival = user;
    const struct vv_system *system = rival->context.system;
    if (rival->is_slow)
        system->each_name(
            system->state, VV_WORKING_DIRECTORY, lock_it, rival);
    else
        vv_temporary_sweep(&rival->context, VV_WORKING_DIRECTORY, "f");
}

static void come_to_the_end(struct rival *rival)
{
    const struct vv_system *system = rival->context.system;
    if (rival->file >= 0) {
        system->remove(system->state, VV_WORKING_DIRECTORY, rival->name);
        vv_file_close(&rival->context, rival->file);
    }
    vv_temporary_sweep(&rival->context, VV_WORKING_DIRECTORY, "f");
}

/* Regardless of the other process's actions at any call, the created file gets
 * its name and cannot be removed any longer. */
static bool make_beside_rival(long number, bool is_slow)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    struct rival rival = { .context = test_context(memory_system(memory)),
        .is_slow = is_slow, .file = -1 };
    faulty_plan(faulty, &(struct faulty_plan){ .number = number,
        .kinds = FAULTY_OPEN | FAULTY_LOCK | FAULTY_CLOSE,
        .way = FAULTY_STOPS, .stop = come_between, .user = &rival });
    struct vv_temporary t;
    cr_assert_eq(make(&t, &context, "f"), VARVE_OK);
    bool was_hit = faulty_hit(faulty);
    come_to_the_end(&rival);
    size_t size;
    cr_assert(memory_bytes(memory, t.name, &size), "swept at %ld", number);
    end(&t);
    cr_assert_eq(memory_file_count(memory), 0);
    cr_assert_eq(memory_open_count(memory), 0);
    faulty_free(faulty);
    memory_free(memory);
    return was_hit;
}

TEST(temporary, a_concurrent_cleanup_does_not_remove_the_new_file)
{
    long number = 0;
    while (make_beside_rival(number, false))
        number++;
    cr_assert_eq(number, 4, "open, lock, open again, close");
    cr_assert(make_beside_rival(1, true), "just before the lock");
}

TEST(temporary, without_locks_saves_work_and_nothing_is_removed)
{
    struct memory *memory = memory_new();
    struct faulty *faulty = faulty_new(memory_system(memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error;
    memory_put(memory, LEFT, "left", 4);
    faulty_plan(faulty, &(struct faulty_plan){
        .kinds = FAULTY_LOCK, .sticky = true, .error = EOPNOTSUPP });
    cr_assert_ok(publish(&context, "f", 0, "new", &error), error);
    cr_assert(holds(&context, "f", "new"));
    cr_assert_eq(memory_file_count(memory), 2);
    faulty_free(faulty);
    memory_free(memory);
}

TEST(temporary, unreadable_files_are_kept_and_do_not_fail_a_save)
{
    static const unsigned kinds[] = { FAULTY_OPEN, FAULTY_EACH_NAME };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        varve_error error;
        memory_put(memory, LEFT, "left", 4);
        faulty_plan(faulty, &(struct faulty_plan){
            .kinds = kinds[i], .sticky = true, .error = EACCES });
        cr_assert_ok(publish(&context, "f", 0, "new", &error), error);
        cr_assert(faulty_hit(faulty));
        faulty_plan(faulty, NULL);
        cr_assert(holds(&context, "f", "new"));
        cr_assert_eq(memory_file_count(memory), 2);
        faulty_free(faulty);
        memory_free(memory);
    }
}

/* On the real system, where the lock of a killed process is released. */
TEST(temporary, the_next_save_removes_files_of_a_killed_process)
{
    struct vv_context context = test_context(&vv_posix_system);
    char path[512];
    varve_error error;
    snprintf(path, sizeof path, "%s", test_path("f"));
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* in case the test hangs */
        struct vv_publication p;
        bool is_begun = !vv_publish_begin(&p, &context, path, 0, &error);
        if (!is_begun || write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char byte;
    cr_assert_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    cr_assert_ok(publish(&context, path, 0, "new", &error), error);
    cr_assert_eq(test_file_count(), 2, "it is still being written");
    kill(child, SIGKILL);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    cr_assert_ok(publish(&context, path, 0, "new", &error), error);
    cr_assert_eq(test_file_count(), 1);
}

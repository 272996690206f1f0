/* test_posix_tracking.c - Tests dirty-page tracking of this machine's kernel,
 * which must report every write.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system.h"

static const struct vv_system *const s = &vv_posix_system;

enum { PAGES = 64, PAGE = VV_PAGE_SIZE, SIZE = PAGES * PAGE };

static int tracker = -1;
static unsigned char *memory;
static char reported[PAGES + 1]; /* a letter for each page */

static unsigned char *map_pages(int flags, int file)
{
    void *mapped =
        mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, file, 0);
    cr_assert(mapped != MAP_FAILED);
    return mapped;
}

static void tell(void *user, void *address, size_t size)
{
    size_t at = (size_t)((unsigned char *)address - memory);
    (void)user;
    cr_assert(at < SIZE && size && size <= SIZE - at);
    cr_assert_eq(at % PAGE + size % PAGE, 0);
    memset(reported + at / PAGE, 'w', size / PAGE);
}

/* Returns the written pages as a string, and arms them again. */
static const char *written(void)
{
    memset(reported, '-', PAGES);
    int result =
        s->each_written(s->state, tracker, memory, SIZE, tell, NULL);
    cr_assert_eq(result, 0, "%s", strerror(-result));
    return reported;
}

static int arm(void)
{
    return s->arm(s->state, tracker, memory, SIZE, tell, NULL);
}

static const char *row(char letter)
{
    static char text[PAGES + 1];
    memset(text, letter, PAGES);
    return text;
}

/* The tests pass without effect if the machine has no tracking. */
static bool begin(void)
{
    tracker = s->open_tracker(s->state);
    memory = map_pages(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memset(memory, 1, SIZE);
    int result = tracker < 0 ? tracker :
        s->track(s->state, tracker, memory, SIZE);
    if (result >= 0)
        result = arm();
    if (result >= 0)
        return true;
    fprintf(stderr, "tracking: not tried, this machine has none: %s\n",
        strerror(-result));
    if (tracker >= 0)
        s->close(s->state, tracker);
    munmap(memory, SIZE);
    return false;
}

static void end(void)
{
    cr_assert_eq(s->untrack(s->state, tracker, memory, SIZE), 0);
    cr_assert_str_eq(written(), row('w'));
    cr_assert_eq(s->close(s->state, tracker), 0);
    munmap(memory, SIZE);
}

TEST(posix_tracking, reports_written_pages_until_they_are_reset)
{
    if (!begin())
        return;
    cr_assert_str_eq(written(), row('-'));
    memory[0] = 2;
    memory[PAGE * 5 - 1] = memory[PAGE * 5] = 2;
    memory[SIZE - 1] = 2;
    for (int i = 0; i < 2; i++) {
        cr_assert_str_eq(written(), "w---ww---------------------------------"
                                    "------------------------w");
    }
    memset(reported, '-', PAGES);
    cr_assert_eq(arm(), 0);
    cr_assert_str_eq(reported, "w---ww---------------------------------"
                           "------------------------w", "reported by arming");
    cr_assert_str_eq(written(), row('-'));
    memory[PAGE] = 1; /* writing the same value counts as a write */
    cr_assert_eq(written()[1], 'w');
    end();
}

TEST(posix_tracking, does_not_report_read_pages)
{
    volatile unsigned char sum = 0;
    if (!begin())
        return;
    for (size_t i = 0; i < SIZE; i += PAGE / 2)
        sum = (unsigned char)(sum + memory[i]);
    cr_assert_str_eq(written(), row('-'));
    end();
}

TEST(posix_tracking, detects_writes_by_the_kernel)
{
    unsigned char bytes[PAGE * 2] = { 7 };
    int pipes[2];
    if (!begin())
        return;
    cr_assert_eq(pipe(pipes), 0);
    cr_assert_eq(write(pipes[1], bytes, sizeof bytes), (ssize_t)sizeof bytes);
    cr_assert_eq(read(pipes[0], memory + PAGE * 3, sizeof bytes),
        (ssize_t)sizeof bytes);
    cr_assert_eq(memcmp(written(), "---ww-", 6), 0, "%s", reported);
    close(pipes[0]);
    close(pipes[1]);
    end();
}

static void *write_one(void *unused)
{
    memory[PAGE * 9] = 3;
    return unused;
}

TEST(posix_tracking, detects_writes_by_other_threads)
{
    pthread_t thread;
    if (!begin())
        return;
    cr_assert_eq(pthread_create(&thread, NULL, write_one, NULL), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(strchr(written(), 'w') - reported, 9);
    end();
}

/* Pages became zeros without a write. */
TEST(posix_tracking, reports_discarded_pages)
{
    if (!begin())
        return;
    madvise(memory + PAGE, PAGE * 2, MADV_DONTNEED);
    cr_assert_eq(memcmp(written(), "-ww-", 4), 0, "%s", reported);
    cr_assert_eq(memory[PAGE], 0);
    cr_assert_eq(memcmp(written(), "-ww-", 4), 0, "%s", reported);
    end();
}

TEST(posix_tracking, reports_newly_mapped_pages)
{
    if (!begin())
        return;
    void *again = mmap(memory + PAGE, PAGE * 2, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    cr_assert_eq(again, memory + PAGE);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(memcmp(written(), "-ww-", 4), 0, "%s", reported);
        cr_assert_lt(arm(), 0, "there is memory that cannot be armed");
    }
    cr_assert_eq(s->track(s->state, tracker, memory, SIZE), 0, "once more");
    cr_assert_eq(arm(), 0);
    memory[PAGE] = 4;
    cr_assert_eq(memcmp(written(), "-w", 2), 0, "%s", reported);
    end();
}

/* Memory is moved and its addresses are used by another mapping; the moved
 * memory is unknown. */
TEST(posix_tracking, reports_moved_memory)
{
    if (!begin())
        return;
    unsigned char *old = memory;
    unsigned char *place = map_pages(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memory = mremap(old, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    cr_assert_eq(memory, place);
    cr_assert_str_eq(written(), row('w'));
    void *again = mmap(old, SIZE, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memory = old;
    cr_assert_eq(again, old);
    cr_assert_str_eq(written(), row('w'));
    munmap(place, SIZE);
    s->track(s->state, tracker, memory, SIZE);
    end();
}

TEST(posix_tracking, reports_shrunk_and_grown_memory)
{
    if (!begin())
        return;
    void *cut = mremap(memory, SIZE, SIZE / 2, 0);
    cr_assert_eq(cut, memory);
    void *grown = mremap(memory, SIZE / 2, SIZE, 0);
    cr_assert_eq(grown, memory);
    for (int i = 0; i < PAGES; i++)
        cr_assert_eq(written()[i], i < PAGES / 2 ? '-' : 'w', "%s", reported);
    end();
}

TEST(posix_tracking, continues_when_page_protection_changes)
{
    if (!begin())
        return;
    mprotect(memory, PAGE * 4, PROT_READ);
    mprotect(memory, PAGE * 4, PROT_READ | PROT_WRITE);
    cr_assert_str_eq(written(), row('-'));
    memory[PAGE] = 5;
    cr_assert_eq(memcmp(written(), "-w-", 3), 0, "%s", reported);
    end();
}

/* The child has no tracking, and does not affect its parent. */
TEST(posix_tracking, does_not_exist_in_a_forked_child)
{
    int status;
    if (!begin())
        return;
    memory[PAGE * 7] = 6;
    pid_t child = fork();
    if (child == 0) {
        bool all = strcmp(written(), row('w')) == 0;
        _exit(all && arm() < 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    memory[PAGE * 8] = 6; /* copied on this write, and reported */
    cr_assert_eq(memcmp(written(), "-------ww-", 10), 0, "%s", reported);
    end();
}

TEST(posix_tracking, is_refused_for_shared_and_file_memory)
{
    if (!begin())
        return;
    unsigned char *ours = memory;
    int file = open(test_path("file"), O_RDWR | O_CREAT, 0666);
    cr_assert_eq(ftruncate(file, SIZE), 0);
    unsigned char *others[] = {
        map_pages(MAP_SHARED | MAP_ANONYMOUS, -1),
        map_pages(MAP_SHARED, file),
        map_pages(MAP_PRIVATE, file),
    };
    for (size_t i = 0; i < 3; i++) {
        memory = others[i];
        cr_assert_eq(s->track(s->state, tracker, memory, SIZE), -ENOTSUP);
        cr_assert_str_eq(written(), row('w'));
        munmap(memory, SIZE);
    }
    cr_assert_lt(s->track(s->state, tracker, memory, SIZE), 0, "not mapped");
    close(file);
    memory = ours;
    end();
}

TEST(posix_tracking, allows_one_tracker_for_an_address)
{
    if (!begin())
        return;
    int second = s->open_tracker(s->state);
    cr_assert_geq(second, 0);
    cr_assert_eq(s->track(s->state, second, memory, SIZE), -EBUSY);
    s->close(s->state, second);
    memory[PAGE] = 2;
    cr_assert_eq(memcmp(written(), "-w-", 3), 0, "%s", reported);
    end();
}

static void count_any(void *user, void *address, size_t size)
{
    (void)user;
    (void)address;
    (void)size;
}

static void count(void *user, void *address, size_t size)
{
    size_t *pages = user;
    cr_assert_eq((uintptr_t)address % (2 * PAGE), 0);
    cr_assert_eq(size, PAGE);
    ++*pages;
}

TEST(posix_tracking, reports_more_runs_than_fit_one_system_call)
{
    enum { MANY = 2000, LARGE = MANY * PAGE };
    size_t pages = 0;
    if (!begin())
        return;
    unsigned char *large = mmap(NULL, LARGE + PAGE, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *even = large + (uintptr_t)large % (2 * PAGE);
    memset(large, 1, LARGE + PAGE);
    cr_assert_eq(s->track(s->state, tracker, even, LARGE), 0);
    s->arm(s->state, tracker, even, LARGE, count_any, NULL);
    for (size_t i = 0; i < MANY; i += 2)
        even[i * PAGE] = 2;
    cr_assert_eq(
        s->each_written(s->state, tracker, even, LARGE, count, &pages), 0);
    cr_assert_eq(pages, MANY / 2);
    cr_assert_eq(s->arm(s->state, tracker, even, LARGE, count, &pages), 0);
    cr_assert_eq(pages, MANY);
    munmap(large, LARGE + PAGE);
    end();
}

TEST(posix_tracking, fails_for_memory_that_is_not_mapped)
{
    cr_assert_lt(s->track(s->state, -1, &tracker, PAGE), 0);
    cr_assert_lt(s->untrack(s->state, -1, &tracker, PAGE), 0);
}

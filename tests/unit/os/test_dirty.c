/* test_dirty.c - Tests dirty-page tracking.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dirty.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

enum { PAGE = VV_PAGE_SIZE, PAGES = 128, SIZE = PAGES * PAGE };

/* A machine that detects writes by comparison, below a faulty system. */
static struct {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context;
    struct vv_dirty *dirty;
    unsigned char *bytes; /* with an additional page on each side */
    char text[PAGES + 1];
} world;

static void begin(void)
{
    world.memory = memory_new();
    world.faulty = faulty_new(memory_system(world.memory));
    world.context = test_context(faulty_system(world.faulty));
    void *mapped = mmap(NULL, SIZE + 2 * PAGE, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(mapped != MAP_FAILED);
    world.bytes = (unsigned char *)mapped + PAGE;
    world.dirty = vv_dirty_new(&world.context);
    cr_assert(world.dirty);
}

static void end(void)
{
    vv_dirty_free(world.dirty);
    cr_assert_eq(faulty_open_count(world.faulty), 0);
    munmap(world.bytes - PAGE, SIZE + 2 * PAGE);
    faulty_free(world.faulty);
    memory_free(world.memory);
}

static uint64_t look(const void *bytes, size_t size)
{
    vv_dirty_request(world.dirty, bytes, size);
    return vv_dirty_look(world.dirty);
}

/* Returns a letter for each page of a range, by its first byte there. */
static const char *since(
    uint64_t moment, const unsigned char *bytes, size_t size)
{
    size_t at = 0;
    memset(world.text, ' ', PAGES);
    while (at < size) {
        bool is_written;
        size_t run = vv_dirty_run(
            world.dirty, moment, bytes + at, size - at, &is_written);
        cr_assert(run && run <= size - at);
        for (size_t i = at; i < at + run; i++) {
            size_t place = (size_t)(bytes - world.bytes) + i;
            if (place % PAGE == 0 || i == 0)
                world.text[place / PAGE] = is_written ? 'w' : '-';
        }
        at += run;
    }
    return world.text;
}

static const char *row(char letter)
{
    static char text[PAGES + 1];
    memset(text, letter, PAGES);
    return text;
}

static const char *all_since(uint64_t moment)
{
    return since(moment, world.bytes, SIZE);
}

TEST(dirty, finds_the_pages_written_since_each_moment)
{
    begin();
    uint64_t first = look(world.bytes, SIZE);
    cr_assert_str_eq(all_since(first), row('-'));
    cr_assert_str_eq(all_since(first - 1), row('w'));
    world.bytes[0] = 1;
    world.bytes[3 * PAGE - 1] = 1;
    uint64_t second = look(world.bytes, SIZE);
    cr_assert_eq(strncmp(all_since(first), "w-w-", 4), 0);
    cr_assert_str_eq(all_since(second), row('-'));
    world.bytes[2 * PAGE] = 2;
    world.bytes[SIZE - 1] = 2;
    uint64_t third = look(world.bytes, SIZE);
    cr_assert_eq(strncmp(all_since(first), "w-w-", 4), 0);
    cr_assert_eq(strncmp(all_since(second), "--w-", 4), 0);
    cr_assert_eq(all_since(second)[PAGES - 1], 'w');
    cr_assert_str_eq(all_since(third), row('-'));
    end();
}

static uint64_t glance(const void *bytes, size_t size)
{
    vv_dirty_request(world.dirty, bytes, size);
    return vv_dirty_glance(world.dirty);
}

/* A glance does not arm pages, so they are reported again. */
TEST(dirty, peeks_without_resetting_and_misses_nothing_later)
{
    begin();
    uint64_t first = look(world.bytes, SIZE);
    world.bytes[0] = 1;
    uint64_t second = glance(world.bytes, SIZE);
    cr_assert_eq(strncmp(all_since(first), "w--", 3), 0);
    cr_assert_str_eq(all_since(second), row('-'));
    world.bytes[PAGE] = 1;
    uint64_t third = look(world.bytes, SIZE);
    cr_assert_eq(strncmp(all_since(second), "ww-", 3), 0);
    cr_assert_str_eq(all_since(third), row('-'));
    look(world.bytes, SIZE);
    cr_assert_str_eq(all_since(third), row('-'), "armed by the look");
    end();
}

TEST(dirty, checks_whole_pages_and_reports_others_as_written)
{
    begin();
    uint64_t moment = look(world.bytes + 1, SIZE - 2);
    const char *text = all_since(moment);
    cr_assert_eq(text[0], 'w');
    cr_assert_eq(text[1], '-');
    cr_assert_eq(text[PAGES - 2], '-');
    cr_assert_eq(text[PAGES - 1], 'w');
    moment = look(world.bytes + PAGE, (256 << 10) - 1);
    cr_assert_str_eq(all_since(moment), row('w'), "not asked for");
    end();
}

TEST(dirty, does_not_track_small_ranges)
{
    begin();
    uint64_t moment = look(world.bytes, (256 << 10) - 1);
    cr_assert_str_eq(all_since(moment), row('w'));
    moment = look(world.bytes, 256 << 10);
    cr_assert_eq(all_since(moment)[0], '-');
    cr_assert_eq(all_since(moment)[63], '-');
    cr_assert_eq(all_since(moment)[64], 'w');
    end();
}

/* A whole, and two adjacent parts of it. */
TEST(dirty, accepts_overlapping_values)
{
    begin();
    vv_dirty_request(world.dirty, world.bytes + 32 * PAGE, SIZE / 2);
    vv_dirty_request(world.dirty, world.bytes, SIZE);
    vv_dirty_request(world.dirty, world.bytes, SIZE / 2);
    uint64_t moment = vv_dirty_look(world.dirty);
    cr_assert_str_eq(all_since(moment), row('-'));
    world.bytes[31 * PAGE] = world.bytes[32 * PAGE] = 1;
    world.bytes[96 * PAGE - 1] = world.bytes[96 * PAGE] = 1;
    look(world.bytes, SIZE);
    for (size_t i = 0; i < PAGES; i++) {
        bool is_written = i == 31 || i == 32 || i == 95 || i == 96;
        cr_assert_eq(all_since(moment)[i], is_written ? 'w' : '-', "%zu", i);
    }
    end();
}

TEST(dirty, reports_unchecked_pages_as_written)
{
    begin();
    uint64_t first = look(world.bytes, SIZE / 2);
    world.bytes[0] = 1;
    look(world.bytes + SIZE / 2, SIZE / 2);
    cr_assert_eq(all_since(first)[1], 'w', "nobody asked this time");
    look(world.bytes, SIZE / 2);
    cr_assert_eq(strncmp(all_since(first), "w--", 3), 0);
    cr_assert_eq(all_since(first)[PAGES / 2], 'w');
    end();
}

static long tracked(void)
{
    return faulty_count(world.faulty);
}

static void count_calls(void)
{
    faulty_plan(world.faulty,
        &(struct faulty_plan){ .number = -1, .kinds = FAULTY_TRACK });
}

static void write_all(void)
{
    for (size_t i = 0; i < SIZE; i += PAGE)
        world.bytes[i]++;
}

/* Returns the number of looks that found unwritten pages, or could have. */
static int armed_looks(int looks)
{
    int count = 0;
    for (int i = 0; i < looks; i++) {
        write_all();
        look(world.bytes, SIZE);
        uint64_t moment = look(world.bytes, SIZE);
        count += strcmp(all_since(moment - 1), row('-')) == 0;
    }
    return count;
}

TEST(dirty, stops_tracking_memory_that_is_always_written)
{
    begin();
    look(world.bytes, SIZE);
    count_calls();
    for (int i = 0; i < 300; i++) {
        write_all();
        uint64_t moment = look(world.bytes, SIZE);
        cr_assert_str_eq(all_since(moment - 1), row('w'));
    }
    /* Looked at, tracked, armed: after 2, 5, 17, 65 and 65 looks. */
    cr_assert_leq(tracked(), 3 * 8);
    cr_assert_geq(tracked(), 3 * 5);
    end();
}

TEST(dirty, tracks_again_when_less_is_written)
{
    begin();
    look(world.bytes, SIZE);
    armed_looks(100);
    int rest = 0;
    uint64_t moment;
    do {
        moment = look(world.bytes, SIZE);
        rest++;
    } while (strcmp(all_since(moment - 1), row('-')) != 0);
    cr_assert_leq(rest, 67);
    for (int i = 0; i < 10; i++) {
        memset(world.bytes, 10 + i, SIZE / 4);
        moment = look(world.bytes, SIZE);
        cr_assert_eq(all_since(moment - 1)[PAGES / 4 - 1], 'w');
        cr_assert_eq(all_since(moment - 1)[PAGES / 4], '-');
    }
    memset(world.bytes, 1, SIZE / 4 + PAGE);
    look(world.bytes, SIZE);
    moment = look(world.bytes, SIZE);
    cr_assert_str_eq(all_since(moment - 1), row('w'), "a short rest");
    look(world.bytes, SIZE);
    moment = look(world.bytes, SIZE);
    cr_assert_str_eq(all_since(moment - 1), row('-'));
    end();
}

TEST(dirty, releases_memory_that_is_not_queried)
{
    begin();
    look(world.bytes, SIZE / 2);
    long blocks = test_block_count();
    for (int i = 0; i < 80; i++)
        look(world.bytes + SIZE / 2, SIZE / 2);
    cr_assert_eq(test_block_count(), blocks);
    count_calls();
    look(world.bytes + SIZE / 2, SIZE / 2);
    cr_assert_eq(tracked(), 1, "one range, which is armed as it was");
    world.bytes[SIZE / 2] = 1;
    look(world.bytes + SIZE / 2, SIZE / 2);
    cr_assert_eq(tracked(), 3, "and armed again");
    end();
}

TEST(dirty, is_shared)
{
    begin();
    struct vv_dirty *second = vv_dirty_share(world.dirty);
    cr_assert_eq(second, world.dirty);
    vv_dirty_free(second);
    uint64_t moment = look(world.bytes, SIZE);
    cr_assert_str_eq(all_since(moment), row('-'));
    end();
    vv_dirty_free(NULL);
}

/* After any failure, written pages are never reported as unwritten. */
static long try_failing(long number, bool sticky)
{
    begin();
    uint64_t moment = look(world.bytes, SIZE);
    faulty_plan(world.faulty, &(struct faulty_plan){ .number = number,
                                  .sticky = sticky,
                                  .kinds = FAULTY_TRACK,
                                  .error = EPERM });
    for (int i = 0; i < 30; i++) {
        size_t page = ((size_t)i * 37 + 7) % PAGES;
        world.bytes[page * PAGE]++;
        if (i % 10 == 9)
            write_all();
        uint64_t now =
            i % 4 == 3 ? glance(world.bytes, SIZE) : look(world.bytes, SIZE);
        cr_assert_eq(all_since(moment)[page], 'w',
            "page %zu is not reported; call %ld, look %d", page, number, i);
        if (i % 10 == 9)
            cr_assert_str_eq(all_since(moment), row('w'));
        if (i % 3)
            moment = now;
    }
    long count = faulty_count(world.faulty);
    bool hit = faulty_hit(world.faulty);
    faulty_plan(world.faulty, NULL);
    end();
    return hit ? count : -1;
}

TEST(dirty, misses_no_page_if_any_call_fails)
{
    for (long i = 0; try_failing(i, false) >= 0; i++)
        try_failing(i, true);
}

TEST(dirty, reports_all_as_written_without_system_support)
{
    begin();
    vv_dirty_free(world.dirty);
    faulty_plan(world.faulty,
        &(struct faulty_plan){
            .number = 0, .error = EPERM, .kinds = FAULTY_OPEN_TRACKER });
    world.dirty = vv_dirty_new(&world.context);
    faulty_plan(world.faulty, NULL);
    uint64_t moment = look(world.bytes, SIZE);
    cr_assert_str_eq(all_since(moment), row('w'));
    cr_assert_eq(faulty_count(world.faulty), 0);
    end();
}

TEST(dirty, reports_all_as_written_without_memory)
{
    begin();
    for (long i = 0; i < 6; i++) {
        test_fail_allocation(i, true);
        struct vv_dirty *d = vv_dirty_new(&world.context);
        if (d) {
            bool is_written;
            vv_dirty_request(d, world.bytes, SIZE);
            uint64_t moment = vv_dirty_look(d);
            vv_dirty_run(d, moment, world.bytes, SIZE, &is_written);
            cr_assert_eq(is_written, i < 3, "%ld", i);
        }
        test_fail_allocation(-1, false);
        cr_assert_eq(d != NULL, i > 0);
        vv_dirty_free(d);
    }
    end();
}

/* --- On this machine ---------------------------------------------------- */

/* Applies random operations to memory; each look is compared with a copy. */
static void happen(unsigned what, size_t page, size_t pages)
{
    unsigned char *at = world.bytes + page * PAGE;
    switch (what) {
    case 0:
    case 1:
    case 2: at[what * 100] ^= 1; break;
    case 3: memset(at, (int)page, pages * PAGE); break;
    case 4: madvise(at, pages * PAGE, MADV_DONTNEED); break;
    case 5:
        mprotect(at, pages * PAGE, PROT_READ);
        mprotect(at, pages * PAGE, PROT_READ | PROT_WRITE);
        break;
    case 6:
        mmap(at, pages * PAGE, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        break;
    case 7:
        mmap(at, pages * PAGE, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        break;
    }
}

static void no_run(void *user, void *address, size_t size)
{
    (void)user;
    (void)address;
    (void)size;
}

/* Returns true if this machine supports tracking. */
static bool can_track(void)
{
    const struct vv_system *s = &vv_posix_system;
    int tracker = s->open_tracker(s->state);
    unsigned char *page = mmap(
        NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool can = tracker >= 0 && s->track(s->state, tracker, page, PAGE) >= 0 &&
               s->arm(s->state, tracker, page, PAGE, no_run, NULL) >= 0;
    munmap(page, PAGE);
    if (tracker >= 0)
        s->close(s->state, tracker);
    return can;
}

/* Returns true if some page was reported as unwritten. */
static bool check(unsigned char *copy, uint64_t moment)
{
    bool knows = false;
    for (size_t at = 0; at < SIZE;) {
        bool is_written;
        size_t run = vv_dirty_run(
            world.dirty, moment, world.bytes + at, SIZE - at, &is_written);
        if (is_written)
            memcpy(copy + at, world.bytes + at, run);
        knows |= !is_written;
        at += run;
    }
    cr_assert_eq(memcmp(copy, world.bytes, SIZE), 0, "a page is not reported");
    return knows;
}

TEST(dirty, agrees_with_a_copy_after_random_operations)
{
    enum { USERS = 3 };
    static unsigned char copies[USERS][SIZE];
    uint64_t moments[USERS] = { 0 };
    uint32_t random = 1;
    int looks = 0, known = 0;
    begin();
    world.context.system = &vv_posix_system;
    vv_dirty_free(world.dirty);
    world.dirty = vv_dirty_new(&world.context);
    for (int i = 0; i < 4000; i++) {
        random = random * 1664525 + 1013904223;
        size_t page = (random >> 8) % PAGES;
        unsigned kind = (random >> 16) % (random >> 26 ? 3 : 8);
        size_t most = PAGES - page < 9 ? PAGES - page : 9;
        happen(kind, page, 1 + (random >> 4) % most);
        if (i % 100 == 99)
            happen(6, 0, PAGES); /* shared memory is no longer shared */
        if (random >> 29 == 3)
            continue;
        unsigned user = (random >> 20) % USERS;
        uint64_t now = look(world.bytes, SIZE);
        known += check(copies[user], moments[user]);
        looks++;
        moments[user] = now;
    }
    cr_assert(!can_track() || known > looks / 4, "%d of %d", known, looks);
    end();
}

TEST(dirty, tracks_nothing_in_a_child_and_continues_in_its_parent)
{
    int status;
    begin();
    world.context.system = &vv_posix_system;
    vv_dirty_free(world.dirty);
    world.dirty = vv_dirty_new(&world.context);
    memset(world.bytes, 1, SIZE);
    uint64_t moment = look(world.bytes, SIZE);
    bool can = strcmp(all_since(moment), row('-')) == 0;
    pid_t child = fork();
    if (child == 0) {
        look(world.bytes, SIZE);
        bool all = strcmp(all_since(moment), row('w')) == 0;
        moment = look(world.bytes, SIZE);
        bool again = (strcmp(all_since(moment), row('-')) == 0) == can;
        vv_dirty_free(world.dirty);
        _exit(all && again ? 0 : 1);
    }
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    world.bytes[PAGE] = 2;
    look(world.bytes, SIZE);
    cr_assert_eq(strncmp(all_since(moment), can ? "-w-" : "www", 3), 0);
    end();
}

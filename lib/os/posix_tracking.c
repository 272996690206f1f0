/* posix_tracking.c - Write-protects pages with userfaultfd in asynchronous
 * mode, which lets the first write to each page through. The page map reports
 * the pages without a write.
 *
 * Only certain results are used: a page is unwritten if it is present,
 * protected, and in a mapping that this kernel protects. So memory that was
 * unmapped and mapped again, dropped (madvise) or copied by a fork counts as
 * written. Mappings that others can write to are never tracked.
 *
 * The headers can be older than the kernel, so missing definitions are here.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "posix_tracking.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants of userfaultfd. Handling faults of the kernel needs a privilege,
 * but asynchronous write protection does not. */
enum { USER_MODE_ONLY = 1 };
enum { GUARDS_WHAT_IS_EMPTY = 1 << 13, LETS_WRITES_PASS = 1 << 15 };

/* Structures of the page map. */
struct page_run {
    uint64_t start, end, categories;
};

struct page_scan {
    uint64_t size, flags, start, end, walk_end, runs, room, most_pages;
    uint64_t inverted, all_of, any_of, returned;
};

enum { PAGE_IS_GUARDABLE = 1, PAGE_IS_WRITTEN = 2, PAGE_IS_PRESENT = 8 };
enum { SCAN_GUARDS = 1, SCAN_FAILS_UNGUARDABLE = 2 };

#define SCAN_PAGES _IOWR('f', 16, struct page_scan)

/* Structure of the list of mappings. */
struct mapping_query {
    uint64_t size, flags, address;
    uint64_t start, end, is, page_size, offset, inode;
    uint32_t device[2], name_size, id_size;
    uint64_t name, id;
};

enum { MAPPING_IS_SHARED = 8 };

#define QUERY_MAPPING _IOWR('f', 17, struct mapping_query)

/* Uses syscall, because the type of the request parameter of ioctl differs
 * between C libraries. */
static int posix_tracking_call(
    int descriptor, unsigned long request, void *argument)
{
    long result = syscall(SYS_ioctl, descriptor, request, argument);
    return result < 0 ? -errno : (int)result;
}

static uint64_t posix_tracking_number(const void *address)
{
    return (uintptr_t)address;
}

static void *address_of(uint64_t number)
{
    return (void *)(uintptr_t)number;
}

int vv_posix_open_tracker(void *state)
{
    (void)state;
    struct uffdio_api api = { .api = UFFD_API,
        .features = GUARDS_WHAT_IS_EMPTY | LETS_WRITES_PASS };
    if (sysconf(_SC_PAGESIZE) != VV_PAGE_SIZE)
        return -ENOSYS;
    int made = (int)syscall(SYS_userfaultfd, O_CLOEXEC | USER_MODE_ONLY);
    if (made < 0)
        return -errno;
    int tracker = fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int result =
        tracker < 0 ? -errno : posix_tracking_call(tracker, UFFDIO_API, &api);
    close(made);
    if (result < 0 && tracker >= 0)
        close(tracker);
    return result < 0 ? result : tracker;
}

static int open_own(const char *name)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    return file < 0 ? -errno : file;
}

/* Fails with -ENOTSUP unless only this process can write to a range. */
static int check_mappings(uint64_t at, uint64_t end)
{
    int maps = open_own("/proc/thread-self/maps"), result = maps < 0 ? maps : 0;
    while (result >= 0 && at < end) {
        struct mapping_query query = { .size = sizeof query, .address = at };
        result = posix_tracking_call(maps, QUERY_MAPPING, &query);
        if (result >= 0 &&
            (query.is & MAPPING_IS_SHARED || query.inode || query.end <= at))
            result = -ENOTSUP;
        at = query.end;
    }
    if (maps >= 0)
        close(maps);
    return result;
}

int vv_posix_track(void *state, int tracker, void *address, size_t size)
{
    (void)state;
    struct uffdio_register wanted = {
        .range = { .start = posix_tracking_number(address), .len = size },
        .mode = UFFDIO_REGISTER_MODE_WP,
    };
    int result = check_mappings(
        posix_tracking_number(address), posix_tracking_number(address) + size);
    return result < 0 ? result
                      : posix_tracking_call(tracker, UFFDIO_REGISTER, &wanted);
}

int vv_posix_untrack(void *state, int tracker, void *address, size_t size)
{
    (void)state;
    struct uffdio_range range = { .start = posix_tracking_number(address),
        .len = size };
    return posix_tracking_call(tracker, UFFDIO_UNREGISTER, &range);
}

struct reporter {
    vv_each_run *each;
    void *user;
    uint64_t reported; /* end of the range reported so far */
};

static void posix_tracking_report(
    const struct reporter *reporter, uint64_t start, uint64_t end)
{
    if (start < end)
        reporter->each(
            reporter->user, address_of(start), (size_t)(end - start));
}

typedef void on_run(struct reporter *reporter, const struct page_run *run);

/* Opens the page map each time, because a map that a parent process opened
 * shows the parent's memory. */
static int posix_tracking_scan(
    struct page_scan *wanted, struct reporter *reporter, on_run *visit)
{
    enum { ROOM = 256 };
    struct page_run runs[ROOM];
    int map = open_own("/proc/thread-self/pagemap"), found = map < 0 ? map : 0;
    wanted->size = sizeof *wanted;
    wanted->runs = posix_tracking_number(runs);
    wanted->room = ROOM;
    wanted->returned = PAGE_IS_WRITTEN;
    while (found >= 0 && wanted->start < wanted->end) {
        found = posix_tracking_call(map, SCAN_PAGES, wanted);
        for (int i = 0; i < found; i++)
            visit(reporter, &runs[i]);
        if (found >= 0 && wanted->walk_end <= wanted->start)
            found = -EIO;
        wanted->start = wanted->walk_end;
    }
    if (map >= 0)
        close(map);
    return found < 0 ? found : 0;
}

/* Reports the range before a known run. */
static void report_before(struct reporter *reporter, const struct page_run *run)
{
    posix_tracking_report(reporter, reporter->reported, run->start);
    reporter->reported = run->end;
}

int vv_posix_each_written(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    (void)state;
    (void)tracker;
    struct reporter reporter = { each, user, posix_tracking_number(address) };
    struct page_scan unwritten = { .start = posix_tracking_number(address),
        .end = posix_tracking_number(address) + size,
        .inverted = PAGE_IS_WRITTEN,
        .all_of = PAGE_IS_GUARDABLE | PAGE_IS_PRESENT | PAGE_IS_WRITTEN };
    int result = posix_tracking_scan(&unwritten, &reporter, report_before);
    posix_tracking_report(
        &reporter, reporter.reported, posix_tracking_number(address) + size);
    return result;
}

static void posix_tracking_report_run(
    struct reporter *reporter, const struct page_run *run)
{
    posix_tracking_report(reporter, run->start, run->end);
}

int vv_posix_arm(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    (void)state;
    (void)tracker;
    struct reporter reporter = { each, user, 0 };
    struct page_scan written = { .start = posix_tracking_number(address),
        .end = posix_tracking_number(address) + size,
        .flags = SCAN_GUARDS | SCAN_FAILS_UNGUARDABLE,
        .all_of = PAGE_IS_WRITTEN };
    return posix_tracking_scan(&written, &reporter, posix_tracking_report_run);
}

#else

int vv_posix_open_tracker(void *state)
{
    (void)state;
    return -ENOSYS;
}

int vv_posix_track(void *state, int tracker, void *address, size_t size)
{
    (void)state;
    (void)tracker;
    (void)address;
    (void)size;
    return -ENOSYS;
}

int vv_posix_untrack(void *state, int tracker, void *address, size_t size)
{
    (void)state;
    (void)tracker;
    (void)address;
    (void)size;
    return -ENOSYS;
}

int vv_posix_each_written(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    (void)state;
    (void)tracker;
    each(user, address, size);
    return -ENOSYS;
}

int vv_posix_arm(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    (void)state;
    (void)tracker;
    (void)address;
    (void)size;
    (void)each;
    (void)user;
    return -ENOSYS;
}

#endif

/* test_posix_system.c - Tests the real system.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system.h"

static const struct vv_system *const s = &vv_posix_system;

static int open_test_directory(void)
{
    return s->open_directory(s->state, VV_WORKING_DIRECTORY, test_path(""));
}

static int create(int directory, const char *name)
{
    int file = s->create_file(s->state, directory, name);
    cr_assert_geq(file, 0);
    return file;
}

static mode_t mode_of(int descriptor)
{
    struct stat found;
    cr_assert_eq(fstat(descriptor, &found), 0);
    return found.st_mode & 07777;
}

TEST(posix_system, descriptors_close_on_exec)
{
    int directory = open_test_directory();
    int created = create(directory, "file");
    int opened = s->open_file(s->state, directory, "file");
    const int all[] = { directory, created, opened };
    for (size_t i = 0; i < 3; i++) {
        cr_assert(fcntl(all[i], F_GETFD) & FD_CLOEXEC);
        cr_assert_eq(s->close(s->state, all[i]), 0);
    }
}

TEST(posix_system, files_are_new_and_use_the_umask)
{
    int directory = open_test_directory();
    static const mode_t masks[] = { 0, 022, 077 };
    for (size_t i = 0; i < 3; i++) {
        mode_t old = umask(masks[i]);
        int file = create(directory, "file");
        cr_assert_eq(s->make_directory(s->state, directory, "sub"), 0);
        umask(old);
        int sub = s->open_directory(s->state, directory, "sub");
        cr_assert_eq(mode_of(file), 0666 & ~masks[i]);
        cr_assert_eq(mode_of(sub), 0777 & ~masks[i]);
        cr_assert_eq(s->create_file(s->state, directory, "file"), -EEXIST);
        s->close(s->state, file);
        s->close(s->state, sub);
        cr_assert_eq(s->remove(s->state, directory, "file"), 0);
        cr_assert_eq(s->remove(s->state, directory, "sub"), 0);
    }
    s->close(s->state, directory);
}

TEST(posix_system, creating_follows_no_link)
{
    int directory = open_test_directory();
    cr_assert_eq(symlinkat("elsewhere", directory, "link"), 0);
    cr_assert_eq(s->create_file(s->state, directory, "link"), -EEXIST);
    cr_assert_eq(s->open_file(s->state, directory, "elsewhere"), -ENOENT);
    s->close(s->state, directory);
}

TEST(posix_system, descriptors_are_never_standard_streams)
{
    test_write_file(test_path("file"), "x", 1);
    int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 50);
    close(STDIN_FILENO);
    int directory = open_test_directory();
    int opened = s->open_file(s->state, directory, "file");
    int created = create(directory, "new");
    cr_assert_eq(fcntl(STDIN_FILENO, F_GETFD), -1, "something is there");
    dup2(saved, STDIN_FILENO);
    close(saved);
    cr_assert_gt(directory, 2);
    cr_assert_gt(opened, 2);
    cr_assert_gt(created, 2);
    cr_assert(fcntl(created, F_GETFD) & FD_CLOEXEC);
    s->close(s->state, created);
    s->close(s->state, opened);
    s->close(s->state, directory);
}

/* No descriptor except the standard ones is available. */
TEST(posix_system, a_file_without_a_descriptor_is_not_created)
{
    int directory = open_test_directory();
    struct rlimit old, tight = { 3, 3 };
    int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 50);
    getrlimit(RLIMIT_NOFILE, &old);
    tight.rlim_max = old.rlim_max;
    close(STDIN_FILENO);
    setrlimit(RLIMIT_NOFILE, &tight);
    int created = s->create_file(s->state, directory, "new");
    setrlimit(RLIMIT_NOFILE, &old);
    dup2(saved, STDIN_FILENO);
    close(saved);
    cr_assert_lt(created, 0);
    cr_assert_eq(s->open_file(s->state, directory, "new"), -ENOENT);
    s->close(s->state, directory);
}

TEST(posix_system, reads_and_writes_bytes_at_offsets)
{
    int directory = open_test_directory();
    int file = create(directory, "file");
    char bytes[8] = "";
    cr_assert_eq(s->write_at(s->state, file, "abc", 3, 5), 3);
    cr_assert_eq(s->read_at(s->state, file, bytes, 8, 4), 4);
    cr_assert_eq(memcmp(bytes, "\0abc", 4), 0);
    cr_assert_eq(s->read_at(s->state, file, bytes, 8, 8), 0);
    cr_assert_eq(s->read_at(s->state, -1, bytes, 8, 8), -EBADF);
    struct vv_file_info info;
    cr_assert_eq(s->info(s->state, file, &info), 0);
    cr_assert_eq(info.kind, VV_REGULAR_FILE);
    cr_assert_eq(info.size, 8);
    cr_assert_eq(s->info(s->state, directory, &info), 0);
    cr_assert_eq(info.kind, VV_DIRECTORY);
    cr_assert_eq(s->info(s->state, -1, &info), -EBADF);
    cr_assert_eq(s->sync(s->state, file), 0);
    cr_assert_eq(s->sync(s->state, directory), 0);
    s->close(s->state, file);
    s->close(s->state, directory);
}

TEST(posix_system, reserving_allocates_space_and_keeps_the_size)
{
    int directory = open_test_directory();
    int file = create(directory, "file");
    cr_assert_eq(s->reserve(s->state, file, 0), 0);
    int result = s->reserve(s->state, file, 1 << 20);
    struct stat found;
    cr_assert_eq(fstat(file, &found), 0);
    cr_assert_eq(found.st_size, 0);
    if (result == 0)
        cr_assert_geq(found.st_blocks * 512, 1 << 20);
    else
        cr_assert_eq(result, -EOPNOTSUPP);
    s->close(s->state, file);
    s->close(s->state, directory);
}

TEST(posix_system, hints_are_accepted)
{
    int directory = open_test_directory();
    int file = create(directory, "file");
    cr_assert_eq(s->write_at(s->state, file, "abc", 3, 0), 3);
    int result = s->start_write_back(s->state, file, 0, 3);
    cr_assert(result == 0 || result == -ENOSYS);
    result = s->will_read(s->state, file, 0, 3);
    cr_assert(result == 0 || result == -ENOSYS);
    cr_assert_eq(s->will_read(s->state, -1, 0, 3), -EBADF);
    s->close(s->state, file);
    s->close(s->state, directory);
}

static volatile sig_atomic_t size_signals;

static void count_signal(int number)
{
    (void)number;
    size_signals++;
}

static bool is_pending(int number)
{
    sigset_t set;
    return sigpending(&set) == 0 && sigismember(&set, number) == 1;
}

static bool is_blocked(int number)
{
    sigset_t set;
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    return sigismember(&set, number) == 1;
}

static void limit_file_size(rlim_t size)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(posix_system, a_file_over_the_size_limit_is_an_error_and_no_signal)
{
    int directory = open_test_directory();
    int file = create(directory, "file");
    struct sigaction action = { .sa_handler = count_signal }, old;
    sigaction(SIGXFSZ, &action, &old);
    limit_file_size(4096);
    char bytes[8192] = "";
    int64_t first = s->write_at(s->state, file, bytes, 8192, 0);
    int64_t second = s->write_at(s->state, file, bytes, 4096, 4096);
    s->reserve(s->state, file, 1 << 20);
    limit_file_size(RLIM_INFINITY);
    cr_assert_eq(first, 4096);
    cr_assert_eq(second, -EFBIG);
    cr_assert_eq(size_signals, 0);
    cr_assert_not(is_pending(SIGXFSZ));
    cr_assert_not(is_blocked(SIGXFSZ));
    sigaction(SIGXFSZ, &old, NULL);
    s->close(s->state, file);
    s->close(s->state, directory);
}

TEST(posix_system, a_size_signal_of_another_sender_is_kept)
{
    int directory = open_test_directory();
    int file = create(directory, "file");
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, &mask);
    pthread_kill(pthread_self(), SIGXFSZ);
    limit_file_size(4096);
    char bytes[1] = "";
    int64_t result = s->write_at(s->state, file, bytes, 1, 4096);
    limit_file_size(RLIM_INFINITY);
    cr_assert_eq(result, -EFBIG);
    cr_assert(is_pending(SIGXFSZ));
    cr_assert(is_blocked(SIGXFSZ));
    int number;
    sigwait(&set, &number);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    s->close(s->state, file);
    s->close(s->state, directory);
}

TEST(posix_system, renames_with_and_without_replacing)
{
    int directory = open_test_directory();
    test_write_file(test_path("old"), "old", 3);
    test_write_file(test_path("new"), "new", 3);
    int result = s->rename_new(s->state, directory, "new", "old");
    cr_assert(result == -EEXIST || result == -EINVAL || result == -ENOSYS);
    cr_assert_eq(s->rename(s->state, directory, "new", "old"), 0);
    cr_assert_eq(test_file_count(), 1);
    size_t size;
    char *bytes = test_read_file(test_path("old"), &size);
    cr_assert_eq(memcmp(bytes, "new", 3), 0);
    free(bytes);
    cr_assert_eq(s->rename(s->state, directory, "none", "x"), -ENOENT);
    result = s->rename_new(s->state, directory, "old", "free");
    cr_assert(result == 0 || result == -EINVAL || result == -ENOSYS);
    s->close(s->state, directory);
}

TEST(posix_system, removes_files_and_empty_directories_only)
{
    int directory = open_test_directory();
    test_write_file(test_path("file"), "", 0);
    cr_assert_eq(s->make_directory(s->state, directory, "full"), 0);
    test_write_file(test_path("full/file"), "", 0);
    cr_assert_eq(s->remove(s->state, directory, "none"), -ENOENT);
    cr_assert_eq(s->remove(s->state, directory, "full"), -ENOTEMPTY);
    cr_assert_eq(s->remove(s->state, directory, "full/file"), 0);
    cr_assert_eq(s->remove(s->state, directory, "full"), 0);
    cr_assert_eq(s->remove(s->state, directory, "file"), 0);
    cr_assert_eq(test_file_count(), 0);
    s->close(s->state, directory);
}

static int count_all(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    cr_assert_neq(name[0], '.');
    return (*(int *)user)++, 0;
}

static int count_to_three(
    void *user, const char *name, const struct vv_file_info *info)
{
    (void)info;
    (void)name;
    return ++*(int *)user == 3;
}

TEST(posix_system, each_name_lists_all_names_every_time)
{
    int directory = open_test_directory();
    for (int i = 0; i < 1000; i++) {
        char name[] = "000";
        name[0] = (char)('0' + i / 100);
        name[1] = (char)('0' + i / 10 % 10);
        name[2] = (char)('0' + i % 10);
        s->close(s->state, create(directory, name));
    }
    for (int turn = 0; turn < 2; turn++) {
        int count = 0;
        cr_assert_eq(
            s->each_name(s->state, directory, count_all, &count), 0);
        cr_assert_eq(count, 1000);
        count = 0;
        cr_assert_eq(
            s->each_name(s->state, directory, count_to_three, &count), 0);
        cr_assert_eq(count, 3);
    }
    s->close(s->state, directory);
}

TEST(posix_system, each_name_leaves_the_directory_open)
{
    int directory = open_test_directory();
    int count = 0;
    int descriptors = test_descriptor_count();
    cr_assert_eq(s->each_name(s->state, directory, count_all, &count), 0);
    cr_assert_eq(test_descriptor_count(), descriptors);
    cr_assert_eq(s->sync(s->state, directory), 0);
    s->close(s->state, directory);
    cr_assert_eq(s->each_name(s->state, -1, count_all, &count), -EBADF);
}

TEST(posix_system, maps_are_private)
{
    const char *path = test_path("file");
    char bytes[8192];
    memset(bytes, 'a', sizeof bytes);
    test_write_file(path, bytes, sizeof bytes);
    int file = s->open_file(s->state, VV_WORKING_DIRECTORY, path);
    void *address = NULL;
    cr_assert_eq(s->map(s->state, file, 4096, 4096, &address), 0);
    char *mapped = address;
    cr_assert_eq(mapped[0], 'a');
    memset(mapped, 'b', 4096);
    cr_assert_eq(s->read_at(s->state, file, bytes, 4096, 4096), 4096);
    cr_assert_eq(bytes[0], 'a');
    cr_assert_eq(s->unmap(s->state, address, 4096), 0);
    cr_assert_eq(s->map(s->state, file, 1, 4096, &address), -EINVAL);
    s->close(s->state, file);
}

TEST(posix_system, random_bytes_differ)
{
    unsigned char a[64] = { 0 }, b[64] = { 0 }, none[64] = { 0 };
    cr_assert_eq(s->random(s->state, a, sizeof a), 0);
    cr_assert_eq(s->random(s->state, b, sizeof b), 0);
    cr_assert_neq(memcmp(a, b, sizeof a), 0);
    cr_assert_neq(memcmp(a + 32, none, 32), 0);
    cr_assert_neq(memcmp(b + 32, none, 32), 0);
}

static void *set_flag(void *argument)
{
    *(int *)argument = 1;
    return NULL;
}

TEST(posix_system, starts_and_joins_threads)
{
    cr_assert_geq(s->processors(s->state), 1);
    int flag = 0;
    uintptr_t handle;
    cr_assert_eq(s->start_thread(s->state, set_flag, &flag, &handle), 0);
    cr_assert_eq(s->join_thread(s->state, handle), 0);
    cr_assert_eq(flag, 1);
}

TEST(posix_system, clocks_advance)
{
    struct vv_file_info info;
    enum { A_MILLISECOND = 1000000, A_MINUTE = 60 * 1000 };
    int64_t before = s->now(s->state);
    int64_t begin = s->uptime(s->state);
    s->sleep(s->state, -1);
    s->sleep(s->state, 2 * (int64_t)A_MILLISECOND);
    int64_t slept = s->uptime(s->state) - begin;
    cr_assert_geq(slept, 2 * (int64_t)A_MILLISECOND);
    cr_assert_lt(slept, A_MINUTE * (int64_t)A_MILLISECOND);
    cr_assert_gt(before / 1000000000, 1700000000, "it is after 2023");
    int directory = open_test_directory();
    int file = create(directory, "file");
    cr_assert_eq(s->info(s->state, file, &info), 0);
    int64_t age = s->now(s->state) - info.modified;
    cr_assert_lt(age < 0 ? -age : age, A_MINUTE * (int64_t)A_MILLISECOND);
    s->close(s->state, file);
    s->close(s->state, directory);
}

TEST(posix_system, distinguishes_files_regardless_of_names)
{
    struct vv_file_info first, second, again;
    int directory = open_test_directory();
    int one = create(directory, "one");
    int two = create(directory, "two");
    cr_assert_eq(s->rename(s->state, directory, "one", "three"), 0);
    int three = s->open_file(s->state, directory, "three");
    cr_assert_eq(s->info(s->state, one, &first), 0);
    cr_assert_eq(s->info(s->state, two, &second), 0);
    cr_assert_eq(s->info(s->state, three, &again), 0);
    cr_assert_eq(first.device, again.device);
    cr_assert_eq(first.serial, again.serial);
    cr_assert(first.device != second.device || first.serial != second.serial);
    s->close(s->state, three);
    s->close(s->state, two);
    s->close(s->state, one);
    s->close(s->state, directory);
}

TEST(posix_system, returns_host_and_process)
{
    char machine[256] = "";
    char cut[2] = "?";
    cr_assert_eq(s->process(s->state, machine, sizeof machine), getpid());
    cr_assert_gt(strlen(machine), 0);
    cr_assert_eq(s->process(s->state, cut, sizeof cut), getpid());
    cr_assert_eq(cut[1], 0);
}

TEST(posix_system, refuses_paths_with_a_scheme)
{
    static const char *const names[] = { "s3://bucket", "https://h/a", "x://" };
    struct vv_file_look found;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = names[i];
        const int at = VV_WORKING_DIRECTORY;
        const int results[] = { s->open_file(s->state, at, name),
            s->create_file(s->state, at, name),
            s->create_private(s->state, at, name),
            s->open_to_write(s->state, at, name),
            s->open_directory(s->state, at, name),
            s->open_real_directory(s->state, at, name),
            s->look(s->state, at, name, &found),
            s->rename(s->state, at, name, "a"),
            s->rename(s->state, at, "a", name),
            s->rename_new(s->state, at, name, "a"),
            s->rename_new(s->state, at, "a", name),
            s->link(s->state, at, name, "a"), s->link(s->state, at, "a", name),
            s->remove(s->state, at, name),
            s->make_directory(s->state, at, name) };
        for (size_t k = 0; k < sizeof results / sizeof *results; k++)
            cr_assert_eq(results[k], -EPROTONOSUPPORT, "%s: %zu", name, k);
    }
}

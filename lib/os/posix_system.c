/* posix_system.c - Accesses the real system: files, mappings, threads and
 * random bytes of Linux and other POSIX systems.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "path_text.h"
#include "posix_access.h"
#include "posix_tracking.h"

#ifdef __linux__
#include <sys/random.h>
#include <sys/syscall.h>
#endif

#define READ_FLAGS (O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
#define WRITE_FLAGS (O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
#define CREATE_FLAGS (O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)

_Static_assert(sizeof(pthread_t) <= sizeof(uintptr_t), "a handle holds it");
_Static_assert(sizeof(off_t) == 8, "offsets have 64 bits");

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

static int posix_system_at(int directory)
{
    return directory == VV_WORKING_DIRECTORY ? AT_FDCWD : directory;
}

static int posix_system_result_of(int result)
{
    return result < 0 ? -errno : result;
}

/* Returns a descriptor above the standard streams. If the program has closed
 * these, a new file must not get one of their descriptors, because the
 * program's output would go into it. */
static int above_standard(int descriptor)
{
    if (descriptor < 0)
        return -errno;
    if (descriptor > STDERR_FILENO)
        return descriptor;
    int result = posix_system_result_of(
        fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    close(descriptor);
    return result;
}

/* Every call with a path refuses one with a scheme. Otherwise a program without
 * varve_remote_enable would save into a directory named "s3:". */
static int posix_system_open_file(void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    return above_standard(openat(posix_system_at(directory), name, READ_FLAGS));
}

static int create_with_mode(int directory, const char *name, mode_t mode)
{
    int created = openat(posix_system_at(directory), name, CREATE_FLAGS, mode);
    int file = above_standard(created);
    if (created >= 0 && file < 0)
        unlinkat(posix_system_at(directory), name, 0);
    return file;
}

static int posix_system_create_file(
    void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    return create_with_mode(directory, name, 0666);
}

static int create_private(void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    return create_with_mode(directory, name, 0600);
}

static int posix_system_open_to_write(
    void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    return above_standard(
        openat(posix_system_at(directory), name, WRITE_FLAGS));
}

static int posix_system_open_directory(
    void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    return above_standard(openat(
        posix_system_at(directory), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int posix_system_open_real_directory(
    void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    int result = above_standard(openat(posix_system_at(directory), name,
        O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return result == -ELOOP ? -ENOTDIR : result;
}

static int close_descriptor(void *state, int descriptor)
{
    (void)state;
    return posix_system_result_of(close(descriptor));
}

static int64_t posix_system_nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int info(void *state, int descriptor, struct vv_file_info *info)
{
    (void)state;
    struct stat found;
    if (fstat(descriptor, &found))
        return -errno;
    info->kind = S_ISREG(found.st_mode)   ? VV_REGULAR_FILE
                 : S_ISDIR(found.st_mode) ? VV_DIRECTORY
                                          : VV_OTHER_FILE;
    info->size = S_ISREG(found.st_mode) ? (uint64_t)found.st_size : 0;
    info->modified = posix_system_nanoseconds(found.st_mtim);
    info->device = (uint64_t)found.st_dev;
    info->serial = (uint64_t)found.st_ino;
    info->links = (uint64_t)found.st_nlink;
    return 0;
}

static int64_t posix_system_read_at(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    (void)state;
    ssize_t moved = pread(file, bytes, size, (off_t)offset);
    return moved < 0 ? -errno : moved;
}

/* Growing a file beyond RLIMIT_FSIZE sends SIGXFSZ, which by default kills the
 * process. The signal is blocked around such calls, and consumed if they raised
 * it, so that only EFBIG remains. */
struct held_signal {
    sigset_t mask;    /* original mask of the thread */
    bool was_pending; /* raised by another call */
};

static sigset_t size_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

static void hold_size_signal(struct held_signal *held)
{
    sigset_t set = size_signal(), pending;
    pthread_sigmask(SIG_BLOCK, &set, &held->mask);
    held->was_pending = sigismember(&held->mask, SIGXFSZ) == 1 &&
                        sigpending(&pending) == 0 &&
                        sigismember(&pending, SIGXFSZ) == 1;
}

/* Consumes a pending signal. Not every system can do this without waiting. */
static void take_signal(const sigset_t *set)
{
#if defined(_POSIX_REALTIME_SIGNALS) && _POSIX_REALTIME_SIGNALS > 0
    struct timespec no_time = { 0, 0 };
    while (sigtimedwait(set, NULL, &no_time) < 0 && errno == EINTR)
        continue;
#else
    sigset_t pending;
    int taken;
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1)
        sigwait(set, &taken);
#endif
}

static void release_size_signal(struct held_signal *held, int64_t result)
{
    sigset_t set = size_signal();
    if (result == -EFBIG && !held->was_pending)
        take_signal(&set);
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
}

static int64_t posix_system_write_at(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    (void)state;
    struct held_signal held;
    hold_size_signal(&held);
    int64_t moved = pwrite(file, bytes, size, (off_t)offset);
    if (moved < 0)
        moved = -errno;
    release_size_signal(&held, moved);
    return moved;
}

#ifdef __linux__
/* Returns true if the kernel lacks a call, or a container forbids it. If EPERM
 * means that the file cannot be changed, the next call fails with it too. */
static bool is_absent(int result)
{
    return result == -ENOSYS || result == -EPERM;
}
#endif

/* Reserves disk space. Does not use posix_fallocate, because it writes if the
 * file system does not support the call. */
static int posix_system_reserve(void *state, int file, uint64_t size)
{
    (void)state;
#ifdef FALLOC_FL_KEEP_SIZE
    if (size == 0)
        return 0;
    struct held_signal held;
    hold_size_signal(&held);
    int result = posix_system_result_of(
        fallocate(file, FALLOC_FL_KEEP_SIZE, 0, (off_t)size));
    release_size_signal(&held, result);
    return is_absent(result) ? -EOPNOTSUPP : result;
#else
    (void)file;
    (void)size;
    return -EOPNOTSUPP;
#endif
}

static int posix_system_start_write_back(
    void *state, int file, uint64_t offset, uint64_t size)
{
    (void)state;
#ifdef SYNC_FILE_RANGE_WRITE
    return posix_system_result_of(sync_file_range(
        file, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE));
#else
    (void)file;
    (void)offset;
    (void)size;
    return -ENOSYS;
#endif
}

static int posix_system_will_read(
    void *state, int file, uint64_t offset, uint64_t size)
{
    (void)state;
#ifdef POSIX_FADV_WILLNEED
    return -posix_fadvise(
        file, (off_t)offset, (off_t)size, POSIX_FADV_WILLNEED);
#else
    (void)file;
    (void)offset;
    (void)size;
    return -ENOSYS;
#endif
}

static int sync_descriptor(void *state, int descriptor)
{
    (void)state;
    return posix_system_result_of(fsync(descriptor));
}

static int rename_file(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    if (vv_url_scheme(from) || vv_url_scheme(to))
        return -EPROTONOSUPPORT;
    return posix_system_result_of(renameat(
        posix_system_at(directory), from, posix_system_at(directory), to));
}

/* Uses syscall, because not every C library has the function. */
static int posix_system_rename_new(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    if (vv_url_scheme(from) || vv_url_scheme(to))
        return -EPROTONOSUPPORT;
#ifdef SYS_renameat2
    const unsigned no_replace = 1;
    int result = posix_system_result_of(
        (int)syscall(SYS_renameat2, posix_system_at(directory), from,
            posix_system_at(directory), to, no_replace));
    return is_absent(result) ? -ENOSYS : result;
#else
    (void)directory;
    (void)from;
    (void)to;
    return -ENOSYS;
#endif
}

static int link_file(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    if (vv_url_scheme(from) || vv_url_scheme(to))
        return -EPROTONOSUPPORT;
    return posix_system_result_of(linkat(
        posix_system_at(directory), from, posix_system_at(directory), to, 0));
}

/* Removes a file or an empty directory. For a directory, unlinkat returns
 * EISDIR on Linux and EPERM on other systems. */
static int posix_system_remove_name(
    void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    int result =
        posix_system_result_of(unlinkat(posix_system_at(directory), name, 0));
    if (result != -EISDIR && result != -EPERM)
        return result;
    int second = posix_system_result_of(
        unlinkat(posix_system_at(directory), name, AT_REMOVEDIR));
    return second == -ENOTDIR ? result : second;
}

static int posix_system_lock(void *state, int file)
{
    (void)state;
    return posix_system_result_of(flock(file, LOCK_EX | LOCK_NB));
}

static int posix_system_share_lock(void *state, int file)
{
    (void)state;
    return posix_system_result_of(flock(file, LOCK_SH | LOCK_NB));
}

static int posix_system_unlock(void *state, int file)
{
    (void)state;
    return posix_system_result_of(flock(file, LOCK_UN));
}

static int posix_system_make_directory(
    void *state, int directory, const char *name)
{
    (void)state;
    if (vv_url_scheme(name))
        return -EPROTONOSUPPORT;
    return posix_system_result_of(
        mkdirat(posix_system_at(directory), name, 0777));
}

static int each_in_stream(DIR *stream, vv_each_name *each, void *user)
{
    struct dirent *entry;
    while (errno = 0, (entry = readdir(stream)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (each(user, name, NULL))
            return 0;
    }
    return -errno;
}

/* Uses a new descriptor, because closedir closes it, and because the position
 * in a directory belongs to the descriptor. */
static int posix_system_each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    int descriptor = posix_system_open_directory(state, directory, ".");
    if (descriptor < 0)
        return descriptor;
    DIR *stream = fdopendir(descriptor);
    if (!stream) {
        int number = errno;
        close(descriptor);
        return -number;
    }
    int result = each_in_stream(stream, each, user);
    closedir(stream);
    return result;
}

static int posix_system_map(
    void *state, int file, uint64_t offset, size_t size, void **address)
{
    (void)state;
    void *found = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, (off_t)offset);
    if (found == MAP_FAILED)
        return -errno;
    *address = found;
    return 0;
}

static int unmap(void *state, void *address, size_t size)
{
    (void)state;
    return posix_system_result_of(munmap(address, size));
}

static int random_from_device(void *bytes, size_t size)
{
    int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (device < 0)
        return -errno;
    ssize_t moved = read(device, bytes, size);
    int result = moved < 0 ? -errno : (size_t)moved < size ? -EIO : 0;
    close(device);
    return result;
}

static int random_bytes(void *state, void *bytes, size_t size)
{
    (void)state;
#ifdef SYS_getrandom
    ssize_t moved = getrandom(bytes, size, 0);
    if (moved >= 0)
        return (size_t)moved < size ? -EINTR : 0;
    if (!is_absent(-errno))
        return -errno;
#endif
    return random_from_device(bytes, size);
}

static int64_t read_clock(clockid_t clock)
{
    struct timespec time = { 0 };
    clock_gettime(clock, &time);
    return posix_system_nanoseconds(time);
}

static int64_t posix_system_now(void *state)
{
    (void)state;
    return read_clock(CLOCK_REALTIME);
}

static int64_t posix_system_uptime(void *state)
{
    (void)state;
    return read_clock(CLOCK_MONOTONIC);
}

static void sleep_for(void *state, int64_t time)
{
    (void)state;
    struct timespec length = { .tv_sec = (time_t)(time / 1000000000),
        .tv_nsec = (long)(time % 1000000000) };
    if (time > 0)
        nanosleep(&length, NULL);
}

static int64_t process(void *state, char *machine, size_t size)
{
    (void)state;
    if (size && gethostname(machine, size))
        machine[0] = 0;
    if (size)
        machine[size - 1] = 0;
    return getpid();
}

static unsigned processors(void *state)
{
    (void)state;
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

/* Starts a thread with blocked signals. It inherits the signal mask. */
static int start_thread(
    void *state, void *(*function)(void *), void *argument, uintptr_t *handle)
{
    (void)state;
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    sigset_t all, old;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int number = pthread_create(&thread, NULL, function, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (number)
        return -number;
    *handle = (uintptr_t)thread;
    return 0;
}

static int join_thread(void *state, uintptr_t handle)
{
    (void)state;
    return -pthread_join((pthread_t)handle, NULL);
}

const struct vv_system vv_posix_system = {
    .open_file = posix_system_open_file,
    .create_file = posix_system_create_file,
    .create_private = create_private,
    .open_to_write = posix_system_open_to_write,
    .open_directory = posix_system_open_directory,
    .open_real_directory = posix_system_open_real_directory,
    .close = close_descriptor,
    .look = vv_posix_look,
    .set_access = vv_posix_set_access,
    .info = info,
    .read_at = posix_system_read_at,
    .write_at = posix_system_write_at,
    .reserve = posix_system_reserve,
    .start_write_back = posix_system_start_write_back,
    .will_read = posix_system_will_read,
    .sync = sync_descriptor,
    .lock = posix_system_lock,
    .share_lock = posix_system_share_lock,
    .unlock = posix_system_unlock,
    .rename = rename_file,
    .rename_new = posix_system_rename_new,
    .link = link_file,
    .remove = posix_system_remove_name,
    .make_directory = posix_system_make_directory,
    .each_name = posix_system_each_name,
    .map = posix_system_map,
    .unmap = unmap,
    .open_tracker = vv_posix_open_tracker,
    .track = vv_posix_track,
    .untrack = vv_posix_untrack,
    .each_written = vv_posix_each_written,
    .arm = vv_posix_arm,
    .random = random_bytes,
    .now = posix_system_now,
    .uptime = posix_system_uptime,
    .sleep = sleep_for,
    .process = process,
    .processors = processors,
    .start_thread = start_thread,
    .join_thread = join_thread,
};

/* test_real_faults.c - Tests resource limits and full disks of the real system,
 * each in a child process; other tests only simulate them.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault/child.h"
#include "model/everything.h"
#include "support/proof.h"
#include "support/test.h"

enum { OLD = 1, NOW = 2, NOBODY = 65534 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* --- A model and its file ------------------------------------------------- */

static struct real {
    char directory[200];
    char path[256];   /* the older file */
    char prefix[256]; /* of the numbered files */
    struct everything model;
    varve_graph *graph;
    void *old;
    size_t old_size;
    int descriptors;
    uint64_t before; /* digest of the values */
} real;

static float big[EVERYTHING_BIG];

static atomic_long blocks; /* allocated and not freed */

/* Allocates with malloc and fails only if it does. The allocator of the other
 * tests fails on request. */
static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        blocks -= old != NULL;
        free(old);
        return NULL;
    }
    void *block = realloc(old, new_size);
    blocks += block && !old;
    return block;
}

static void fill(unsigned seed)
{
    everything_fill(&real.model, seed);
    real.before = everything_digest(&real.model);
}

static varve_status write_real(varve_error *error)
{
    varve_write_options options = everything_options();
    return varve_write(
        varve_graph_root(real.graph), real.path, &options, error);
}

static varve_status read_real(varve_error *error)
{
    varve_restoration *r = varve_read(
        varve_graph_root(real.graph), real.path, NULL, error);
    varve_status status = r ? VARVE_OK : error->status;
    varve_restoration_free(r);
    return status;
}

static varve_status latest_real(varve_error *error)
{
    char path[512];
    return varve_latest(real.prefix, path, sizeof path, error);
}

/* Sets up a model whose older file exists, under its own name and as number 1
 * of a prefix. */
static void begin(const char *directory, bool is_big)
{
    varve_error error = { 0 };
    real.graph = varve_graph_new(
        &(varve_allocator){ .function = allocate });
    real.model.big = is_big ? big : NULL;
    snprintf(real.directory, sizeof real.directory, "%s", directory);
    size_t size = strlen(real.directory);
    if (real.directory[size - 1] == '/')
        real.directory[size - 1] = '\0';
    snprintf(real.path, sizeof real.path, "%s/a.varve", real.directory);
    snprintf(real.prefix, sizeof real.prefix, "%s/n", real.directory);
    everything_build(&real.model, real.graph);
    fill(OLD);
    varve_status status = write_real(&error);
    if (!status)
        status = varve_save(
            varve_graph_root(real.graph), real.prefix, NULL, &error);
    child_expect(status == VARVE_OK, "%s", error.message);
    real.old = test_read_file(real.path, &real.old_size);
    fill(NOW);
    real.descriptors = test_descriptor_count();
}

static void end(void)
{
    varve_graph_free(real.graph);
    free(real.old);
    child_expect(blocks == 0, "%ld blocks are left", (long)blocks);
}

static void check_no_litter(const char *where)
{
    DIR *stream = opendir(real.directory);
    child_expect(stream != NULL, "%s: %s", real.directory, strerror(errno));
    struct dirent *entry;
    while ((entry = readdir(stream)) != NULL)
        child_expect(!strstr(entry->d_name, ".tmp"), "%s: %s is left", where,
            entry->d_name);
    closedir(stream);
}

static void check_old_file(const char *where)
{
    size_t size;
    void *bytes = test_read_file(real.path, &size);
    child_expect(size == real.old_size && memcmp(bytes, real.old, size) == 0,
        "%s: the older file is not as it was", where);
    free(bytes);
}

static const char *limit_name = "";

/* Checks that a call under a limit succeeded or reported this limit. Removes
 * the limit first. Returns true if the call succeeded. */
static bool check(varve_status status, const varve_error *error,
    varve_status expected, int number, void (*lift)(void), const char *where)
{
    lift();
    child_expect(test_descriptor_count() == real.descriptors,
        "%s: %d descriptors, %d before", where, test_descriptor_count(),
        real.descriptors);
    check_no_litter(where);
    if (status == VARVE_OK)
        return true;
    child_count();
    child_expect(status == expected && error->status == expected &&
            (error->system_error == number ||
                (expected == VARVE_NO_MEMORY && error->system_error == 0)),
        "%s %s: %s, %s", limit_name, where, varve_status_name(status),
        error->message);
    child_expect(strstr(error->message, real.directory) ||
            expected == VARVE_NO_MEMORY,
        "%s: no path in: %s", where, error->message);
    child_expect(everything_digest(&real.model) == real.before,
        "%s: values changed", where);
    check_old_file(where);
    return false;
}

/* After a successful call, restores the older file and fills the program with
 * NOW. */
static void begin_again(void)
{
    varve_error error;
    fill(OLD);
    child_expect(write_real(&error) == VARVE_OK, "%s", error.message);
    fill(NOW);
}

/* Checks that the same call succeeds without the limit. */
static void check_gone(void)
{
    varve_error error = { 0 };
    child_expect(write_real(&error) == VARVE_OK, "%s", error.message);
    fill(OLD);
    child_expect(read_real(&error) == VARVE_OK, "%s", error.message);
    child_expect(!everything_differs(&real.model, NOW), "another model");
    begin_again();
}

static void nothing_to_lift(void)
{
}

/* A resource limit of the process, set and restored. */
static struct {
    int resource;
    struct rlimit before;
} limit;

static void lift_limit(void)
{
    if (setrlimit((__rlimit_resource_t)limit.resource, &limit.before))
        abort();
}

static void set_limit(int resource, uint64_t size)
{
    limit.resource = resource;
    getrlimit((__rlimit_resource_t)resource, &limit.before);
    struct rlimit tight = limit.before;
    tight.rlim_cur = size;
    if (setrlimit((__rlimit_resource_t)resource, &tight))
        abort();
}

/* --- The size of a file --------------------------------------------------- */

static void check_no_signal(void)
{
    sigset_t pending, mask;
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    child_expect(!sigismember(&pending, SIGXFSZ), "SIGXFSZ is pending");
    child_expect(!sigismember(&mask, SIGXFSZ), "SIGXFSZ stays blocked");
}

/* The default action of SIGXFSZ would kill the process. */
static void limit_file_size(void)
{
    begin(test_path(""), true);
    uint64_t step = proof_size(65536, 4096) + 41;
    signal(SIGXFSZ, SIG_DFL);
    for (uint64_t size = 0; size < real.old_size; size += step) {
        varve_error error = { 0 };
        set_limit(RLIMIT_FSIZE, size);
        varve_status status = write_real(&error);
        check_no_signal();
        bool is_ok = check(
            status, &error, VARVE_NO_SPACE, EFBIG, lift_limit, "RLIMIT_FSIZE");
        child_expect(!is_ok, "%llu bytes held the file",
            (unsigned long long)size);
    }
    check_gone();
    end();
}

/* --- Disks of our own ----------------------------------------------------- */

static bool put_text(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t moved = file < 0 ? -1 : write(file, text, strlen(text));
    if (file >= 0)
        close(file);
    return moved == (ssize_t)strlen(text);
}

/* Mounts a disk in a new mount namespace, if this user may do so. */
static const char *mount_disk(const char *options)
{
    char users[64], groups[64];
    const char *directory = test_path("disk");
    snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
    mkdir(directory, 0755);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
        !put_text("/proc/self/setgroups", "deny") ||
        !put_text("/proc/self/uid_map", users) ||
        !put_text("/proc/self/gid_map", groups) ||
        mount("disk", directory, "tmpfs", 0, options))
        child_skip("this user may not mount a small tmpfs");
    return directory;
}

static char filler[256];

static void remove_filler(void)
{
    unlink(filler);
}

/* Fills the disk until `room` bytes are free. */
static void fill_disk(uint64_t room)
{
    snprintf(filler, sizeof filler, "%s/filler", real.directory);
    int file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    off_t size = 0;
    while (fallocate(file, 0, size, 4096) == 0)
        size += 4096;
    off_t kept = size > (off_t)room ? size - (off_t)room : 0;
    child_expect(file >= 0 && size > 0 && ftruncate(file, kept) == 0,
        "%s: %s", filler, strerror(errno));
    close(file);
}

static void fill_the_disk(void)
{
    begin(mount_disk("size=6m"), true);
    long refused = 0;
    uint64_t step = proof_size(65536, 4096);
    for (uint64_t room = 0; room < real.old_size + 131072; room += step) {
        varve_error error = { 0 };
        fill_disk(room);
        varve_status status = write_real(&error);
        if (check(status, &error, VARVE_NO_SPACE, ENOSPC, remove_filler,
                "a full disk"))
            begin_again();
        else
            refused++;
    }
    child_expect(refused > 0, "the disk was never full");
    check_gone();
    end();
}

static void use_up_names(void)
{
    begin(mount_disk("size=8m,nr_inodes=6"), false);
    varve_error error = { 0 };
    snprintf(filler, sizeof filler, "%s/filler", real.directory);
    char name[300];
    int made = 0;
    for (int file; made < 9; made++) {
        snprintf(name, sizeof name, "%s%d", filler, made);
        if ((file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) < 0)
            break;
        close(file);
    }
    varve_status status = write_real(&error);
    child_expect(!check(status, &error, VARVE_NO_SPACE, ENOSPC,
        nothing_to_lift, "no inodes"), "there was one more");
    snprintf(name, sizeof name, "%s0", filler);
    unlink(name);
    check_gone();
    end();
}

static void make_read_only(void)
{
    varve_error error = { 0 };
    const char *directory = mount_disk("size=8m");
    begin(directory, false);
    unsigned long flags = MS_REMOUNT | MS_RDONLY;
    if (mount("disk", directory, "tmpfs", flags, NULL))
        child_skip("this user may not mount read-only");
    varve_status status = write_real(&error);
    child_expect(!check(status, &error, VARVE_IO, EROFS,
        nothing_to_lift, "a read-only disk"), "it was written");
    child_expect(read_real(&error) == VARVE_OK, "%s", error.message);
    child_expect(!everything_differs(&real.model, OLD), "another model");
    fill(NOW);
    if (mount("disk", directory, "tmpfs", MS_REMOUNT, NULL))
        child_skip("this user may not mount writable");
    check_gone();
    end();
}

/* --- Permissions ---------------------------------------------------------- */

static void open_up(void)
{
    chmod(real.directory, 0755);
}

static void forbid(mode_t mode, bool no_replace, const char *where)
{
    varve_error error = { 0 };
    varve_write_options options = { .no_replace = no_replace };
    char other[256];
    snprintf(other, sizeof other, "%s/other.varve", real.directory);
    chmod(real.directory, mode);
    varve_status status = varve_write(
        varve_graph_root(real.graph), other, &options, &error);
    child_expect(!check(status, &error, VARVE_NO_PERMISSION, EACCES, open_up,
        where), "%s: written", where);
    status = varve_write(
        varve_graph_root(real.graph), other, &options, &error);
    child_expect(status == VARVE_OK, "%s: %s", where, error.message);
    unlink(other);
}

/* Makes the directory read-only. Root ignores permissions, so it changes to
 * another user first. */
static void lock_the_directory(void)
{
    char directory[200];
    snprintf(directory, sizeof directory, "%s", test_path(""));
    if (geteuid() == 0 && (chown(directory, NOBODY, NOBODY) ||
                              setgid(NOBODY) || setuid(NOBODY)))
        child_skip("root cannot become another user");
    if (access(directory, X_OK))
        child_skip("another user cannot enter the temporary folder");
    begin(directory, false);
    for (int no_replace = 0; no_replace < 2; no_replace++) {
        forbid(0555, no_replace, "not writable");
        forbid(0444, no_replace, "not searchable");
        forbid(0333, no_replace, "not readable");
    }
    end();
}

/* --- Descriptors ---------------------------------------------------------- */

static varve_status (*const calls[])(varve_error *) = {
    write_real, read_real, latest_real,
};

static int lowest_descriptor(void)
{
    int lowest = dup(STDERR_FILENO);
    close(lowest);
    return lowest;
}

static void limit_descriptors(void)
{
    begin(test_path(""), false);
    int lowest = lowest_descriptor();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        bool is_ok = false;
        for (int room = 0; room < 8; room++) {
            varve_error error = { 0 };
            set_limit(RLIMIT_NOFILE, (uint64_t)(lowest + room));
            varve_status status = calls[i](&error);
            is_ok = check(status, &error, VARVE_IO, EMFILE, lift_limit,
                "RLIMIT_NOFILE");
            if (is_ok)
                begin_again();
            child_expect(room > 0 || !is_ok, "needs no descriptor");
        }
        child_expect(is_ok, "8 descriptors are not enough");
    }
    check_gone();
    end();
}

/* --- Memory --------------------------------------------------------------- */

static uint64_t address_space(void)
{
    char line[256];
    unsigned long long size = 0;
    FILE *stream = fopen("/proc/self/status", "re");
    while (stream && fgets(line, sizeof line, stream))
        if (sscanf(line, "VmSize: %llu kB", &size) == 1)
            break;
    if (stream)
        fclose(stream);
    return (uint64_t)size * 1024;
}

struct block {
    struct block *next;
    size_t size;
};

static struct block *taken; /* all blocks from malloc, newest first */

static void take_all_memory(void)
{
    for (size_t size = 65536; size >= 64; size /= 4)
        for (struct block *block; (block = malloc(size)) != NULL;) {
            *block = (struct block){ taken, size };
            taken = block;
        }
}

static void give_back(uint64_t size)
{
    for (uint64_t given = 0; taken && given < size;) {
        struct block *block = taken;
        given += block->size;
        taken = block->next;
        free(block);
    }
}

static void lift_memory(void)
{
    lift_limit();
    give_back(UINT64_MAX);
}

/* Finds the smallest sufficient heap by trial. */
static void limit_memory_of(varve_status (*call)(varve_error *), uint64_t step)
{
    long refused = 0;
    bool is_ok = false;
    for (uint64_t room = 0; !is_ok && room < 8 << 20; room += step) {
        varve_error error = { 0 };
        set_limit(RLIMIT_AS, address_space() + (8 << 20));
        take_all_memory();
        give_back(room);
        varve_status status = call(&error);
        is_ok = check(status, &error, VARVE_NO_MEMORY, ENOMEM, lift_memory,
            "RLIMIT_AS");
        refused += !is_ok;
    }
    child_expect(is_ok, "8 MiB are not enough");
    child_expect(refused > 0, "it needs no memory");
    begin_again();
}

static void limit_memory(void)
{
    if (IS_SANITIZED || address_space() == 0)
        child_skip("sanitizers need all addresses there are");
    begin(test_path(""), true);
    uint64_t step = proof_size(16384, 512);
    limit_memory_of(write_real, step);
    limit_memory_of(read_real, step);
    check_gone();
    end();
}

/* --- All of them ---------------------------------------------------------- */

static void run(void (*body)(void), long least)
{
    long count = child_run(body);
    cr_assert(count < 0 || count >= least, "only %ld faults", count);
    proof_count("faults.real", count < 0 ? 0 : (uint64_t)count);
}

TEST(real_fault, a_file_size_limit_does_not_kill_the_process)
{
    run(limit_file_size, 10);
}

TEST(real_fault, a_full_disk_keeps_the_older_file)
{
    run(fill_the_disk, 10);
}

TEST(real_fault, a_disk_without_free_inodes_keeps_the_older_file)
{
    run(use_up_names, 1);
}

TEST(real_fault, a_read_only_disk_can_be_read)
{
    run(make_read_only, 1);
}

TEST(real_fault, a_directory_without_permission_is_reported)
{
    run(lock_the_directory, 6);
}

TEST(real_fault, exhausted_descriptors_are_reported)
{
    run(limit_descriptors, 4);
}

TEST(real_fault, failed_allocations_are_reported)
{
    run(limit_memory, 5);
}

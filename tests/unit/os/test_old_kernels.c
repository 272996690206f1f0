/* test_old_kernels.c - Tests the real system on kernels that lack a call.
 *
 * A filter (seccomp) lets selected calls fail before they reach the kernel, as
 * on an older kernel or in a container that forbids them. It cannot be removed,
 * and ends with the process of its test.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include "system.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_fadvise64
#define ADVICE SYS_fadvise64
#else
#define ADVICE SYS_arm_fadvise64_64
#endif

static const struct vv_system *const s = &vv_posix_system;

/* From now on the call fails with `error`; if `bits` is not 0, only if its
 * first argument has one of these bits. The last filter for a
 * call applies. */
static bool forbid(long call, uint32_t bits, int error)
{
    enum { FIRST = offsetof(struct seccomp_data, args) };
    const uint32_t low = FIRST + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) * 4u;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, low),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, bits ? 1 : 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The tests pass without effect if the machine does not allow filters. */
static bool can_forbid(void)
{
    const long no_call = 0x7fffffff;
    if (forbid(no_call, 0, ENOSYS))
        return true;
    fputs("old kernels: not tried, no filters are allowed here\n", stderr);
    return false;
}

static void draw_two(void)
{
    unsigned char a[64] = { 0 }, b[64] = { 0 }, none[64] = { 0 };
    int descriptors = test_descriptor_count();
    cr_assert_eq(s->random(s->state, a, sizeof a), 0);
    cr_assert_eq(s->random(s->state, b, sizeof b), 0);
    cr_assert_neq(memcmp(a, b, sizeof a), 0);
    cr_assert_neq(memcmp(a + 32, none, 32), 0);
    cr_assert_neq(memcmp(b + 32, none, 32), 0);
    cr_assert_eq(test_descriptor_count(), descriptors);
}

TEST(old_kernels, random_bytes_are_read_from_the_device)
{
    if (!can_forbid())
        return;
    forbid(SYS_getrandom, 0, ENOSYS);
    draw_two();
    forbid(SYS_getrandom, 0, EPERM);
    draw_two();
}

TEST(old_kernels, missing_random_bytes_are_an_error)
{
    unsigned char bytes[16];
    struct rlimit old, none;
    if (!can_forbid())
        return;
    forbid(SYS_getrandom, 0, EINTR);
    cr_assert_eq(s->random(s->state, bytes, sizeof bytes), -EINTR);
    forbid(SYS_getrandom, 0, ENOSYS);
    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    int result = s->random(s->state, bytes, sizeof bytes);
    setrlimit(RLIMIT_NOFILE, &old);
    cr_assert_eq(result, -EMFILE);
    cr_assert_eq(s->random(s->state, bytes, sizeof bytes), 0);
}

/* The call also fails if there are more processors than its set can
 * represent. */
TEST(old_kernels, processors_are_counted_without_the_affinity_call)
{
    if (!can_forbid())
        return;
    forbid(SYS_sched_getaffinity, 0, EINVAL);
    long all = sysconf(_SC_NPROCESSORS_ONLN);
    cr_assert_geq(all, 1);
    cr_assert_eq(s->processors(s->state), (unsigned)all);
}

TEST(old_kernels, space_cannot_be_reserved)
{
    if (!can_forbid())
        return;
    int file = s->create_file(
        s->state, VV_WORKING_DIRECTORY, test_path("file"));
    forbid(SYS_fallocate, 0, ENOSYS);
    cr_assert_eq(s->reserve(s->state, file, 4096), -EOPNOTSUPP);
    s->close(s->state, file);
}

static void *nothing(void *argument)
{
    return argument;
}

/* The C library falls back to clone; a flag distinguishes it from fork. */
TEST(old_kernels, a_thread_that_cannot_start_is_an_error)
{
    if (!can_forbid())
        return;
    sigset_t before, after;
    uintptr_t handle;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
#ifdef SYS_clone3
    forbid(SYS_clone3, 0, ENOSYS);
#endif
    forbid(SYS_clone, CLONE_THREAD, EAGAIN);
    cr_assert_eq(s->start_thread(s->state, nothing, NULL, &handle), -EAGAIN);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 32; i++)
        cr_assert_eq(sigismember(&before, i), sigismember(&after, i));
}

static void write_and_read(const char *path, bool no_replace, float first)
{
    enum { COUNT = 100000 };
    static float saved[COUNT], found[COUNT];
    varve_error error = { 0 };
    for (size_t i = 0; i < COUNT; i++)
        saved[i] = first + (float)i;
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "x", varve_array(saved, COUNT));
    varve_write_options options = { .no_replace = no_replace };
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    if (no_replace)
        cr_assert_eq(
            varve_write(root, path, &options, &error), VARVE_EXISTS);
    varve_graph_free(graph);
    graph = varve_graph_new(test_allocator());
    root = varve_graph_root(graph);
    varve_add_variable(root, "x", varve_array(found, COUNT));
    varve_restoration *r = varve_read(root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    varve_restoration_free(r);
    varve_graph_free(graph);
    cr_assert_eq(memcmp(saved, found, sizeof saved), 0);
    cr_assert_eq(test_file_count(), 1);
}

/* Forbids locks and all calls that were added after openat (Linux 2.6.16). */
static void do_without(int error)
{
    static const long calls[] = { SYS_getrandom, SYS_renameat2, SYS_fallocate,
        SYS_sync_file_range, ADVICE, SYS_sched_getaffinity, SYS_flock };
    if (!can_forbid())
        return;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        forbid(calls[i], 0, error);
    write_and_read(test_path("a.varve"), true, 1);
    write_and_read(test_path("a.varve"), false, 2);
}

TEST(old_kernels, support_writes_and_reads)
{
    do_without(ENOSYS);
}

TEST(old_kernels, containers_that_forbid_optional_calls_are_supported)
{
    do_without(EPERM);
}

#endif

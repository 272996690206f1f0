/* test_item_copy_tracking.c - Tests snapshots with dirty-page tracking: only
 * written pages are copied, and all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/faulty_system.h"
#include "system.h"
#include "worlds.h"

enum { PAGE = 4096, LARGE = 512 << 10, SMALL = 5000, PARTS = 3 };

static const varve_snapshot_options tracked = { .track = true };

/* Three values, the last one small, not aligned to pages, in mapped memory that
 * can be mapped again; `spare` is as large as the first. */
static struct {
    struct faulty *faulty;
    unsigned char *memory, *parts[PARTS], *spare;
    varve_node *root, *nodes[PARTS];
} model;

static const size_t sizes[PARTS] = { LARGE, LARGE, SMALL };

enum { ROOM = 5 * LARGE };

static void begin_model(bool on_this_machine)
{
    static const char *const names[] = { "a", "b", "c" };
    begin_world();
    model.faulty = faulty_new(
        on_this_machine ? &vv_posix_system : memory_system(world.memory));
    world.context.system = faulty_system(model.faulty);
    model.memory = mmap(
        NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(model.memory != MAP_FAILED);
    model.root = new_root();
    for (size_t i = 0, at = 100; i < PARTS; at += sizes[i++]) {
        model.parts[i] = model.memory + at;
        memset(model.parts[i], (int)i + 1, sizes[i]);
        model.nodes[i] = varve_add_variable(
            model.root, names[i], varve_array(model.parts[i], sizes[i]));
    }
    model.spare = model.memory + 3 * LARGE + 100;
    good(model.root);
}

static void end_model(void)
{
    free_root(model.root);
    munmap(model.memory, ROOM);
    cr_assert_eq(faulty_open_count(model.faulty), 0);
    faulty_free(model.faulty);
    end_world();
}

static varve_snapshot *take(void)
{
    varve_error error = { 0 };
    varve_snapshot *s = varve_snapshot_new_with(model.root, &tracked, &error);
    cr_assert(s, "%s", error.message);
    return s;
}

static void retake(varve_snapshot *s)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_retake(s, &error), error);
}

static void restore(varve_snapshot *s)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
}

/* Reports a difference as a failure. */
static varve_status refuse(void *user, const varve_difference *difference)
{
    (void)user;
    (void)difference;
    return VARVE_MISMATCH;
}

static void check_same(varve_snapshot *s)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_diff(s, NULL, refuse, NULL, &error), error);
}

static void rebind(size_t i, unsigned char *memory)
{
    varve_rebind(model.nodes[i], varve_array(memory, LARGE));
    good(model.root);
}

TEST(tracking, uses_page_tracking_only_with_the_option)
{
    begin_model(false);
    varve_error error = { 0 };
    faulty_plan(model.faulty, NULL);
    varve_snapshot *plain = varve_snapshot_new(model.root, &error);
    retake(plain);
    cr_assert_eq(
        faulty_log_find(model.faulty, FAULTY_TRACK | FAULTY_OPEN_TRACKER, 0),
        faulty_log_size(model.faulty));
    varve_snapshot *s = take();
    cr_assert_lt(faulty_log_find(model.faulty, FAULTY_TRACK, 0),
        faulty_log_size(model.faulty));
    varve_snapshot_free(s);
    varve_snapshot_free(plain);
    end_model();
}

/* Pages that were protected before would fault when values are written back. */
TEST(tracking, protects_no_page_before_a_restore_writes_it)
{
    begin_model(false);
    varve_snapshot *s = take();
    faulty_plan(model.faulty, NULL);
    model.parts[0][PAGE] = 9;
    restore(s);
    size_t looks = faulty_log_size(model.faulty);
    model.parts[0][PAGE] = 9;
    retake(s);
    cr_assert_eq(looks, PARTS - 1, "one question for each large value");
    cr_assert_gt(faulty_log_size(model.faulty), 2 * looks);
    check_same(s);
    varve_snapshot_free(s);
    end_model();
}

/* A system that never reports a written page. */
static int tell_nothing(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    (void)state;
    (void)tracker;
    (void)address;
    (void)size;
    (void)each;
    (void)user;
    return 0;
}

TEST(tracking, skips_unwritten_pages_and_checks_partial_pages)
{
    begin_model(false);
    struct vv_system liar = *world.context.system;
    varve_snapshot *s = take();
    retake(s);
    liar.each_written = liar.arm = tell_nothing;
    varve_snapshot_free(s);
    free_root(model.root);
    world.context.system = &liar;
    model.root = new_root();
    model.nodes[0] = varve_add_variable(
        model.root, "a", varve_array(model.parts[0], sizes[0]));
    s = take();
    unsigned char *first_page = model.memory + PAGE;
    first_page[0] = first_page[-1] = 77;
    model.parts[0][LARGE - 1] = 77;
    retake(s);
    memset(model.parts[0], 0, LARGE);
    for (int i = 0; i < 2; i++) {
        model.parts[0][0] = 0;
        restore(s);
        cr_assert_eq(first_page[-1], 77, "in front of the first page");
        cr_assert_eq(model.parts[0][LARGE - 1], 77, "behind the last page");
        cr_assert_eq(model.parts[0][0], 1);
        cr_assert_eq(first_page[0], 0, "nobody said that it was written");
    }
    varve_snapshot_free(s);
    free_root(model.root);
    model.root = new_root();
    end_model();
}

TEST(tracking, follows_a_value_that_is_rebound)
{
    begin_model(false);
    varve_snapshot *s = take();
    retake(s);
    memset(model.spare, 9, LARGE);
    rebind(0, model.spare);
    for (int i = 0; i < 3; i++) {
        retake(s);
        check_same(s);
        rebind(0, i % 2 ? model.spare : model.parts[0]);
        model.spare[PAGE * 3] ^= 1;
        model.parts[0][PAGE * 5] ^= 1;
    }
    restore(s);
    check_same(s);
    varve_snapshot_free(s);
    end_model();
}

TEST(tracking, copies_two_values_that_swap_memory)
{
    begin_model(false);
    varve_snapshot *s = take();
    retake(s);
    for (int i = 0; i < 3; i++) {
        rebind(0, model.parts[(i + 1) % 2]);
        rebind(1, model.parts[i % 2]);
        i % 2 ? retake(s) : restore(s);
        check_same(s);
    }
    varve_snapshot_free(s);
    end_model();
}

TEST(tracking, does_not_assume_advanced_random_streams_are_restored)
{
    varve_error error = { 0 };
    begin_model(false);
    varve_tag(model.nodes[1], VARVE_TAG_RANDOM);
    varve_snapshot *s = take();
    retake(s);
    model.parts[1][2 * PAGE] = 99;
    cr_assert_ok(
        varve_snapshot_restore_with(s,
            &(varve_snapshot_restore_options){ .keep_random = true }, &error),
        error);
    cr_assert_eq(model.parts[1][2 * PAGE], 99);
    restore(s);
    cr_assert_eq(model.parts[1][2 * PAGE], 2);
    check_same(s);
    varve_snapshot_free(s);
    end_model();
}

TEST(tracking, restores_all_values_read_into_a_snapshot)
{
    varve_error error = { 0 };
    begin_model(false);
    varve_snapshot *s = take();
    retake(s);
    cr_assert_ok(varve_snapshot_write(s, "older", NULL, &error), error);
    memset(model.parts[0] + PAGE, 5, PAGE);
    retake(s);
    cr_assert_ok(varve_snapshot_read(s, "older", NULL, &error), error);
    restore(s);
    cr_assert_eq(model.parts[0][PAGE], 1);
    check_same(s);
    varve_snapshot_free(s);
    end_model();
}

TEST(tracking, ends_with_the_graph_or_the_last_snapshot)
{
    varve_error error = { 0 };
    begin_model(false);
    varve_snapshot *first = take(), *second = take();
    varve_snapshot_free(first);
    model.parts[0][PAGE] = 8;
    retake(second);
    check_same(second);
    free_root(model.root);
    cr_assert_eq(varve_snapshot_retake(second, &error), VARVE_MISMATCH);
    varve_snapshot_free(second);
    model.root = new_root();
    end_model();
}

/* --- Comparison with a plain copy --------------------------------------- */

enum { SNAPSHOTS = 3 };

static uint32_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % below;
}

static unsigned char *value(size_t i)
{
    return varve_value(model.nodes[i])->data;
}

/* Returns one of three places, two of which contain a value. */
static unsigned char *free_place(void)
{
    unsigned char *places[] = { model.parts[0], model.parts[1], model.spare };
    size_t i = 0;
    while (places[i] == value(0) || places[i] == value(1))
        i++;
    return places[i];
}

static void happen(void)
{
    size_t i = draw(2);
    unsigned char *pages = value(i) - (uintptr_t)value(i) % PAGE + PAGE;
    unsigned char *at = pages + (size_t)draw(LARGE / PAGE - 12) * PAGE;
    size_t size = (size_t)PAGE * (1 + draw(10));
    switch (draw(draw(8) ? 80 : 7)) {
    case 0: memset(value(i), (int)draw(256), LARGE); break;
    case 1: madvise(at, size, MADV_DONTNEED); break;
    case 2:
        mmap(at, size, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        break;
    case 3:
        mprotect(at, size, PROT_READ);
        mprotect(at, size, PROT_READ | PROT_WRITE);
        break;
    case 4: rebind(i, free_place()); break;
    case 5: {
        unsigned char *other = value(1);
        rebind(1, value(0));
        rebind(0, other);
        break;
    }
    case 6: model.parts[2][draw(SMALL)] ^= 1; break;
    default: value(i)[draw(LARGE)] ^= (unsigned char)(1 + draw(255)); break;
    }
}

struct plain {
    unsigned char bytes[PARTS][LARGE];
};

static void copy_plain(struct plain *plain)
{
    for (size_t i = 0; i < PARTS; i++)
        memcpy(plain->bytes[i], value(i), sizes[i]);
}

static void check_plain(const struct plain *plain, int round)
{
    for (size_t i = 0; i < PARTS; i++)
        cr_assert_eq(memcmp(plain->bytes[i], value(i), sizes[i]), 0,
            "value %zu, round %d", i, round);
}

static void run_randomly(bool on_this_machine, int rounds, uint32_t seed)
{
    struct plain *plain = malloc(SNAPSHOTS * sizeof *plain);
    varve_snapshot *s[SNAPSHOTS];
    cr_assert(plain);
    begin_model(on_this_machine);
    random_state = seed;
    for (int i = 0; i < SNAPSHOTS; i++) {
        s[i] = take();
        copy_plain(&plain[i]);
    }
    for (int round = 0; round < rounds; round++) {
        uint32_t which = draw(SNAPSHOTS);
        for (uint32_t k = draw(4); k > 0; k--)
            happen();
        if (draw(2)) {
            retake(s[which]);
            copy_plain(&plain[which]);
            check_same(s[which]);
        } else {
            restore(s[which]);
            check_plain(&plain[which], round);
        }
        if (draw(50) == 0) {
            varve_snapshot_free(s[which]);
            s[which] = take();
            copy_plain(&plain[which]);
        }
    }
    for (int i = 0; i < SNAPSHOTS; i++)
        varve_snapshot_free(s[i]);
    end_model();
    free(plain);
}

TEST(tracking, agrees_with_a_plain_copy)
{
    run_randomly(false, 150, 1);
}

TEST(tracking, agrees_with_a_plain_copy_on_the_real_system)
{
    run_randomly(true, 1500, 2);
}

TEST(tracking, copies_everything_in_a_forked_child)
{
    int status;
    begin_model(true);
    varve_snapshot *s = take();
    retake(s);
    model.parts[0][PAGE] = 3;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 5; i++) {
            model.parts[1][(7 + i) * PAGE] = 4;
            retake(s);
            check_same(s);
        }
        _exit(0);
    }
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
    model.parts[0][2 * PAGE] = 3;
    retake(s);
    check_same(s);
    varve_snapshot_free(s);
    end_model();
}

/* With failing system calls and allocations. */
TEST(tracking, gives_equal_results_if_calls_fail)
{
    begin_model(false);
    for (long number = 0; number < 30; number++) {
        faulty_plan(
            model.faulty, &(struct faulty_plan){ .number = number / 2,
                              .sticky = number % 2,
                              .error = EPERM,
                              .kinds = FAULTY_TRACK | FAULTY_OPEN_TRACKER });
        varve_snapshot *s = take();
        for (int i = 0; i < 4; i++) {
            model.parts[0][i * PAGE + number]++;
            retake(s);
            check_same(s);
            model.parts[1][i * PAGE + number]++;
            restore(s);
            check_same(s);
        }
        faulty_plan(model.faulty, NULL);
        varve_snapshot_free(s);
    }
    end_model();
}

TEST(tracking, works_without_memory_for_tracking)
{
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    begin_model(false);
    for (long number = 0; status; number++) {
        test_fail_allocation(number, false);
        varve_snapshot *s =
            varve_snapshot_new_with(model.root, &tracked, &error);
        status = s ? VARVE_OK : error.status;
        cr_assert(s || status == VARVE_NO_MEMORY);
        bool failed = test_allocation_count() > number;
        test_fail_allocation(-1, false);
        if (s) {
            model.parts[0][PAGE * 2]++;
            retake(s);
            check_same(s);
            varve_snapshot_free(s);
        }
        if (failed)
            status = VARVE_NO_MEMORY;
    }
    end_model();
}

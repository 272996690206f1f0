/* test_places.c - Tests the simulated file system against the real one with
 * random calls of three processes, and the behavior that only the simulated one
 * has.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simulate/arena.h"
#include "simulate/calls.h"
#include "simulate/draw.h"
#include "simulate/finding.h"
#include "simulate/oracle.h"
#include "simulate/place.h"
#include "simulate/process.h"
#include "simulate/schedule.h"
#include "support/proof.h"
#include "support/test.h"

enum { OPEN = 8, CALLS = 200, ROUNDS = 300, NAMES = 6 };

static const char *const names[NAMES] = { "a", "b", "c", "d", "d/a", "d/.." };

/* Both systems get the same calls. */
struct pair {
    const struct vv_system *real;
    struct process *simulated;
    int real_root, root;
    int real_open[OPEN], open[OPEN]; /* -1: none */
    uint64_t draws;
    char text[400]; /* the last calls */
};

static void begin_places(unsigned traits)
{
    const unsigned all[MOST_DISKS] = { traits, traits, traits };
    const struct lateness none = { 0 };
    const struct schedule calm = { 0 };
    finding_begin();
    processes_begin(1);
    places_begin(all, &none);
    calls_begin(&calm);
    oracle_begin(false);
}

static struct process *quiet(unsigned node)
{
    struct process *p = process_new("test", node);
    p->is_quiet = true;
    return p;
}

static void compare(struct pair *b, const char *call, int64_t real,
    int64_t simulated, bool opens)
{
    size_t size = strlen(b->text);
    if (size > sizeof b->text - 60)
        memmove(b->text, b->text + 60, (size -= 60) + 1);
    snprintf(b->text + size, sizeof b->text - size, " %s=%" PRId64, call,
        real < 0 || !opens ? real : 0);
    bool is_same = real == simulated || (opens && real >= 0 && simulated >= 0);
    cr_assert(is_same,
        "%s: the machine says %" PRId64 ", the simulation %" PRId64 ", after%s",
        call, real, simulated, b->text);
}

static const char *a_name(struct pair *b)
{
    return names[draw_below(&b->draws, NAMES)];
}

static unsigned a_place(struct pair *b)
{
    return draw_below(&b->draws, OPEN);
}

static void close_one(struct pair *b, unsigned i)
{
    const struct vv_system *s = &b->simulated->system;
    if (b->open[i] < 0)
        return;
    compare(b, "close", b->real->close(b->real->state, b->real_open[i]),
        s->close(s->state, b->open[i]), false);
    b->open[i] = b->real_open[i] = -1;
}

typedef int opening(void *state, int directory, const char *name);

static void open_one(
    struct pair *b, const char *call, opening *real, opening *simulated)
{
    const char *name = a_name(b);
    unsigned i = a_place(b);
    close_one(b, i);
    b->real_open[i] = real(b->real->state, b->real_root, name);
    b->open[i] = simulated(b->simulated, b->root, name);
    compare(b, call, b->real_open[i], b->open[i], true);
}

static void write_one(struct pair *b)
{
    const struct vv_system *s = &b->simulated->system;
    unsigned i = a_place(b), offset = draw_below(&b->draws, 20);
    if (b->open[i] < 0)
        return;
    compare(b, "write",
        b->real->write_at(b->real->state, b->real_open[i], "abc", 3, offset),
        s->write_at(s->state, b->open[i], "abc", 3, offset), false);
}

static void read_one(struct pair *b)
{
    const struct vv_system *s = &b->simulated->system;
    unsigned i = a_place(b), offset = draw_below(&b->draws, 20);
    char one[16] = "", other[16] = "";
    if (b->open[i] < 0)
        return;
    int64_t real =
        b->real->read_at(b->real->state, b->real_open[i], one, 15, offset);
    compare(b, "read", real, s->read_at(s->state, b->open[i], other, 15,
        offset), false);
    cr_assert(memcmp(one, other, 16) == 0, "other bytes after%s", b->text);
}

static void ask_one(struct pair *b)
{
    const struct vv_system *s = &b->simulated->system;
    struct vv_file_info real = { 0 }, simulated = { 0 };
    unsigned i = a_place(b);
    if (b->open[i] < 0)
        return;
    b->real->info(b->real->state, b->real_open[i], &real);
    s->info(s->state, b->open[i], &simulated);
    compare(b, "kind", real.kind, simulated.kind, false);
    compare(b, "size", (int64_t)real.size, (int64_t)simulated.size, false);
}

static void lock_one(struct pair *b)
{
    const struct vv_system *s = &b->simulated->system;
    unsigned i = a_place(b), what = draw_below(&b->draws, 3);
    if (b->open[i] < 0)
        return;
    int file = b->real_open[i], other = b->open[i];
    if (what == 0)
        compare(b, "lock", b->real->lock(b->real->state, file),
            s->lock(s->state, other), false);
    else if (what == 1)
        compare(b, "share", b->real->share_lock(b->real->state, file),
            s->share_lock(s->state, other), false);
    else
        compare(b, "unlock", b->real->unlock(b->real->state, file),
            s->unlock(s->state, other), false);
}

static bool is_in_root(const char *name)
{
    return strchr(name, '/') == NULL;
}

static void name_one(struct pair *b)
{
    const struct vv_system *r = b->real, *s = &b->simulated->system;
    const char *from = a_name(b), *to = a_name(b);
    switch (draw_below(&b->draws, 5)) {
    case 0:
        if (is_in_root(from) && is_in_root(to))
            compare(b, "rename",
                r->rename(r->state, b->real_root, from, to),
                s->rename(s->state, b->root, from, to), false);
        break;
    case 1:
        if (is_in_root(from) && is_in_root(to))
            compare(b, "rename_new",
                r->rename_new(r->state, b->real_root, from, to),
                s->rename_new(s->state, b->root, from, to), false);
        break;
    case 2:
        if (is_in_root(from) && is_in_root(to))
            compare(b, "link", r->link(r->state, b->real_root, from, to),
                s->link(s->state, b->root, from, to), false);
        break;
    case 3:
        compare(b, "make_directory",
            r->make_directory(r->state, b->real_root, from),
            s->make_directory(s->state, b->root, from), false);
        break;
    default:
        if (strcmp(from, "d/..") != 0)
            compare(b, "remove", r->remove(r->state, b->real_root, from),
                s->remove(s->state, b->root, from), false);
    }
}

static int add_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    unsigned *seen = user;
    (void)info;
    for (unsigned i = 0; i < NAMES; i++)
        if (strcmp(names[i], name) == 0)
            *seen += 1u << 4 * i;
    return 0;
}

static void list_one(struct pair *b)
{
    const struct vv_system *s = &b->simulated->system;
    unsigned real = 0, simulated = 0;
    b->real->each_name(b->real->state, b->real_root, add_name, &real);
    s->each_name(s->state, b->root, add_name, &simulated);
    compare(b, "names", real, simulated, false);
}

static void call_one(struct pair *b)
{
    const struct vv_system *r = b->real, *s = &simulated_system;
    switch (draw_below(&b->draws, 12)) {
    case 0: open_one(b, "open_file", r->open_file, s->open_file); break;
    case 1:
    case 2: open_one(b, "create_file", r->create_file, s->create_file); break;
    case 3:
        open_one(b, "open_to_write", r->open_to_write, s->open_to_write);
        break;
    case 4:
        open_one(b, "open_directory", r->open_directory, s->open_directory);
        break;
    case 5: write_one(b); break;
    case 6: read_one(b); break;
    case 7: ask_one(b); break;
    case 8: list_one(b); break;
    case 9: lock_one(b); break;
    default: name_one(b); break;
    }
}

static void compare_round(uint64_t seed)
{
    char path[] = "/tmp/varve-simulate-XXXXXX";
    cr_assert(mkdtemp(path));
    begin_places(0);
    struct pair b = { .real = &vv_posix_system,
        .simulated = quiet(0),
        .draws = seed };
    b.real_root = b.real->open_directory(NULL, VV_WORKING_DIRECTORY, path);
    b.root = simulated_system.open_directory(
        b.simulated, VV_WORKING_DIRECTORY, "shared");
    for (unsigned i = 0; i < OPEN; i++)
        b.open[i] = b.real_open[i] = -1;
    for (unsigned i = 0; i < CALLS; i++)
        call_one(&b);
    for (unsigned i = 0; i < OPEN; i++)
        close_one(&b, i);
    for (unsigned i = 0; i < 4; i++) {
        char inner[] = "./a";
        inner[0] = names[i][0];
        b.real->remove(NULL, b.real_root, inner);
        b.real->remove(NULL, b.real_root, names[i]);
    }
    b.real->close(NULL, b.real_root);
    cr_assert_eq(rmdir(path), 0, "%s", path);
    cr_assert(!has_finding(), "%s", finding_text());
    arena_reset();
}

TEST(places, behave_like_the_real_system)
{
    uint64_t state = proof_seed();
    for (unsigned i = 0; i < ROUNDS; i++)
        compare_round(draw_next(&state));
}

/* --- Behavior that a real directory cannot show ------------------------- */

static int make_file(struct process *p, const char *path)
{
    int file = simulated_system.create_file(p, VV_WORKING_DIRECTORY, path);
    cr_assert_gt(file, 0);
    return file;
}

TEST(places, keep_a_lock_while_a_forked_child_has_its_descriptor)
{
    const struct vv_system *s = &simulated_system;
    begin_places(0);
    struct process *parent = quiet(0), *other = quiet(1);
    int file = make_file(parent, "shared/lock");
    cr_assert_eq(s->lock(parent, file), 0);
    struct process *child = process_fork(parent, "child");
    child->is_quiet = true;
    int theirs = s->open_file(other, VV_WORKING_DIRECTORY, "shared/lock");
    cr_assert_eq(s->close(parent, file), 0);
    cr_assert_eq(s->lock(other, theirs), -EWOULDBLOCK);
    cr_assert_eq(s->unlock(child, file), 0);
    cr_assert_eq(s->lock(other, theirs), 0);
    arena_reset();
}

TEST(places, have_locks_within_one_node_or_none)
{
    const struct vv_system *s = &simulated_system;
    begin_places(DISK_LOCAL_LOCKS);
    struct process *one = quiet(0), *same = quiet(0), *other = quiet(1);
    int file = make_file(one, "shared/lock");
    int again = s->open_file(same, VV_WORKING_DIRECTORY, "shared/lock");
    int theirs = s->open_file(other, VV_WORKING_DIRECTORY, "shared/lock");
    cr_assert_eq(s->lock(one, file), 0);
    cr_assert_eq(s->lock(same, again), -EWOULDBLOCK);
    cr_assert_eq(s->lock(other, theirs), 0);
    begin_places(DISK_NO_LOCKS);
    one = quiet(0);
    cr_assert_eq(s->lock(one, make_file(one, "shared/lock")), -ENOSYS);
    arena_reset();
}

static size_t keep_nothing(void *user, const struct inode *inode, size_t most)
{
    (void)user;
    (void)inode;
    (void)most;
    return 0;
}

TEST(places, lose_unsynced_data_in_a_power_cut)
{
    const struct vv_system *s = &simulated_system;
    begin_places(DISK_IS_VOLATILE);
    struct process *p = quiet(0);
    char bytes[8] = "";
    int root = s->open_directory(p, VV_WORKING_DIRECTORY, "shared");
    int kept = make_file(p, "shared/kept");
    cr_assert_eq(s->write_at(p, kept, "old", 3, 0), 3);
    cr_assert_eq(s->sync(p, kept), 0);
    cr_assert_eq(s->sync(p, root), 0);
    cr_assert_eq(s->write_at(p, kept, "new", 3, 0), 3);
    make_file(p, "shared/lost");
    cr_assert_eq(s->rename(p, root, "kept", "moved"), 0);
    disk_cut_power(place_disk(DISK_SHARED), keep_nothing, NULL);
    struct process *next = quiet(0);
    cr_assert_eq(s->open_file(next, VV_WORKING_DIRECTORY, "shared/lost"),
        -ENOENT);
    cr_assert_eq(s->open_file(next, VV_WORKING_DIRECTORY, "shared/moved"),
        -ENOENT);
    int file = s->open_file(next, VV_WORKING_DIRECTORY, "shared/kept");
    cr_assert_eq(s->read_at(next, file, bytes, 8, 0), 3);
    cr_assert_str_eq(bytes, "old");
    arena_reset();
}

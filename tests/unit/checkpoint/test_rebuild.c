/* test_rebuild.c - Tests rebuilding lost files of a redundancy group.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rebuild.h"

#include <errno.h>

#include "redundancy_world.h"
#include "support/faulty_system.h"

static varve_status set_aside(const char *path, varve_error *message)
{
    varve_comm comm = { .size = 1 };
    const struct vv_redundancy r = redundancy_of(&comm);
    varve_error error = { 0 };
    *message = (varve_error){ 0 };
    return vv_set_aside(&r, path, UINT64_C(0xfe), message, &error);
}

static void check_bytes(const char *path, const char *bytes)
{
    size_t size;
    const unsigned char *found = memory_bytes(world.memory, path, &size);
    cr_assert(found, "%s", path);
    cr_assert(size == strlen(bytes) && memcmp(found, bytes, size) == 0);
}

TEST(set_aside, replaces_no_file)
{
    varve_error message;
    begin_world(1, VARVE_XOR);
    memory_put(world.memory, "run/ckpt-3.varve", "one", 3);
    cr_assert_eq(set_aside("run/ckpt-3.varve", &message), VARVE_OK);
    cr_assert_eq(message.status, VARVE_EXISTS);
    cr_assert(strstr(message.message,
                  "run/ckpt-3.varve: another run saved this file") &&
                  strstr(message.message, "ckpt-3.00000000000000fe.varve"),
        "%s", message.message);
    memory_put(world.memory, "run/ckpt-3.varve", "two", 3);
    cr_assert_eq(set_aside("run/ckpt-3.varve", &message), VARVE_OK);
    check_bytes("run/ckpt-3.00000000000000fe.varve", "one");
    check_bytes("run/ckpt-3.00000000000000ff.varve", "two");
    cr_assert_eq(memory_file_count(world.memory), 2);
    end_world();
}

TEST(set_aside, does_nothing_without_a_file)
{
    varve_error message;
    begin_world(1, VARVE_XOR);
    cr_assert_eq(set_aside("run/ckpt-3.parity", &message), VARVE_OK);
    cr_assert_eq(message.status, VARVE_OK);
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}

static void protect_files(uint32_t count, uint32_t scheme, size_t largest)
{
    begin_world(count, scheme);
    put_files(largest, proof_seed() + count);
    protect_all();
}

/* Loses any one node, and any single file. */
static void lose_each(uint32_t scheme)
{
    for (uint32_t count = 2; count <= 6; count++) {
        protect_files(count, scheme, 1000);
        for (uint32_t i = 0; i < count; i++) {
            lose_node(i);
            cr_assert_ok(run_all(true), world.errors[0]);
            check_whole();
            lose(i, "f.varve");
            cr_assert_ok(run_all(true), world.errors[0]);
            check_whole();
        }
        end_world();
    }
}

TEST(rebuild, restores_any_node_of_a_group_by_xor)
{
    lose_each(VARVE_XOR);
}

TEST(rebuild, restores_any_node_from_its_partner)
{
    lose_each(VARVE_PARTNER);
}

/* Rebuilt files protect others like saved ones. */
TEST(rebuild, restores_parity_of_other_files)
{
    const uint32_t schemes[] = { VARVE_XOR, VARVE_PARTNER };
    for (int s = 0; s < 2; s++) {
        protect_files(4, schemes[s], 500);
        for (uint32_t i = 0; i < 4; i++)
            lose(i, "f.parity");
        cr_assert_eq(run_all(true), VARVE_NOT_FOUND);
        protect_all();
        lose(1, "f.parity");
        lose(3, "f.parity");
        cr_assert_ok(run_all(true), world.errors[0]);
        lose_node(2);
        cr_assert_ok(run_all(true), world.errors[0]);
        lose_node(3);
        cr_assert_ok(run_all(true), world.errors[0]);
        check_whole();
        end_world();
    }
}

TEST(rebuild, restores_two_nodes_that_are_not_partners)
{
    protect_files(4, VARVE_PARTNER, 500);
    lose_node(0);
    lose_node(2);
    cr_assert_ok(run_all(true), world.errors[0]);
    check_whole();
    end_world();
}

TEST(rebuild, reports_lost_ranks_if_there_are_too_many)
{
    protect_files(4, VARVE_XOR, 500);
    lose_node(1);
    lose_node(3);
    cr_assert_eq(run_all(true), VARVE_CORRUPT);
    cr_assert_str_eq(world.errors[2].message,
        "rank 0: node-0/f.varve: too many files are lost: at most one node "
        "of a group of 4 can be lost, but ranks 1 (node 1), 3 (node 3) have "
        "lost files");
    cr_assert(!memory_bytes(world.memory, "node-1/f.varve", &(size_t){ 0 }));
    end_world();
    protect_files(4, VARVE_PARTNER, 500);
    lose_node(3);
    lose_node(0);
    cr_assert_eq(run_all(true), VARVE_CORRUPT);
    cr_assert_str_eq(world.errors[2].message,
        "rank 0: node-0/f.varve: too many files are lost: no two consecutive "
        "nodes of a group of 4 can be lost, but ranks 0 (node 0), 3 (node 3) "
        "have lost files");
    end_world();
}

/* An existing file with other content counts as lost. */
TEST(rebuild, rebuilds_damaged_files)
{
    protect_files(3, VARVE_XOR, 300);
    size_t size;
    memory_bytes(world.memory, "node-1/f.varve", &size)[0] ^= 1;
    cr_assert_ok(run_all(true), world.errors[0]);
    check_whole();
    memory_resize(world.memory, "node-2/f.varve", 5000);
    cr_assert_ok(run_all(true), world.errors[0]);
    check_whole();
    memory_bytes(world.memory, "node-0/f.parity", &size);
    memory_bytes(world.memory, "node-0/f.parity", &size)[size - 1] ^= 1;
    cr_assert_ok(run_all(true), world.errors[0]);
    lose_node(1);
    cr_assert_ok(run_all(true), world.errors[0]);
    check_whole();
    end_world();
}

TEST(rebuild, reports_the_number_of_ranks_of_the_save)
{
    protect_files(4, VARVE_XOR, 300);
    world.count = 3;
    cr_assert_eq(run_all(true), VARVE_MISMATCH);
    cr_assert_str_eq(world.errors[2].message,
        "rank 0: node-0/f.parity: saved by 4 ranks, but this job has 3");
    end_world();
}

/* Groups are those of the save, regardless of where ranks run now. */
TEST(rebuild, uses_the_groups_of_the_save)
{
    protect_files(6, VARVE_XOR, 300);
    lose_node(4);
    for (uint32_t i = 0; i < 6; i++)
        world.domains[i] = i / 3;
    world.group_size = 2;
    world.scheme = VARVE_PARTNER;
    cr_assert_ok(run_all(true), world.errors[0]);
    check_whole();
    end_world();
}

TEST(rebuild, works_without_a_shift_call_of_the_communicator)
{
    const uint32_t schemes[] = { VARVE_XOR, VARVE_PARTNER };
    for (int s = 0; s < 2; s++) {
        begin_world(5, schemes[s]);
        world.has_no_shift = true;
        put_files(700, 3);
        protect_all();
        lose_node(3);
        cr_assert_ok(run_all(true), world.errors[0]);
        check_whole();
        end_world();
    }
}

/* Replaces the files of some ranks by those of an older save of the same
 * number. */
static void protect_twice(const uint32_t *ranks, size_t count)
{
    static const char *const names[] = { "f.varve", "f.parity" };
    unsigned char *kept[MOST_NODES][2];
    size_t sizes[MOST_NODES][2];
    put_files(300, 1);
    protect_all();
    for (size_t i = 0; i < 2 * count; i++) {
        const char *path = node_path(ranks[i / 2], names[i % 2]);
        size_t *size = &sizes[i / 2][i % 2];
        const void *bytes = memory_bytes(world.memory, path, size);
        kept[i / 2][i % 2] = malloc(*size);
        memcpy(kept[i / 2][i % 2], bytes, *size);
    }
    put_files(300, 2);
    protect_all();
    for (size_t i = 0; i < 2 * count; i++) {
        memory_put(world.memory, node_path(ranks[i / 2], names[i % 2]),
            kept[i / 2][i % 2], sizes[i / 2][i % 2]);
        free(kept[i / 2][i % 2]);
    }
}

/* A number may be used twice, by lives on different nodes. */
TEST(rebuild, does_not_mix_files_of_two_saves)
{
    begin_world(4, VARVE_PARTNER);
    world.group_size = 2; /* 0, 2 and 1, 3 */
    protect_twice((const uint32_t[]){ 1, 3 }, 2);
    cr_assert_eq(run_all(true), VARVE_CORRUPT);
    cr_assert_str_eq(world.errors[0].message,
        "rank 1: node-1/f.varve: too many files are lost: no two consecutive "
        "nodes of a group of 2 can be lost, but ranks 1 (node 1), 3 (node 3) "
        "have lost files");
    end_world();
}

TEST(rebuild, treats_an_outdated_node_as_lost)
{
    for (uint32_t away = 0; away < 4; away++) {
        begin_world(4, VARVE_XOR);
        protect_twice(&away, 1);
        cr_assert_ok(run_all(true), world.errors[0]);
        check_whole();
        end_world();
    }
}

/* --- Random losses ------------------------------------------------------ */

enum loss {
    NOTHING,
    FILE_GONE,
    PARITY_GONE,
    ALL_GONE,
    FILE_BAD,
    HEAD_BAD,
    BLOCK_BAD, /* its header is intact */
};

/* Damages a byte among the first or last `which` bytes; 0: any byte. */
static void damage(
    uint32_t rank, const char *name, int64_t which, uint64_t *random)
{
    size_t size;
    const char *path = node_path(rank, name);
    unsigned char *bytes = memory_bytes(world.memory, path, &size);
    size_t of = which > 0 ? (size_t)which : which < 0 ? (size_t)-which : size;
    size_t at = (size_t)(proof_next(random) % of);
    at += which < 0 ? size - of : 0;
    if (which >= 0 && proof_next(random) % 4 == 0)
        memory_resize(world.memory, path, at);
    else
        bytes[at] ^= (unsigned char)(1 << proof_next(random) % 8);
}

static void inflict(uint32_t rank, enum loss loss, uint64_t *random)
{
    if (loss == FILE_GONE || loss == ALL_GONE)
        lose(rank, "f.varve");
    if (loss == PARITY_GONE || loss == ALL_GONE)
        lose(rank, "f.parity");
    if (loss == FILE_BAD)
        damage(rank, "f.varve", 0, random);
    if (loss == HEAD_BAD)
        damage(rank, "f.parity", 56, random);
    if (loss == BLOCK_BAD)
        damage(rank, "f.parity", -1, random);
}

static bool lost_file(enum loss loss)
{
    return loss == FILE_GONE || loss == ALL_GONE || loss == FILE_BAD;
}

static bool lost_parity(enum loss loss)
{
    return loss == PARITY_GONE || loss == ALL_GONE || loss == HEAD_BAD ||
           loss == BLOCK_BAD;
}

/* Returns true if the scheme can rebuild these losses in each group. */
static bool can_be_whole(const enum loss *losses)
{
    for (uint32_t rank = 0; rank < world.count; rank++) {
        struct vv_redundancy_group g;
        const uint32_t rank_and_size[] = { rank, world.count };
        cr_assert_eq(vv_redundancy_group_of(&g, world.domains, rank_and_size,
                         world.group_size, test_allocator(), NULL),
            VARVE_OK);
        uint32_t files = 0, others = 0, tables = 0;
        for (uint32_t i = 0; i < g.count; i++) {
            enum loss loss = losses[g.ranks[i]];
            files += lost_file(loss);
            others += lost_parity(loss) && !lost_file(loss);
            tables += !lost_parity(loss) || loss == BLOCK_BAD;
        }
        uint32_t next = g.ranks[(g.index + 1) % g.count];
        bool is_bad = files > 1 || (files == 1 && others > 0);
        if (world.scheme == VARVE_PARTNER)
            is_bad = lost_file(losses[rank]) && lost_parity(losses[next]);
        if (is_bad || tables == 0)
            return false;
    }
    return true;
}

static void check_unchanged(const enum loss *losses)
{
    for (uint32_t i = 0; i < world.count; i++)
        cr_assert_eq(has_file_of(i), !lost_file(losses[i]), "rank %u", i);
}

/* Tries a few losses, or many. */
static bool try_losses(uint64_t *random)
{
    enum loss losses[MOST_NODES] = { NOTHING };
    uint64_t rareness = 1 + proof_next(random) % 6;
    for (uint32_t i = 0; i < world.count; i++)
        if (proof_next(random) % rareness == 0)
            losses[i] = (enum loss)(proof_next(random) % (BLOCK_BAD + 1));
    for (uint32_t i = 0; i < world.count; i++)
        inflict(i, losses[i], random);
    bool can = can_be_whole(losses);
    varve_status status = run_all(true);
    cr_assert_eq(!status, can, "%s", world.errors[0].message);
    if (can)
        check_whole();
    else
        check_unchanged(losses);
    return can;
}

TEST(rebuild, rebuilds_random_losses_or_reports_them)
{
    uint64_t random = proof_seed(), rebuilt = 0, refused = 0;
    for (uint64_t i = 0; i < proof_size(150, 5000); i++) {
        uint32_t count = 2 + (uint32_t)(proof_next(&random) % 8);
        begin_world(count, i % 2 ? VARVE_XOR : VARVE_PARTNER);
        world.group_size = 2 + (uint32_t)(proof_next(&random) % 5);
        world.round_size = 1 + (size_t)(proof_next(&random) % 200);
        if (count % 2 == 0 && proof_next(&random) % 2)
            for (uint32_t rank = 0; rank < count; rank++)
                world.domains[rank] = rank / (count / 2);
        put_files(1 + (size_t)(proof_next(&random) % 1500), i);
        protect_all();
        for (int again = 0; again < 3 && try_losses(&random); again++)
            rebuilt++;
        refused++;
        end_world();
    }
    proof_count("rebuild.rebuilt", rebuilt);
    proof_count("rebuild.sets", refused);
}

/* --- Failures during a rebuild ------------------------------------------ */

static void lose_some(void)
{
    lose_node(1);
    lose(2, "f.parity");
}

static void begin_again(uint32_t scheme)
{
    begin_world(6, scheme);
    world.group_size = 3; /* 0, 2, 4 and 1, 3, 5 */
    put_files(400, 9);
    protect_all();
    lose_some();
}

/* A process ends after any call; the next life completes the rebuild. */
TEST(rebuild, continues_an_interrupted_rebuild)
{
    const uint32_t schemes[] = { VARVE_XOR, VARVE_PARTNER };
    uint64_t tried = 0;
    for (int s = 0; s < 2; s++) {
        bool is_whole = false;
        for (long calls = 0; !is_whole; calls += (long)proof_size(7, 1)) {
            begin_again(schemes[s]);
            is_whole = run_until(true, calls) <= calls;
            cr_assert_ok(run_all(true), world.errors[0]);
            check_whole();
            end_world();
            tried++;
        }
    }
    proof_count("rebuild.disconnected", tried);
}

static void fail_calls(uint32_t scheme, bool is_protect)
{
    uint64_t tried = 0;
    for (long n = 0;; n += (long)proof_size(5, 1)) {
        begin_again(scheme);
        if (is_protect)
            cr_assert_ok(run_all(true), world.errors[0]);
        struct faulty *faulty = faulty_new(memory_system(world.memory));
        world.context.system = faulty_system(faulty);
        faulty_plan(faulty, &(struct faulty_plan){ .number = n, .error = EIO });
        run_all(!is_protect);
        bool was_hit = faulty_hit(faulty);
        faulty_plan(faulty, NULL);
        world.context.system = memory_system(world.memory);
        cr_assert_eq(faulty_open_count(faulty), 0);
        faulty_free(faulty);
        cr_assert_ok(run_all(true), world.errors[0]);
        check_whole();
        end_world();
        if (!was_hit)
            break;
        tried++;
    }
    proof_count("rebuild.faults", tried);
}

TEST(rebuild, fails_on_all_ranks_if_a_system_call_fails_on_one)
{
    fail_calls(VARVE_XOR, false);
    fail_calls(VARVE_PARTNER, false);
    fail_calls(VARVE_XOR, true);
}

TEST(rebuild, keeps_a_set_that_can_be_rebuilt_without_memory)
{
    for (long n = 0;; n += (long)proof_size(3, 1)) {
        begin_again(VARVE_XOR);
        test_fail_allocation(n, false);
        varve_status status = run_all(true);
        bool was_hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s",
            world.errors[0].message);
        cr_assert_ok(run_all(true), world.errors[0]);
        check_whole();
        end_world();
        if (!was_hit)
            break;
    }
}

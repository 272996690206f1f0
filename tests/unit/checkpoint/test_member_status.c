/* test_member_status.c - Tests which files of a redundancy group are lost and
 * whether they can be rebuilt.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_world.h"

static const uint32_t nodes[] = { 7, 8, 9, 10 };

static struct vv_parity_table table;
static struct vv_member_status all[4];
static struct vv_repair repair;
static varve_error reason;

/* Creates four members whose files are complete. */
static void begin(uint32_t scheme)
{
    table = (struct vv_parity_table){
        .scheme = scheme,
        .size = 4,
        .domains = nodes,
        .group = { .count = 4, .most = 4, .ranks = { 0, 1, 2, 3 } },
    };
    reason = (varve_error){ 0 };
    for (uint32_t i = 0; i < 4; i++) {
        all[i] = (struct vv_member_status){ .has_file = 1,
            .has_table = 1,
            .has_block = 1,
            .is = { .size = 10 + i } };
        for (uint32_t j = 0; j < 4; j++)
            all[i].files[j].size = 10 + j;
    }
}

static varve_status decide(void)
{
    const struct vv_redundant_file own = { .path = "f" };
    return vv_decide_repair(
        all, &table, &repair, &own, test_allocator(), &reason);
}

static void check_decided(uint64_t files, uint64_t blocks)
{
    cr_assert_ok(decide(), reason);
    cr_assert_eq(repair.files, files);
    cr_assert_eq(repair.blocks, blocks);
    for (uint32_t j = 0; j < 4; j++)
        cr_assert_eq(table.files[j].size, 10 + j);
}

TEST(member_status, lists_lost_files)
{
    begin(VARVE_XOR);
    check_decided(0, 0);
    all[2].has_block = 0;
    all[1].has_table = 0;
    check_decided(0, 6);
    begin(VARVE_XOR);
    all[3].has_file = 0;
    all[3].has_table = 0;
    check_decided(8, 8);
    all[3].has_file = 1;
    all[3].is.size = 14; /* not the file that was protected */
    check_decided(8, 8);
}

TEST(member_status, of_xor_allows_one_lost_block_in_each_column)
{
    begin(VARVE_XOR);
    all[0].has_file = 0;
    all[1].has_block = 0;
    cr_assert_eq(decide(), VARVE_CORRUPT);
    cr_assert_str_eq(reason.message,
        "f: too many files are lost: at most one node of a group of 4 can be "
        "lost, but ranks 0 (node 7), 1 (node 8) have lost files");
}

TEST(member_status, is_not_lost_if_a_file_is_temporarily_unreadable)
{
    begin(VARVE_XOR);
    all[1].has_file = all[2].has_file = 0;
    all[1].is_unread = 1;
    cr_assert_eq(decide(), VARVE_IO);
    cr_assert_str_eq(reason.message,
        "f: too few nodes of its group of 4 can read their files now; reading "
        "failed at ranks 1 (node 8)");
    all[3].has_file = 0; /* lost, even if that of rank 1 is intact */
    cr_assert_eq(decide(), VARVE_CORRUPT);
    all[2].is_unread = all[3].is_unread = 1;
    cr_assert_eq(decide(), VARVE_IO);
    begin(VARVE_XOR);
    all[1].has_file = 0;
    all[1].is_unread = 1;
    check_decided(2, 0);
}

TEST(member_status, of_partners_requires_one_of_each_pair)
{
    begin(VARVE_PARTNER);
    all[0].has_file = 0;
    all[0].has_table = 0;
    all[2].has_file = 0;
    all[2].has_table = 0;
    check_decided(5, 5);
    all[3].has_block = 0;
    cr_assert_eq(decide(), VARVE_CORRUPT);
}

/* The table that allows a complete rebuild is used. */
TEST(member_status, uses_the_table_that_allows_a_rebuild)
{
    begin(VARVE_XOR);
    all[0].files[1].size = 99;
    check_decided(0, 1);
}

TEST(member_status, without_a_table_cannot_be_rebuilt)
{
    begin(VARVE_XOR);
    for (uint32_t i = 0; i < 4; i++)
        all[i].has_table = 0;
    cr_assert_eq(decide(), VARVE_CORRUPT);
    test_fail_allocation(0, true);
    cr_assert_eq(decide(), VARVE_CORRUPT);
    test_fail_allocation(-1, false);
    cr_assert_str_eq(reason.message,
        "f: too many files are lost: at most one node of a group of 4 can be "
        "lost, but ranks several have lost files");
}

TEST(member_status, is_determined_from_the_files)
{
    begin_world(2, VARVE_XOR);
    put_files(300, 2);
    protect_all();
    const varve_comm comm = { .rank = 1, .size = 2 };
    const struct vv_redundancy r = redundancy_of(&comm);
    const struct vv_redundant_file own = { .number = 17,
        .path = "node-1/f.varve", .parity = "node-1/f.parity" };
    struct vv_local_files is;
    size_t size;
    cr_assert_eq(vv_local_files_look(&is, &r, &own, NULL), VARVE_OK);
    cr_assert(is.file >= 0 && is.has_table && is.has_block);
    struct vv_digest digest = vv_digest_of(world.bytes[1], world.sizes[1]);
    cr_assert(is.is.size == world.sizes[1] &&
              vv_digest_equal(&is.is.digest, &digest));
    vv_local_files_close(&is, &r);
    memory_bytes(world.memory, own.parity, &size);
    memory_bytes(world.memory, own.parity, &size)[size - 1] ^= 4;
    lose(1, "f.varve");
    cr_assert_eq(vv_local_files_look(&is, &r, &own, NULL), VARVE_OK);
    cr_assert(is.file < 0 && is.has_table && !is.has_block);
    vv_local_files_close(&is, &r);
    lose(1, "f.parity");
    cr_assert_eq(vv_local_files_look(&is, &r, &own, NULL), VARVE_OK);
    cr_assert(is.file < 0 && !is.has_table);
    cr_assert_eq(is.reason.status, VARVE_NOT_FOUND);
    vv_local_files_close(&is, &r);
    end_world();
}

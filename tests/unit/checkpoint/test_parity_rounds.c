/* test_parity_rounds.c - Tests the computation of parity blocks in rounds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_world.h"

/* Returns a byte of a file, or 0 after its end. */
static unsigned char byte_at(uint32_t rank, size_t at)
{
    return at < world.sizes[rank] ? world.bytes[rank][at] : 0;
}

/* Returns a byte of the expected parity block of a member, by the
 * definition. */
static unsigned char block_byte(uint32_t member, size_t segment, size_t at)
{
    unsigned char sum = 0;
    for (uint32_t j = 0; j < world.count; j++)
        if (j != member)
            sum ^= byte_at(
                j, (member + world.count - j - 1) % world.count * segment + at);
    return sum;
}

static const unsigned char *block_of(uint32_t rank, size_t *size)
{
    size_t whole, head = 72 + 32 * world.count + 4 * world.count + 16;
    const unsigned char *bytes =
        memory_bytes(world.memory, node_path(rank, "f.parity"), &whole);
    *size = whole - head;
    return bytes + head;
}

static void check_parity(uint32_t count, size_t largest, size_t round_size)
{
    begin_world(count, VARVE_XOR);
    world.group_size = count;
    world.round_size = round_size;
    put_files(largest, count * 1000 + round_size);
    protect_all();
    size_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = world.sizes[i] > most ? world.sizes[i] : most;
    size_t segment = (most + count - 2) / (count - 1), size;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *block = block_of(i, &size);
        cr_assert_eq(size, segment);
        for (size_t at = 0; at < size; at++)
            cr_assert_eq(block[at], block_byte(i, segment, at));
    }
    end_world();
}

TEST(parity_rounds, compute_each_block_from_one_segment_of_each_other_file)
{
    for (uint32_t count = 2; count <= 8; count++) {
        check_parity(count, 1, 64);
        check_parity(count, 300, 64);
        check_parity(count, 300, 1);
        check_parity(count, 300, 4096);
    }
}

/* With k nodes each stores 1 / (k - 1) of the largest file beside its own. */
TEST(parity_rounds, need_less_space_in_larger_groups)
{
    begin_world(5, VARVE_XOR);
    uint64_t random = 1;
    for (uint32_t i = 0; i < 5; i++)
        put_file(i, 4000, &random);
    world.group_size = 5;
    protect_all();
    size_t size;
    block_of(3, &size);
    cr_assert_eq(size, 1000);
    end_world();
}

TEST(parity_rounds, copy_files_to_the_next_member)
{
    begin_world(5, VARVE_PARTNER);
    world.group_size = 5;
    put_files(500, 77);
    protect_all();
    for (uint32_t i = 0; i < 5; i++) {
        size_t size;
        uint32_t before = (i + 4) % 5;
        const unsigned char *block = block_of(i, &size);
        cr_assert_eq(size, world.sizes[before]);
        cr_assert(memcmp(block, world.bytes[before], size) == 0);
    }
    end_world();
}

/* A rank holds three parts of a round, and one for the sum. */
TEST(parity_rounds, need_memory_independent_of_the_file_size)
{
    uint64_t random = 4;
    begin_world(4, VARVE_XOR);
    world.round_size = 4096;
    for (uint32_t i = 0; i < 4; i++)
        put_file(i, 4000000, &random);
    test_reset_peak();
    protect_all();
    cr_assert_lt(test_peak_bytes(), 4 * (VV_PASSED_AT_ONCE + 65536));
    end_world();
}

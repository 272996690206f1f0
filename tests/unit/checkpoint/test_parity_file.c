/* test_parity_file.c - Tests the header of parity files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "redundancy_world.h"

#include "bytes.h"
#include "parity_file.h"

enum { HEAD = 72, MEMBER = 32 };

static struct vv_redundant_file own_of(uint32_t rank)
{
    return (struct vv_redundant_file){
        .number = world.number,
        .path = node_path(rank, "f.varve"),
        .parity = node_path(rank, "f.parity"),
    };
}

/* Opens the parity file of a rank. */
static varve_status open_at(uint32_t rank, struct vv_parity_table *table)
{
    const varve_comm comm = { .rank = rank, .size = world.count };
    const struct vv_redundancy r = redundancy_of(&comm);
    const struct vv_redundant_file own = own_of(rank);
    struct vv_parity_in in;
    varve_status status = vv_parity_open(&in, &r, &own, &world.errors[0]);
    if (status)
        return status;
    if (table)
        *table = in.table;
    vv_parity_close(&in, &r);
    return VARVE_OK;
}

static unsigned char *bytes_at(uint32_t rank, size_t *size)
{
    return memory_bytes(world.memory, node_path(rank, "f.parity"), size);
}

static void begin_protected(uint32_t scheme)
{
    begin_world(4, scheme);
    put_files(300, 5);
    protect_all();
}

TEST(parity_file, lists_the_members_of_a_group_and_their_files)
{
    struct vv_parity_table t;
    begin_protected(VARVE_XOR);
    cr_assert_eq(open_at(2, &t), VARVE_OK);
    cr_assert(t.scheme == VARVE_XOR && t.group_size == 4 && t.number == 17);
    cr_assert(t.rank == 2 && t.size == 4);
    cr_assert(t.group.count == 4 && t.group.index == 2);
    for (uint32_t i = 0; i < 4; i++) {
        struct vv_digest is = vv_digest_of(world.bytes[i], world.sizes[i]);
        cr_assert_eq(t.group.ranks[i], i);
        cr_assert_eq(t.files[i].size, world.sizes[i]);
        cr_assert(vv_digest_equal(&t.files[i].digest, &is));
    }
    end_world();
}

static void fail_at(uint32_t rank, varve_status status, const char *message)
{
    cr_assert_eq(open_at(rank, NULL), status, "%s", world.errors[0].message);
    cr_assert_str_eq(world.errors[0].message, message);
}

TEST(parity_file, reports_its_errors)
{
    size_t size;
    begin_protected(VARVE_XOR);
    world.number = 18;
    fail_at(1, VARVE_CORRUPT,
        "node-1/f.parity: expected number 18 of rank 1, found number 17 of "
        "rank 1");
    world.number = 17;
    world.count = 5;
    fail_at(1, VARVE_MISMATCH,
        "node-1/f.parity: saved by 4 ranks, but this job has 5");
    world.count = 4;
    const unsigned char *other = bytes_at(2, &size);
    memory_put(world.memory, "node-1/f.parity", other, size);
    fail_at(1, VARVE_CORRUPT,
        "node-1/f.parity: expected number 17 of rank 1, found number 17 of "
        "rank 2");
    bytes_at(2, &size)[8] = 2;
    fail_at(2, VARVE_TOO_NEW,
        "node-2/f.parity: this build reads parity files up to version 1, "
        "found version 2");
    bytes_at(2, &size)[0] = 'V';
    fail_at(2, VARVE_NOT_A_CHECKPOINT,
        "node-2/f.parity: not a parity file");
    memory_resize(world.memory, "node-2/f.parity", 71);
    fail_at(2, VARVE_TRUNCATED,
        "node-2/f.parity: not a parity file: it has only 71 bytes");
    memory_resize(world.memory, "node-3/f.parity", 100);
    fail_at(3, VARVE_TRUNCATED,
        "node-3/f.parity: truncated: expected at least 232 bytes, found 100");
    lose(3, "f.parity");
    cr_assert_eq(open_at(3, NULL), VARVE_NOT_FOUND);
    end_world();
}

static bool is_of_a_file(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_NOT_A_CHECKPOINT || status == VARVE_TOO_NEW ||
           status == VARVE_MISMATCH;
}

TEST(parity_file, detects_any_changed_header_byte_and_size)
{
    size_t size;
    begin_protected(VARVE_XOR);
    bytes_at(0, &size);
    for (size_t i = 0; i < HEAD + 4 * MEMBER + 4 * 4 + 16; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes_at(0, &size)[i] ^= (unsigned char)(1 << bit);
            cr_assert(is_of_a_file(open_at(0, NULL)), "byte %zu", i);
            bytes_at(0, &size)[i] ^= (unsigned char)(1 << bit);
        }
    cr_assert_eq(open_at(0, NULL), VARVE_OK);
    const size_t whole = size;
    memory_resize(world.memory, "node-0/f.parity", whole + 1);
    cr_assert_eq(open_at(0, NULL), VARVE_CORRUPT);
    while (size-- > 0) {
        memory_resize(world.memory, "node-0/f.parity", size);
        cr_assert(is_of_a_file(open_at(0, NULL)), "%zu bytes", size);
    }
    end_world();
}

static void sum_again(unsigned char *bytes, size_t head)
{
    struct vv_digest all = vv_digest_of(bytes, head - 16);
    memcpy(bytes + head - 16, all.bytes, 16);
}

/* A header with a valid digest but wrong content is refused too. */
TEST(parity_file, is_safe_with_any_content)
{
    uint64_t random = proof_seed(), good = 0, bad = 0;
    size_t size, head = HEAD + 4 * MEMBER + 4 * 4 + 16;
    begin_protected(VARVE_XOR);
    unsigned char *was = malloc(head);
    memcpy(was, bytes_at(1, &size), head);
    for (uint64_t i = 0; i < proof_size(4000, 1000000); i++) {
        unsigned char *bytes = bytes_at(1, &size);
        memcpy(bytes, was, head);
        for (uint64_t n = 1 + proof_next(&random) % 3; n > 0; n--) {
            size_t at = 32 + (size_t)(proof_next(&random) % (head - 48));
            uint64_t kind = proof_next(&random) % 3;
            bytes[at] = kind == 0   ? 0xff
                        : kind == 1 ? (unsigned char)(proof_next(&random) % 9)
                                    : (unsigned char)proof_next(&random);
        }
        sum_again(bytes, head);
        varve_status status = open_at(1, NULL);
        cr_assert(!status || is_of_a_file(status), "%s",
            world.errors[0].message);
        *(status ? &bad : &good) += 1;
    }
    proof_count("parity_file.hostile", bad);
    cr_assert(good > 0 && bad > good);
    free(was);
    end_world();
}

/* All headers describe another file, which must not be rebuilt. */
TEST(parity_file, of_wrong_content_rebuilds_no_other_file)
{
    size_t size, head = HEAD + 4 * MEMBER + 4 * 4 + 16;
    begin_protected(VARVE_XOR);
    lose_node(0);
    for (uint32_t i = 1; i < 4; i++) {
        unsigned char *bytes = bytes_at(i, &size);
        bytes[HEAD + 16] ^= 1; /* of the digest of the lost file */
        sum_again(bytes, head);
    }
    cr_assert_eq(run_all(true), VARVE_CORRUPT);
    cr_assert_str_eq(world.errors[0].message,
        "rank 0: node-0/f.varve: the rebuilt file has another checksum than "
        "the original");
    cr_assert(!memory_bytes(world.memory, "node-0/f.varve", &size));
    end_world();
}

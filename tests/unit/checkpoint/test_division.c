/* test_division.c - Tests the division of reading and verifying between
 * processes.
 *
 * SPDX-License-Identifier: MIT
 */
#define FILE_NAME "a.any" /* of any format */
#include "worlds.h"

#include <stdalign.h>

#include <varve/slice.h>

#include "formats.h"
#include "division.h"
#include "layout.h"
#include "restoration.h"

enum { CHUNKS = 4, SIZE = CHUNKS * VV_CHUNK_SIZE, ROW = 1024 };

/* The other processes, as seen by this one: the data that they receive, and the
 * data that they send. */
struct others {
    struct vv_division received, sent;
    int divided, asked;
    varve_status status;
};

static varve_status open_it(void *user, struct vv_opened *file,
    const struct vv_context *context, const char *path, varve_error *error)
{
    (void)user;
    return vv_checkpoint_open(file, context, path, error);
}

static varve_status divide(
    void *user, struct vv_division *division, varve_error *error)
{
    struct others *others = user;
    (void)error;
    cr_assert_eq(others->asked, 0);
    others->received = *division;
    others->divided++;
    division->need = others->sent.need;
    division->at = others->sent.at;
    division->parts = others->sent.parts;
    return others->status;
}

static varve_status ask(void *user, varve_status status, varve_error *error)
{
    struct others *others = user;
    (void)error;
    others->asked++;
    return status;
}

/* Streamed into place, so that damaged bytes arrive before they are
 * detected. */
static alignas(64) uint8_t weights[SIZE];
static uint8_t few[8];

static varve_node *make(uint8_t byte)
{
    varve_node *root = new_root();
    memset(weights, byte, sizeof weights);
    memset(few, byte, sizeof few);
    varve_add_variable(root, "few", varve_array(few, sizeof few));
    varve_add_variable(root, "weights", varve_array(weights, SIZE));
    return root;
}

static varve_status restore(
    varve_node *root, struct others *others, varve_error *error)
{
    const varve_read_options options = {
        .resources = { .threads = 1, .staging_size = 1 }
    };
    struct vv_collective_open consent = {
        .open = open_it, .divide = divide, .ask = ask, .user = others
    };
    varve_restoration *r = vv_restoration_open(root,
        &(struct vv_opening){
            .path = FILE_NAME, .options = &options, .consent = &consent },
        error);
    varve_status status = r ? VARVE_OK : error->status;
    cr_assert_eq(others->asked, 1);
    varve_restoration_free(r);
    return status;
}

static void damage(size_t at)
{
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    unsigned char *begin = bytes;
    static const unsigned char run[64] = { 0 };
    memset((void *)weights, 7, sizeof run);
    while (memcmp(begin, weights, sizeof run) != 0)
        begin += 64;
    begin[at] ^= 1;
}

static varve_status restore_damaged(size_t at, struct others *others)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = make(7);
    write_root(root);
    damage(at);
    free_root(root);
    root = make(1);
    varve_status status = restore(root, others, &error);
    cr_assert(strstr(error.message, "weights"), "%s", error.message);
    free_root(root);
    end_world();
    return status;
}

static struct others saying(enum vv_need need, uint32_t at, uint32_t parts)
{
    return (struct others){
        .sent = { .need = need, .at = at, .parts = parts }
    };
}

TEST(division, verifies_everything_first_without_other_ranks)
{
    for (size_t i = 0; i < CHUNKS; i++) {
        struct others others = saying(VV_NEEDS, 0, 1);
        cr_assert_eq(
            restore_damaged(i * VV_CHUNK_SIZE, &others), VARVE_CORRUPT);
        cr_assert_eq(weights[0], 1);
        cr_assert_eq(weights[SIZE - 1], 1);
    }
}

TEST(division, verifies_its_own_part_first)
{
    struct others others = saying(VV_NEEDS_WHOLE, 1, 2);
    cr_assert_eq(
        restore_damaged(3 * VV_CHUNK_SIZE, &others), VARVE_CORRUPT);
    cr_assert_eq(others.divided, 1);
    cr_assert_eq(weights[0], 1);
    cr_assert_eq(weights[SIZE - 1], 1);
}

TEST(division, verifies_again_values_verified_by_another_rank)
{
    struct others others = saying(VV_NEEDS_WHOLE, 1, 2);
    cr_assert_eq(restore_damaged(5, &others), VARVE_PARTIALLY_RESTORED);
    cr_assert_eq(weights[SIZE - 1], 7);
}

TEST(division, leaves_unused_parts_to_other_ranks)
{
    struct others others = saying(VV_NEEDS_WHOLE, 98, 100);
    cr_assert_eq(
        restore_damaged(3 * VV_CHUNK_SIZE, &others), VARVE_PARTIALLY_RESTORED);
    others = saying(VV_NEEDS_WHOLE, 99, 100);
    cr_assert_eq(
        restore_damaged(3 * VV_CHUNK_SIZE, &others), VARVE_CORRUPT);
}

TEST(division, ends_with_the_result_of_the_other_ranks)
{
    varve_error error = { 0 };
    begin_world();
    varve_node *root = make(7);
    write_root(root);
    free_root(root);
    root = make(1);
    struct others others = saying(VV_NEEDS, 0, 1);
    others.status = VARVE_DISCONNECTED;
    error.status = VARVE_DISCONNECTED;
    cr_assert_eq(restore(root, &others, &error), VARVE_DISCONNECTED);
    cr_assert_eq(weights[0], 1);
    free_root(root);
    end_world();
}

/* --- Counts of needed bytes ----------------------------------------------- */

static struct vv_division received_from(varve_node *root)
{
    varve_error error = { 0 };
    struct others others = saying(VV_NEEDS, 0, 1);
    cr_assert_ok(restore(root, &others, &error), error);
    free_root(root);
    return others.received;
}

static uint8_t other[SIZE];

static varve_node *make_slice(uint64_t row, uint64_t rows, uint64_t column)
{
    varve_node *root = new_root();
    varve_add_variable(root, "few", varve_array(few, sizeof few));
    varve_add_variable(root, "other", varve_array(other, SIZE));
    varve_add_slice(root, "weights",
        varve_array(weights, rows, ROW - column),
        VARVE_SHAPE(SIZE / ROW, ROW), (uint64_t[]){ row, column });
    return root;
}

TEST(division, compares_values_that_are_read_completely)
{
    begin_world();
    varve_node *root = make_slice(0, SIZE / ROW, 0);
    write_root(root);
    free_root(root);
    struct vv_division all = received_from(make_slice(0, SIZE / ROW, 0));
    struct vv_division columns = received_from(make_slice(0, SIZE / ROW, 5));
    struct vv_division rows = received_from(make_slice(0, 2000, 0));
    cr_assert_neq(all.numbers[VV_NEEDS_WHOLE], 0);
    cr_assert_eq(all.numbers[VV_NEEDS_WHOLE], columns.numbers[VV_NEEDS_WHOLE]);
    cr_assert_neq(all.numbers[VV_NEEDS_WHOLE], rows.numbers[VV_NEEDS_WHOLE]);
    cr_assert_neq(all.numbers[VV_NEEDS_COMMON], 0);
    cr_assert_eq(all.numbers[VV_NEEDS_COMMON], rows.numbers[VV_NEEDS_COMMON]);
    cr_assert_eq(rows.numbers[VV_NEEDS_WHOLE], rows.numbers[VV_NEEDS_COMMON]);
    end_world();
}

TEST(division, divides_nothing_for_a_file_without_digests)
{
    const varve_write_options options = { .format = VARVE_FORMAT_NPZ };
    varve_error error = { 0 };
    begin_world();
    varve_node *root = make(7);
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    free_root(root);
    struct vv_division received = received_from(make(1));
    cr_assert_eq(received.numbers[VV_NEEDS_WHOLE], 0);
    cr_assert_eq(received.numbers[VV_NEEDS_COMMON], 0);
    cr_assert_eq(weights[0], 7);
    end_world();
}

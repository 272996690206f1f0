/* test_index_stream.c - Tests reading an index whose large columns stay in the
 * file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_stream.h"

#include "file.h"

#include "broadcast_world.h"

/* --- Damage with valid digests -------------------------------------------- */

static struct {
    unsigned char *good, *bad;
    size_t size;
    size_t index; /* offset of its beginning */
    size_t index_size;
    struct vv_paged_column
        far[VV_FAR_COLUMNS]; /* locations of columns that stay in the file */
} file;

static void begin_file(enum storage storage, uint64_t seed)
{
    begin(storage, seed);
    const struct vv_index_place *place = vv_data_in_place(&world.near);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &file.size);
    file.index = (size_t)place->offset;
    file.index_size = (size_t)place->size;
    file.good = malloc(file.size);
    file.bad = malloc(file.size);
    cr_assert(file.good && file.bad);
    memcpy(file.good, bytes, file.size);
    varve_error error = { 0 };
    cr_assert_ok(vv_data_in_open_far(
                     &world.far, &world.other, FILE_NAME, 0, &error),
        error);
    memcpy(file.far, world.far.parsed.index.far->columns, sizeof file.far);
    vv_opened_close(&world.far);
}

static void end_file(void)
{
    free(file.good);
    free(file.bad);
    end();
}

/* Recomputes header and footer for the changed index. */
static void seal(void)
{
    unsigned char *footer = file.bad + file.size - VV_FOOTER_SIZE;
    struct vv_digest digest =
        vv_digest_of(file.bad + file.index, file.index_size);
    memcpy(file.bad + 16, digest.bytes, sizeof digest.bytes);
    memcpy(footer + 16, digest.bytes, sizeof digest.bytes);
    memcpy(footer + 40, digest.bytes, 8);
    vv_store64(file.bad + 56, vv_hash_of(file.bad, 56));
    vv_store64(footer + 48, vv_hash_of(footer, 48));
}

/* Returns a random place in the index, often in a column that stays in the
 * file. */
static size_t any_place(uint64_t *random)
{
    size_t key = (size_t)(proof_next(random) % VV_FAR_COLUMNS);
    if (proof_next(random) % 2 == 0)
        return file.index +
               (size_t)(proof_next(random) % (file.index_size - 8));
    while (file.far[key].size < 8)
        key = (key + 1) % VV_FAR_COLUMNS;
    return (size_t)(file.far[key].offset +
                    proof_next(random) % (file.far[key].size - 7));
}

/* Changes one to four bytes of the index, or a number in it. */
static void damage(uint64_t *random)
{
    memcpy(file.bad, file.good, file.size);
    uint64_t count = proof_next(random) % 4 + 1;
    for (uint64_t i = 0; i < count; i++) {
        size_t at = any_place(random);
        if (proof_next(random) % 4 == 0)
            vv_store64(file.bad + at,
                vv_load64(file.bad + at) + proof_next(random) % 3 - 1);
        else
            file.bad[at] ^= (unsigned char)(1 << proof_next(random) % 8);
    }
    seal();
}

/* Opens the file in both ways, and compares the errors or the content. */
static varve_status compare_both(uint64_t *random)
{
    varve_error whole = { 0 }, far = { 0 };
    struct vv_opened near = world.near;
    memory_put(world.memory, FILE_NAME, file.bad, file.size);
    varve_status status =
        vv_data_in_open(&world.near, &world.context, FILE_NAME, &whole);
    cr_assert_eq(
        vv_data_in_open_far(&world.far, &world.other, FILE_NAME, 0, &far),
        status);
    cr_assert_str_eq(far.message, whole.message);
    if (!status) {
        const struct vv_index *index = &world.near.parsed.index;
        uint32_t value =
            (uint32_t)(proof_next(random) % index->value_count);
        cr_assert_not_null(world.far.parsed.index.far);
        for (uint32_t i = 0; i < vv_piece_count(index, value); i++)
            compare_piece(value, i);
        for (uint32_t row = 0; row < index->pieced_count; row++)
            compare_boxes(vv_at32(index->pieced_values, row), random);
        cr_assert_not(vv_index_has_failed(&world.far.parsed.index));
        vv_opened_close(&world.near);
        vv_opened_close(&world.far);
    }
    world.near = near;
    return status;
}

TEST(index_stream, finds_the_same_errors_as_a_complete_read)
{
    uint64_t each = proof_size(60, 3000), random = proof_seed();
    uint64_t good = 0, bad = 0;
    for (int i = 0; i < STORAGES; i++) {
        begin_file((enum storage)i, (uint64_t)i + 1);
        for (uint64_t k = 0; k < each; k++) {
            damage(&random);
            if (compare_both(&random))
                bad++;
            else
                good++;
        }
        end_file();
    }
    cr_assert_gt(good, 0);
    cr_assert_gt(bad, good);
    proof_count("index_stream.damaged", good + bad);
}

/* --- Heads of columns ----------------------------------------------------- */

/* One additional byte after the last digest. */
TEST(index_stream, refuses_a_partial_element)
{
    uint64_t random = 1;
    begin_file(PLAIN, 1);
    const struct vv_paged_column *digests = &file.far[VV_KEY_DIGESTS];
    size_t end = (size_t)(digests->offset + digests->size);
    size_t head = (size_t)digests->offset - 3;
    file.bad = realloc(file.bad, file.size + 1);
    cr_assert_not_null(file.bad);
    memcpy(file.bad, file.good, end);
    file.bad[end] = 0;
    memcpy(file.bad + end + 1, file.good + end, file.size - end);
    cr_assert_eq(file.bad[head], 0x59, "a string of 16 bits");
    file.bad[head + 2]++;
    file.size++;
    file.index_size++;
    unsigned char *footer = file.bad + file.size - VV_FOOTER_SIZE;
    vv_store64(footer + 8, file.index_size);
    vv_store64(footer + 32, file.size);
    seal();
    cr_assert_eq(compare_both(&random), VARVE_CORRUPT);
    end_file();
}

/* A truncated index, and one with a wrong size. */
TEST(index_stream, checks_every_size)
{
    varve_error error = { 0 };
    struct vv_index_broadcast sent;
    begin(PLAIN, 1);
    struct vv_index_stream how = { .context = &world.context,
        .path = FILE_NAME,
        .place = *vv_data_in_place(&world.near) };
    const uint64_t size = how.place.size;
    uint64_t found;
    cr_assert_ok(vv_file_open(
                     &world.context, FILE_NAME, &how.file, &found, &error),
        error);
    cr_assert(vv_index_broadcast_read(&sent, &how));
    vv_index_broadcast_clear(&sent);
    for (how.place.size = 1; how.place.size < size; how.place.size += 7)
        cr_assert_not(vv_index_broadcast_read(&sent, &how));
    how.place.size = size;
    how.place.digest.bytes[3] ^= 1;
    cr_assert_not(vv_index_broadcast_read(&sent, &how));
    vv_file_close(&world.context, how.file);
    end();
}

TEST(index_stream, reads_small_columns_completely)
{
    varve_error error = { 0 };
    begin(INCREMENTAL, 1);
    for (int i = 0; i < 2; i++) {
        uint64_t most = i == 0 ? UINT64_MAX : 1 << 20;
        cr_assert_ok(vv_data_in_open_far(
                         &world.far, &world.other, FILE_NAME, most, &error),
            error);
        cr_assert_null(world.far.parsed.index.far);
        vv_opened_close(&world.far);
    }
    end();
}

/* If any read fails, once or from then on, the index is read as a whole, or
 * opening fails. */
TEST(index_stream, reads_the_whole_index_if_a_read_fails)
{
    int whole = 0, failed = 0;
    begin(PLAIN, 1);
    for (long i = 0, hit = true; hit; i++) {
        varve_error error = { 0 };
        faulty_plan(world.faulty, &(struct faulty_plan){ .number = i / 2,
                                      .sticky = i % 2, .error = EIO });
        varve_status status = vv_data_in_open_far(
            &world.far, &world.other, FILE_NAME, 0, &error);
        hit = faulty_hit(world.faulty);
        faulty_plan(world.faulty, NULL);
        cr_assert(!status || status == VARVE_IO, "%s", error.message);
        whole += !status && !world.far.parsed.index.far;
        failed += status != VARVE_OK;
        vv_opened_close(&world.far);
    }
    cr_assert_gt(whole, 0);
    cr_assert_gt(failed, 0);
    end();
}

/* Pieces are counted before the digest of the index is verified; here the count
 * appears to be small at that time. */
static struct {
    const struct vv_system *below;
    uint64_t ends; /* offset of the column in the file */
    int hits;
} changing;

static int64_t read_few(
    void *state, int number, void *bytes, size_t size, uint64_t offset)
{
    uint8_t *to = bytes;
    int64_t read =
        changing.below->read_at(state, number, bytes, size, offset);
    for (int64_t at = 0; offset == changing.ends && at < read; at += 4)
        vv_store32(to + at, (uint32_t)(at / 2 + 2));
    changing.hits += offset == changing.ends;
    return read;
}

TEST(index_stream, uses_no_count_read_before_the_digest)
{
    varve_error error = { 0 };
    begin(PLAIN, 1);
    const struct vv_index *index = &world.near.parsed.index;
    changing.below = world.context.system;
    changing.ends = vv_data_in_place(&world.near)->offset +
                    (uint64_t)(index->piece_ends -
                               (const uint8_t *)world.near.index_bytes);
    struct vv_system system = *changing.below;
    system.read_at = read_few;
    world.other.system = &system;
    cr_assert_ok(vv_data_in_open_far(
                     &world.far, &world.other, FILE_NAME, 0, &error),
        error);
    cr_assert_eq(changing.hits, 1);
    cr_assert_null(world.far.parsed.index.far, "it was read whole");
    cr_assert_eq(world.far.parsed.index.pieced_count, index->pieced_count);
    end();
}

TEST(index_stream, leaks_nothing_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    begin(PACKED, 1);
    for (long number = 0; status; number++) {
        long blocks = test_block_count();
        varve_error error = { 0 };
        test_fail_allocation(number, true);
        status = vv_data_in_open_far(
            &world.far, &world.other, FILE_NAME, 0, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert(!status || test_block_count() == blocks);
    }
    end();
}

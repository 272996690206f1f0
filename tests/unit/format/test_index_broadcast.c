/* test_index_broadcast.c - Tests the broadcast of an index whose large columns
 * stay in the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "broadcast_world.h"

/* Returns the number of columns that stay in the file. */
static int count_far(const struct vv_index *index)
{
    int count = 0;
    for (uint64_t key = 0; key < VV_FAR_COLUMNS; key++)
        count += vv_is_in_file(index, key);
    return count;
}

TEST(index_broadcast, reads_columns_left_in_the_file)
{
    static const int columns[STORAGES] = { 2, 5, 9 };
    uint64_t files = proof_size(12, 300), random = proof_seed();
    for (uint64_t i = 0; i < files; i++) {
        enum storage storage = (enum storage)(i % STORAGES);
        begin_broadcast(storage, i + 1);
        const struct vv_index *index = &world.far.parsed.index;
        cr_assert_eq(count_far(index), columns[storage]);
        cr_assert_eq(world.far.size, world.near.size);
        cr_assert_eq(world.far.data_end, world.near.data_end);
        for (uint32_t v = 0; v < index->value_count; v++)
            compare_value(v, &random);
        cr_assert_not(vv_index_has_failed(index));
        end();
    }
    proof_count("index_broadcast.files", files);
}

TEST(index_broadcast, sends_small_columns_completely)
{
    varve_error error = { 0 };
    begin(INCREMENTAL, 3);
    cr_assert_ok(broadcast(VV_MOST_TOLD, &error), error);
    cr_assert_null(world.far.parsed.index.far);
    cr_assert_eq(world.far.index_size, world.near.index_size);
    cr_assert(memcmp(world.far.index_bytes, world.near.index_bytes,
                  world.near.index_size) == 0);
    end();
}

TEST(index_broadcast, leaves_the_same_columns_in_the_file_of_the_sender)
{
    varve_error error = { 0 };
    uint64_t random = 1;
    begin_broadcast(INCREMENTAL, 2);
    struct vv_opened first = world.far;
    cr_assert_ok(vv_data_in_open_far(
                     &world.far, &world.other, FILE_NAME, 0, &error),
        error);
    cr_assert_eq(world.far.index_size, first.index_size);
    for (uint32_t v = 0; v < first.parsed.index.value_count; v++)
        compare_value(v, &random);
    vv_opened_close(&first);
    end();
}

/* --- Differences from the broadcast --------------------------------------- */

static uint32_t value_of(const char *name)
{
    const struct vv_index *index = &world.near.parsed.index;
    uint32_t n = vv_index_find_name(index, name, strlen(name));
    return vv_index_find_value(index, vv_index_find_child(index, 0, n));
}

/* Changes a byte of the index that receivers read. */
static void damage(const uint8_t *column)
{
    size_t size;
    uint64_t at = vv_data_in_place(&world.near)->offset +
                  (uint64_t)(column -
                             (const uint8_t *)world.near.index_bytes);
    memory_bytes(world.memory, FILE_NAME, &size)[at] ^= 1;
}

/* Checks that reading fails as a whole: no piece of a value is skipped. */
static void check_nothing_is_read(varve_status expected)
{
    struct vv_chunk_part part;
    varve_error error = { 0 };
    uint8_t bytes[ROWS * COLUMNS];
    uint32_t rows = value_of("rows");
    const struct vv_parsed_index *far = &world.far.parsed;
    const varve_box box = { .extents = { 1, 1 } };
    uint64_t chunks = vv_value_chunks(&far->index, &far->table, rows), c = 0;
    for (; vv_part_from(far, rows, &box, c, &part); c = part.chunk + 1) {
        cr_assert_eq(part.chunk, c);
        cr_assert_eq(part.first, part.end);
    }
    cr_assert_eq(c, chunks);
    cr_assert_eq(
        vv_opened_read(&world.far, 64, bytes, 1, &error), expected);
    cr_assert_eq(
        vv_opened_check(&world.far, rows, 0, bytes, NULL, &error), expected);
}

TEST(index_broadcast, reads_nothing_after_damaged_boxes)
{
    begin_broadcast(PLAIN, 1);
    const struct vv_index *index = &world.near.parsed.index;
    for (uint64_t i = 0; i < index->box_number_count; i++)
        damage(index->piece_boxes + 8 * i);
    check_nothing_is_read(VARVE_CORRUPT);
    end();
}

TEST(index_broadcast, reads_nothing_after_unreadable_boxes)
{
    begin_broadcast(PLAIN, 1);
    faulty_plan(world.faulty, &(struct faulty_plan){ .error = EIO });
    struct vv_chunk_part part;
    vv_part_of_chunk(&world.far.parsed, value_of("rows"), 7, &part);
    cr_assert_eq(part.first, part.end);
    faulty_plan(world.faulty, NULL);
    check_nothing_is_read(VARVE_IO);
    end();
}

TEST(index_broadcast, reads_nothing_if_offsets_are_damaged)
{
    const struct vv_index *index = &world.near.parsed.index;
    uint8_t bytes[8];
    for (int i = 0; i < 3; i++) {
        varve_error error = { 0 };
        uint64_t at;
        begin_broadcast(INCREMENTAL, 1);
        uint32_t value = value_of("s0001");
        damage(i == 0   ? index->place_begins
               : i == 1 ? index->place_layers
                        : index->place_offsets);
        at = vv_at64(index->value_offsets, value);
        cr_assert_eq(vv_opened_read(&world.far, at, bytes, 8, &error),
            VARVE_CORRUPT);
        cr_assert_null(vv_opened_place(&world.far, value, &at));
        end();
    }
}

TEST(index_broadcast, refuses_changed_bytes)
{
    varve_error error = { 0 };
    begin(PLAIN, 1);
    cr_assert_eq(tell_changed(0, A_WORD, &error), VARVE_CORRUPT);
    cr_assert_eq(tell_changed(0, A_BYTE, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "index, as broadcast"), "%s",
        error.message);
    end();
}

TEST(index_broadcast, refuses_another_file)
{
    size_t size;
    varve_error error = { 0 };
    begin(PLAIN, 1);
    unsigned char *sent = memory_bytes(world.memory, FILE_NAME, &size);
    memory_put(world.memory, "d.varve", sent, size);
    save(PLAIN, "c.varve", NULL);
    unsigned char *other = memory_bytes(world.memory, "c.varve", &size);
    memory_put(world.memory, FILE_NAME, other, size);
    world.other_name = "d.varve";
    cr_assert_eq(broadcast(0, &error), VARVE_MISMATCH);
    end();
}

TEST(index_broadcast, leaks_nothing_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    begin(PACKED, 1);
    for (long number = 0; status; number++) {
        long blocks = test_block_count();
        varve_error error = { 0 };
        test_fail_allocation(number, false);
        status = broadcast(0, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert(!status || test_block_count() == blocks);
    }
    end();
}

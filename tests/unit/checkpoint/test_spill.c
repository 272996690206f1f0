/* test_spill.c - Tests the spill file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "spill.h"

enum { LARGE = (2 << 20) + 5 };

static varve_status collect(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    (void)error;
    vv_buffer_add(user, bytes, size);
    return VARVE_OK;
}

static void fill(struct vv_buffer *column, size_t size, unsigned char first)
{
    unsigned char *at = vv_buffer_extend(column, size);
    for (size_t i = 0; i < size; i++)
        at[i] = (unsigned char)(first + i / 7);
}

/* Writes two columns alternately; each is read back separately. */
static void begin_spill(struct vv_spill *spill, struct vv_buffer *digests)
{
    varve_error error = { 0 };
    struct vv_buffer boxes;
    vv_buffer_init(digests, test_allocator());
    vv_buffer_init(&boxes, test_allocator());
    cr_assert_ok(vv_spill_begin(spill, &world.context, VV_WORKING_DIRECTORY,
                     FILE_NAME, FILE_NAME, false, &error),
        error);
    for (int i = 0; i < 3; i++) {
        fill(digests, i == 1 ? LARGE : 100, (unsigned char)i);
        fill(&boxes, 16, 77);
        cr_assert_ok(
            vv_spill_add(spill, VV_KEY_DIGESTS, digests, &error), error);
        cr_assert_eq(digests->size, 0);
        cr_assert_ok(
            vv_spill_add(spill, VV_KEY_PIECE_BOXES, &boxes, &error), error);
    }
    vv_buffer_clear(&boxes);
    fill(digests, 100, 0);
    fill(digests, LARGE, 1);
    fill(digests, 100, 2);
}

TEST(spill, gives_columns_as_they_came)
{
    struct vv_spill spill;
    struct vv_buffer digests, found;
    varve_error error = { 0 };
    begin_world();
    begin_spill(&spill, &digests);
    vv_buffer_init(&found, test_allocator());
    cr_assert_eq(spill.sizes[VV_KEY_DIGESTS], LARGE + 200);
    cr_assert_eq(spill.sizes[VV_KEY_PIECE_BOXES], 48);
    cr_assert_eq(spill.sizes[VV_KEY_PLACE_BEGINS], 0);
    for (int i = 0; i < 2; i++) {
        found.size = 0;
        cr_assert_ok(vv_spill_give(
                         &spill, VV_KEY_DIGESTS, collect, &found, &error),
            error);
        cr_assert_eq(found.size, digests.size);
        cr_assert(memcmp(found.data, digests.data, found.size) == 0);
    }
    found.size = 0;
    cr_assert_ok(vv_spill_give(
                     &spill, VV_KEY_PIECE_BOXES, collect, &found, &error),
        error);
    cr_assert_eq(found.size, 48);
    vv_spill_end(&spill);
    cr_assert_eq(memory_file_count(world.memory), 0);
    vv_buffer_clear(&digests);
    vv_buffer_clear(&found);
    end_world();
}

TEST(spill, gives_no_other_bytes_than_came)
{
    struct vv_spill spill;
    struct vv_buffer digests, found;
    varve_error error = { 0 };
    size_t size;
    begin_world();
    begin_spill(&spill, &digests);
    vv_buffer_init(&found, test_allocator());
    memory_bytes(world.memory, memory_file_path(world.memory, 0), &size)[0] ^=
        1;
    cr_assert_eq(
        vv_spill_give(&spill, VV_KEY_DIGESTS, collect, &found, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "a.varve: temporary file: bytes 0 to 100"),
        "%s", error.message);
    vv_spill_end(&spill);
    vv_buffer_clear(&digests);
    vv_buffer_clear(&found);
    end_world();
}

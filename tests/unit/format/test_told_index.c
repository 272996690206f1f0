/* test_told_index.c - lib/format/told_index.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "checksum.h"
#include "layout.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "system.h"
#include "told_index.h"

enum { BEFORE = 100, BEHIND = 77, OFFSET = 64, MOST = (3 << 20) + BEFORE };

static unsigned char bytes[OFFSET + BEFORE + MOST + BEHIND];

/* An index of any bytes, of which so many are digests. */
static struct vv_told_index make(uint64_t digests)
{
    uint64_t random = digests;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)proof_next(&random);
    struct vv_told_index told = { .place = { .offset = OFFSET,
                                      .size = BEFORE + digests + BEHIND } };
    told.place.digest =
        vv_digest_of(bytes + OFFSET, (size_t)told.place.size);
    told.digests_at = digests ? BEFORE : 0;
    told.digests_size = digests;
    return told;
}

static varve_status tell(struct vv_told_index *told, struct vv_opened *o,
    const struct vv_context *context, varve_error *error)
{
    size_t size;
    varve_status status = vv_opened_begin(o, context, "file", error);
    if (!status)
        status = vv_told_begin(told, o, error);
    for (uint64_t at = 0; at < told->place.size && !status; at += size) {
        size = vv_told_part(told, at);
        cr_assert_gt(size, 0);
        memcpy(vv_told_room(told, o, at), bytes + OFFSET + at, size);
        vv_told_take(told, o, at);
    }
    return status;
}

/* Of each size that has a head of its own, of part of a block, of several
 * parts. */
static const struct {
    uint64_t digests;
    size_t head;
} sizes[] = { { 0, 0 }, { 16, 1 }, { 32, 2 }, { 256, 3 }, { 4096, 3 },
    { 65536, 5 }, { 3 << 20, 5 }, { (2 << 20) + 4096 + 32, 5 } };

TEST(told_index, keeps_all_but_digests)
{
    struct vv_context context = test_context(&vv_posix_system);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct vv_opened o;
        varve_error error = { 0 };
        struct vv_told_index told = make(sizes[i].digests);
        cr_assert_ok(tell(&told, &o, &context, &error), error);
        struct vv_digest found = vv_told_digest(&told);
        const unsigned char *room = o.index_bytes;
        cr_assert(vv_digest_equal(&found, &told.place.digest));
        if (sizes[i].digests) {
            size_t before = BEFORE - sizes[i].head;
            cr_assert_eq(o.index_size, before + 1 + BEHIND);
            cr_assert_arr_eq(room, bytes + OFFSET, before);
            cr_assert_eq(room[before], 0x40);
            room += before + 1;
        }
        cr_assert_arr_eq(
            room + (sizes[i].digests ? 0 : BEFORE),
            bytes + OFFSET + BEFORE + sizes[i].digests, BEHIND);
        vv_told_clear(&told, &context.allocator);
        vv_opened_close(&o);
    }
}

TEST(told_index, finds_digests_in_the_file)
{
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    const struct vv_system *system = context.system;
    for (size_t i = 1; i < sizeof sizes / sizeof *sizes; i++) {
        struct vv_opened o;
        varve_error error = { 0 };
        size_t size, count = (size_t)sizes[i].digests / VV_DIGEST_SIZE;
        struct vv_told_index told = make(sizes[i].digests);
        struct vv_far_digests *far = &told.far;
        cr_assert_ok(tell(&told, &o, &context, &error), error);
        memory_put(memory, "file", bytes, sizeof bytes);
        int file =
            system->open_file(system->state, VV_WORKING_DIRECTORY, "file");
        struct vv_digest found;
        for (size_t k = 0; k < count; k += count < 1000 ? 1 : 999) {
            cr_assert_ok(vv_far_digest(far, &context, file, "file", k, &found,
                             &error),
                error);
            cr_assert_arr_eq(found.bytes,
                bytes + OFFSET + BEFORE + VV_DIGEST_SIZE * k, VV_DIGEST_SIZE);
        }
        struct vv_digest all = vv_digest_of(
            bytes + OFFSET + BEFORE, VV_DIGEST_SIZE * count);
        found = vv_far_digest_of(far, &context, file, 0, count);
        cr_assert(vv_digest_equal(&all, &found));

        memory_bytes(memory, "file", &size)[OFFSET + BEFORE] ^= 1;
        cr_assert_eq(
            vv_far_digest(far, &context, file, "file", 0, &found, &error),
            VARVE_CORRUPT);
        found = vv_far_digest_of(far, &context, file, 0, count);
        all = (struct vv_digest){ { 0 } };
        cr_assert(vv_digest_equal(&all, &found));
        system->close(system->state, file);
        vv_told_clear(&told, &context.allocator);
        vv_opened_close(&o);
    }
    memory_free(memory);
}

TEST(told_index, gives_back_everything_when_memory_ends)
{
    struct vv_context context = test_context(&vv_posix_system);
    varve_status status = VARVE_NO_MEMORY;
    for (long number = 0; status; number++) {
        struct vv_opened o;
        varve_error error = { 0 };
        struct vv_told_index told = make(4096);
        test_fail_allocation(number, false);
        status = tell(&told, &o, &context, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        vv_told_clear(&told, &context.allocator);
        vv_opened_close(&o);
    }
}

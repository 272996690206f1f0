/* test_sectors.c - Tests blocks that were never written, written to the wrong
 * place, or belong to an older checkpoint, and files composed of parts of two.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "damage/bench.h"

/* Checks the file if it has changed. If header, index and footer are those of
 * the older file, its values must be the older ones. */
static void check(struct bench *b, const struct image *older, size_t place)
{
    if (bench_differs(b, &b->saved) && (!older || bench_differs(b, older))) {
        const unsigned char *bytes = bench_bytes(b);
        bool is_older = older && older->size == b->saved.size &&
            memcmp(bytes, older->bytes, BENCH_HEADER) == 0;
        bool is_opened = is_older && older->data_end == b->saved.data_end &&
            memcmp(bytes + older->data_end, older->bytes + older->data_end,
                older->size - (size_t)older->data_end) == 0;
        bench_check(b, is_opened ? older : &b->saved, place);
        if (!is_opened && b->tried % 4 == 0)
            bench_read(b, NULL, place);
    }
    bench_repair(b);
}

static void lose_and_misplace(struct bench *b, size_t sector)
{
    const unsigned char *good = b->saved.bytes;
    for (size_t i = 0; i + sector <= b->saved.size; i += sector) {
        memset(bench_bytes(b) + i, 0, sector);
        check(b, NULL, i);
        for (size_t k = 0; k + sector <= b->saved.size; k += sector) {
            memcpy(bench_bytes(b) + k, good + i, sector);
            check(b, NULL, k);
            memcpy(bench_bytes(b) + i, good + k, sector);
            memcpy(bench_bytes(b) + k, good + i, sector);
            check(b, NULL, k);
        }
    }
}

TEST(damage, every_lost_or_misplaced_sector_is_found)
{
    struct bench b;
    bench_begin(&b, false);
    lose_and_misplace(&b, 512);
    lose_and_misplace(&b, proof_is_long() ? 64 : 256);
    if (proof_is_long())
        lose_and_misplace(&b, 16);
    proof_count("damage.sectors", b.tried);
    bench_end(&b, "sectors");
}

/* Copies a block from the same and from every other position of the older
 * file. */
static void take_older(
    struct bench *b, const struct image *older, size_t sector)
{
    for (size_t i = 0; i + sector <= b->saved.size; i += sector)
        for (size_t k = 0; k + sector <= older->size; k += sector) {
            memcpy(bench_bytes(b) + i, older->bytes + k, sector);
            check(b, older, i);
        }
}

/* Keeps the older content up to a position, or from it on: an incomplete
 * overwrite on a disk that reported success. */
static void stop_between(
    struct bench *b, const struct image *older, size_t sector)
{
    size_t size = b->saved.size < older->size ? b->saved.size : older->size;
    for (size_t i = sector; i < size; i += sector) {
        memcpy(bench_bytes(b), older->bytes, i);
        check(b, older, i);
        memcpy(bench_bytes(b) + i, older->bytes + i, size - i);
        check(b, older, i);
    }
}

TEST(damage, every_sector_of_an_older_checkpoint_is_found)
{
    struct bench b;
    struct image older[2];
    bench_begin(&b, false);
    bench_save(&b, BENCH_OLDER, &older[0]);
    bench_save(&b, 3, &older[1]); /* its strings have other sizes */
    bench_repair(&b);
    cr_assert_eq(older[0].size, b.saved.size);
    cr_assert_eq(older[0].data_end, b.saved.data_end);
    for (int i = 0; i < 2; i++) {
        take_older(&b, &older[i], 512);
        take_older(&b, &older[i], proof_is_long() ? 64 : 128);
        stop_between(&b, &older[i], proof_is_long() ? 1 : 8);
        image_free(&older[i]);
    }
    proof_count("damage.older_sectors", b.tried);
    bench_end(&b, "older sectors");
}

/* Combines any set of the four parts with any value of the older file. */
TEST(damage, a_mixture_of_two_checkpoints_is_always_found)
{
    struct bench b;
    struct image older;
    bench_begin(&b, false);
    bench_save(&b, BENCH_OLDER, &older);
    bench_repair(&b);
    size_t ends[] = { 0, BENCH_HEADER, (size_t)b.saved.data_end,
        b.saved.size - 64, b.saved.size };
    for (unsigned set = 1; set < 15; set++) {
        for (unsigned i = 0; i < 4; i++)
            if (set & 1u << i)
                memcpy(bench_bytes(&b) + ends[i], older.bytes + ends[i],
                    ends[i + 1] - ends[i]);
        check(&b, &older, set);
    }
    cr_assert_eq(b.tried, 14);
    for (size_t i = 0; i < b.saved.count; i++) {
        const struct image_value *to = &b.saved.values[i];
        for (size_t k = 0; k < older.count; k++) {
            const struct image_value *from = &older.values[k];
            size_t size = (size_t)(to->size < from->size ? to->size
                                                         : from->size);
            memcpy(bench_bytes(&b) + to->offset, older.bytes + from->offset,
                size);
            check(&b, &older, (size_t)to->offset);
            memcpy(bench_bytes(&b) + to->offset,
                b.saved.bytes + from->offset, size);
            check(&b, &older, (size_t)to->offset);
        }
    }
    image_free(&older);
    proof_count("damage.exchanged_parts", b.tried);
    bench_end(&b, "exchanged parts");
}

/* Values of several pages and chunks, with sectors of 4 KiB. */
TEST(damage, every_large_sector_is_found)
{
    enum { SECTOR = 4096 };
    struct bench b;
    struct image older;
    bench_begin(&b, true);
    bench_save(&b, BENCH_OLDER, &older);
    bench_repair(&b);
    size_t sectors = b.saved.size / SECTOR;
    uint64_t most = proof_size(sectors + 500, 100000);
    for (uint64_t i = 0; i < most; i++) {
        size_t to = i < sectors ? i : (size_t)bench_random(&b, sectors);
        size_t from = i < sectors ? i : (size_t)bench_random(&b, sectors);
        const unsigned char *source =
            i % 2 || i < sectors ? older.bytes : b.saved.bytes;
        unsigned char *place = bench_bytes(&b) + to * SECTOR;
        memcpy(place, source + from * SECTOR, SECTOR);
        check(&b, &older, to * SECTOR);
        memset(place, i % 2 ? 0 : 0xff, SECTOR);
        check(&b, &older, to * SECTOR);
    }
    image_free(&older);
    proof_count("damage.large_sectors", b.tried);
    bench_end(&b, "large sectors");
}

/* test_share.c - Tests the division of data among ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "share.h"

#include "layout.h"
#include "save_plan.h"
#include "together_world.h"

enum { VALUES = 40, MOST_SIZE = 3 << 20 };

static unsigned char memory[MOST_SIZE];

/* Creates values of many sizes, some of them slices that only rank 1 has. */
static varve_node *new_values(unsigned seed, uint32_t rank)
{
    varve_node *root = new_root();
    srand(seed);
    for (int i = 0; i < VALUES; i++) {
        char name[16];
        uint64_t start = 0;
        uint64_t size = (uint64_t)rand() % (i % 7 ? 300 : MOST_SIZE);
        snprintf(name, sizeof name, "v%02d", i);
        if (i % 5 == 3)
            varve_add_slice(root, name,
                varve_view(memory, VARVE_UINT8,
                    VARVE_SHAPE(rank == 1 ? size : 0)),
                VARVE_SHAPE(size), &start);
        else
            varve_add_variable(root, name,
                varve_view(memory, VARVE_UINT8, VARVE_SHAPE(size)));
    }
    good(root);
    return root;
}

/* Counts in how many stretches or slices each byte of the data is. */
static void count_bytes(const struct vv_share *share,
    const struct vv_save_plan *save_plan, uint8_t *counts)
{
    size_t count, slices, end = 0;
    const struct vv_part *parts = vv_parts(share, &count);
    const struct vv_save_plan_slice *slice =
        vv_save_plan_slices(save_plan, &slices);
    for (size_t i = 0; i < count; i++) {
        const struct vv_part *p = &parts[i];
        uint64_t place = vv_at64(share->offsets.data, p->value) + p->begin;
        for (uint64_t k = 0; k < p->size; k++)
            counts[place + k]++;
        cr_assert_geq(p->offset, end, "parts overlap");
        end = p->offset + p->size;
        while (slices > 0 && slice->value < p->value) {
            slice++;
            slices--;
        }
        if (slices == 0 || slice->value != p->value)
            cr_assert_eq(p->begin % VV_CHUNK_SIZE, 0);
    }
    cr_assert_leq(end, share->size);
    cr_assert_eq(share->size % VV_PAGE_ALIGNMENT, 0);
}

/* Checks that the bytes of a stretch have the same order in the region as in
 * the data. */
static void check_stretches(const struct vv_share *share)
{
    size_t count, all = share->stretches.size / sizeof(struct vv_stretch);
    const struct vv_part *parts = vv_parts(share, &count);
    const struct vv_stretch *s =
        (const struct vv_stretch *)(const void *)share->stretches.data;
    for (size_t i = 0; i < all; i++) {
        uint64_t found = 0;
        for (size_t k = 0; k < count; k++) {
            uint64_t place =
                vv_at64(share->offsets.data, parts[k].value) + parts[k].begin;
            if (place < s[i].place || place >= s[i].place + s[i].size)
                continue;
            found += parts[k].size;
            cr_assert_eq(
                place - s[i].place, parts[k].offset - s[i].offset);
        }
        cr_assert_gt(found, 0);
    }
}

static void check_shares(unsigned seed, uint32_t size)
{
    uint8_t *counts = NULL;
    uint64_t end = 0, least = UINT64_MAX, most = 0;
    struct vv_save_plan save_plan;
    for (uint32_t rank = 0; rank < size; rank++) {
        const varve_comm comm = { .rank = rank, .size = size };
        varve_node *root = new_values(seed, rank);
        varve_error error = { 0 };
        struct vv_share share;
        cr_assert_ok(
            vv_save_plan_gather_of(
                &save_plan, root, VV_OF_SEVERAL, NULL, &error), error);
        cr_assert_ok(
            vv_share_make(&share, &save_plan, NULL, &comm, &error), error);
        if (!counts)
            counts = calloc(share.end, 1);
        end = share.end;
        least = share.size < least && rank != 1 ? share.size : least;
        most = share.size > most && rank != 1 ? share.size : most;
        count_bytes(&share, &save_plan, counts);
        check_stretches(&share);
        for (uint32_t i = 0; rank + 1 == size && i < save_plan.value_count;
             i++) {
            uint64_t place = vv_at64(share.offsets.data, i);
            uint64_t bytes = vv_at64(share.sizes.data, i);
            for (uint64_t k = 0; k < bytes; k++)
                cr_assert_eq(counts[place + k], 1, "value %u byte %lu", i,
                    (unsigned long)k);
        }
        vv_share_clear(&share);
        vv_save_plan_clear(&save_plan);
        free_root(root);
    }
    if (size > 2)
        cr_assert_leq(most - least, 3 * VV_CHUNK_SIZE, "they write as much");
    cr_assert_gt(end, 0);
    free(counts);
}

TEST(share, contains_each_byte_once)
{
    static const uint32_t sizes[] = { 2, 3, 4, 7, 30 };
    begin_world();
    for (unsigned seed = 0; seed < 5; seed++) {
        for (int i = 0; i < 5; i++)
            check_shares(seed, sizes[i]);
    }
    end_world();
}

/* test_staged.c - Tests the parallel exchange of staged values with memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <stdlib.h>

#include "staged.h"

enum { MOVES = 40, GAP = 24 };

static uint8_t new_byte(size_t move, size_t at)
{
    return (uint8_t)(move * 31 + at * 7 + at / 251);
}

static uint8_t old_byte(size_t move, size_t at)
{
    return (uint8_t)(move * 17 + at * 5 + at / 241 + 1);
}

/* Returns sizes of a few bytes, zero, around the block size of a swap, and of
 * several stripes. */
static size_t size_of(size_t move)
{
    static const size_t sizes[] = { 8, 0, 4095, 4097, 300000, 1, 100 };
    return move == 20 ? (size_t)5 << 20 : sizes[move % 7];
}

/* Some are not staged: their bytes are not compared. */
static bool is_staged(size_t move)
{
    return move % 5 != 3;
}

static struct vv_move moves[MOVES];
static uint8_t *values[MOVES];
static uint8_t *staging;
static size_t staging_size;

static void fill(varve_node *root)
{
    staging_size = 0;
    for (size_t i = 0; i < MOVES; i++)
        staging_size += is_staged(i) ? size_of(i) + GAP : 0;
    staging = calloc(staging_size, 1);
    size_t place = 0;
    for (size_t i = 0; i < MOVES; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%zu", i);
        values[i] = malloc(size_of(i) + 1);
        for (size_t k = 0; k < size_of(i); k++)
            values[i][k] = old_byte(i, k);
        moves[i] = (struct vv_move){ .is_staged = is_staged(i),
            .node = varve_add_variable(root, name,
                varve_view(values[i], VARVE_UINT8, VARVE_SHAPE(size_of(i)))) };
        if (!is_staged(i))
            continue;
        moves[i].target = staging + place;
        for (size_t k = 0; k < size_of(i); k++)
            staging[place + k] = new_byte(i, k);
        place += size_of(i) + GAP;
    }
}

static void check(bool are_new, bool is_kept)
{
    size_t place = 0;
    for (size_t i = 0; i < MOVES; i++) {
        bool is_new = are_new && is_staged(i);
        for (size_t k = 0; k < size_of(i); k++) {
            uint8_t mine = is_new ? new_byte(i, k) : old_byte(i, k);
            uint8_t other = is_new ? old_byte(i, k) : new_byte(i, k);
            if (values[i][k] != mine)
                cr_assert_fail("value %zu at %zu", i, k);
            if (is_kept && is_staged(i) && staging[place + k] != other)
                cr_assert_fail("staging of %zu at %zu", i, k);
        }
        for (size_t k = 0; is_staged(i) && k < GAP; k++)
            cr_assert_eq(staging[place + size_of(i) + k], 0);
        place += is_staged(i) ? size_of(i) + GAP : 0;
    }
}

static void run(unsigned threads, bool is_last, bool is_undone)
{
    vv_exchange(&(struct vv_exchange){ .context = &world.context,
        .moves = moves,
        .count = MOVES,
        .size = staging_size,
        .threads = threads,
        .is_last = is_last,
        .is_undone = is_undone });
}

static void end(varve_node *root)
{
    free_root(root);
    for (size_t i = 0; i < MOVES; i++)
        free(values[i]);
    free(staging);
}

TEST(exchange, is_restored_by_an_undo)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        begin_world();
        varve_node *root = new_root();
        fill(root);
        run(threads, false, false);
        check(true, true);
        run(threads, false, true);
        check(false, true);
        end(root);
        end_world();
    }
}

TEST(exchange, copies_exactly_the_bytes_in_the_last_pass)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        begin_world();
        varve_node *root = new_root();
        fill(root);
        run(threads, true, false);
        check(true, false);
        end(root);
        end_world();
    }
}

/* Three overlapping views at different offsets: the last value remains, and the
 * undo brings back the previous bytes. */
TEST(exchange, is_undone_if_variables_share_memory)
{
    enum { SIZE = 3 << 20, STEP = 100001, VIEWS = 3 };
    static uint8_t memory[SIZE + VIEWS * STEP], staged[VIEWS][SIZE];
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct vv_move views[VIEWS];
        begin_world();
        varve_node *root = new_root();
        memset(memory, 9, sizeof memory);
        for (size_t i = 0; i < VIEWS; i++) {
            char name[8];
            snprintf(name, sizeof name, "v%zu", i);
            memset(staged[i], (int)i + 1, SIZE);
            views[i] = (struct vv_move){ .is_staged = true,
                .target = staged[i],
                .node = varve_add_variable(root, name,
                    varve_view(memory + i * STEP, VARVE_UINT8,
                        VARVE_SHAPE(SIZE))) };
        }
        struct vv_exchange exchange = { .context = &world.context,
            .moves = views,
            .count = VIEWS,
            .size = sizeof staged,
            .threads = threads };
        vv_exchange(&exchange);
        for (size_t i = 0; i < sizeof memory; i++) {
            size_t last = i / STEP < VIEWS ? i / STEP + 1 : VIEWS;
            cr_assert_eq(memory[i], i < SIZE + (VIEWS - 1) * STEP ? last : 9);
        }
        exchange.is_undone = true;
        vv_exchange(&exchange);
        for (size_t i = 0; i < sizeof memory; i++)
            cr_assert_eq(memory[i], 9, "%zu", i);
        free_root(root);
        end_world();
    }
}

TEST(exchange, does_nothing_without_staging)
{
    begin_world();
    vv_exchange(&(struct vv_exchange){ .context = &world.context });
    end_world();
}

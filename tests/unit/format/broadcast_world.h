/* broadcast_world.h - Creates a file for each kind of storage, with values in
 * pieces, opened normally and from a broadcast index whose large columns stay
 * in the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_BROADCAST_WORLD_H
#define UNIT_BROADCAST_WORLD_H

#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box.h"
#include "data_in.h"
#include "graph.h"
#include "part.h"
#include "piece_table.h"
#include "support/cut_pieces.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/proof.h"
#include "support/test_context.h"
#include "index_broadcast.h"

#define FILE_NAME "a.varve"

enum {
    /* their extents, alternating between two data files, fill blocks */
    SCALARS = 1300,
    ROWS = 1500,
    COLUMNS = 3,
    LARGE = (3 << 20) + 17, /* bytes; several chunks */
    SIDE = 12,
    GRID = SIDE * SIDE * SIDE
};

#ifdef VV_HAVE_ZSTD
enum { PACKS = 1 };
#else
enum { PACKS = 0 };
#endif

enum storage { PLAIN, INCREMENTAL, PACKED, STORAGES };

/* A file, opened normally and from a broadcast. */
static struct {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context, other;
    struct vv_opened near, far;
    const char *other_name; /* name of the file for the sender, if it differs */
    double scalars[SCALARS];
    uint8_t rows[ROWS][COLUMNS], large[LARGE];
    int16_t grid[GRID];
} world;

static varve_node *build(void)
{
    varve_node *root = varve_graph_root(vv_graph_new_in(&world.context));
    for (int i = 0; i < SCALARS; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%04d", i);
        varve_add_variable(root, name, varve_scalar(&world.scalars[i]));
    }
    varve_add_variable(root, "grid",
        varve_view(world.grid, VARVE_INT16, VARVE_SHAPE(SIDE, SIDE, SIDE)));
    varve_add_variable(root, "large", varve_array(world.large, LARGE));
    varve_add_variable(root, "rows",
        varve_view(world.rows, VARVE_UINT8, VARVE_SHAPE(ROWS, COLUMNS)));
    return root;
}

static void save(enum storage storage, const char *path, const char *base)
{
    varve_error error = { 0 };
    const varve_write_options options = { .incremental = storage != PLAIN,
        .increment.base = base,
        .compress = storage == PACKED ? PACKS : 0 };
    varve_node *root = build();
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    varve_graph_free(varve_node_graph(root));
}

static void cut(const char *node, const varve_box *boxes, uint32_t count)
{
    varve_error error = { 0 };
    cr_assert_ok(
        cut_into_pieces(&world.context, FILE_NAME, node, boxes, count, &error),
        error);
}

/* Sets random bounds that divide a length; returns the number of parts. */
static size_t cut_length(
    uint64_t length, uint64_t *bounds, uint64_t *random, uint64_t most)
{
    size_t count = 0;
    bounds[0] = 0;
    while (bounds[count] < length) {
        uint64_t next = bounds[count] + 1 + proof_next(random) % most;
        bounds[++count] = next < length ? next : length;
    }
    return count;
}

static void cut_rows(uint64_t *random, uint64_t most)
{
    static uint64_t bounds[ROWS + 1];
    static varve_box boxes[ROWS];
    size_t count = cut_length(ROWS, bounds, random, most);
    for (size_t i = 0; i < count; i++)
        boxes[i] = (varve_box){ .start = { bounds[i] },
            .extents = { bounds[i + 1] - bounds[i], COLUMNS } };
    if (count > 1)
        cut("rows", boxes, (uint32_t)count);
}

static void cut_grid(uint64_t *random, uint64_t most)
{
    static varve_box boxes[GRID];
    uint64_t b[3][SIDE + 1];
    size_t counts[3], count = 0;
    for (int k = 0; k < 3; k++)
        counts[k] = cut_length(SIDE, b[k], random, most);
    for (size_t x = 0; x < counts[0]; x++)
        for (size_t y = 0; y < counts[1]; y++)
            for (size_t z = 0; z < counts[2]; z++)
                boxes[count++] =
                    (varve_box){ .start = { b[0][x], b[1][y], b[2][z] },
                        .extents = { b[0][x + 1] - b[0][x],
                            b[1][y + 1] - b[1][y], b[2][z + 1] - b[2][z] } };
    if (count > 1)
        cut("grid", boxes, (uint32_t)count);
}

static void cut_large(uint64_t *random)
{
    uint64_t bounds[100];
    varve_box boxes[100];
    size_t count = cut_length(LARGE, bounds, random, 2 << 20);
    for (size_t i = 0; i < count; i++)
        boxes[i] = (varve_box){ .start = { bounds[i] },
            .extents = { bounds[i + 1] - bounds[i] } };
    if (count > 1)
        cut("large", boxes, (uint32_t)count);
}

static void write_file(enum storage storage, uint64_t seed)
{
    uint64_t random = seed;
    for (int i = 0; i < SCALARS; i++)
        world.scalars[i] = i;
    for (size_t i = 0; i < LARGE; i++)
        world.large[i] = (uint8_t)(storage == PACKED ? i / 999 : i * i >> 7);
    for (int i = 0; i < GRID; i++)
        world.grid[i] = (int16_t)i;
    memset(world.rows, 5, sizeof world.rows);
    if (storage != PLAIN)
        save(storage, "b.varve", NULL);
    for (int i = 0; i < SCALARS; i += 2)
        world.scalars[i] = -i;
    save(storage, FILE_NAME, storage == PLAIN ? NULL : "b.varve");
    cut_rows(&random, 1 + seed % 4);
    cut_large(&random);
    if (storage == PLAIN) /* this depends on the storage otherwise */
        cut_grid(&random, 1 + seed % 5);
}

/* Simulates a communicator that may change a word or a byte. */
enum change { NO_CHANGE, A_WORD, A_BYTE };

static void change_one(struct vv_index_broadcast *sent, enum change change)
{
    if (change == A_WORD)
        sent->far->words[sent->word_count - 1] ^= 1;
    else if (change == A_BYTE)
        sent->bytes[sent->size / 2] ^= 1;
}

static varve_status tell_changed(
    uint64_t most, enum change change, varve_error *error)
{
    struct vv_index_broadcast sent, other = { .size = 0 };
    struct vv_opened first;
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS];
    varve_status status = vv_data_in_open_far(&first, &world.context,
        world.other_name ? world.other_name : FILE_NAME, most, error);
    if (status)
        return status;
    vv_index_broadcast_make(&sent, &first, vv_data_in_place(&first));
    vv_index_broadcast_numbers(&sent, numbers);
    vv_index_broadcast_take(&other, numbers);
    status = vv_opened_begin(&world.far, &world.other, FILE_NAME, error);
    if (!status)
        status = vv_index_broadcast_reserve(&other, &world.other, error);
    if (!status) {
        memcpy(other.bytes, sent.bytes, (size_t)sent.size);
        if (sent.far)
            memcpy(other.far->words, sent.far->words,
                (size_t)sent.word_count * sizeof *sent.far->words);
        change_one(&other, change);
        status = vv_data_in_open_broadcast(&world.far, &other, error);
    }
    if (status)
        vv_opened_close(&world.far);
    vv_index_broadcast_clear(&sent);
    vv_index_broadcast_clear(&other);
    vv_opened_close(&first);
    return status;
}

static varve_status broadcast(uint64_t most, varve_error *error)
{
    return tell_changed(most, NO_CHANGE, error);
}

static void begin(enum storage storage, uint64_t seed)
{
    varve_error error = { 0 };
    world.memory = memory_new();
    world.context = test_context(memory_system(world.memory));
    world.faulty = faulty_new(memory_system(world.memory));
    world.other = test_context(faulty_system(world.faulty));
    write_file(storage, seed);
    cr_assert_ok(
        vv_data_in_open(&world.near, &world.context, FILE_NAME, &error), error);
}

static inline void begin_broadcast(enum storage storage, uint64_t seed)
{
    varve_error error = { 0 };
    begin(storage, seed);
    cr_assert_ok(broadcast(0, &error), error);
}

static void end(void)
{
    vv_opened_close(&world.near);
    vv_opened_close(&world.far);
    cr_assert_eq(memory_open_count(world.memory), 0);
    faulty_free(world.faulty);
    memory_free(world.memory);
}

/* --- Comparison ----------------------------------------------------------- */

static bool are_equal(uint32_t value, const varve_box *a, const varve_box *b)
{
    size_t size = world.near.parsed.index.value_ranks[value] * sizeof(uint64_t);
    return memcmp(a->start, b->start, size) == 0 &&
           memcmp(a->extents, b->extents, size) == 0;
}

static void compare_piece(uint32_t value, uint32_t number)
{
    struct vv_value_piece a, b;
    vv_piece_at(
        &world.near.parsed.index, &world.near.parsed.table, value, number, &a);
    vv_piece_at(
        &world.far.parsed.index, &world.far.parsed.table, value, number, &b);
    cr_assert(are_equal(value, &a.box, &b.box));
    cr_assert_eq(a.begin, b.begin);
    cr_assert_eq(a.size, b.size);
    cr_assert_eq(a.first_chunk, b.first_chunk);
}

static void compare_part(uint32_t value, const struct vv_chunk_part *a,
    const struct vv_chunk_part *b)
{
    cr_assert_eq(a->chunk, b->chunk);
    cr_assert_eq(a->begin, b->begin);
    cr_assert_eq(a->size, b->size);
    cr_assert_eq(a->first, b->first);
    cr_assert_eq(a->end, b->end);
    cr_assert(are_equal(value, &a->box, &b->box));
}

static uint64_t compare_parts(uint32_t value, const varve_box *box)
{
    struct vv_chunk_part a, b;
    uint64_t count = 0;
    for (uint64_t c = 0;; c = a.chunk + 1, count++) {
        bool is_there = vv_part_from(&world.near.parsed, value, box, c, &a);
        cr_assert_eq(
            vv_part_from(&world.far.parsed, value, box, c, &b), is_there);
        if (!is_there)
            return count;
        compare_part(value, &a, &b);
    }
}

static void compare_boxes(uint32_t value, uint64_t *random)
{
    varve_tensor type = vv_index_tensor(
        &world.near.parsed.index, &world.near.parsed.table, value);
    uint64_t boxes = 0, parts = 0;
    for (; boxes < 40; boxes++) {
        varve_box box = vv_box_whole(&type);
        for (uint32_t k = 0; k < type.rank && boxes > 0; k++) {
            box.start[k] = proof_next(random) % type.shape[k];
            box.extents[k] =
                1 + proof_next(random) % (type.shape[k] - box.start[k]);
        }
        parts += compare_parts(value, &box);
    }
    cr_assert_geq(parts, boxes);
}

static void compare_chunk(uint32_t value, uint64_t chunk)
{
    struct vv_chunk_part a, b;
    static uint8_t bytes[2][VV_CHUNK_SIZE];
    uint64_t offset, other;
    size_t size, other_size;
    varve_error error = { 0 };
    vv_opened_chunk(&world.near, value, chunk, &offset, &size);
    vv_opened_chunk(&world.far, value, chunk, &other, &other_size);
    cr_assert_eq(offset, other);
    cr_assert_eq(size, other_size);
    cr_assert_eq(vv_piece_of_chunk(&world.near.parsed.index,
                     &world.near.parsed.table, value, chunk),
        vv_piece_of_chunk(
            &world.far.parsed.index, &world.far.parsed.table, value, chunk));
    vv_part_of_chunk(&world.near.parsed, value, chunk, &a);
    vv_part_of_chunk(&world.far.parsed, value, chunk, &b);
    compare_part(value, &a, &b);
    cr_assert_ok(
        vv_opened_read(&world.near, offset, bytes[0], size, &error), error);
    cr_assert_ok(
        vv_opened_read(&world.far, offset, bytes[1], size, &error), error);
    cr_assert(memcmp(bytes[0], bytes[1], size) == 0);
    cr_assert_ok(
        vv_opened_check(&world.far, value, chunk, bytes[1], NULL, &error),
        error);
}

static inline void compare_value(uint32_t value, uint64_t *random)
{
    const struct vv_index *index = &world.near.parsed.index;
    uint64_t chunks = vv_value_chunks(index, &world.near.parsed.table, value);
    uint32_t pieces = vv_piece_count(index, value);
    uint64_t there[2];
    cr_assert_eq(chunks, vv_value_chunks(&world.far.parsed.index,
                             &world.far.parsed.table, value));
    cr_assert_eq(pieces, vv_piece_count(&world.far.parsed.index, value));
    cr_assert_eq(vv_first_digest(index, &world.near.parsed.table, value),
        vv_first_digest(
            &world.far.parsed.index, &world.far.parsed.table, value));
    for (uint32_t i = 0; i < pieces; i++)
        compare_piece(value, i);
    for (uint64_t c = 0; c < chunks; c++)
        compare_chunk(value, c);
    const char *near = vv_opened_place(&world.near, value, &there[0]);
    const char *far = vv_opened_place(&world.far, value, &there[1]);
    cr_assert(
        near ? far && strcmp(near, far) == 0 && there[0] == there[1] : !far);
    if (pieces > 1)
        compare_boxes(value, random);
}

#endif

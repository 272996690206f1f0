/* test_told_index.c - lib/format/told_index.c
 *
 * SPDX-License-Identifier: MIT
 */
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
#include "told_index.h"

#define FILE_NAME "a.varve"

enum {
    SCALARS = 1300, /* whose places, of two layers in turns, fill blocks */
    ROWS = 1500,
    COLUMNS = 3,
    LARGE = (3 << 20) + 17, /* bytes; of several chunks */
    SIDE = 12,
    GRID = SIDE * SIDE * SIDE
};

#ifdef VV_HAVE_ZSTD
enum { PACKS = 1 };
#else
enum { PACKS = 0 };
#endif

enum storage { PLAIN, LAYERED, PACKED, STORAGES };

/* A file, opened as it is, and by one who was told of it. */
static struct {
    struct memory *memory;
    struct faulty *faulty;
    struct vv_context context, other;
    struct vv_opened near, far;
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
    varve_add_variable(root, "grid", varve_view(world.grid, VARVE_INT16,
                                         VARVE_SHAPE(SIDE, SIDE, SIDE)));
    varve_add_variable(root, "large", varve_array(world.large, LARGE));
    varve_add_variable(root, "rows", varve_view(world.rows, VARVE_UINT8,
                                         VARVE_SHAPE(ROWS, COLUMNS)));
    return root;
}

static void save(enum storage storage, const char *path, const char *base)
{
    varve_error error = { 0 };
    const varve_write_options options = { .layered = storage != PLAIN,
        .layers.base = base,
        .compress = storage == PACKED ? PACKS : 0 };
    varve_node *root = build();
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    varve_graph_free(varve_node_graph(root));
}

static void cut(const char *node, const varve_box *boxes, uint32_t count)
{
    varve_error error = { 0 };
    cr_assert_ok(cut_into_pieces(
                     &world.context, FILE_NAME, node, boxes, count, &error),
        error);
}

/* Bounds of parts of a length, at random; returns how many parts. */
static size_t cut_length(uint64_t length, uint64_t *bounds, uint64_t *random,
    uint64_t most)
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
                boxes[count++] = (varve_box){ .start = { b[0][x], b[1][y],
                                                  b[2][z] },
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
    if (storage == PLAIN) /* else it would be so */
        cut_grid(&random, 1 + seed % 5);
}

/* As over a communicator, which may change a word or a byte. */
enum change { NO_CHANGE, A_WORD, A_BYTE };

static void change_one(struct vv_told_index *told, enum change change)
{
    if (change == A_WORD)
        told->far->words[told->word_count - 1] ^= 1;
    else if (change == A_BYTE)
        told->bytes[told->size / 2] ^= 1;
}

static varve_status tell_changed(
    uint64_t most, enum change change, varve_error *error)
{
    struct vv_told_index told = { .size = 0 }, other = { .size = 0 };
    uint64_t numbers[VV_TOLD_NUMBERS];
    varve_status status = vv_told_make(&told, &world.near,
        vv_data_in_place(&world.near), most, error);
    vv_told_numbers(&told, numbers);
    vv_told_take(&other, numbers);
    if (!status)
        status = vv_opened_begin(&world.far, &world.other, FILE_NAME, error);
    if (!status)
        status = vv_told_make_room(&other, &world.other, error);
    if (!status) {
        memcpy(other.bytes, told.bytes, (size_t)told.size);
        if (told.far)
            memcpy(other.far->words, told.far->words,
                (size_t)told.word_count * sizeof *told.far->words);
        change_one(&other, change);
        status = vv_data_in_open_told(&world.far, &other, error);
    }
    if (status)
        vv_opened_close(&world.far);
    vv_told_clear(&told);
    vv_told_clear(&other);
    return status;
}

static varve_status tell(uint64_t most, varve_error *error)
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
        vv_data_in_open(&world.near, &world.context, FILE_NAME, &error),
        error);
}

static void begin_told(enum storage storage, uint64_t seed)
{
    varve_error error = { 0 };
    begin(storage, seed);
    cr_assert_ok(tell(0, &error), error);
}

static void end(void)
{
    vv_opened_close(&world.near);
    vv_opened_close(&world.far);
    cr_assert_eq(memory_open_count(world.memory), 0);
    faulty_free(world.faulty);
    memory_free(world.memory);
}

/* --- The same is found ---------------------------------------------------- */

static bool are_equal(uint32_t value, const varve_box *a, const varve_box *b)
{
    size_t size = world.near.parsed.index.value_ranks[value] * sizeof(uint64_t);
    return memcmp(a->start, b->start, size) == 0 &&
           memcmp(a->extents, b->extents, size) == 0;
}

static void compare_piece(uint32_t value, uint32_t number)
{
    struct vv_value_piece a, b;
    vv_piece_at(&world.near.parsed.index, &world.near.parsed.table, value,
        number, &a);
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
        bool is_there =
            vv_part_from(&world.near.parsed, value, box, c, &a);
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
        vv_piece_of_chunk(&world.far.parsed.index, &world.far.parsed.table,
            value, chunk));
    vv_part_of_chunk(&world.near.parsed, value, chunk, &a);
    vv_part_of_chunk(&world.far.parsed, value, chunk, &b);
    compare_part(value, &a, &b);
    cr_assert_ok(
        vv_opened_read(&world.near, offset, bytes[0], size, &error), error);
    cr_assert_ok(
        vv_opened_read(&world.far, offset, bytes[1], size, &error), error);
    cr_assert(memcmp(bytes[0], bytes[1], size) == 0);
    cr_assert_ok(vv_opened_check(
                     &world.far, value, chunk, bytes[1], NULL, &error),
        error);
}

static void compare_value(uint32_t value, uint64_t *random)
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
    cr_assert(near ? far && strcmp(near, far) == 0 && there[0] == there[1]
                   : !far);
    if (pieces > 1)
        compare_boxes(value, random);
}

/* How many of these columns are left in the file. */
static int count_far(const struct vv_index *index)
{
    int count = 0;
    for (uint64_t key = 0; key < VV_FAR_COLUMNS; key++)
        count += vv_is_in_file(index, key);
    return count;
}

TEST(told_index, finds_what_stays_in_the_file_as_who_has_it_all)
{
    static const int columns[STORAGES] = { 2, 5, 9 };
    uint64_t files = proof_size(12, 300), random = proof_seed();
    for (uint64_t i = 0; i < files; i++) {
        enum storage storage = (enum storage)(i % STORAGES);
        begin_told(storage, i + 1);
        const struct vv_index *index = &world.far.parsed.index;
        cr_assert_eq(count_far(index), columns[storage]);
        cr_assert_eq(world.far.size, world.near.size);
        cr_assert_eq(world.far.data_end, world.near.data_end);
        for (uint32_t v = 0; v < index->value_count; v++)
            compare_value(v, &random);
        cr_assert_not(vv_index_has_failed(index));
        end();
    }
    proof_count("told_index.files", files);
}

TEST(told_index, tells_all_that_is_little)
{
    varve_error error = { 0 };
    begin(LAYERED, 3);
    cr_assert_ok(tell(VV_MOST_TOLD, &error), error);
    cr_assert_null(world.far.parsed.index.far);
    cr_assert_eq(world.far.index_size, world.near.index_size);
    cr_assert(memcmp(world.far.index_bytes, world.near.index_bytes,
                  world.near.index_size) == 0);
    end();
}

TEST(told_index, takes_the_place_of_an_index_that_is_there)
{
    varve_error error = { 0 };
    struct vv_told_index told;
    uint64_t random = 1;
    begin_told(LAYERED, 2);
    struct vv_opened first = world.far;
    cr_assert_ok(
        vv_data_in_open(&world.far, &world.other, FILE_NAME, &error), error);
    cr_assert_ok(vv_told_make(&told, &world.far,
                     vv_data_in_place(&world.far), 0, &error),
        error);
    cr_assert_ok(vv_data_in_keep_told(&world.far, &told, &error), error);
    vv_told_clear(&told);
    cr_assert_eq(world.far.index_size, first.index_size);
    for (uint32_t v = 0; v < first.parsed.index.value_count; v++)
        compare_value(v, &random);
    vv_opened_close(&first);
    end();
}

/* --- What is not what was told -------------------------------------------- */

static uint32_t value_of(const char *name)
{
    const struct vv_index *index = &world.near.parsed.index;
    uint32_t n = vv_index_find_name(index, name, strlen(name));
    return vv_index_find_value(index, vv_index_find_child(index, 0, n));
}

/* A byte of the index, as others read it. */
static void damage(const uint8_t *column)
{
    size_t size;
    uint64_t at = vv_data_in_place(&world.near)->offset +
                  (uint64_t)(column -
                             (const uint8_t *)world.near.index_bytes);
    memory_bytes(world.memory, FILE_NAME, &size)[at] ^= 1;
}

/* Nothing of a value in pieces is left out: it is not read at all. */
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

TEST(told_index, reads_nothing_once_boxes_are_damaged)
{
    begin_told(PLAIN, 1);
    const struct vv_index *index = &world.near.parsed.index;
    for (uint64_t i = 0; i < index->box_number_count; i++)
        damage(index->piece_boxes + 8 * i);
    check_nothing_is_read(VARVE_CORRUPT);
    end();
}

TEST(told_index, reads_nothing_once_boxes_cannot_be_read)
{
    begin_told(PLAIN, 1);
    faulty_plan(world.faulty, &(struct faulty_plan){ .error = EIO });
    struct vv_chunk_part part;
    vv_part_of_chunk(&world.far.parsed, value_of("rows"), 7, &part);
    cr_assert_eq(part.first, part.end);
    faulty_plan(world.faulty, NULL);
    check_nothing_is_read(VARVE_IO);
    end();
}

TEST(told_index, reads_nothing_where_places_are_damaged)
{
    const struct vv_index *index = &world.near.parsed.index;
    uint8_t bytes[8];
    for (int i = 0; i < 3; i++) {
        varve_error error = { 0 };
        uint64_t at;
        begin_told(LAYERED, 1);
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

TEST(told_index, takes_no_other_bytes_than_were_told)
{
    varve_error error = { 0 };
    begin(PLAIN, 1);
    cr_assert_eq(tell_changed(0, A_WORD, &error), VARVE_CORRUPT);
    cr_assert_eq(tell_changed(0, A_BYTE, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "index, as it was told"), "%s",
        error.message);
    end();
}

TEST(told_index, opens_no_other_file)
{
    size_t size;
    varve_error error = { 0 };
    begin(PLAIN, 1);
    save(PLAIN, "c.varve", NULL);
    unsigned char *other = memory_bytes(world.memory, "c.varve", &size);
    memory_put(world.memory, FILE_NAME, other, size);
    cr_assert_eq(tell(0, &error), VARVE_MISMATCH);
    end();
}

TEST(told_index, gives_back_everything_when_memory_ends)
{
    varve_status status = VARVE_NO_MEMORY;
    begin(PACKED, 1);
    for (long number = 0; status; number++) {
        long blocks = test_block_count();
        varve_error error = { 0 };
        test_fail_allocation(number, false);
        status = tell(0, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert(!status || test_block_count() == blocks);
    }
    end();
}

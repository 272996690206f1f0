/* test_range_reading_box.c - Tests reading a box of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "bytes.h"
#include "layout.h"
#include "reader.h"
#include "reader_names.h"
#include "support/faulty_system.h"
#include "support/proof.h"

/* More than four chunks, with rows of 1,000 numbers. */
enum { ROWS = 1100, COLUMNS = 1000, COUNT = ROWS * COLUMNS };

static uint32_t *numbers;

static varve_reader *write_and_open(const char *path, varve_format format)
{
    varve_error error = { 0 };
    varve_write_options options = { .format = format };
    numbers = malloc(COUNT * sizeof *numbers);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = vv_order32(i);
    varve_node *root = new_root();
    varve_add_variable(root, "x", varve_array(numbers, ROWS, COLUMNS));
    cr_assert_ok(varve_write(root, path, &options, &error), error);
    free_root(root);
    varve_reader *reader = vv_reader_open_in(&world.context, path, &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

static void end(varve_reader *reader)
{
    varve_reader_free(reader);
    free(numbers);
    end_world();
}

static void check_box(varve_reader *reader, const varve_box *box)
{
    varve_error error = { 0 };
    uint64_t rows = box->extents[0], columns = box->extents[1];
    size_t size = (size_t)(rows * columns) * sizeof *numbers;
    uint32_t *found = malloc(size + 1);
    cr_assert_ok(
        varve_reader_read_box(reader, 1, box, found, size, &error), error);
    for (uint64_t i = 0; i < rows * columns; i++) {
        uint64_t row = box->start[0] + i / columns;
        uint64_t column = box->start[1] + i % columns;
        cr_assert_eq(found[i], numbers[row * COLUMNS + column]);
    }
    free(found);
}

static const varve_format formats[] = { VARVE_FORMAT_VARVE, VARVE_FORMAT_NPZ,
    VARVE_FORMAT_SAFETENSORS, VARVE_FORMAT_TENSORFLOW, VARVE_FORMAT_NPY };
static const char *const paths[] = { "a.varve", "a.npz", "a.safetensors",
    "a.index", "a.npy" };

TEST(box_reading, reads_any_part_of_a_value_in_any_format)
{
    static const varve_box boxes[] = {
        { { 0, 0 }, { ROWS, COLUMNS } },
        { { 0, 0 }, { 0, 0 } },
        { { ROWS, COLUMNS }, { 0, 0 } },
        { { 263, 0 }, { 600, COLUMNS } },
        { { 0, COLUMNS - 1 }, { ROWS, 1 } },
        { { ROWS - 1, COLUMNS - 1 }, { 1, 1 } },
    };
    uint64_t state = proof_seed();
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        begin_world();
        varve_reader *reader = write_and_open(paths[f], formats[f]);
        for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
            check_box(reader, &boxes[i]);
        for (int i = 0; i < 20; i++) {
            varve_box box = { .start = { proof_next(&state) % ROWS,
                                  proof_next(&state) % COLUMNS } };
            box.extents[0] = proof_next(&state) % (ROWS - box.start[0]);
            box.extents[1] = proof_next(&state) % (COLUMNS - box.start[1]);
            check_box(reader, &box);
        }
        end(reader);
    }
}

/* Rows of the second chunk only. */
TEST(box_reading, reads_only_intersecting_chunks)
{
    static const varve_box rows = { { 300, 0 }, { 200, COLUMNS } };
    static const varve_box more = { { 300, 0 }, { 300, COLUMNS } };
    static uint32_t found[300 * COLUMNS];
    varve_error error = { 0 };
    varve_saved_node node;
    size_t size;
    begin_world();
    varve_reader *reader = write_and_open(FILE_NAME, VARVE_FORMAT_VARVE);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    varve_reader_node_at(reader, 1, &node);
    bytes[node.offset + VV_CHUNK_SIZE - 1] ^= 1;
    bytes[node.offset + 2 * VV_CHUNK_SIZE] ^= 1;
    check_box(reader, &rows);
    cr_assert_eq(varve_reader_read_box(
                     reader, 1, &more, found, sizeof found, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "a.varve: x: bytes "), "%s", error.message);
    end(reader);
}

/* A flipped bit anywhere in a chunk, even if only a small part is read. */
TEST(box_reading, verifies_complete_chunks)
{
    static const varve_box one = { { 400, 7 }, { 1, 1 } };
    varve_error error = { 0 };
    varve_saved_node node;
    uint32_t found;
    size_t size;
    begin_world();
    varve_reader *reader = write_and_open(FILE_NAME, VARVE_FORMAT_VARVE);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    varve_reader_node_at(reader, 1, &node);
    bytes[node.offset + 2 * VV_CHUNK_SIZE - 1] ^= 1;
    cr_assert_eq(
        varve_reader_read_box(reader, 1, &one, &found, sizeof found, &error),
        VARVE_CORRUPT);
    end(reader);
}

static void refused(varve_reader *reader, size_t id, const varve_box *box,
    size_t size, varve_status status, const char *message)
{
    varve_error error = { 0 };
    unsigned char found[64] = { 0 };
    cr_assert_eq(
        varve_reader_read_box(reader, id, box, found, size, &error), status);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(found[0], 0);
}

TEST(box_reading, refuses_invalid_boxes)
{
    begin_world();
    float values[6] = { 1, 2, 3, 4, 5, 6 };
    varve_string word = { "word", 4 };
    varve_error error = { 0 };
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(values, 2, 3));
    varve_add_variable(root, "b", varve_scalar(&word));
    write_root(root);
    free_root(root);
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    refused(reader, 1, &(varve_box){ { 1, 1 }, { 1, 3 } }, 64, VARVE_MISUSE,
        "a.varve: a: the part is not inside float32[2,3]: 3 from 1 in "
        "dimension 1");
    refused(reader, 1, &(varve_box){ { 3 }, { 0 } }, 64, VARVE_MISUSE,
        "a.varve: a: the part is not inside float32[2,3]: 0 from 3 in "
        "dimension 0");
    refused(reader, 1, &(varve_box){ { 0 }, { 2, 2 } }, 15, VARVE_MISUSE,
        "a.varve: a: the buffer is too small: 16 bytes are needed, found 15");
    refused(reader, 2, &(varve_box){ { 0 }, { 0 } }, 64, VARVE_MISUSE,
        "a.varve: b: only elements of a fixed size can be read in part, "
        "found string[]");
    refused(reader, 0, &(varve_box){ { 0 }, { 0 } }, 64, VARVE_NOT_FOUND,
        "a.varve: node 0 has no value");
    refused(reader, 7, &(varve_box){ { 0 }, { 0 } }, 64, VARVE_NOT_FOUND,
        "a.varve: node 7 has no value");
    varve_reader_free(reader);
    end_world();
}

/* Each read fails once, also in formats that are decoded. */
TEST(box_reading, reports_a_failed_read_and_remains_usable)
{
    static const varve_box rows = { { 100, 1 }, { 900, COLUMNS - 2 } };
    static uint32_t found[900 * (COLUMNS - 2)];
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        begin_world();
        struct vv_context old = world.context;
        struct faulty *faulty = faulty_new(memory_system(world.memory));
        world.context = test_context(faulty_system(faulty));
        varve_reader *reader = write_and_open(paths[f], formats[f]);
        long n = 0;
        for (bool was_hit = true; was_hit; n++) {
            varve_error error = { 0 };
            faulty_plan(faulty, &(struct faulty_plan){
                .kinds = FAULTY_READ, .number = n, .error = 5 });
            varve_status status = varve_reader_read_box(
                reader, 1, &rows, found, sizeof found, &error);
            was_hit = faulty_hit(faulty);
            cr_assert_eq(status, was_hit ? VARVE_IO : VARVE_OK);
            faulty_plan(faulty, NULL);
        }
        cr_assert_gt(n, 2, "several reads");
        check_box(reader, &rows);
        varve_reader_free(reader);
        free(numbers);
        world.context = old;
        faulty_free(faulty);
        end_world();
    }
}

TEST(box_reading, reports_failed_allocations_and_remains_usable)
{
    static const varve_box column = { { 0, 3 }, { ROWS, 1 } };
    static uint32_t found[ROWS];
    varve_error error = { 0 };
    begin_world();
    varve_reader *reader = write_and_open(FILE_NAME, VARVE_FORMAT_VARVE);
    vv_reader_node_path(reader, 1);
    test_fail_allocation(0, true);
    cr_assert_eq(varve_reader_read_box(
                     reader, 1, &column, found, sizeof found, &error),
        VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    check_box(reader, &column);
    end(reader);
}

/* test_torch_pieces.c - Tests tensors in several pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "arrays.h"
#include "torch_pieces.h"

enum { ROWS = 5, COLUMNS = 4, DEPTH = 3, ELEMENTS = 60, SIZE = 120 };

/* Starts and lengths of boxes that form the whole; some are split in each
 * dimension. */
static const uint64_t boxes[][6] = {
    { 0, 0, 0, 2, 4, 3 },
    { 2, 0, 0, 3, 1, 3 },
    { 2, 1, 0, 3, 3, 1 },
    { 2, 1, 1, 2, 3, 2 },
    { 4, 1, 1, 1, 3, 2 },
};

enum { BOXES = sizeof boxes / sizeof *boxes };

static const uint64_t shape[] = { ROWS, COLUMNS, DEPTH };

/* A tensor of uint16 whose elements are their indices, in a file; the piece
 * `turned` is column-major. */
struct made {
    struct world w;
    struct vv_foreign *foreign;
    struct vv_torch_file *file;
    struct vv_torch_piece pieces[BOXES];
    struct vv_zip_entry entries[BOXES];
    struct vv_buffer bytes;
    varve_error error;
};

static void store_box(struct made *m, size_t box, bool turned)
{
    const uint64_t *b = boxes[box];
    struct vv_torch_tensor *t = &m->pieces[box].what.tensor;
    struct vv_zip_entry *e = &m->entries[box];
    t->type = (varve_tensor){ .dtype = VARVE_UINT16, .rank = 3 };
    t->of = VARVE_UINT16;
    t->count = 1;
    for (int i = 0; i < 3; i++) {
        int at = turned ? i : 2 - i;
        t->type.shape[at] = b[3 + at];
        t->strides[at] = t->count;
        t->count *= b[3 + at];
    }
    *e = (struct vv_zip_entry){ .data = m->bytes.size + 7,
        .size = 2 * t->count };
    vv_buffer_add(&m->bytes, "between", 7);
    unsigned char *to = vv_buffer_extend(&m->bytes, 2 * (size_t)t->count);
    for (uint64_t i = 0; i < b[3]; i++)
        for (uint64_t j = 0; j < b[4]; j++)
            for (uint64_t k = 0; k < b[5]; k++) {
                uint64_t place = i * t->strides[0] + j * t->strides[1] +
                                 k * t->strides[2];
                to[2 * place] = (unsigned char)(((b[0] + i) * COLUMNS + b[1] +
                    j) * DEPTH + b[2] + k);
                to[2 * place + 1] = 1;
            }
    e->crc = vv_crc32(0, to, (size_t)e->size);
    m->pieces[box].box = b;
    m->pieces[box].what.entry = e;
}

static struct made *begin(size_t turned)
{
    struct made *m = calloc(1, sizeof *m);
    m->w = world_new();
    m->bytes = new_bytes();
    for (size_t i = 0; i < BOXES; i++)
        store_box(m, i, i == turned);
    m->foreign = world_foreign(&m->w, "a", &m->bytes);
    m->file = vv_torch_file_new(m->foreign);
    m->file->zip.foreign = m->foreign;
    struct vv_torch_pieced whole = { .pieces = m->pieces, .count = BOXES,
        .type = { .dtype = VARVE_UINT16, .rank = 3,
            .shape = { ROWS, COLUMNS, DEPTH } } };
    struct vv_pickle_item item;
    cr_assert(vv_torch_add_pieces(m->file, whole, &item));
    cr_assert_eq(item.b, 1);
    cr_assert_eq(vv_torch_pieced(m->file, 0)->has_parts, turned >= BOXES);
    return m;
}

static void end(struct made *m)
{
    vv_foreign_free(m->foreign);
    vv_buffer_clear(&m->bytes);
    world_free(&m->w);
    free(m);
}

static varve_status read_part(
    struct made *m, uint64_t at, unsigned char *bytes, size_t size)
{
    return vv_torch_read_pieces(m->file, 0, at, bytes, size, &m->error);
}

static void check(const unsigned char *bytes, size_t at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        cr_assert_eq(bytes[i], (at + i) % 2 ? 1 : (at + i) / 2,
            "byte %zu of %zu at %zu", i, size, at);
}

TEST(torch_pieces, provide_any_range_of_the_value)
{
    struct made *m = begin(BOXES);
    for (size_t at = 0; at <= SIZE; at++) {
        for (size_t size = 0; size <= SIZE - at; size++) {
            unsigned char bytes[SIZE + 1];
            memset(bytes, 0xaa, sizeof bytes);
            cr_assert_ok(read_part(m, at, bytes, size), m->error);
            check(bytes, at, size);
            cr_assert_eq(bytes[size], 0xaa);
        }
    }
    end(m);
}

TEST(torch_pieces, may_be_stored_in_another_order)
{
    struct made *m = begin(3);
    unsigned char bytes[SIZE];
    cr_assert_ok(read_part(m, 0, bytes, SIZE), m->error);
    check(bytes, 0, SIZE);
    end(m);
}

/* The first piece contains the bytes up to 48. */
TEST(torch_pieces, read_only_intersecting_pieces)
{
    struct made *m = begin(BOXES);
    unsigned char bytes[SIZE];
    memory_resize(m->w.memory, "a", (size_t)m->entries[0].data + 48);
    cr_assert_ok(read_part(m, 5, bytes, 43), m->error);
    check(bytes, 5, 43);
    cr_assert_eq(read_part(m, 5, bytes, 44), VARVE_TRUNCATED);
    end(m);
}

TEST(torch_pieces, are_verified_before_a_part_is_used)
{
    struct made *m = begin(BOXES);
    unsigned char bytes[SIZE];
    m->entries[1].crc ^= 1;
    cr_assert_ok(read_part(m, 0, bytes, 48), m->error);
    cr_assert_eq(read_part(m, 0, bytes, 49), VARVE_CORRUPT);
    cr_assert(strstr(m->error.message, "a: bytes "), "%s", m->error.message);
    cr_assert(strstr(m->error.message, "expected CRC-32"), "%s",
        m->error.message);
    cr_assert_eq(read_part(m, 0, bytes, SIZE), VARVE_CORRUPT);
    m->entries[1].crc ^= 1;
    cr_assert_ok(read_part(m, 0, bytes, 49), m->error);
    m->entries[1].crc ^= 1; /* it was already verified */
    cr_assert_ok(read_part(m, 0, bytes, 50), m->error);
    end(m);
}

TEST(torch_pieces, report_failed_allocations)
{
    for (size_t turned = 3; turned <= BOXES; turned += BOXES - 3) {
        struct made *m = begin(turned);
        varve_status status = VARVE_NO_MEMORY;
        for (long n = 0; status; n++) {
            unsigned char bytes[SIZE];
            test_fail_allocation(n, false);
            status = read_part(m, 0, bytes, SIZE);
            test_fail_allocation(-1, false);
            cr_assert(!status || status == VARVE_NO_MEMORY);
        }
        end(m);
    }
}

/* --- Completeness --------------------------------------------------------- */

static const char *wrong_with(const uint64_t *all, uint32_t count)
{
    struct vv_torch_piece pieces[8] = { 0 };
    for (uint32_t i = 0; i < count; i++)
        pieces[i].box = all + (size_t)6 * i;
    return vv_torch_check_boxes(3, shape, pieces, count);
}

TEST(torch_pieces, must_cover_the_value_exactly)
{
    cr_assert_null(wrong_with(boxes[0], BOXES));
    cr_assert_str_eq(
        wrong_with(boxes[0], BOXES - 1), "its pieces do not cover its shape");
    uint64_t other[BOXES][6];
    for (int i = 0; i < BOXES * 6; i++) {
        memcpy(other, boxes, sizeof other);
        (&other[0][0])[i]++;
        cr_assert_not_null(wrong_with(other[0], BOXES), "%d", i);
        if ((&boxes[0][0])[i] > 0) {
            (&other[0][0])[i] -= 2;
            cr_assert_not_null(wrong_with(other[0], BOXES), "%d", i);
        }
    }
    memcpy(other, boxes, sizeof other);
    memcpy(other[4], other[3], sizeof other[3]);
    cr_assert_str_eq(wrong_with(other[0], BOXES), "its pieces overlap");
    memcpy(other, boxes, sizeof other);
    other[4][0] = 3;
    cr_assert_str_eq(
        wrong_with(other[0], BOXES),
        "its pieces overlap and do not cover its shape");
}

/* All placements of two boxes in a line of 6. */
TEST(torch_pieces, are_accepted_for_exactly_the_valid_placements)
{
    const uint64_t line[] = { 6 };
    for (uint64_t i = 0; i < 6 * 6 * 6 * 6; i++) {
        uint64_t a[] = { i % 6, 1 + i / 6 % 6 };
        uint64_t b[] = { i / 36 % 6, 1 + i / 216 };
        struct vv_torch_piece pieces[] = { { .box = a }, { .box = b } };
        if (a[0] + a[1] > 6 || b[0] + b[1] > 6)
            continue;
        bool fit = a[1] + b[1] == 6 && ((a[0] == 0 && b[0] == a[1]) ||
                   (b[0] == 0 && a[0] == b[1]));
        cr_assert_eq(
            !vv_torch_check_boxes(1, line, pieces, 2), fit, "%d", (int)i);
    }
}

/* test_dcp_tensor.c - Tests tensors of torch.distributed checkpoints and their
 * pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "dcp_sample.h"
#include "dcp_tensor.h"

#define AT(...) (const int64_t[]){ __VA_ARGS__ }

static const int64_t shape[] = { 4, 6 };

static struct dcp begin(void)
{
    struct dcp d = dcp_new();
    dcp_tensor(&d, "w", "uint8", shape, 2);
    return d;
}

static void check_whole(struct dcp *d)
{
    struct world w = world_new();
    varve_error error = { 0 };
    unsigned char bytes[24];
    for (int i = 0; i < 24; i++)
        bytes[i] = (unsigned char)i;
    varve_reader *r = dcp_open(&w, d, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "w", "uint8[4,6]", bytes, sizeof bytes);
    varve_reader_free(r);
    world_free(&w);
}

TEST(dcp_tensor, has_one_piece_or_several)
{
    struct dcp d = begin();
    dcp_piece(&d, "w", shape, AT(0, 0), AT(4, 6), 2);
    dcp_end_tensor(&d);
    check_whole(&d);
    d = begin(); /* not a grid, and in no order */
    dcp_piece(&d, "w", shape, AT(1, 2), AT(3, 4), 2);
    dcp_piece(&d, "w", shape, AT(0, 0), AT(1, 6), 2);
    dcp_piece(&d, "w", shape, AT(1, 0), AT(2, 2), 2);
    dcp_piece(&d, "w", shape, AT(3, 0), AT(1, 2), 2);
    dcp_chunk(&d, AT(4, 0), AT(0, 6), 2); /* of a process without rows */
    dcp_end_tensor(&d);
    check_whole(&d);
}

static void refused(struct dcp *d, varve_status status, const char *says)
{
    dcp_end_tensor(d);
    dcp_refused(d, status, says);
}

TEST(dcp_tensor, refuses_pieces_that_do_not_cover_it)
{
    struct dcp d = begin();
    dcp_piece(&d, "w", shape, AT(0, 0), AT(3, 6), 2);
    refused(&d, VARVE_CORRUPT, DCP_PATH ": \"w\": its pieces do not "
        "cover its shape");
    d = begin();
    dcp_piece(&d, "w", shape, AT(0, 0), AT(3, 6), 2);
    dcp_piece(&d, "w", shape, AT(2, 0), AT(2, 6), 2);
    refused(&d, VARVE_CORRUPT, "its pieces overlap");
    d = begin();
    dcp_piece(&d, "w", shape, AT(0, 0), AT(2, 6), 2);
    dcp_piece(&d, "w", shape, AT(1, 0), AT(2, 6), 2);
    refused(&d, VARVE_CORRUPT, "its pieces overlap and do not cover");
    d = begin();
    refused(&d, VARVE_CORRUPT, "its pieces do not cover its shape");
}

TEST(dcp_tensor, refuses_missing_pieces_and_pieces_out_of_bounds)
{
    struct dcp d = begin();
    dcp_chunk(&d, AT(0, 0), AT(4, 6), 2);
    refused(&d, VARVE_TRUNCATED,
        "\"w\": a piece is in no file");
    d = begin();
    dcp_chunk(&d, AT(0, 0), AT(4, 7), 2);
    refused(&d, VARVE_CORRUPT, "\"w\": a piece extends beyond");
    d = begin();
    dcp_chunk(&d, AT(INT64_MAX, 0), AT(INT64_MAX, 1), 2);
    refused(&d, VARVE_CORRUPT, "\"w\": a piece extends beyond");
    d = begin();
    dcp_chunk(&d, AT(0, 0, 0), AT(4, 6, 1), 3);
    refused(&d, VARVE_CORRUPT, "\"w\": a piece has a different number");
    d = begin();
    dcp_chunk(&d, AT(0, 0), AT(4, 6), 2);
    dcp_part(&d, "w", AT(0, 0), 2, "__0_0.distcp", 1000, 10);
    refused(&d, VARVE_TRUNCATED, "__0_0.distcp: a value of 10 bytes");
}

TEST(dcp_tensor, refuses_pieces_of_another_type_or_shape)
{
    struct dcp d = begin();
    struct vv_buffer other =
        dcp_box(shape, AT(0, 0), AT(6, 4), 2, false);
    dcp_chunk(&d, AT(0, 0), AT(4, 6), 2);
    dcp_add(&d, "w", AT(0, 0), 2, &other);
    refused(&d, VARVE_CORRUPT, "\"w\": its type or shape differs");
    d = begin();
    dcp_piece(&d, "w", shape, AT(0, 0), AT(2, 6), 2);
    dcp_chunk(&d, AT(2, 0), AT(2, 6), 2);
    dcp_add(&d, "w", AT(2, 0), 2, &other);
    refused(&d, VARVE_CORRUPT, "\"w\": its type or shape differs");
    vv_buffer_clear(&other);
    struct vv_buffer pickle = new_bytes();
    OP(&pickle, "K\1.");
    other = new_torch(&pickle, NULL);
    d = begin();
    dcp_chunk(&d, AT(0, 0), AT(4, 6), 2);
    dcp_add(&d, "w", AT(0, 0), 2, &other);
    refused(&d, VARVE_CORRUPT, "\"w\": its file does not contain");
    vv_buffer_clear(&other);
    vv_buffer_clear(&pickle);
}

TEST(dcp_tensor, refuses_a_piece_that_is_larger_than_its_storage)
{
    struct dcp d = begin();
    struct vv_buffer pickle = new_bytes();
    put_tensor(&pickle, &(struct put){ .class = "ByteStorage", .key = "0",
        .count = 6, .rank = 2, .shape = { 2, 6 }, .strides = { 0, 1 } });
    OP(&pickle, ".");
    struct vv_buffer file = new_torch(&pickle, "0", 6, NULL);
    dcp_piece(&d, "w", shape, AT(0, 0), AT(2, 6), 2);
    dcp_chunk(&d, AT(2, 0), AT(2, 6), 2);
    dcp_add(&d, "w", AT(2, 0), 2, &file);
    refused(&d, VARVE_CORRUPT, "\"w\": a piece is larger than its");
    vv_buffer_clear(&file);
    file = new_torch(&pickle, "1", 6, NULL);
    d = begin();
    dcp_piece(&d, "w", shape, AT(0, 0), AT(2, 6), 2);
    dcp_chunk(&d, AT(2, 0), AT(2, 6), 2);
    dcp_add(&d, "w", AT(2, 0), 2, &file);
    refused(&d, VARVE_TRUNCATED,
        "\"w\": the archive has no storage \"data/0\"");
    vv_buffer_clear(&file);
    vv_buffer_clear(&pickle);
}

TEST(dcp_tensor, refuses_invalid_shapes)
{
    int64_t many[17] = { 0 };
    struct dcp d = dcp_new();
    dcp_tensor(&d, "w", "uint8", many, 17);
    refused(&d, VARVE_LIMIT, "\"w\": it has too many dimensions");
    d = dcp_new();
    dcp_tensor(&d, "w", "uint8", AT(INT64_MAX, 3), 2);
    refused(&d, VARVE_CORRUPT, "\"w\": its shape has 2^64 elements");
    d = dcp_new();
    dcp_tensor(&d, "w", "uint8", AT(-1), 1);
    refused(&d, VARVE_CORRUPT, "\"w\": its shape is not a sequence");
}

/* Rows of 1 MiB; the second one is damaged. */
TEST(dcp_tensor, reads_only_the_pieces_of_a_part)
{
    enum { ROW = 1 << 20 };
    static unsigned char bytes[ROW];
    static const int64_t rows[] = { 3, ROW };
    struct world w = world_new();
    struct dcp d = dcp_new();
    varve_error error = { 0 };
    dcp_tensor(&d, "w", "uint8", rows, 2);
    for (int64_t i = 0; i < 3; i++)
        dcp_piece(&d, "w", rows, AT(i, 0), AT(1, ROW), 2);
    dcp_end_tensor(&d);
    d.data.data[d.data.size / 2] ^= 1;
    varve_reader *r = dcp_open(&w, &d, &error);
    cr_assert(r, "%s", error.message);
    size_t id = find_node(r, "w").id;
    for (uint64_t i = 0; i < 3; i++) {
        const varve_box row = { .start = { i, 0 }, .extents = { 1, ROW } };
        varve_status status = varve_reader_read_box(
            r, id, &row, bytes, sizeof bytes, &error);
        cr_assert_eq(status, i == 1 ? VARVE_CORRUPT : VARVE_OK, "%s",
            error.message);
        for (int k = 0; k < ROW && i != 1; k++)
            cr_assert_eq(bytes[k], k % 256);
    }
    varve_reader_free(r);
    world_free(&w);
}

TEST(dcp_tensor, of_an_unsupported_type_is_an_object)
{
    struct dcp d = dcp_new();
    struct world w = world_new();
    varve_error error = { 0 };
    dcp_tensor(&d, "w", "quint8", shape, 2);
    dcp_chunk(&d, AT(0, 0), AT(2, 6), 2);
    dcp_chunk(&d, AT(2, 0), AT(2, 6), 2);
    dcp_end_tensor(&d);
    varve_reader *r = dcp_open(&w, &d, &error);
    cr_assert(r, "%s", error.message);
    varve_saved_node node = find_node(r, "w");
    cr_assert_eq(node.kind, VARVE_OBJECT);
    cr_assert_str_eq(varve_reader_tag_at(r, node.id, 0), "pickle:torch.quint8");
    varve_reader_free(r);
    world_free(&w);
}

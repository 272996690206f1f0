/* test_move.c - Tests copying values into variables, with conversion and
 * reshaping.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "box.h"
#include "bytes.h"
#include "layout.h"
#include "move.h"
#include "variable.h"

/* Writes a file with one value "x" and matches it with a program whose "x"
 * differs. */
static varve_restoration *pair_up(
    varve_tensor saved, varve_tensor wanted, varve_node **root)
{
    varve_node *writer = new_root();
    varve_add_variable(writer, "x", saved);
    write_root(writer);
    free_root(writer);
    *root = new_root();
    varve_restoration *r = read_root(*root, NULL);
    varve_error error = { 0 };
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    varve_add_variable(*root, "x", wanted);
    good(*root);
    return r;
}

/* Computes the expected result of a resize, element by element. */
static void resize_slowly(const varve_tensor *saved, const int16_t *from,
    const varve_tensor *wanted, double *to)
{
    for (uint64_t i = 0; i < varve_tensor_count(saved); i++) {
        uint64_t rest = i;
        uint64_t target = 0;
        uint64_t step = 1;
        bool inside = true;
        for (uint32_t d = saved->rank; d > 0; d--) {
            uint64_t position = rest % saved->shape[d - 1];
            rest /= saved->shape[d - 1];
            inside &= position < wanted->shape[d - 1];
            target += position * step;
            step *= wanted->shape[d - 1];
        }
        if (inside)
            to[target] = from[i];
    }
}

static void check_resize(varve_shape from_shape, varve_shape to_shape)
{
    enum { MOST = 4096 };
    static int16_t from[MOST];
    static double wanted[MOST], found[MOST];
    varve_tensor saved = varve_view(from, VARVE_INT16, from_shape);
    varve_tensor mine = varve_view(found, VARVE_FLOAT64, to_shape);
    uint64_t count = varve_tensor_count(&saved);
    cr_assert(count <= MOST && varve_tensor_count(&mine) <= MOST);
    for (int i = 0; i < MOST; i++) {
        from[i] = (int16_t)(i + 1);
        wanted[i] = found[i] = -1;
    }
    resize_slowly(&saved, from, &mine, wanted);
    varve_node *root;
    varve_restoration *r = pair_up(saved, mine, &root);
    /* Pieces of any size, as chunks may split a row anywhere. */
    for (uint64_t piece = 1; piece < count + 3; piece += 1 + piece / 3) {
        for (int i = 0; i < MOST; i++)
            found[i] = -1;
        struct vv_move move = { .node = varve_find(root, "x"),
            .mode = VV_MOVE_RESIZE, .is_boxed = true, .target = found };
        for (uint64_t at = 0; at < count; at += piece) {
            uint64_t size = piece < count - at ? piece : count - at;
            struct vv_chunk_part part = {
                .box = vv_box_whole(&saved), .first = at, .end = at + size
            };
            cr_assert_eq(
                vv_move_part(&r->delivery, &move, &part, from + at, NULL),
                VARVE_OK);
        }
        cr_assert_eq(memcmp(found, wanted, sizeof found), 0);
        cr_assert_eq(move.inexact, 0);
        cr_assert_eq(move.is_touched, count > 0);
    }
    varve_restoration_free(r);
    free_root(root);
}

TEST(move, resizes_and_casts_like_an_elementwise_copy)
{
    static const uint64_t extents[][4] = { { 5, 3, 4, 2 }, { 3, 5, 2, 4 },
        { 1, 1, 1, 1 }, { 2, 7, 1, 6 }, { 6, 2, 8, 1 } };
    begin_world();
    for (uint32_t rank = 1; rank <= 4; rank++) {
        for (size_t i = 0; i < 25; i++)
            check_resize(varve_shape_of(rank, extents[i / 5]),
                varve_shape_of(rank, extents[i % 5]));
    }
    check_resize(VARVE_SHAPE(2, 0), VARVE_SHAPE(2, 3));
    check_resize(VARVE_SHAPE(2, 3), VARVE_SHAPE(2, 0));
    check_resize(VARVE_SHAPE(1000), VARVE_SHAPE(1001));
    end_world();
}

static varve_node *resize_large(
    const float *from, varve_shape shape, varve_tensor mine)
{
    varve_node *writer = new_root();
    varve_add_variable(
        writer, "x", varve_view((void *)(uintptr_t)from, VARVE_FLOAT32, shape));
    write_root(writer);
    free_root(writer);
    varve_node *root = new_root();
    varve_add_variable(root, "x", mine);
    varve_restoration_free(read_root(root,
        &(varve_read_options){ .resize = "x", .cast = VARVE_CAST_ANY }));
    return root;
}

TEST(move, resizes_values_of_several_chunks)
{
    enum { ROWS = 700, COLUMNS = 1111, MINE = 1000 };
    begin_world();
    float *from = malloc(ROWS * COLUMNS * sizeof *from);
    double *to = malloc(ROWS * MINE * sizeof *to);
    cr_assert_gt(ROWS * COLUMNS * sizeof *from, 2 * VV_CHUNK_SIZE);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        from[i] = (float)i;
    free_root(resize_large(from, VARVE_SHAPE(ROWS, COLUMNS),
        varve_array(to, ROWS, MINE)));
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < MINE; column++)
            cr_assert_eq(to[row * MINE + column], row * COLUMNS + column);
    }
    free(from);
    free(to);
    end_world();
}

TEST(move, determines_its_mode)
{
    static const struct {
        varve_dtype saved, wanted;
        uint64_t a, b;
        bool reshape;
        enum vv_move_mode mode;
    } cases[] = {
        { VARVE_FLOAT32, VARVE_FLOAT32, 4, 4, false, VV_MOVE_PLAIN },
        { VARVE_FLOAT32, VARVE_FLOAT64, 4, 4, false, VV_MOVE_CAST },
        { VARVE_FLOAT32, VARVE_FLOAT32, 4, 6, false, VV_MOVE_RESIZE },
        { VARVE_FLOAT32, VARVE_FLOAT64, 6, 4, true, VV_MOVE_RESIZE },
        { VARVE_STRING, VARVE_STRING, 4, 4, false, VV_MOVE_STRINGS },
    };
    static varve_string memory[16];
    begin_world();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        varve_node *root;
        varve_restoration *r = pair_up(
            varve_view(memory, cases[i].saved, VARVE_SHAPE(cases[i].a)),
            varve_view(memory, cases[i].wanted, VARVE_SHAPE(cases[i].b)),
            &root);
        r->pairing.selection.options.reshape = cases[i].reshape;
        struct vv_move move =
            vv_move_of(&r->delivery, varve_find(root, "x"), 0, false);
        cr_assert_eq(move.mode, cases[i].mode, "%zu", i);
        cr_assert_eq(move.is_boxed, cases[i].mode == VV_MOVE_RESIZE);
        varve_restoration_free(r);
        free_root(root);
    }
    end_world();
}

TEST(move, counts_inexact_values_of_a_cast)
{
    double from[4] = { 1, 300, -1, 0.5 };
    uint8_t to[4] = { 9, 9, 9, 9 };
    varve_node *root;
    begin_world();
    varve_restoration *r =
        pair_up(varve_array(from, 4), varve_array(to, 4), &root);
    struct vv_move move = { .node = varve_find(root, "x"),
        .mode = VV_MOVE_CAST, .target = to };
    cr_assert_eq(
        vv_move_bytes(&r->delivery, &move, 0, from, 16, NULL), VARVE_OK);
    cr_assert_eq(
        vv_move_bytes(&r->delivery, &move, 16, from + 2, 16, NULL), VARVE_OK);
    cr_assert_eq(move.inexact, 3);
    cr_assert_eq(memcmp(to, (uint8_t[]){ 1, 255, 0, 0 }, 4), 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(move, copies_nothing_when_verifying)
{
    float from[2] = { 1, 2 }, to[2] = { 0 };
    varve_node *root;
    begin_world();
    varve_restoration *r =
        pair_up(varve_array(from, 2), varve_array(to, 2), &root);
    struct vv_move move = { .mode = VV_MOVE_VERIFY };
    cr_assert_eq(
        vv_move_bytes(&r->delivery, &move, 0, from, 8, NULL), VARVE_OK);
    cr_assert(!move.is_touched && to[0] == 0);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* The three strings of a value of 33 bytes, with other lengths. */
TEST(move, refuses_lengths_that_do_not_sum_to_the_size)
{
    static const struct {
        uint64_t lengths[3];
        bool is_good;
    } cases[] = { { { 2, 3, 4 }, true }, { { 9, 0, 0 }, true },
        { { 0, 0, 9 }, true }, { { 2, 3, 3 }, false }, { { 2, 3, 5 }, false },
        { { 10, 0, 0 }, false }, { { UINT64_MAX, 1, 9 }, false },
        { { 9, UINT64_MAX, 1 }, false }, { { 0, 0, 0 }, false },
        { { UINT64_MAX - 8, 9, 9 }, false } };
    varve_string saved[3] = { { "ab", 2 }, { "cde", 3 }, { "fghi", 4 } };
    varve_string mine[3] = { { 0 } };
    varve_node *root;
    begin_world();
    varve_restoration *r =
        pair_up(varve_array(saved, 3), varve_array(mine, 3), &root);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *block = malloc(33);
        varve_string strings[3];
        varve_error error = { 0 };
        for (int k = 0; k < 3; k++)
            vv_store64(block + 8 * k, cases[i].lengths[k]);
        memcpy(block + 24, "abcdefghi", 9);
        struct vv_move move = { .node = varve_find(root, "x"),
            .mode = VV_MOVE_STRINGS, .block = block, .target = strings };
        varve_status status = vv_move_strings(&r->delivery, &move, &error);
        cr_assert_eq(status, cases[i].is_good ? VARVE_OK : VARVE_CORRUPT,
            "%zu", i);
        if (cases[i].is_good) {
            cr_assert_eq(strings[2].size, cases[i].lengths[2]);
            cr_assert_eq(strings[2].data + strings[2].size,
                (char *)block + 33);
        }
        free(block);
    }
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* The same number of elements in another shape: copied in order if the options
 * allow it; row by row to their positions if that is set for the variable. */
TEST(move, uses_the_shape_unless_the_options_forbid_it)
{
    static const float saved[6] = { 1, 2, 3, 4, 5, 6 };
    static const float resized[6] = { 1, 2, 4, 5, 9, 9 };
    float x[6];
    begin_world();
    varve_node *root = new_root();
    memcpy(x, saved, sizeof x);
    varve_add_variable(root, "x", varve_array(x, 2, 3));
    write_root(root);
    free_root(root);
    for (int reshape = 0; reshape < 2; reshape++) {
        varve_read_options options = { .reshape = true,
            .resize = reshape ? NULL : "x" };
        for (int i = 0; i < 6; i++)
            x[i] = 9;
        root = new_root();
        varve_add_variable(root, "x", varve_array(x, 3, 2));
        varve_restoration_free(read_root(root, &options));
        cr_assert_arr_eq(x, reshape ? saved : resized, sizeof x);
        free_root(root);
    }
    end_world();
}

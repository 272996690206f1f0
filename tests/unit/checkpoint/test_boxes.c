/* test_boxes.c - Tests slices and values in pieces with every method of
 * reading: any box of any value must contain the right elements.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include "box.h"
#include "layout.h"
#include "reader.h"
#include "slice.h"
#include "support/cut_pieces.h"
#include "support/proof.h"

enum { MOST_RANK = 4, MOST_PIECES = 9, MOST_ELEMENTS = 700000 };

/* A value whose elements are their indices, and a box of it. */
struct sample {
    varve_shape shape;
    uint64_t count;
    float *values;
    varve_box box;
    uint8_t digest[16];   /* of the checkpoint, regardless of pieces */
    uint32_t piece_count; /* 1: not in pieces */
    varve_box pieces[MOST_PIECES];
};

/* --- Samples ------------------------------------------------------------ */

static varve_shape any_shape(uint64_t *state)
{
    varve_shape shape = { .rank = (uint32_t)(proof_next(state) % 5) };
    uint64_t count = 1;
    for (uint32_t i = 0; i < shape.rank; i++)
        count *= shape.extents[i] = 1 + proof_next(state) % 5;
    /* A few values have several chunks. */
    if (shape.rank > 0 && proof_next(state) % 4 == 0)
        shape.extents[proof_next(state) % shape.rank] *=
            1 + proof_next(state) % (MOST_ELEMENTS / count);
    return shape;
}

static varve_box any_box(uint64_t *state, const varve_shape *shape)
{
    varve_box box = { { 0 }, { 0 } };
    for (uint32_t i = 0; i < shape->rank; i++) {
        uint64_t extent = shape->extents[i];
        bool is_all = proof_next(state) % 3 == 0;
        box.start[i] = is_all ? 0 : proof_next(state) % extent;
        uint64_t left = extent - box.start[i];
        box.extents[i] = is_all ? left : 1 + proof_next(state) % left;
        if (proof_next(state) % 40 == 0)
            box.extents[i] = 0;
    }
    return box;
}

static int compare_boxes(const void *left, const void *right)
{
    const varve_box *a = left, *b = right;
    for (int i = 0; i < MOST_RANK; i++) {
        if (a->start[i] != b->start[i])
            return a->start[i] < b->start[i] ? -1 : 1;
    }
    return 0;
}

/* Splits a value into pieces by rows, or along any dimension. */
static void cut(struct sample *s, uint64_t *state)
{
    bool by_rows = proof_next(state) % 2;
    const varve_tensor whole = varve_view(NULL, VARVE_FLOAT32, s->shape);
    uint64_t tries = proof_next(state) % MOST_PIECES;
    s->pieces[0] = vv_box_whole(&whole);
    s->piece_count = 1;
    for (; s->shape.rank > 0 && tries > 0; tries--) {
        uint32_t d =
            by_rows ? 0 : (uint32_t)(proof_next(state) % s->shape.rank);
        varve_box *one = &s->pieces[proof_next(state) % s->piece_count];
        if (one->extents[d] < 2)
            continue;
        varve_box *other = &s->pieces[s->piece_count++];
        uint64_t kept = 1 + proof_next(state) % (one->extents[d] - 1);
        *other = *one;
        other->start[d] += kept;
        other->extents[d] -= kept;
        one->extents[d] = kept;
    }
    qsort(s->pieces, s->piece_count, sizeof *s->pieces, compare_boxes);
}

static void sum(uint8_t *digest)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_digest(reader, digest, &error), error);
    varve_reader_free(reader);
}

/* Chooses a full or incremental, compressed or uncompressed save. */
static varve_write_options any_way(uint64_t *state)
{
    uint64_t which = proof_next(state) % 6;
    bool incremental = which == 1 || which == 2;
    int compress = which == 2 || which == 3;
#ifndef VV_HAVE_ZSTD
    compress = 0;
#endif
    return (varve_write_options){ .incremental = incremental,
        .compress = compress };
}

static struct sample begin_sample(uint64_t *state)
{
    struct sample s = { .shape = any_shape(state) };
    const varve_tensor whole = varve_view(NULL, VARVE_FLOAT32, s.shape);
    s.count = varve_tensor_count(&whole);
    s.values = malloc((size_t)s.count * sizeof *s.values);
    for (uint64_t i = 0; i < s.count; i++)
        s.values[i] = (float)(i % 1000000);
    s.box = any_box(state, &s.shape);
    cut(&s, state);
    varve_node *root = new_root();
    varve_add_variable(
        root, "x", varve_view(s.values, VARVE_FLOAT32, s.shape));
    varve_error error = { 0 };
    const varve_write_options options = any_way(state);
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    free_root(root);
    sum(s.digest);
    if (s.piece_count > 1)
        cr_assert_ok(cut_into_pieces(&world.context, FILE_NAME, "x", s.pieces,
                         s.piece_count, &error),
            error);
    return s;
}

/* Returns true if these are the elements of the box, in order. */
static bool is_box(const struct sample *s, const float *found)
{
    uint64_t at[MOST_RANK] = { 0 };
    uint64_t count = 1;
    for (uint32_t i = 0; i < s->shape.rank; i++)
        count *= s->box.extents[i];
    for (uint64_t n = 0; n < count; n++) {
        uint64_t element = 0;
        for (uint32_t i = 0; i < s->shape.rank; i++)
            element = element * s->shape.extents[i] + s->box.start[i] + at[i];
        if (found[n] != s->values[element])
            return false;
        for (uint32_t i = s->shape.rank; i-- > 0;) {
            if (++at[i] < s->box.extents[i])
                break;
            at[i] = 0;
        }
    }
    return true;
}

/* --- Restoring ---------------------------------------------------------- */

static varve_read_options any_options(uint64_t *state)
{
    static const uint64_t staging[] = { 0, 1 };
    uint64_t which = proof_next(state) % 5;
    return (varve_read_options){
        .cast = VARVE_CAST_ANY,
        .passes = which == 0 ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
        .no_verify = which == 1,
        .salvage.on = which == 2,
        .resources.staging_size = staging[proof_next(state) % 2],
        .resources.threads = (unsigned)(proof_next(state) % 3),
    };
}

static bool arrived(const struct sample *s, varve_node *node)
{
    cr_assert_eq(varve_state_of(node), VARVE_RESTORED);
    if (varve_value(node)->dtype == VARVE_FLOAT32)
        return is_box(s, varve_data(node));
    if (varve_tensor_size(varve_value(node)) == 0)
        return true;
    uint64_t count = varve_tensor_count(varve_value(node));
    float *floats = malloc((size_t)count * sizeof *floats);
    const double *doubles = varve_data(node);
    for (uint64_t i = 0; i < count; i++)
        floats[i] = (float)doubles[i];
    bool same = is_box(s, floats);
    free(floats);
    return same;
}

/* Uses memory of the program or the library, added before the read or after
 * it. */
static void restore(const struct sample *s, uint64_t *state)
{
    varve_error error = { 0 };
    varve_node *root = new_root(), *node;
    varve_shape part = varve_shape_of(s->shape.rank, s->box.extents);
    varve_dtype dtype =
        proof_next(state) % 4 ? VARVE_FLOAT32 : VARVE_FLOAT64;
    varve_tensor view = varve_view(NULL, dtype, part);
    void *own = malloc((size_t)varve_tensor_size(&view) + 1);
    bool is_late = proof_next(state) % 3 == 0, is_own = proof_next(state) % 2;
    const varve_read_options options = any_options(state);
    varve_restoration *r = is_late ? read_root(root, &options) : NULL;
    view.data = own;
    node = is_own ? varve_add_slice(root, "x", view, s->shape, s->box.start)
                  : varve_add_allocated_slice(
                        root, "x", dtype, s->shape, &s->box, NULL, NULL);
    if (!is_late)
        r = read_root(root, &options);
    good(root);
    cr_assert(arrived(s, node));
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    varve_restoration_free(r);
    free_root(root);
    free(own);
}

static varve_status compare(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error)
{
    const struct sample *s = user;
    (void)error;
    cr_assert_eq(node->size, s->count * sizeof *s->values);
    cr_assert_eq(memcmp(bytes, s->values, (size_t)node->size), 0);
    return VARVE_OK;
}

static void read_all(struct sample *s)
{
    varve_error error = { 0 };
    uint8_t digest[16];
    varve_reader *reader = vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_each(reader, compare, s, 0, &error), error);
    varve_reader_free(reader);
    sum(digest);
    cr_assert_eq(memcmp(digest, s->digest, sizeof digest), 0);
}

static void read_part(const struct sample *s)
{
    varve_error error = { 0 };
    varve_saved_node node;
    varve_reader *reader =
        vv_reader_open_in(&world.context, FILE_NAME, &error);
    cr_assert(reader && varve_reader_find(reader, "x", &node), "%s",
        error.message);
    size_t size = (size_t)s->count * sizeof(float);
    float *found = malloc(size);
    cr_assert_ok(varve_reader_read_box(
                     reader, node.id, &s->box, found, size, &error),
        error);
    cr_assert(is_box(s, found));
    memset(found, 0, size);
    cr_assert_ok(
        varve_reader_read(reader, node.id, found, size, &error), error);
    cr_assert_eq(memcmp(found, s->values, size), 0);
    free(found);
    varve_reader_free(reader);
}

TEST(boxes, are_restored_from_any_value_in_any_way)
{
    uint64_t state = proof_seed();
    uint64_t cases = proof_size(200, 20000);
    for (uint64_t n = 0; n < cases; n++) {
        begin_world();
        struct sample s = begin_sample(&state);
        restore(&s, &state);
        read_part(&s);
        read_all(&s);
        free(s.values);
        end_world();
    }
    proof_count("boxes.read", cases);
}

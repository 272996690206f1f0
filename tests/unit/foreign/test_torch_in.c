/* test_torch_in.c - Tests opening torch.save files, written by
 * tests/golden/foreign/make_torch.py.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_in.h"

#include <stdio.h>

#include "support/test.h"
#include "convert.h"
#include "torch_sample.h"

/* --- Bids ----------------------------------------------------------------- */

static enum vv_probe_result bid_for(const char *path, const char *first)
{
    struct archive a = archive_new();
    archive_add(&a, (struct entry){ .name = first, .bytes = "", .size = 0 });
    struct vv_candidate candidate = { .path = path,
        .size = a.file.size,
        .head = a.file.data,
        .head_size = a.file.size };
    enum vv_probe_result result = vv_torch_format.probe(&candidate);
    archive_clear(&a);
    return result;
}

TEST(torch_in, recognizes_its_pickle_and_names)
{
    cr_assert_eq(bid_for("a", "archive/data.pkl"), VV_PROBE_SURE);
    cr_assert_eq(bid_for("a.npz", "a/data.pkl"), VV_PROBE_SURE);
    cr_assert_eq(bid_for("a.pt", "a/version"), VV_PROBE_LIKELY);
    cr_assert_eq(bid_for("a.npz", "a/version"), VV_PROBE_NONE);
    struct vv_candidate other = {
        .path = "a.pt", .head = (const unsigned char *)"\x80\2", .head_size = 2
    };
    cr_assert_eq(vv_torch_format.probe(&other), VV_PROBE_NONE);
}

/* --- Golden files --------------------------------------------------------- */

struct opened {
    struct world w;
    varve_reader *r;
};

static struct opened open_golden(const char *name)
{
    char path[500];
    size_t size;
    varve_error error = { 0 };
    snprintf(path, sizeof path, GOLDEN "/foreign/%s", name);
    char *bytes = test_read_file(path, &size);
    struct opened o = { .w = world_new() };
    memory_put(o.w.memory, name, bytes, size);
    free(bytes);
    o.r = vv_reader_open_in(&o.w.context, name, &error);
    cr_assert(o.r, "%s", error.message);
    cr_assert_eq(varve_reader_format(o.r), VARVE_FORMAT_TORCH);
    cr_assert(varve_reader_has_checksums(o.r));
    cr_assert_ok(varve_reader_verify(o.r, NULL, &error), error);
    return o;
}

static void end(struct opened *o)
{
    varve_reader_free(o->r);
    world_free(&o->w);
}

/* Sets the elements of a value as doubles. */
static size_t numbers_of(
    const struct opened *o, const char *path, double *numbers)
{
    varve_error error = { 0 };
    unsigned char bytes[600];
    varve_saved_node node = find_node(o->r, path);
    size_t count = 1, size = varve_dtype_size(node.value.dtype);
    for (uint32_t i = 0; i < node.value.rank; i++)
        count *= (size_t)node.value.shape[i];
    cr_assert_ok(
        varve_reader_read(o->r, node.id, bytes, sizeof bytes, &error), error);
    cr_assert_eq(node.size, count * size);
    vv_convert(VARVE_COMPLEX128, numbers, node.value.dtype, bytes, count);
    return count;
}

/* Asserts the real parts, and that imaginary parts are `imaginary` times
 * these. */
static void check(const struct opened *o, const char *path, size_t count,
    const double *expected, double imaginary)
{
    double found[2 * 64];
    cr_assert_eq(numbers_of(o, path, found), count, "%s", path);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(
            found[2 * i], expected[i], "%s: %zu: %g", path, i, found[2 * i]);
        cr_assert_eq(found[2 * i + 1], imaginary * expected[i], "%s", path);
    }
}

#define CHECK(o, path, ...)                                                    \
    check(o, path, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double),         \
        (double[]){ __VA_ARGS__ }, 0)

TEST(torch_in, reads_every_element_type)
{
    struct opened o = open_golden("torch_state.pt");
    for (int i = 1; i <= VARVE_DTYPE_COUNT; i++) {
        const char *name = varve_dtype_name((varve_dtype)i);
        if (i == VARVE_STRING)
            continue;
        cr_assert_eq((int)find_node(o.r, name).value.dtype, i);
        if (i == VARVE_BOOL)
            CHECK(&o, name, 0, 1, 1, 1, 1, 1);
        else
            CHECK(&o, name, 0, 1, 2, 3, 4, 5);
    }
    end(&o);
}

TEST(torch_in, reads_every_view)
{
    struct opened o = open_golden("torch_state.pt");
    CHECK(&o, "view.transposed", 0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 3, 9,
        15, 21, 4, 10, 16, 22, 5, 11, 17, 23);
    CHECK(&o, "view.slice", 6, 8, 10, 12, 14, 16);
    CHECK(&o, "view.expanded", 1, 1, 1, 2, 2, 2);
    double conjugate[4];
    cr_assert_eq(numbers_of(&o, "view.conjugate", conjugate), 2);
    cr_assert_eq(conjugate[1], -2);
    cr_assert_eq(conjugate[3], 4);
    CHECK(&o, "view.negative", -2, 4);
    CHECK(&o, "scalar", 7);
    CHECK(&o, "parameter", 1, 1);
    cr_assert_eq(find_node(o.r, "empty").size, 0);
    cr_assert_eq(find_node(o.r, "empty").value.shape[1], 3);
    cr_assert_eq(find_node(o.r, "tied.a").id, find_node(o.r, "tied.b").id);
    cr_assert_str_eq(varve_reader_tag_at(o.r, find_node(o.r, "sparse").id, 0),
        "pickle:torch._utils._rebuild_sparse_tensor");
    cr_assert_str_eq(
        varve_reader_tag_at(o.r, find_node(o.r, "quantized").id, 0),
        "pickle:torch._utils._rebuild_qtensor");
    end(&o);
}

TEST(torch_in, reads_a_training_checkpoint)
{
    struct opened o = open_golden("torch_training.pt");
    CHECK(&o, "epoch", 3);
    CHECK(&o, "best", 0.25);
    CHECK(&o, "is_done", 0);
    CHECK(&o, "losses", 0.5, 0.25);
    CHECK(&o, "steps", 1, 2, 3);
    CHECK(&o, "mixed/0", 1);
    CHECK(&o, "mixed/3/0", 3.5);
    check_value(o.r, "seed", "uint64[]", "\1\0\0\0\0\0\0\x80", 8);
    check_value(o.r, "run", "string[]", "\5\0\0\0\0\0\0\0gr\xc3\xbcn", 13);
    check_value(o.r, "1", "string[]", "\3\0\0\0\0\0\0\0one", 11);
    CHECK(&o, "options/lr", 0.1);
    CHECK(&o, "options/weights", 1, 1);
    cr_assert_str_eq(varve_reader_tag_at(o.r, find_node(o.r, "options").id, 0),
        "pickle:argparse.Namespace");
    CHECK(&o, "model/norm.weight", 20, 21, 22, 23);
    end(&o);
}

/* The groups are [first.bias, norm.weight, norm.bias, last.bias] and
 * [first.weight, last.weight]. */
TEST(torch_in, reads_moments_as_slots_of_their_parameters)
{
    static const char *const names[] = { "first.bias", "norm.weight",
        "norm.bias", "last.bias", "first.weight", "last.weight" };
    struct opened o = open_golden("torch_training.pt");
    for (int i = 0; i < 6; i++) {
        static const char *const slots[] = { "step", "exp_avg", "exp_avg_sq" };
        for (int s = 0; s < 3; s++) {
            char slot[100], kept[100];
            snprintf(slot, sizeof slot, "optimizer/%s(model/%s)", slots[s],
                names[i]);
            snprintf(kept, sizeof kept, "optimizer/state/%d/%s", i, slots[s]);
            cr_assert_eq(find_node(o.r, slot).id, find_node(o.r, kept).id);
        }
    }
    CHECK(&o, "optimizer/exp_avg_sq(model/last.bias)", 20, 21);
    end(&o);
}

/* A program with the same model, which has the moments as slots. */
TEST(torch_in, restores_a_program)
{
    float weight[4][3] = { { 0 } }, bias[2] = { 0 }, moment[4][3] = { { 0 } };
    float second[2] = { 0 };
    int64_t epoch = 0;
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *model = varve_add_object(root, "model");
    varve_node *optimizer = varve_add_object(root, "optimizer");
    varve_add_variable(root, "epoch", varve_scalar(&epoch));
    varve_node *w =
        varve_add_variable(model, "first.weight", varve_array(*weight, 4, 3));
    varve_node *b =
        varve_add_variable(model, "last.bias", varve_array(bias, 2));
    varve_add_slot(optimizer, w, "exp_avg", varve_array(*moment, 4, 3));
    varve_add_slot(optimizer, b, "exp_avg_sq", varve_array(second, 2));
    varve_restoration *r =
        varve_read(root, GOLDEN "/foreign/torch_training.pt", NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    cr_assert_eq(epoch, 3);
    cr_assert_eq(weight[3][2], 11);
    cr_assert_eq(bias[1], 81);
    cr_assert_eq(moment[3][2], 21);
    cr_assert_eq(second[1], 21);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(torch_in, reads_a_module_as_a_graph)
{
    struct opened o = open_golden("torch_module.pt");
    cr_assert_eq(find_node(o.r, "0/weight").value.shape[1], 2);
    CHECK(&o, "1/running_var", 1);
    cr_assert_str_eq(varve_reader_tag_at(o.r, find_node(o.r, "1").id, 0),
        "pickle:torch.nn.modules.batchnorm.BatchNorm1d");
    end(&o);
}

TEST(torch_in, reads_big_endian_files_and_new_protocols)
{
    static const char *const names[] = { "torch_big.pt", "torch_new.pt" };
    for (int i = 0; i < 2; i++) {
        struct opened o = open_golden(names[i]);
        CHECK(&o, "f32", 0, 1, 2);
        CHECK(&o, "i16", 0, 1, 2);
        CHECK(&o, "u8", 0, 1, 2);
        check(&o, "c64", 1, (double[]){ 1 }, 2);
        end(&o);
    }
}

/* After any truncation, and any changed byte of the pickle, either an error is
 * reported or the values are unchanged. */
TEST(torch_in, handles_damage)
{
    size_t size;
    char *bytes = test_read_file(GOLDEN "/foreign/torch_training.pt", &size);
    for (size_t i = 0; i < size; i += 7) {
        struct world w = world_new();
        varve_error error = { 0 };
        memory_put(w.memory, "a.pt", bytes, i);
        varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
        cr_assert_null(r, "%zu", i);
        bytes[i] ^= 0x21;
        memory_put(w.memory, "a.pt", bytes, size);
        r = vv_reader_open_in(&w.context, "a.pt", &error);
        bytes[i] ^= 0x21;
        varve_reader_free(r);
        world_free(&w);
    }
    free(bytes);
}

/* The checksum of the pickle is 0, as written after set_crc32_options(False),
 * so that each changed byte reaches the pickle machine. */
TEST(torch_in, handles_any_change_of_a_pickle_without_a_checksum)
{
    size_t size, opened = 0;
    char *bytes = test_read_file(GOLDEN "/foreign/torch_new.pt", &size);
    size_t begin = 64, end_at = 64;
    while (end_at < size && memcmp(bytes + end_at, "PK", 2) != 0)
        end_at++;
    for (size_t i = begin; i < end_at; i++) {
        for (int change = 1; change < 256; change += 13) {
            struct world w = world_new();
            varve_error error = { 0 };
            bytes[i] = (char)(bytes[i] ^ change);
            memory_put(w.memory, "a.pt", bytes, size);
            bytes[i] = (char)(bytes[i] ^ change);
            varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
            opened += r != NULL;
            cr_assert(r || error.message[0]);
            cr_assert(!r || !varve_reader_verify(r, NULL, &error) ||
                      error.message[0]);
            varve_reader_free(r);
            world_free(&w);
        }
    }
    cr_assert_gt(opened, 100);
    free(bytes);
}

TEST(torch_in, reports_failed_allocations)
{
    size_t size;
    char *file = test_read_file(GOLDEN "/foreign/torch_module.pt", &size);
    struct vv_buffer b = new_bytes();
    vv_buffer_add(&b, file, size);
    check_without_memory("a.pt", &b);
    vv_buffer_clear(&b);
    free(file);
}

/* As PyTorch before 2.6 wrote it: three parameters have the shape [4], and the
 * file does not contain their names. */
TEST(torch_in, keeps_moments_by_index_if_names_are_missing)
{
    const char *path, *what;
    varve_saved_node node;
    struct opened o = open_golden("torch_unnamed.pt");
    cr_assert_not(
        varve_reader_find(o.r, "optimizer/exp_avg(model/norm.bias)", &node));
    cr_assert(varve_reader_find(o.r, "optimizer/state/0/exp_avg", &node));
    cr_assert(varve_reader_left_out_at(o.r, 0, &path, &what));
    cr_assert_str_eq(path, "optimizer");
    cr_assert(strstr(what, "several variables of [4]"), "%s", what);
    end(&o);
}

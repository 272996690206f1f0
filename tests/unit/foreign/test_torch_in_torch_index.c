/* test_torch_in_torch_index.c - Tests torch models in several files with an
 * index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_in.h"
#include "torch_sample.h"

#define INDEX "d/pytorch_model.bin.index.json"

/* Files of torch.save, an archive and a legacy file. */
static struct world golden_world(void)
{
    struct world w = world_new();
    put_golden(&w, "torch_shards", "pytorch_model.bin.index.json");
    put_golden(&w, "torch_shards", "pytorch_model-00001-of-00002.bin");
    put_golden(&w, "torch_shards", "pytorch_model-00002-of-00002.bin");
    return w;
}

TEST(torch_index, reads_each_tensor_from_its_file)
{
    static const char *const names[] = { INDEX, "d", "d/pytorch_model.bin" };
    struct world w = golden_world();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_error error = { 0 };
        varve_reader *r = vv_reader_open_in(&w.context, names[i], &error);
        cr_assert(r, "%s", error.message);
        cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_TORCH);
        float six[] = { 0, 1, 2, 3, 4, 5 };
        check_value(r, "a.weight", "float32[2,3]", six, sizeof six);
        check_value(r, "c.bias", "int16[4]", (int16_t[]){ 0, 1, 2, 3 }, 8);
        cr_assert_eq(find_node(r, "b.weight").id, find_node(r, "a.weight").id);
        cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
        varve_reader_free(r);
    }
    world_free(&w);
}

/* The part opens as a checkpoint, and reports that it is incomplete. */
TEST(torch_index, is_missing_for_a_part_opened_alone)
{
    const char *path, *what;
    varve_error error = { 0 };
    struct world w = golden_world();
    varve_reader *r = vv_reader_open_in(
        &w.context, "d/pytorch_model-00002-of-00002.bin", &error);
    cr_assert(r, "%s", error.message);
    cr_assert(varve_reader_left_out_at(r, 0, &path, &what));
    cr_assert_str_eq(path, "");
    cr_assert(strstr(what, "part 2 of 2"), "%s", what);
    varve_reader_free(r);
    r = vv_reader_open_in(&w.context, INDEX, &error);
    cr_assert_not(varve_reader_left_out_at(r, 0, &path, &what));
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_index, leaks_nothing_without_memory)
{
    struct world w = golden_world();
    check_opening_without_memory(&w, INDEX);
    world_free(&w);
}

/* Checks an index with this map beside "one.bin", with tensors a and b, and
 * "two.bin" with the content `other`. */
static void check(const char *map, const char *other, size_t other_size,
    varve_status status, const char *says)
{
    struct world w = world_new();
    varve_error error = { 0 };
    char index[300];
    struct vv_buffer b = new_bytes(), c = new_bytes();
    OP(&b, "}(");
    put_text(&b, "b");
    put_floats(&b, "0", 1);
    put_text(&b, "a");
    put_floats(&b, "1", 1);
    OP(&b, "u.");
    vv_buffer_add(&c, other, other_size);
    struct vv_buffer one = new_torch(&b, "0", 4, "1", 4, NULL);
    struct vv_buffer two = new_torch(&c, NULL);
    snprintf(index, sizeof index, "{\"weight_map\": {%s}}", map);
    memory_put(w.memory, INDEX, index, strlen(index));
    memory_put(w.memory, "d/one.bin", one.data, one.size);
    memory_put(w.memory, "d/two.bin", two.data, two.size);
    varve_reader *r = vv_reader_open_in(&w.context, INDEX, &error);
    cr_assert_eq(error.status, status, "%s: %s", map, error.message);
    cr_assert_eq(!r, status != VARVE_OK);
    if (says)
        cr_assert(strstr(error.message, says), "%s", error.message);
    varve_reader_free(r);
    vv_buffer_clear(&one);
    vv_buffer_clear(&two);
    vv_buffer_clear(&b);
    vv_buffer_clear(&c);
    world_free(&w);
}

#define BOTH "\"a\": \"one.bin\", \"b\": \"one.bin\""

TEST(torch_index, refuses_maps_that_differ_from_the_files)
{
    check(BOTH, "}.", 2, VARVE_OK, NULL);
    check("", "}.", 2, VARVE_OK, NULL);
    check("\"\\u0061\": \"one.bin\", \"b\": \"one.b\\u0069n\"", "}.", 2,
        VARVE_OK, NULL);
    check("\"a\": \"one.bin\"", "}.", 2, VARVE_OK, NULL);
    check(BOTH ", \"c\": \"one.bin\"", "}.", 2, VARVE_CORRUPT,
        INDEX ": weight_map: the tensor \"c\" is missing in d/one.bin");
    check(BOTH ", \"c\": \"three.bin\"", "}.", 2, VARVE_NOT_FOUND,
        "the file \"three.bin\" is missing in the directory of the index");
    check("\"a\": \"../d/one.bin\"", "}.", 2, VARVE_CORRUPT,
        "is not the name of a file in the directory of the index");
}

TEST(torch_index, refuses_files_that_are_not_dicts)
{
    static const char pickles[][6] = { "].", "N.", "}K\1Ns." };
    for (size_t i = 0; i < sizeof pickles / sizeof *pickles; i++)
        check(BOTH ", \"c\": \"two.bin\"", pickles[i], sizeof pickles[i],
            VARVE_CORRUPT, "d/two.bin: the file is not a dict");
}

TEST(torch_index, is_recognized_by_its_name)
{
    struct vv_candidate c = {
        .path = INDEX, .head = (const unsigned char *)"{}", .head_size = 2
    };
    cr_assert_eq(vv_torch_index_format.probe(&c), VV_PROBE_SURE);
    c.head = (const unsigned char *)"PK";
    cr_assert_eq(vv_torch_index_format.probe(&c), VV_PROBE_NAME);
    c.path = "d/model.index.json";
    cr_assert_eq(vv_torch_index_format.probe(&c), VV_PROBE_NONE);
}

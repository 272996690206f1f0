/* test_torch_tar.c - Tests tar archives of torch.save before torch 0.1.10,
 * built here or by tests/golden/foreign/make_torch_tar.py.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "torch_tar.h"
#include "torch_tar_sample.h"

static void check_wrong(
    struct tar_parts parts, varve_status status, const char *says)
{
    struct vv_buffer b = tar_of_parts(&parts);
    check_refused("a.pt", &b, status, says);
    vv_buffer_clear(&b);
}

TEST(torch_tar, reads_the_tables_of_its_members)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct tar_parts p = tar_sample_parts();
    struct vv_buffer b = tar_of_parts(&p);
    varve_reader *r = open_bytes(&w, "a", &b, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_TORCH);
    check_value(r, "w", "float16[2]", "\3\4\5\6", 4);
    cr_assert_eq(error.status, VARVE_OK);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(torch_tar, is_read_like_torch)
{
    struct world w = world_new();
    size_t size;
    varve_error error = { 0 };
    static const char *const types[] = { "float32", "float64", "float16",
        "int8", "int16", "int32", "int64", "uint8" };
    static const varve_dtype dtypes[] = { VARVE_FLOAT32, VARVE_FLOAT64,
        VARVE_FLOAT16, VARVE_INT8, VARVE_INT16, VARVE_INT32, VARVE_INT64,
        VARVE_UINT8 };
    char *bytes = test_read_file(GOLDEN "/foreign/torch_tar.pt", &size);
    memory_put(w.memory, "a.pth", bytes, size);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pth", &error);
    cr_assert(r, "%s", error.message);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char path[40];
        snprintf(path, sizeof path, "types/%s", types[i]);
        check_count(r, path, dtypes[i]);
    }
    static const float slice[] = { 6, 8, 10, 12, 14, 16 };
    static const float view[] = { 6, 7, 8, 9 }, weight[] = { 1, 2 };
    check_value(r, "slice", "float32[2,3]", slice, sizeof slice);
    check_value(r, "view", "float32[4]", view, sizeof view);
    check_value(r, "model/0/weight", "float32[1,2]", weight, sizeof weight);
    cr_assert_eq(find_node(r, "tied/a").id, find_node(r, "tied/b").id);
    cr_assert_str_eq(varve_reader_tag_at(r, find_node(r, "model").id, 0),
        "pickle:torch.nn.modules.container.Sequential");
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    free(bytes);
    world_free(&w);
}

/* Python 2 writes texts as bytes, and integers of more than 32 bits in
 * decimal. */
TEST(torch_tar, is_read_if_written_by_python_2)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct tar_parts p = tar_parts_new();
    OP(&p.pickle, "\x80\2U\x0f" "140000000000016Q.");
    OP(&p.tensors, "\x80\2K\x01.");
    OP(&p.tensors, "\x80\2I140000000000016\nI140000000000000\n"
        "ctorch.cuda\nHalfTensor\n\x87.");
    vv_buffer_add64(&p.tensors, 1);
    vv_buffer_add64(&p.tensors, 2);
    vv_buffer_add64(&p.tensors, 1);
    vv_buffer_add64(&p.tensors, 1);
    OP(&p.storages, "\x80\2K\x01.");
    OP(&p.storages, "\x80\2I140000000000000\nU\x06" "cuda:0ctorch\n"
        "HalfStorage\n\x87.");
    vv_buffer_add64(&p.storages, 3);
    OP(&p.storages, "\1\2\3\4\5\6");
    OP(&p.storages, "\x80\2].");
    struct vv_buffer b = tar_of_parts(&p);
    varve_reader *r = open_bytes(&w, "a", &b, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "value", "float16[2]", "\3\4\5\6", 4);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(torch_tar, has_tensors_without_elements)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct tar_parts p = tar_parts_new();
    OP(&p.pickle, "\x80\2](");
    put_id(&p.pickle, "1");
    put_id(&p.pickle, "2");
    put_id(&p.pickle, "3");
    put_id(&p.pickle, "4");
    OP(&p.pickle, "e.");
    put_count(&p.tensors, 4);
    put_tar_tensor(&p.tensors, 1, -1, "LongTensor", &(struct put){ 0 });
    put_tar_tensor(&p.tensors, 2, -1, "LongTensor", &(struct put){ 0 });
    put_tar_tensor(&p.tensors, 3, 7, "HalfTensor", &(struct put){ 0 });
    put_tar_tensor(&p.tensors, 4, 8, "HalfTensor", &(struct put){ 0 });
    put_count(&p.storages, 2);
    put_tar_storage(&p.storages, 7, "HalfStorage", 0, 0);
    put_tar_storage(&p.storages, 8, "HalfStorage", 1, 2);
    put_tar_views(&p.storages, NULL, 0);
    struct vv_buffer b = tar_of_parts(&p);
    varve_reader *r = open_bytes(&w, "a", &b, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "0", "int64[0]", "", 0);
    check_value(r, "1", "int64[0]", "", 0);
    check_value(r, "2", "float16[0]", "", 0);
    check_value(r, "3", "float16[]", "\1\2", 2);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(torch_tar, has_parts_of_storages)
{
    struct world w = world_new();
    varve_error error = { 0 };
    struct tar_parts p = tar_parts_new();
    OP(&p.pickle, "\x80\2");
    put_id(&p.pickle, "5");
    OP(&p.pickle, ".");
    put_count(&p.tensors, 1);
    put_tar_tensor(&p.tensors, 5, 9, "HalfTensor", &(struct put){
        .rank = 1, .shape = { 2 }, .strides = { 1 } });
    put_count(&p.storages, 1);
    put_tar_storage(&p.storages, 7, "HalfStorage", 4, 8);
    static const int64_t parts[] = { 8, 7, 1, 3, 9, 8, 1, 2 };
    put_tar_views(&p.storages, parts, 2);
    struct vv_buffer b = tar_of_parts(&p);
    varve_reader *r = open_bytes(&w, "a", &b, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "value", "float16[2]", "\5\6\7\x08", 4);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

/* As in files with many or large tensors. */
TEST(torch_tar, can_have_members_larger_than_a_window)
{
    enum { COUNT = 1000 };
    struct world w = world_new();
    varve_error error = { 0 };
    struct tar_parts p = tar_parts_new();
    OP(&p.pickle, "\x80\2](");
    put_count(&p.tensors, COUNT);
    put_count(&p.storages, COUNT);
    for (int64_t i = 1; i <= COUNT; i++) {
        char key[20];
        snprintf(key, sizeof key, "%d", (int)i);
        put_id(&p.pickle, key);
        put_tar_tensor(&p.tensors, i, i, "ByteTensor", &(struct put){
            .rank = 1, .shape = { i }, .strides = { 1 } });
        put_tar_storage(&p.storages, i, "ByteStorage", (uint64_t)i, (size_t)i);
    }
    OP(&p.pickle, "e.");
    int64_t parts[4 * COUNT];
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t part[] = { COUNT + 1 + i, i + 1, 0, 1 };
        memcpy(parts + 4 * i, part, sizeof part);
    }
    put_tar_views(&p.storages, parts, COUNT);
    struct vv_buffer b = tar_of_parts(&p);
    varve_reader *r = open_bytes(&w, "a", &b, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "2", "uint8[3]", "\1\2\3", 3);
    cr_assert_eq(find_node(r, "999").size, COUNT);
    cr_assert_eq(error.status, VARVE_OK);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}

TEST(torch_tar, refuses_every_truncation)
{
    struct tar_parts p = tar_sample_parts();
    struct vv_buffer b = tar_of_parts(&p);
    size_t end = b.size - 3 * TAR_BLOCK; /* the last member is a block */
    for (size_t size = 1; size < end; size++) {
        struct world w = world_new();
        varve_error error = { 0 };
        memory_put(w.memory, "a.pt", b.data, size);
        cr_assert_null(vv_reader_open_in(&w.context, "a.pt", &error), "%zu",
            size);
        cr_assert(size < 3 * TAR_BLOCK || error.status == VARVE_TRUNCATED ||
                error.status == VARVE_NOT_A_CHECKPOINT,
            "%zu: %s", size, error.message);
        world_free(&w);
    }
    vv_buffer_clear(&b);
}

TEST(torch_tar, requires_all_of_its_members)
{
    static const char *const names[] = { "pickle", "tensors", "storages" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char says[60];
        struct tar_parts p = tar_sample_parts();
        p.without = names[i];
        snprintf(says, sizeof says, "does not contain \"%s\"", names[i]);
        check_wrong(p, VARVE_NOT_A_CHECKPOINT, says);
    }
    struct tar_parts p = tar_sample_parts();
    p.is_big_endian = true;
    check_wrong(p, VARVE_TOO_NEW, "on a big-endian machine");
}

/* Replaces a member of the sample. */
static struct tar_parts with_storages(struct vv_buffer storages)
{
    struct tar_parts p = tar_sample_parts();
    vv_buffer_clear(&p.storages);
    p.storages = storages;
    return p;
}

static struct tar_parts with_tensors(struct vv_buffer tensors)
{
    struct tar_parts p = tar_sample_parts();
    vv_buffer_clear(&p.tensors);
    p.tensors = tensors;
    return p;
}

/* Returns the storage 7 followed by `parts` instead of the list of parts. */
static struct vv_buffer storages_and(const int64_t *parts, size_t count)
{
    struct vv_buffer b = new_bytes();
    put_count(&b, 1);
    put_tar_storage(&b, 7, "HalfStorage", 4, 8);
    put_tar_views(&b, parts, count);
    return b;
}

TEST(torch_tar, refuses_wrong_storages)
{
    struct vv_buffer b = new_bytes();
    put_count(&b, -1);
    check_wrong(with_storages(b), VARVE_CORRUPT, "number of items is invalid");
    b = new_bytes();
    OP(&b, "\x80\2N.");
    check_wrong(with_storages(b), VARVE_CORRUPT, "number of items is invalid");
    b = new_bytes();
    put_count(&b, 2);
    put_tar_storage(&b, 7, "HalfStorage", 4, 8);
    check_wrong(with_storages(b), VARVE_TRUNCATED,
        "a.pt: \"storages\" ends before its last item");
    b = new_bytes();
    put_count(&b, 1);
    put_tar_storage(&b, -7, "HalfStorage", 4, 8);
    check_wrong(with_storages(b), VARVE_CORRUPT, "key of a storage is invalid");
    static const char *const classes[] = { "OddStorage", "uint16" };
    for (size_t i = 0; i < 2; i++) {
        b = new_bytes();
        put_count(&b, 1);
        put_tar_storage(&b, 7, classes[i], 4, 8);
        check_wrong(with_storages(b), VARVE_TOO_NEW,
            "a.pt: \"storages\": the class of the storage 7 is unknown");
    }
    static const uint64_t counts[] = { 5, UINT64_MAX, UINT64_MAX / 2 + 5 };
    for (size_t i = 0; i < 3; i++) {
        b = new_bytes();
        put_count(&b, 1);
        put_tar_storage(&b, 7, "HalfStorage", counts[i], 8);
        check_wrong(with_storages(b), VARVE_TRUNCATED,
            "but the member ends after 8 bytes");
    }
    b = new_bytes();
    put_count(&b, 1);
    put_tar_storage(&b, 7, "HalfStorage", 4, 8);
    b.size -= 12;
    check_wrong(with_storages(b), VARVE_TRUNCATED, "4 bytes more at byte");
    b = new_bytes();
    put_count(&b, 2);
    put_tar_storage(&b, 7, "HalfStorage", 4, 8);
    put_tar_storage(&b, 7, "HalfStorage", 4, 8);
    check_wrong(with_storages(b), VARVE_CORRUPT,
        "the storage 7 is in the file twice");
}

TEST(torch_tar, refuses_wrong_parts_of_storages)
{
    static const int64_t wrong[][4] = { { 8, 7, 5, 0 }, { 8, 7, 1, 4 },
        { 8, 6, 0, 1 }, { 8, 7, 4, INT64_MAX } };
    for (size_t i = 0; i < 4; i++)
        check_wrong(with_storages(storages_and(wrong[i], 1)), VARVE_CORRUPT,
            "the storage 8 is not inside the storage");
    static const int64_t negative[] = { 8, 7, 0, -1 };
    check_wrong(with_storages(storages_and(negative, 1)), VARVE_CORRUPT,
        "a part of a storage is invalid");
    static const int64_t twice[] = { 7, 7, 0, 1 };
    check_wrong(with_storages(storages_and(twice, 1)), VARVE_CORRUPT,
        "the storage 7 is in the file twice");
    struct vv_buffer b = new_bytes();
    put_count(&b, 1);
    put_tar_storage(&b, 7, "HalfStorage", 4, 8);
    put_count(&b, 1);
    check_wrong(with_storages(b), VARVE_CORRUPT, "list of parts is missing");
}

TEST(torch_tar, refuses_wrong_tensors)
{
    static const struct put t = { .rank = 1, .shape = { 2 },
        .strides = { 1 } };
    struct vv_buffer b = new_bytes();
    put_count(&b, 1);
    put_tar_tensor(&b, -5, 7, "HalfTensor", &t);
    check_wrong(with_tensors(b), VARVE_CORRUPT, "key of a tensor is invalid");
    b = new_bytes();
    put_count(&b, 2);
    put_tar_tensor(&b, 5, 7, "HalfTensor", &t);
    put_tar_tensor(&b, 5, 7, "HalfTensor", &t);
    check_wrong(with_tensors(b), VARVE_CORRUPT, "a tensor is in the file "
        "twice");
    b = new_bytes();
    put_count(&b, 1);
    put_tar_tensor(&b, 5, 8, "HalfTensor", &t);
    check_wrong(with_tensors(b), VARVE_CORRUPT,
        "a tensor has the storage 8, which is not in the file");
    static const char *const classes[] = { "OddTensor", "HalfStorage", "" };
    for (size_t i = 0; i < 3; i++) {
        b = new_bytes();
        put_count(&b, 1);
        put_tar_tensor(&b, 5, -1, classes[i], &t);
        check_wrong(with_tensors(b), VARVE_CORRUPT,
            "the class of a tensor is unknown");
    }
    b = new_bytes();
    put_count(&b, 1);
    put_tar_tensor(&b, 5, 7, "HalfTensor", &t);
    b.size -= 1;
    check_wrong(with_tensors(b), VARVE_TRUNCATED, "7 bytes more at byte");
    b = new_bytes();
    put_count(&b, 1);
    put_tar_tensor(&b, 5, 7, "HalfTensor", &t);
    vv_store32(b.data + b.size - 32, UINT32_MAX);
    check_wrong(with_tensors(b), VARVE_CORRUPT, "too many dimensions");
    b = new_bytes();
    put_count(&b, 1);
    put_tar_tensor(&b, 5, 7, "HalfTensor", &(struct put){ .offset = 3,
        .rank = 1, .shape = { 2 }, .strides = { 1 } });
    check_wrong(with_tensors(b), VARVE_CORRUPT,
        "a.pt: w: the tensor extends beyond its storage");
    b = new_bytes();
    put_count(&b, 1);
    put_tar_tensor(&b, 5, 7, "HalfTensor", &(struct put){
        .rank = 1, .shape = { -2 }, .strides = { 1 } });
    check_wrong(with_tensors(b), VARVE_CORRUPT,
        "a.pt: w: the tensor has no shape of integers");
}

TEST(torch_tar, reports_failed_allocations)
{
    struct tar_parts p = tar_sample_parts();
    struct vv_buffer b = tar_of_parts(&p);
    check_without_memory("a.pt", &b);
    vv_buffer_clear(&b);
}

/* test_npy_kept.c - Tests types that are kept for writing NumPy arrays again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_kept.h"

#include "support/test.h"
#include "arrays.h"
#include "structure.h"
#include "targets.h"

/* Returns an array as NumPy writes it, with `size` bytes of data. */
static struct vv_buffer array_of(
    unsigned version, const char *dictionary, const char *data, size_t size)
{
    struct vv_buffer all = new_bytes();
    size_t before = version == 1 ? 10 : 12, text = strlen(dictionary);
    size_t header = (before + text + 1 + 63) / 64 * 64;
    vv_buffer_add(&all, "\x93NUMPY", 6);
    vv_buffer_add8(&all, (uint8_t)version);
    vv_buffer_add8(&all, 0);
    vv_buffer_add8(&all, (uint8_t)(header - before));
    vv_buffer_add8(&all, (uint8_t)((header - before) >> 8));
    for (size_t i = 10; i < before; i++)
        vv_buffer_add8(&all, 0);
    vv_buffer_add_string(&all, dictionary);
    while (all.size < header - 1)
        vv_buffer_add8(&all, ' ');
    vv_buffer_add8(&all, '\n');
    vv_buffer_add(&all, data, size);
    return all;
}

static void write_again(struct world *w, const char *from, const char *to,
    varve_format format, struct losses *reported)
{
    varve_error error = { 0 };
    varve_write_options options = { .format = format,
        .foreign = { .loss = add_loss, .loss_user = reported } };
    varve_graph *graph = vv_graph_from_in(&w->context, from, NULL, &error);
    cr_assert(graph, "%s", error.message);
    cr_assert_ok(
        varve_write(varve_graph_root(graph), to, &options, &error), error);
    varve_graph_free(graph);
}

static void check(
    unsigned version, const char *dictionary, const char *data, size_t size)
{
    struct world w = world_new();
    struct losses reported = { "" };
    size_t found;
    struct vv_buffer array = array_of(version, dictionary, data, size);
    memory_put(w.memory, "a.npy", array.data, array.size);
    write_again(&w, "a.npy", "b.npz", VARVE_FORMAT_NPZ, &reported);
    write_again(&w, "b.npz", "c.npy", VARVE_FORMAT_NPY, &reported);
    cr_assert_str_empty(reported.text);
    unsigned char *bytes = memory_bytes(w.memory, "c.npy", &found);
    cr_assert_eq(found, array.size, "%.*s", (int)found, (char *)bytes);
    cr_assert_eq(memcmp(bytes, array.data, found), 0, "%.*s", (int)found,
        (char *)bytes);
    vv_buffer_clear(&array);
    world_free(&w);
}

TEST(npy_kept, is_written_back_byte_for_byte)
{
    check(1, "{'descr': '<M8[D]', 'fortran_order': False, 'shape': (1,), }",
        "12345678", 8);
    check(1, "{'descr': '>m8[25us]', 'fortran_order': True, 'shape': (1, 2), }",
        "1234567812345678", 16);
    check(1, "{'descr': '|V3', 'fortran_order': False, 'shape': (), }", "abc",
        3);
    check(1, "{'descr': [('a', '<i4'), ('b', '>f8', (2,))], 'fortran_order': "
        "False, 'shape': (1,), }", "12345678123456781234", 20);
    check(3, "{'descr': [('\xe6\xbc\xa2', '<i2')], 'fortran_order': False, "
        "'shape': (2,), }", "1234", 4);
}

TEST(npy_kept, is_lost_in_other_formats)
{
    struct world w = world_new();
    struct losses reported = { "" };
    struct vv_buffer array = array_of(1, "{'descr': '|V3', 'fortran_order': "
        "False, 'shape': (), }", "abc", 3);
    memory_put(w.memory, "a.npy", array.data, array.size);
    write_again(
        &w, "a.npy", "b.safetensors", VARVE_FORMAT_SAFETENSORS, &reported);
    cr_assert(strstr(reported.text, "arr_0: the bytes of a state\n"), "%s",
        reported.text);
    vv_buffer_clear(&array);
    world_free(&w);
}

/* Adds an array to a draft; what came of it is in `in`. */
static varve_status add_one(const struct vv_npy_header *h,
    const struct vv_npy_item *item, struct vv_opened *in,
    varve_error *error)
{
    struct vv_context context = { .allocator = *test_allocator() };
    struct vv_draft draft;
    struct vv_place *places = NULL;
    size_t count = 0;
    cr_assert_ok(vv_opened_begin(in, &context, "x", error), *error);
    vv_draft_begin(&draft, &context, "x");
    vv_npy_add(&draft, h, item);
    varve_status status = vv_draft_end(&draft, in, &places, &count, error);
    vv_draft_clear(&draft);
    if (!status) {
        cr_assert_eq(count, 1);
        cr_assert_eq(places[0].offset, item->place.offset);
        const struct vv_index *index = &in->parsed.index;
        cr_assert_eq(index->value_count, 1);
        cr_assert_eq(vv_index_kind(index, 1),
            h->kind == VV_NPY_OPAQUE ? VARVE_STATE : VARVE_VARIABLE);
        cr_assert_eq(index->tag_count, h->kind == VV_NPY_OPAQUE);
        cr_assert_eq(vv_at64(index->value_sizes, 0), 12);
    }
    vv_release(test_allocator(), places, count * sizeof *places);
    vv_opened_close(in);
    return status;
}

static const struct vv_npy_item item = {
    .name = "a", .name_size = 1, .place = { .offset = 70 }
};

TEST(npy_draft, adds_a_variable_or_a_tagged_state)
{
    struct vv_opened in;
    varve_error error = { 0 };
    struct vv_npy_header h = {
        .kind = VV_NPY_NUMBERS, .count = 3, .item_size = 4, .size = 12,
        .type = { .dtype = VARVE_FLOAT32, .rank = 1, .shape = { 3 } },
        .descr = "V4", .descr_size = 2,
    };
    cr_assert_ok(add_one(&h, &item, &in, &error), error);
    h.kind = VV_NPY_OPAQUE;
    cr_assert_ok(add_one(&h, &item, &in, &error), error);
}

TEST(npy_draft, reports_failed_allocations)
{
    varve_status status = VARVE_NO_MEMORY;
    struct vv_npy_header h = { .kind = VV_NPY_OPAQUE, .size = 12,
        .descr = "V4", .descr_size = 2 };
    for (long n = 1; status; n++) { /* 0 is the path, which the test needs */
        struct vv_opened in;
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = add_one(&h, &item, &in, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert(n < 200);
    }
}

/* test_npy_kept.c - Tests types that are kept for writing NumPy arrays again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_kept.h"

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

TEST(npy_kept, is_written_again_byte_for_byte)
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

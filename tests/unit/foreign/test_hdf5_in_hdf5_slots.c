/* test_hdf5_in_hdf5_slots.c - Tests slots in HDF5 files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_in.h"

#include "hdf5_sample.h"
#include "targets.h"

#ifdef VV_HAVE_HDF5

static float numbers[2] = { 7, 8 };

static void build(varve_node *root)
{
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_variable(a, "b", varve_array(numbers, 2));
    varve_node *owner = varve_add_object(root, "owner");
    varve_add_slot(owner, b, "m", varve_array(COPY_OF(numbers), 2));
}

/* Builds a group with the name of a slot that leads to no variable. */
static void build_other(varve_node *root)
{
    varve_node *owner = varve_add_object(root, "owner");
    varve_node *slots = varve_add_object(owner, "+slots");
    varve_node *m = varve_add_object(slots, "m");
    varve_add_variable(m, "nothing", varve_array(numbers, 2));
}

static varve_reader *write_and_open(
    struct world *w, void (*build_it)(varve_node *root))
{
    varve_error error = { 0 };
    use_module();
    cr_assert_ok(write_graph(
        w, "a.h5", VARVE_FORMAT_HDF5, build_it, NULL, &error), error);
    varve_reader *r = vv_reader_open_in(&w->context, "a.h5", &error);
    cr_assert(r, "%s", error.message);
    return r;
}

TEST(hdf5_slots, are_read_from_groups)
{
    struct world w = world_new();
    varve_saved_node node;
    varve_reader *r = write_and_open(&w, build);
    check_value(r, "owner/m(a/b)", "float32[2]", numbers, 8);
    cr_assert(varve_reader_find(r, "owner", &node));
    cr_assert_eq(node.edge_count, 0);
    varve_reader_free(r);
    world_free(&w);
}

/* The writer never uses such a group name, so the bytes of the name are
 * patched. */
TEST(hdf5_slots, remain_groups_if_they_match_no_variable)
{
    struct world w = world_new();
    varve_error error = { 0 };
    use_module();
    cr_assert_ok(write_graph(
        &w, "a.h5", VARVE_FORMAT_HDF5, build_other, NULL, &error), error);
    struct vv_buffer bytes = new_bytes();
    size_t size, found = 0;
    const unsigned char *written = memory_bytes(w.memory, "a.h5", &size);
    vv_buffer_add(&bytes, written, size);
    for (size_t i = 0; i + 6 < size; i++) {
        if (memcmp(bytes.data + i, "+slots", 6) == 0 && ++found)
            bytes.data[i] = '@';
    }
    cr_assert_eq(found, 1);
    varve_reader *r = open_bytes(&w, "b.h5", &bytes, &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "owner/@slots/m/nothing", "float32[2]", numbers, 8);
    varve_reader_free(r);
    vv_buffer_clear(&bytes);
    world_free(&w);
}

TEST(hdf5_slots, remain_groups_if_they_are_not_slots)
{
    struct hdf5_sample s = open_sample("hdf5_texts.h5");
    find_sample(&s, "owner/@slots/m");
    find_sample(&s, "other/@slots");
    close_sample(&s);
}

/* Builds edges beside slots, with the names of the groups of slots and
 * states. */
static void build_names(varve_node *root)
{
    build(root);
    varve_node *owner = varve_find(root, "owner");
    varve_node *slots = varve_add_object(owner, "@slots");
    varve_node *m = varve_add_object(slots, "m");
    varve_add_variable(
        varve_add_object(m, "a"), "b", varve_array(COPY_OF(numbers), 2));
    varve_add_object(varve_add_object(root, "a@slots"), "@slots");
    varve_add_slot(slots, varve_find(varve_find(root, "a"), "b"), "@slots",
        varve_array(COPY_OF(numbers), 2));
    varve_add_variable(root, "@state", varve_array(COPY_OF(numbers), 2));
}

TEST(hdf5_slots, are_separate_from_edges_of_their_name)
{
    struct world w = world_new();
    varve_saved_node node;
    varve_reader *r = write_and_open(&w, build_names);
    check_value(r, "owner/m(a/b)", "float32[2]", numbers, 8);
    check_value(r, "owner/@slots/m/a/b", "float32[2]", numbers, 8);
    check_value(
        r, "owner/@slots/@slots(a/b)", "float32[2]", numbers, 8);
    check_value(r, "@state", "float32[2]", numbers, 8);
    cr_assert(varve_reader_find(r, "a@slots/@slots", &node));
    varve_reader_free(r);
    world_free(&w);
}

#endif

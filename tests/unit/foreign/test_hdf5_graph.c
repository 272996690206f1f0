/* test_hdf5_graph.c - Tests reading groups and links of HDF5 files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_graph.h"

#include "hdf5_sample.h"

#ifdef VV_HAVE_HDF5

TEST(hdf5_graph, has_one_node_for_hard_links_and_cycles)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    cr_assert_eq(find_sample(&s, "links/hard").id,
        find_sample(&s, "little/f4").id);
    cr_assert_eq(find_sample(&s, "links/up").id, find_sample(&s, "").id);
    cr_assert_eq(find_sample(&s, "links/up/links/up/scalar").id,
        find_sample(&s, "scalar").id);
    close_sample(&s);
}

TEST(hdf5_graph, assigns_the_first_path_as_global_name)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    cr_assert_str_eq(find_sample(&s, "big/f8").global_name, "big/f8");
    cr_assert_null(find_sample(&s, "lists").global_name);
    close_sample(&s);
}

TEST(hdf5_graph, lists_groups_of_later_versions)
{
    struct hdf5_sample s = open_sample("hdf5_latest.h5");
    cr_assert_eq(find_sample(&s, "many").edge_count, 40);
    check_value(s.reader, "many/39", "int32[]", "\x27\0\0\0", 4);
    cr_assert_eq(find_sample(&s, "chunked").value.rank, 2);
    close_sample(&s);
}

/* Types of HDF5 2.0, which a later libhdf5 supports. */
TEST(hdf5_graph, reads_values_next_to_unsupported_ones)
{
    static const float count[] = { 0, 1, 2, 3, 4, 5 };
    struct hdf5_sample s = open_sample("hdf5_newer.h5");
    const char *path, *what;
    check_value(s.reader, "plain", "float32[2,3]", count, sizeof count);
    check_value(s.reader, "inner/plain", "float32[2,3]", count, sizeof count);
    bool has_one = varve_reader_left_out_at(s.reader, 0, &path, &what);
    cr_assert_eq(has_tag(&s, "complex", "hdf5:unknown"), has_one);
    bool has_two = varve_reader_left_out_at(s.reader, 1, &path, &what);
    cr_assert_eq(has_one, has_two);
    close_sample(&s);
}

TEST(hdf5_graph, reads_a_file_after_a_user_block)
{
    static const double count[] = { 0, 1, 2, 3, 4, 5 };
    struct hdf5_sample s = open_sample("hdf5_block.mat");
    check_value(s.reader, "value", "float64[2,3]", count, sizeof count);
    cr_assert(find_sample(&s, "value").file);
    close_sample(&s);
}

TEST(hdf5_graph, reports_external_files_without_opening_them)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    cr_assert(
        has_tag(&s, "links/external", "hdf5:external:hdf5_model.h5"));
    cr_assert_eq(memory_open_count(s.world.memory), 1);
    close_sample(&s);
}

TEST(hdf5_graph, limits_the_number_of_links)
{
    struct vv_hdf5_graph g;
    struct vv_draft draft;
    struct hdf5_sample s = { .world = world_new() };
    struct vv_buffer bytes = read_sample("hdf5_types.h5");
    use_module();
    struct vv_foreign *f = world_foreign(&s.world, "a.h5", &bytes);
    struct vv_hdf5_source *source;
    varve_error error = { 0 };
    cr_assert_ok(vv_hdf5_open(f, &source, &error), error);
    vv_draft_begin(&draft, f->context, "a.h5");
    source->size = 0; /* a file may have 1000 links */
    cr_assert_ok(vv_hdf5_graph_read(&g, source, &draft, &error), error);
    size_t edges = vv_hdf5_edge_count(&g);
    cr_assert(edges > 60 && edges < 1000);
    vv_hdf5_graph_clear(&g);
    vv_draft_clear(&draft);
    vv_foreign_free(f);
    vv_buffer_clear(&bytes);
    world_free(&s.world);
}

#endif

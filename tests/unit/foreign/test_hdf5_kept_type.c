/* test_hdf5_kept_type.c - Tests types that are kept for writing HDF5 files
 * again.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_kept.h"

#include "bytes.h"
#include "hdf5_sample.h"
#include "structure.h"
#include "targets.h"

#ifdef VV_HAVE_HDF5

static const char *const names[] = { "compound", "opaque", "long" };
static const char *const tags[] = { "hdf5:compound", "hdf5:opaque",
    "hdf5:float128" };

static varve_saved_node node_at(const varve_reader *reader, const char *path)
{
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    return node;
}

static varve_graph *read_graph(struct world *w, const char *path)
{
    varve_error error = { 0 };
    use_module();
    varve_graph *graph = vv_graph_from_in(&w->context, path, NULL, &error);
    cr_assert(graph, "%s", error.message);
    return graph;
}

static void write_graph_to(
    varve_graph *graph, const char *path, varve_format format,
    struct losses *reported)
{
    varve_error error = { 0 };
    varve_write_options options = { .format = format,
        .foreign = { .loss = add_loss, .loss_user = reported } };
    *reported = (struct losses){ "" };
    cr_assert_ok(
        varve_write(varve_graph_root(graph), path, &options, &error), error);
    varve_graph_free(graph);
}

/* Asserts that a state has the same bytes as in the sample. */
static void check_same(struct hdf5_sample *s, varve_reader *r, const char *name)
{
    unsigned char expected[64], found[64];
    varve_error error = { 0 };
    varve_saved_node of = node_at(s->reader, name), node = node_at(r, name);
    cr_assert(of.size == node.size && node.size <= sizeof found);
    cr_assert_eq(node.kind, VARVE_STATE);
    cr_assert_ok(varve_reader_read(
        s->reader, of.id, expected, sizeof expected, &error), error);
    cr_assert_ok(varve_reader_read(r, node.id, found, sizeof found, &error),
        error);
    cr_assert_eq(memcmp(found, expected, (size_t)node.size), 0, "%s", name);
}

TEST(hdf5_kept_type, writes_the_types_that_were_read)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    struct losses reported;
    varve_error error = { 0 };
    write_graph_to(read_graph(&s.world, "hdf5_types.h5"), "b.h5",
        VARVE_FORMAT_HDF5, &reported);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_not(strstr(reported.text, names[i]), "%s", reported.text);
    /* Twice, so that the data kept from the second file is used. */
    write_graph_to(read_graph(&s.world, "b.h5"), "c.h5", VARVE_FORMAT_HDF5,
        &reported);
    varve_reader *r = vv_reader_open_in(&s.world.context, "c.h5", &error);
    cr_assert(r, "%s", error.message);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_same(&s, r, names[i]);
        cr_assert_str_eq(
            varve_reader_tag_at(r, node_at(r, names[i]).id, 0), tags[i]);
    }
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    close_sample(&s);
}

TEST(hdf5_kept_type, is_lost_through_another_format)
{
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    struct losses reported;
    varve_error error = { 0 };
    write_graph_to(read_graph(&s.world, "hdf5_types.h5"), "b.varve",
        VARVE_FORMAT_VARVE, &reported);
    write_graph_to(
        read_graph(&s.world, "b.varve"), "c.h5", VARVE_FORMAT_HDF5, &reported);
    cr_assert(strstr(reported.text, "compound: a tag\n"), "%s", reported.text);
    varve_reader *r = vv_reader_open_in(&s.world.context, "c.h5", &error);
    cr_assert(r, "%s", error.message);
    check_same(&s, r, "compound");
    cr_assert_null(varve_reader_tag_at(r, node_at(r, "compound").id, 0));
    varve_reader_free(r);
    close_sample(&s);
}

TEST(hdf5_kept_type, is_lost_if_a_state_has_children)
{
    static double number = 1;
    struct hdf5_sample s = open_sample("hdf5_types.h5");
    struct losses reported;
    varve_error error = { 0 };
    varve_graph *graph = read_graph(&s.world, "hdf5_types.h5");
    varve_add_variable(varve_find(varve_graph_root(graph), "compound"), "child",
        varve_scalar(&number));
    write_graph_to(graph, "b.h5", VARVE_FORMAT_HDF5, &reported);
    varve_reader *r = vv_reader_open_in(&s.world.context, "b.h5", &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "compound/child", "float64[]", &number, 8);
    cr_assert_eq(node_at(r, "compound/@state").kind, VARVE_STATE);
    varve_reader_free(r);
    close_sample(&s);
}

#endif

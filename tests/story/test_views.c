/* test_views.c - Tests variables with any memory layout: strided elements, rows
 * with padding, memory accessed by functions. The saved value is the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

#include "support/proof.h"
#include "support/views.h"

/* --- As programs have them ------------------------------------------------ */

struct particle {
    double x, y;
    int32_t kind;
};

enum { COUNT = 40, ROWS = 5, COLUMNS = 7 };

static struct particle p[COUNT];
static float field[ROWS + 2][COLUMNS + 2]; /* with a halo of one cell */

static void fill(double by)
{
    for (int i = 0; i < COUNT; i++)
        p[i] = (struct particle){ i + by, 100 + i, -1 };
    for (int i = 0; i < ROWS + 2; i++)
        for (int k = 0; k < COLUMNS + 2; k++)
            field[i][k] = (float)(100 * i + k + by);
}

static void add_parts(varve_node *root)
{
    const uint64_t rows[] = { 3, 0 };
    /* [particles] */
    varve_add_variable(
        root, "x", varve_strided(&p[0].x, VARVE_STRIDES(sizeof *p), COUNT));
    /* [/particles] */
    varve_add_slice(root, "field",
        varve_strided(&field[1][1],
            VARVE_STRIDES(sizeof field[0], sizeof field[0][0]), ROWS, COLUMNS),
        VARVE_SHAPE(ROWS + 10, COLUMNS), rows);
    varve_add_variable(root, "column",
        varve_strided(&field[0][0], VARVE_STRIDES(-(int)sizeof field[0]), 1));
}

TEST(views, are_saved_and_restored_like_variables)
{
    static double x[COUNT];
    static float all[ROWS + 10][COLUMNS];
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < COUNT; i++)
        x[i] = i + 0.5;
    for (int i = 0; i < ROWS + 10; i++)
        for (int k = 0; k < COLUMNS; k++)
            all[i][k] = (float)(1000 * i + k);
    float corner = 12;
    varve_add_variable(root, "x", varve_array(x, COUNT));
    varve_add_variable(root, "field", varve_array(all[0], ROWS + 10, COLUMNS));
    varve_add_variable(root, "column", varve_array(&corner, 1));
    story_write(root, "plain");
    varve_graph_free(graph);

    fill(0.25);
    graph = story_graph();
    root = varve_graph_root(graph);
    add_parts(root);
    varve_restoration *r = story_read(root, "plain", NULL);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    for (int i = 0; i < COUNT; i++)
        cr_assert(p[i].x == i + 0.5 && p[i].y == 100 + i && p[i].kind == -1);
    for (int i = 1; i <= ROWS; i++) {
        for (int k = 1; k <= COLUMNS; k++)
            cr_assert_eq(field[i][k], (float)(1000 * (i + 2) + k - 1));
        cr_assert_eq(field[i][0], (float)(100 * i + 0.25));
        cr_assert_eq(field[i][COLUMNS + 1], (float)(100 * i + 8 + 0.25));
    }
    cr_assert_eq(field[0][0], 12);
    varve_graph_free(graph);
}

TEST(views, of_a_device_need_two_copy_functions)
{
    struct view buffer;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    view_make_far(&buffer, VARVE_FLOAT32, VARVE_SHAPE(784, 10));
    {
        /* [far] */
        const varve_memory device = { .copy_out = view_copy_out,
            .copy_in = view_copy_in, .self = &buffer };
        varve_add_variable(root, "weights",
            varve_far(&device, VARVE_FLOAT32, VARVE_SHAPE(784, 10)));
        /* [/far] */
    }
    view_set(&buffer, 1);
    story_write(root, "f");
    view_set(&buffer, 2);
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert(view_is(&buffer, 1));
    varve_graph_free(graph);
    view_free(&buffer);
}

/* --- Any of them, any way ------------------------------------------------- */

static const varve_dtype dtypes[] = { VARVE_UINT8, VARVE_FLOAT16, VARVE_INT32,
    VARVE_FLOAT64 };

enum { THINGS = 3 };

/* Three variables, one of them a slot, and one of them contiguous. */
static struct thing {
    struct view view;
    varve_node *node;
} things[THINGS];

static varve_shape random_shape(uint64_t *seed, bool is_large)
{
    varve_shape shape = { .rank = (uint32_t)view_random(seed, 4) };
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.extents[i] = 1 + view_random(seed, is_large ? 90 : 6);
    if (shape.rank > 0 && view_random(seed, 20) == 0)
        shape.extents[0] = 0;
    return shape;
}

static varve_graph *make_program(uint64_t *seed, bool is_large)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < THINGS; i++) {
        struct view *v = &things[i].view;
        varve_dtype dtype = dtypes[view_random(seed, 4)];
        varve_shape shape = random_shape(seed, is_large);
        if (view_random(seed, 3) == 0)
            view_make_far(v, dtype, shape);
        else
            view_make_strided(v, dtype, shape, seed);
        things[i].node =
            i < 2 ? varve_add_variable(root, i ? "b" : "a", v->tensor)
                  : varve_add_slot(root, things[0].node, "slot", v->tensor);
    }
    return graph;
}

static void free_program(varve_graph *graph)
{
    varve_graph_free(graph);
    for (int i = 0; i < THINGS; i++) {
        cr_assert(!things[i].view.was_shared);
        view_free(&things[i].view);
    }
}

static void set(uint64_t number)
{
    for (int i = 0; i < THINGS; i++)
        view_set(&things[i].view, number);
}

static void check(uint64_t number)
{
    for (int i = 0; i < THINGS; i++)
        cr_assert(view_is(&things[i].view, number), "value %d", i);
}

/* Returns a different path for each format, as some have several files. */
static const char *path_for(varve_format format)
{
    char name[] = "f0";
    name[1] = (char)('0' + (int)format);
    return test_path(name);
}

static void read_back(varve_node *root, varve_format format, uint64_t *seed)
{
    varve_error error;
    const varve_read_options options[] = { { 0 }, { .passes = VARVE_ONE_PASS },
        { .passes = VARVE_TWO_PASSES,
            .resources = { .staging_size = 1, .threads = 4 } },
        { .no_verify = true }, { .salvage.on = true } };
    varve_restoration *r = varve_read(
        root, path_for(format), &options[view_random(seed, 5)], &error);
    cr_assert(r, "%s", error.message);
    check(1);
    varve_restoration_free(r);
}

static void go_by_file(
    varve_node *root, const varve_write_options *options, uint64_t *seed)
{
    varve_error error;
    const char *path = path_for(options->format);
    set(1);
    cr_assert_ok(varve_write(root, path, options, &error), error);
    if (options->incremental) {
        /* Another incremental save, and back to the previous value. */
        view_set(&things[1].view, 2);
        cr_assert_ok(varve_write(root, path, options, &error), error);
        view_set(&things[1].view, 1);
        cr_assert_ok(varve_write(root, path, options, &error), error);
    }
    set(3);
    read_back(root, options->format, seed);
}

static void go_by_job(varve_node *root, bool zero_copy, uint64_t *seed)
{
    varve_error error;
    const varve_write_options options = { .async.zero_copy = zero_copy };
    set(1);
    varve_job *job =
        varve_write_async(root, path_for(VARVE_FORMAT_VARVE), &options, &error);
    cr_assert(job, "%s", error.message);
    if (zero_copy)
        cr_assert_ok(varve_job_wait_staged(job, &error), error);
    set(3);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
    read_back(root, VARVE_FORMAT_VARVE, seed);
}

static void go_by_snapshot(varve_node *root, uint64_t *seed)
{
    varve_error error;
    const varve_snapshot_options options = { .except = "b",
        .track = view_random(seed, 2) };
    const char *path = path_for(VARVE_FORMAT_VARVE);
    set(1);
    varve_snapshot *s = varve_snapshot_new(root, &error);
    varve_snapshot *some = varve_snapshot_new_with(root, &options, &error);
    set(2);
    cr_assert_ok(varve_snapshot_retake(some, &error), error);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    check(1);
    cr_assert_ok(
        varve_snapshot_write(s, path, NULL, &error), error);
    set(3);
    read_back(root, VARVE_FORMAT_VARVE, seed);
    /* A value that the snapshot excludes is written from the program. */
    cr_assert_ok(
        varve_snapshot_write(some, path, NULL, &error), error);
    cr_assert_ok(
        varve_snapshot_read(some, path, NULL, &error), error);
    cr_assert_ok(varve_snapshot_restore(some, &error), error);
    cr_assert(view_is(&things[0].view, 2) && view_is(&things[1].view, 1));
    varve_snapshot_free(s);
    varve_snapshot_free(some);
}

static void go_by_graft(varve_node *root)
{
    varve_error error;
    varve_graph *other = story_graph();
    set(1);
    varve_node *made =
        varve_copy_subgraph(varve_graph_root(other), "copy", root, &error);
    cr_assert(made, "%s", error.message);
    cr_assert(view_bytes_are(varve_data(varve_find(made, "a")),
        things[0].view.value_size, 1));
    varve_graph_free(other);
}

TEST(views, are_restored_by_every_kind_of_read)
{
    static const varve_write_options ways[] = { { 0 }, { .incremental = true },
        { .compress = 1 }, { .incremental = true, .increment.track = true },
        { .format = VARVE_FORMAT_SAFETENSORS }, { .format = VARVE_FORMAT_NPZ },
        { .format = VARVE_FORMAT_TENSORFLOW },
        { .format = VARVE_FORMAT_TORCH } };
    uint64_t seed = 11, count = 0;
    for (int i = 0; i < 220; i++) {
        varve_graph *graph = make_program(&seed, i % 10 == 0);
        varve_node *root = varve_graph_root(graph);
        uint64_t way = view_random(&seed, 11);
        if (way < 7)
            go_by_file(root, &ways[way], &seed);
        else if (way < 9)
            go_by_job(root, way == 7, &seed);
        else if (way == 9)
            go_by_snapshot(root, &seed);
        else
            go_by_graft(root);
        free_program(graph);
        count++;
    }
    proof_count("views.ways", count);
}

/* --- Parts, other types and shapes ---------------------------------------- */

enum { WIDE = 700, HIGH = 900 }; /* 2.4 MiB */

static struct view whole;

static void write_whole(void)
{
    varve_graph *graph = story_graph();
    view_make_far(&whole, VARVE_INT32, VARVE_SHAPE(HIGH, WIDE));
    for (uint32_t i = 0; i < HIGH * WIDE; i++)
        memcpy(whole.block + 4 * (size_t)i, &i, 4);
    varve_add_variable(varve_graph_root(graph), "whole", whole.tensor);
    story_write(varve_graph_root(graph), "whole");
    varve_graph_free(graph);
}

/* Checks which elements a box contains from a start. */
static void check_box(const struct view *v, const uint64_t *start)
{
    for (uint64_t i = 0; i < v->tensor.shape[0]; i++)
        for (uint64_t k = 0; k < v->tensor.shape[1]; k++) {
            int64_t place = view_place(v, i * v->tensor.shape[1] + k);
            uint64_t wanted = (start[0] + i) * WIDE + start[1] + k;
            double found = 0;
            int32_t number = 0;
            if (v->tensor.dtype == VARVE_FLOAT64)
                memcpy(&found, v->block + place, 8);
            else
                memcpy(&number, v->block + place, 4);
            cr_assert_eq(found + number, (double)wanted);
        }
}

TEST(views, can_be_slices_with_casts_of_any_value)
{
    uint64_t seed = 5;
    write_whole();
    for (int i = 0; i < 24; i++) {
        struct view v;
        const uint64_t start[] = { view_random(&seed, 300),
            view_random(&seed, 200) };
        const varve_shape box = VARVE_SHAPE(
            1 + view_random(&seed, 500), 1 + view_random(&seed, 400));
        const varve_read_options options = { .cast = VARVE_CAST_WIDEN,
            .resources = { .staging_size = (uint64_t)i % 2,
            .threads = 3 },
            .resize = "whole" };
        const uint64_t none[] = { 0, 0 };
        bool is_slice = i % 3;
        varve_dtype dtype = i % 4 < 2 ? VARVE_INT32 : VARVE_FLOAT64;
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        if (i % 5 < 2)
            view_make_far(&v, dtype, box);
        else
            view_make_strided(&v, dtype, box, &seed);
        if (is_slice)
            varve_add_slice(
                root, "whole", v.tensor, VARVE_SHAPE(HIGH, WIDE), start);
        else
            varve_add_variable(root, "whole", v.tensor);
        varve_restoration_free(story_read(root, "whole", &options));
        check_box(&v, is_slice ? start : none);
        cr_assert(!v.was_shared);
        varve_graph_free(graph);
        view_free(&v);
    }
    view_free(&whole);
}

/* --- What fails ----------------------------------------------------------- */

enum { FLOATS = 700000 }; /* three chunks */

static struct view far, strided;
static float scalar;

static varve_graph *begin_failing(void)
{
    uint64_t seed = 9;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    view_make_far(&far, VARVE_FLOAT32, VARVE_SHAPE(FLOATS));
    view_make_strided(&strided, VARVE_UINT8, VARVE_SHAPE(20, 30), &seed);
    varve_add_variable(root, "scalar", varve_scalar(&scalar));
    varve_add_variable(root, "far", far.tensor);
    varve_add_variable(root, "strided", strided.tensor);
    view_set(&far, 1);
    view_set(&strided, 1);
    scalar = 1;
    story_write(root, "f");
    return graph;
}

static void change(void)
{
    view_set(&far, 2);
    view_set(&strided, 2);
    scalar = 2;
}

static void check_failing(uint64_t number)
{
    cr_assert(view_is(&far, number));
    cr_assert(view_is(&strided, number));
    cr_assert_eq(scalar, (float)number);
}

static void end_failing(varve_graph *graph)
{
    varve_graph_free(graph);
    view_free(&far);
    view_free(&strided);
}

TEST(views, whose_copy_fails_leave_the_older_file)
{
    static const varve_write_options ways[] = { { 0 }, { .compress = 1 },
        { .format = VARVE_FORMAT_SAFETENSORS }, { .incremental = true } };
    varve_graph *graph = begin_failing();
    varve_node *root = varve_graph_root(graph);
    int files = test_file_count();
    change();
    for (size_t way = 0; way < 4; way++)
        for (long at = 0; at < 3; at++) {
            varve_error error;
            view_fail(&far, at, 1);
            cr_assert_eq(varve_write(root, test_path("f"), &ways[way], &error),
                VARVE_CALLBACK);
            cr_assert_str_eq(error.message,
                "far: copying its value out failed with VARVE_IO");
            if (!ways[way].incremental) /* keeps its folder of data files */
                cr_assert_eq(test_file_count(), files);
        }
    view_fail(&far, -1, 0);
    varve_restoration_free(story_read(root, "f", NULL));
    check_failing(1);
    end_failing(graph);
}

TEST(views, whose_copy_fails_fail_the_call_that_starts_a_job)
{
    varve_error error;
    varve_graph *graph = begin_failing();
    view_fail(&far, 1, 1);
    cr_assert_null(varve_write_async(
        varve_graph_root(graph), test_path("g"), NULL, &error));
    cr_assert_eq(error.status, VARVE_CALLBACK);
    cr_assert_eq(far.calls, 2);
    end_failing(graph);
}

TEST(views, whose_copy_fails_change_no_values)
{
    for (long at = 0; at < 6; at++) {
        varve_error error;
        varve_graph *graph = begin_failing();
        change();
        view_fail(&far, at, 1);
        story_refused(
            varve_graph_root(graph), "f", NULL, VARVE_CALLBACK, &error);
        cr_assert(story_says(&error, "far: copying its value "));
        check_failing(2);
        end_failing(graph);
    }
}

TEST(views, too_large_to_be_undone_are_reported)
{
    const varve_read_options options = { .passes = VARVE_TWO_PASSES,
        .resources.staging_size = 1000 };
    for (long at = 0; at < 3; at++) {
        varve_error error;
        varve_graph *graph = begin_failing();
        change();
        view_fail(&far, at, 1);
        story_refused(varve_graph_root(graph), "f", &options,
            VARVE_PARTIALLY_RESTORED, &error);
        cr_assert(story_says(&error, "copying its value in failed"));
        cr_assert(story_says(&error, "\n  far"));
        end_failing(graph);
    }
}

TEST(views, are_never_copied_completely)
{
    static const varve_write_options ways[] = { { 0 }, { .incremental = true },
        { .format = VARVE_FORMAT_NPZ } };
    const varve_read_options streaming = { .passes = VARVE_ONE_PASS };
    struct view v;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    view_make_far(&v, VARVE_FLOAT32, VARVE_SHAPE(6 << 20)); /* 24 MiB */
    varve_add_variable(root, "v", v.tensor);
    for (size_t way = 0; way < 3; way++) {
        varve_error error;
        size_t before = test_byte_count();
        test_reset_peak();
        cr_assert_ok(
            varve_write(root, test_path("f"), &ways[way], &error), error);
        varve_restoration_free(story_read(root, "f", &streaming));
        cr_assert_lt(test_peak_bytes() - before, (size_t)8 << 20);
    }
    cr_assert_eq(v.largest, 1 << 20);
    varve_graph_free(graph);
    view_free(&v);
}

TEST(views, report_failed_allocations)
{
    uint64_t seed = 3;
    for (long i = 0;; i++) {
        varve_error error = { 0 };
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        struct view a, b;
        view_make_far(&a, VARVE_FLOAT32, VARVE_SHAPE(50));
        view_make_strided(&b, VARVE_FLOAT64, VARVE_SHAPE(5, 6), &seed);
        varve_add_variable(root, "a", a.tensor);
        varve_add_variable(root, "b", b.tensor);
        view_set(&a, 1);
        view_set(&b, 1);
        test_fail_allocation(i, false);
        varve_status status = varve_write(root, test_path("f"), NULL, &error);
        if (!status) {
            view_set(&a, 2);
            view_set(&b, 2);
            varve_restoration *r =
                varve_read(root, test_path("f"), NULL, &error);
            status = r ? VARVE_OK : error.status;
            varve_restoration_free(r);
            uint64_t wanted = status ? 2 : 1;
            cr_assert(view_is(&a, wanted) && view_is(&b, wanted));
        }
        test_fail_allocation(-1, false);
        varve_graph_free(graph);
        view_free(&a);
        view_free(&b);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
    }
}

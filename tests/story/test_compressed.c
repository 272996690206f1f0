/* test_compressed.c - Tests that a compressed checkpoint is smaller and can be
 * read like any other.
 *
 * SPDX-License-Identifier: MIT
 */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "story.h"

#include <varve/job.h>
#include <varve/incremental.h>
#include <varve/reader.h>

/* Weights of two and a half chunks, one chunk of noise, and small values. */
enum { WEIGHTS = 640 * 1024, NOISE = 1 << 20, IDS = 3000 };

static float weights[WEIGHTS];
static uint8_t noise[NOISE];
static int64_t ids[IDS];
static float step;

static void fill(float factor)
{
    uint32_t random = 1;
    for (int i = 0; i < WEIGHTS; i++) {
        random = random * 1664525 + 1013904223;
        weights[i] = factor * (1 + (float)(random >> 8) / (1 << 24));
    }
    for (int i = 0; i < NOISE; i++) {
        random = random * 1664525 + 1013904223;
        noise[i] = (uint8_t)(random >> 24) ^ (uint8_t)factor;
    }
    for (int i = 0; i < IDS; i++)
        ids[i] = i + (int64_t)factor;
    step = factor;
}

static varve_graph *make(float factor)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    fill(factor);
    varve_add_variable(root, "weights", varve_array(weights, WEIGHTS));
    varve_add_variable(root, "noise", varve_array(noise, NOISE));
    varve_add_variable(root, "ids", varve_array(ids, IDS));
    varve_add_variable(root, "step", varve_scalar(&step));
    return graph;
}

#ifdef VV_HAVE_ZSTD

static void check_values(float factor, const char *what)
{
    static float found[WEIGHTS];
    static uint8_t found_noise[NOISE];
    static int64_t found_ids[IDS];
    float found_step = step;
    memcpy(found, weights, sizeof found);
    memcpy(found_noise, noise, sizeof found_noise);
    memcpy(found_ids, ids, sizeof found_ids);
    fill(factor);
    cr_assert_eq(memcmp(found, weights, sizeof found), 0, "%s", what);
    cr_assert_eq(memcmp(found_noise, noise, sizeof noise), 0, "%s", what);
    cr_assert_eq(memcmp(found_ids, ids, sizeof ids), 0, "%s", what);
    cr_assert(memcmp(&found_step, &step, sizeof step) == 0, "%s", what);
}

static void write_to(const char *name, float factor, bool incremental)
{
    const varve_write_options options = {
        .compress = 1, .incremental = incremental
    };
    varve_error error;
    varve_graph *graph = make(factor);
    cr_assert_ok(varve_write(varve_graph_root(graph), test_path(name),
                     &options, &error),
        error);
    varve_graph_free(graph);
}

static uint64_t size_of(const char *name)
{
    struct stat info;
    cr_assert_eq(stat(test_path(name), &info), 0, "%s", name);
    return (uint64_t)info.st_size;
}

TEST(compressed, is_smaller_except_for_random_data)
{
    write_to("f", 5, false);
    uint64_t plain = sizeof weights + sizeof noise + sizeof ids;
    cr_assert_lt(size_of("f"), plain - sizeof weights / 8);
    cr_assert_gt(size_of("f"), sizeof noise);
}

TEST(compressed, is_restored_by_every_kind_of_read)
{
    const varve_read_options ways[] = { { .resources.threads = 1 },
        { .resources.threads = 3 }, { .passes = VARVE_ONE_PASS },
        { .no_verify = true }, { .map = true }, { .salvage.on = true },
        { .passes = VARVE_TWO_PASSES, .resources.staging_size = 1 } };
    for (int incremental = 0; incremental < 2; incremental++) {
        write_to("f", 5, incremental);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            varve_graph *graph = make(1);
            varve_restoration *r =
                story_read(varve_graph_root(graph), "f", &ways[i]);
            story_consumed(r);
            check_values(5, "a way of reading");
            varve_restoration_free(r);
            varve_graph_free(graph);
        }
    }
}

TEST(compressed, is_read_into_allocated_memory_instead_of_mapped)
{
    write_to("f", 5, false);
    varve_graph *graph = story_graph();
    varve_node *node = varve_add_allocated_variable(
        varve_graph_root(graph), "weights", VARVE_FLOAT32,
        VARVE_SHAPE(WEIGHTS), NULL, NULL);
    varve_restoration *r = story_read(varve_graph_root(graph), "f",
        &(varve_read_options){ .map = true });
    fill(5);
    cr_assert_eq(memcmp(varve_data(node), weights, sizeof weights), 0);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(compressed, is_read_in_parts_and_decompressed_by_a_copy)
{
    varve_error error = { 0 };
    float part[100];
    write_to("f", 5, false);
    varve_reader *reader = varve_reader_open(test_path("f"), NULL, &error);
    cr_assert(reader, "%s", error.message);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "weights", &node));
    cr_assert_null(node.file, "in no file as it is");
    const varve_box box = { .start = { 300000 }, .extents = { 100 } };
    cr_assert_ok(varve_reader_read_box(
                     reader, node.id, &box, part, sizeof part, &error),
        error);
    cr_assert_eq(memcmp(part, weights + 300000, sizeof part), 0);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    char plain[512];
    strcpy(plain, test_path("plain"));
    cr_assert_ok(varve_repack(test_path("f"), plain, NULL, &error), error);
    varve_graph *graph = make(5);
    story_write(varve_graph_root(graph), "full");
    varve_graph_free(graph);
    size_t sizes[2];
    void *one = test_read_file(plain, &sizes[0]);
    void *other = test_read_file(test_path("full"), &sizes[1]);
    cr_assert(sizes[0] == sizes[1] && memcmp(one, other, sizes[0]) == 0);
    free(one);
    free(other);
}

TEST(compressed, is_saved_asynchronously)
{
    const varve_write_options options = { .compress = 3 };
    varve_error error = { 0 };
    varve_graph *graph = make(5);
    varve_job *job = varve_write_async(
        varve_graph_root(graph), test_path("f"), &options, &error);
    cr_assert(job, "%s", error.message);
    fill(1);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    check_values(5, "of the background");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* Saves incrementally with one way of marking changes, alternately with and
 * without compression, and checks each save. */
static void save_in_turn(const char *prefix, varve_write_options options)
{
    varve_error error = { 0 };
    varve_graph *graph = make(5);
    varve_node *root = varve_graph_root(graph);
    char name[32];
    for (int i = 0; i < 5; i++) {
        options.compress = i % 3 == 2 ? 0 : 1;
        weights[i * 100000] = (float)-i;
        varve_mark_dirty(varve_find(root, "weights"));
        cr_assert_ok(
            varve_save(root, test_path(prefix), &options, &error), error);
    }
    for (int i = 0; i < 5; i++) {
        memset(weights, 0, sizeof weights);
        snprintf(name, sizeof name, "%s-%d.varve", prefix, i + 1);
        varve_restoration_free(story_read(root, name, NULL));
        for (int k = 0; k < 5; k++)
            cr_assert(k <= i ? weights[k * 100000] == (float)-k
                             : weights[k * 100000] > 4,
                "%d of %s", k, name);
    }
    varve_graph_free(graph);
}

TEST(compressed, is_shared_with_every_kind_of_change_detection)
{
    save_in_turn("a", (varve_write_options){ .incremental = true });
    save_in_turn("b", (varve_write_options){ .incremental = true,
        .increment = { .only_dirty = true, .verify_clean = true } });
    save_in_turn("c",
        (varve_write_options){ .incremental = true, .increment.track = true });
    save_in_turn("d", (varve_write_options){ 0 });
}

/* One compressed frame of the weights is destroyed. */
TEST(compressed, loses_only_the_value_that_is_damaged)
{
    size_t size;
    varve_error error = { 0 };
    write_to("f", 5, false);
    unsigned char *bytes = test_read_file(test_path("f"), &size);
    static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
    size_t at = sizeof noise; /* precedes the weights */
    while (at + 4 < size && memcmp(bytes + at, magic, 4) != 0)
        at++;
    cr_assert_lt(at + 4, size);
    bytes[at] ^= 1;
    test_write_file(test_path("f"), bytes, size);
    free(bytes);
    varve_graph *graph = make(1);
    varve_node *root = varve_graph_root(graph);
    story_refused(root, "f", NULL, VARVE_CORRUPT, &error);
    cr_assert(story_says(&error, "Zstandard"), "%s", error.message);
    check_values(1, "nothing is changed");
    varve_restoration *r =
        story_read(root, "f", &(varve_read_options){ .salvage.on = true });
    cr_assert_eq(story_findings(r, VARVE_FINDING_DAMAGED), 1);
    cr_assert(step > 4 && ids[0] == 5);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* --- What comes out of little --------------------------------------------- */

enum { ZEROS = 64 << 20 };

static uint64_t used, peak;

static void *count(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    used += new_size - old_size;
    peak = used > peak ? used : peak;
    if (new_size)
        return realloc(old, new_size);
    free(old);
    return NULL;
}

/* A small file with 64 MiB of values: reading uses memory for the file and a
 * few chunks, whatever the size of the values. */
TEST(compressed, needs_memory_for_chunks_only)
{
    static uint8_t zeros[ZEROS];
    static const varve_allocator counting = { .function = count };
    const varve_write_options options = { .compress = 1 };
    const varve_read_options ways[] = { { .resources.threads = 1 },
        { .resources.threads = 1, .passes = VARVE_ONE_PASS },
        { .resources.threads = 1, .salvage.on = true } };
    varve_error error = { 0 };
    varve_graph *graph = varve_graph_new(&counting);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "zeros", varve_array(zeros, ZEROS));
    cr_assert_ok(varve_write(root, test_path("f"), &options, &error), error);
    cr_assert_lt(size_of("f"), 16 << 10);
    uint64_t most = 16 * size_of("f") + (64 << 10) + 4 * ((1 << 20) + 4096);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        memset(zeros, 1, sizeof zeros);
        uint64_t before = peak = used;
        varve_restoration_free(story_read(root, "f", &ways[i]));
        cr_assert_leq(peak - before, most, "way %zu", i);
        cr_assert(zeros[0] == 0 && zeros[ZEROS - 1] == 0);
    }
    uint64_t before = peak = used;
    varve_reader *reader =
        varve_reader_open(test_path("f"), &counting, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader,
                     &(varve_verify_options){ .threads = 1 }, &error),
        error);
    varve_reader_free(reader);
    cr_assert_leq(peak - before, most, "verifying");
    varve_graph_free(graph);
    cr_assert_eq(used, 0);
}

TEST(compressed, accepts_only_existing_compression_levels)
{
    varve_error error = { 0 };
    varve_graph *graph = make(1);
    cr_assert_eq(varve_write(varve_graph_root(graph), test_path("f"),
                     &(varve_write_options){ .compress = 20 }, &error),
        VARVE_MISUSE);
    cr_assert(
        story_says(&error, "the level must be 0 to 19"), "%s", error.message);
    varve_graph_free(graph);
}

#else

TEST(compressed, is_refused_by_a_build_without_zstandard)
{
    varve_error error = { 0 };
    varve_graph *graph = make(1);
    cr_assert_eq(varve_write(varve_graph_root(graph), test_path("f"),
                     &(varve_write_options){ .compress = 1 }, &error),
        VARVE_TOO_NEW);
    cr_assert(story_says(&error, "libzstd"), "%s", error.message);
    varve_graph_free(graph);
}

#endif

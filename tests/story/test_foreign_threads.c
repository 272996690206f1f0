/* test_foreign_threads.c - Tests foreign files that are large enough for
 * several threads: the result is the same, and damage changes nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 4, NUMBERS = 1 << 20 }; /* 4 MiB each: enough for a thread */

static const struct {
    varve_format format;
    const char *name; /* file to write */
    const char *data; /* file that contains the values */
} formats[] = {
    { VARVE_FORMAT_TENSORFLOW, "tf", "tf.data-00000-of-00001" },
    { VARVE_FORMAT_TENSORFLOW_NAMES, "tn", "tn.data-00000-of-00001" },
    { VARVE_FORMAT_SAFETENSORS, "s.safetensors", NULL },
    { VARVE_FORMAT_NPZ, "n.npz", "n.npz" },
    { VARVE_FORMAT_TORCH, "t.pt", "t.pt" },
    { VARVE_FORMAT_GGUF, "g.gguf", NULL },
#ifdef VV_HAVE_HDF5
    { VARVE_FORMAT_HDF5, "h.h5", NULL },
#endif
};

static const varve_read_options manners[] = {
    { .resources.threads = 4 },
    { .resources.threads = 4, .passes = VARVE_ONE_PASS },
    { .passes = VARVE_TWO_PASSES,
        .resources = { .threads = 4, .staging_size = 1 } },
    { .resources.threads = 1 },
};

static float saved[PARTS][NUMBERS], read[PARTS][NUMBERS];

static varve_graph *build(float values[PARTS][NUMBERS])
{
    static const char *const paths[PARTS] = { "a", "net/b", "net/c", "z" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *net = varve_add_object(root, "net");
    for (int i = 0; i < PARTS; i++) {
        const char *slash = strchr(paths[i], '/');
        varve_add_variable(slash ? net : root, slash ? slash + 1 : paths[i],
            varve_array(values[i], NUMBERS));
    }
    return graph;
}

static void write_all(void)
{
    varve_error error;
    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < NUMBERS; k++)
            saved[i][k] = (float)(i * NUMBERS + k);
    varve_graph *graph = build(saved);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        cr_assert_ok(varve_write(varve_graph_root(graph),
            test_path(formats[f].name),
            &(varve_write_options){ .format = formats[f].format,
                .no_sync = true }, &error), error);
    varve_graph_free(graph);
}

TEST(foreign_threads, restore_the_same_values_as_one_thread)
{
    write_all();
    varve_graph *graph = build(read);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t m = 0; m < sizeof manners / sizeof *manners; m++) {
            memset(read, 0, sizeof read);
            varve_restoration *r = story_read(
                varve_graph_root(graph), formats[f].name, &manners[m]);
            story_consumed(r);
            varve_restoration_free(r);
            cr_assert_eq(memcmp(read, saved, sizeof read), 0, "%s, manner %zu",
                formats[f].name, m);
        }
    varve_graph_free(graph);
}

static void damage(const char *name)
{
    size_t size;
    unsigned char *bytes = test_read_file(test_path(name), &size);
    bytes[size / 3 * 2] ^= 1;
    test_write_file(test_path(name), bytes, size);
    free(bytes);
}

/* Safetensors has no checksums, so damage is not detected. */
TEST(foreign_threads, change_nothing_if_one_finds_damage)
{
    varve_error error;
    write_all();
    varve_graph *graph = build(read);
    memset(read, 0, sizeof read);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        if (!formats[f].data)
            continue;
        damage(formats[f].data);
        for (int m = 0; m < 3; m += 2)
            story_refused(varve_graph_root(graph), formats[f].name,
                &manners[m], VARVE_CORRUPT, &error);
        for (int i = 0; i < PARTS; i++)
            cr_assert(read[i][0] == 0 && read[i][NUMBERS - 1] == 0, "%s",
                formats[f].name);
    }
    varve_graph_free(graph);
}

/* layered_world.h - Creates a graph with values of all sizes for incremental
 * saves, and checks such checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef UNIT_INCREMENTAL_WORLD_H
#define UNIT_INCREMENTAL_WORLD_H

#include "worlds.h"

#include <varve/reader.h>
#include <varve/varve.h>

#include "reader.h"
#include "system.h"

enum { LARGE = 700000, MIDDLE = 20000, SMALL = 300 };

static struct {
    float large[LARGE];
    float middle[MIDDLE];
    double small[SMALL];
    varve_string strings[2];
    struct text_state state;
    varve_node *root;
    int level; /* of compression; 0 at first */
} incremental;

static inline void begin_incremental(void)
{
    begin_world();
    incremental.level = 0;
    incremental.root = new_root();
    for (int i = 0; i < LARGE; i++)
        incremental.large[i] = (float)i;
    for (int i = 0; i < MIDDLE; i++)
        incremental.middle[i] = (float)-i;
    varve_add_variable(
        incremental.root, "large", varve_array(incremental.large, LARGE));
    varve_add_variable(
        incremental.root, "middle", varve_array(incremental.middle, MIDDLE));
    for (int i = 0; i < SMALL; i++) {
        char name[24];
        snprintf(name, sizeof name, "small%d", i);
        incremental.small[i] = i;
        varve_add_variable(
            incremental.root, name, varve_scalar(&incremental.small[i]));
    }
    incremental.strings[0] = (varve_string){ "one", 3 };
    incremental.strings[1] = (varve_string){ "another", 7 };
    varve_add_variable(
        incremental.root, "strings", varve_array(incremental.strings, 2));
    incremental.state = (struct text_state){ .text = "state" };
    varve_add_state(
        incremental.root, "zzz", &text_callbacks, &incremental.state);
    good(incremental.root);
}

static inline void end_incremental(void)
{
    free_root(incremental.root);
    end_world();
}

/* A level of compression; 0 in a build without libzstd. */
#ifdef VV_HAVE_ZSTD
#define LEVEL(level) (level)
#else
#define LEVEL(level) 0
#endif

static inline varve_status save_incremental(varve_error *error)
{
    const varve_write_options options = { .incremental = true,
        .compress = incremental.level };
    return varve_save(incremental.root, "run/m", &options, error);
}

static inline void saved_incremental(void)
{
    varve_error error = { 0 };
    cr_assert_ok(save_incremental(&error), error);
}

static inline void digest_of(const char *path, uint8_t digest[16])
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, path, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    cr_assert_ok(varve_reader_digest(reader, digest, &error), error);
    varve_reader_free(reader);
}

/* Computes the digest that a full save of the current values would have. */
static inline void digest_now(uint8_t digest[16])
{
    varve_error error = { 0 };
    cr_assert_ok(varve_write(incremental.root, "full", NULL, &error), error);
    digest_of("full", digest);
    world.context.system->remove(
        world.context.system->state, VV_WORKING_DIRECTORY, "full");
}

/* Checks that a checkpoint is valid and contains the current values. */
static inline void check_incremental(const char *path)
{
    uint8_t expected[16], found[16];
    digest_now(expected);
    digest_of(path, found);
    cr_assert_eq(memcmp(expected, found, 16), 0, "%s: other values", path);
}

/* Returns the number of data files, and sets their total size. */
static inline size_t count_layers(uint64_t *bytes)
{
    size_t count = 0, size;
    *bytes = 0;
    for (size_t i = 0; i < memory_file_count(world.memory); i++) {
        const char *path = memory_file_path(world.memory, i);
        if (strncmp(path, "run/layers/", 11) != 0)
            continue;
        count++;
        memory_bytes(world.memory, path, &size);
        *bytes += size;
    }
    return count;
}

#endif

/* test_damage.c - a small file with one of everything, damaged in every place:
 * it never passes for good, and a read is right or refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "model/everything.h"
#include "reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"

enum { SAVED = 1, NOW = 2, SECTOR = 512 };

#define PATH "a-1.varve"

struct bench {
    struct memory *memory;
    struct vv_context context;
    varve_graph *graph;
    struct everything model;
    unsigned char *good;
    size_t size;
    long tried, refused, right; /* reads that failed, and that succeeded */
};

static void begin(struct bench *b)
{
    *b = (struct bench){ .memory = memory_new() };
    b->context = test_context(memory_system(b->memory));
    b->graph = vv_graph_new_in(&b->context);
    everything_build(&b->model, b->graph);
    everything_fill(&b->model, SAVED);
    varve_write_options options = everything_options();
    varve_error error;
    cr_assert_ok(varve_save(
        varve_graph_root(b->graph), "a", &options, &error), error);
    const unsigned char *bytes = memory_bytes(b->memory, PATH, &b->size);
    b->good = malloc(b->size);
    memcpy(b->good, bytes, b->size);
    everything_fill(&b->model, NOW);
}

static void end(struct bench *b, const char *what)
{
    cr_log_info("%s: %zu bytes, %ld damaged files, all found; %ld reads "
        "refused, %ld right", what, b->size, b->tried, b->refused, b->right);
    varve_graph_free(b->graph);
    cr_assert_eq(memory_open_count(b->memory), 0);
    memory_free(b->memory);
    free(b->good);
}

static bool is_plausible(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_NOT_A_CHECKPOINT || status == VARVE_TOO_NEW ||
           status == VARVE_EMPTY_FILE;
}

static void check_status(const varve_error *error, size_t place)
{
    cr_assert(is_plausible(error->status), "at %zu: %s: %s", place,
        varve_status_name(error->status), error->message);
    cr_assert(strstr(error->message, PATH), "at %zu: %s", place,
        error->message);
}

/* Opening and verifying never both succeed. */
static void check_found(struct bench *b, size_t place)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&b->context, PATH, &error);
    b->tried++;
    if (reader)
        cr_assert_neq(varve_reader_verify(reader,
            &(varve_verify_options){ .threads = 1 }, &error), VARVE_OK,
            "damage at %zu passes for good", place);
    varve_reader_free(reader);
    check_status(&error, place);
}

static void check_read(struct bench *b, size_t place)
{
    varve_error error = { 0 };
    uint64_t before = everything_digest(&b->model);
    varve_restoration *r = varve_read(varve_graph_root(b->graph), PATH,
        &(varve_read_options){ .threads = 1 }, &error);
    if (r) {
        const char *wrong = everything_differs(&b->model, SAVED);
        cr_assert_null(wrong, "at %zu: %s is wrong", place, wrong);
        everything_fill(&b->model, NOW);
        b->right++;
    } else {
        check_status(&error, place);
        cr_assert(everything_digest(&b->model) == before,
            "at %zu: values changed", place);
        b->refused++;
    }
    varve_restoration_free(r);
}

static void put(struct bench *b, const void *bytes, size_t size)
{
    memory_put(b->memory, PATH, bytes, size);
}

TEST(damage, every_flipped_bit_is_found)
{
    struct bench b;
    begin(&b);
    check_read(&b, 0);
    cr_assert_eq(b.right, 1);
    for (size_t i = 0; i < 8 * b.size; i++) {
        size_t size;
        unsigned char *bytes = memory_bytes(b.memory, PATH, &size);
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        check_found(&b, i / 8);
        if (i % 8 == i / 8 % 8)
            check_read(&b, i / 8);
        bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    }
    end(&b, "flipped bits");
}

TEST(damage, every_cut_is_found)
{
    struct bench b;
    begin(&b);
    for (size_t size = 0; size < b.size; size++) {
        put(&b, b.good, size);
        check_found(&b, size);
        check_read(&b, size);
    }
    cr_assert_eq(b.right, 0);
    end(&b, "cuts");
}

TEST(damage, every_extension_is_found)
{
    struct bench b;
    begin(&b);
    unsigned char *longer = malloc(2 * b.size);
    memcpy(longer, b.good, b.size);
    memcpy(longer + b.size, b.good, b.size);
    for (size_t more = 1; more <= b.size; more += more < 200 ? 1 : 61) {
        put(&b, longer, b.size + more);
        check_found(&b, b.size + more);
        check_read(&b, b.size + more);
        memory_resize(b.memory, PATH, b.size);
        memory_resize(b.memory, PATH, b.size + more); /* zeros */
        check_found(&b, b.size + more);
    }
    cr_assert_eq(b.right, 0);
    free(longer);
    end(&b, "extensions");
}

static void check_sectors(struct bench *b, unsigned char *bytes, size_t place)
{
    if (memcmp(bytes, b->good, b->size) != 0) {
        put(b, bytes, b->size);
        check_found(b, place);
        check_read(b, place);
    }
    memcpy(bytes, b->good, b->size);
}

/* Sectors that were never written, or went to the wrong place. */
TEST(damage, every_lost_or_misplaced_sector_is_found)
{
    struct bench b;
    begin(&b);
    unsigned char *bytes = malloc(b.size);
    unsigned char kept[SECTOR];
    memcpy(bytes, b.good, b.size);
    for (size_t i = 0; i + SECTOR <= b.size; i += SECTOR) {
        memset(bytes + i, 0, SECTOR);
        check_sectors(&b, bytes, i);
        for (size_t k = 0; k + SECTOR <= b.size; k += SECTOR) {
            memcpy(bytes + k, b.good + i, SECTOR);
            check_sectors(&b, bytes, k);
            memcpy(kept, bytes + i, SECTOR);
            memcpy(bytes + i, bytes + k, SECTOR);
            memcpy(bytes + k, kept, SECTOR);
            check_sectors(&b, bytes, k);
        }
    }
    free(bytes);
    end(&b, "sectors");
}

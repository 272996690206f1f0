/* test_wire.c - Tests bits that change on the way to the disk, after checksums
 * were computed, or on the way from it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "damage/bench.h"
#include "reader.h"
#include "save.h"
#include "system.h"

/* A system that flips one bit of the data it transfers. */
static struct {
    const struct vv_system *under;
    struct vv_system system;
    uint64_t written, read; /* bytes transferred */
    uint64_t bit;           /* the bit to flip */
    bool flips_writes, flips_reads;
} wire;

static void flip(uint64_t passed, unsigned char *bytes, size_t size)
{
    if (wire.bit / 8 >= passed && wire.bit / 8 - passed < size)
        bytes[wire.bit / 8 - passed] ^= (unsigned char)(1 << wire.bit % 8);
}

static int64_t write_at(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    unsigned char *copy = malloc(size + 1);
    cr_assert(copy, "the machine is out of memory");
    memcpy(copy, bytes, size);
    if (wire.flips_writes)
        flip(wire.written, copy, size);
    int64_t moved = wire.under->write_at(state, file, copy, size, offset);
    cr_assert_eq(moved, (int64_t)size);
    wire.written += size;
    free(copy);
    return moved;
}

static int64_t read_at(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    int64_t moved = wire.under->read_at(state, file, bytes, size, offset);
    if (moved > 0 && wire.flips_reads)
        flip(wire.read, bytes, (size_t)moved);
    wire.read += moved > 0 ? (uint64_t)moved : 0;
    return moved;
}

/* Makes the graph save and read through this system; the bench reads
 * directly. */
static void begin_wire(struct bench *b, bool with_large)
{
    bench_begin(b, with_large);
    memset(&wire, 0, sizeof wire);
    wire.under = b->context.system;
    wire.system = *wire.under;
    wire.system.write_at = write_at;
    wire.system.read_at = read_at;
    b->graph->context.system = &wire.system;
}

static void save(struct bench *b)
{
    varve_node *root = varve_graph_root(b->graph);
    varve_write_options options = everything_options();
    varve_error error = { 0 };
    wire.under->remove(wire.under->state, VV_WORKING_DIRECTORY, BENCH_PATH);
    cr_assert(vv_set_save_counter(root, 0));
    wire.written = 0;
    cr_assert_ok(varve_save(root, "a", &options, &error), error);
}

/* Data that a save writes twice, or to other files, may change without harm. */
TEST(damage, every_bit_flipped_while_saving_is_found)
{
    struct bench b;
    begin_wire(&b, false);
    everything_fill(&b.model, BENCH_SAVED);
    save(&b);
    cr_assert_not(bench_differs(&b, &b.saved));
    uint64_t bits = 8 * wire.written, harmless = 0;
    uint64_t step = proof_size(9, 1);
    wire.flips_writes = true;
    for (wire.bit = 0; wire.bit < bits; wire.bit += step) {
        save(&b);
        if (bench_differs(&b, &b.saved))
            bench_check(&b, &b.saved, (size_t)wire.bit / 8);
        else
            harmless++;
    }
    cr_assert_geq(b.tried, 8 * b.saved.size / step);
    cr_assert_lt(harmless, 8 * 200 / step + 1);
    proof_count("damage.while_saving", b.tried);
    bench_end(&b, "bits flipped while saving");
}

/* Large values are written directly from the variable, without a copy. */
TEST(damage, a_bit_of_a_large_value_flipped_while_saving_is_found)
{
    struct bench b;
    begin_wire(&b, true);
    everything_fill(&b.model, BENCH_SAVED);
    save(&b);
    uint64_t bits = 8 * wire.written;
    uint64_t most = proof_size(100, 5000);
    wire.flips_writes = true;
    for (uint64_t i = 0; i < most; i++) {
        wire.bit = bench_random(&b, bits);
        save(&b);
        if (bench_differs(&b, &b.saved))
            bench_check(&b, &b.saved, (size_t)wire.bit / 8);
    }
    proof_count("damage.while_saving", b.tried);
    bench_end(&b, "bits of large files flipped while saving");
}

static varve_status open_and_verify(struct bench *b, varve_error *error)
{
    struct vv_context context = test_context(&wire.system);
    wire.read = 0;
    varve_reader *reader = vv_reader_open_in(&context, BENCH_PATH, error);
    varve_status status = reader ? varve_reader_verify(reader,
        &(varve_verify_options){ .threads = 1 }, error) : error->status;
    varve_reader_free(reader);
    b->tried++;
    return status;
}

TEST(damage, every_bit_flipped_while_verifying_is_found)
{
    struct bench b;
    varve_error error = { 0 };
    begin_wire(&b, false);
    cr_assert_ok(open_and_verify(&b, &error), error);
    uint64_t bits = 8 * wire.read;
    cr_assert_geq(bits, 8 * b.saved.size);
    wire.flips_reads = true;
    for (wire.bit = 0; wire.bit < bits; wire.bit++) {
        cr_assert_neq(open_and_verify(&b, &error), VARVE_OK,
            "bit %llu passes for good", (unsigned long long)wire.bit);
        bench_check_error(&error, (size_t)wire.bit / 8);
    }
    b.tried--;
    proof_count("damage.while_reading", b.tried);
    bench_end(&b, "bits flipped while verifying");
}

/* Without room to stage all values, a read reads them twice. A bit that changes
 * the second time is detected too late, and the error reports that. */
static void try_reads(struct bench *b, const varve_read_options *options)
{
    wire.flips_reads = false;
    wire.read = 0;
    cr_assert(bench_read(b, options, 0));
    uint64_t bits = 8 * wire.read, step = proof_size(9, 1), half = 0;
    wire.flips_reads = true;
    for (wire.bit = 0; wire.bit < bits; wire.bit += step) {
        varve_error error = { 0 };
        varve_restoration *r;
        uint64_t before = everything_digest(&b->model);
        wire.read = 0;
        r = varve_read(
            varve_graph_root(b->graph), BENCH_PATH, options, &error);
        b->right += r != NULL;
        b->refused += r == NULL;
        b->tried++;
        if (r) { /* the bit was in padding */
            cr_assert_null(everything_differs(&b->model, BENCH_SAVED),
                "bit %llu", (unsigned long long)wire.bit);
        } else if (error.status == VARVE_PARTIALLY_RESTORED) {
            cr_assert(options, "bit %llu", (unsigned long long)wire.bit);
            half++;
        } else {
            bench_check_error(&error, (size_t)wire.bit / 8);
            cr_assert(everything_digest(&b->model) == before);
        }
        everything_fill(&b->model, BENCH_NOW);
        varve_restoration_free(r);
    }
    cr_assert_eq(half > 0, options != NULL);
}

TEST(damage, every_bit_flipped_while_reading_is_found)
{
    struct bench b;
    begin_wire(&b, false);
    try_reads(&b, NULL);
    try_reads(&b, &(varve_read_options){ .passes = VARVE_TWO_PASSES,
                      .resources = { .staging_size = 1, .threads = 1 } });
    try_reads(&b, &(varve_read_options){
                      .passes = VARVE_ONE_PASS, .resources.threads = 1 });
    proof_count("damage.while_reading", b.tried);
    bench_end(&b, "bits flipped while reading");
}

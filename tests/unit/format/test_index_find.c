/* test_index_find.c - Tests the search for an index in a damaged file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "index_find.h"
#include "layout.h"
#include "support/faulty_system.h"
#include "support/index_sample.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

/* The bytes of a file in memory, and an index to be placed in them. */
struct field {
    struct memory *memory;
    struct vv_context context;
    struct sample sample;
    const unsigned char *index;
    size_t index_size;
    struct vv_index_place place;
};

static void begin(struct field *f, void (*build)(struct sample *))
{
    *f = (struct field){ .memory = memory_new() };
    f->context = test_context(memory_system(f->memory));
    build(&f->sample);
    sample_encode(&f->sample);
    f->index = f->sample.bytes.data;
    f->index_size = f->sample.bytes.size;
    f->place.digest = vv_digest_of(f->index, f->index_size);
}

static void end(struct field *f)
{
    cr_assert_eq(memory_open_count(f->memory), 0);
    sample_clear(&f->sample);
    memory_free(f->memory);
}

/* Creates a file that consists of one byte, repeated. */
static unsigned char *make(struct field *f, size_t size, int byte)
{
    unsigned char *bytes = malloc(size);
    memset(bytes, byte, size);
    memory_put(f->memory, "file", bytes, size);
    free(bytes);
    return memory_bytes(f->memory, "file", &size);
}

static varve_status find(
    struct field *f, const struct vv_context *context, varve_error *error)
{
    const struct vv_system *system = context->system;
    size_t size;
    memory_bytes(f->memory, "file", &size);
    int file = system->open_file(system->state, VV_WORKING_DIRECTORY, "file");
    cr_assert_geq(file, 0);
    varve_status status =
        vv_index_find(context, file, size, &f->place, error);
    system->close(system->state, file);
    return status;
}

static void check_found(struct field *f, uint64_t offset)
{
    varve_error error = { 0 };
    cr_assert_ok(find(f, &f->context, &error), error);
    cr_assert_eq(f->place.size, f->index_size);
    cr_assert_eq(f->place.offset, offset);
}

static void check_nowhere(struct field *f)
{
    varve_error error = { 0 };
    cr_assert_ok(find(f, &f->context, &error), error);
    cr_assert_eq(f->place.size, 0);
}

TEST(index_find, finds_an_index_at_any_multiple_of_64)
{
    struct field f;
    begin(&f, sample_build);
    for (size_t offset = 0; offset < 4096; offset += 64) {
        unsigned char *bytes = make(&f, 4096 + f.index_size, 0xb1);
        memcpy(bytes + offset, f.index, f.index_size);
        check_found(&f, offset);
    }
    unsigned char *bytes = make(&f, 4096 + f.index_size, 0);
    memcpy(bytes + 32, f.index, f.index_size);
    check_nowhere(&f);
    end(&f);
}

/* At the end of a large file, across its blocks, and at its beginning. */
TEST(index_find, finds_an_index_in_any_block)
{
    static const size_t offsets[] = { 64, (1 << 20) - 64, 1 << 20,
        (2 << 20) - 128, (3 << 20) + 640 };
    struct field f;
    begin(&f, sample_build);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        unsigned char *bytes = make(&f, (3 << 20) + 4096 + f.index_size, 0);
        memcpy(bytes + offsets[i], f.index, f.index_size);
        check_found(&f, offsets[i]);
    }
    end(&f);
}

static void build_with_layers(struct sample *s)
{
    sample_build(s);
    sample_add_layers(s);
}

TEST(index_find, finds_the_smallest_index_and_one_with_data_files)
{
    struct field f;
    begin(&f, sample_build_smallest);
    memcpy(make(&f, 64 + f.index_size, 0) + 64, f.index, f.index_size);
    check_found(&f, 64);
    end(&f);
    begin(&f, build_with_layers);
    memcpy(make(&f, 64 + f.index_size, 0) + 64, f.index, f.index_size);
    check_found(&f, 64);
    end(&f);
}

/* For example that of a file stored as a value. */
TEST(index_find, skips_bytes_that_only_resemble_the_index)
{
    struct field f;
    begin(&f, sample_build);
    size_t room = vv_align_up(f.index_size, 64);
    unsigned char *bytes = make(&f, 3 * room, 0);
    for (size_t i = 0; i < 3; i++)
        memcpy(bytes + i * room, f.index, f.index_size);
    bytes[f.index_size - 1] ^= 1;
    bytes[2 * room + 100] ^= 1;
    check_found(&f, room);
    bytes[room + f.index_size - 1] ^= 1;
    check_nowhere(&f);
    end(&f);
}

TEST(index_find, finds_nothing_in_a_partial_index)
{
    struct field f;
    begin(&f, sample_build);
    for (size_t size = 1; size < f.index_size; size++) {
        memcpy(make(&f, size, 0), f.index, size);
        check_nowhere(&f);
    }
    end(&f);
}

enum { HOSTILE = 1 << 16 };

/* Checks the cost of the search: calls, and bytes that are read. */
static void check_cost(struct field *f, uint64_t most_calls)
{
    struct faulty *faulty = faulty_new(memory_system(f->memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error = { 0 };
    uint64_t bytes = 0;
    faulty_plan(faulty,
        &(struct faulty_plan){ .number = -1, .kinds = FAULTY_READ });
    cr_assert_ok(find(f, &context, &error), error);
    cr_assert_eq(f->place.size, 0);
    for (size_t i = 0; i < faulty_log_size(faulty); i++)
        bytes += faulty_log_at(faulty, i)->size;
    cr_assert_leq((uint64_t)faulty_count(faulty), most_calls);
    cr_assert_leq(bytes, 16 * (uint64_t)HOSTILE);
    faulty_free(faulty);
}

/* Each multiple of 64 could begin an index, and nested arrays extend from there
 * to the end. */
TEST(index_find, parses_at_most_as_many_headers_as_bytes)
{
    static const unsigned char begins[] = { 0xb1, 0, 0x41, 0, 1, 0xd8, 0x46,
        0x81 };
    struct field f;
    begin(&f, sample_build);
    unsigned char *bytes = make(&f, HOSTILE, 0x81);
    for (size_t at = 0; at < HOSTILE; at += 64)
        memcpy(bytes + at, begins, sizeof begins);
    check_cost(&f, HOSTILE + HOSTILE / 64 + 2);
    end(&f);
}

/* Each could begin an index whose names extend over all following bytes. */
TEST(index_find, computes_digests_of_at_most_four_times_the_file)
{
    struct field f;
    begin(&f, sample_build);
    unsigned char *bytes = make(&f, HOSTILE, 0);
    size_t last = HOSTILE - 64;
    memcpy(bytes + last, "\x01\xd8\x46", 3);
    for (size_t at = 0; at < last; at += 64) {
        size_t size = last - at - 7;
        const unsigned char begins[] = { 0xb1, 0, 0x5a, 0, 0,
            (unsigned char)(size >> 8), (unsigned char)size };
        memcpy(bytes + at, begins, sizeof begins);
    }
    check_cost(&f, HOSTILE);
    end(&f);
}

TEST(index_find, skips_an_unreadable_sector)
{
    struct field f;
    begin(&f, sample_build);
    unsigned char *bytes = make(&f, 16384, 0);
    memcpy(bytes + 8192, f.index, f.index_size);
    struct faulty *faulty = faulty_new(memory_system(f.memory));
    struct vv_context context = test_context(faulty_system(faulty));
    varve_error error = { 0 };
    faulty_plan(faulty, &(struct faulty_plan){ .number = 0, .second = 1,
        .kinds = FAULTY_READ, .error = EIO });
    cr_assert_ok(find(&f, &context, &error), error);
    cr_assert(faulty_hit(faulty));
    cr_assert_eq(f.place.offset, 8192);
    cr_assert_eq(f.place.size, f.index_size);
    faulty_free(faulty);
    end(&f);
}

TEST(index_find, reports_failed_allocations)
{
    struct field f;
    varve_error error;
    begin(&f, sample_build);
    memcpy(make(&f, 64 + f.index_size, 0) + 64, f.index, f.index_size);
    long failing = 0;
    for (;; failing++) {
        test_fail_allocation(failing, false);
        varve_status status = find(&f, &f.context, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), 0);
    }
    cr_assert_geq(failing, 2);
    end(&f);
}

/* test_pack_line.c - Tests compression of chunks on several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#ifdef VV_HAVE_ZSTD
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "failure.h"
#include "pack_line.h"
#include "support/test_context.h"
#include "system.h"

enum { PARCELS = 700 };

/* A system with a number of processors and startable threads. */
static struct {
    struct vv_system system;
    unsigned processors;
    unsigned threads; /* maximum number of threads */
    unsigned started;
} crowd;

static unsigned count_processors(void *state)
{
    (void)state;
    return crowd.processors;
}

static int start_some(void *state, void *(*function)(void *), void *argument,
    uintptr_t *handle)
{
    if (crowd.started == crowd.threads)
        return -EAGAIN;
    crowd.started++;
    return vv_posix_system.start_thread(state, function, argument, handle);
}

static struct vv_context crowd_of(unsigned processors, unsigned threads)
{
    crowd.system = vv_posix_system;
    crowd.system.processors = count_processors;
    crowd.system.start_thread = start_some;
    crowd.processors = processors;
    crowd.threads = threads;
    crowd.started = 0;
    return test_context(&crowd.system);
}

/* The output: numbers of jobs, and their bytes. */
static struct {
    size_t count;
    size_t kept; /* number of jobs added before, at the last check */
    uint64_t sizes[PARCELS];
    uint32_t frames[PARCELS];
    uint64_t sum; /* of all bytes as written */
    uint8_t plain[VV_CHUNK_SIZE];
    varve_status status; /* result of job number `fails_at` */
    size_t fails_at;
} got;

static uint64_t mix(uint64_t sum, const void *bytes, size_t size)
{
    return (sum ^ vv_hash_of(bytes, size)) * 0x9e3779b97f4a7c15;
}

/* Sets the input of a job; some are incompressible. The bytes are a part of a
 * table, which differs for the first 1,000 numbers. */
static void make_bytes(uint8_t *bytes, size_t size, size_t number)
{
    static uint8_t table[2][VV_CHUNK_SIZE + 4000];
    static bool is_filled;
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof table[0] && !is_filled; i++) {
        random = random * 1664525 + 1013904223;
        table[1][i] = (uint8_t)(random >> 24);
        table[0][i] = (uint8_t)(i % 4 < 2 ? random >> 30 : 7);
    }
    is_filled = true;
    memcpy(bytes, table[number % 5 == 4] + number % 1000 * 4, size);
}

static struct vv_chunk_job job_of(size_t number, uint8_t *bytes)
{
    static const uint64_t sizes[] = { VV_CHUNK_SIZE, 8, 4095, 4096, 70000 };
    struct vv_chunk_job job = { .size = sizes[number % 5],
        .planes = number % 7 == 6 ? 0 : 4,
        .place.offset = number };
    if (number % 11 == 10) /* an extent, or zeros */
        job.size = 1 << 30;
    else
        job.bytes = bytes;
    if (job.bytes)
        make_bytes(bytes, job.size, number);
    return job;
}

static varve_status take(
    void *user, const struct vv_chunk_job *job, varve_error *error)
{
    static uint8_t expected[VV_CHUNK_SIZE];
    size_t number = got.count++, size = (size_t)job->size;
    (void)user;
    if (got.status && number == got.fails_at)
        return vv_fail(error, got.status, "no more");
    cr_assert_eq(job->place.offset, number, "in another order");
    got.sizes[number] = job->size;
    got.frames[number] = job->frame ? job->place.pack.size : 0;
    if (!job->bytes)
        return VARVE_OK;
    struct vv_chunk_job same = job_of(number, expected);
    cr_assert_eq(same.size, job->size);
    cr_assert_eq(memcmp(job->bytes, expected, size), 0,
        "%zu: other bytes", number);
    if (!job->frame) {
        got.sum = mix(got.sum, job->bytes, size);
        return VARVE_OK;
    }
    cr_assert_eq(job->place.pack.plain, size);
    cr_assert_eq(job->place.pack.planes, same.planes);
    cr_assert_eq(ZSTD_decompress(got.plain, sizeof got.plain, job->frame,
                     job->place.pack.size),
        size);
    got.sum = mix(got.sum, job->frame, job->place.pack.size);
    return VARVE_OK;
}

/* Adds a number of jobs. The input of each changes as soon as it is added. */
static varve_status add_all(
    struct vv_pack_line *line, size_t count, varve_error *error)
{
    static uint8_t bytes[VV_CHUNK_SIZE];
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const struct vv_chunk_job job = job_of(i, bytes);
        status = vv_pack_line_add(line, &job, error);
        memset(bytes, 0xee, sizeof bytes);
        got.kept = i + 1 - got.count;
    }
    return status ? status : vv_pack_line_end(line, error);
}

static varve_status pass(
    const struct vv_context *context, size_t count, varve_error *error)
{
    got.count = got.kept = 0;
    got.sum = 0;
    struct vv_pack_line *line = vv_pack_line_new(context, 1, take, NULL);
    if (!line)
        return vv_fail_memory(error, "a line");
    varve_status status = add_all(line, count, error);
    vv_pack_line_free(line);
    return status;
}

TEST(pack_line, gives_the_same_order_with_any_number_of_threads)
{
    static const unsigned ways[][2] = { { 1, 0 }, { 2, 1 }, { 8, 7 }, { 8, 0 },
        { 8, 2 } };
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct vv_context context = crowd_of(ways[i][0], ways[i][1]);
        varve_error error = { 0 };
        cr_assert_ok(pass(&context, PARCELS, &error), error);
        cr_assert_eq(got.count, PARCELS);
        cr_assert_eq(crowd.started, ways[i][1]);
        sum = i ? sum : got.sum;
        cr_assert_eq(got.sum, sum, "%u processors", ways[i][0]);
    }
}

TEST(pack_line, compresses_only_worthwhile_data)
{
    struct vv_context context = crowd_of(2, 1);
    varve_error error = { 0 };
    cr_assert_ok(pass(&context, PARCELS, &error), error);
    for (size_t i = 0; i < PARCELS; i++) {
        bool is_packed = i % 11 != 10 && i % 7 != 6 &&
                         (i % 5 == 0 || i % 5 == 3);
        cr_assert_eq(got.frames[i] > 0, is_packed, "%zu", i);
    }
}

/* No thread is started without work. */
TEST(pack_line, starts_a_thread_for_each_chunk_after_the_first)
{
    for (size_t chunks = 0; chunks < 6; chunks++) {
        static uint8_t bytes[VV_CHUNK_SIZE];
        struct vv_context context = crowd_of(4, 3);
        varve_error error = { 0 };
        got.count = 0;
        struct vv_pack_line *line = vv_pack_line_new(&context, 1, take, NULL);
        for (size_t i = 0; i < chunks; i++) {
            struct vv_chunk_job job = { .bytes = bytes,
                .size = VV_CHUNK_SIZE,
                .planes = 4 };
            cr_assert_ok(vv_pack_line_add(line, &job, &error), error);
        }
        cr_assert_eq(got.count, 0, "none is handed on while there is room");
        vv_pack_line_free(line);
        cr_assert_eq(crowd.started,
            chunks < 2   ? 0
            : chunks < 4 ? chunks - 1
                         : 3);
    }
}

TEST(pack_line, does_not_copy_stable_data_to_compress)
{
    static uint8_t chunks[6][VV_CHUNK_SIZE];
    struct vv_context context = crowd_of(3, 2);
    varve_error error = { 0 };
    got.count = 0;
    struct vv_pack_line *line = vv_pack_line_new(&context, 1, take, NULL);
    for (size_t i = 0; i < 6; i++) {
        struct vv_chunk_job job = { .bytes = chunks[i],
            .stays = true,
            .size = job_of(i, chunks[i]).size,
            .planes = 4,
            .place.offset = i };
        cr_assert_ok(vv_pack_line_add(line, &job, &error), error);
    }
    cr_assert_ok(vv_pack_line_end(line, &error), error);
    cr_assert_eq(got.count, 6);
    vv_pack_line_free(line);
}

TEST(pack_line, passes_on_immediately_without_earlier_jobs)
{
    struct vv_context context = crowd_of(2, 1);
    varve_error error = { 0 };
    got.count = 0;
    struct vv_pack_line *line = vv_pack_line_new(&context, 1, take, NULL);
    long blocks = test_block_count();
    for (size_t i = 0; i < 100; i++) {
        struct vv_chunk_job job = { .size = 9, .place.offset = i };
        cr_assert_ok(vv_pack_line_add(line, &job, &error), error);
        cr_assert_eq(got.count, i + 1);
    }
    cr_assert_eq(test_block_count(), blocks);
    vv_pack_line_free(line);
}

/* Small data between two chunks shares blocks, and the ring of jobs is
 * bounded. */
TEST(pack_line, is_bounded_in_number_and_memory)
{
    static const size_t block = 2 * VV_CHUNK_SIZE + 64;
    for (unsigned processors = 1; processors <= 8; processors *= 2) {
        struct vv_context context = crowd_of(processors, processors - 1);
        varve_error error = { 0 };
        size_t before = test_byte_count();
        test_reset_peak();
        cr_assert_ok(pass(&context, PARCELS, &error), error);
        cr_assert_leq(test_peak_bytes() - before,
            (processors == 1 ? 1 : 2 * processors) * block +
                processors * (VV_CHUNK_SIZE + 4096) + (64 << 10),
            "%u processors", processors);
    }
}

TEST(pack_line, queues_many_small_jobs_after_a_chunk)
{
    static uint8_t bytes[VV_CHUNK_SIZE];
    struct vv_context context = crowd_of(1, 0);
    varve_error error = { 0 };
    got.count = 0;
    struct vv_pack_line *line = vv_pack_line_new(&context, 1, take, NULL);
    struct vv_chunk_job chunk = { .bytes = bytes,
                .size = VV_CHUNK_SIZE,
                .planes = 4 };
    make_bytes(bytes, sizeof bytes, 0);
    cr_assert_ok(vv_pack_line_add(line, &chunk, &error), error);
    for (size_t i = 1; i < PARCELS; i++) {
        struct vv_chunk_job job = { .size = i, .place.offset = i };
        cr_assert_ok(vv_pack_line_add(line, &job, &error), error);
    }
    cr_assert_geq(got.count, PARCELS - 256);
    cr_assert_ok(vv_pack_line_end(line, &error), error);
    cr_assert_eq(got.count, PARCELS);
    vv_pack_line_free(line);
}

TEST(pack_line, ends_when_the_sink_fails)
{
    struct vv_context context = crowd_of(3, 2);
    for (got.fails_at = 0; got.fails_at < 40; got.fails_at++) {
        varve_error error = { 0 };
        got.status = VARVE_NO_SPACE;
        cr_assert_eq(pass(&context, 40, &error), VARVE_NO_SPACE);
        cr_assert_str_eq(error.message, "no more");
        cr_assert_eq(got.count, got.fails_at + 1);
    }
    got.status = VARVE_OK;
}

TEST(pack_line, reports_failed_allocations)
{
    varve_status status = VARVE_NO_MEMORY;
    long number = 0;
    for (; status; number++) {
        struct vv_context context = crowd_of(3, 2);
        varve_error error = { 0 };
        long blocks = test_block_count();
        test_fail_allocation(number, false);
        status = pass(&context, 60, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(test_block_count(), blocks);
    }
    cr_assert_gt(number, 2 + 3 + 6, "the line, threads, and blocks");
}
#endif

/* test_reading.c - Tests reading values with several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <errno.h>

#include "support/faulty_system.h"

#include "layout.h"
#include "reading.h"
#include "system.h"

enum { VALUES = 60 };

/* Returns sizes around the limits that determine how a value is read. */
static size_t size_of(int i)
{
    static const size_t sizes[] = { 0, 1, 63, 4096, 70000, 256 * 1024,
        256 * 1024 + 1, VV_CHUNK_SIZE, VV_CHUNK_SIZE + 1, 3 };
    return sizes[i % 10];
}

static uint8_t byte_of(int i, size_t at)
{
    return (uint8_t)((size_t)i * 31 + at * 7 + at / 251);
}

static uint8_t *memory[VALUES];

static varve_node *make(bool filled)
{
    varve_node *root = new_root();
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < VALUES; i++) {
        size_t size = size_of(i);
        memory[i] = calloc(size + 1, 1);
        for (size_t at = 0; filled && at < size; at++)
            memory[i][at] = byte_of(i, at);
        varve_add_variable(list, VARVE_APPEND,
            varve_view(memory[i], VARVE_UINT8, VARVE_SHAPE(size)));
    }
    return root;
}

static void end(varve_node *root)
{
    for (int i = 0; i < VALUES; i++)
        free(memory[i]);
    free_root(root);
}

static void check(bool filled)
{
    for (int i = 0; i < VALUES; i++) {
        for (size_t at = 0; at < size_of(i); at++) {
            if (memory[i][at] != (filled ? byte_of(i, at) : 0))
                cr_assert_fail("value %d at %zu", i, at);
        }
        cr_assert_eq(memory[i][size_of(i)], 0);
    }
}

TEST(reading, reads_values_of_all_sizes_with_any_number_of_threads)
{
    begin_world();
    varve_node *root = make(true);
    write_root(root);
    end(root);
    for (unsigned i = 0; i < 8; i++) {
        varve_read_options options = { .resources = { .threads = 1 + i % 4,
            .staging_size = i % 2 },
            .passes = i > 3 ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
            .no_verify = i == 7 };
        root = make(false);
        varve_restoration_free(read_root(root, &options));
        check(true);
        end(root);
    }
    end_world();
}

/* Prepares moves of all values without a destination. */
static struct vv_reading verifying(varve_restoration *r, struct vv_move *moves)
{
    for (uint32_t v = 0; v < VALUES; v++) {
        moves[v] = (struct vv_move){ .node = r->pairing.root, .value = v,
            .mode = VV_MOVE_VERIFY };
    }
    return (struct vv_reading){ .d = &r->delivery, .moves = moves,
        .count = VALUES, .only_verify = true };
}

TEST(reading, finds_damage_in_any_value)
{
    begin_world();
    varve_node *root = make(true);
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    struct vv_move moves[VALUES];
    struct vv_reading reading = verifying(r, moves);
    uint64_t sum = 0;
    for (int i = 0; i < VALUES; i++)
        sum += size_of(i);
    cr_assert_eq(vv_reading_size(&reading), sum);
    varve_error error = { 0 };
    cr_assert_ok(vv_read_moves(&reading, &error), error);
    size_t size;
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    for (uint32_t v = 0; v < 10; v++) {
        uint64_t offset = vv_at64(r->file.parsed.index.value_offsets, v);
        if (size_of((int)v) == 0)
            continue;
        unsigned char *last = bytes + offset + size_of((int)v) - 1;
        *last ^= 0x80;
        cr_assert_eq(vv_read_moves(&reading, &error), VARVE_CORRUPT, "%u", v);
        cr_assert_eq(error.status, VARVE_CORRUPT);
        reading.is_verified = true;
        cr_assert_ok(vv_read_moves(&reading, &error), error);
        reading.is_verified = false;
        *last ^= 0x80;
    }
    varve_restoration_free(r);
    end(root);
    end_world();
}

struct progress {
    uint64_t last;
    int calls;
    int cancel_at;
};

static int follow(void *user, uint64_t done, uint64_t total, const char *what)
{
    struct progress *p = user;
    cr_assert(done >= p->last && done <= total && what);
    p->last = done;
    return ++p->calls == p->cancel_at;
}

/* Runs a thread to its end when it is started, so that it is always ahead. */
static int run_at_once(void *state, void *(*function)(void *), void *argument,
    uintptr_t *thread)
{
    (void)state;
    *thread = 0;
    function(argument);
    return 0;
}

static int has_ended(void *state, uintptr_t thread)
{
    (void)state;
    (void)thread;
    return 0;
}

TEST(reading, calls_progress_even_if_other_threads_are_faster)
{
    begin_world();
    varve_node *root = make(true);
    write_root(root);
    end(root);
    struct vv_system system = *world.context.system;
    system.start_thread = run_at_once;
    system.join_thread = has_ended;
    world.context.system = &system;
    struct progress p = { .cancel_at = 1 };
    root = make(false);
    fail_read(root,
        &(varve_read_options){ .progress = follow,
            .progress_user = &p,
            .passes = VARVE_TWO_PASSES,
            .resources = { .threads = 4, .staging_size = 1 } },
        VARVE_CANCELLED);
    check(false);
    end(root);
    end_world();
}

TEST(reading, reports_progress_and_can_be_cancelled)
{
    begin_world();
    varve_node *root = make(true);
    write_root(root);
    end(root);
    struct progress all = { 0 };
    varve_read_options options = { .progress = follow, .progress_user = &all,
        .passes = VARVE_TWO_PASSES,
        .resources = { .threads = 1, .staging_size = 1 } };
    root = make(false);
    varve_restoration_free(read_root(root, &options));
    end(root);
    cr_assert_gt(all.calls, 20);
    for (int at = 1; at < all.calls / 2; at += 7) {
        struct progress p = { .cancel_at = at };
        root = make(false);
        options.progress_user = &p;
        fail_read(root, &options, VARVE_CANCELLED);
        check(false);
        end(root);
    }
    end_world();
}

TEST(reading, handles_every_failed_allocation)
{
    begin_world();
    varve_node *root = make(true);
    write_root(root);
    varve_restoration *r = read_root(root, &(varve_read_options){
                                               .resources.threads = 3 });
    struct vv_move moves[VALUES];
    struct vv_reading reading = verifying(r, moves);
    bool hit = true;
    for (long n = 0; hit; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        varve_status status = vv_read_moves(&reading, &error);
        hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(error.status, status);
    }
    varve_restoration_free(r);
    end(root);
    end_world();
}

/* The reads of a program that has every `step`th of twelve values. */
static struct reads {
    uint64_t count, bytes, longest;
} reads_of(int step)
{
    enum { SIZE = 200000 };
    static uint8_t values[12][SIZE];
    char name[16];
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    struct vv_context old = world.context;
    world.context = test_context(faulty_system(faulty));
    varve_node *root = new_root();
    for (int i = 0; i < 12; i += step) {
        snprintf(name, sizeof name, "%02d", i);
        varve_add_variable(
            root, name, varve_view(values[i], VARVE_UINT8, VARVE_SHAPE(SIZE)));
    }
    if (step == 1)
        write_root(root);
    faulty_plan(faulty, NULL);
    varve_restoration_free(read_root(root, &(varve_read_options){
                                               .resources.threads = 1 }));
    struct reads reads = { 0 };
    for (size_t i = 0; i < faulty_log_size(faulty); i++) {
        const struct faulty_call *call = faulty_log_at(faulty, i);
        if (call->kind != FAULTY_READ)
            continue;
        reads.count++;
        reads.bytes += (uint64_t)call->result;
        if (call->size > reads.longest)
            reads.longest = call->size;
    }
    free_root(root);
    faulty_free(faulty);
    world.context = old;
    return reads;
}

TEST(reading, reads_adjacent_values_together_within_a_chunk)
{
    begin_world();
    struct reads all = reads_of(1);
    cr_assert_leq(all.longest, VV_CHUNK_SIZE);
    cr_assert_leq(all.count, 3 + 3); /* plus the reads for opening */
    struct reads few = reads_of(3);
    cr_assert_lt(few.longest, 300000);
    cr_assert_lt(few.bytes, 4 * 200000 + 20000);
    end_world();
}

/* Data buffered for the program may be large, too. */
static struct long_state {
    unsigned char *bytes;
    size_t size;
    int loads;
} long_state;

static varve_status save_long(void *self, varve_sink *sink)
{
    struct long_state *state = self;
    varve_put(sink, state->bytes, state->size);
    return VARVE_OK;
}

static varve_status load_long(void *self, const void *bytes, size_t size)
{
    struct long_state *state = self;
    cr_assert_eq(size, state->size);
    memcpy(state->bytes, bytes, size);
    state->loads++;
    return VARVE_OK;
}

static const varve_state_callbacks long_callbacks = { save_long, load_long };

static varve_node *make_long(varve_string *text)
{
    varve_node *root = new_root();
    varve_add_variable(root, "a", varve_array(text, 1));
    varve_add_state(root, "s", &long_callbacks, &long_state);
    return root;
}

TEST(reading, reads_strings_and_states_of_several_chunks)
{
    enum { SIZE = 2 * VV_CHUNK_SIZE + 1000 };
    unsigned char *saved = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        saved[i] = byte_of(1, i);
    long_state = (struct long_state){ malloc(SIZE), SIZE, 0 };
    memcpy(long_state.bytes, saved, SIZE);
    begin_world();
    varve_string text = { (char *)saved, SIZE };
    varve_node *root = make_long(&text);
    write_root(root);
    free_root(root);
    for (unsigned i = 0; i < 5; i++) {
        varve_read_options options = { .resources = { .threads = 1 + i % 3,
            .staging_size = i & 1 },
            .passes = i == 2 ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
            .no_verify = i == 3 };
        bool is_damaged = i == 4;
        size_t size;
        unsigned char *file = memory_bytes(world.memory, FILE_NAME, &size);
        memset(long_state.bytes, 0, SIZE);
        long_state.loads = 0;
        text = (varve_string){ "old", 3 };
        root = make_long(&text);
        if (is_damaged) {
            file[VV_CHUNK_SIZE * 5 / 2] ^= 1;
            fail_read(root, &options, VARVE_CORRUPT);
            cr_assert(text.size == 3 && long_state.loads == 0);
        } else {
            varve_restoration_free(read_root(root, &options));
            cr_assert_eq(text.size, SIZE);
            cr_assert_eq(memcmp(text.data, saved, SIZE), 0);
            cr_assert_eq(memcmp(long_state.bytes, saved, SIZE), 0);
            cr_assert_eq(long_state.loads, 1);
        }
        free_root(root);
    }
    free(saved);
    free(long_state.bytes);
    end_world();
}

TEST(reading, accepts_a_null_error)
{
    size_t size;
    begin_world();
    varve_node *root = make(true);
    write_root(root);
    end(root);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    bytes[64] ^= 1; /* the first value with data */
    for (int i = 0; i < 3; i++) {
        root = make(false);
        cr_assert_null(varve_read(root, FILE_NAME,
            &(varve_read_options){ .resources.staging_size = i == 1,
                .passes = i == 2 ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
                .resources.threads = 1 },
            NULL));
        if (i < 2)
            check(false);
        end(root);
    }
    end_world();
}

/* Damage is reported even if the file has been deleted. */
TEST(reading, verifies_after_the_file_is_deleted)
{
    size_t size;
    varve_error error = { 0 };
    begin_world();
    varve_node *root = make(true);
    write_root(root);
    varve_restoration *r = read_root(root, NULL);
    end(root);
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    bytes[64] ^= 1;
    cr_assert_eq(varve_restoration_verify(r, &error), VARVE_CORRUPT);
    cr_assert_not_null(strstr(error.message, FILE_NAME), "%s", error.message);
    varve_restoration_free(r);
    end_world();
}

/* --- A disk, and a file that changes -------------------------------------- */

enum { RUNS = 40 };

static uint8_t *large;

static varve_node *make_large(bool filled)
{
    varve_node *root = new_root();
    large = calloc(RUNS, VV_CHUNK_SIZE);
    for (size_t i = 0; filled && i < (size_t)RUNS * VV_CHUNK_SIZE; i++)
        large[i] = byte_of(2, i);
    varve_add_variable(root, "x",
        varve_view(large, VARVE_UINT8,
            VARVE_SHAPE((size_t)RUNS * VV_CHUNK_SIZE)));
    return root;
}

static void end_large(varve_node *root)
{
    free(large);
    free_root(root);
}

static bool is_large_there(void)
{
    size_t i = 0;
    while (i < (size_t)RUNS * VV_CHUNK_SIZE && large[i] == byte_of(2, i))
        i++;
    return i == (size_t)RUNS * VV_CHUNK_SIZE;
}

/* Returns the chunks in the order in which they were read or announced. */
static size_t chunks_of(const struct faulty *faulty, enum faulty_kind kind,
    size_t chunks[3 * RUNS], size_t at[3 * RUNS])
{
    size_t count = 0;
    for (size_t i = 0; i < faulty_log_size(faulty); i++) {
        const struct faulty_call *call = faulty_log_at(faulty, i);
        if (call->kind != kind || call->size != VV_CHUNK_SIZE)
            continue;
        cr_assert_lt(count, 3 * RUNS);
        chunks[count] = (size_t)(call->offset / VV_CHUNK_SIZE);
        at[count++] = i;
    }
    return count;
}

static void check_order(const struct faulty *faulty)
{
    size_t reads[3 * RUNS], announced[3 * RUNS];
    size_t read_at[3 * RUNS], announced_at[3 * RUNS];
    cr_assert_eq(chunks_of(faulty, FAULTY_READ, reads, read_at), 2 * RUNS);
    cr_assert_eq(
        chunks_of(faulty, FAULTY_WILL_READ, announced, announced_at), RUNS - 1);
    for (size_t i = 0; i < RUNS; i++) {
        cr_assert_eq(reads[i], i);
        cr_assert_eq(reads[2 * RUNS - 1 - i], i, "from the end");
    }
    for (size_t i = 1; i < RUNS; i++) {
        size_t before = i > 16 ? i - 16 : 0;
        cr_assert_eq(announced[i - 1], reads[RUNS + i]);
        cr_assert(announced_at[i - 1] < read_at[RUNS + before]);
    }
}

TEST(reading, reads_verified_data_from_the_end_with_hints)
{
    begin_world();
    varve_node *root = make_large(true);
    write_root(root);
    end_large(root);
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    struct vv_context old = world.context;
    world.context = test_context(faulty_system(faulty));
    for (int can_announce = 1; can_announce >= 0; can_announce--) {
        root = make_large(false);
        faulty_plan(faulty, can_announce ? NULL
                                     : &(struct faulty_plan){ .number = 0,
                                           .sticky = true,
                                           .kinds = FAULTY_WILL_READ,
                                           .error = ENOSYS });
        varve_restoration_free(read_root(
            root, &(varve_read_options){ .passes = VARVE_TWO_PASSES,
                      .resources = { .threads = 1, .staging_size = 1 } }));
        cr_assert(is_large_there());
        check_order(faulty);
        end_large(root);
    }
    world.context = old;
    faulty_free(faulty);
    end_world();
}

/* A byte that changes after its verification. */
struct change {
    unsigned char *byte;
    uint64_t when;
};

static int change(void *user, uint64_t done, uint64_t total, const char *what)
{
    struct change *change = user;
    (void)total, (void)what;
    if (done >= change->when && change->byte) {
        *change->byte ^= 4;
        change->byte = NULL;
    }
    return 0;
}

TEST(reading, finds_damage_between_its_passes)
{
    size_t size, all = (size_t)RUNS * VV_CHUNK_SIZE;
    begin_world();
    varve_node *root = make_large(true);
    write_root(root);
    end_large(root);
    unsigned char *bytes = memory_bytes(world.memory, FILE_NAME, &size);
    /* After the last one, which is read first, so that some data has
     * arrived. */
    for (size_t chunk = 0; chunk + 3 < RUNS; chunk += 12) {
        unsigned char *byte = bytes + (chunk + 1) * VV_CHUNK_SIZE - 5;
        struct change damage = { byte, all };
        root = make_large(false);
        unsigned threads = 1 + chunk / 12 % 2;
        varve_error error = { 0 };
        varve_restoration *r = varve_read(root, FILE_NAME,
            &(varve_read_options){ .passes = VARVE_TWO_PASSES,
                .resources = { .threads = threads, .staging_size = 1 },
                .progress = change,
                .progress_user = &damage },
            &error);
        if (r) { /* the other thread read the chunk before the damage */
            cr_assert(threads == 2 && is_large_there());
            varve_restoration_free(r);
        } else {
            cr_assert_eq(error.status, VARVE_PARTIALLY_RESTORED);
            cr_assert_not_null(strstr(error.message, "expected XXH3-128"));
            cr_assert_not_null(strstr(error.message, "\n  x"));
        }
        *byte ^= damage.byte ? 0 : 4;
        end_large(root);
    }
    end_world();
}

/* In the second pass: the end of the file, an error, and short reads, at each
 * chunk. */
TEST(reading, reports_a_file_truncated_between_its_passes)
{
    static const struct {
        enum faulty_way way;
        varve_status status;
        const char *words;
    } cases[] = {
        { FAULTY_NOTHING, VARVE_PARTIALLY_RESTORED,
            "but the file ends" },
        { FAULTY_FAILS, VARVE_PARTIALLY_RESTORED, "read failed" },
        { FAULTY_HALF, VARVE_OK, NULL },
    };
    begin_world();
    varve_node *root = make_large(true);
    write_root(root);
    end_large(root);
    struct faulty *faulty = faulty_new(memory_system(world.memory));
    struct vv_context old = world.context;
    world.context = test_context(faulty_system(faulty));
    varve_read_options options = { .passes = VARVE_TWO_PASSES,
        .resources = { .threads = 1, .staging_size = 1 } };
    root = make_large(false);
    faulty_plan(faulty, &(struct faulty_plan){ .number = -1,
                            .kinds = FAULTY_READ });
    varve_restoration_free(read_root(root, &options));
    long reads = faulty_count(faulty);
    end_large(root);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (long n = reads - RUNS + 1; n < reads; n += 9) {
            root = make_large(false);
            faulty_plan(faulty, &(struct faulty_plan){ .number = n,
                                    .kinds = FAULTY_READ,
                                    .way = cases[i].way,
                                    .error = EIO });
            if (cases[i].status) {
                varve_error error = fail_read(root, &options, cases[i].status);
                cr_assert_not_null(
                    strstr(error.message, cases[i].words), "%s", error.message);
            } else {
                varve_restoration_free(read_root(root, &options));
                cr_assert(is_large_there());
            }
            cr_assert(faulty_hit(faulty));
            end_large(root);
        }
    }
    world.context = old;
    faulty_free(faulty);
    end_world();
}

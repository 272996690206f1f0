/* test_record_prefetch.c - Tests prefetching of batches.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/memory_system.h"
#include "support/test_context.h"

#include "default_allocator.h"
#include "fixed_source.h"
#include "record_prefetch.h"
#include "record_source.h"
#include "store.h"
#include "system.h"

enum { RECORDS = 11 };

/* Record i is the byte 'a' + i. */
struct letters {
    atomic_int reads;
    atomic_int bad; /* number of remaining failures of this record: */
    atomic_int left;
    atomic_int slow; /* milliseconds for each record */
    atomic_ulong reader; /* the thread of the last read */
};

static void rest(long milliseconds)
{
    const struct timespec time = { .tv_nsec = milliseconds * 1000000L };
    nanosleep(&time, NULL);
}

static varve_status read_letter(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    struct letters *letters = self;
    char letter = (char)('a' + index);
    letters->reads++;
    letters->reader = (unsigned long)pthread_self();
    if (letters->slow)
        rest(letters->slow);
    if ((uint64_t)letters->bad == index && letters->left > 0) {
        letters->left--;
        snprintf(error->message, sizeof error->message, "no %c", letter);
        return error->status = VARVE_IO;
    }
    varve_put(sink, &letter, 1);
    return VARVE_OK;
}

static varve_source source_of(struct letters *letters)
{
    return (varve_source){
        .name = "letters",
        .count = RECORDS,
        .read = read_letter,
        .self = letters,
    };
}

static varve_records *open_letters(
    struct letters *letters, varve_records_options options)
{
    varve_error error = { 0 };
    const varve_source source = source_of(letters);
    options.allocator = test_allocator();
    varve_records *records = varve_records_open(&source, &options, &error);
    cr_assert(records, "%s", error.message);
    return records;
}

/* Appends a batch, and '.' after the last one of an epoch; returns false at the
 * end. */
static bool append(varve_records *records, size_t count, char *text)
{
    varve_batch batch;
    varve_error error = { 0 };
    cr_assert_ok(varve_records_take(records, count, &batch, &error), error);
    for (size_t i = 0; i < batch.count; i++) {
        cr_assert_eq(batch.records[i].size, 1);
        strncat(text, batch.records[i].data, 1);
    }
    strcat(text, batch.ends_epoch ? "." : " ");
    return batch.count > 0;
}

static varve_records_options options_of(int way)
{
    return (varve_records_options){
        .shuffle = way & 1,
        .seed = 3,
        .drop_last = way & 2,
        .batch = (size_t)way % 5 + 1,
        .epochs = 3,
    };
}

/* --- Batches -------------------------------------------------------------- */

static void reads_the_same(int way, uint64_t prefetch)
{
    char plain[256] = "", ahead[256] = "";
    struct letters letters = { .reads = 0 };
    varve_records_options options = options_of(way);
    varve_records *records = open_letters(&letters, options);
    while (append(records, options.batch, plain))
        ;
    varve_records_free(records);
    options.prefetch = prefetch;
    records = open_letters(&letters, options);
    while (append(records, options.batch, ahead))
        ;
    cr_assert_str_eq(ahead, plain);
    cr_assert_eq(varve_records_epoch(records), 3);
    cr_assert(!append(records, options.batch, ahead));
    varve_records_free(records);
}

TEST(record_prefetch, gives_the_same_batches_as_without_it)
{
    for (int way = 0; way < 40; way++) {
        static const uint64_t most[] = { 1, 3, 8, 100, UINT64_MAX };
        reads_the_same(way, most[way % 5]);
    }
}

/* Other sizes and positions, in random order. */
TEST(record_prefetch, follows_the_program_to_another_position)
{
    for (unsigned way = 0; way < 200; way++) {
        char plain[1024] = "", ahead[1024] = "";
        struct letters letters = { .reads = 0 };
        varve_records_options options = options_of((int)way & 1);
        options.epochs = 0;
        varve_records *one = open_letters(&letters, options);
        options.prefetch = way % 7 + 1;
        varve_records *other = open_letters(&letters, options);
        for (unsigned i = 0, turn = way; i < 20; i++) {
            turn = turn * 1103515245 + 12345;
            if ((turn >> 16) % 5 == 0) {
                varve_records_rewind(one, turn >> 28);
                varve_records_rewind(other, turn >> 28);
            }
            size_t count = (turn >> 20) % 4 + 1;
            append(one, count, plain);
            append(other, count, ahead);
            cr_assert_eq(varve_records_consumed(other),
                varve_records_consumed(one));
        }
        cr_assert_str_eq(ahead, plain);
        varve_records_free(one);
        varve_records_free(other);
    }
}

/* --- Read-ahead ----------------------------------------------------------- */

/* Returns the number of read records once it does not change any more. */
static int settled_reads(struct letters *letters)
{
    for (int before = -1, same = 0; same < 20; rest(1)) {
        same = letters->reads == before ? same + 1 : 0;
        before = letters->reads;
    }
    return letters->reads;
}

TEST(record_prefetch, reads_ahead_as_far_as_requested)
{
    char text[64] = "";
    struct letters letters = { .reads = 0 };
    const varve_records_options options = { .batch = 2, .prefetch = 6 };
    varve_records *records = open_letters(&letters, options);
    cr_assert_eq(settled_reads(&letters), 0); /* a position may be restored */
    append(records, 2, text);
    cr_assert_eq(settled_reads(&letters), 8);
    cr_assert(letters.reader != (unsigned long)pthread_self());
    cr_assert_eq(varve_records_consumed(records), 2);
    append(records, 2, text);
    append(records, 2, text);
    append(records, 2, text);
    /* Ten, one at the end of the epoch, and two of the next. */
    cr_assert_eq(settled_reads(&letters), 13);
    cr_assert_eq(varve_records_consumed(records), 8);
    cr_assert_eq(varve_records_epoch(records), 0);
    varve_records_free(records);
}

TEST(record_prefetch, reads_at_least_a_batch_ahead)
{
    char text[64] = "";
    struct letters letters = { .reads = 0 };
    const varve_records_options options = { .batch = 4, .prefetch = 1 };
    varve_records *records = open_letters(&letters, options);
    append(records, 4, text);
    cr_assert_eq(settled_reads(&letters), 8);
    varve_records_free(records);
}

TEST(record_prefetch, stops_reading_at_the_end_of_the_data)
{
    char text[64] = "";
    struct letters letters = { .reads = 0 };
    const varve_records_options options = {
        .batch = 4, .prefetch = 100, .epochs = 1,
    };
    varve_records *records = open_letters(&letters, options);
    append(records, 4, text);
    cr_assert_eq(settled_reads(&letters), RECORDS);
    while (append(records, 4, text))
        ;
    cr_assert_str_eq(text, "abcd efgh ijk. ");
    varve_records_free(records);
}

/* Between two records the thread checks whether the batch is still wanted. */
TEST(record_prefetch, ends_in_the_middle_of_a_batch)
{
    char text[64] = "";
    struct letters letters = { .reads = 0 };
    const varve_records_options options = { .batch = 10, .prefetch = 10 };
    varve_records *records = open_letters(&letters, options);
    append(records, 10, text);
    settled_reads(&letters); /* the last of the epoch */
    letters.slow = 20;
    append(records, 10, text);
    int before = letters.reads;
    varve_records_free(records);
    cr_assert_lt(letters.reads, before + 9);
}

/* --- Hints ---------------------------------------------------------------- */

enum { SIZE = 5 };

/* The hints and reads of each record of a file with fixed size, by a thread for
 * which the test waits. */
static struct {
    const struct vv_system *under;
    int hinted[RECORDS], read[RECORDS];
    int unhinted; /* number of records read before their hint */
} disk;

static int note_hint(void *state, int file, uint64_t offset, uint64_t size)
{
    (void)state, (void)file;
    cr_assert_eq(offset % SIZE, 1);
    cr_assert_eq(size, SIZE);
    disk.hinted[offset / SIZE]++;
    return -EIO; /* a hint may fail */
}

static int64_t note_read(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    if (size == SIZE) {
        disk.read[offset / SIZE]++;
        disk.unhinted += disk.hinted[offset / SIZE] == 0;
    }
    return disk.under->read_at(state, file, bytes, size, offset);
}

static void read_with_hints(varve_records_options options)
{
    unsigned char bytes[1 + RECORDS * SIZE] = { 0 };
    varve_error error = { 0 };
    varve_batch batch = { .count = 1 };
    struct memory *memory = memory_new();
    disk.under = memory_system(memory);
    memset(disk.hinted, 0, sizeof disk.hinted);
    memset(disk.read, 0, sizeof disk.read);
    disk.unhinted = 0;
    struct vv_system system = *disk.under;
    system.will_read = note_hint;
    system.read_at = note_read;
    struct vv_context context = test_context(&system);
    memory_put(memory, "file", bytes, sizeof bytes);
    const struct vv_fixed fixed = { "file", 1, SIZE };
    varve_records *records =
        vv_records_open_fixed_in(&context, &fixed, &options, &error);
    cr_assert(records, "%s", error.message);
    while (batch.count > 0)
        cr_assert_ok(varve_records_next(records, &batch, &error), error);
    varve_records_free(records);
    memory_free(memory);
}

TEST(record_prefetch, gives_hints_for_shuffled_records)
{
    for (size_t batch = 1; batch < 4; batch++) {
        varve_records_options options = {
            .shuffle = true, .epochs = 1, .batch = batch, .prefetch = 4,
        };
        read_with_hints(options);
        cr_assert_eq(disk.unhinted, 0);
        for (int i = 0; i < RECORDS; i++) {
            cr_assert_eq(disk.hinted[i], 1);
            cr_assert_eq(disk.read[i], 1);
        }
        options.shuffle = false;
        read_with_hints(options);
        cr_assert_eq(disk.unhinted, RECORDS);
        options.shuffle = true;
        options.prefetch = 0;
        read_with_hints(options);
        cr_assert_eq(disk.unhinted, RECORDS);
    }
}

/* --- Failures ------------------------------------------------------------- */

TEST(record_prefetch, fails_when_the_program_reads_the_record)
{
    char text[64] = "";
    varve_batch batch;
    varve_error error = { 0 };
    struct letters letters = { .bad = 5, .left = 2 };
    const varve_records_options options = {
        .batch = 2, .prefetch = 100, .epochs = 1,
    };
    varve_records *records = open_letters(&letters, options);
    append(records, 2, text);
    settled_reads(&letters); /* the thread has failed by now */
    append(records, 2, text);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(varve_records_next(records, &batch, &error), VARVE_IO);
        cr_assert_str_eq(error.message, "no f");
        cr_assert_eq(varve_records_consumed(records), 4);
    }
    while (append(records, 2, text))
        ;
    cr_assert_str_eq(text, "ab cd ef gh ij k. ");
    varve_records_free(records);
}

/* It is the failure of a record that is no longer wanted. */
TEST(record_prefetch, drops_a_failure_when_the_program_moves_elsewhere)
{
    char text[64] = "";
    struct letters letters = { .bad = 3, .left = 1 };
    const varve_records_options options = { .batch = 1, .prefetch = 100 };
    varve_records *records = open_letters(&letters, options);
    append(records, 1, text);
    settled_reads(&letters);
    cr_assert_eq(letters.left, 0);
    varve_records_rewind(records, 0);
    for (int i = 0; i < 5; i++)
        append(records, 1, text);
    cr_assert_str_eq(text, "a a b c d e ");
    varve_records_free(records);
}

static int no_thread(
    void *state, void *(*function)(void *), void *argument, uintptr_t *handle)
{
    (void)state, (void)function, (void)argument, (void)handle;
    return -EAGAIN;
}

TEST(record_prefetch, reports_a_thread_that_cannot_start)
{
    varve_error error = { 0 };
    struct letters letters = { .reads = 0 };
    const varve_source source = source_of(&letters);
    struct vv_system system = *vv_default_system();
    system.start_thread = no_thread;
    struct vv_context context = test_context(&system);
    const varve_records_options options = { .prefetch = 3 };
    cr_assert_null(vv_records_open_in(&context, &source, &options, &error));
    cr_assert(strstr(error.message, "the thread that reads ahead of") &&
        strstr(error.message, "letters"), "%s", error.message);
    cr_assert_eq(error.system_error, EAGAIN);
}

TEST(record_prefetch, handles_failed_allocations)
{
    const varve_records_options options = {
        .batch = 2, .prefetch = 4, .epochs = 1, .allocator = test_allocator(),
    };
    for (long n = 0;; n++) {
        char text[64] = "";
        varve_batch batch = { .count = 1 };
        varve_error error = { 0 };
        struct letters letters = { .reads = 0 };
        const varve_source source = source_of(&letters);
        test_fail_allocation(n, false);
        varve_records *records = varve_records_open(&source, &options, &error);
        varve_status status = records ? VARVE_OK : error.status;
        while (records && batch.count > 0) {
            varve_status last = varve_records_next(records, &batch, &error);
            if (last) { /* the next call reads the batch again */
                cr_assert_eq(status, VARVE_OK);
                status = last;
                continue;
            }
            for (size_t i = 0; i < batch.count; i++)
                strncat(text, batch.records[i].data, 1);
        }
        bool failed = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        cr_assert_eq(status, failed ? VARVE_NO_MEMORY : VARVE_OK);
        cr_assert_str_eq(text, records ? "abcdefghijk" : "");
        varve_records_free(records);
        if (!failed)
            break;
    }
    varve_error error = { 0 };
    const varve_records_options many = { .prefetch = UINT64_MAX };
    const varve_source vast = { .count = UINT64_MAX, .read = read_letter };
    cr_assert_null(varve_records_open(&vast, &many, &error));
    cr_assert_eq(error.status, VARVE_NO_MEMORY);
}

/* --- Forks ---------------------------------------------------------------- */

TEST(record_prefetch, is_refused_in_a_child_process)
{
    char text[64] = "";
    struct letters letters = { .slow = 1 };
    const varve_records_options options = { .batch = 1, .prefetch = 10 };
    varve_records *records = open_letters(&letters, options);
    append(records, 1, text);
    for (int i = 0; i < 9; i++) {
        pid_t child = fork();
        if (child == 0) {
            varve_batch batch;
            varve_error error = { 0 };
            bool is_refused =
                varve_records_next(records, &batch, &error) == VARVE_MISUSE &&
                strstr(error.message, "open them after the fork") &&
                varve_records_consumed(records) == (uint64_t)i + 1;
            varve_records_free(records);
            _exit(is_refused ? 0 : 1);
        }
        int status;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert_eq(status, 0);
        append(records, 1, text);
    }
    cr_assert_str_eq(text, "a b c d e f g h i j ");
    varve_records_free(records);
}

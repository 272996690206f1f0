/* test_records.c - Tests batches, epochs and positions of records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

/* --- A source of the test: record i is the number i ---------------------- */

struct numbers {
    uint64_t count;
    uint64_t bad;    /* a record that cannot be read */
    bool says;       /* sets a message */
    uint64_t prints; /* its fingerprint */
    int closed;
};

static varve_status read_number(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    struct numbers *numbers = self;
    cr_assert_lt(index, numbers->count);
    varve_put(sink, &index, sizeof index);
    if (index != numbers->bad)
        return VARVE_OK;
    if (numbers->says) {
        error->status = VARVE_NOT_FOUND;
        error->system_error = 2;
        strcpy(error->message, "the number is gone");
    }
    return VARVE_IO;
}

static void close_numbers(void *self)
{
    ((struct numbers *)self)->closed++;
}

static varve_records *open_numbers(
    struct numbers *numbers, varve_records_options options)
{
    varve_error error = { 0 };
    const varve_source source = {
        .name = "numbers",
        .count = numbers->count,
        .fingerprint = { numbers->prints, 7 },
        .read = read_number,
        .close = close_numbers,
        .self = numbers,
    };
    options.allocator = test_allocator();
    varve_records *records = varve_records_open(&source, &options, &error);
    cr_assert(records, "%s", error.message);
    return records;
}

/* A batch as numbers, with checks of its properties. */
struct seen {
    uint64_t epoch;
    size_t count;
    bool ends_epoch;
    uint64_t numbers[32];
};

static struct seen next(varve_records *records)
{
    varve_error error = { 0 };
    varve_batch batch;
    cr_assert_ok(varve_records_next(records, &batch, &error), error);
    struct seen seen = { batch.epoch, batch.count, batch.ends_epoch, { 0 } };
    for (size_t i = 0; i < batch.count; i++) {
        cr_assert_eq(batch.records[i].size, 8);
        memcpy(&seen.numbers[i], batch.records[i].data, 8);
        cr_assert_eq(seen.numbers[i], batch.records[i].index);
    }
    if (batch.count) {
        cr_assert_arr_eq(batch.records[0].data, seen.numbers,
            batch.count * sizeof seen.numbers[0]);
    }
    return seen;
}

/* --- Epochs and batches ------------------------------------------------- */

static struct numbers many(uint64_t count)
{
    return (struct numbers){ .count = count, .bad = UINT64_MAX };
}

/* Checks all batches for one choice of options. */
static void check_epochs(struct numbers numbers, varve_records_options o)
{
    varve_records *records = open_numbers(&numbers, o);
    size_t size = o.batch ? o.batch : 1;
    for (uint64_t epoch = 0; epoch < o.epochs && numbers.count; epoch++) {
        bool given[32] = { false };
        uint64_t whole = numbers.count;
        if (o.drop_last)
            whole -= whole % size;
        for (uint64_t done = 0; done < whole;) {
            cr_assert_eq(varve_records_epoch(records), epoch);
            cr_assert_eq(varve_records_consumed(records), done);
            struct seen seen = next(records);
            cr_assert_eq(seen.epoch, epoch);
            cr_assert_eq(
                seen.count, whole - done < size ? whole - done : size);
            for (size_t i = 0; i < seen.count; i++) {
                cr_assert(!given[seen.numbers[i]]);
                given[seen.numbers[i]] = true;
                cr_assert(o.shuffle || seen.numbers[i] == done + i);
            }
            done += seen.count;
            cr_assert_eq(seen.ends_epoch, done == whole);
        }
    }
    for (int i = 0; i < 3; i++)
        cr_assert_eq(next(records).count, 0);
    varve_records_free(records);
    cr_assert_eq(numbers.closed, 1);
}

TEST(records, are_read_in_batches_and_epochs)
{
    for (uint64_t count = 0; count < 12; count++) {
        for (size_t batch = 0; batch < 14; batch++) {
            for (int way = 0; way < 4; way++) {
                varve_records_options options = {
                    .batch = batch,
                    .epochs = 3,
                    .shuffle = way & 1,
                    .drop_last = way & 2,
                    .seed = 5,
                };
                if (count == 0 || batch <= count || !options.drop_last)
                    check_epochs(many(count), options);
            }
        }
    }
}

TEST(records, of_many_epochs_never_end)
{
    struct numbers numbers = many(3);
    varve_records *records =
        open_numbers(&numbers, (varve_records_options){ .batch = 2 });
    for (uint64_t i = 0; i < 1000; i++) {
        struct seen seen = next(records);
        cr_assert_eq(seen.epoch, i / 2);
        cr_assert_eq(seen.count, 2 - i % 2);
    }
    varve_records_free(records);
    numbers = many(0);
    records = open_numbers(&numbers, (varve_records_options){ .batch = 2 });
    cr_assert_eq(next(records).count, 0);
    varve_records_free(records);
}

static void take_order(varve_records *records, uint64_t order[20])
{
    for (int i = 0; i < 20; i++)
        order[i] = next(records).numbers[0];
}

TEST(records, have_an_order_given_by_seed_and_epoch)
{
    struct numbers numbers = many(20);
    varve_records_options options = { .shuffle = true, .seed = 1 };
    uint64_t first[20], second[20], other[20];
    varve_records *records = open_numbers(&numbers, options);
    take_order(records, first);
    take_order(records, second);
    cr_assert_arr_neq(first, second, sizeof first);
    varve_records_rewind(records, 0);
    take_order(records, other);
    cr_assert_arr_eq(first, other, sizeof first);
    varve_records_rewind(records, 1);
    take_order(records, other);
    cr_assert_arr_eq(second, other, sizeof first);
    varve_records_free(records);
    options.seed = 2;
    records = open_numbers(&numbers, options);
    take_order(records, other);
    cr_assert_arr_neq(first, other, sizeof first);
    varve_records_free(records);
}

TEST(records, can_be_read_with_other_batch_sizes)
{
    varve_error error = { 0 };
    struct numbers numbers = many(10);
    varve_records *records = open_numbers(&numbers,
        (varve_records_options){ .batch = 3, .drop_last = true });
    varve_batch batch;
    cr_assert_ok(varve_records_take(records, 5, &batch, &error), error);
    cr_assert_eq(batch.count, 5);
    cr_assert(!batch.ends_epoch);
    cr_assert_ok(varve_records_take(records, 0, &batch, &error), error);
    cr_assert_eq(batch.count, 1);
    cr_assert_eq(batch.records->index, 5);
    /* The remaining four records are fewer than a batch of five. */
    cr_assert_ok(varve_records_take(records, 5, &batch, &error), error);
    cr_assert_eq(batch.epoch, 1);
    cr_assert_eq(batch.records->index, 0);
    cr_assert_eq(
        varve_records_take(records, 11, &batch, &error), VARVE_MISUSE);
    cr_assert_eq(varve_records_consumed(records), 5);
    varve_records_free(records);
}

/* --- Failures ----------------------------------------------------------- */

TEST(records, that_cannot_be_read_do_not_change_the_position)
{
    varve_error error = { 0 };
    struct numbers numbers = many(10);
    varve_records *records =
        open_numbers(&numbers, (varve_records_options){ .batch = 4 });
    next(records);
    numbers.bad = 6;
    varve_batch batch = { .count = 77 };
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(
            varve_records_next(records, &batch, &error), VARVE_CALLBACK);
        cr_assert_str_eq(error.message,
            "numbers: record 6: its source failed with VARVE_IO");
        numbers.says = true;
        cr_assert_eq(
            varve_records_next(records, &batch, &error), VARVE_NOT_FOUND);
        cr_assert_str_eq(error.message, "the number is gone");
        cr_assert_eq(
            varve_records_next(records, &batch, NULL), VARVE_NOT_FOUND);
        numbers.says = false;
    }
    cr_assert_eq(batch.count, 77);
    numbers.bad = UINT64_MAX;
    cr_assert_eq(next(records).numbers[0], 4);
    varve_records_free(records);
}

TEST(records, refuse_invalid_arguments)
{
    varve_error error = { 0 };
    varve_batch batch;
    struct numbers numbers = many(3);
    varve_source source = {
        .count = 3,
        .close = close_numbers,
        .self = &numbers,
    };
    cr_assert_null(varve_records_open(NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_records_open(&source, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    source.read = read_number;
    const varve_records_options options = { .batch = 4, .drop_last = true };
    cr_assert_null(varve_records_open(&source, &options, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert(strstr(error.message, "a batch needs 4 records"));
    cr_assert_eq(numbers.closed, 0);
    cr_assert_eq(varve_records_next(NULL, &batch, &error), VARVE_MISUSE);
    cr_assert_eq(varve_records_check(NULL, &error), VARVE_MISUSE);
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_add_records(varve_graph_root(graph), "r", NULL);
    cr_assert_eq(varve_graph_check(graph, &error), VARVE_MISUSE);
    varve_graph_free(graph);
    varve_records *records = open_numbers(&numbers, plain_options);
    cr_assert_eq(varve_records_next(records, NULL, &error), VARVE_MISUSE);
    varve_records_free(records);
    varve_records_free(NULL);
}

/* Positions in a file may have any value. */
TEST(records, check_a_restored_position)
{
    varve_error error = { 0 };
    varve_batch batch = { .count = 77 };
    struct numbers numbers = many(10);
    varve_records *records =
        open_numbers(&numbers, (varve_records_options){ .shuffle = true });
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *node =
        varve_add_records(varve_graph_root(graph), "r", records);
    uint64_t *consumed = varve_data(varve_find(node, "consumed"));
    uint64_t *count = varve_data(varve_find(node, "count"));
    uint64_t *prints = varve_data(varve_find(node, "fingerprint"));
    *consumed = 10;
    cr_assert_eq(varve_records_check(records, &error), VARVE_MISMATCH);
    *consumed = UINT64_MAX;
    cr_assert_eq(varve_records_next(records, &batch, &error), VARVE_MISMATCH);
    *consumed = 9;
    cr_assert_ok(varve_records_check(records, &error), error);
    *count = 11;
    cr_assert_eq(varve_records_next(records, &batch, &error), VARVE_MISMATCH);
    *count = 10;
    prints[1] = 0xabc;
    cr_assert_eq(varve_records_next(records, &batch, &error), VARVE_MISMATCH);
    cr_assert_str_eq(error.message,
        "numbers: the position belongs to another source: 10 records with "
        "the fingerprint 0000000000000abc0000000000000000, this source has "
        "10 records with 00000000000000070000000000000000");
    prints[1] = 7;
    prints[0] = 1;
    cr_assert_eq(varve_records_next(records, &batch, &error), VARVE_MISMATCH);
    cr_assert_eq(batch.count, 77);
    varve_records_rewind(records, 4);
    cr_assert_eq(next(records).epoch, 4);
    varve_graph_free(graph);
    varve_records_free(records);
}

TEST(records, handle_failed_allocations)
{
    for (long n = 0;; n++) {
        varve_error error = { 0 };
        struct numbers numbers = many(100);
        const varve_source source = {
            .count = 100,
            .read = read_number,
            .close = close_numbers,
            .self = &numbers,
        };
        const varve_records_options options = {
            .batch = 90,
            .allocator = test_allocator(),
        };
        varve_batch batch;
        numbers.bad = UINT64_MAX;
        test_fail_allocation(n, false);
        varve_records *records =
            varve_records_open(&source, &options, &error);
        varve_status status = records
            ? varve_records_next(records, &batch, &error) : error.status;
        bool failed = test_allocation_count() > n;
        cr_assert_eq(status, failed ? VARVE_NO_MEMORY : VARVE_OK);
        cr_assert_eq(numbers.closed, 0);
        if (records && failed) {
            cr_assert_eq(varve_records_consumed(records), 0);
            cr_assert_ok(varve_records_next(records, &batch, &error), error);
            cr_assert_eq(batch.count, 90);
        }
        varve_records_free(records);
        if (!failed)
            break;
    }
    test_fail_allocation(-1, false);
}

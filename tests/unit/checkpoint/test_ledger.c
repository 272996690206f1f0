/* test_ledger.c - Tests reading and writing of ledgers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "listing.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/test_context.h"

static struct memory *memory;
static struct vv_context context;

static void begin(struct vv_listing *l)
{
    varve_error error;
    memory = memory_new();
    context = test_context(memory_system(memory));
    cr_assert_ok(
        vv_listing_begin(l, &context, "run", "ckpt", "loss", &error), error);
}

static void end(struct vv_listing *l)
{
    vv_listing_clear(l);
    cr_assert_eq(memory_open_count(memory), 0);
    memory_free(memory);
}

static const struct vv_entry entries[] = {
    { .number = 1, .counter = 2, .step = 3, .time = 4, .metric = 0.1,
        .size = 5, .modified = 6, .is_ours = true, .is_read = true,
        .ancestry = { .count = 2, .all = { { 7, 8 }, { UINT64_MAX, 3 } } } },
    { .number = UINT64_MAX, .counter = UINT64_MAX, .step = -1, .time = -1,
        .metric = NAN, .size = UINT64_MAX, .modified = INT64_MAX,
        .is_read = true },
};

static void write_entries(struct vv_listing *l)
{
    varve_error error;
    cr_assert(vv_listing_add(l, &entries[0]));
    cr_assert(vv_listing_add(l, &entries[1]));
    cr_assert(vv_listing_add(l, &(struct vv_entry){ .number = 9 }));
    cr_assert_ok(vv_listing_write_ledger(l, &error), error);
    l->count = 0;
}

TEST(ledger, contains_facts_read_from_files)
{
    struct vv_listing l;
    begin(&l);
    write_entries(&l);
    vv_listing_read_ledger(&l, NULL, NULL);
    cr_assert_eq(l.count, 2, "what was not read is not in it");
    for (size_t i = 0; i < 2; i++) {
        const struct vv_entry *e = &l.entries[i];
        cr_assert_eq(e->number, entries[i].number);
        cr_assert_eq(e->counter, entries[i].counter);
        cr_assert_eq(e->step, entries[i].step);
        cr_assert_eq(e->time, entries[i].time);
        cr_assert_eq(e->size, entries[i].size);
        cr_assert_eq(e->modified, entries[i].modified);
        cr_assert_eq(e->is_ours, entries[i].is_ours);
        cr_assert_eq(memcmp(&e->ancestry, &entries[i].ancestry,
                         sizeof e->ancestry), 0);
        cr_assert(e->is_read && !e->is_good && !e->is_pinned);
    }
    cr_assert_eq(l.entries[0].metric, 0.1);
    cr_assert(isnan(l.entries[1].metric));
    end(&l);
}

TEST(ledger, contains_the_retention_options)
{
    const struct vv_policy policy = { .keep_last = 3, .keep_every_steps = 1000,
        .keep_every_seconds = UINT64_MAX, .keep_best = 2,
        .best_is_larger = true, .keep_bytes = 7, .keep_damaged = 1 };
    struct vv_policy found = { 0 };
    struct vv_listing l;
    begin(&l);
    l.policy = policy;
    write_entries(&l);
    vv_listing_read_ledger(&l, &found, NULL);
    cr_assert_eq(l.count, 2);
    cr_assert_eq(found.keep_last, 3);
    cr_assert_eq(found.keep_every_steps, 1000);
    cr_assert_eq(found.keep_every_seconds, UINT64_MAX);
    cr_assert_eq(found.keep_best, 2);
    cr_assert(found.best_is_larger);
    cr_assert_eq(found.keep_bytes, 7);
    cr_assert_eq(found.keep_damaged, 1);
    end(&l);
}

static void call_metric(struct vv_listing *l, const char *name)
{
    vv_release_string(&context.allocator, l->metric);
    l->metric = name ? vv_copy_string(&context.allocator, name) : NULL;
    l->count = 0;
}

TEST(ledger, is_valid_for_one_metric)
{
    static const char odd[] = "loss of\nall/% things ";
    struct vv_listing l;
    begin(&l);
    call_metric(&l, odd);
    write_entries(&l);
    call_metric(&l, "loss");
    vv_listing_read_ledger(&l, NULL, NULL);
    cr_assert_eq(l.count, 2, "the files are there all the same");
    cr_assert_not(l.entries[0].is_read || l.entries[1].is_read,
        "these are the values of another metric");
    call_metric(&l, NULL);
    vv_listing_read_ledger(&l, NULL, NULL);
    cr_assert_eq(l.count, 2);
    cr_assert_str_eq(l.metric, odd);
    end(&l);
}

static size_t read_from(struct vv_listing *l, const char *text, size_t size)
{
    memory_put(memory, "run/ckpt.ledger", text, size);
    l->count = 0;
    vv_listing_read_ledger(l, NULL, NULL);
    return l->count;
}

TEST(ledger, a_damaged_ledger_is_ignored)
{
    struct vv_listing l;
    size_t size;
    begin(&l);
    write_entries(&l);
    const unsigned char *bytes = memory_bytes(memory, "run/ckpt.ledger", &size);
    char *whole = malloc(size);
    cr_assert(whole);
    memcpy(whole, bytes, size);
    cr_assert_eq(read_from(&l, whole, size), 2);
    for (size_t i = 0; i < size; i++) {
        cr_assert_eq(read_from(&l, whole, i), 0, "cut at %zu", i);
        for (int bit = 0; bit < 8; bit++) {
            whole[i] = (char)(whole[i] ^ 1 << bit);
            cr_assert_eq(read_from(&l, whole, size), 0, "byte %zu", i);
            whole[i] = (char)(whole[i] ^ 1 << bit);
        }
    }
    free(whole);
    end(&l);
}

TEST(ledger, a_file_of_another_program_is_ignored)
{
    static const char other_version[] =
        "varve ledger 3\nnumber counter step time metric size modified "
        "manager\ndigest 0000000000000000\n";
    static const char *const others[] = { "", "hello\n", other_version };
    struct vv_listing l;
    begin(&l);
    vv_listing_read_ledger(&l, NULL, NULL); /* no ledger exists */
    cr_assert_eq(l.count, 0);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(read_from(&l, others[i], strlen(others[i])), 0);
    end(&l);
}

TEST(ledger, does_not_replace_a_file_of_another_program)
{
    struct vv_listing l;
    varve_error error;
    begin(&l);
    memory_put(memory, "run/ckpt.ledger", "varve ledgers", 13);
    cr_assert_eq(vv_listing_write_ledger(&l, &error), VARVE_EXISTS);
    cr_assert(strstr(error.message,
        "run/ckpt.ledger: this file has the name of the ledger"));
    size_t size;
    cr_assert_eq(memcmp(memory_bytes(memory, "run/ckpt.ledger", &size),
        "varve ledgers", 13), 0);
    memory_put(memory, "run/ckpt.ledger", "\0\0", 2);
    cr_assert_ok(vv_listing_write_ledger(&l, &error), error);
    cr_assert_ok(vv_listing_write_ledger(&l, &error), error);
    end(&l);
}

static void put_theirs(void *user)
{
    memory_put(user, "run/ckpt.ledger", "theirs", 6);
}

TEST(ledger, does_not_replace_a_file_created_before_any_call)
{
    struct vv_listing l;
    varve_error error;
    bool hit = true;
    for (long n = 0; hit; n++) {
        begin(&l);
        struct faulty *faulty = faulty_new(context.system);
        context = test_context(faulty_system(faulty));
        faulty_plan(faulty, &(struct faulty_plan){ .number = n,
            .way = FAULTY_STOPS, .stop = put_theirs, .user = memory });
        size_t size = 0;
        varve_status status = vv_listing_write_ledger(&l, &error);
        const void *bytes = memory_bytes(memory, "run/ckpt.ledger", &size);
        hit = faulty_hit(faulty);
        cr_assert(status == VARVE_OK || status == VARVE_EXISTS);
        cr_assert(hit == (size == 6 && memcmp(bytes, "theirs", 6) == 0),
            "call %ld", n);
        end(&l);
        faulty_free(faulty);
    }
}

TEST(ledger, is_ignored_or_not_written_without_memory)
{
    struct vv_listing l;
    varve_error error;
    begin(&l);
    write_entries(&l);
    for (long n = 0; l.count == 0; n++) {
        test_fail_allocation(n, false);
        vv_listing_read_ledger(&l, NULL, NULL);
        test_fail_allocation(-1, false);
        cr_assert_leq(l.count, 2);
    }
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_status status = vv_listing_write_ledger(&l, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_eq(memory_file_count(memory), 1, "no stray file");
    }
    end(&l);
}

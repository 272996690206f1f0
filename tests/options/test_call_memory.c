/* test_call_memory.c - Tests each call that writes, with each option, while one
 * allocation after another fails in one of its processes and threads.
 *
 * The call returns the same as with enough memory, or VARVE_NO_MEMORY, and the
 * same on each rank. No temporary file remains. A second call then writes a
 * checkpoint with the current values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "writes.h"

#include "kept_files.h"

/* A call with an option. */
struct call_case {
    struct trial trial;
    const struct write_call *call;
    const struct write_row *row;
    const struct setting *setting;
    /* the same with enough memory; NULL: this case */
    const struct call_case *good;
    long failing; /* number of the allocation that fails; -1: none */
    bool is_sticky;
    long tried; /* number of allocations */
    struct kept_files before;
    varve_status first[RANKS], again[RANKS];
};

static void describe(const struct call_case *c, char text[200])
{
    snprintf(text, 200, "%s, %s, `%s`, %s allocation %ld", c->call->name,
        c->setting->name, c->row->name, c->is_sticky ? "from" : "of",
        c->failing);
}

/* --- What is found -------------------------------------------------------- */

static bool is_temporary(const char *path)
{
    const char *name = strrchr(path, '/');
    return (name ? name[1] : path[0]) == '.';
}

static void check_temporaries(const struct call_case *c, const char *text)
{
    struct memory *memory = c->trial.disk.memory;
    for (size_t i = 0; i < memory_file_count(memory); i++) {
        const char *path = memory_file_path(memory, i);
        cr_assert(!is_temporary(path) || kept_file_find(&c->before, path),
            "%s: %s is left", text, path);
    }
}

/* Returns true for a warning. After a manager has written a checkpoint, it may
 * fail to delete others, on one rank only. */
static bool is_warning(const struct session *s)
{
    return s->error.status == VARVE_OK &&
           strncmp(s->error.message, "warning: ", 9) == 0;
}

static bool is_same_value(
    varve_reader *reader, const char *path, const void *wanted, size_t size)
{
    varve_saved_node node;
    varve_error error = { 0 };
    if (!varve_reader_find(reader, path, &node) || node.size != size)
        return false;
    void *bytes = malloc(size);
    bool is_same =
        !varve_reader_read(reader, node.id, bytes, size, &error) &&
        memcmp(bytes, wanted, size) == 0;
    free(bytes);
    return is_same;
}

/* Returns true for options that rely on the program marking changes. */
static bool is_promise(const char *option)
{
    return strstr(option, "only_dirty") || strstr(option, "verify_clean");
}

/* Returns true if the checkpoint must contain the current values under their
 * names. It does not if the program omits to mark changes, or if another format
 * has other names and files. */
static bool has_new_values(const struct call_case *c)
{
    return !is_promise(c->row->name) &&
           !strstr(c->row->name, "foreign.");
}

static void check_newest(struct session *s, const char *text)
{
    const struct call_case *c = s->trial->user;
    varve_error error = { 0 };
    varve_reader *reader = open_newest(s);
    cr_assert(reader, "%s: %s cannot be opened", text, s->path);
    varve_status status = varve_reader_verify(reader, NULL, &error);
    cr_assert(!status, "%s: %s", text, error.message);
    if (has_new_values(c)) {
        cr_assert(is_same_value(reader, "small", &s->small, sizeof s->small),
            "%s: `small` has a wrong value", text);
        cr_assert(
            is_same_value(reader, "big", s->values, BIG * sizeof *s->values),
            "%s: `big` has a wrong value", text);
    }
    varve_reader_free(reader);
}

/* --- The two calls -------------------------------------------------------- */

static void fail_from_now(struct session *s)
{
    struct call_case *c = s->trial->user;
    come_together(s);
    if (rank_of(s) == 0) {
        kept_files_take(&c->before, s->trial->disk.memory);
        test_fail_allocation(c->failing, c->is_sticky);
    }
    come_together(s);
}

static void fail_no_more(struct session *s)
{
    struct call_case *c = s->trial->user;
    come_together(s);
    if (rank_of(s) == 0) {
        c->tried = test_allocation_count();
        test_fail_allocation(-1, false);
    }
    come_together(s);
}

/* Returns true for options whose tests violate the promise on purpose. Without
 * memory for digests of older values, ranks detect this at different times. */
static bool breaks_promise(const struct call_case *c)
{
    return is_promise(c->row->name) || strstr(c->row->name, "zero_copy");
}

static void check_failure(struct session *s, const char *text)
{
    struct call_case *c = s->trial->user;
    varve_status status = c->first[rank_of(s)];
    cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY ||
                  status == c->good->first[rank_of(s)] ||
                  (status == VARVE_MISUSE && breaks_promise(c)),
        "%s: %s %s", text, varve_status_name(status), s->error.message);
    cr_assert(!status || *s->error.message, "%s: no message", text);
    if (rank_of(s) == 0)
        check_temporaries(c, text);
    if (s->comm)
        cr_assert_eq(c->first[0], c->first[1], "%s: %s and %s", text,
            varve_status_name(c->first[0]), varve_status_name(c->first[1]));
}

/* Saves again. The first call after a job that was not waited for returns its
 * failure. */
static varve_status save_again(struct session *s)
{
    struct trial *t = s->trial;
    s->error = (varve_error){ 0 };
    s->step++;
    return t->call->save(t->call, s, &t->tested);
}

static void save_without_memory(struct session *s)
{
    struct trial *t = s->trial;
    struct call_case *c = t->user;
    uint32_t rank = rank_of(s);
    char text[200];
    describe(c, text);
    fail_from_now(s);
    save_tested(s);
    c->first[rank] = is_warning(s) ? VARVE_OK : t->statuses[rank];
    fail_no_more(s);
    if (c->good)
        check_failure(s, text);
    come_together(s);
    if (c->call->is_run && !s->run)
        return; /* the run has ended */
    c->again[rank] = save_again(s);
    if (strstr(s->error.message, "asynchronous save failed"))
        c->again[rank] = save_again(s);
    come_together(s);
    if (rank == 0 && c->again[rank] == VARVE_OK)
        check_newest(s, text);
    come_together(s);
}

static void run_case(struct call_case *c)
{
    begin_trial(&c->trial, c->call, c->row, c->setting, true);
    c->trial.instead = save_without_memory;
    c->trial.user = c;
    long blocks = test_block_count();
    run_trial(&c->trial);
    kept_files_free(&c->before);
    cr_assert_eq(test_block_count(), blocks);
}

/* --- The sweep ------------------------------------------------------------ */

static void try_call(struct call_case *c)
{
    const struct call_case *good = c->good;
    char text[200];
    describe(c, text);
    run_case(c);
    bool is_over = c->call->is_run && c->first[0] != VARVE_OK;
    varve_status wanted =
        c->first[0] == good->first[0] ? good->again[0] : good->first[0];
    cr_assert(is_over || c->again[0] == wanted || !c->again[0] ||
                  (c->again[0] == VARVE_MISUSE && breaks_promise(c)),
        "%s, again: %s %s", text, varve_status_name(c->again[0]),
        c->trial.errors[0].message);}

/* Fails up to `most` randomly selected allocations, or all. */
static long sweep_call(const struct write_call *call,
    const struct write_row *row, const struct setting *setting, long most)
{
    static struct call_case good, c;
    static uint64_t random;
    long count = 0;
    good = (struct call_case){
        .call = call, .row = row, .setting = setting, .failing = -1
    };
    run_case(&good);
    if (good.first[0] == VARVE_MISUSE || good.first[0] == VARVE_TOO_NEW)
        return 0;
    random = random ? random : proof_seed();
    for (long i = 0; i < (most ? most : 2 * good.tried); i++, count++) {
        c = good;
        c.good = &good;
        c.failing = most ? (long)(proof_next(&random) % (uint64_t)good.tried)
                         : i / 2;
        c.is_sticky = i % 2;
        try_call(&c);
    }
    return count;
}

static bool is_swept(const struct write_row *row)
{
    return !row->is_too_new && row->between != let_wait;
}

/* Tests that after a failed save with `only_dirty` the variables are still
 * marked as changed. */
static void touch_only(varve_write_options *o, struct trial *t)
{
    (void)t;
    o->incremental = true;
    o->increment.only_dirty = true;
}

static void change_and_touch(struct session *s)
{
    static const char *const paths[] = { "big", "small", "rows" };
    change(s);
    s->values[7] = 7;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        varve_node *node = varve_find_path(s->root, paths[i]);
        if (node)
            varve_mark_dirty(node);
    }
}

static bool is_any(struct session *s, varve_status status)
{
    (void)s;
    (void)status;
    return true;
}

static const struct write_row told = { "all changes are told", "", "",
    touch_only, touch_only, .between = change_and_touch, .is_seen = is_any };

static void sweep_calls(const struct setting *setting, uint64_t most)
{
    long count = 0;
    for (size_t i = 0; i < write_call_count; i++) {
        count += sweep_call(
            &write_calls[i], &told, setting, (long)proof_size(4, 200));
        for (size_t k = 0; k < write_row_count; k++)
            if (is_swept(&write_rows[k]))
                count += sweep_call(&write_calls[i], &write_rows[k], setting,
                    (long)proof_size(most, 40));
    }
    proof_count("options.call_allocations", (size_t)count);
    cr_assert_gt(count, 400);
}

TEST(memory_of_calls, may_fail_in_each_call_with_each_option)
{
    sweep_calls(&settings[0], 2);
}

TEST(memory_of_calls, may_fail_in_each_compressed_incremental_call)
{
    sweep_calls(&settings[3], 1);
}

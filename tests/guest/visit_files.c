/* visit_files.c - Visits saving and restoring files in each format, and
 * failures.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

#include <stdio.h>
#include <string.h>

static void read_back(
    struct guest *g, struct state *s, const varve_read_options *options)
{
    varve_restoration *r;
    state_fill(s, 9);
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_read(s->root, "a.varve", options, &g->error));
    guest_expect(g, state_is(s, 2), "the values are restored");
    LEAVES(g, 0, -1);
    CALL(g, varve_restoration_free(r));
}

void visit_files(struct guest *g)
{
    struct state s;
    char path[200];
    varve_restoration *r;
    varve_write_options writing = state_writing();
    varve_read_options reading = state_reading();
    state_open(&s, g);
    state_fill(&s, 2);
    GOOD(g, varve_write(s.root, "a.varve", &writing, &g->error));
    read_back(g, &s, &reading);
    reading.resources.staging_size = 1 << 30;
    read_back(g, &s, &reading);
    reading.resources.staging_size = 1;
    reading.passes = VARVE_TWO_PASSES;
    read_back(g, &s, &reading);
    reading.passes = VARVE_ONE_PASS;
    read_back(g, &s, &reading);
    read_back(g, &s, &(varve_read_options){ .no_verify = true });
    read_back(g, &s, &(varve_read_options){ .salvage.on = true });
    read_back(g, &s, &(varve_read_options){ .map = true });
    GOOD(g, varve_save(s.root, "ckpt", &writing, &g->error));
    GOOD(g, varve_save(s.root, "ckpt", NULL, &g->error));
    GOOD(g, varve_latest("ckpt", path, sizeof path, &g->error));
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_restore(s.root, "ckpt", NULL, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_restoration_free(r));
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_dry_run(s.root, "ckpt", NULL, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_restoration_free(r));
    CALL(g, state_close(&s));
}

static varve_status on_finding(void *user, const varve_finding *finding)
{
    (void)user;
    (void)finding;
    guest_called_back("a finding");
    return VARVE_OK;
}

/* Restores a program of which a part is built later. */
static void answer(struct guest *g, struct state *s, varve_restoration *r)
{
    static float late[SMALL];
    varve_report *report;
    FAILS(g, VARVE_UNMATCHED, varve_assert_consumed(r, &g->error));
    GOOD(g, varve_assert_existing_objects_matched(r, &g->error));
    GOOD(g, varve_assert_nontrivial_match(r, &g->error));
    CALL(g, varve_pending(s->root, "late"));
    CALL(g, varve_add_variable(s->root, "late", varve_array(late, SMALL)));
    MAKES(g, report, varve_report_new(r, &g->error));
    CALL(g, (void)!varve_report_json(report, &g->error));
    CALL(g, varve_report_free(report));
    CALL(g, varve_finding_count(r, VARVE_FINDING_MATCHED));
    GOOD(g, varve_each_finding(
                r, VARVE_FINDING_MATCHED, on_finding, NULL, &g->error));
    GOOD(g, varve_restoration_retry(r, &g->error));
    GOOD(g, varve_restore_again(r, s->root, &g->error));
    GOOD(g, varve_restoration_verify(r, &g->error));
    GOOD(g, varve_drop_pending(r, NULL, &g->error));
    GOOD(g, varve_assert_consumed(r, &g->error));
}

void visit_answers(struct guest *g)
{
    static float late[SMALL], later[SMALL];
    struct state s;
    varve_restoration *r;
    state_open(&s, g);
    varve_add_variable(s.root, "late", varve_array(late, SMALL));
    varve_add_variable(s.root, "later", varve_array(later, SMALL));
    GOOD(g, varve_write(s.root, "a.varve", NULL, &g->error));
    varve_remove(varve_find(s.root, "late"));
    varve_remove(varve_find(s.root, "later"));
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_read(s.root, "a.varve", NULL, &g->error));
    answer(g, &s, r);
    LEAVES(g, 0, -1);
    CALL(g, varve_restoration_free(r));
    CALL(g, state_close(&s));
}

/* Changes the byte in the middle of a file. */
static void damage(const char *path)
{
    FILE *file = fopen(path, "r+b");
    if (!file || fseek(file, 0, SEEK_END))
        return;
    long middle = ftell(file) / 2;
    fseek(file, middle, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, middle, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

static void fail_to_save(struct guest *g, struct state *s)
{
    varve_write_options writing = state_writing();
    GOOD(g, varve_write(s->root, "a.varve", &writing, &g->error));
    writing.progress = state_cancel;
    FAILS(g, VARVE_CANCELLED,
        varve_write(s->root, "a.varve", &writing, &g->error));
    FAILS(g, VARVE_EXISTS,
        varve_write(s->root, "a.varve",
            &(varve_write_options){ .no_replace = true }, &g->error));
    FAILS(g, VARVE_MISUSE,
        varve_write(s->root, "a.varve",
            &(varve_write_options){ .compress = 99 }, &g->error));
    CALL(g, (void)!varve_save(s->root, "a.varve/below", NULL, &g->error));
    s->words[0].size = UINT64_MAX / 2;
    s->words[0].data = NULL;
    CALL(g, (void)!varve_write(s->root, "b.varve", NULL, &g->error));
    s->words[0] = (varve_string){ "one", 3 };
}

void visit_failures(struct guest *g)
{
    struct state s;
    varve_read_options reading = state_reading();
    state_open(&s, g);
    fail_to_save(g, &s);
    REFUSES(g, VARVE_NOT_FOUND, varve_read(s.root, "none", NULL, &g->error));
    REFUSES(g, VARVE_NOT_FOUND, varve_restore(s.root, "none", NULL, &g->error));
    REFUSES(g, VARVE_IS_DIRECTORY, varve_read(s.root, ".", NULL, &g->error));
    reading.progress = state_cancel;
    REFUSES(
        g, VARVE_CANCELLED, varve_read(s.root, "a.varve", &reading, &g->error));
    s.fixed = 8;
    REFUSES(g, VARVE_MISMATCH, varve_read(s.root, "a.varve", NULL, &g->error));
    s.fixed = 7;
    damage("a.varve");
    REFUSES(g, VARVE_CORRUPT, varve_read(s.root, "a.varve", NULL, &g->error));
    reading = (varve_read_options){ .passes = VARVE_ONE_PASS };
    CALL(g, varve_restoration_free(
                varve_read(s.root, "a.varve", &reading, &g->error)));
    CALL(g, state_close(&s));
}

static void visit_format(struct guest *g, struct state *s, varve_format format)
{
    const char *name = varve_format_name(format);
    varve_restoration *r;
    const varve_write_options writing = { .format = format };
    const varve_read_options reading = { .only = "model", .reshape = true };
    g->visit = name;
    GOOD(g, varve_write(s->root, name, &writing, &g->error));
    LEAVES(g, 0, ANY); /* one or several */
    MAKES(g, r, varve_read(s->root, name, &reading, &g->error));
    LEAVES(g, 0, ANY);
    CALL(g, varve_restoration_free(r));
}

static void visit_one_array(struct guest *g, struct state *s)
{
    varve_graph *graph = varve_graph_new(state_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r;
    const varve_write_options writing = { .format = VARVE_FORMAT_NPY };
    varve_add_variable(root, "arr_0", varve_array(s->weights, s->count));
    GOOD(g, varve_write(root, "one.npy", &writing, &g->error));
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_read(root, "one.npy", NULL, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_restoration_free(r));
    CALL(g, varve_graph_free(graph));
}

void visit_formats(struct guest *g)
{
    struct state s;
    state_open(&s, g);
    visit_format(g, &s, VARVE_FORMAT_TENSORFLOW);
    visit_format(g, &s, VARVE_FORMAT_TENSORFLOW_NAMES);
    visit_format(g, &s, VARVE_FORMAT_SAFETENSORS);
    visit_format(g, &s, VARVE_FORMAT_NPZ);
    visit_one_array(g, &s);
    CALL(g, state_close(&s));
}

/* write_sessions.c - Runs a session on each rank: a save, a change, and a save
 * with the tested option.
 *
 * SPDX-License-Identifier: MIT
 */
#include "writes.h"

#include "run.h"
#include "save.h"

/* --- What is set besides -------------------------------------------------- */

const struct setting settings[SETTINGS] = {
    { "alone", "", { 0 } },
    { "incremental", "incremental", { .incremental = true } },
    { "packed", "compress", { .compress = 1 } },
    { "incremental and packed", "incremental|compress",
        { .incremental = true, .compress = 1 } },
    { "in another format", "format", { .format = VARVE_FORMAT_SAFETENSORS } },
};

/* --- A session ------------------------------------------------------------ */

varve_reader *open_newest(const struct session *s)
{
    varve_error error = { 0 };
    return vv_reader_open_in(&s->trial->disk.context, s->path, &error);
}

void come_together(const struct session *s)
{
    if (s->comm)
        s->comm->barrier(s->comm->self);
}

uint32_t rank_of(const struct session *s)
{
    return s->comm ? s->comm->rank : 0;
}

void change(struct session *s)
{
    s->small += 1;
    s->rows[3] += 1;
    s->step++;
}

static void add_values(struct session *s)
{
    uint64_t start = ROWS * rank_of(s);
    uint64_t random = 1; /* compresses to two bytes per value */
    for (int i = 0; i < BIG; i++)
        s->values[i] = (float)(proof_next(&random) >> 48);
    s->big = varve_add_variable(s->root, "big", varve_array(s->values, BIG));
    varve_set_global_name(s->big, "the.big");
    varve_add_variable(s->root, "small", varve_scalar(&s->small));
    varve_add_variable(s->root, "word", varve_scalar(&s->word));
    if (s->comm)
        varve_add_slice(s->root, "rows", varve_array(s->rows, ROWS),
            VARVE_SHAPE(ROWS * RANKS), &start);
}

static void build(struct session *s, struct trial *t, const varve_comm *comm)
{
    *s = (struct session){ .trial = t, .comm = comm, .step = 1 };
    s->values = malloc(BIG * sizeof *s->values);
    s->word = (varve_string){ .data = "word", .size = 4 };
    if (t->call->is_run) {
        s->run = vv_run_new_in(&t->disk.context);
        s->graph = varve_run_graph(s->run);
    } else {
        s->graph = vv_graph_new_in(&t->disk.context);
    }
    s->root = varve_graph_root(s->graph);
    add_values(s);
    vv_set_save_counter(s->root, FIRST_COUNTER);
}

static void end(struct session *s)
{
    varve_restoration_free(s->waits);
    varve_saver_free(s->saver);
    if (s->run)
        varve_run_free(s->run);
    else if (s->graph)
        varve_graph_free(s->graph);
    free(s->values);
}

size_t count_layers(const struct trial *t)
{
    size_t count = 0;
    for (size_t i = 0; i < memory_file_count(t->disk.memory); i++)
        count += strstr(memory_file_path(t->disk.memory, i), "/layers/") &&
                 !strstr(memory_file_path(t->disk.memory, i), "/layers/.");
    return count;
}

uint64_t size_of_run(const struct trial *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < memory_file_count(t->disk.memory); i++) {
        const char *path = memory_file_path(t->disk.memory, i);
        size_t size = 0;
        if (strncmp(path, "run/", 4) == 0)
            memory_bytes(t->disk.memory, path, &size);
        sum += size;
    }
    return sum;
}

/* Sets the file of a compressed value: the newest large data file. */
static void note_layer(struct session *s)
{
    struct memory *memory = s->trial->disk.memory;
    for (size_t i = 0; i < memory_file_count(memory); i++) {
        const char *path = memory_file_path(memory, i);
        size_t size;
        if (strncmp(path, "run/layers/", 11) == 0 &&
            memory_bytes(memory, path, &size) && size > BIG)
            snprintf(s->file, sizeof s->file, "%s", path);
    }
}

void note_place(struct session *s)
{
    varve_saved_node node;
    varve_reader *reader = open_newest(s);
    bool is_there = reader && varve_reader_find(reader, "big", &node);
    s->is_packed = !is_there || !node.file;
    s->offset = s->is_packed ? 0 : node.offset;
    snprintf(s->file, sizeof s->file, "%s", s->is_packed ? "" : node.file);
    if (s->is_packed)
        note_layer(s);
    varve_reader_free(reader);
}

void let_wait(struct session *s)
{
    varve_error error = { 0 };
    double now = 1, late = 1;
    char path[32];
    snprintf(path, sizeof path, "waits-%u.varve", s->comm ? s->comm->rank : 0u);
    varve_graph *other = vv_graph_new_in(&s->root->graph->context);
    varve_node *there = varve_add_object(varve_graph_root(other), "waits");
    varve_add_variable(there, "now", varve_scalar(&now));
    varve_add_variable(there, "late", varve_scalar(&late));
    varve_status status =
        varve_write(varve_graph_root(other), path, NULL, &error);
    varve_graph_free(other);
    varve_node *here = varve_add_object(s->root, "waits");
    varve_add_variable(here, "now", varve_scalar(&s->now));
    if (!status)
        s->waits = varve_read(s->root, path, NULL, &error);
    s->trial->fails_first |= !s->waits;
    change(s);
}

static void save_first(struct session *s)
{
    struct trial *t = s->trial;
    s->error = (varve_error){ 0 };
    if (t->call->save(t->call, s, &t->before))
        t->fails_first = true;
    if (rank_of(s) == 0 || t->call->has_nodes)
        note_place(s);
    memcpy(s->first_path, s->path, sizeof s->path);
    come_together(s);
    (t->row->between ? t->row->between : change)(s);
    come_together(s);
    if (rank_of(s) == 0) {
        t->layers_begin = count_layers(t);
        t->size_begin = size_of_run(t);
        t->log_begin = faulty_log_size(t->disk.faulty);
        atomic_store(&t->progress_calls, 0);
        atomic_store(&t->loss_calls, 0);
        atomic_store(&t->is_returned, false);
        atomic_store(&t->was_one_done, false);
    }
    come_together(s);
}

void save_tested(struct session *s)
{
    struct trial *t = s->trial;
    if (t->row->act)
        t->row->act(s);
    else
        t->statuses[rank_of(s)] = t->call->save(t->call, s, &t->tested);
}

static void run_session(const varve_comm *comm, void *user)
{
    struct trial *t = user;
    struct session s;
    build(&s, t, comm);
    save_first(&s);
    s.error = (varve_error){ 0 };
    if (t->instead)
        t->instead(&s);
    else
        save_tested(&s);
    t->errors[rank_of(&s)] = s.error;
    come_together(&s);
    if (rank_of(&s) == 0)
        t->is_seen = t->row->is_seen(&s, t->statuses[0]);
    come_together(&s);
    end(&s);
}

void run_trial(struct trial *t)
{
    disk_begin(&t->disk);
    if (t->call->is_of_many)
        thread_comm_run(RANKS, t->call->has_nodes ? 1 : 0, -1, run_session, t);
    else
        run_session(NULL, t);
    disk_end(&t->disk);
}

void begin_trial(struct trial *t, const struct write_call *c,
    const struct write_row *row, const struct setting *setting, bool is_set)
{
    memset(t, 0, sizeof *t);
    t->call = c;
    t->row = row;
    t->tested = setting->options;
    t->before = setting->options;
    if (row->set_before)
        row->set_before(&t->before, t);
    if (row->set_before)
        row->set_before(&t->tested, t);
    if (is_set)
        row->set(&t->tested, t);
}

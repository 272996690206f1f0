/* test_writes.c - every option of a write in every call that takes it, alone
 * and together with others: it has its effect, or is refused by its name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "option_names.h"
#include "writes.h"

#include "run.h"
#include "save.h"

/* --- What is set besides -------------------------------------------------- */

struct setting {
    const char *name;
    const char *sets; /* names parted by '|' */
    varve_write_options options;
};

static const struct setting settings[] = {
    { "alone", "", { 0 } },
    { "layered", "layered", { .layered = true } },
    { "packed", "compress", { .compress = 1 } },
    { "layered and packed", "layered|compress",
        { .layered = true, .compress = 1 } },
    { "in another format", "format", { .format = VARVE_FORMAT_SAFETENSORS } },
};

enum { SETTINGS = sizeof settings / sizeof *settings };

/* What a header says has no effect there. */
static const struct exception exceptions[] = {
    { "background.at_rest", "manager|saver", "manager.h",
        "whatever `background.at_rest` says" },
    { "background.at_rest", "", "options.h",
        "A save that returns when all is written needs no promise" },
    { "background.in_flight", "", "options.h",
        "a save that returns when all is written, a manager and a saver have "
        "one at most" },
    { NULL, NULL, NULL, NULL },
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

static uint32_t rank_of(const struct session *s)
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
    uint64_t random = 1; /* of each value two bytes can be packed */
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

/* The newest that is large, of a value that is packed there. */
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

static void run_session(const varve_comm *comm, void *user)
{
    struct trial *t = user;
    struct session s;
    build(&s, t, comm);
    save_first(&s);
    s.error = (varve_error){ 0 };
    if (t->row->act)
        t->row->act(&s);
    else
        t->statuses[rank_of(&s)] = t->call->save(t->call, &s, &t->tested);
    t->errors[rank_of(&s)] = s.error;
    come_together(&s);
    if (rank_of(&s) == 0)
        t->is_seen = t->row->is_seen(&s, t->statuses[0]);
    come_together(&s);
    end(&s);
}

static void run_trial(struct trial *t)
{
    disk_begin(&t->disk);
    if (t->call->is_of_many)
        thread_comm_run(RANKS, t->call->has_nodes ? 1 : 0, -1, run_session, t);
    else
        run_session(NULL, t);
    disk_end(&t->disk);
}

/* --- The verdict ---------------------------------------------------------- */

static void begin_trial(struct trial *t, const struct write_call *c,
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

static bool is_refused(const struct trial *t, const struct setting *setting)
{
    const char *message = t->errors[0].message;
    varve_status wanted = t->row->is_too_new ? VARVE_TOO_NEW : VARVE_MISUSE;
    if (t->statuses[0] == VARVE_MISUSE && *setting->sets &&
        has_any(message, setting->sets))
        return true;
    if (t->statuses[0] != wanted)
        return false;
    if (t->row->is_too_new || has_any(message, t->row->name))
        return true;
    return *t->row->needs && has_any(message, t->row->needs);
}

static bool is_excepted(const struct trial *t)
{
    for (const struct exception *e = exceptions; e->option; e++)
        if (strcmp(e->option, t->row->name) == 0 &&
            (!*e->calls || has_any(t->call->name, e->calls)))
            return true;
    return false;
}

static enum verdict judge(const struct trial *t, const struct setting *setting)
{
    if (is_refused(t, setting))
        return REFUSED;
    if (t->is_seen)
        return t->fails_first ? FAILED : HONOURED;
    if (is_excepted(t))
        return t->statuses[0] ? FAILED : DOCUMENTED;
    return t->statuses[0] ? FAILED : IGNORED;
}

/* A rank that is told something else than another is a failure. */
static bool are_alike(const struct trial *t)
{
    return !t->call->is_of_many ||
           (t->statuses[0] == t->statuses[1] &&
               (!t->statuses[0] ||
                   strcmp(t->errors[0].message, t->errors[1].message) == 0));
}

static enum verdict try(const struct write_call *c, const struct write_row *row,
    const struct setting *setting)
{
    struct trial t;
    begin_trial(&t, c, row, setting, true);
    run_trial(&t);
    enum verdict verdict = are_alike(&t) ? judge(&t, setting) : FAILED;
    if (verdict == IGNORED || verdict == FAILED)
        fprintf(stderr, "%s, %s, `%s`: %s: %s %s\n", c->name, setting->name,
            row->name, verdict == IGNORED ? "ignored" : "failed",
            varve_status_name(t.statuses[0]), t.errors[0].message);
    if (verdict != HONOURED || setting != settings)
        return verdict;
    begin_trial(&t, c, row, setting, false);
    run_trial(&t);
    return t.is_seen ? ALWAYS : HONOURED;
}

/* --- The tests ------------------------------------------------------------ */

TEST(options_of_writes, all_have_a_row_and_all_calls)
{
    char text[8192] = "";
    for (size_t i = 0; i < write_row_count; i++)
        sprintf(text + strlen(text), "%s %s ", write_rows[i].name,
            write_rows[i].with);
    check_covered(write_fields, text, "a row of write_rows");
    text[0] = '\0';
    for (size_t i = 0; i < write_call_count; i++)
        sprintf(text + strlen(text), "%s ", write_calls[i].taker);
    check_covered(write_takers, text, "a call of write_calls");
}

TEST(options_of_writes, are_without_effect_only_where_a_header_says_so)
{
    for (const struct exception *e = exceptions; e->option; e++)
        cr_expect(is_quoted(e), "%s: expected in it: %s", e->header, e->quote);
}

/* A line for each call, a column for each row. */
static void try_all(const struct setting *setting, char *table, size_t room)
{
    size_t bad = 0;
    size_t at = (size_t)snprintf(table, room, "%s\n", setting->name);
    for (size_t k = 0; k < write_row_count; k++)
        at += (size_t)snprintf(table + at, room - at, "%*s %s\n",
            (int)(32 + 2 * k), "|", write_rows[k].name);
    for (size_t i = 0; i < write_call_count; i++) {
        at += (size_t)snprintf(
            table + at, room - at, "%-30s", write_calls[i].name);
        for (size_t k = 0; k < write_row_count; k++) {
            enum verdict v = try(&write_calls[i], &write_rows[k], setting);
            bad += v == IGNORED || v == FAILED;
            at += (size_t)snprintf(table + at, room - at, " %c", v);
        }
        at += (size_t)snprintf(table + at, room - at, "\n");
    }
    proof_count("options.writes", write_call_count * write_row_count);
    cr_expect(bad == 0, "%zu combinations are ignored or fail", bad);
}

#define TEST_WITH(name, number)                                                \
    TEST(options_of_writes, name)                                              \
    {                                                                          \
        char table[16384];                                                     \
        try_all(&settings[number], table, sizeof table);                       \
        check_table("write_" #number ".txt", table);                           \
    }

TEST_WITH(have_their_effect_alone, 0)
TEST_WITH(have_their_effect_with_layers, 1)
TEST_WITH(have_their_effect_packed, 2)
TEST_WITH(have_their_effect_with_packed_layers, 3)
TEST_WITH(have_their_effect_in_another_format, 4)

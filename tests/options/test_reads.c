/* test_reads.c - Tests every read option in every call that takes it: it has
 * its effect, or is rejected with its name in the message.
 *
 * SPDX-License-Identifier: MIT
 */
#include "option_names.h"
#include "reads.h"

#include <errno.h>

#include "run.h"
#include "system.h"

#define UNREAD                                                                 \
    "have no effect: `no_verify`, `map`, `passes`, `progress`, `salvage` and " \
    "`resources`"
#define NEW "`passes` and `resources.staging_size` have no effect"

/* Combinations for which a header documents that the option has no effect. */
static const struct exception exceptions[] = {
    { "map", "varve_dry_run", "checkpoint.h", UNREAD },
    { "passes", "varve_dry_run", "checkpoint.h", UNREAD },
    { "progress", "varve_dry_run", "checkpoint.h", UNREAD },
    { "salvage.on", "varve_dry_run", "checkpoint.h", UNREAD },
    { "salvage.loss", "varve_dry_run", "checkpoint.h", UNREAD },
    { "resources.staging_size", "varve_dry_run", "checkpoint.h", UNREAD },
    { "no_verify", "manager", "manager.h",
        "`no_verify` has no effect" },
    { "foreign.dots", "redundancy", "redundancy.h",
        "`foreign` of the options of a read has no effect" },
    { "foreign.no_hdf5", "redundancy", "redundancy.h",
        "`foreign` of the options of a read has no effect" },
    { "foreign.follow_links", "redundancy", "redundancy.h",
        "`foreign` of the options of a read has no effect" },
    { "foreign.dots", "manager", "manager.h",
        "`foreign.dots` and `foreign.no_hdf5` have no effect" },
    { "foreign.no_hdf5", "manager", "manager.h",
        "`foreign.dots` and `foreign.no_hdf5` have no effect" },
    { "passes", "varve_graph", "structure.h", NEW },
    { "resources.staging_size", "varve_graph", "structure.h", NEW },
    { NULL, NULL, NULL, NULL },
};

/* --- A file --------------------------------------------------------------- */

static void begin_graph(struct reading *r, struct read_trial *t, bool is_file,
    const varve_comm *comm)
{
    *r = (struct reading){ .trial = t, .comm = comm };
    size_t count = t->row->file & FILE_HUGE ? HUGE_SIZE : LARGE;
    r->large = malloc(count * sizeof *r->large);
    for (size_t i = 0; i < count; i++)
        r->large[i] = is_file ? (float)i + 1 : -1;
    for (int i = 0; i < 8; i++)
        r->a[i] = is_file ? (float)i + 1 : -1;
    for (int i = 0; i < 4; i++) {
        r->b[i] = is_file ? (float)i + 5 : -1;
        r->sub[i] = is_file ? (float)i + 11 : -1;
        r->x[i] = r->y[i] = r->extra[i] = r->v[i] = r->b[i];
        r->wide[i] = -1;
    }
    if (!is_file && t->call->is_run) {
        r->run = vv_run_new_in(&t->disk.context);
        r->graph = varve_run_graph(r->run);
    } else {
        r->graph = vv_graph_new_in(&t->disk.context);
    }
    r->root = varve_graph_root(r->graph);
}

static void end_reading(struct reading *r)
{
    if (r->owns_restoration)
        varve_restoration_free(r->restoration);
    varve_manager_free(r->manager);
    varve_saver_free(r->saver);
    if (r->run)
        varve_run_free(r->run);
    else if (r->graph)
        varve_graph_free(r->graph);
    free(r->large);
}

static void add(struct reading *r, const char *name, float *values)
{
    varve_add_variable(r->root, name, varve_array(values, 4));
}

static void build_file(struct reading *r)
{
    unsigned file = r->trial->row->file;
    if (file & FILE_FOREIGN) {
        add(r, "u.v", r->v);
        return;
    }
    add(r, "a", r->a);
    add(r, "b", r->b);
    varve_add_variable(
        varve_add_object(r->root, "sub"), "a", varve_array(r->sub, 4));
    varve_add_variable(r->root, "large",
        varve_array(r->large, file & FILE_HUGE ? HUGE_SIZE : LARGE));
    if (file & FILE_SHARED) {
        add(r, "x", r->x);
        varve_track(r->root, "y", varve_find(r->root, "x"));
    }
    if (file & FILE_EXTRA)
        add(r, "extra", r->extra);
}

static void build_a(struct reading *r)
{
    unsigned program = r->trial->row->program;
    if (program & PROGRAM_LONGER)
        varve_add_variable(r->root, "a", varve_array(r->a, 6));
    else if (program & PROGRAM_SQUARE)
        varve_add_variable(r->root, "a", varve_array(r->a, 2, 2));
    else if (program & PROGRAM_DOUBLE)
        varve_add_variable(r->root, "a", varve_array(r->wide, 4));
    else
        add(r, program & PROGRAM_RENAMED ? "c" : "a", r->a);
}

static void build_program(struct reading *r)
{
    unsigned program = r->trial->row->program;
    if (program & PROGRAM_DOTS) {
        varve_add_variable(
            varve_add_object(r->root, "u"), "v", varve_array(r->v, 4));
        return;
    }
    build_a(r);
    if (program & PROGRAM_SUB)
        return;
    add(r, "b", r->b);
    varve_add_variable(
        varve_add_object(r->root, "sub"), "a", varve_array(r->sub, 4));
    if (!(program & PROGRAM_LATE))
        varve_add_variable(r->root, "large",
            varve_array(r->large,
                r->trial->row->file & FILE_HUGE ? HUGE_SIZE : LARGE));
    if (program & PROGRAM_APART) {
        add(r, "x", r->x);
        add(r, "y", r->y);
    }
    if (program & PROGRAM_EXTRA)
        add(r, "extra", r->extra);
}

/* --- What becomes of it --------------------------------------------------- */

/* Damages each copy of the value. */
static void damage(struct read_trial *t)
{
    struct memory *memory = t->disk.memory;
    for (size_t i = 0; i < memory_file_count(memory); i++) {
        char path[256];
        size_t size;
        varve_error error;
        varve_saved_node node;
        snprintf(path, sizeof path, "%s", memory_file_path(memory, i));
        if (!strstr(path, ".varve") && strcmp(path, t->call->path) != 0)
            continue;
        varve_reader *reader =
            vv_reader_open_in(&t->disk.context, path, &error);
        if (reader && varve_reader_find(reader, "large", &node) && node.file)
            memory_bytes(memory, node.file, &size)[node.offset + 100] ^= 1;
        varve_reader_free(reader);
    }
}

/* Removes the file from the first tier, so only the other tier has it. */
static void lose_first(struct read_trial *t)
{
    const struct vv_system *s = t->disk.context.system;
    s->remove(s->state, VV_WORKING_DIRECTORY, t->call->path);
}

/* Makes shards and data files links to files in another directory. The system
 * opens the previous file in memory for them. */
static atomic_bool are_links;

static int look_at_links(void *state, int directory, const char *name,
    struct vv_file_look *look)
{
    bool is_shard = strstr(name, ".safetensors") && !strstr(name, ".json");
    (void)state;
    (void)directory;
    if (!atomic_load(&are_links))
        return -ENOSYS;
    *look = (struct vv_file_look){ .kind = VV_REGULAR_FILE };
    look->is_link = is_shard || strstr(name, "layers/");
    if (look->is_link)
        strcpy(look->target, "/elsewhere/data");
    return 0;
}

static void prepare(struct read_trial *t)
{
    static const unsigned char hdf5[1024] = { 0x89, 'H', 'D', 'F', '\r', '\n',
        0x1a, '\n' };
    if (t->row->file & FILE_DAMAGED)
        damage(t);
    if (t->row->file & FILE_LINKED) {
        memory_put(t->disk.memory, "elsewhere/data", "", 0);
        atomic_store(&are_links, true);
    }
    if (t->row->file & FILE_HDF5) {
        memory_put(t->disk.memory, read_path(t->call, t->row), hdf5,
            sizeof hdf5);
        if (t->call->has_levels)
            memory_put(
                t->disk.memory, "far/ckpt-1.varve", hdf5, sizeof hdf5);
    } else if (t->call->has_levels && !(t->row->file & FILE_FOREIGN)) {
        lose_first(t);
    }
    memory_put(t->disk.memory, "names.txt", "c -> a\n", 7);
    t->log_begin = faulty_log_size(t->disk.faulty);
}

static uint32_t rank_of(const varve_comm *comm)
{
    return comm ? comm->rank : 0;
}

static void come(const varve_comm *comm)
{
    if (comm)
        comm->barrier(comm->self);
}

static void write_it(const varve_comm *comm, struct read_trial *t)
{
    struct reading r;
    begin_graph(&r, t, true, comm);
    build_file(&r);
    bool is_alone = t->call->write != NULL && !strstr(t->call->name, "manager");
    if (!is_alone || rank_of(comm) == 0)
        if (t->call->write(t->call, &r))
            t->fails_first = true;
    end_reading(&r);
    come(comm);
}

static void run_reading(const varve_comm *comm, void *user)
{
    struct read_trial *t = user;
    struct reading r;
    write_it(comm, t);
    begin_graph(&r, t, false, comm);
    build_program(&r);
    come(comm);
    if (rank_of(comm) == 0)
        prepare(t);
    come(comm);
    varve_status status = t->call->read(t->call, &r, &t->tested);
    t->statuses[rank_of(comm)] = status;
    t->errors[rank_of(comm)] = r.error;
    come(comm);
    if (rank_of(comm) == 0)
        t->is_seen = t->row->is_seen(&r, status);
    come(comm);
    end_reading(&r);
}

static void run_trial(struct read_trial *t, const struct read_call *c,
    const struct read_row *row, bool is_set)
{
    memset(t, 0, sizeof *t);
    t->call = c;
    t->row = row;
    if (row->set_both)
        row->set_both(&t->tested, t);
    if (is_set)
        row->set(&t->tested, t);
    disk_begin(&t->disk);
    atomic_store(&are_links, false);
    if (row->file & FILE_LINKED) {
        t->linked = *t->disk.context.system;
        t->linked.look = look_at_links;
        t->disk.context.system = &t->linked;
    }
    if (c->is_of_many)
        thread_comm_run(RANKS, c->has_nodes ? 1 : 0, -1, run_reading, t);
    else
        run_reading(NULL, t);
    disk_end(&t->disk);
}

/* --- The verdict ---------------------------------------------------------- */

static bool is_excepted(const struct read_trial *t)
{
    for (const struct exception *e = exceptions; e->option; e++)
        if (strcmp(e->option, t->row->name) == 0 &&
            (!*e->calls || has_any(t->call->name, e->calls)))
            return true;
    return false;
}

static enum verdict judge(const struct read_trial *t)
{
    const char *message = t->errors[0].message;
    varve_status wanted = t->row->is_too_new ? VARVE_TOO_NEW : VARVE_MISUSE;
    if (t->fails_first)
        return FAILED;
    if (t->statuses[0] == wanted &&
        (t->row->is_too_new || has_any(message, t->row->name) ||
            (*t->row->needs && has_any(message, t->row->needs))))
        return REFUSED;
    if (t->is_seen)
        return HONOURED;
    if (is_excepted(t))
        return DOCUMENTED;
    return t->statuses[0] ? FAILED : IGNORED;
}

static bool are_alike(const struct read_trial *t)
{
    return !t->call->is_of_many || t->statuses[0] == t->statuses[1];
}

static enum verdict try(const struct read_call *c, const struct read_row *row)
{
    struct read_trial t;
    run_trial(&t, c, row, true);
    enum verdict verdict = are_alike(&t) ? judge(&t) : FAILED;
    if (verdict == IGNORED || verdict == FAILED)
        fprintf(stderr, "%s, `%s`: %s: %s %s\n", c->name, row->name,
            verdict == IGNORED ? "ignored" : "failed",
            varve_status_name(t.statuses[0]), t.errors[0].message);
    if (verdict != HONOURED)
        return verdict;
    run_trial(&t, c, row, false);
    return t.is_seen ? ALWAYS : HONOURED;
}

/* --- The tests ------------------------------------------------------------ */

TEST(options_of_reads, and_calls_all_have_a_row)
{
    char text[8192] = "";
    for (size_t i = 0; i < read_row_count; i++)
        sprintf(text + strlen(text), "%s %s ", read_rows[i].name,
            read_rows[i].with);
    check_covered(read_fields, text, "a row of read_rows");
    text[0] = '\0';
    for (size_t i = 0; i < read_call_count; i++)
        sprintf(text + strlen(text), "%s ", read_calls[i].taker);
    check_covered(read_takers, text, "a call of read_calls");
}

TEST(options_of_reads, have_no_effect_only_if_a_header_documents_it)
{
    for (const struct exception *e = exceptions; e->option; e++)
        cr_expect(is_quoted(e), "%s: expected in it: %s", e->header, e->quote);
}

TEST(options_of_reads, have_their_effect)
{
    char table[16384] = "";
    size_t bad = 0;
    for (size_t k = 0; k < read_row_count; k++)
        sprintf(table + strlen(table), "%*s %s\n", (int)(32 + 2 * k), "|",
            read_rows[k].name);
    for (size_t i = 0; i < read_call_count; i++) {
        sprintf(table + strlen(table), "%-30s", read_calls[i].name);
        for (size_t k = 0; k < read_row_count; k++) {
            enum verdict v = try(&read_calls[i], &read_rows[k]);
            bad += v == IGNORED || v == FAILED;
            sprintf(table + strlen(table), " %c", v);
        }
        strcat(table, "\n");
    }
    proof_count("options.reads", read_call_count * read_row_count);
    cr_expect(bad == 0, "%zu combinations are ignored or fail", bad);
    check_table("read.txt", table);
}

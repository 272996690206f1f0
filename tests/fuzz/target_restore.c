/* target_restore.c - Fuzzes restoring a hostile file into a live graph, with
 * options from the flags. A failure must change nothing. After a success every
 * restored value must equal that of a reader, and no other value may have
 * changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "fuzz/program.h"
#include "fuzz/restore_flags.h"
#include "graph.h"
#include "reader.h"
#include "restoration.h"

/* The memory that a restoration may need for the program's own graph: staging
 * for all of its values, and tables by node and name. */
enum { PROGRAM_SIZE = 64 * 1024 };

enum { MOST_VALUES = 64 << 20 }; /* zeros or compressed values */

struct run {
    struct bounded bounded;
    struct one_file file;
    struct vv_context context;
    struct program program;
    uint32_t flags;
    varve_read_options options;
    struct values *before;
};

/* --- Options -------------------------------------------------------------- */

static const varve_rename renames[] = {
    { "network/**", "model/**" },
    { "numbers/*", "dict/*" },
    { "step", "network/layers/0/bias" },
};

static void set_options(struct run *run)
{
    uint32_t f = run->flags;
    varve_read_options *o = &run->options;
    *o = (varve_read_options){
        .passes = f & RESTORE_STREAMING ? VARVE_ONE_PASS : VARVE_TWO_PASSES,
        .map = f & RESTORE_MAP,
        .no_verify = f & RESTORE_NO_VERIFY,
        .reshape = f & RESTORE_RESHAPE,
        .cast = f & RESTORE_CAST_ANY     ? VARVE_CAST_ANY
                : f & RESTORE_CAST_WIDEN ? VARVE_CAST_WIDEN
                                         : VARVE_CAST_NONE,
        .resources = { .staging_size = f & RESTORE_NO_STAGING ? 1 : 0,
        .threads = 1 },
    };
    if (f & RESTORE_RESIZE)
        o->resize = "**";
    if (f & RESTORE_ONLY)
        o->only = "network/**/kernel|step|optimizer|numbers/*int*";
    if (f & RESTORE_EXCEPT)
        o->except = "words|**/bias|numbers/bool";
    if (f & RESTORE_RENAMES) {
        o->rename.list = renames;
        o->rename.count = sizeof renames / sizeof *renames;
    }
    if (f & RESTORE_SUBTREE)
        o->subtree = "network";
    if (f & RESTORE_EXPECT) {
        o->expect.missing = "numbers|**/momentum*";
        o->expect.unexpected = "**/0|x";
    }
}

/* --- Values against the reader -------------------------------------------- */

static bool is_string_of(
    const varve_tensor *tensor, const unsigned char *bytes, uint64_t size)
{
    const varve_string *strings = tensor->data;
    uint64_t count = varve_tensor_count(tensor);
    uint64_t at = 8 * count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t length;
        memcpy(&length, bytes + 8 * i, 8);
        if (strings[i].size != length || length > size - at ||
            (length && memcmp(strings[i].data, bytes + at, (size_t)length)))
            return false;
        at += length;
    }
    return at == size;
}

static void check_value(const struct run *run, varve_reader *reader,
    const varve_finding *finding, const varve_tensor *now)
{
    varve_saved_node saved;
    varve_error error = { 0 };
    if (run->flags & RESTORE_SUBTREE || finding->cast ||
        strncmp(finding->file_path, "...", 3) == 0 ||
        varve_tensor_count(now) != varve_tensor_count(&finding->saved))
        return;
    FUZZ_CHECK(varve_reader_find(reader, finding->file_path, &saved),
        "\"%s\" of a report is not in the file", finding->file_path);
    FUZZ_CHECK(saved.has_value, "\"%s\" has no value", finding->file_path);
    unsigned char *bytes = malloc((size_t)saved.size + 1);
    varve_status status = varve_reader_read(
        reader, saved.id, bytes, (size_t)saved.size, &error);
    bool is_unseen = run->flags & (RESTORE_NO_VERIFY | RESTORE_MAP);
    FUZZ_CHECK(!status || is_unseen, "restored, but: %s", error.message);
    if (!status && !(run->flags & RESTORE_RESIZE))
        FUZZ_CHECK(now->dtype == VARVE_STRING
                ? is_string_of(now, bytes, saved.size)
                : saved.size == 0 ||
                      memcmp(bytes, now->data, (size_t)saved.size) == 0,
            "\"%s\" has another value than the file", finding->program_path);
    free(bytes);
}

/* Returns true and sets the finding if a report contains a match for a path. */
static bool find_matched(
    const varve_report *report, const char *path, varve_finding *finding)
{
    for (size_t i = 0;
         varve_report_at(report, VARVE_FINDING_MATCHED, i, finding); i++)
        if (finding->program_path && strcmp(finding->program_path, path) == 0)
            return true;
    return false;
}

static void check_values(struct run *run, const varve_report *report)
{
    struct bounded bounded = bounded_by(1 << 24);
    struct vv_context context = run->context;
    varve_error error = { 0 };
    context.allocator = bounded_allocator(&bounded);
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, &error);
    FUZZ_CHECK(reader, "restored, but: %s", error.message);
    varve_finding finding;
    varve_node *root = varve_graph_root(run->program.graph);
    for (size_t i = 0; i < values_count(run->before); i++) {
        const char *path = values_path(run->before, i);
        varve_node *node = varve_find_path(root, path);
        const varve_tensor *now = node ? varve_value(node) : NULL;
        if (!now)
            continue;
        if (!find_matched(report, path, &finding))
            FUZZ_CHECK(values_are_kept(run->before, path, now),
                "\"%s\" has changed, and is not in the report", path);
    }
    for (size_t i = 0;
         varve_report_at(report, VARVE_FINDING_MATCHED, i, &finding); i++) {
        varve_node *node = finding.program_path
                               ? varve_find_path(root, finding.program_path)
                               : NULL;
        const varve_tensor *now = node ? varve_value(node) : NULL;
        if (now && varve_state_of(node) == VARVE_RESTORED && now->data &&
            finding.file_path)
            check_value(run, reader, &finding, now);
    }
    varve_reader_free(reader);
}

static void check_unchanged(const struct run *run)
{
    varve_node *root = varve_graph_root(run->program.graph);
    for (size_t i = 0; i < values_count(run->before); i++) {
        const char *path = values_path(run->before, i);
        varve_node *node = varve_find_path(root, path);
        const varve_tensor *now = node ? varve_value(node) : NULL;
        FUZZ_CHECK(!now || values_are_kept(run->before, path, now),
            "a failed restore has changed \"%s\"", path);
    }
}

/* --- One restoration ------------------------------------------------------ */

static void check_graph(const struct run *run)
{
    varve_error error = { 0 };
    varve_status status = varve_graph_check(run->program.graph, &error);
    if (status)
        FUZZ_CHECK(error.message[0], "an error without a message");
}

/* Returns the maximum size of a report in memory: each finding has two paths
 * and a reason with a third one, and is also printed to a text buffer that
 * grows by doubling. */
static size_t most_of_report(size_t values)
{
    return (values + 256) * 8 * VV_LONGEST_PATH;
}

static void ask(struct run *run, varve_restoration *r, bool is_first)
{
    varve_error error = { 0 };
    uint32_t values = vv_index_of(&r->pairing)->value_count;
    bounded_raise(&run->bounded, most_of_report(values));
    varve_report *report = varve_report_new(r, &error);
    FUZZ_CHECK(report, "no report: %s", error.message);
    if (is_first && !(run->flags & (RESTORE_PLAN | RESTORE_LATE)))
        check_values(run, report);
    FUZZ_CHECK(strncmp(varve_report_text(report), FUZZ_PATH, 13) == 0,
        "a report without the name of the file");
    varve_report_free(report);
    if (varve_assert_consumed(r, &error))
        fuzz_check_failure(error.status, &error);
    if (varve_assert_existing_objects_matched(r, &error))
        fuzz_check_failure(error.status, &error);
    if (varve_assert_nontrivial_match(r, &error))
        fuzz_check_failure(error.status, &error);
}

static void use(struct run *run, varve_restoration *r)
{
    varve_error error = { 0 };
    ask(run, r, true);
    size_t waiting = varve_pending_count(r);
    FUZZ_CHECK(waiting <= vv_index_of(&r->pairing)->value_count,
        "%zu pending values", waiting);
    if (run->flags & RESTORE_LATE)
        program_build(&run->program);
    program_build_late(&run->program);
    check_graph(run);
    if (run->flags & RESTORE_REGRET)
        program_regret(&run->program);
    if (varve_restoration_retry(r, &error))
        fuzz_check_failure(error.status, &error);
    if (varve_restoration_verify(r, &error))
        fuzz_check_failure(error.status, &error);
    ask(run, r, false);
    if (run->flags & RESTORE_DROP)
        FUZZ_CHECK(!varve_drop_pending(r, "numbers|**/*a*", &error) ||
                error.message[0], "dropped without words");
    FUZZ_CHECK(!varve_drop_pending(r, NULL, &error) || error.message[0],
        "dropped without words");
    if (!(run->flags & RESTORE_PLAN))
        FUZZ_CHECK(varve_pending_count(r) == 0, "something still waits");
    ask(run, r, false);
}

static varve_restoration *restore(struct run *run, varve_error *error)
{
    varve_node *root = varve_graph_root(run->program.graph);
    if (run->flags & RESTORE_PLAN)
        return varve_dry_run(root, FUZZ_PATH, &run->options, error);
    if (run->flags & RESTORE_NUMBERED)
        return varve_restore(root, FUZZ_PATH, &run->options, error);
    return varve_read(root, FUZZ_PATH, &run->options, error);
}

static bool may_be_half_done(const struct run *run)
{
    return run->flags & (RESTORE_STREAMING | RESTORE_NO_STAGING);
}

static void restore_once(struct run *run)
{
    varve_error error = { 0 };
    varve_restoration *r = restore(run, &error);
    if (r) {
        use(run, r);
    } else {
        fuzz_check_failure(error.status, &error);
        FUZZ_CHECK(
            error.status != VARVE_PARTIALLY_RESTORED || may_be_half_done(run),
            "half restored: %s", error.message);
        if (error.status != VARVE_PARTIALLY_RESTORED)
            check_unchanged(run);
        check_graph(run);
    }
    if (r && run->flags & RESTORE_TWICE) {
        varve_restoration *again = restore(run, &error);
        program_regret(&run->program);
        varve_restoration_free(r);
        r = again;
    }
    if (run->flags & RESTORE_OUTLIVES) {
        varve_graph_free(run->program.graph);
        run->program.graph = NULL;
    }
    varve_restoration_free(r);
}

/* Raises the limit for values that take little of the file but much memory.
 * Returns false if they are too large; then they are skipped. */
static bool make_room_for_values(struct run *run)
{
    struct bounded bounded = bounded_by(1 << 24);
    struct vv_context context = run->context;
    uint64_t sum = 0;
    context.allocator = bounded_allocator(&bounded);
    varve_reader *reader = vv_reader_open_in(&context, FUZZ_PATH, NULL);
    if (!reader)
        return true;
    const struct vv_index *index = &reader->file.parsed.index;
    for (uint32_t i = 0; index->layer_count && i < index->value_count; i++)
        sum += vv_at64(index->value_sizes, i);
    bounded_raise(&run->bounded, bounded_unpacking(index));
    /* A read without any match creates a report for its error message. */
    bounded_raise(&run->bounded, most_of_report(index->value_count));
    if (sum <= MOST_VALUES)
        bounded_raise(&run->bounded, (size_t)sum);
    varve_reader_free(reader);
    return sum <= MOST_VALUES;
}

void fuzz_restore(const uint8_t *bytes, size_t size)
{
    size_t file_size = fuzz_file_size(bytes, size);
    struct run *run = calloc(1, sizeof *run);
    run->flags = fuzz_flags(bytes, size);
    run->bounded = bounded_for(bytes, file_size);
    bounded_raise(&run->bounded, PROGRAM_SIZE);
    one_file_init(&run->file, bytes, file_size);
    run->context.system = &run->file.system;
    run->context.allocator = bounded_allocator(&run->bounded);
    run->program.bounded = &run->bounded;
    run->bounded.is_free = true;
    run->program.graph = vv_graph_new_in(&run->context);
    if (!(run->flags & RESTORE_LATE))
        program_build(&run->program);
    everything_fill(&run->program.model, 3);
    run->before = values_new(varve_graph_root(run->program.graph));
    run->bounded.is_free = false;
    set_options(run);
    if (make_room_for_values(run))
        restore_once(run);
    if (run->program.graph)
        varve_graph_free(run->program.graph);
    values_free(run->before);
    FUZZ_CHECK(run->file.opened == 0, "%d descriptors or maps are left",
        run->file.opened);
    bounded_check_empty(&run->bounded);
    free(run);
}

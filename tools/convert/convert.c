/* convert.c - Implements varve convert: writes a checkpoint, or a part of it,
 * in another format or with other names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/structure.h>
#include <varve/variable.h>

#include "arrange.h"
#include "casts.h"
#include "choose.h"
#include "command.h"
#include "complaint.h"
#include "convert.h"
#include "destination.h"
#include "interruption.h"
#include "json_out.h"
#include "lost.h"
#include "outline.h"
#include "progress_bar.h"
#include "memory.h"
#include "store_path.h"
#include "target.h"
#include "units.h"

enum { MOST_LEVEL = 19 }; /* as in varve_write_options */

#define OPTIONS struct convert_options
static const struct option_row option_rows[] = {
    OPTION("output", 'o', OPTION_TEXT, output, "DESTINATION",
        "the same as behind FILE"),
    OPTION("to", 0, OPTION_WORD, format, FORMAT_WORDS,
        "the format, if the name does not show it"),
    OPTION("only", 0, OPTION_TEXT, only, "PATS", "nothing else is taken"),
    OPTION("except", 0, OPTION_TEXT, except, "PATS", "these are not taken"),
    OPTION_FOREIGN,
    OPTION("rename", 0, OPTION_TEXTS, rename.texts, "'NEW -> OLD'",
        "other paths; repeatable"),
    OPTION("rename-file", 0, OPTION_TEXT, rename.file, "FILE",
        "a file with one rename per line; # starts a comment"),
    OPTION("cast", 0, OPTION_TEXTS, casts, "TYPE",
        "another element type, or PATS=TYPE; repeatable"),
    OPTION("names", 0, OPTION_WORD, names, "path|global",
        "names of values in safetensors and npz; global names if there are "
        "any"),
    OPTION("shard-size", 0, OPTION_SIZE, shard_size, "SIZE",
        "start another file when one reaches SIZE, such as 2GiB"),
    OPTION("compress", 0, OPTION_NUMBER, compress, "LEVEL",
        "compress values with Zstandard, level 1 to 19; .varve only"),
    OPTION("salvage", 0, OPTION_FLAG, settings.opening.salvage, NULL,
        "leave out damaged values, and list them"),
    OPTION("force", 'f', OPTION_FLAG, force, NULL,
        "replace an existing checkpoint"),
    OPTION_PARENTS,
    OPTION("verbose", 'v', OPTION_FLAG, verbose, NULL,
        "list all that was lost or cast, not only some"),
    OPTION_SHARED("quiet", 'q', OPTION_FLAG, quiet, NULL, "print only errors"),
    OPTION_JSON,
    OPTION_PROGRESS,
    OPTION_UNITS,
    OPTION_ASCII,
    OPTION_HELP,
    OPTION_END,
};

struct conversion {
    const struct settings *settings;
    const struct convert_options *options;
    struct target source;
    struct destination destination;
    struct renames renames;
    struct casts casts;
    struct losses losses;
    struct lost lost;
    struct unused unused;
    struct progress_bar bar;
    varve_graph *graph;
    varve_node *root;   /* root of the output */
    struct parts parts; /* its nodes, if some are selected or changed */
    size_t values;      /* number of values written */
    uint64_t bytes;     /* their size */
};

/* --- The graph ---------------------------------------------------------- */

struct search {
    const char *path;
    varve_node *found;
};

static varve_status compare_path(void *user, varve_node *node, const char *path)
{
    struct search *s = user;
    if (strcmp(path, s->path) != 0)
        return VARVE_OK;
    s->found = node;
    return VARVE_CANCELLED;
}

/* Returns the node of the given path; for a slot variable, compares whole
 * paths. */
static varve_node *find_root(struct conversion *c)
{
    varve_node *root = varve_graph_root(c->graph);
    struct search search = { .path = c->source.node.path };
    varve_node *found = varve_find_path(root, c->source.path);
    if (!found &&
        varve_walk(root, compare_path, &search, NULL) == VARVE_CANCELLED)
        found = search.found;
    return found;
}

/* Returns a parent for a single value, which holds its name. */
static varve_node *with_name(struct conversion *c, varve_node *node)
{
    const char *path = c->source.node.path;
    const char *slot = slot_label(path);
    const char *slash = strrchr(path, '/');
    if (varve_node_kind(node) != VARVE_VARIABLE)
        return node;
    varve_node *root = varve_add_detached(c->graph);
    const char *name = slot != path || !slash ? slot : slash + 1;
    return varve_track(root, *name ? name : "value", node), root;
}

/* Returns the options for reading. The path of a slot does not identify a
 * subtree. */
static varve_read_options part_of(struct conversion *c)
{
    const struct convert_options *o = c->options;
    const struct opening *opening = &o->settings.opening;
    const char *path = c->source.path;
    bool is_value = c->source.node.kind == VARVE_VARIABLE;
    return (varve_read_options){
        .subtree = *path && !strchr(path, '(') ? path : NULL,
        .only = is_value ? NULL : o->only,
        .except = is_value ? NULL : o->except,
        .foreign = { .dots = opening->dots,
            .follow_links = opening->follow_links },
        .salvage = { .on = opening->salvage,
            .loss = lost_add,
            .loss_user = &c->lost },
    };
}

/* Prints a read error. The structure of the file was intact when it was opened,
 * so damage is in values. */
static int complain_unread(
    const struct settings *settings, const char *file, const varve_error *error)
{
    if (error->status != VARVE_CORRUPT)
        return complain_status(settings, "cannot read", file, error);
    return complain_status_hint(settings, "cannot read", file, error,
        "--salvage leaves out damaged values and lists them, as varve repair "
        "does");
}

/* Reports what the reader has omitted from the whole file. For a part,
 * everything else is omitted intentionally. */
static void note_left_out(struct conversion *c)
{
    const char *path, *what;
    for (size_t i = 0;
         varve_reader_left_out_at(c->source.reader, i, &path, &what); i++)
        losses_add(&c->losses, path, what);
}

static int make_graph(struct conversion *c)
{
    varve_error error = { .status = VARVE_OK };
    const char *file = shown_path(varve_reader_path(c->source.reader));
    varve_read_options part = part_of(c);
    /* a cast needs the whole value in memory */
    c->graph =
        (c->casts.rule_count ? varve_graph_from_part : varve_graph_from_lazy)(
            file, &part, NULL, &error);
    if (!c->graph)
        return complain_unread(c->settings, file, &error);
    varve_node *node = find_root(c);
    if (!node)
        return complain_memory(c->settings);
    if (unused_find(&c->unused, node, file, &part, &error))
        return complain_status(c->settings, "cannot read", file, &error);
    c->root = with_name(c, node);
    return OUTCOME_DONE;
}

/* Parts need memory for the path of every node. */
static bool needs_parts(const struct conversion *c)
{
    const struct convert_options *o = c->options;
    return o->only || o->except || c->renames.count || c->casts.rule_count ||
           c->source.node.path[0];
}

/* Returns true if a Varve file must store more than the path of a value: the
 * names of groups and layers in Keras differ. */
static bool keeps_globals(const struct conversion *c)
{
    return varve_reader_format(c->source.reader) == VARVE_FORMAT_HDF5 &&
           c->destination.format == VARVE_FORMAT_VARVE;
}

struct naming {
    struct parts named;
    bool keeps_others; /* other than the paths */
};

static varve_status add_named(void *user, varve_node *node, const char *path)
{
    struct naming *n = user;
    struct parts *named = &n->named;
    const char *global = varve_global_name(node);
    if (!global || (n->keeps_others && strcmp(global, path) != 0))
        return VARVE_OK;
    named->items = memory_grow(
        named->items, &named->capacity, named->count, sizeof *named->items);
    named->items[named->count++] = (struct part){ .node = node };
    return VARVE_OK;
}

/* Removes global names. In files without a graph they are the paths of the
 * values. */
static int drop_all_names(struct conversion *c)
{
    struct naming n = { .keeps_others = keeps_globals(c) };
    varve_status status = varve_walk(c->root, add_named, &n, NULL);
    for (size_t i = 0; i < n.named.count; i++)
        varve_set_global_name(n.named.items[i].node, NULL);
    parts_clear(&n.named);
    return status ? complain_memory(c->settings) : OUTCOME_DONE;
}

static bool has_graph(varve_format format)
{
    return format == VARVE_FORMAT_VARVE || format == VARVE_FORMAT_TENSORFLOW;
}

static int change_graph(struct conversion *c)
{
    bool is_from_flat = !has_graph(varve_reader_format(c->source.reader));
    if (!needs_parts(c))
        return is_from_flat ? drop_all_names(c) : OUTCOME_DONE;
    if (parts_make(&c->parts, c->root, NULL))
        return complain_memory(c->settings);
    struct arrangement a = { .settings = c->settings,
        .options = c->options,
        .parts = &c->parts,
        .renames = &c->renames,
        .losses = &c->losses,
        .unused = &c->unused,
        .is_flat = !has_graph(c->destination.format),
        .is_from_flat = is_from_flat && !keeps_globals(c) };
    int outcome = choose(&a);
    if (outcome == OUTCOME_DONE) {
        unused_warn(c->settings, &c->unused);
        outcome = casts_apply(c->settings, &c->casts, &c->parts);
    }
    if (outcome == OUTCOME_DONE)
        outcome = arrange_move(&a);
    c->root = c->parts.items[0].node;
    return outcome;
}

/* --- The file ----------------------------------------------------------- */

static int on_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    return interrupted() ? 1 : progress_bar_update(user, done, total, what);
}

static int write_to(struct conversion *c, const struct destination *d,
    const varve_write_options *options)
{
    varve_error error = { .status = VARVE_OK };
    varve_status status = varve_write(c->root, d->path, options, &error);
    progress_bar_clear(&c->bar);
    if (status == VARVE_OK)
        return OUTCOME_DONE;
    destination_correct_message(d, &error);
    return complain_status(c->settings, "cannot write", d->given, &error);
}

/* Writes to a temporary directory and reads the result back. New files are then
 * moved to their place; a checkpoint that is replaced is written again, because
 * the library replaces it atomically. So no unreadable file remains, and
 * nothing is lost for one. */
static int write_tried(struct conversion *c, const struct destination *trial,
    const varve_write_options *options, bool is_new)
{
    varve_write_options plain = *options;
    if (!is_new) {
        plain.foreign.loss = NULL;
        plain.progress = NULL;
        plain.no_sync = true;
    }
    int outcome = write_to(c, trial, &plain);
    if (outcome != OUTCOME_DONE)
        return outcome;
    varve_reader *reader = destination_open(c->settings, trial);
    varve_reader_free(reader);
    if (!reader)
        return OUTCOME_FILE;
    if (interrupted())
        return OUTCOME_INTERRUPTED;
    return is_new ? destination_settle(c->settings, &c->destination, trial)
                  : write_to(c, &c->destination, options);
}

/* Reports values with the tag local. Varve does not save such values, but a
 * file may contain one. */
static varve_status note_local(void *user, varve_node *node, const char *path)
{
    if (varve_has_tag(node, VARVE_TAG_LOCAL) &&
        varve_state_of(node) == VARVE_RESTORED)
        losses_add(user, path, "values that are tagged local");
    return VARVE_OK;
}

static int write_graph(struct conversion *c)
{
    varve_write_options options = {
        .progress = on_progress,
        .progress_user = &c->bar,
        .no_replace = !c->options->force,
        .keep_counter = true,
        .format = c->destination.format,
        .compress = (int)c->options->compress,
        .foreign = { .shard_size = c->options->shard_size,
            .global_names = c->options->names == NAMES_GLOBAL,
            .loss = losses_add,
            .loss_user = &c->losses },
    };
    options.metadata = varve_graph_metadata(c->graph, &options.metadata_count);
    struct destination trial;
    bool is_new = !destination_is_there(&c->destination);
    if (!destination_try(&c->destination, &trial))
        return write_to(c, &c->destination, &options);
    int outcome = write_tried(c, &trial, &options, is_new);
    destination_end_trial(&trial);
    return outcome;
}

/* Writes the output. A signal is recorded during this time, and ends the
 * program after the temporary directory is removed. */
static int write_patiently(struct conversion *c)
{
    if (varve_walk(c->root, note_local, &c->losses, NULL))
        return complain_memory(c->settings);
    interruption_waits(true);
    int outcome = write_graph(c);
    interruption_waits(false);
    return outcome;
}

/* Counts the values of the written files by reading them. */
static int count_written(struct conversion *c)
{
    varve_saved_node node;
    varve_reader *reader = destination_open(c->settings, &c->destination);
    if (!reader)
        return OUTCOME_FILE;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        c->values += node.has_value;
        c->bytes += node.has_value ? node.size : 0;
    }
    varve_reader_free(reader);
    return OUTCOME_DONE;
}

/* --- Output ------------------------------------------------------------- */

static void print_json(const struct conversion *c)
{
    const varve_reader *source = c->source.reader;
    printf(
        "{\"schema\":\"varve.%s/1\",\"source\":", c->settings->command->name);
    json_print_text(stdout, shown_path(varve_reader_path(source)));
    printf(",\"source_format\":\"%s\",\"path\":",
        varve_format_name(varve_reader_format(source)));
    json_print_text(stdout, c->source.node.path);
    fputs(",\"file\":", stdout);
    json_print_text(stdout, c->destination.given);
    printf(",\"format\":\"%s\",\"values\":%zu,\"bytes\":%" PRIu64
           ",\n\"items\":[",
        varve_format_name(c->destination.format), c->values, c->bytes);
    losses_print_json(&c->losses);
    fputs("],\n\"casts\":[", stdout);
    casts_print_json(&c->casts);
    fputs("],\n\"damage\":", stdout);
    json_print_text(stdout, c->source.damage);
    fputs(",\n\"lost\":[", stdout);
    lost_print_json(&c->lost, source);
    puts("]}");
}

static void print_text(const struct conversion *c)
{
    char size[UNITS_TEXT_SIZE];
    fputs("wrote ", stdout);
    print_clean(stdout, c->destination.given);
    printf("  %zu %s %s\n", c->values, c->values == 1 ? "value" : "values",
        size_text(c->settings->units, c->bytes, size));
    casts_print(&c->casts, c->options->verbose);
    losses_print(&c->losses, c->options->verbose);
    lost_print_damage(c->source.damage);
    lost_print(&c->lost, c->settings, c->source.reader);
}

/* --- The command -------------------------------------------------------- */

/* Checks options that only some formats support. */
static int check_format(const struct conversion *c)
{
    const varve_format format = c->destination.format;
    bool has_shards = format == VARVE_FORMAT_TENSORFLOW ||
                      format == VARVE_FORMAT_TENSORFLOW_NAMES ||
                      format == VARVE_FORMAT_SAFETENSORS;
    bool has_names = format == VARVE_FORMAT_SAFETENSORS ||
                     format == VARVE_FORMAT_NPZ || format == VARVE_FORMAT_GGUF;
    if (c->options->shard_size && !has_shards)
        return complain_usage(
            c->settings, "--shard-size is only for TensorFlow and safetensors");
    if (c->options->names == NAMES_GLOBAL && !has_names)
        return complain_usage(c->settings,
            "--names=global is only for safetensors, npz and GGUF");
    return OUTCOME_DONE;
}

static int check_level(const struct conversion *c)
{
    if (c->options->compress > MOST_LEVEL)
        return complain_usage(c->settings,
            "--compress: the level must be 1 to %d", (int)MOST_LEVEL);
    if (c->options->compress && c->destination.format != VARVE_FORMAT_VARVE)
        return complain_usage(
            c->settings, "--compress is only for .varve files");
    return OUTCOME_DONE;
}

static int convert(struct conversion *c, char **operands)
{
    const struct settings *s = c->settings;
    int outcome = renames_read(s, &c->options->rename, &c->renames);
    if (outcome == OUTCOME_DONE)
        outcome = casts_read(s, &c->options->casts, &c->casts);
    if (outcome == OUTCOME_DONE)
        outcome = destination_choose(c->options, operands[1], &c->destination);
    if (outcome == OUTCOME_DONE)
        outcome = check_level(c);
    if (outcome == OUTCOME_DONE)
        outcome = check_format(c);
    if (outcome == OUTCOME_DONE)
        outcome = target_open_only(s, operands[0], &c->source);
    if (outcome == OUTCOME_DONE)
        note_left_out(c);
    if (outcome == OUTCOME_DONE)
        outcome = make_graph(c);
    if (outcome == OUTCOME_DONE)
        outcome = change_graph(c);
    if (outcome == OUTCOME_DONE)
        outcome = write_patiently(c);
    if (outcome == OUTCOME_DONE)
        outcome = count_written(c);
    if (outcome == OUTCOME_DONE && s->json)
        print_json(c);
    else if (outcome == OUTCOME_DONE && !s->quiet)
        print_text(c);
    return outcome == OUTCOME_DONE && c->lost.count ? OUTCOME_NO : outcome;
}

int convert_file(const struct convert_options *options, char **operands)
{
    struct conversion c = { .settings = &options->settings,
        .options = options };
    progress_bar_begin(&c.bar, c.settings);
    int outcome = convert(&c, operands);
    parts_clear(&c.parts);
    varve_graph_free(c.graph);
    target_close(&c.source);
    destination_clear(&c.destination);
    renames_clear(&c.renames);
    casts_clear(&c.casts);
    losses_clear(&c.losses);
    lost_clear(&c.lost);
    unused_clear(&c.unused);
    return outcome;
}

static int run(const void *given, int count, char **operands)
{
    const struct convert_options *options = given;
    char *files[] = { operands[0], (char *)options->output };
    if (count == 2 ? options->output != NULL : !options->output)
        return complain_usage(&options->settings,
            "one DESTINATION is required, after FILE or with -o");
    return convert_file(options, count == 2 ? operands : files);
}

const struct command convert_command = {
    .name = "convert",
    .operands = "FILE[:PATH] [DESTINATION]",
    .summary = "convert a checkpoint, or a part of it, to another format",
    .details =
        "FILE is a checkpoint in any supported format. The ending of "
        "DESTINATION selects\n"
        "its format: .varve, .safetensors, .npz, .npy, .pt, .pth, .gguf, or "
        ".index for\n"
        "TensorFlow. Information that the format cannot hold is listed. "
        "Without --cast every\n"
        "value is the same, bit for bit.\n"
        "\n"
        "PATS are paths with wildcards, separated by |: * matches any part of "
        "a name, ** any\n"
        "number of names. A pattern also selects everything below what it "
        "matches. In NEW\n"
        "and OLD the same wildcards stand for the same text: 'model/enc/** -> "
        "encoder/**'.\n"
        "The first rename that matches is used, but the last cast. A TYPE "
        "alone applies to\n"
        "all values of the same kind: reals, integers, complex numbers.\n"
        "\n"
        "Values that --only or --except leave out are not read, so they may be "
        "damaged. If a\n"
        "value has several paths, --only selects it if any of them matches, "
        "and --except\n"
        "leaves it out if all of them match. A rename file has one rename per "
        "line, and\n"
        "comments after #, as in the library. A pattern or rename that matches "
        "nothing causes\n"
        "a warning; a cast that applies to no value is an error. An existing "
        "file is replaced\n"
        "only with --force, and only if it is a checkpoint.\n"
        "\n"
        "--salvage writes the intact values of a damaged FILE. Lost values are "
        "listed and\n"
        "have no value in DESTINATION, and the exit status is 1.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 2,
    .run = run,
};

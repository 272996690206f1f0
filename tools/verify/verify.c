/* verify.c - Implements varve verify: checks that every byte is as written.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <varve/reader.h>

#include "command.h"
#include "complaint.h"
#include "json_out.h"
#include "left_out.h"
#include "memory.h"
#include "progress_bar.h"
#include "run.h"
#include "store_path.h"
#include "style.h"
#include "units.h"

struct verify_options {
    struct settings settings;
    uint64_t threads; /* 0: not given */
};

#define OPTIONS struct verify_options
static const struct option_row option_rows[] = {
    OPTION_JSON,
    OPTION("threads", 'j', OPTION_NUMBER, threads, "N",
        "at most N threads at once"),
    OPTION_SHARED("quiet", 'q', OPTION_FLAG, quiet, NULL,
        "print nothing about intact files"),
    OPTION_PROGRESS,
    OPTION_UNITS,
    OPTION_ASCII,
    OPTION_COLOR,
    OPTION_FOLLOW_LINKS,
    OPTION_HELP,
    OPTION_END,
};

/* The result for one file. */
struct finding {
    const struct settings *settings;
    unsigned threads;
    const struct style *style;
    struct progress_bar *bar;
    const char *file; /* as given; later the path of the opened file */
    char *opened;     /* memory of that path, or NULL */
    uint64_t size;
    size_t values;
    size_t damaged;     /* number of damaged values */
    char *last_damaged; /* path of the last one */
    bool has_sums;      /* the format has checksums, which detect damage */
    bool has_digest;
    uint8_t digest[16]; /* of all values */
    const char *status; /* "ok", "no sums", "damaged" or the name of an error */
    json_t *left_out;   /* or NULL */
    size_t *item_count; /* number of items printed so far, for JSON */
};

static json_t *json_text_of(const char *file)
{
    file = shown_path(file);
    return json_bytes(file, strlen(file));
}

static void print_damage_json(struct finding *f, const varve_damage *damage)
{
    json_t *item =
        json_pack("{s:o, s:o, s:o, s:o, s:s}", "file", json_text_of(f->file),
            "path", damage->path ? json_string(damage->path) : json_null(),
            "offset", json_count(damage->offset), "size",
            json_count(damage->size), "what", damage->what);
    json_print_element(stdout, item, (*f->item_count)++);
}

static void print_damage(struct finding *f, const varve_damage *damage)
{
    printf("%sDAMAGED%s  ", f->style->red, f->style->plain);
    print_clean(stdout, damage->path   ? damage->path
                        : damage->size ? "(padding)"
                                       : "(structure)");
    if (damage->size)
        printf("  bytes %" PRIu64 "-%" PRIu64, damage->offset,
            damage->offset + damage->size - 1);
    fputs("  ", stdout);
    print_clean(stdout, damage->what);
    putchar('\n');
}

/* Counts damaged values. Damage is reported in the order of offsets, so all
 * damage of one value is consecutive. */
static void count_damage(struct finding *f, const varve_damage *damage)
{
    bool again = f->last_damaged && damage->path &&
                 strcmp(f->last_damaged, damage->path) == 0;
    if (!damage->path || again)
        return;
    free(f->last_damaged);
    f->last_damaged = strdup(damage->path);
    f->damaged++;
}

static void on_damage(void *user, const varve_damage *damage)
{
    struct finding *f = user;
    count_damage(f, damage);
    progress_bar_clear(f->bar);
    if (f->settings->json)
        print_damage_json(f, damage);
    else
        print_damage(f, damage);
}

static size_t count_values(const varve_reader *reader)
{
    size_t values = 0;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++)
        values += node.has_value;
    return values;
}

/* Sets the path to that of the opened file. It differs from the argument if
 * that is a directory or the prefix of numbered checkpoints. */
static void note_opened(struct finding *f, const char *path, size_t size)
{
    free(f->opened);
    f->opened = memory_copy_text(path, size);
    f->file = f->opened;
}

/* Takes the path of a damaged numbered checkpoint from the message, which
 * begins with it. */
static void note_refused(struct finding *f, const char *message)
{
    struct stat info;
    const char *end = strstr(message, ": ");
    if (!end || is_in_store(f->file) ||
        strncmp(message, f->file, strlen(f->file)) != 0)
        return;
    char *path = memory_copy_text(message, (size_t)(end - message));
    if (stat(path, &info) == 0)
        note_opened(f, path, strlen(path));
    free(path);
}

/* Reports damage that prevents opening the file as a result. */
static int structure_damage(struct finding *f, const varve_error *error)
{
    varve_damage damage = { .what = error->message };
    note_refused(f, error->message);
    const char *file = shown_path(f->file);
    size_t size = strlen(file);
    if (strncmp(damage.what, file, size) == 0 &&
        strncmp(damage.what + size, ": ", 2) == 0)
        damage.what += size + 2;
    f->status = "damaged";
    on_damage(f, &damage);
    return OUTCOME_NO;
}

static int verify_file(struct finding *f)
{
    varve_error error = { .status = VARVE_OK };
    const varve_reader_options how = { .foreign.follow_links =
                                           f->settings->opening.follow_links };
    varve_reader *reader = varve_reader_open_with(f->file, &how, &error);
    if (!reader) {
        f->status = varve_status_name(error.status);
        if (error.status == VARVE_CORRUPT || error.status == VARVE_TRUNCATED)
            return structure_damage(f, &error);
        return complain_status(f->settings, "cannot open", f->file, &error);
    }
    const char *path = varve_reader_path(reader);
    note_opened(f, path, strlen(path));
    f->size = varve_reader_size(reader);
    left_out_report(f->settings, reader);
    f->left_out = left_out_json(reader);
    f->values = count_values(reader);
    varve_status status = varve_reader_verify(reader,
        &(varve_verify_options){ .on_damage = on_damage,
            .on_damage_user = f,
            .progress = progress_bar_update,
            .progress_user = f->bar,
            .threads = f->threads },
        &error);
    progress_bar_clear(f->bar);
    f->has_sums = varve_reader_has_checksums(reader);
    f->status = status != VARVE_OK ? "damaged" : f->has_sums ? "ok" : "no sums";
    if (status == VARVE_OK && f->settings->json)
        f->has_digest =
            varve_reader_digest(reader, f->digest, &error) == VARVE_OK;
    int outcome = status == VARVE_OK ? OUTCOME_DONE : OUTCOME_NO;
    if (status != VARVE_OK && status != VARVE_CORRUPT) {
        f->status = varve_status_name(status);
        outcome =
            complain_status(f->settings, "cannot verify", f->file, &error);
    }
    varve_reader_free(reader);
    return outcome;
}

static void print_summary(const struct finding *f, int outcome)
{
    const struct style *s = f->style;
    char size[UNITS_TEXT_SIZE];
    if (f->settings->json || outcome > OUTCOME_NO ||
        (f->settings->quiet && outcome == OUTCOME_DONE))
        return;
    print_clean(stdout, shown_path(f->file));
    printf(": %s%s%s",
        outcome       ? s->red
        : f->has_sums ? s->green
                      : "",
        outcome == OUTCOME_DONE && !f->has_sums
            ? "readable, but the format has no checksums: changed bytes are "
              "not detected"
            : f->status,
        s->plain);
    if (f->size)
        printf("%s%zu %s, %s", s->dot, f->values,
            f->values == 1 ? "value" : "values",
            size_text(f->settings->units, f->size, size));
    if (f->damaged)
        printf("%s%zu damaged, %zu intact\nhint: to recover the intact values, "
               "use varve repair",
            s->dot, f->damaged, f->values - f->damaged);
    putchar('\n');
}

static json_t *file_item(const struct finding *f)
{
    json_t *item = json_pack("{s:o, s:s, s:b, s:o, s:o, s:o, s:o}", "file",
        json_text_of(f->file), "status", f->status, "checksums", f->has_sums,
        "digest",
        f->has_digest ? json_hex(f->digest, sizeof f->digest) : json_null(),
        "size", json_count(f->size), "values", json_count(f->values), "damaged",
        json_count(f->damaged));
    if (f->left_out)
        json_object_set_new(item, "left_out", f->left_out);
    return item;
}

/* Sets *is_proven to true if every byte of all files was compared with a
 * checksum. */
static int verify_all(const struct verify_options *options, int count,
    char **files, json_t *list, bool *is_proven)
{
    const struct settings *settings = &options->settings;
    size_t item_count = 0;
    struct style style = style_for(settings, stdout);
    struct progress_bar bar;
    progress_bar_begin(&bar, settings);
    int worst = OUTCOME_DONE;
    *is_proven = true;
    for (int i = 0; i < count; i++) {
        int outcome;
        char *file = run_find_file(settings, files[i], &outcome);
        struct finding finding = { .settings = settings,
            .threads =
                options->threads > 1024 ? 1024 : (unsigned)options->threads,
            .style = &style,
            .bar = &bar,
            .file = file ? file : files[i],
            .status = varve_status_name(VARVE_NOT_FOUND),
            .item_count = &item_count };
        if (file) {
            outcome = verify_file(&finding);
            print_summary(&finding, outcome);
        }
        json_array_append_new(list, file_item(&finding));
        *is_proven = *is_proven && strcmp(finding.status, "ok") == 0;
        free(finding.last_damaged);
        free(finding.opened);
        free(file);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

static int run(const void *given, int count, char **operands)
{
    const struct verify_options *options = given;
    const struct settings *settings = &options->settings;
    json_t *list = json_array();
    bool is_proven;
    if (settings->json)
        fputs("{\"schema\":\"varve.verify/1\",\"items\":[", stdout);
    int outcome = verify_all(options, count, operands, list, &is_proven);
    if (settings->json) {
        fputs("],\n\"files\":", stdout);
        json_print(stdout, list);
        printf(",\"ok\":%s}\n", is_proven ? "true" : "false");
    } else {
        json_decref(list);
    }
    return outcome;
}

const struct command verify_command = {
    .name = "verify",
    .operands = "FILE...",
    .summary = "verify every byte of checkpoints",
    .details =
        "Reads every byte and compares it with the checksums in the file. "
        "Prints a line for\n"
        "each damaged place, and one for each file. The exit status is 1 if "
        "anything is\n"
        "damaged. safetensors, npy, GGUF, ONNX and Flax have no checksums: "
        "only their\n"
        "structure can be checked, and the output shows that instead of ok. "
        "With --json, \"ok\"\n"
        "is true if every byte of all files was compared with a checksum.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run,
};

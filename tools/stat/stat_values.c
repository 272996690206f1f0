/* stat_values.c - Prints a row of statistics for each value. Processes groups
 * of values on several threads, then prints their rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "json_out.h"
#include "memory.h"
#include "stat_tables.h"
#include "statistics.h"
#include "store_path.h"
#include "table.h"
#include "tensor_text.h"
#include "units.h"
#include "value_list.h"

enum { TOGETHER = 64, DEFAULT_BINS = 8, MOST_THREADS = 64 };

struct finding {
    varve_saved_node node;
    struct statistics statistics;
    varve_error error;
};

/* The values to process; each thread takes the next one. */
struct work {
    const struct stat_options *options;
    varve_reader *reader;
    struct finding *findings;
    size_t count;
    atomic_size_t next;
};

/* The totals of all values. */
struct sums {
    uint64_t values;
    uint64_t bytes;
    uint64_t with_nan;
    uint64_t with_infinity;
    uint64_t damaged;
    uint64_t unsaved;
    int outcome;
};

static void *look(void *user)
{
    struct work *work = user;
    uint64_t bins = work->options->bins ? work->options->bins : DEFAULT_BINS;
    size_t i;
    while ((i = atomic_fetch_add(&work->next, 1)) < work->count) {
        struct finding *f = &work->findings[i];
        f->error = (varve_error){ .status = VARVE_OK };
        if (f->node.has_value)
            f->error.status = statistics_of(&f->statistics, work->reader,
                &f->node, (unsigned)bins, &f->error);
    }
    return NULL;
}

static size_t thread_count(uint64_t asked, size_t values)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t count = processors > 8   ? 8
                     : processors > 1 ? (uint64_t)processors
                                      : 1;
    if (asked)
        count = asked;
    count = count > MOST_THREADS ? MOST_THREADS : count;
    return count < values ? (size_t)count : values;
}

/* Uses this thread too; if no other can be started it processes all values. */
static void look_at_all(struct work *work)
{
    pthread_t threads[MOST_THREADS];
    size_t count = thread_count(work->options->threads, work->count), begun = 0;
    atomic_store(&work->next, 0);
    while (begun + 1 < count &&
           pthread_create(&threads[begun], NULL, look, work) == 0)
        begun++;
    look(work);
    for (size_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
}

/* --- One row ------------------------------------------------------------ */

static void put_number(
    struct table *table, const struct statistics *s, struct number number)
{
    char json[ELEMENT_TEXT_SIZE], text[ELEMENT_TEXT_SIZE];
    bool is_exact = table->settings->form == FORM_TSV;
    if (s->finite == 0)
        table_none(table);
    else
        table_raw(table, number_text(number, true, json),
            is_exact ? json : number_text(number, false, text));
}

static void put_real(
    struct table *table, const struct statistics *s, double real)
{
    put_number(table, s, (struct number){ .real = real });
}

static void put_place(struct table *table, uint64_t count,
    const varve_tensor *tensor, uint64_t index)
{
    char text[PLACE_TEXT_SIZE];
    struct selection all;
    selection_whole(tensor, &all);
    if (count)
        table_raw(table, place_text(&all, index, text), text);
    else
        table_none(table);
}

static void note_special(
    FILE *to, const struct table *table, const struct finding *f)
{
    const struct statistics *s = &f->statistics;
    char place[PLACE_TEXT_SIZE];
    struct selection all;
    selection_whole(&f->node.value, &all);
    if (s->nans || s->infinities)
        fprintf(to, "  %s ", table->style.utf8 ? "←" : "<-");
    if (s->nans)
        fprintf(to, "%" PRIu64 " NaN, first at %s", s->nans,
            place_text(&all, s->first_nan, place));
    if (s->infinities)
        fprintf(to, "%s%" PRIu64 " infinite, first at %s", s->nans ? "; " : "",
            s->infinities, place_text(&all, s->first_infinity, place));
}

/* Adds the cell for the histogram; in text tables with notes about special
 * values. */
static void put_histogram(struct table *table, const struct finding *f)
{
    char *json = NULL, *text = NULL, spark[SPARK_SIZE];
    size_t json_size, text_size;
    FILE *to_json = open_memstream(&json, &json_size);
    FILE *to_text = open_memstream(&text, &text_size);
    if (!to_json || !to_text)
        memory_exhausted();
    histogram_print_json(to_json, &f->statistics);
    fputs(spark_text(&f->statistics, table->style.utf8, spark), to_text);
    note_special(to_text, table, f);
    fclose(to_json);
    fclose(to_text);
    table_raw(table, json, table->settings->form == FORM_TSV ? json : text);
    free(json);
    free(text);
}

static const char *behind(const char *why, const char *path)
{
    size_t size = strlen(path);
    return strncmp(why, path, size) == 0 && strncmp(why + size, ": ", 2) == 0
               ? why + size + 2
               : why;
}

/* Returns the message of an error without the file and the path, which are in
 * other cells. */
static const char *short_message(
    const struct finding *f, const varve_reader *reader)
{
    return behind(
        behind(f->error.message, shown_path(varve_reader_path(reader))),
        f->node.path);
}

static void put_nothing(struct table *table, const char *why)
{
    enum { FROM = 4 };
    for (size_t i = FROM; i + 2 < table->column_count; i++)
        table_none(table);
    table_raw(table, "null", why);
}

static void put_statistics(struct table *table, const struct finding *f)
{
    const struct statistics *s = &f->statistics;
    table_count(table, s->count);
    table_count(table, s->finite);
    put_number(table, s, s->least);
    put_number(table, s, s->greatest);
    put_real(table, s, s->mean);
    put_real(table, s, s->deviation);
    put_real(table, s, s->norm);
    table_count(table, s->zeros);
    table_count(table, s->nans);
    table_count(table, s->infinities);
    put_place(table, s->nans, &f->node.value, s->first_nan);
    put_place(table, s->infinities, &f->node.value, s->first_infinity);
    put_histogram(table, f);
}

static void put_shape(struct table *table, const varve_tensor *tensor)
{
    char text[VARVE_TENSOR_TEXT_SIZE];
    shape_text(tensor, text);
    table_raw(table, text, text);
}

static void put_row(
    struct table *table, const varve_reader *reader, const struct finding *f)
{
    table_text(table, f->node.path);
    table_text(table, varve_dtype_name(f->node.value.dtype));
    put_shape(table, &f->node.value);
    if (f->node.has_value)
        table_size(table, f->node.size);
    else
        table_none(table);
    const char *why =
        f->error.status != VARVE_OK ? short_message(f, reader) : "not saved";
    bool is_there = f->node.has_value && f->error.status == VARVE_OK;
    if (is_there)
        put_statistics(table, f);
    else
        put_nothing(table, why);
    table_text(table, is_there ? NULL : why);
    if (f->error.status != VARVE_OK ||
        (is_there && (f->statistics.nans || f->statistics.infinities)))
        table_color(table, table->style.red);
    else if (!f->node.has_value)
        table_color(table, table->style.dim);
}

/* --- The command -------------------------------------------------------- */

static void sum_up(struct sums *sums, bool is_strict, const struct finding *f)
{
    varve_status status = f->error.status;
    int outcome = status == VARVE_CORRUPT || status == VARVE_TRUNCATED
                      ? OUTCOME_NO
                      : outcome_of(status);
    bool is_read = f->node.has_value && status == VARVE_OK;
    sums->values += f->node.has_value;
    sums->unsaved += !f->node.has_value;
    sums->bytes += f->node.has_value ? f->node.size : 0;
    sums->damaged += status != VARVE_OK;
    sums->with_nan += is_read && f->statistics.nans;
    sums->with_infinity += is_read && f->statistics.infinities;
    if (is_strict && is_read &&
        (f->statistics.nans || f->statistics.infinities))
        outcome = OUTCOME_NO;
    sums->outcome = outcome > sums->outcome ? outcome : sums->outcome;
}

static void print_summary(const struct settings *settings,
    const struct table *table, const struct sums *sums)
{
    char size[UNITS_TEXT_SIZE];
    const char *comma = ", ";
    if (settings->form != FORM_PEOPLE && settings->form != FORM_MARKDOWN)
        return;
    if (settings->form == FORM_MARKDOWN)
        putchar('\n');
    printf("%" PRIu64 " %s, %s", sums->values,
        sums->values == 1 ? "value" : "values",
        size_text(settings->units, sums->bytes, size));
    if (sums->with_nan)
        printf("%s%s%" PRIu64 " with NaN%s", comma, table->style.red,
            sums->with_nan, table->style.plain);
    if (sums->with_infinity)
        printf("%s%s%" PRIu64 " with infinities%s", comma, table->style.red,
            sums->with_infinity, table->style.plain);
    if (sums->damaged)
        printf("%s%s%" PRIu64 " damaged%s", comma, table->style.red,
            sums->damaged, table->style.plain);
    if (sums->unsaved)
        printf("%s%" PRIu64 " not saved", comma, sums->unsaved);
    putchar('\n');
}

static void put_rows(struct table *table, struct work *work,
    const struct outline *outline, const uint32_t *ids, size_t count,
    struct sums *sums)
{
    for (size_t first = 0; first < count; first += work->count) {
        work->count = count - first < TOGETHER ? count - first : TOGETHER;
        for (size_t i = 0; i < work->count; i++)
            work->findings[i].node = outline_saved(outline, ids[first + i]);
        look_at_all(work);
        for (size_t i = 0; i < work->count; i++) {
            put_row(table, outline->reader, &work->findings[i]);
            sum_up(sums, work->options->strict, &work->findings[i]);
        }
    }
}

static void put_facts(struct table *table, const struct sums *sums)
{
    table_fact(table, "summary",
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "values",
            json_count(sums->values), "bytes", json_count(sums->bytes),
            "with_nan", json_count(sums->with_nan), "with_infinity",
            json_count(sums->with_infinity), "damaged",
            json_count(sums->damaged), "unsaved", json_count(sums->unsaved)));
}

int stat_values(
    const struct stat_options *options, const struct outline *outline)
{
    const struct settings *settings = &options->settings;
    static const struct column columns[] = { { "path", "PATH", false },
        { "dtype", NULL, false }, { "shape", NULL, false },
        { "bytes", NULL, true }, { "count", NULL, true },
        { "finite", NULL, true }, { "min", "MIN", true },
        { "max", "MAX", true }, { "mean", "MEAN", true },
        { "std", "STD", true }, { "norm", NULL, true },
        { "zeros", "ZERO", true }, { "nans", "NaN", true },
        { "infinities", "INF", true }, { "first_nan", NULL, false },
        { "first_infinity", NULL, false }, { "histogram", "HISTOGRAM", false },
        { "error", NULL, false } };
    struct table table;
    struct sums sums = { .outcome = OUTCOME_DONE };
    struct work work = { .options = options, .reader = outline->reader };
    size_t count;
    uint32_t *ids = value_list(outline->view, outline, &count);
    if (!ids)
        return complain_memory(settings);
    work.findings = memory_allocate(TOGETHER, sizeof *work.findings);
    table_begin(&table, settings, stdout, "varve.stat/1", columns,
        sizeof columns / sizeof *columns);
    const struct style style = table.style;
    const char *file = shown_path(varve_reader_path(outline->reader));
    table_fact(&table, "file", json_bytes(file, strlen(file)));
    table_fact(&table, "format",
        json_string(varve_format_name(varve_reader_format(outline->reader))));
    put_rows(&table, &work, outline, ids, count, &sums);
    put_facts(&table, &sums);
    table_end(&table);
    print_summary(settings, &(struct table){ .style = style }, &sums);
    free(work.findings);
    free(ids);
    return sums.outcome;
}

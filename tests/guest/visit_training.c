/* visit_training.c - Visits random numbers, data records, events and outputs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guest/guest.h"
#include "guest/state.h"

#include <stdio.h>

void visit_streams(struct guest *g)
{
    varve_random stream, other;
    double reals[SMALL];
    float singles[SMALL];
    uint64_t words[SMALL];
    size_t order[SMALL];
    CALL(g, varve_random_seed(&stream, 1, "a"));
    CALL(g, other = varve_random_split(&stream, "b"));
    CALL(g, varve_random_skip(&other, 9));
    CALL(g, (void)varve_random_u64(&stream));
    CALL(g, (void)varve_random_unit(&stream));
    CALL(g, (void)varve_random_uniform(&stream, 0, 1));
    CALL(g, (void)varve_random_normal(&stream, 0, 1));
    CALL(g, (void)varve_random_truncated_normal(&stream, 0, 1));
    CALL(g, (void)varve_random_below(&stream, 9));
    CALL(g, varve_random_fill_u64(&stream, words, SMALL));
    CALL(g, varve_random_fill_unit(&stream, reals, SMALL));
    CALL(g, varve_random_fill_uniform(&stream, reals, SMALL, 0, 1));
    CALL(g, varve_random_fill_normal(&stream, reals, SMALL, 0, 1));
    CALL(g, varve_random_fill_truncated_normal(&stream, reals, SMALL, 0, 1));
    CALL(g, varve_random_fill_uniform_float32(&stream, singles, SMALL, 0, 1));
    CALL(g, varve_random_fill_normal_float32(&stream, singles, SMALL, 0, 1));
    CALL(g, varve_random_fill_truncated_normal_float32(
                &stream, singles, SMALL, 0, 1));
    CALL(g, varve_random_shuffle(&stream, words, SMALL, sizeof *words));
    CALL(g, varve_random_permutation(&stream, order, SMALL));
}

static void write_lines(const char *path)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < 99; i++)
        fprintf(file, "this is line %d\n", i);
    if (file)
        fclose(file);
}

/* Reads records. Their file stays open. */
static void take(struct guest *g, varve_records *records, int files)
{
    varve_batch batch;
    GOOD(g, varve_records_next(records, &batch, &g->error));
    GOOD(g, varve_records_take(records, 3, &batch, &g->error));
    GOOD(g, varve_records_check(records, &g->error));
    CALL(g, varve_records_rewind(records, 0));
    LEAVES(g, 0, -files);
    CALL(g, varve_records_free(records));
}

static varve_status read_record(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    (void)self;
    (void)error;
    guest_called_back("read of a source");
    varve_put(sink, &index, sizeof index);
    return VARVE_OK;
}

/* Visits prefetching. Its thread does not exist in a forked child. */
static void visit_prefetch(struct guest *g, const char *path)
{
    const varve_records_options options = { .prefetch = 4 };
    varve_batch batch;
    varve_records *r;
    LEAVES(g, 1, 1);
    MAKES(g, r, varve_records_open_fixed(path, 0, 2, &options, &g->error));
    g->is_at_home = true;
    GOOD(g, varve_records_next(r, &batch, &g->error));
    GOOD(g, varve_records_take(r, 3, &batch, &g->error));
    LEAVES(g, -1, -1);
    CALL(g, varve_records_free(r));
    g->is_at_home = false;
}

/* Visits lists of files. A file is opened when its first record is read. */
static void visit_lists(
    struct guest *g, const char *path, const varve_records_options *options)
{
    const char *const paths[] = { path, path };
    varve_records *r;
    MAKES(g, r,
        varve_records_open_line_files(paths, 2, options, &g->error));
    CALL(g, (void)varve_records_file(r, 0, NULL));
    CALL(g, varve_records_free(r));
    MAKES(g, r,
        varve_records_open_fixed_files(paths, 1, 0, 2, options, &g->error));
    varve_batch batch;
    LEAVES(g, 0, 1);
    GOOD(g, varve_records_next(r, &batch, &g->error));
    LEAVES(g, 0, -1);
    CALL(g, varve_records_free(r));
    visit_prefetch(g, path);
    REFUSES(g, VARVE_MISUSE,
        varve_records_open_tfrecord_files(paths, 0, options, &g->error));
}

void visit_records(struct guest *g)
{
    struct state s;
    varve_records *r;
    const varve_records_options options = {
        .shuffle = true, .seed = 1, .progress = state_progress
    };
    const varve_source source = {
        .name = "mine", .count = 9, .read = read_record
    };
    const char *const path = "lines";
    write_lines(path);
    state_open(&s, g);
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_records_open_lines(path, &options, &g->error));
    CALL(g, (void)varve_add_records(s.root, "data", r));
    take(g, r, 1);
    LEAVES(g, 0, 1);
    MAKES(g, r, varve_records_open_fixed(path, 0, 2, &options, &g->error));
    take(g, r, 1);
    visit_lists(g, path, &options);
    MAKES(g, r, varve_records_open_files(&path, 1, &options, &g->error));
    take(g, r, 0);
    MAKES(
        g, r, varve_records_open_array(s.small, SMALL, 4, &options, &g->error));
    take(g, r, 0);
    MAKES(g, r, varve_records_open(&source, &options, &g->error));
    take(g, r, 0);
    REFUSES(g, VARVE_NOT_FOUND,
        varve_records_open_lines("none", &options, &g->error));
    CALL(g, r = varve_records_open_tfrecords(path, &options, &g->error));
    guest_expect(g, !r, "lines are not TFRecords");
    CALL(g, state_close(&s));
}

/* A process that was forked since the open cannot use the events. */
void visit_events(struct guest *g)
{
    static const uint8_t pixels[4];
    const varve_events_picture picture = { 2, 2, 1, pixels };
    struct state s;
    varve_events *e;
    state_open(&s, g);
    LEAVES(g, 1, 1); /* the writing thread and its file */
    MAKES(g, e, varve_events_open("events", NULL, &g->error));
    g->is_at_home = true;
    CALL(g, varve_events_scalar(e, 1, "loss", 0.5));
    CALL(g, varve_events_histogram(e, 1, "h", s.small, SMALL));
    CALL(g, varve_events_histogram_double(e, 1, "h", (double[]){ 1, 2 }, 2));
    CALL(g, varve_events_image(e, 1, "i", &picture));
    CALL(g, varve_events_png(e, 1, "p", "png", 3));
    CALL(g, varve_events_text(e, 1, "t", "text"));
    CALL(g, varve_add_events(s.root, "events", e));
    CALL(g, varve_events_supersede(e, 1));
    CALL(g, (void)varve_events_flush(e, &g->error));
    LEAVES(g, -1, -1);
    CALL(g, varve_events_free(e));
    g->is_at_home = false;
    write_lines("file");
    REFUSES(
        g, VARVE_NOT_FOUND, varve_events_open("file/below", NULL, &g->error));
    CALL(g, state_close(&s));
}

static varve_status flush_nothing(void *self)
{
    (void)self;
    guest_called_back("flush of an output");
    return VARVE_OK;
}

static varve_status seek_nothing(void *self, uint64_t length)
{
    (void)self;
    (void)length;
    guest_called_back("seek of an output");
    return VARVE_OK;
}

/* A child would write to the same open file. */
void visit_outputs(struct guest *g)
{
    static const varve_output_callbacks callbacks = { flush_nothing,
        seek_nothing };
    struct state s;
    varve_restoration *r;
    FILE *log = fopen("log", "a");
    guest_expect(g, log, "a log is opened");
    if (!log)
        return;
    state_open(&s, g);
    g->is_at_home = true;
    int descriptor = fileno(log);
    CALL(g, varve_add_output(s.root, "log", log));
    CALL(g, varve_add_output_descriptor(s.root, "same log", descriptor));
    CALL(g, varve_add_buffered_output(
                s.root, "its buffer", descriptor, &callbacks, NULL));
    LEAVES(g, 0, 1); /* until the node is removed */
    CALL(g, varve_add_output_path(
                s.root, "by path", "log", &callbacks, NULL));
    fputs("text", log);
    fflush(log);
    GOOD(g, varve_write(s.root, "a.varve", NULL, &g->error));
    fputs("more", log);
    LEAVES(g, 0, ANY);
    MAKES(g, r, varve_read(s.root, "a.varve", NULL, &g->error));
    guest_expect(g, ftell(log) == 4, "the log was truncated");
    LEAVES(g, 0, ANY);
    CALL(g, varve_restoration_free(r));
    g->is_at_home = false;
    LEAVES(g, 0, -1);
    CALL(g, state_close(&s));
    fclose(log);
}

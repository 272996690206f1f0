/* record.c - Writes the event files of a run that is killed and resumed, for
 * other readers.
 *
 *     record DIRECTORY
 *
 * The first process saves at step 10 and continues to step 15. The second
 * resumes from step 10 with other losses and continues to step 20.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>

#include <varve/varve.h>

enum { NUMBERS = 1000, WIDTH = 300, HEIGHT = 200 };

static void record_once(varve_events *events)
{
    static const unsigned channels[] = { 1, 3, 4 };
    static uint8_t pixels[WIDTH * HEIGHT * 4];
    static float numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = (float)(i - 500) / 100;
    numbers[0] = NAN;
    varve_events_histogram(events, 3, "weights", numbers, NUMBERS);
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 7 % 251);
    for (int i = 0; i < 3; i++) {
        char tag[] = "image/0";
        tag[6] = (char)('0' + channels[i]);
        varve_events_image(events, 3, tag,
            &(varve_events_picture){ WIDTH, HEIGHT, channels[i], pixels });
    }
    varve_events_text(events, 3, "notes", "**bold** and \xc3\xa4\n\n- item");
}

static void train(
    varve_events *events, int64_t *step, int64_t end, double offset)
{
    while (*step < end) {
        ++*step;
        varve_events_scalar(
            events, *step, "train/loss", offset + 1 / (double)*step);
        if (*step == 3)
            record_once(events);
    }
}

static int run(const char *directory, bool goes_on, varve_error *error)
{
    char checkpoint[4096];
    int64_t step = 0;
    snprintf(checkpoint, sizeof checkpoint, "%s/at-10.varve", directory);
    varve_events *events = varve_events_open(directory, NULL, error);
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_events(root, "events", events);
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_status status = events ? VARVE_OK : error->status;
    if (goes_on && !status) {
        varve_restoration *r = varve_read(root, checkpoint, NULL, error);
        status = r ? VARVE_OK : error->status;
        varve_restoration_free(r);
        train(events, &step, 20, 100);
    } else if (!status) {
        train(events, &step, 10, 0);
        status = varve_write(root, checkpoint, NULL, error);
        train(events, &step, 15, 0);
    }
    if (!status)
        status = varve_events_flush(events, error);
    if (!status)
        puts(varve_events_path(events));
    varve_graph_free(graph);
    varve_events_free(events);
    return status != VARVE_OK;
}

int main(int argc, char **argv)
{
    varve_error error = { 0 };
    if (argc != 2) {
        fprintf(stderr, "usage: record DIRECTORY\n");
        return 2;
    }
    if (run(argv[1], false, &error) || run(argv[1], true, &error)) {
        fprintf(stderr, "record: %s\n", error.message);
        return 1;
    }
    return 0;
}

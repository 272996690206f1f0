/* cat.c - Implements varve cat: prints one value as bytes or as JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "complaint.h"
#include "element_text.h"
#include "json_out.h"
#include "output.h"
#include "pieces.h"
#include "slice.h"
#include "store_path.h"
#include "target.h"
#include "value.h"

struct cat_options {
    struct settings settings;
    const char *output; /* NULL: standard output */
    const char *slice;
    bool force;
};

#define OPTIONS struct cat_options
static const struct option_row option_rows[] = {
    OPTION_JSON,
    OPTION_OUTPUT(output),
    OPTION("slice", 0, OPTION_TEXT, slice, "PART",
        "only a part, as in NumPy: 10:20,:,-1"),
    OPTION("force", 'f', OPTION_FLAG, force, NULL,
        "print bytes even to a terminal"),
    OPTION_FOREIGN,
    OPTION_HELP,
    OPTION_END,
};

static void print_elements(FILE *to, struct value *value)
{
    varve_dtype dtype = value->node.value.dtype;
    char text[ELEMENT_TEXT_SIZE];
    uint64_t size;
    const unsigned char *bytes;
    for (uint64_t i = 0; (bytes = value_next(value, &size)); i++) {
        fputs(i ? "," : "", to);
        if (dtype == VARVE_STRING)
            json_print(to, json_bytes(bytes, (size_t)size));
        else
            fputs(element_text(dtype, bytes, true, text), to);
    }
}

static void print_json(FILE *to, const char *path, struct value *value)
{
    const varve_tensor *tensor = &value->node.value;
    fputs("{\"schema\":\"varve.cat/1\",\"path\":", to);
    json_print_text(to, path);
    fputs(",\"dtype\":", to);
    json_print_text(to, varve_dtype_name(tensor->dtype));
    fputs(",\"shape\":[", to);
    for (uint32_t i = 0; i < tensor->rank; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", tensor->shape[i]);
    fputs("],\"values\":[", to);
    print_elements(to, value);
    fputs("]}\n", to);
}

static int print_value(const struct cat_options *options, struct value *value)
{
    const struct settings *settings = &options->settings;
    struct output output;
    int outcome = output_open(settings, options->output, &output);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (settings->json)
        print_json(output.stream, value->node.path, value);
    else
        fwrite(value->bytes, 1, (size_t)value->node.size, output.stream);
    return output_close(settings, &output, outcome);
}

static int cat_node(const struct cat_options *options, struct target *target)
{
    const struct settings *settings = &options->settings;
    struct value value;
    struct selection selection;
    varve_error error = { .status = VARVE_OK };
    const varve_saved_node *node = &target->node;
    int outcome = slice_choose(settings, options->slice, node, &selection);
    if (outcome != OUTCOME_DONE)
        return outcome;
    varve_status status =
        options->slice && node->has_value
            ? value_read_selected(
                  &value, target->reader, node, &selection, &error)
            : value_read(&value, target->reader, node, &error);
    if (status == VARVE_NOT_FOUND)
        return complain_not_found(settings, "no value",
            shown_path(varve_reader_path(target->reader)), error.message, NULL);
    if (status != VARVE_OK)
        return complain_status(settings, "cannot read",
            shown_path(varve_reader_path(target->reader)), &error);
    outcome = print_value(options, &value);
    value_clear(&value);
    return outcome;
}

static int run(const void *given, int count, char **operands)
{
    const struct cat_options *options = given;
    const struct settings *settings = &options->settings;
    struct target target;
    if (!settings->json && !options->force && !options->output &&
        isatty(STDOUT_FILENO))
        return complain(
            settings, &(struct complaint){ .outcome = OUTCOME_USAGE,
                          .code = "USAGE",
                          .what = "cat",
                          .why = "standard output is a terminal",
                          .hint = "use --json, -o FILE, or --force" });
    int outcome = target_open_at(settings, count, operands, &target);
    if (outcome != OUTCOME_DONE)
        return outcome;
    outcome = cat_node(options, &target);
    target_close(&target);
    return outcome;
}

const struct command cat_command = {
    .name = "cat",
    .operands = "FILE PATH",
    .summary = "print the bytes of one value, or its elements as JSON",
    .details = "The bytes are verified, little-endian and row-major. Strings "
               "are printed as all their\n"
               "sizes (8 bytes each), then all their bytes. JSON has the "
               "elements in one array, in\n"
               "row-major order; NaN and infinities are strings, a complex "
               "number is [re,im], a\n"
               "string that is not UTF-8 is {\"hex\":\"...\"}.\n"
               "--slice reads and verifies only the selected part. For each "
               "dimension give BEGIN:END,\n"
               "BEGIN:END:STEP, or an index, which removes the dimension. "
               "Negative numbers count from\n"
               "the end; ... stands for the dimensions that are not given.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 2,
    .run = run,
};

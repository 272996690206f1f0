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

/* --- JSON --------------------------------------------------------------- */

static void print_head(FILE *to, const char *path, const varve_tensor *tensor)
{
    fputs("{\"schema\":\"varve.cat/1\",\"path\":", to);
    json_print_text(to, path);
    fputs(",\"dtype\":", to);
    json_print_text(to, varve_dtype_name(tensor->dtype));
    fputs(",\"shape\":[", to);
    for (uint32_t i = 0; i < tensor->rank; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", tensor->shape[i]);
    fputs("],\"values\":[", to);
}

static void print_numbers(
    FILE *to, varve_dtype dtype, const struct piece *piece)
{
    char text[ELEMENT_TEXT_SIZE];
    size_t unit = varve_dtype_size(dtype);
    for (uint64_t i = 0; i < piece->count; i++) {
        fputs(piece->first + i ? "," : "", to);
        fputs(element_text(dtype, piece->bytes + i * unit, true, text), to);
    }
}

/* --- Strings, which are in memory as a whole ---------------------------- */

static void print_strings(FILE *to, struct value *value)
{
    uint64_t size;
    const unsigned char *bytes;
    for (uint64_t i = 0; (bytes = value_next(value, &size)); i++) {
        fputs(i ? "," : "", to);
        json_print(to, json_bytes(bytes, (size_t)size));
    }
}

static int print_value(const struct cat_options *options, struct value *value)
{
    const struct settings *settings = &options->settings;
    struct output output;
    int outcome = output_open(settings, options->output, &output);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (settings->json) {
        print_head(output.stream, value->node.path, &value->node.value);
        print_strings(output.stream, value);
        fputs("]}\n", output.stream);
    } else {
        fwrite(value->bytes, 1, (size_t)value->node.size, output.stream);
    }
    return output_close(settings, &output, outcome);
}

static varve_status cat_strings(const struct cat_options *options,
    const struct target *target, const struct selection *selection,
    int *outcome, varve_error *error)
{
    struct value value;
    const varve_saved_node *node = &target->node;
    varve_status status = options->slice && node->has_value
                              ? value_read_selected(&value, target->reader,
                                    node, selection, error)
                              : value_read(&value, target->reader, node, error);
    if (status != VARVE_OK)
        return status;
    *outcome = print_value(options, &value);
    value_clear(&value);
    return VARVE_OK;
}

/* --- Others, which are read a piece at a time --------------------------- */

/* Reads and verifies all pieces. Prints them unless `to` is NULL. */
static varve_status each_piece(struct pieces *pieces,
    const struct selection *selection, FILE *to, bool as_json,
    varve_error *error)
{
    struct piece piece;
    varve_status status;
    pieces_begin(pieces, selection);
    while (!(status = pieces_next(pieces, &piece, error)) && piece.count) {
        if (to && as_json)
            print_numbers(to, pieces->node.value.dtype, &piece);
        else if (to)
            fwrite(piece.bytes, pieces->unit, (size_t)piece.count, to);
    }
    return status;
}

static varve_status print_pieces(const struct cat_options *options,
    struct pieces *pieces, const struct selection *selection,
    const struct output *output, varve_error *error)
{
    FILE *to = output->stream;
    bool as_json = options->settings.json;
    varve_status status = VARVE_OK;
    /* A damaged value must not be printed in part. A file in the making is
     * removed; other output cannot be taken back, so a value that is not in
     * memory is read twice. */
    if (!output->temporary && !pieces->whole.bytes)
        status = each_piece(pieces, selection, NULL, as_json, error);
    if (status != VARVE_OK)
        return status;
    if (as_json) {
        varve_tensor tensor = selection_tensor(selection);
        print_head(to, pieces->node.path, &tensor);
    }
    status = each_piece(pieces, selection, to, as_json, error);
    if (as_json)
        fputs("]}\n", to);
    return status;
}

static varve_status cat_pieces(const struct cat_options *options,
    const struct target *target, const struct selection *selection,
    int *outcome, varve_error *error)
{
    const struct settings *settings = &options->settings;
    struct pieces pieces;
    struct output output;
    varve_status status =
        pieces_open(&pieces, target->reader, &target->node, error);
    if (status != VARVE_OK)
        return status;
    *outcome = output_open(settings, options->output, &output);
    if (*outcome == OUTCOME_DONE) {
        status = print_pieces(options, &pieces, selection, &output, error);
        *outcome = output_close(
            settings, &output, status ? OUTCOME_FILE : OUTCOME_DONE);
    }
    pieces_close(&pieces);
    return status;
}

static int cat_node(const struct cat_options *options, struct target *target)
{
    const struct settings *settings = &options->settings;
    struct selection selection;
    varve_error error = { .status = VARVE_OK };
    const varve_saved_node *node = &target->node;
    int outcome = slice_choose(settings, options->slice, node, &selection);
    if (outcome != OUTCOME_DONE)
        return outcome;
    varve_status status =
        node->has_value && node->value.dtype != VARVE_STRING
            ? cat_pieces(options, target, &selection, &outcome, &error)
            : cat_strings(options, target, &selection, &outcome, &error);
    if (status == VARVE_NOT_FOUND)
        return complain_not_found(settings, "no value",
            shown_path(varve_reader_path(target->reader)), error.message, NULL);
    if (status != VARVE_OK)
        return complain_status(settings, "cannot read",
            shown_path(varve_reader_path(target->reader)), &error);
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

/* page_output.c - a page, through the output of the tool.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_output.h"

#include "complaint.h"
#include "output.h"

bool page_takes(const struct settings *settings)
{
    return settings->depth == UINT64_MAX && !settings->slots &&
           !settings->values && settings->patterns.count == 0;
}

static varve_status put(void *user, const void *bytes, size_t size)
{
    struct output *output = user;
    return fwrite(bytes, 1, size, output->stream) == size ? VARVE_OK : VARVE_IO;
}

int page_output(const struct settings *settings, const struct target *target,
    const varve_page_options *overlay)
{
    struct output output;
    varve_error error = { .status = VARVE_OK };
    varve_page_options options = overlay ? *overlay : (varve_page_options){ 0 };
    if (!options.chosen && target->node.id != 0)
        options.chosen = target->node.path;
    int outcome = output_open(settings, &output);
    if (outcome != OUTCOME_DONE)
        return outcome;
    varve_status status =
        varve_page_print(target->reader, put, &output, &options, &error);
    if (status && !ferror(output.stream)) /* that is told as it is closed */
        outcome = complain_status(settings, "cannot make the page of",
            varve_reader_path(target->reader), &error);
    return output_close(settings, &output, outcome);
}

/* page_output.c - Writes a page through the output of the command.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_output.h"

#include "output.h"

bool page_takes(const struct view *view)
{
    return view->depth == UINT64_MAX && !view->slots && !view->values &&
           view->patterns.count == 0;
}

int page_output(const struct settings *settings, const struct page_to *to,
    const struct target *target, const struct page_overlay *overlay)
{
    struct output output;
    struct page_overlay all = overlay ? *overlay : (struct page_overlay){ 0 };
    all.title = to->title;
    if (target->node.id != 0)
        all.chosen = target->node.path;
    int outcome = output_open(settings, to->path, &output);
    if (outcome != OUTCOME_DONE)
        return outcome;
    page_print(output.stream, target->reader, &all);
    return output_close(settings, &output, outcome);
}

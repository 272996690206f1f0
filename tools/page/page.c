/* page.c - Prints a page: the text around the data, the graph, and the notes of
 * a command.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page.h"

#include "page_graph.h"
#include "page_notes.h"
#include "page_out.h"
#include "page_text.h"

static void print_all(FILE *to, const char *const *texts)
{
    for (; *texts; texts++)
        fputs(*texts, to);
}

void page_print(
    FILE *to, const varve_reader *reader, const struct page_overlay *overlay)
{
    print_all(to, page_before);
    fputs("{\"schema\":\"varve.page/1\",\"title\":", to);
    page_out_text(to, overlay->title);
    fputs(",\"chosen\":", to);
    page_out_text(to, overlay->chosen);
    fputs(",\n", to);
    page_print_file(to, reader);
    page_print_graph(to, reader);
    page_print_notes(to, reader, overlay);
    fputs("}", to);
    print_all(to, page_behind);
}

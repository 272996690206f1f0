/* reading.h - Declares a program that reads records in batches and logs them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STORY_READING_H
#define STORY_READING_H

#include "story.h"

struct reading {
    varve_graph *graph;
    varve_node *root;
    varve_records *records;
    /* a line for each batch: "epoch: a b c.", with '.' at the end of an
     * epoch */
    char text[4096];
};

/* Adds the records to a graph as "data"; reading_end frees them. */
void reading_begin(struct reading *r, varve_records *records);
void reading_end(struct reading *r);

/* Appends `count` batches to the text, or as many as there are. */
void reading_read(struct reading *r, size_t count);

/* Restores the graph from a file of story_write. */
void reading_resume(struct reading *r, const char *name);

#endif

/* lineage.h - the run that saved a checkpoint, and the checkpoint from which
 * that run was resumed, as the metadata of the file have it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LINEAGE_H
#define TOOL_LINEAGE_H

#include "run.h"

/* In the metadata: the id of the run; and of the checkpoint from which it was
 * resumed 16 hexadecimal digits, its identity, its run ("-": unknown) and its
 * number, with a space between. */
#define LINEAGE_RUN_KEY "varve.run"
#define LINEAGE_PARENT_KEY "varve.parent"

enum { LINEAGE_IDENTITY_SIZE = 16, LINEAGE_SHORT_SIZE = 6 };

struct lineage {
    char *run;        /* NULL: unknown */
    char *parent;     /* the text in the file; NULL: none */
    bool has_parent;  /* the text is as above */
    char *parent_run; /* NULL: unknown */
    uint64_t parent_number;
    char parent_identity[LINEAGE_IDENTITY_SIZE + 1];
};

/* A checkpoint in the listing. */
struct log_row {
    const struct run *run;
    const struct run_entry *entry;
    size_t source; /* of which operand */
    struct lineage lineage;
    char *id;              /* in the graph */
    const char *parent_id; /* borrowed from another row; NULL: none */
};

/* Reads what the file of an entry has. Of a file that no manager wrote, or that
 * is damaged, all is unknown. */
void lineage_read(struct lineage *lineage, const struct run_entry *entry);
void lineage_clear(struct lineage *lineage);

/* Ends in the part of a run's id that people are shown. */
const char *lineage_short(const char *run);

/* Sorts the rows of one prefix, the newest first, and gives each its id and
 * that of its parent: the one before it of the same run, or that from which the
 * run was resumed, or the newest before that where it was deleted. Those of
 * unknown runs are one lineage in each directory. Returns how many rows
 * are no parent, copies counted once: 1 where all are in one line. */
size_t lineage_link(struct log_row *rows, size_t count);

#endif

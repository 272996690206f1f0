/* reading.c - Reads records in batches and logs them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reading.h"

#include <stdio.h>
#include <string.h>

void reading_begin(struct reading *r, varve_records *records)
{
    cr_assert_not_null(records);
    *r = (struct reading){ .graph = story_graph(), .records = records };
    r->root = varve_graph_root(r->graph);
    varve_add_records(r->root, "data", records);
}

void reading_end(struct reading *r)
{
    varve_graph_free(r->graph);
    varve_records_free(r->records);
}

void reading_read(struct reading *r, size_t count)
{
    varve_error error = { 0 };
    for (size_t i = 0; i < count; i++) {
        varve_batch batch;
        cr_assert_ok(varve_records_next(r->records, &batch, &error), error);
        if (batch.count == 0)
            break;
        size_t at = strlen(r->text);
        at += (size_t)sprintf(r->text + at, "%d:", (int)batch.epoch);
        for (size_t k = 0; k < batch.count; k++) {
            at += (size_t)sprintf(r->text + at, " %.*s",
                (int)batch.records[k].size,
                (const char *)batch.records[k].data);
        }
        strcpy(r->text + at, batch.ends_epoch ? ".\n" : "\n");
        cr_assert_lt(strlen(r->text), sizeof r->text / 2);
    }
}

void reading_resume(struct reading *r, const char *name)
{
    varve_restoration *restoration = story_read(r->root, name, NULL);
    story_consumed(restoration);
    varve_restoration_free(restoration);
}

/* page_statistics.c - Computes the statistics of a value when its node is
 * written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_statistics.h"

#include <math.h>

#include "progress_bar.h"
#include "memory.h"
#include "statistics.h"

enum { BINS = 32 };

/* Numbers of the marks. */
enum { MARK_DAMAGED = 1, MARK_NAN, MARK_COUNT = MARK_NAN };

static const struct page_mark marks[MARK_COUNT] = {
    [MARK_DAMAGED - 1] = { "damaged", "the value does not read", PAGE_BROKEN },
    [MARK_NAN - 1] = { "not finite", "it has NaN or infinities", PAGE_CHANGED },
};

struct looking {
    varve_reader *reader;
    struct progress_bar bar;
    struct statistics found;
    struct page_statistics shown;
    varve_error error;
    uint64_t done;
    uint64_t total;
    bool has_damage;
};

static const struct page_statistics *show(struct looking *l)
{
    const struct statistics *found = &l->found;
    bool has_any = found->finite > 0;
    l->shown = (struct page_statistics){
        .count = found->count,
        .zeros = found->zeros,
        .nans = found->nans,
        .infinities = found->infinities,
        .least = has_any ? found->least.real : NAN,
        .most = has_any ? found->greatest.real : NAN,
        .mean = has_any ? found->mean : NAN,
        .deviation = has_any ? found->deviation : NAN,
        .bins = found->bins,
        .bin_count = has_any ? found->bin_count : 0,
        .low = found->bounds[0].real,
        .high = found->bounds[found->bin_count].real,
    };
    return &l->shown;
}

static void on_node(
    void *user, const varve_saved_node *node, struct page_note *note)
{
    struct looking *l = user;
    if (!node->has_value)
        return;
    l->found = (struct statistics){ .count = 0 };
    varve_status status =
        statistics_of(&l->found, l->reader, node, BINS, &l->error);
    l->done += node->size;
    progress_bar_update(&l->bar, l->done, l->total, node->path);
    if (status == VARVE_NO_MEMORY)
        memory_exhausted();
    if (status) {
        l->has_damage = true;
        note->mark = MARK_DAMAGED;
        note->text = l->error.message;
        return;
    }
    if (l->found.nans || l->found.infinities)
        note->mark = MARK_NAN;
    note->statistics = show(l);
}

static uint64_t bytes_of(varve_reader *reader)
{
    uint64_t bytes = 0;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++)
        bytes += node.has_value ? node.size : 0;
    return bytes;
}

int page_with_statistics(const struct settings *settings,
    const struct page_to *to, const struct target *target)
{
    struct looking looking = {
        .reader = target->reader,
        .total = bytes_of(target->reader),
    };
    struct page_overlay overlay = {
        .marks = marks,
        .mark_count = MARK_COUNT,
        .on_node = on_node,
        .user = &looking,
    };
    progress_bar_begin(&looking.bar, settings);
    int outcome = page_output(settings, to, target, &overlay);
    progress_bar_clear(&looking.bar);
    return outcome == OUTCOME_DONE && looking.has_damage ? OUTCOME_NO : outcome;
}

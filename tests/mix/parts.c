/* parts.c - Predicts which graphs with slices one process cannot save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/parts.h"

#include <string.h>
#include <unistd.h>

#include "mix/jobs.h"
#include "mix/trouble.h"

static varve_status wait_for(struct mix *m, varve_job *job)
{
    varve_status status =
        job ? varve_job_wait(job, &m->error) : m->error.status;
    varve_job_free(job);
    return status;
}

static varve_status write_one(struct mix *m, varve_node *root, uint8_t how,
    const char *path)
{
    varve_write_options options = { .pending = VARVE_PENDING_OMIT,
        .incremental = how & 4, .no_sync = true };
    switch (how % 4) {
    case 0: return varve_write(root, path, &options, &m->error);
    case 1:
        options.format = VARVE_FORMAT_NPZ;
        options.incremental = false;
        return varve_write(root, path, &options, &m->error);
    case 2: return varve_save(root, path, &options, &m->error);
    default:
        return wait_for(m, varve_write_async(root, path, &options, &m->error));
    }
}

bool mix_is_refused(struct mix *m, uint8_t graph, uint8_t root, uint8_t how)
{
    struct mix_graph *g = &m->graphs[graph];
    if (!mix_has_parts(&g->shape, root))
        return false;
    if (g->unreported || g->may_report_unknown || mix_is_saving(m, graph))
        return true; /* the error may be for another one */
    char path[256];
    strcpy(path, mix_path(m, "a part"));
    mix_say(m, "(a save of g%dn%d is refused)", graph, root);
    mix_trouble_begin(m);
    varve_status status = write_one(m, g->nodes[root], how, path);
    mix_expect(m, "a save of a part", status, VARVE_MISUSE, mix_trouble_end(m));
    MIX_CHECK(status && access(path, F_OK) != 0, "a part was saved");
    return true;
}

bool mix_names_part(const struct mix *m, const struct mix_saver *saver)
{
    const struct mix_node *nodes = m->graphs[saver->graph].shape.nodes;
    for (uint8_t k = 0; k < MIX_NAMES; k++)
        if (saver->node[k] != MIX_NONE && mix_is_part(&nodes[saver->node[k]]))
            return true;
    return false;
}

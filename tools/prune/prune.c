/* prune.c - varve prune: layers that no checkpoint names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/layers.h>

#include "command.h"
#include "complaint.h"

static const struct option_row options[] = { OPTION_HELP, OPTION_END };

static int run(const struct settings *settings, int count, char **operands)
{
    int worst = OUTCOME_DONE;
    for (int i = 0; i < count; i++) {
        varve_error error = { 0 };
        int outcome = OUTCOME_DONE;
        if (varve_prune_layers(operands[i], &error))
            outcome =
                complain_status(settings, "cannot prune", operands[i], &error);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

const struct command prune_command = {
    .name = "prune",
    .operands = "DIRECTORY...",
    .summary = "delete layers that no checkpoint names",
    .details = "Looks into every checkpoint of a DIRECTORY and deletes the "
               "files in its folder\nlayers that none of them names, as after "
               "checkpoints were deleted by hand. If one\ncannot be read, "
               "nothing is deleted; nothing either while somebody saves there."
               "\n",
    .options = options,
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run,
};

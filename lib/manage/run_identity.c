/* run_identity.c - Makes and checks identities of runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "run_identity.h"

#include <string.h>

#include "checksum.h"
#include "failure.h"
#include "retry.h"
#include "system.h"

static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

enum { TIME_DIGITS = 10, RANDOM_DIGITS = 16, BITS = 5 };

/* Writes the lowest `count` digits of a number, the highest first. */
static void identity_add(char *text, uint64_t number, unsigned count)
{
    while (count-- > 0) {
        text[count] = digits[number & 31];
        number >>= BITS;
    }
}

static void identity_set(
    const struct vv_context *context, char run[VV_RUN_SIZE], uint64_t bits[2])
{
    const struct vv_system *system = context->system;
    int64_t now = system->now(system->state);
    memset(run, 0, VV_RUN_SIZE);
    identity_add(run, (uint64_t)(now < 0 ? 0 : now) / 1000000, TIME_DIGITS);
    identity_add(run + TIME_DIGITS, bits[0], RANDOM_DIGITS / 2);
    identity_add(
        run + TIME_DIGITS + RANDOM_DIGITS / 2, bits[1], RANDOM_DIGITS / 2);
}

void vv_run_identity_renew(
    const struct vv_context *context, char run[VV_RUN_SIZE], uint64_t parent)
{
    uint64_t bits[2];
    bits[0] = vv_hash_of(run, VV_RUN_SIZE) ^ parent;
    bits[1] = vv_hash_of(bits, sizeof bits[0]);
    identity_set(context, run, bits);
}

varve_status vv_run_identity_make(
    const struct vv_context *context, char run[VV_RUN_SIZE], varve_error *error)
{
    const struct vv_system *system = context->system;
    uint64_t bits[2] = { 0, 0 };
    unsigned tries = 0;
    int result;
    do
        result = system->random(system->state, bits, sizeof bits);
    while (vv_try_again(result, &tries));
    if (result < 0)
        return vv_fail_system(
            error, -result, "random bytes", "the identity of a run");
    identity_set(context, run, bits);
    return VARVE_OK;
}

uint64_t vv_run_identity_time(const char *run)
{
    uint64_t time = 0;
    size_t size = strlen(run);
    if (size != TIME_DIGITS + RANDOM_DIGITS || strspn(run, digits) != size)
        return 0;
    for (size_t i = 0; i < TIME_DIGITS; i++)
        time = time << BITS | (uint64_t)(strchr(digits, run[i]) - digits);
    return time;
}

varve_status vv_run_identity_check(const char *run, varve_error *error)
{
    size_t size = strlen(run);
    bool is_good = size > 0 && size < VV_RUN_SIZE && strcmp(run, "-") != 0;
    for (size_t i = 0; i < size && is_good; i++)
        is_good = run[i] > ' ' && run[i] < 127;
    return is_good ? VARVE_OK
                   : vv_fail(error, VARVE_BAD_NAME,
                         "run \"%s\": a run identity must be 1 to %d printable "
                         "ASCII characters without spaces",
                         run, VV_RUN_SIZE - 1);
}

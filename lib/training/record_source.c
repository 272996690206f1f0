/* record_source.c - Functions that all sources of records use.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record_source.h"

#include "default_allocator.h"
#include "failure.h"
#include "random_key.h"
#include "store.h"

struct vv_record_opening vv_record_opening_of(
    const varve_records_options *options)
{
    struct vv_record_opening opening = { .options = { .batch = 0 } };
    if (options)
        opening.options = *options;
    opening.context = (struct vv_context){
        .allocator = vv_allocator_or_default(opening.options.allocator),
        .system = vv_default_system(),
    };
    return opening;
}

varve_status vv_record_options_check(const char *name,
    const varve_records_options *options, unsigned uses, varve_error *error)
{
    if (!name)
        name = "records";
    if (options->skip_lines && !(uses & VV_USES_SKIP_LINES))
        return vv_fail(error, VARVE_MISUSE,
            "%s: skip_lines is only for sources of lines, found %llu", name,
            (unsigned long long)options->skip_lines);
    if (options->allow_appended && !(uses & VV_USES_APPENDED))
        return vv_fail(error, VARVE_MISUSE,
            "%s: allow_appended is only for lists of files", name);
    return VARVE_OK;
}

void vv_set_fingerprint(varve_source *source, enum vv_source_kind kind,
    uint64_t record_size, const struct vv_digest *digest)
{
    const uint64_t numbers[2] = { (uint64_t)kind, record_size };
    char text[33];
    vv_digest_text(digest, text);
    vv_random_key(source->fingerprint, numbers, 2, text);
}

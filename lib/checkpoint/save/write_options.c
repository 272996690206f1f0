/* write_options.c - Checks that options are of this version and consistent.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write_options.h"

#include "failure.h"
#include "pack.h"
#include "try.h"

static varve_status write_options_check_resize_buffers(
    const varve_write_options *o, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(o, error));
    VV_TRY(VV_CHECK_ROOM(o->increment.reserved, error));
    VV_TRY(VV_CHECK_ROOM(o->foreign.reserved, error));
    VV_TRY(VV_CHECK_ROOM(o->async.reserved, error));
    VV_TRY(VV_CHECK_ROOM(o->collective.reserved, error));
    return vv_check_list(o->metadata, o->metadata_count, "metadata", error);
}

/* Fails if an option is set without the option that it needs. */
static varve_status check_needs(
    bool is_set, const char *name, const char *needed, varve_error *error)
{
    return is_set ? vv_fail(error, VARVE_MISUSE,
                        "write options: `%s` needs %s: set that too, or leave "
                        "`%s` out",
                        name, needed, name)
                  : VARVE_OK;
}

static varve_status check_layers(
    const varve_write_options *o, varve_error *error)
{
    const varve_increment_options *l = &o->increment;
    bool is_plain = !o->incremental;
    const char *needed = "`incremental`";
    VV_TRY(check_needs(is_plain && l->base, "increment.base", needed, error));
    VV_TRY(check_needs(
        is_plain && l->only_dirty, "increment.only_dirty", needed, error));
    VV_TRY(check_needs(is_plain && l->track, "increment.track", needed, error));
    VV_TRY(check_needs(
        is_plain && l->verify_clean, "increment.verify_clean", needed, error));
    return check_needs(l->verify_clean && !l->only_dirty && !l->track,
        "increment.verify_clean", "`increment.only_dirty` or `increment.track`",
        error);
}

static varve_status check_format(
    const varve_write_options *o, varve_error *error)
{
    bool is_ours = o->format == VARVE_FORMAT_VARVE;
    bool has_shards = o->format == VARVE_FORMAT_TENSORFLOW ||
                      o->format == VARVE_FORMAT_TENSORFLOW_NAMES ||
                      o->format == VARVE_FORMAT_SAFETENSORS;
    bool has_names = o->format == VARVE_FORMAT_SAFETENSORS ||
                     o->format == VARVE_FORMAT_NPZ ||
                     o->format == VARVE_FORMAT_GGUF;
    const char *ours = "the `format` VARVE_FORMAT_VARVE";
    VV_TRY(check_needs(!is_ours && o->incremental, "incremental", ours, error));
    VV_TRY(check_needs(!is_ours && o->compress, "compress", ours, error));
    VV_TRY(
        check_needs(!has_shards && o->foreign.shard_size, "foreign.shard_size",
            "a `format` of TensorFlow or safetensors", error));
    return check_needs(!has_names && o->foreign.global_names,
        "foreign.global_names", "a `format` of safetensors, npz or GGUF",
        error);
}

varve_status vv_write_options_check(
    const varve_write_options *options, varve_error *error)
{
    if (!options)
        return VARVE_OK;
    VV_TRY(write_options_check_resize_buffers(options, error));
    VV_TRY(check_layers(options, error));
    if ((unsigned)options->pending > VARVE_PENDING_OMIT)
        return vv_fail(error, VARVE_MISUSE,
            "write options: `pending` must be a varve_pending_policy, found %d",
            (int)options->pending);
    VV_TRY(check_format(options, error));
    return vv_pack_check(options->compress, error);
}

varve_status vv_check_not_collective(
    const varve_write_options *options, varve_error *error)
{
    return options && options->collective.files
               ? vv_fail(error, VARVE_MISUSE,
                     "`collective.files` must be 0 in a save by one process: "
                     "use varve_write_all, or a manager or saver with `comm`")
               : VARVE_OK;
}

varve_status vv_check_numbered(const varve_write_options *options,
    const char *option, const char *name, varve_error *error)
{
    if (!options || options->format == VARVE_FORMAT_VARVE)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: `%s` must be VARVE_FORMAT_VARVE for numbered checkpoints, "
        "managers and savers, found %s: use varve_write with a file name, or "
        "`varve convert`",
        name, option, varve_format_name(options->format));
}

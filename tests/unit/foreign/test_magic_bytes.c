/* test_magic_bytes.c - Tests the recognition of pickles by their first bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "magic_bytes.h"

#include "tar_sample.h"

#define MAGIC "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
#define METADATA "torch.distributed.checkpoint.metadata"

TEST(pickle_magic, of_legacy_torch_files_is_their_magic_number)
{
    static const char four[] = "\x80\4\x95\x0d\0\0\0\0\0\0\0"
        "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    const unsigned char *two = (const unsigned char *)MAGIC;
    cr_assert(vv_torch_is_legacy(two, sizeof MAGIC - 1));
    cr_assert(vv_torch_is_legacy(two, sizeof MAGIC - 2));
    cr_assert_not(vv_torch_is_legacy(two, sizeof MAGIC - 3));
    cr_assert(vv_torch_is_legacy(
        (const unsigned char *)four, VV_TORCH_LEGACY_HEAD));
    cr_assert_not(vv_torch_is_legacy(
        (const unsigned char *)four, VV_TORCH_LEGACY_HEAD - 1));
    cr_assert_not(vv_torch_is_legacy((const unsigned char *)"\x80\2}.", 4));
    cr_assert_not(vv_torch_is_legacy((const unsigned char *)"", 0));
}

static bool is_tar(char type, const char *name, size_t cut)
{
    struct vv_buffer b;
    vv_buffer_init(&b, test_allocator());
    if (type)
        tar_put_text(&b, "././@PaxHeader", type, "13 mtime=1.5\n");
    tar_put_header(&b, name, '0', 0);
    bool is_one = vv_torch_is_tar(b.data, b.size - cut);
    vv_buffer_clear(&b);
    return is_one;
}

TEST(pickle_magic, of_the_first_torch_files_is_the_name_of_a_tar_member)
{
    cr_assert(is_tar(0, "sys_info", 0));
    cr_assert(is_tar('x', "sys_info", 0));
    cr_assert_not(is_tar(0, "sys_info", 1));
    cr_assert_not(is_tar('x', "sys_info", 1));
    cr_assert_not(is_tar('0', "sys_info", 0));
    cr_assert_not(is_tar(0, "sys_info2", 0));
    cr_assert_not(is_tar(0, "model", 0));
    cr_assert_not(vv_torch_is_tar((const unsigned char *)"", 0));
}

static bool is_metadata(const char *bytes, size_t size)
{
    return vv_dcp_is_metadata((const unsigned char *)bytes, size);
}

TEST(pickle_magic, of_distributed_torch_is_a_module_near_the_beginning)
{
    static const char plain[] = "\x80\2c" METADATA;
    char far[80 + sizeof METADATA] = "\x80\2";
    cr_assert(is_metadata(plain, sizeof plain - 1));
    cr_assert_not(is_metadata(plain, sizeof plain - 2));
    cr_assert_not(is_metadata(plain + 1, sizeof plain - 2));
    memcpy(far + 63, METADATA, sizeof METADATA);
    cr_assert(is_metadata(far, sizeof far));
    memset(far + 2, 0, sizeof far - 2);
    memcpy(far + 64, METADATA, sizeof METADATA);
    cr_assert_not(is_metadata(far, sizeof far));
}

/* magic_bytes.c - Compares the first bytes of files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "magic_bytes.h"

#include <string.h>

bool vv_torch_is_legacy(const unsigned char *head, size_t size)
{
    static const char number[] =
        "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
    size_t begin = size > 2 && head[2] == 0x95 ? 11 : 2;
    return size >= begin + sizeof number - 1 && head[0] == 0x80 &&
           memcmp(head + begin, number, sizeof number - 1) == 0;
}

bool vv_torch_is_tar(const unsigned char *head, size_t size)
{
    enum { BLOCK = 512, MAGIC_AT = 257, TYPE_AT = 156 };
    static const char magic[] = "ustar", first[] = "sys_info";
    size_t at = 0;
    if (size > TYPE_AT && head[TYPE_AT] == 'x')
        at = 2 * BLOCK;
    return size >= at + BLOCK && memcmp(head + at, first, sizeof first) == 0 &&
           memcmp(head + MAGIC_AT, magic, sizeof magic - 1) == 0;
}

bool vv_dcp_is_metadata(const unsigned char *head, size_t size)
{
    static const char module[] = "torch.distributed.checkpoint.metadata";
    enum { FARTHEST = 64 };
    if (size < 2 || head[0] != 0x80)
        return false;
    for (size_t i = 2; i < FARTHEST && i + sizeof module - 1 <= size; i++) {
        if (memcmp(head + i, module, sizeof module - 1) == 0)
            return true;
    }
    return false;
}

bool vv_is_lfs_pointer(const void *head, size_t size)
{
    static const char mark[] = "version https://git-lfs.github.com/spec/";
    _Static_assert(sizeof mark - 1 == VV_LFS_POINTER_HEAD, "its size");
    return size >= sizeof mark - 1 && memcmp(head, mark, sizeof mark - 1) == 0;
}

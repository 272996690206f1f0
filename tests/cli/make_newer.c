/* make_newer.c - Changes a checkpoint to claim a later format version, or
 * renames a tag to an unknown one.
 *
 *     make_newer FROM TO [NAME OTHER]
 *
 * The version is at byte 8, and the XXH3-64 of the bytes before it at byte 56.
 * The names must have the same length and the same position in the sorted
 * names. The digest of the index is in header and footer (docs/format.md).
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { END_SIZE = 64, VERSION_OFFSET = 8, NONCE_OFFSET = 16 };

static void store(unsigned char *to, XXH64_hash_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

static size_t number_at(const unsigned char *from)
{
    size_t number = 0;
    for (int i = 8; i-- > 0;)
        number = number << 8 | from[i];
    return number;
}

static void change_version(unsigned char *header)
{
    header[VERSION_OFFSET] = 99;
    store(header + 56, XXH3_64bits(header, 56));
}

static bool change_name(unsigned char *bytes, size_t size, const char *name,
    const char *other)
{
    unsigned char *footer = bytes + size - END_SIZE;
    unsigned char *index = bytes + number_at(footer);
    size_t length = strlen(name), at = 0, index_size = number_at(footer + 8);
    XXH128_canonical_t digest;
    while (at + length <= index_size && memcmp(index + at, name, length) != 0)
        at++;
    if (at + length > index_size || strlen(other) != length)
        return false;
    memcpy(index + at, other, length);
    XXH128_canonicalFromHash(&digest, XXH3_128bits(index, index_size));
    memcpy(bytes + NONCE_OFFSET, digest.digest, 16);
    memcpy(footer + 16, digest.digest, 16);
    memcpy(footer + 40, digest.digest, 8);
    store(bytes + 56, XXH3_64bits(bytes, 56));
    store(footer + 48, XXH3_64bits(footer, 48));
    return true;
}

int main(int argc, char **argv)
{
    static unsigned char bytes[1 << 20];
    if (argc != 3 && argc != 5)
        return 2;
    FILE *from = fopen(argv[1], "rb");
    size_t size = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    FILE *to = fopen(argv[2], "wb");
    if (size < 2 * END_SIZE || !to)
        return 1;
    if (argc == 3)
        change_version(bytes);
    else if (!change_name(bytes, size, argv[3], argv[4]))
        return 1;
    size_t written = fwrite(bytes, 1, size, to);
    fclose(from);
    return fclose(to) == 0 && written == size ? 0 : 1;
}

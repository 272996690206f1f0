/* make_newer.c - makes a checkpoint say that it is of a later version.
 *
 *     make_newer FROM TO
 *
 * The version is at byte 8, and at byte 56 the XXH3-64 of what is before it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { HEADER_SIZE = 64, SUM_OFFSET = 56, VERSION_OFFSET = 8 };

static void change(unsigned char *header)
{
    header[VERSION_OFFSET] = 99;
    XXH64_hash_t sum = XXH3_64bits(header, SUM_OFFSET);
    for (int i = 0; i < 8; i++)
        header[SUM_OFFSET + i] = (unsigned char)(sum >> (8 * i));
}

int main(int argc, char **argv)
{
    static unsigned char bytes[1 << 20];
    if (argc != 3)
        return 2;
    FILE *from = fopen(argv[1], "rb");
    size_t size = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    FILE *to = fopen(argv[2], "wb");
    if (size < HEADER_SIZE || !to)
        return 1;
    change(bytes);
    size_t written = fwrite(bytes, 1, size, to);
    fclose(from);
    return fclose(to) == 0 && written == size ? 0 : 1;
}

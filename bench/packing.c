/* packing.c - Measures compression methods chunk by chunk, as in a save with
 * `compress`: compressed size, and megabytes per second of processor time for
 * compression and decompression. peers/kinds.py writes typical files.
 *
 *     packing NAME.PLANES.bin...
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zstd.h>

enum { CHUNK = 1 << 20, ROUNDS = 3 };

/* `hash` and `match` 0: defaults of the level. */
static const struct way {
    const char *name;
    int level;
    int hash;
    int match;
    int puts_apart;
    /* separately for each byte plane; time to detect incompressible planes
     * is not measured */
    int by_plane;
} ways[] = {
    { "level 1, without byte planes", 1, 0, 0, 0, 0 },
    { "level 1", 1, 0, 0, 1, 0 },
    { "level 3", 3, 0, 0, 1, 0 },
    { "level -1", -1, 0, 0, 1, 0 },
    { "level -5", -5, 0, 0, 1, 0 },
    { "level 1, hash 2^10, match 7", 1, 10, 7, 1, 0 },
    { "level 1, hash 2^8, match 7", 1, 8, 7, 1, 0 },
    { "level 1, hash 2^6, match 7", 1, 6, 7, 1, 0 },
    { "the same, only compressible planes", 1, 6, 7, 1, 1 },
};

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void put_apart(char *to, const char *from, size_t size, size_t planes)
{
    size_t count = size / planes;
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < planes; p++)
            to[p * count + i] = from[i * planes + p];
    }
    memcpy(to + planes * count, from + planes * count, size - planes * count);
}

static void set_up(ZSTD_CCtx *zstd, const struct way *way)
{
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, way->level);
    if (way->hash)
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog, way->hash);
    if (way->match)
        ZSTD_CCtx_setParameter(zstd, ZSTD_c_minMatch, way->match);
}

struct result {
    size_t left;
    double packing;
    double unpacking;
};

static void pack_one(ZSTD_CCtx *in, ZSTD_DCtx *out, int by_plane,
    const char *bytes, size_t size, struct result *r)
{
    static char frame[2 * CHUNK], again[CHUNK];
    double begin = seconds();
    size_t left = ZSTD_compress2(in, frame, sizeof frame, bytes, size);
    double packed = seconds();
    if (left > size - size / 16) { /* stored uncompressed */
        r->left += size;
        r->packing += by_plane ? 0 : packed - begin;
        return;
    }
    ZSTD_decompressDCtx(out, again, sizeof again, frame, left);
    r->packing += packed - begin;
    r->unpacking += seconds() - packed;
    r->left += left;
}

static struct result pack_all(ZSTD_CCtx *in, ZSTD_DCtx *out,
    const struct way *way, const char *bytes, size_t size, size_t planes)
{
    static char apart[CHUNK];
    struct result r = { 0 };
    set_up(in, way);
    for (size_t at = 0; at < size; at += CHUNK) {
        size_t part = size - at < CHUNK ? size - at : CHUNK, piece;
        put_apart(apart, bytes + at, part, way->puts_apart ? planes : 1);
        for (size_t done = 0; done < part; done += piece) {
            piece = way->by_plane && part >= planes ? part / planes : part;
            piece = piece < part - done ? piece : part - done;
            pack_one(in, out, way->by_plane, apart + done, piece, &r);
        }
    }
    return r;
}

/* Measures the fastest of several rounds. */
static void try_way(ZSTD_CCtx *in, ZSTD_DCtx *out, const struct way *way,
    const char *bytes, size_t size, size_t planes)
{
    struct result best = pack_all(in, out, way, bytes, size, planes);
    for (int i = 1; i < ROUNDS; i++) {
        struct result r = pack_all(in, out, way, bytes, size, planes);
        if (r.packing < best.packing)
            best.packing = r.packing;
        if (r.unpacking < best.unpacking)
            best.unpacking = r.unpacking;
    }
    double megabytes = (double)size / 1e6;
    printf("    %-28s %.3f %6.0f", way->name, (double)best.left / (double)size,
        megabytes / best.packing);
    if (best.unpacking > 0)
        printf(" %6.0f", megabytes / best.unpacking);
    putchar('\n');
}

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit((perror(path), 1));
    *size = (size_t)ftell(file);
    char *bytes = malloc(*size + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        exit((perror(path), 1));
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    ZSTD_CCtx *in = ZSTD_createCCtx();
    ZSTD_DCtx *out = ZSTD_createDCtx();
    for (int i = 1; i < argc; i++) {
        size_t size, length = strlen(argv[i]);
        char *bytes = read_all(argv[i], &size);
        size_t planes = length > 5 ? (size_t)(argv[i][length - 5] - '0') : 1;
        printf("%s: compressed fraction, MB/s in, MB/s out\n", argv[i]);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            try_way(in, out, &ways[w], bytes, size,
                planes < 1 || planes > 8 ? 1 : planes);
        free(bytes);
    }
    ZSTD_freeCCtx(in);
    ZSTD_freeDCtx(out);
    return 0;
}

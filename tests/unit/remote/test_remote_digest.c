/* test_remote_digest.c - Tests the checksums used for requests.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_digest.h"

#include <string.h>

#include "support/test.h"

/* Checks both digests of a repeated text in hexadecimal, and the MD5 in base
 * 64. */
static void check(const char *text, size_t times, const char *sha256,
    const char *md5, const char *base64)
{
    static char all[1 << 20];
    unsigned char digest[VV_REMOTE_SHA256_SIZE];
    char digits[VV_REMOTE_MOST_TEXT];
    size_t size = strlen(text);
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * size, text, size);
    vv_remote_sha256(all, times * size, digest);
    vv_remote_hex(digest, VV_REMOTE_SHA256_SIZE, digits);
    cr_assert_str_eq(digits, sha256);
    vv_remote_md5(all, times * size, digest);
    vv_remote_hex(digest, VV_REMOTE_MD5_SIZE, digits);
    cr_assert_str_eq(digits, md5);
    vv_remote_base64(digest, VV_REMOTE_MD5_SIZE, digits);
    cr_assert_str_eq(digits, base64);
}

/* Examples of FIPS 180 and RFC 1321, and sizes around a block. */
TEST(remote_digest, gives_the_published_test_vectors)
{
    check("", 0,
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "d41d8cd98f00b204e9800998ecf8427e", "1B2M2Y8AsgTpgAmY7PhCfg==");
    check("abc", 1,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "900150983cd24fb0d6963f7d28e17f72", "kAFQmDzST7DWlj99KOF/cg==");
    check("a", 55,
        "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
        "ef1772b6dff9a122358552954ad0df65", "7xdytt/5oSI1hVKVStDfZQ==");
    check("a", 56,
        "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
        "3b0c8ac703f828b04c6c197006d17218", "OwyKxwP4KLBMbBlwBtFyGA==");
    check("a", 57,
        "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6",
        "652b906d60af96844ebd21b674f35e93", "ZSuQbWCvloROvSG2dPNekw==");
    check("a", 63,
        "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
        "b06521f39153d618550606be297466d5", "sGUh85FT1hhVBga+KXRm1Q==");
    check("a", 64,
        "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
        "014842d480b571495a4a0363793f7367", "AUhC1IC1cUlaSgNjeT9zZw==");
    check("a", 65,
        "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0",
        "c743a45e0d2e6a95cb859adae0248435", "x0OkXg0uapXLhZra4CSENQ==");
    check("a", 119,
        "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb",
        "8a7bd0732ed6a28ce75f6dabc90e1613", "invQcy7WooznX22ryQ4WEw==");
    check("a", 120,
        "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c",
        "5f61c0ccad4cac44c75ff505e1f1e537", "X2HAzK1MrETHX/UF4fHlNw==");
    check("a", 128,
        "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e",
        "e510683b3f5ffe4093d021808bc6ff70", "5RBoOz9f/kCT0CGAi8b/cA==");
    check("a", 1000000,
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
        "7707d6ae4e027c70eea2a935c2296f21", "dwfWrk4CfHDuoqk1wilvIQ==");
}

TEST(remote_digest, is_encoded_as_base64_of_any_size)
{
    char text[VV_REMOTE_MOST_TEXT];
    static const char *const expected[] = { "", "/w==", "//8=", "////" };
    for (size_t i = 0; i < 4; i++) {
        vv_remote_base64((const unsigned char *)"\xff\xff\xff", i, text);
        cr_assert_str_eq(text, expected[i]);
    }
}

/* scripted_server.h - Runs a store on the loopback interface that sends
 * scripted answers in order and records the requests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SCRIPTED_SERVER_H
#define SCRIPTED_SERVER_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remote_answer.h"
#include "remote_digest.h"
#include "remote_pool.h"

enum { SCRIPT_TEXT = 8192 };

struct scripted_server {
    const char *const *answers; /* in order, terminated by NULL */
    int listener;
    pthread_t thread;
    char asked[SCRIPT_TEXT]; /* a line for each request */
    char token[VV_REMOTE_TOKEN_SIZE]; /* of the writer */
    size_t size; /* of all bodies of PUT requests */
};

struct scripted_request {
    char head[SCRIPT_TEXT];
    char body[SCRIPT_TEXT];
    size_t size; /* of the body */
};

/* --- Requests ------------------------------------------------------------- */

static const char *scripted_value(
    const struct scripted_request *r, const char *name)
{
    const char *at = strstr(r->head, name);
    return at ? at + strlen(name) : NULL;
}

/* Returns false if the connection ends before. */
static bool scripted_read(int connection, struct scripted_request *r)
{
    size_t size = 0;
    char *end;
    memset(r, 0, sizeof *r);
    while (!(end = strstr(r->head, "\r\n\r\n"))) {
        ssize_t got = read(connection, r->head + size, SCRIPT_TEXT - size - 1);
        if (got <= 0)
            return false;
        size += (size_t)got;
    }
    const char *length = scripted_value(r, "Content-Length: ");
    size_t left = length ? strtoull(length, NULL, 10) : 0;
    r->size = size - (size_t)(end + 4 - r->head);
    memcpy(r->body, end + 4, r->size);
    end[4] = '\0';
    while (r->size < left) {
        ssize_t got = read(connection, r->body + r->size, left - r->size);
        if (got <= 0)
            return false;
        r->size += (size_t)got;
    }
    return true;
}

/* Records "PUT /bucket/a?b new": method and path, whether it has a condition,
 * and whether its checksums match the body. */
static void scripted_note(
    struct scripted_server *s, const struct scripted_request *r)
{
    unsigned char sum[VV_REMOTE_SHA256_SIZE];
    char digits[VV_REMOTE_MOST_TEXT], line[256];
    const char *signed_sum = scripted_value(r, "x-amz-content-sha256: ");
    const char *token = scripted_value(r, VV_REMOTE_TOKEN_HEADER ": ");
    vv_remote_sha256(r->body, r->size, sum);
    vv_remote_hex(sum, sizeof sum, digits);
    bool is_good =
        signed_sum && memcmp(signed_sum, digits, strlen(digits)) == 0;
    const char *end = strstr(r->head, " HTTP/");
    snprintf(line, sizeof line, "%.*s%s%s\n", (int)(end - r->head), r->head,
        strstr(r->head, "If-None-Match: *") ? " new" : "",
        is_good ? "" : " of other bytes");
    strncat(s->asked, line, sizeof s->asked - strlen(s->asked) - 1);
    if (token)
        memcpy(s->token, token, sizeof s->token - 1);
    if (strncmp(r->head, "PUT", 3) == 0)
        s->size += r->size;
}

/* --- Answers -------------------------------------------------------------- */

/* Sends the answer for a word of the script; "cut" sends none. */
static void scripted_answer(const struct scripted_server *s, const char *word,
    const struct scripted_request *r, char *to, size_t room)
{
    static const char created[] = "<UploadId>7</UploadId>";
    static const char together[] = "<CompleteMultipartUploadResult/>";
    static const char keys[] =
        "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"B\",\"Token\":\"C\","
        "\"Expiration\":\"2026-10-01T10:00:00Z\"}";
    static const char broken[] = "<Error><Code>InternalError</Code></Error>";
    unsigned char md5[VV_REMOTE_MD5_SIZE];
    char tag[VV_REMOTE_MOST_TEXT], more[256] = "";
    const char *body = "", *code = "200 OK";
    vv_remote_md5(r->body, strcmp(word, "other tag") ? r->size : 0, md5);
    vv_remote_hex(md5, sizeof md5, tag);
    snprintf(more, sizeof more, "Content-Length: 0\r\nETag: \"%s\"\r\n", tag);
    if (strcmp(word, "created") == 0)
        body = created;
    else if (strcmp(word, "together") == 0)
        body = together;
    else if (strcmp(word, "keys") == 0)
        body = keys;
    else if (strcmp(word, "error") == 0)
        body = broken;
    else if (strcmp(word, "ours") == 0)
        snprintf(more, sizeof more,
            "Content-Length: %zu\r\n" VV_REMOTE_TOKEN_HEADER ": %s\r\n",
            s->size, s->token);
    else if (strcmp(word, "theirs") == 0)
        snprintf(more, sizeof more,
            "Content-Length: 3\r\n" VV_REMOTE_TOKEN_HEADER ": 1\r\n");
    else if (word[0] >= '2' && word[0] <= '5')
        code = word;
    if (*body)
        snprintf(more, sizeof more, "Content-Length: %zu\r\n", strlen(body));
    snprintf(to, room, "HTTP/1.1 %s\r\n%sConnection: close\r\n\r\n%s", code,
        more, body);
}

static void *scripted_serve(void *argument)
{
    struct scripted_server *s = argument;
    static struct scripted_request request;
    int connection;
    while ((connection = accept(s->listener, NULL, NULL)) >= 0) {
        char answer[1024] = "";
        if (scripted_read(connection, &request)) {
            const char *word = *s->answers ? *s->answers++ : "500 No";
            scripted_note(s, &request);
            if (strcmp(word, "cut") != 0)
                scripted_answer(s, word, &request, answer, sizeof answer);
        }
        for (size_t at = 0, size = strlen(answer); at < size;) {
            ssize_t sent = write(connection, answer + at, size - at);
            at = sent > 0 ? at + (size_t)sent : size;
        }
        close(connection);
    }
    return NULL;
}

/* --- Start and end -------------------------------------------------------- */

/* Also sets the environment, so that the server is used as the store. */
static void scripted_begin(
    struct scripted_server *s, const char *const *answers)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;
    char url[64];
    memset(s, 0, sizeof *s);
    s->answers = answers;
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(s->listener, (struct sockaddr *)&address, sizeof address) ||
        listen(s->listener, 8) ||
        getsockname(s->listener, (struct sockaddr *)&address, &size) ||
        pthread_create(&s->thread, NULL, scripted_serve, s))
        abort();
    snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(address.sin_port));
    setenv("AWS_ENDPOINT_URL_S3", url, 1);
    setenv("AWS_ACCESS_KEY_ID", "key", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    setenv("AWS_REGION", "eu-west-9", 1);
    setenv("no_proxy", "*", 1);
    unsetenv("AWS_SESSION_TOKEN");
}

static void scripted_end(struct scripted_server *s)
{
    shutdown(s->listener, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->listener);
    curl_easy_cleanup(vv_remote_pool_take()); /* which has descriptors */
}

#endif

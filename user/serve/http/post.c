// SPDX-License-Identifier: BSD-2-Clause
#include "serve/http/post.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/process/library.h"
#include "version.h"

#define LIBRARY "libcurl.so.4"
#define CONNECT_MS 5000L
#define ALL_MS 10000L
#define MOST_READ (64 << 10) /* of an answer, headers included */
#define MOST_WAIT_S 300	     /* that an answer may ask for */

/* Functions of the library. It stays loaded: one of its threads may still wait for a name server at the end. */
struct library {
	CURLcode (*start)(long flags);
	CURL *(*easy)(void);
	CURLcode (*set)(CURL *easy, CURLoption option, ...);
	CURLcode (*perform)(CURL *easy);
	CURLcode (*info)(CURL *easy, CURLINFO info, ...);
	void (*cleanup)(CURL *easy);
	const char *(*error)(CURLcode code);
	struct curl_slist *(*append)(struct curl_slist *list, const char *text);
	void (*free_list)(struct curl_slist *list);
};

struct post {
	struct library library;
	CURL *easy;
	struct curl_slist *headers;
	struct post_answer *answer; /* of the current request */
	size_t read;		    /* of that answer, headers included */
	char error[CURL_ERROR_SIZE];
	atomic_bool is_stopping;
};

static int library_find(struct library *library)
{
	const struct library_symbol symbols[] = {
		{ "curl_global_init", &library->start },	{ "curl_easy_init", &library->easy },
		{ "curl_easy_setopt", &library->set },		{ "curl_easy_perform", &library->perform },
		{ "curl_easy_getinfo", &library->info },	{ "curl_easy_cleanup", &library->cleanup },
		{ "curl_easy_strerror", &library->error },	{ "curl_slist_append", &library->append },
		{ "curl_slist_free_all", &library->free_list },
	};

	return library_load(LIBRARY, "libcurl4", "pushing", symbols, sizeof(symbols) / sizeof(*symbols)) ? 0 : -1;
}

/* Answers. */

/* Returning less than `size` aborts the transfer. */
static size_t count_read(struct post *post, size_t size)
{
	post->read += size;
	return post->read <= MOST_READ ? size : 0;
}

static size_t on_header(char *text, size_t one, size_t size, void *data)
{
	(void)text;
	return count_read(data, one * size);
}

static size_t on_body(char *text, size_t one, size_t size, void *data)
{
	struct post *post = data;
	struct post_answer *answer = post->answer;
	size_t room = sizeof(answer->body) - answer->size, n = one * size < room ? one * size : room;

	memcpy(answer->body + answer->size, text, n);
	answer->size += n;
	return count_read(post, one * size);
}

/* Called at least once a second; non-zero aborts the transfer. */
static int on_progress(void *data, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
	struct post *post = data;

	(void)down_all;
	(void)down;
	(void)up_all;
	(void)up;
	return atomic_load(&post->is_stopping);
}

/* Setting up. */

static int add_header(struct post *post, const char *name, const char *value)
{
	_cleanup_free_ char *line = NULL;
	struct curl_slist *longer;

	if (asprintf(&line, "%s: %s", name, value) < 0) {
		line = NULL;
		return -1;
	}
	longer = post->library.append(post->headers, line);
	if (!longer)
		return -1;
	post->headers = longer;
	return 0;
}

static int add_headers(struct post *post, const char *type, const struct pairs *headers)
{
	int err = add_header(post, "Content-Type", type);

	if (!err)
		err = add_header(post, "Content-Encoding", "gzip");
	for (size_t i = 0; !err && i < headers->count; i++)
		err = add_header(post, headers->at[i].name, headers->at[i].value);
	return err;
}

static int set_address(struct post *post, const char *url)
{
	const struct library *library = &post->library;

	/* The latter is not known before 7.85; nothing is followed, and who calls us looks at the URL. */
	library->set(post->easy, CURLOPT_FOLLOWLOCATION, 0L);
	library->set(post->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	library->set(post->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	library->set(post->easy, CURLOPT_HTTPHEADER, post->headers);
	library->set(post->easy, CURLOPT_USERAGENT, "erlbpf/" ERLBPF_VERSION);
	library->set(post->easy, CURLOPT_POST, 1L);
	return library->set(post->easy, CURLOPT_URL, url);
}

static void set_bounds(struct post *post)
{
	const struct library *library = &post->library;

	library->set(post->easy, CURLOPT_NOSIGNAL, 1L);
	library->set(post->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	library->set(post->easy, CURLOPT_TIMEOUT_MS, ALL_MS);
	/* Does not wait for a name server at the end; from 7.87 on. */
	library->set(post->easy, CURLOPT_QUICK_EXIT, 1L);
	library->set(post->easy, CURLOPT_ERRORBUFFER, post->error);
	library->set(post->easy, CURLOPT_HEADERFUNCTION, on_header);
	library->set(post->easy, CURLOPT_HEADERDATA, post);
	library->set(post->easy, CURLOPT_WRITEFUNCTION, on_body);
	library->set(post->easy, CURLOPT_WRITEDATA, post);
	library->set(post->easy, CURLOPT_XFERINFOFUNCTION, on_progress);
	library->set(post->easy, CURLOPT_XFERINFODATA, post);
	library->set(post->easy, CURLOPT_NOPROGRESS, 0L);
}

static int start(struct post *post, const char *url, const char *type, const struct pairs *headers)
{
	if (library_find(&post->library))
		return -1;
	post->easy = post->library.start(CURL_GLOBAL_ALL) ? NULL : post->library.easy();
	if (!post->easy || add_headers(post, type, headers) || set_address(post, url)) {
		pr_err("cannot initialize %s", LIBRARY);
		return -1;
	}
	set_bounds(post);
	return 0;
}

struct post *post_new(const char *url, const char *type, const struct pairs *headers)
{
	struct post *post = calloc(1, sizeof(*post));

	if (!post || !start(post, url, type, headers))
		return post;
	post_free(post);
	return NULL;
}

void post_free(struct post *post)
{
	if (!post)
		return;
	if (post->easy)
		post->library.cleanup(post->easy);
	if (post->headers)
		post->library.free_list(post->headers);
	free(post);
}

void post_stop(struct post *post)
{
	atomic_store(&post->is_stopping, true);
}

/* Sending. */

/* As gzip does; labels repeat, and a tenth is left. NULL: no memory. */
static uint8_t *squeeze(const uint8_t *body, size_t *size)
{
	z_stream stream = { .next_in = (uint8_t *)body, .avail_in = (unsigned int)*size };
	uint8_t *to;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	*size = deflateBound(&stream, *size);
	to = malloc(*size);
	if (to) {
		stream.next_out = to;
		stream.avail_out = (unsigned int)*size;
		deflate(&stream, Z_FINISH);
		*size = stream.total_out;
	}
	deflateEnd(&stream);
	return to;
}

static void judge(struct post *post, CURLcode code)
{
	struct post_answer *answer = post->answer;
	long status = 0;
	curl_off_t wait_s = 0;

	post->library.info(post->easy, CURLINFO_RESPONSE_CODE, &status);
	post->library.info(post->easy, CURLINFO_RETRY_AFTER, &wait_s);
	answer->is_ok = !code && status >= 200 && status < 300;
	answer->kind = answer->is_ok ? 0 : code ? (int)code : (int)status;
	answer->wait_s = answer->is_ok || wait_s < 0 ? 0 : wait_s > MOST_WAIT_S ? MOST_WAIT_S : (uint64_t)wait_s;
	if (post->read > MOST_READ)
		snprintf(answer->why, sizeof(answer->why), "the reply is longer than %d bytes", MOST_READ);
	else if (code)
		snprintf(answer->why, sizeof(answer->why), "%s",
			 post->error[0] ? post->error : post->library.error(code));
	else if (!answer->is_ok)
		snprintf(answer->why, sizeof(answer->why), "the reply has HTTP status %ld", status);
}

void post_send(struct post *post, const uint8_t *body, size_t size, struct post_answer *answer)
{
	_cleanup_free_ uint8_t *packed = squeeze(body, &size);

	*answer = (struct post_answer){ .sent = packed ? size : 0 };
	post->answer = answer;
	post->read = 0;
	post->error[0] = '\0';
	post->library.set(post->easy, CURLOPT_POSTFIELDS, packed);
	post->library.set(post->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	judge(post, packed ? post->library.perform(post->easy) : CURLE_OUT_OF_MEMORY);
}

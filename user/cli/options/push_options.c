// SPDX-License-Identifier: BSD-2-Clause
#include "cli/options/push_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

#define DEFAULT_PATH "/v1/metrics"		/* of an endpoint without one, by OpenTelemetry's specification */
#define PROFILES_PATH "/v1development/profiles" /* in the place of the same */
#define LONGEST_NS (3600 * NS_PER_S)
#define TOKEN "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" /* RFC 9110 */

static const char bad_url[] = "expected a URL, such as http://collector:4318";

/* The part behind "http://" or "https://"; NULL: another scheme. */
static const char *after_scheme(const char *url)
{
	return !strncmp(url, "http://", 7) ? url + 7 : !strncmp(url, "https://", 8) ? url + 8 : NULL;
}

/* Beside where metrics go, if their path is the usual one. Others are for metrics only. */
static void set_profiles_url(struct push_options *options)
{
	size_t length = strlen(options->url), path = strlen(DEFAULT_PATH);

	options->profiles_url[0] = '\0';
	if (length < path || strcmp(options->url + length - path, DEFAULT_PATH) != 0 ||
	    length - path + strlen(PROFILES_PATH) >= sizeof(options->profiles_url))
		return;
	snprintf(options->profiles_url, sizeof(options->profiles_url), "%.*s%s", (int)(length - path), options->url,
		 PROFILES_PATH);
}

const char *push_options_url(struct push_options *options, const char *text)
{
	const char *host = after_scheme(text), *path = host ? host + strcspn(host, "/?#") : NULL;
	bool is_bare = path && (!*path || !strcmp(path, "/"));
	int length;

	if (!host || path == host || text[strcspn(text, " \t\r\n")])
		return bad_url;
	if (memchr(host, '@', (size_t)(path - host)))
		return "a URL with a password could be read by other users; use OTEL_EXPORTER_OTLP_HEADERS";
	length = snprintf(options->url, sizeof(options->url), "%.*s%s", (int)(path - text), text,
			  is_bare ? DEFAULT_PATH : path);
	if (length < 0 || (size_t)length >= sizeof(options->url))
		return bad_url;
	set_profiles_url(options);
	return NULL;
}

const char *push_options_interval(struct push_options *options, const char *text)
{
	if (duration_parse(text, NS_PER_S, &options->interval_ns) || options->interval_ns < NS_PER_S ||
	    options->interval_ns > LONGEST_NS)
		return "expected a time from 1s to 1h";
	return NULL;
}

/* A header that was more than one line would be another header. */
static bool is_header(const struct pair *pair)
{
	if (pair->name[strspn(pair->name, TOKEN)])
		return false;
	for (const char *c = pair->value; *c; c++) {
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
			return false;
	}
	return true;
}

static bool are_headers(const struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++) {
		if (!is_header(&pairs->at[i]))
			return false;
	}
	return true;
}

const char *push_options_header(struct push_options *options, const char *text)
{
	int err = pairs_add(&options->headers, text);

	if (err == -E2BIG)
		return "there are too many headers";
	return err || !are_headers(&options->headers) ? "expected NAME=VALUE" : NULL;
}

/* 0, or as of pairs_parse(). */
static int parse_variable(struct pairs *pairs, const char *name)
{
	const char *text = getenv(name);

	return text ? pairs_parse(pairs, text) : 0;
}

static int add_all(struct pairs *to, const struct pairs *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->count; i++)
		err = pairs_set(to, from->at[i].name, from->at[i].value);
	return err;
}

const char *push_options_environment(struct push_options *options)
{
	struct pairs given = options->headers;
	int err;

	options->headers = (struct pairs){};
	err = parse_variable(&options->headers, "OTEL_EXPORTER_OTLP_HEADERS");
	if (!err)
		err = add_all(&options->headers, &given);
	pairs_free(&given);
	if (err || !are_headers(&options->headers))
		return "OTEL_EXPORTER_OTLP_HEADERS must have the form NAME=VALUE,NAME=VALUE";
	if (parse_variable(&options->resource, "OTEL_RESOURCE_ATTRIBUTES"))
		return "OTEL_RESOURCE_ATTRIBUTES must have the form NAME=VALUE,NAME=VALUE";
	return NULL;
}

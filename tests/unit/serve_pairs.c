// SPDX-License-Identifier: BSD-2-Clause
/* Headers and attributes, as options and OpenTelemetry's variables say them. */
#include "serve/http/pairs.h"

#include <errno.h>
#include <stdio.h>

#include "check.h"
#include "cli/options/push_options.h"

static const struct {
	const char *text;
	int result;
	const char *pairs;
} lists[] = {
	{ "", 0, "" },
	{ "a=b", 0, "a:b;" },
	{ "a=b,c=d", 0, "a:b;c:d;" },
	{ " a = b , c=d ,", 0, "a:b;c:d;" },
	{ "a=b=c", 0, "a:b=c;" },
	{ "a=", 0, "a:;" },
	{ "a=b,a=c", 0, "a:c;" },
	{ "authorization=Basic%20eDp5,x=%2C%3d", 0, "authorization:Basic eDp5;x:,=;" },
	{ "a", -EINVAL, "" },
	{ "=b", -EINVAL, "" },
	{ "a=b,c", -EINVAL, "a:b;" },
	{ "a=%", -EINVAL, "" },
	{ "a=%4", -EINVAL, "" },
	{ "a=%zz", -EINVAL, "" },
	{ "a=%00", -EINVAL, "" },
};

Test(serve_pairs, lists_are_read_as_the_specification_says)
{
	for (size_t i = 0; i < COUNT(lists); i++) {
		struct pairs pairs = {};
		char text[200] = "";

		cr_expect(eq(int, pairs_parse(&pairs, lists[i].text), lists[i].result), "%s", lists[i].text);
		for (size_t p = 0, n = 0; p < pairs.count; p++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s:%s;", pairs.at[p].name,
					      pairs.at[p].value);
		cr_expect(eq(str, text, (char *)lists[i].pairs), "%s", lists[i].text);
		pairs_free(&pairs);
	}
}

Test(serve_pairs, there_are_not_too_many)
{
	struct pairs pairs = {};
	char name[16];

	for (int i = 0; i < PAIRS_MOST; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		cr_assert(eq(int, pairs_set(&pairs, name, "x"), 0));
	}
	cr_expect(eq(int, pairs_set(&pairs, "one more", "x"), -E2BIG));
	cr_expect(eq(int, pairs_set(&pairs, "n7", "y"), 0));
	cr_expect(eq(str, pairs.at[7].value, (char *)"y"));
	pairs_free(&pairs);
}

static const struct {
	const char *text, *url; /* NULL: it is refused */
} urls[] = {
	{ "http://c:4318", "http://c:4318/v1/metrics" },
	{ "http://c:4318/", "http://c:4318/v1/metrics" },
	{ "https://c", "https://c/v1/metrics" },
	{ "http://[::1]:4318", "http://[::1]:4318/v1/metrics" },
	{ "http://c/opentelemetry/v1/metrics", "http://c/opentelemetry/v1/metrics" },
	{ "http://c/x/?tenant=a@b", "http://c/x/?tenant=a@b" },
	{ "c:4318", NULL },
	{ "ftp://c", NULL },
	{ "file:///etc/passwd", NULL },
	{ "http://", NULL },
	{ "http:///v1/metrics", NULL },
	{ "http://me:secret@c", NULL },
	{ "http://c/a b", NULL },
	{ "http://c/\r\nX: y", NULL },
};

Test(serve_pairs, urls_without_a_path_get_the_usual_one)
{
	for (size_t i = 0; i < COUNT(urls); i++) {
		struct push_options options = {};
		const char *problem = push_options_url(&options, urls[i].text);

		cr_expect(eq(int, !problem, urls[i].url != NULL), "%s", urls[i].text);
		if (urls[i].url)
			cr_expect(eq(str, options.url, (char *)urls[i].url));
	}
}

static const struct {
	const char *text;
	int is_good;
} headers[] = {
	{ "X-Scope-OrgID=shop", 1 },
	{ "Authorization=Bearer a=b", 1 },
	{ "X-Empty=", 1 },
	{ "X-Half", 0 },
	{ "=x", 0 },
	{ "a b=c", 0 },
	{ "a:=c", 0 },
	{ "a=b\r\nHost: x", 0 },
};

Test(serve_pairs, a_header_is_one_line)
{
	for (size_t i = 0; i < COUNT(headers); i++) {
		struct push_options options = {};

		cr_expect(eq(int, !push_options_header(&options, headers[i].text), headers[i].is_good), "%s",
			  headers[i].text);
		pairs_free(&options.headers);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as what a receiver of OTLP answers, any text as lists of names with values, and as the header Host of a
 * request. The first byte says which.
 */
#include <regex.h>

#include "fuzz.h"
#include "serve/http/host.h"
#include "serve/metrics/otlp.h"
#include "serve/http/pairs.h"

static void check_answer(const uint8_t *data, size_t size)
{
	struct otlp_refusal refusal;
	uint8_t *copy = malloc(size + !size);

	memcpy(copy, data, size);
	otlp_read_answer(copy, size, &refusal);
	must(memchr(refusal.why, '\0', sizeof(refusal.why)), "a reason ends");
	free(copy);
}

static void check_pairs(const char *text)
{
	struct pairs pairs = {};

	pairs_add(&pairs, text);
	pairs_parse(&pairs, text);
	must(pairs.count <= PAIRS_MOST, "there are no more pairs than there is room for");
	for (size_t i = 0; i < pairs.count; i++) {
		must(pairs.at[i].name && *pairs.at[i].name && pairs.at[i].value, "a pair has a name and a value");
		for (size_t k = 0; k < i; k++)
			must(strcmp(pairs.at[i].name, pairs.at[k].name), "no two pairs have one name");
	}
	pairs_free(&pairs);
}

static void check_host(const char *text)
{
	static regex_t local;
	static bool is_ready;

	if (!is_ready)
		must(!regcomp(&local, "^(localhost|127\\.0\\.0\\.1|\\[::1\\]|us\\.example)(:[0-9]{1,5})?$",
			      REG_EXTENDED | REG_ICASE | REG_NOSUB),
		     "the expression is one");
	is_ready = true;
	must(host_is_local(text, "us.example") == !regexec(&local, text, 0, NULL, 0), "a host is ours, or it is not");
}

static void fuzz(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return;
	if (data[0] % 3 == 0)
		check_answer(data + 1, size - 1);
	text = fuzz_text(data + 1, size - 1);
	if (data[0] % 3 == 1)
		check_pairs(text);
	if (data[0] % 3 == 2)
		check_host(text);
	free(text);
}

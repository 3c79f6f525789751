// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "base/text.h"
#include "check.h"

static const char *const names[] = {
	"help", "list", "doctor", "sched-latency", "trace", "count", "message-send", "message-receive",
};

static const struct {
	const char *word;
	const char *nearest;
} rows[] = {
	{ "help", "help" },
	{ "hepl", "help" },
	{ "hel", "help" },
	{ "helpxy", "help" },
	{ "lst", "list" },
	{ "docter", "doctor" },
	{ "sched_latency", "sched-latency" },
	{ "shed-latency", "sched-latency" },
	{ "schedlatency", "sched-latency" },
	{ "traces", "trace" },
	{ "cuont", "count" },
	{ "mesage-send", "message-send" },
	{ "message-sent", "message-send" },
	{ "message-recieve", "message-receive" },
	{ "xyz", NULL },
	{ "", NULL },
	{ "q", NULL },
	{ "completely-other", NULL },
};

Test(text_nearest, finds_the_name_that_was_meant_or_none)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		expect_text(text_nearest(rows[i].word, names, COUNT(names)), rows[i].nearest, "\"%s\"", rows[i].word);
}

Test(text_nearest, finds_nothing_among_no_names)
{
	expect_text(text_nearest("help", names, 0), NULL);
}

Test(text_nearest, a_word_too_long_to_compare_is_near_to_nothing)
{
	char word[200];

	for (size_t length = 33; length < sizeof(word); length += 31) {
		memset(word, 'z', length);
		word[length] = '\0';
		expect_text(text_nearest(word, names, COUNT(names)), NULL, "%zu letters", length);
	}
}

// SPDX-License-Identifier: BSD-2-Clause
#include "sink_check.h"

#include <stdlib.h>
#include <string.h>

#include "erl.h"

static const struct column columns[COLUMNS] = {
	[TEXT] = { .name = "text", .type = COLUMN_TEXT, .width = -8 },
	[NUMBER] = { .name = "number", .type = COLUMN_NUMBER, .width = 6 },
	[SIGNED] = { .name = "signed", .type = COLUMN_SIGNED, .width = 6 },
	[TIME] = { .name = "when", .type = COLUMN_TIME, .width = -15 },
	[DURATION] = { .name = "wait", .type = COLUMN_DURATION, .width = 8 },
	[PID] = { .name = "pid", .type = COLUMN_PID, .width = -10 },
};

const char *const hostile_texts[] = {
	"\x1b[31mred\x1b[0m",
	"\x1b]0;title\x07",
	"\xc2\x9b"
	"31m",
	"a\nb",
	"a\r\nb",
	"\"",
	"\\",
	"\\\"",
	"a\"b,c",
	"'",
	",",
	",,,",
	"\xff\xfe",
	"\xc0\x9b[2J",
	"\xed\xa0\x80",
	"cut \xe2\x82",
	"\xe2\x80\xae"
	"evil",
	"\xe2\x80\xa8",
	"=1+1",
	"+1",
	"-1",
	"@SUM(A1)",
	"=cmd|' /C calc'!A0",
	"\x7f",
	"\x01\x02\x03",
	"\t",
	"{}[]:",
	"</script>",
	"%s%n",
	"\xf0\x9f\x98\x80",
	"Gr\xc3\xbc\xc3\x9f",
	" leading",
	"trailing ",
	"",
};

const size_t hostile_count = COUNT(hostile_texts);

void captured_begin(struct captured *c, enum sink_format format)
{
	struct sink_setup setup = { .tool = "check", .column_count = COLUMNS };

	memset(c, 0, sizeof(*c));
	memcpy(c->columns, columns, sizeof(columns));
	setup.columns = c->columns;
	setup.to = open_memstream(&c->text, &c->size);
	cr_assert(ne(ptr, setup.to, NULL));
	sink_init(&c->sink, format, &setup);
}

const char *captured_text(struct captured *c)
{
	fflush(c->sink.setup.to);
	return c->text;
}

void captured_free(struct captured *c)
{
	fclose(c->sink.setup.to);
	free(c->text);
}

void make_values(struct value values[COLUMNS], const char *text)
{
	memset(values, 0, COLUMNS * sizeof(*values));
	values[TEXT].text = text;
	values[NUMBER].number = UINT64_MAX;
	values[SIGNED].signed_number = INT64_MIN;
	values[TIME].number = CHECK_TIME;
	values[DURATION].number = 1250000;
	values[PID].number = erl_id_make(ERL_ID_LOCAL, 91, 0);
}

void send_event(struct captured *c, const struct value values[COLUMNS], const char *node)
{
	struct sink_event event = {
		.probe = "message-send",
		.time_ns = CHECK_TIME,
		.os_id = 4711,
		.node = node,
		.values = values,
	};

	c->sink.ops->event(&c->sink, &event);
}

struct sink_hist hist_of(const uint64_t *samples, size_t count, uint64_t slots[HIST_SLOTS])
{
	struct sink_hist hist = {
		.title = "waits",
		.unit = "ns",
		.count = count,
		.min = UINT64_MAX,
		.slots = slots,
	};

	memset(slots, 0, HIST_SLOTS * sizeof(*slots));
	for (size_t i = 0; i < count; i++) {
		slots[hist_slot(samples[i])]++;
		hist.sum += samples[i];
		hist.min = samples[i] < hist.min ? samples[i] : hist.min;
		hist.max = samples[i] > hist.max ? samples[i] : hist.max;
	}
	return hist;
}

static const struct sink_probe probes[] = { { "message-send", 100, 7 }, { "process-exit", 3, 0 } };

static const struct sink_missing missing[] = {
	{ "process-spawn", false, "mfa: it is \x1b[1mnot\x1b[0m to be had" },
	{ "gc_major-start", true, "no \"translator\"" },
};

static const struct sink_target targets[] = {
	{ .os_pid = 4711,
	  .node = "rabbit@host",
	  .otp = 25,
	  .source = "usdt",
	  .missing = missing,
	  .missing_count = COUNT(missing) },
	{ .os_pid = 4712, .node = "\xff\n@host", .otp = 0, .source = "symbol" },
};

static const struct sink_note notes[] = {
	{ .name = "remote", .text = "messages went to other nodes", .count = 5 },
	{ .name = "exited", .text = "messages to processes that are gone" },
};

const struct sink_summary check_summary = {
	.events = 103,
	.lost = 7,
	.probes = probes,
	.probe_count = COUNT(probes),
	.targets = targets,
	.target_count = COUNT(targets),
	.notes = notes,
	.note_count = COUNT(notes),
	.duration_s = 1.5,
	.watched_s = 1.25,
	.cost_ns = 77,
};

const struct sink_window check_sample = {
	.is_part = true,
	.watched_s = 0.22,
	.of_s = 5.1,
	.windows = 7,
	.seen = 1683,
	.has_rate = true,
	.rate = 7650,
	.rate_low = 5100,
	.rate_high = 10300,
};

// SPDX-License-Identifier: BSD-2-Clause
/* Records as text: the default line, trace(), tracemem(), stacks, flow, speculations. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "d_consume.h"
#include "dtrace/records/consumer.h"

#define ALWAYS .condition = -1

static struct consume_check check;

TestSuite(d_consume_record);

Test(d_consume_record, default_action_prints_heading_once_and_the_probe)
{
	struct action action = { ACTION_DEFAULT, ALWAYS };

	consume_setup(&check);
	check.options.quiet = false;
	check.probe = (struct probe_names){ 12345, "erlang", "beam", "", "process-spawn" };
	consume_record(&check, &action);
	consume_record(&check, &action);
	consume_expect(&check, "CPU     ID                    FUNCTION:NAME\n"
			       "  0  12345                   :process-spawn \n"
			       "  0  12345                   :process-spawn \n"
			       "\n");
}

Test(d_consume_record, testing_leaves_out_cpu_and_id)
{
	struct action action = { ACTION_DEFAULT, ALWAYS };

	consume_setup(&check);
	check.options.quiet = false;
	check.options.testing = true;
	check.probe.name = "tick-1005ms";
	consume_record(&check, &action);
	consume_expect_all(&check, "                   FUNCTION:NAME\n"
				   "                    :tick-1005ms \n");
}

Test(d_consume_record, nothing_printed_means_no_heading)
{
	consume_setup(&check);
	check.options.quiet = false;
	consume_expect(&check, "\n");
}

static const struct {
	size_t size;
	bool is_signed;
	int64_t number;
	const char *plain, *quiet;
} numbers[] = {
	{ 8, true, -1, "                  -1", "-1" },
	{ 8, false, -1, " 18446744073709551615", "18446744073709551615" },
	{ 4, true, 42, "         42", "42" },
	{ 4, false, -1, " 4294967295", "4294967295" },
	{ 2, true, -2, "    -2", "-2" },
	{ 2, false, -2, " 65534", "65534" },
	{ 1, true, -2, "  -2", "-2" },
	{ 1, false, -2, " 254", "254" },
};

Test(d_consume_record, trace_of_integers_goes_by_size_and_sign)
{
	for (size_t i = 0; i < 2 * COUNT(numbers); i++) {
		bool quiet = i % 2;
		struct type type = { .kind = TYPE_INT,
				     .size = numbers[i / 2].size,
				     .is_signed = numbers[i / 2].is_signed };
		struct action action = { ACTION_TRACE, ALWAYS };
		char text[128];

		consume_setup(&check);
		check.options.quiet = quiet;
		check.options.testing = true;
		action.fields = consume_number(&check, &type, numbers[i / 2].number);
		consume_record(&check, &action);
		snprintf(text, sizeof(text), quiet ? "%s%s" : "                   FUNCTION:NAME\n%32s %s\n",
			 quiet ? "" : ":BEGIN", quiet ? numbers[i / 2].quiet : numbers[i / 2].plain);
		consume_expect_all(&check, text);
	}
}

Test(d_consume_record, trace_of_strings_fills_a_column_unless_quiet)
{
	struct action second = { ACTION_TRACE, ALWAYS }, first = { ACTION_TRACE, ALWAYS, .next = &second };

	consume_setup(&check);
	check.options.quiet = false;
	check.options.testing = true;
	first.fields = consume_text(&check, "hello");
	second.fields = consume_text(&check, "world");
	first.fields->next = NULL;
	consume_record(&check, &first);
	consume_expect_all(&check, "                   FUNCTION:NAME\n"
				   "                          :BEGIN   hello                              world        "
				   "                    \n");
	consume_setup(&check);
	first.fields = consume_text(&check, "hello");
	first.next = NULL;
	consume_record(&check, &first);
	consume_expect(&check, "hello\n");
}

Test(d_consume_record, tracemem_dumps_sixteen_bytes_a_line)
{
	struct action action = { ACTION_TRACEMEM, ALWAYS };

	consume_setup(&check);
	action.fields = consume_bytes(&check, NULL, FIELD_BYTES, "0123456789abcdef\x01\xff~", 19);
	consume_record(&check, &action);
	consume_expect_all(&check, "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
				   "         0: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n"
				   "        10: 01 ff 7e                                         ..~\n");
}

Test(d_consume_record, tracemem_shows_as_much_as_its_third_argument_says)
{
	struct action action = { ACTION_TRACEMEM, ALWAYS };

	consume_setup(&check);
	action.fields = consume_bytes(&check, NULL, FIELD_BYTES, "01234567", 8);
	consume_number(&check, &consume_int, 2);
	consume_record(&check, &action);
	consume_expect_all(&check, "\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
				   "         0: 30 31                                            01\n");
}

Test(d_consume_record, ustack_has_a_line_per_frame)
{
	const uint64_t stack[] = { 77ULL << 32 | 3, 0x1000, 0x2345, 0, 9 };
	struct action action = { ACTION_STACK, ALWAYS };

	consume_setup(&check);
	action.fields = consume_bytes(&check, NULL, FIELD_STACK, stack, sizeof(stack));
	consume_record(&check, &action);
	consume_expect_all(&check, "\n              libc.so.6`malloc+0x12\n              0x2345\n");
}

Test(d_consume_record, symbols_fill_fifty_columns)
{
	const uint64_t symbol[] = { 0x1000, 77 };
	struct action action = { ACTION_SYMBOL, ALWAYS };

	consume_setup(&check);
	action.fields = consume_bytes(&check, NULL, FIELD_SYMBOL, symbol, sizeof(symbol));
	action.fields->symbol = SYMBOL_UMOD;
	consume_record(&check, &action);
	consume_expect_all(&check, "  libc.so.6                                         ");
}

Test(d_consume_record, what_an_if_left_out_is_not_printed)
{
	struct action second = { ACTION_TRACE, .condition = 1 },
		      first = { ACTION_TRACE, .condition = 0, .next = &second };

	consume_setup(&check);
	first.fields = consume_number(&check, &consume_int, 1);
	second.fields = consume_number(&check, &consume_int, 2);
	first.fields->next = NULL;
	check.record.head.ran = 2;
	consume_record(&check, &first);
	consume_expect_all(&check, "2");
}

Test(d_consume_record, exit_is_told)
{
	struct action action = { ACTION_EXIT, ALWAYS };

	consume_setup(&check);
	action.fields = consume_number(&check, &consume_int, 3);
	consume_record(&check, &action);
	consume_expect_all(&check, "");
	cr_expect(eq(int, check.exit_status, 3));
}

static void flow(const char *function, const char *name, uint32_t clause)
{
	struct action action = { ACTION_DEFAULT, ALWAYS };

	check.probe.function = function;
	check.probe.name = name;
	check.probe.id = (unsigned int)(function[0] + name[0]);
	check.record.head.clause = clause;
	consume_record(&check, &action);
}

Test(d_consume_record, flow_indents_entries_and_returns)
{
	consume_setup(&check);
	check.options.flow_indent = true;
	check.options.quiet = false;
	flow("f", "entry", 1);
	flow("f", "entry", 2);
	flow("g", "entry", 1);
	flow("h", "tick", 1);
	flow("g", "return", 1);
	flow("f", "return", 1);
	consume_expect_all(&check, "CPU FUNCTION                                 \n"
				   "  0  -> f                                     \n"
				   "  0   | f:entry                               \n"
				   "  0    -> g                                   \n"
				   "  0     | h:tick                              \n"
				   "  0    <- g                                   \n"
				   "  0  <- f                                     \n");
}

/* One clause records under a speculation, the other ends it. */
static void speculate(uint32_t id, int64_t number, uint64_t time_ns)
{
	struct action action = { ACTION_TRACE, ALWAYS };

	check.record.head = (struct d_record){ .clause = 1, .speculation = id, .time_ns = time_ns };
	action.fields = consume_number(&check, &consume_int, number);
	check.unit_clause.actions = &action;
	consume_record(&check, &action);
}

static struct action traced = { ACTION_TRACE, ALWAYS };

static void end(enum action_kind kind, uint32_t id, uint64_t time_ns)
{
	static struct field number;
	struct action action = { kind, ALWAYS };

	number = (struct field){
		.kind = FIELD_INT, .offset = sizeof(struct d_record), .type = &consume_int, .size = 8
	};
	traced.fields = &number;
	check.unit_clause.actions = &traced;
	check.record.head = (struct d_record){ .clause = 2, .time_ns = time_ns };
	action.fields = consume_number(&check, &consume_int, id);
	consume_record(&check, &action);
}

Test(d_consume_record, speculations_are_printed_when_committed)
{
	consume_setup(&check);
	speculate(1, 10, 1);
	speculate(2, 20, 2);
	speculate(1, 11, 3);
	end(ACTION_DISCARD, 2, 4);
	cr_expect(eq(u32, check.done, 2));
	end(ACTION_COMMIT, 1, 5);
	cr_expect(eq(u32, check.done, 1));
	end(ACTION_COMMIT, 1, 6);
	consume_expect_all(&check, "1011");
}

Test(d_consume_record, a_record_that_comes_behind_its_commit_is_printed)
{
	consume_setup(&check);
	end(ACTION_COMMIT, 1, 5);
	speculate(1, 10, 4);
	consume_expect_all(&check, "10");
}

Test(d_consume_record, a_speculation_is_bounded)
{
	consume_setup(&check);
	check.options.speculation_size = sizeof(check.record);
	speculate(1, 10, 1);
	speculate(1, 11, 2);
	cr_expect(eq(u64, consumer_speculation_drops(check.consumer), 1));
	end(ACTION_COMMIT, 1, 5);
	consume_expect_all(&check, "10");
}

Test(d_consume_record, freopen_turns_the_output_and_back)
{
	struct format_part part = { .text = "/dev/null", .text_size = 9 }, none = { .text = "", .text_size = 0 };
	struct format format = { .parts = &part };
	struct action reopen = { ACTION_FREOPEN, ALWAYS, .format = &format }, trace = { ACTION_TRACE, ALWAYS };

	consume_setup(&check);
	trace.fields = consume_number(&check, &consume_int, 1);
	consume_record(&check, &trace);
	consume_record(&check, &reopen);
	trace.fields = consume_number(&check, &consume_int, 2);
	consume_record(&check, &trace);
	format.parts = &none;
	consume_record(&check, &reopen);
	trace.fields = consume_number(&check, &consume_int, 3);
	consume_record(&check, &trace);
	consume_expect_all(&check, "13");
}

Test(d_consume_record, setopt_and_records_that_are_too_short)
{
	struct action action = { ACTION_SETOPT, ALWAYS };

	consume_setup(&check);
	check.options.quiet = false;
	action.fields = consume_text(&check, "quiet");
	consume_record(&check, &action);
	cr_expect(check.options.quiet);
	cr_expect(lt(int, consumer_record(check.consumer, &check.record, 8), 0));
	unlink(check.path);
	consumer_free(check.consumer);
}

Test(d_consume_record, lengths_beyond_the_record_are_cut)
{
	struct action action = { ACTION_TRACE, ALWAYS };
	uint32_t place[2] = { sizeof(check.record) - 3, 0xffffffff };

	consume_setup(&check);
	action.fields = consume_text(&check, "x");
	memcpy(check.record.bytes + action.fields->offset, place, sizeof(place));
	memcpy(check.record.bytes + sizeof(check.record) - 3, "abc", 3);
	consume_record(&check, &action);
	place[0] = 0xfffffff0;
	action.fields = consume_text(&check, "x");
	memcpy(check.record.bytes + action.fields->offset, place, sizeof(place));
	consume_record(&check, &action);
	consume_expect_all(&check, "abc");
}

Test(d_consume_record, nobody_reading_is_told)
{
	struct action action = { ACTION_TRACE, ALWAYS };
	int err = 0;

	consume_setup(&check);
	unlink(check.path);
	check.options.output = "/dev/full";
	for (int i = 0; i < 100000 && !err; i++) {
		action.fields = consume_number(&check, &consume_int, i);
		err = consume_record(&check, &action);
	}
	cr_expect(lt(int, err, 0));
	consumer_free(check.consumer);
}

Test(d_consume_record, json_is_a_line_a_record)
{
	struct format_part part = {
		.text = "n=", .text_size = 2, .class = FORMAT_SIGNED, .conversion = 'd', .width = -1, .precision = -1
	};
	struct format format = { .parts = &part };
	struct action second = { ACTION_PRINTF, ALWAYS, .format = &format },
		      first = { ACTION_TRACE, ALWAYS, .next = &second };

	consume_setup(&check);
	check.options.json = true;
	consume_record(&check, NULL); /* which shows nothing: now there is a consumer */
	first.fields = consume_text(&check, "a\"b\xff");
	second.fields = consume_number(&check, &consume_int, 7);
	first.fields->next = NULL;
	check.record.head.time_ns = 5 - check.consumer->wall_offset;
	consume_record(&check, &first);
	consume_expect(
		&check,
		"{\"schema\":1,\"type\":\"event\",\"tool\":\"d\",\"probe\":{\"id\":1,\"provider\":\"dtrace\","
		"\"module\":\"\","
		"\"function\":\"\",\"name\":\"BEGIN\"},\"clause\":1,\"cpu\":0,\"time\":5,\"os_pid\":null,\"tid\":0,"
		"\"actions\":[{\"action\":\"trace\",\"value\":\"a\\\"b\xef\xbf\xbd\"},"
		"{\"action\":\"printf\",\"text\":\"n=7\",\"values\":[7]}]}\n");
}

// SPDX-License-Identifier: BSD-2-Clause
/* Aggregations: default layout, formats, order, several at once, distributions. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "d/compile.h"
#include "d/lang/agg.h"
#include "d/lang/function.h"
#include "d_consume.h"

#define HEADER "\n           value  ------------- Distribution ------------- count    \n"
#define BAR_40 "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
#define BAR_0 "                                        "
#define WORDS 256

static struct consume_check check;
static struct d_function function, other_function;
static struct symbol symbol, other_symbol;
static struct field key, second_key;
static struct unit_agg agg, other_agg;
static uint64_t words[CONSUME_ENTRIES][WORDS];
static char keys[CONSUME_ENTRIES][64];

TestSuite(d_consume_agg);

static void setup(const char *name, size_t word_count)
{
	consume_setup(&check);
	memset(words, 0, sizeof(words));
	memset(keys, 0, sizeof(keys));
	function = *function_find(&d_functions, name);
	symbol = (struct symbol){ .name = "a", .function = &function };
	agg = (struct unit_agg){ .symbol = &symbol, .key_size = 8, .words = word_count };
	check.unit.aggs = &agg;
}

static uint64_t *add(const void *bytes, size_t size)
{
	size_t i = check.entry_count++;

	memcpy(keys[i], bytes, size);
	check.entries[i] = (struct agg_entry){ keys[i], words[i] };
	words[i][0] = 1;
	return words[i];
}

static uint64_t *add_number(int64_t number)
{
	return add(&number, sizeof(number));
}

static void number_keys(struct type *type)
{
	key = (struct field){ .kind = FIELD_INT, .size = 8, .type = type };
	agg.keys = &key;
}

Test(d_consume_agg, one_without_a_key)
{
	setup("count", 1);
	add_number(0)[0] = 10;
	consume_expect(&check, "\n               10\n");
}

Test(d_consume_agg, keys_are_columns_and_rows_are_sorted_by_value_then_key)
{
	setup("sum", 2);
	key = (struct field){ .kind = FIELD_STRING, .size = 16, .type = &consume_string, .next = &second_key };
	second_key = (struct field){ .kind = FIELD_INT, .offset = 16, .size = 8, .type = &consume_int };
	agg.keys = &key;
	agg.key_size = 24;
	add("b", 2)[1] = 7;
	add("a", 2)[1] = 7;
	add("zebra", 6)[1] = (uint64_t)-3;
	add("a", 2)[1] = 7;
	keys[3][16] = 1;
	consume_expect(&check, "\n"
			       "  zebra                                                     0               -3\n"
			       "  a                                                         0                7\n"
			       "  a                                                         1                7\n"
			       "  b                                                         0                7\n");
}

Test(d_consume_agg, integer_keys_are_sorted_as_unsigned_and_narrow_ones_printed_so)
{
	setup("sum", 2);
	number_keys(&consume_char);
	check.options.agg_sort_key = true;
	for (int64_t i = -2; i <= 2; i++)
		add_number(i)[1] = (uint64_t)i;
	consume_expect(&check, "\n   0                0\n   1                1\n   2                2\n"
			       " 254               -2\n 255               -1\n");
}

Test(d_consume_agg, min_max_avg_stddev)
{
	static const struct {
		const char *name;
		uint64_t first, second, third;
		const char *text;
	} rows[] = {
		{ "min", ~(AGG_BIAS - 5), 0, 0, "\n               -5\n" },
		{ "max", AGG_BIAS + 9, 0, 0, "\n                9\n" },
		{ "max", 0, 0, 0, "\n -9223372036854775808\n" },
		{ "avg", (uint64_t)-12, 0, 0, "\n               -3\n" },
		/* 2 4 7 9: 150/4 - (22/4)^2 in integers is 12 */
		{ "stddev", 22, 150, 0, "\n                3\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t *w;

		setup(rows[i].name, 4);
		w = add_number(0);
		w[0] = 4;
		w[1] = rows[i].first;
		w[2] = rows[i].second;
		w[3] = rows[i].third;
		consume_expect(&check, rows[i].text);
	}
}

Test(d_consume_agg, quantize_has_an_empty_bucket_on_either_side)
{
	setup("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	add_number(0)[1 + AGG_QUANTIZE_ZERO + 3] = 5;
	consume_expect(&check, "\n" HEADER "               2 |" BAR_0 " 0        \n"
			       "               4 |" BAR_40 " 5        \n"
			       "               8 |" BAR_0 " 0        \n\n");
}

Test(d_consume_agg, quantize_of_nothing_shows_the_buckets_around_zero)
{
	setup("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	add_number(0);
	consume_expect(&check, "\n" HEADER "              -1 |" BAR_0 " 0        \n"
			       "               0 |" BAR_0 " 0        \n"
			       "               1 |" BAR_0 " 0        \n\n");
}

Test(d_consume_agg, zooming_in_makes_the_longest_bar_nearly_full)
{
	uint64_t *w;

	setup("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	check.options.agg_zoom = true;
	w = add_number(0);
	w[1 + AGG_QUANTIZE_ZERO] = 1;
	w[2 + AGG_QUANTIZE_ZERO] = 2;
	consume_expect(&check, "\n" HEADER "              -1 |" BAR_0 " 0        \n"
			       "               0 |@@@@@@@@@@@@@@@@@@@                      1        \n"
			       "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   2        \n"
			       "               2 |" BAR_0 " 0        \n\n");
}

Test(d_consume_agg, negative_counts_grow_to_the_left)
{
	uint64_t *w;

	setup("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	w = add_number(0);
	w[1 + AGG_QUANTIZE_ZERO] = 3;
	w[2 + AGG_QUANTIZE_ZERO] = (uint64_t)-1;
	consume_expect(&check, "\n" HEADER "              -1                     |                     0        \n"
			       "               0                     |@@@@@@@@@@@@@@@      3        \n"
			       "               1                @@@@@|                     -1       \n"
			       "               2                     |                     0        \n\n");
}

Test(d_consume_agg, lquantize_names_its_ends)
{
	uint64_t *w;

	setup("lquantize", 1 + 12);
	agg.params[0] = 0;
	agg.params[1] = 100;
	agg.params[2] = 10;
	w = add_number(0);
	w[1] = 1;
	w[11] = 2;
	w[12] = 1;
	consume_expect(&check, "\n" HEADER "             < 0 |@@@@@@@@@@                               1        \n"
			       "               0 |" BAR_0 " 0        \n"
			       "              10 |" BAR_0 " 0        \n"
			       "              20 |" BAR_0 " 0        \n"
			       "              30 |" BAR_0 " 0        \n"
			       "              40 |" BAR_0 " 0        \n"
			       "              50 |" BAR_0 " 0        \n"
			       "              60 |" BAR_0 " 0        \n"
			       "              70 |" BAR_0 " 0        \n"
			       "              80 |" BAR_0 " 0        \n"
			       "              90 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
			       "          >= 100 |@@@@@@@@@@                               1        \n\n");
}

/* factor 10, 0 to 1 in 20 steps: places 1 3 5... are 1 to 10, then 15 20 25... */
#define LL_HALF (2 * (20 - 20 / 10))
#define LL_ZERO (1 + LL_HALF + 1)

static uint64_t *setup_llquantize(void)
{
	setup("llquantize", 1 + 2 * LL_HALF + 3);
	agg.params[0] = 10;
	agg.params[1] = 0;
	agg.params[2] = 1;
	agg.params[3] = 20;
	return add_number(0);
}

Test(d_consume_agg, llquantize_of_small_values_skips_the_places_between)
{
	uint64_t *w = setup_llquantize();

	w[LL_ZERO] = 1;
	w[LL_ZERO + 1] = 1;
	w[LL_ZERO + 17] = 1; /* 9 */
	w[LL_ZERO + 19] = 1; /* 10 */
	consume_expect(&check, "\n" HEADER "              -1 |" BAR_0 " 0        \n"
			       "               0 |@@@@@@@@@@                               1        \n"
			       "               1 |@@@@@@@@@@                               1        \n"
			       "               2 |" BAR_0 " 0        \n"
			       "               3 |" BAR_0 " 0        \n"
			       "               4 |" BAR_0 " 0        \n"
			       "               5 |" BAR_0 " 0        \n"
			       "               6 |" BAR_0 " 0        \n"
			       "               7 |" BAR_0 " 0        \n"
			       "               8 |" BAR_0 " 0        \n"
			       "               9 |@@@@@@@@@@                               1        \n"
			       "              10 |@@@@@@@@@@                               1        \n"
			       "              15 |" BAR_0 " 0        \n\n");
}

Test(d_consume_agg, llquantize_shows_what_is_beyond)
{
	uint64_t *w = setup_llquantize();

	w[LL_ZERO + LL_HALF + 1] = 2;
	consume_expect(&check, "\n" HEADER "              95 |" BAR_0 " 0        \n"
			       "          >= 100 |" BAR_40 " 2        \n\n");
}

Test(d_consume_agg, normalize_divides_what_is_printed)
{
	struct action action = { ACTION_NORMALIZE, .condition = -1, .aggs = &(struct symbol *){ &symbol },
				 .agg_count = 1 };
	struct action undo = { ACTION_DENORMALIZE, .condition = -1, .aggs = action.aggs, .agg_count = 1 };
	struct action print = { ACTION_PRINTA, .condition = -1, .aggs = action.aggs, .agg_count = 1 };

	setup("sum", 2);
	add_number(0)[1] = 1000;
	action.fields = consume_number(&check, &consume_int, 10);
	consume_record(&check, &action);
	consume_record(&check, &print);
	consume_record(&check, &undo);
	consume_record(&check, &print);
	consume_expect(&check, "\n              100\n\n             1000\n\n");
}

static void trunc_to(int64_t most, const char *text)
{
	struct action action = { ACTION_TRUNC, .condition = -1, .aggs = &(struct symbol *){ &symbol }, .agg_count = 1 };

	setup("sum", 2);
	number_keys(&consume_int);
	for (int64_t i = 1; i <= 4; i++)
		add_number(i)[1] = (uint64_t)(10 * i);
	if (most)
		action.fields = consume_number(&check, &consume_int, most);
	consume_record(&check, &action);
	consume_expect(&check, text);
}

Test(d_consume_agg, trunc_keeps_the_highest_or_the_lowest)
{
	trunc_to(2, "\n        3               30\n        4               40\n");
	trunc_to(-1, "\n        1               10\n");
	trunc_to(0, "\n");
}

Test(d_consume_agg, clear_leaves_the_keys)
{
	struct action action = { ACTION_CLEAR, .condition = -1, .aggs = &(struct symbol *){ &symbol }, .agg_count = 1 };

	setup("sum", 2);
	number_keys(&consume_int);
	add_number(4)[1] = 3;
	add_number(5)[1] = 2;
	consume_record(&check, &action);
	consume_expect(&check, "\n        4                0\n        5                0\n");
}

Test(d_consume_agg, printa_takes_keys_and_values_by_format)
{
	struct format_part end = { .text = "\n", .text_size = 1 },
			   value = { .text = ": ",
				     .text_size = 2,
				     .class = FORMAT_SIGNED,
				     .conversion = 'd',
				     .is_agg = true,
				     .width = 4,
				     .precision = -1,
				     .next = &end },
			   name = { .class = FORMAT_SIGNED,
				    .conversion = 'd',
				    .width = -1,
				    .precision = -1,
				    .next = &value };
	struct format format = { .parts = &name };
	struct action action = { ACTION_PRINTA, .condition = -1, .format = &format,
				 .aggs = &(struct symbol *){ &symbol }, .agg_count = 1 };

	setup("sum", 2);
	number_keys(&consume_int);
	add_number(2)[1] = 9;
	add_number(-1)[1] = (uint64_t)-8;
	consume_record(&check, &action);
	consume_expect(&check, "-1:   -8\n2:    9\n\n");
}

Test(d_consume_agg, several_are_joined_by_key)
{
	struct symbol *both[] = { &symbol, &other_symbol };
	struct action action = { ACTION_PRINTA, .condition = -1, .aggs = both, .agg_count = 2 };

	setup("count", 2);
	number_keys(&consume_int);
	other_function = *function_find(&d_functions, "max");
	other_symbol = (struct symbol){ .name = "b", .function = &other_function };
	other_agg = agg;
	other_agg.symbol = &other_symbol;
	agg.next = &other_agg;
	for (int64_t i = 1; i <= 3; i++) {
		uint64_t *w = add_number(i);

		w[0] = (uint64_t)(10 - i);
		w[1] = AGG_BIAS + (uint64_t)i;
	}
	/* b has only the key 2. */
	consume_record(&check, &action);
	check.options.agg_sort_pos = 1;
	consume_record(&check, &action);
	check.options.agg_sort_rev = true;
	consume_record(&check, &action);
	consume_expect(&check, "\n        3                7                0\n"
			       "        2                8                2\n"
			       "        1                9                0\n"
			       "\n        3                7                0\n"
			       "        1                9                0\n"
			       "        2                8                2\n"
			       "\n        2                8                2\n"
			       "        1                9                0\n"
			       "        3                7                0\n\n");
}

#define KEY_HEADER "\n      key  ------------- Distribution ------------- count    \n"

static void setup_histogram(const char *name, int64_t first, int64_t second)
{
	setup(name, 4);
	check.options.agg_hist = true;
	number_keys(&consume_int);
	add_number(1)[1] = (uint64_t)first;
	add_number(2)[1] = (uint64_t)second;
}

Test(d_consume_agg, a_histogram_has_a_bar_for_each_key)
{
	setup_histogram("sum", 1, 3);
	consume_expect(&check, "\n" KEY_HEADER "        1 |@@@@@@@@@@                               1        \n"
			       "        2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n");
}

Test(d_consume_agg, bars_of_a_histogram_grow_to_either_side)
{
	setup_histogram("sum", -1, 3);
	consume_expect(&check, "\n" KEY_HEADER "        1                @@@@@|                     -1       \n"
			       "        2                     |@@@@@@@@@@@@@@@      3        \n");
	setup_histogram("sum", -3, -1);
	consume_expect(&check, "\n" KEY_HEADER "        1           @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| -3       \n"
			       "        2                               @@@@@@@@@@| -1       \n");
	setup_histogram("sum", 0, 0);
	consume_expect(&check, "\n" KEY_HEADER "        1 |" BAR_0 " 0        \n"
			       "        2 |" BAR_0 " 0        \n");
}

/* 20 / 0.95 is cut to 21. */
Test(d_consume_agg, zooming_into_a_histogram)
{
	setup_histogram("sum", 10, 20);
	check.options.agg_zoom = true;
	consume_expect(&check, "\n" KEY_HEADER "        1 |@@@@@@@@@@@@@@@@@@@                      10       \n"
			       "        2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   20       \n");
	setup_histogram("sum", 1, 2);
	check.options.agg_zoom = true;
	consume_expect(&check, "\n" KEY_HEADER "        1 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
			       "        2 |" BAR_40 " 2        \n");
}

Test(d_consume_agg, a_histogram_of_averages_shows_averages)
{
	setup_histogram("avg", 12, 6);
	words[0][0] = 3;
	words[1][0] = 2;
	consume_expect(&check, "\n" KEY_HEADER "        2 |@@@@@@@@@@@@@@@@@                        3        \n"
			       "        1 |@@@@@@@@@@@@@@@@@@@@@@@                  4        \n");
}

Test(d_consume_agg, no_histogram_of_extremes)
{
	setup_histogram("max", 0, 0);
	words[0][1] = AGG_BIAS + 5;
	words[1][1] = AGG_BIAS + 6;
	consume_expect(&check, "\n        1                5\n        2                6\n");
}

Test(d_consume_agg, a_histogram_without_keys_has_one_bar)
{
	setup("count", 1);
	check.options.agg_hist = true;
	add_number(0)[0] = 7;
	consume_expect(&check, "\n" HEADER " |" BAR_40 " 7        \n");
}

Test(d_consume_agg, a_histogram_of_nothing_has_no_header)
{
	setup("count", 1);
	check.options.agg_hist = true;
	consume_expect(&check, "\n");
}

Test(d_consume_agg, text_keys_of_a_histogram_stand_to_the_right)
{
	setup("count", 1);
	check.options.agg_hist = true;
	key = (struct field){ .kind = FIELD_STRING, .size = 32, .type = &consume_string, .next = &second_key };
	second_key = (struct field){ .kind = FIELD_INT, .offset = 32, .size = 8, .type = &consume_char };
	agg.keys = &key;
	agg.key_size = 40;
	add("short", 6);
	add("longer than a column", 21)[0] = 3;
	consume_expect(&check, "\n\n                  key  ------------- Distribution ------------- count    \n"
			       "            short   0 |@@@@@@@@@@                               1        \n"
			       " longer than a column   0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n");
}

Test(d_consume_agg, normalize_leaves_the_bars_of_a_histogram)
{
	struct action action = { ACTION_NORMALIZE, .condition = -1, .aggs = &(struct symbol *){ &symbol },
				 .agg_count = 1 };

	setup_histogram("sum", -10, 30);
	action.fields = consume_number(&check, &consume_int, 10);
	consume_record(&check, &action);
	consume_expect(&check, "\n" KEY_HEADER "        1                @@@@@|                     -1       \n"
			       "        2                     |@@@@@@@@@@@@@@@      3        \n");
}

#define BLOCKS_4 "\u2588\u2588\u2588\u2588"
#define BLOCKS_12 BLOCKS_4 BLOCKS_4 BLOCKS_4

Test(d_consume_agg, block_characters_draw_eighths)
{
	setup_histogram("sum", 1, 2);
	check.options.has_utf8_bars = true;
	consume_expect(&check,
		       "\n" KEY_HEADER "        1 |" BLOCKS_12 "\u2588\u258e                           1        \n"
		       "        2 |" BLOCKS_12 BLOCKS_12 "\u2588\u2588\u258b              2        \n");
	setup_histogram("sum", -1, 3);
	check.options.has_utf8_bars = true;
	consume_expect(&check, "\n" KEY_HEADER "        1                @@@@@|                     -1       \n"
			       "        2                     |@@@@@@@@@@@@@@@      3        \n");
}

static void setup_packed(const char *name, size_t word_count)
{
	setup(name, word_count);
	check.options.agg_pack = true;
	number_keys(&consume_int);
}

static void setup_packed_quantize(int64_t ones, int64_t twos)
{
	uint64_t *w;

	setup_packed("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	add_number(1)[1 + AGG_QUANTIZE_ZERO + 3] = 5;
	w = add_number(2);
	w[1 + AGG_QUANTIZE_ZERO + 1] = (uint64_t)ones;
	w[1 + AGG_QUANTIZE_ZERO + 2] = (uint64_t)twos;
}

Test(d_consume_agg, packed_distributions_share_their_buckets)
{
	setup_packed_quantize(1, 3);
	consume_expect(&check, "\n\n      key  min .-----. max  | count\n"
			       "        2    0 : xx  : 8    | 4\n"
			       "        1    0 :   X : 8    | 5\n");
}

Test(d_consume_agg, packed_distributions_of_block_characters)
{
	setup_packed_quantize(1, 3);
	check.options.has_utf8_packed = true;
	consume_expect(&check, "\n\n      key  min .-----. max  | count\n"
			       "        2    0 : \u2583\u2586  : 8    | 4\n"
			       "        1    0 :   \u2588 : 8    | 5\n");
}

Test(d_consume_agg, packed_counts_below_zero)
{
	setup_packed_quantize(-1, 3);
	consume_expect(&check, "\n\n      key  min .-----. max  | count\n"
			       "        2    0 : vx  : 8    | 2\n"
			       "        1    0 :   X : 8    | 5\n");
}

Test(d_consume_agg, packed_without_keys_and_from_zero_on)
{
	setup_packed("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	agg.keys = NULL;
	add_number(0)[1 + AGG_QUANTIZE_ZERO] = 3;
	consume_expect(&check, "\n\n  min .--. max  | count\n"
			       "    0 :X : 1    | 3\n");
}

Test(d_consume_agg, packed_of_nothing_shows_zero)
{
	setup_packed("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	add_number(4);
	consume_expect(&check, "\n\n      key  min .--. max  | count\n"
			       "        4    0 :  : 1    | 0\n");
}

Test(d_consume_agg, packed_labels_are_as_wide_as_they_are)
{
	uint64_t *w;

	setup_packed("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	w = add_number(4);
	w[1] = 1;
	w[AGG_QUANTIZE_BUCKETS] = 1;
	consume_expect(&check, "\n\n      key                  min .-"
			       "------------------------------------------------------------------------------"
			       "------------------------------------------------. max                 | count\n"
			       "        4 -4611686018427387904 :x"
			       "                                                                             "
			       "                                                x: 4611686018427387904 | 2\n");
}

Test(d_consume_agg, packed_lquantize_shows_all_buckets)
{
	uint64_t *w;

	setup_packed("lquantize", 1 + 12);
	agg.params[1] = 100;
	agg.params[2] = 10;
	w = add_number(7);
	w[1] = 1;
	w[11] = 2;
	w[12] = 1;
	consume_expect(&check, "\n\n      key     min .------------. max      | count\n"
			       "        7     < 0 :x         xx: >= 100   | 4\n");
}

Test(d_consume_agg, zooming_into_what_is_packed)
{
	uint64_t *w;

	setup_packed("lquantize", 1 + 12);
	check.options.agg_zoom = true;
	agg.params[1] = 100;
	agg.params[2] = 10;
	w = add_number(7);
	w[1] = 1;
	w[11] = 2;
	consume_expect(&check, "\n\n      key     min .------------. max      | count\n"
			       "        7     < 0 :x         X : >= 100   | 3\n");
}

Test(d_consume_agg, llquantize_is_not_packed)
{
	uint64_t *w = setup_llquantize();

	check.options.agg_pack = true;
	w[LL_ZERO + LL_HALF + 1] = 2;
	consume_expect(&check, "\n" HEADER "              95 |" BAR_0 " 0        \n"
			       "          >= 100 |" BAR_40 " 2        \n\n");
}

Test(d_consume_agg, json_has_keys_and_buckets)
{
	setup("quantize", 1 + AGG_QUANTIZE_BUCKETS);
	number_keys(&consume_int);
	check.options.json = true;
	add_number(7)[1 + AGG_QUANTIZE_ZERO + 3] = 5;
	consume_expect(
		&check,
		"{\"schema\":1,\"type\":\"aggregation\",\"tool\":\"d\",\"name\":\"@a\",\"function\":\"quantize\","
		"\"normal\":1,\"entries\":[{\"key\":[7],\"buckets\":[{\"lo\":4,\"hi\":7,\"count\":5}]}]}\n");
}

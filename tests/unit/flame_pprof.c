// SPDX-License-Identifier: BSD-2-Clause
/* What pprof is told of a run that took samples, and that nothing overflows in it. */
#include <zlib.h>

#include "check.h"
#include "flame_check.h"

#include "pprof.pb-c.h"

/* The message, which the caller frees. */
static Pprof__Profile *unpacked(const struct profile *profile)
{
	static uint8_t message[1 << 16];
	size_t size;
	char *packed = written(profile, profile_write_pprof, &size);
	z_stream stream = { .next_in = (uint8_t *)packed,
			    .avail_in = (unsigned int)size,
			    .next_out = message,
			    .avail_out = sizeof(message) };
	Pprof__Profile *unpacked;

	cr_assert(eq(int, inflateInit2(&stream, 15 + 16), Z_OK));
	cr_assert(eq(int, inflate(&stream, Z_FINISH), Z_STREAM_END));
	inflateEnd(&stream);
	free(packed);
	unpacked = pprof__profile__unpack(NULL, sizeof(message) - stream.avail_out, message);
	cr_assert(ne(ptr, unpacked, NULL));
	return unpacked;
}

static struct profile *sampled(const char *unit, uint64_t value)
{
	struct profile *profile = profile_new("test", unit);
	uint32_t frame = profile_frame(profile, FRAME_ERLANG, "m:f/0", "m.erl", 3);

	profile_add(profile, &frame, 1, value);
	profile_times(profile, 1700000000000000000, 2000000000, 10000000);
	return profile;
}

static void expect_type(const Pprof__Profile *message, size_t number, const char *type, const char *unit)
{
	cr_assert(gt(sz, message->n_sample_type, number));
	expect_text(message->string_table[message->sample_type[number]->type], type);
	expect_text(message->string_table[message->sample_type[number]->unit], unit);
}

Test(flame_pprof, samples_are_also_time)
{
	struct profile *profile = sampled("samples", 7);
	Pprof__Profile *message = unpacked(profile);

	expect_type(message, 0, "samples", "count");
	expect_type(message, 1, "cpu", "nanoseconds");
	cr_expect(eq(i64, message->sample[0]->value[0], 7));
	cr_expect(eq(i64, message->sample[0]->value[1], 70000000));
	cr_expect(eq(i64, message->period, 10000000));
	cr_expect(eq(i64, message->time_nanos, 1700000000000000000));
	cr_expect(eq(i64, message->duration_nanos, 2000000000));
	pprof__profile__free_unpacked(message, NULL);
	profile_free(profile);
}

Test(flame_pprof, words_are_space_and_no_time)
{
	struct profile *profile = sampled("words", 7);
	Pprof__Profile *message = unpacked(profile);

	expect_type(message, 0, "space", "words");
	cr_expect(eq(sz, message->n_sample_type, 1));
	cr_expect(eq(sz, message->sample[0]->n_value, 1));
	pprof__profile__free_unpacked(message, NULL);
	profile_free(profile);
}

Test(flame_pprof, what_is_too_large_is_the_largest)
{
	struct profile *profile = sampled("samples", UINT64_MAX);
	Pprof__Profile *message = unpacked(profile);

	cr_expect(eq(i64, message->sample[0]->value[0], INT64_MAX));
	cr_expect(eq(i64, message->sample[0]->value[1], INT64_MAX));
	pprof__profile__free_unpacked(message, NULL);
	profile_free(profile);
}

Test(flame_pprof, a_frame_has_its_file_and_line)
{
	struct profile *profile = sampled("samples", 1);
	Pprof__Profile *message = unpacked(profile);

	cr_assert(eq(sz, message->n_location, 1));
	cr_assert(eq(sz, message->n_function, 1));
	cr_expect(eq(u64, message->sample[0]->location_id[0], message->location[0]->id));
	cr_expect(eq(u64, message->location[0]->line[0]->function_id, message->function[0]->id));
	cr_expect(eq(i64, message->location[0]->line[0]->line, 3));
	expect_text(message->string_table[message->function[0]->name], "m:f/0");
	expect_text(message->string_table[message->function[0]->filename], "m.erl");
	pprof__profile__free_unpacked(message, NULL);
	profile_free(profile);
}

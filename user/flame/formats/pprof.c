// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile in the format of pprof. Concatenated messages are merged by readers, so each stack is packed and freed at
 * once: all together could take many times the memory of the profile.
 *
 * Location and function numbers are our numbers plus 1, because 0 means none. A difference is written as `pprof
 * -diff_base` shows it: samples of the base have negative weights and a label.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "flame/profile.h"
#include "flame/profile_parts.h"

#include "pprof.pb-c.h"

#define AS_GZIP (15 + 16) /* window bits, and the format: see zlib.h */
#define MEMORY_LEVEL 8

/* The first entries of string_table; the names and files of functions follow. */
enum text_place {
	TEXT_EMPTY, /* required as the first entry */
	TEXT_TITLE,
	TEXT_TYPE,
	TEXT_UNIT,
	TEXT_CPU,
	TEXT_NANOSECONDS,
	TEXT_BASE,
	TEXT_TRUE,
	TEXT_FUNCTIONS,
};

struct gzip {
	z_stream stream;
	FILE *to;
};

struct pprof {
	const struct profile *profile;
	struct gzip gzip;
	int err;
};

/* --- Compression --- */

/* 0 or -ENOMEM; after 0, call gzip_end(). */
static int gzip_begin(struct gzip *gzip, FILE *to)
{
	*gzip = (struct gzip){ .to = to };
	return deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, AS_GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY)
		       ? -ENOMEM
		       : 0;
}

/* Writes until the input is consumed; with Z_FINISH, until no output is left. */
static void gzip_run(struct gzip *gzip, int flush)
{
	uint8_t out[16384];

	do {
		gzip->stream.next_out = out;
		gzip->stream.avail_out = sizeof(out);
		deflate(&gzip->stream, flush);
		fwrite(out, 1, sizeof(out) - gzip->stream.avail_out, gzip->to);
	} while (!gzip->stream.avail_out);
}

static void gzip_write(struct gzip *gzip, const uint8_t *data, size_t size)
{
	gzip->stream.next_in = (uint8_t *)data;
	gzip->stream.avail_in = (unsigned int)size;
	gzip_run(gzip, Z_NO_FLUSH);
}

static void gzip_end(struct gzip *gzip)
{
	gzip_run(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
}

static void put(struct pprof *pprof, const Pprof__Profile *part)
{
	size_t size = pprof__profile__get_packed_size(part);
	_cleanup_free_ uint8_t *packed = malloc(size + 1);

	if (!packed) {
		pprof->err = -ENOMEM;
		return;
	}
	pprof__profile__pack(part, packed);
	gzip_write(&pprof->gzip, packed, size);
}

/* --- Texts ------------------------------------------------------------------------------------------------------- */

/* Its index is the number of earlier texts. */
static void put_text(struct pprof *pprof, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *safe = text_for_terminal(text);

	if (!safe) {
		pprof->err = -ENOMEM;
		return;
	}
	part.n_string_table = 1;
	part.string_table = &safe;
	put(pprof, &part);
	free(safe);
}

/* pprof's name for the type of a unit. */
static const char *type_of(const char *unit)
{
	static const char *const types[][2] = { { "ns", "time" }, { "words", "space" }, { "bytes", "space" } };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!strcmp(types[i][0], unit))
			return types[i][1];
	}
	return unit;
}

static const char *unit_of(const char *unit)
{
	if (!strcmp(unit, "ns"))
		return "nanoseconds";
	return type_of(unit) == unit ? "count" : unit;
}

static void put_texts(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;
	const char *first[TEXT_FUNCTIONS] = {
		[TEXT_EMPTY] = "",
		[TEXT_TITLE] = profile->title,
		[TEXT_TYPE] = type_of(profile->unit),
		[TEXT_UNIT] = unit_of(profile->unit),
		[TEXT_CPU] = "cpu",
		[TEXT_NANOSECONDS] = "nanoseconds",
		[TEXT_BASE] = "pprof::base",
		[TEXT_TRUE] = "true",
	};

	for (size_t i = 0; i < TEXT_FUNCTIONS; i++)
		put_text(pprof, first[i]);
	for (size_t i = 0; i < profile->function_count; i++) {
		put_text(pprof, profile->functions[i].name);
		put_text(pprof, profile->functions[i].file);
	}
}

/* --- Functions and frames ------------------------------------------------------------------------------------------
 */

static void put_function(struct pprof *pprof, uint32_t number)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;

	function.id = number + 1;
	function.name = function.system_name = TEXT_FUNCTIONS + 2 * (int64_t)number;
	function.filename = function.name + 1;
	part.n_function = 1;
	part.function = &functions;
	put(pprof, &part);
}

static void put_location(struct pprof *pprof, uint32_t number)
{
	const struct frame *frame = &pprof->profile->frames[number];
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;

	line.function_id = frame->function + 1;
	line.line = frame->line;
	location.id = number + 1;
	location.n_line = 1;
	location.line = &lines;
	part.n_location = 1;
	part.location = &locations;
	put(pprof, &part);
}

static void put_frames(struct pprof *pprof)
{
	for (uint32_t i = 0; i < pprof->profile->function_count; i++)
		put_function(pprof, i);
	for (uint32_t i = 0; i < pprof->profile->frame_count; i++)
		put_location(pprof, i);
}

/* --- Samples -------------------------------------------------------------------------------------------------------
 */

/* Samples at a known interval have a time, too. */
static bool has_time(const struct profile *profile)
{
	return profile->period_ns && !strcmp(profile->unit, "samples");
}

static int64_t as_signed(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t time_of(const struct profile *profile, int64_t samples)
{
	int64_t time;

	if (__builtin_mul_overflow(samples, as_signed(profile->period_ns), &time))
		return samples < 0 ? INT64_MIN : INT64_MAX;
	return time;
}

static void put_sample(struct pprof *pprof, const struct stack *stack, int64_t value, bool is_before)
{
	uint64_t locations[PROFILE_DEPTH + 1];
	int64_t values[] = { value, time_of(pprof->profile, value) };
	Pprof__Label label = PPROF__LABEL__INIT, *labels = &label;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	for (size_t i = 0; i < stack->count; i++)
		locations[i] = stack->frames[stack->count - 1 - i] + 1;
	label.key = TEXT_BASE;
	label.str = TEXT_TRUE;
	sample.n_location_id = stack->count;
	sample.location_id = locations;
	sample.n_value = has_time(pprof->profile) ? 2 : 1;
	sample.value = values;
	sample.n_label = is_before;
	sample.label = &labels;
	part.n_sample = 1;
	part.sample = &samples;
	put(pprof, &part);
}

static void put_stack(void *data, const struct stack *stack)
{
	if (stack->value)
		put_sample(data, stack, as_signed(stack->value), false);
	if (stack->before)
		put_sample(data, stack, -as_signed(stack->before), true);
}

static void put_head(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;
	Pprof__ValueType weight = PPROF__VALUE_TYPE__INIT, time = PPROF__VALUE_TYPE__INIT;
	Pprof__ValueType *types[] = { &weight, &time };
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int64_t title = TEXT_TITLE;

	weight.type = TEXT_TYPE;
	weight.unit = TEXT_UNIT;
	time.type = TEXT_CPU;
	time.unit = TEXT_NANOSECONDS;
	part.n_sample_type = has_time(profile) ? 2 : 1;
	part.sample_type = types;
	part.time_nanos = as_signed(profile->start_unix_ns);
	part.duration_nanos = as_signed(profile->duration_ns);
	part.period_type = profile->period_ns ? &time : NULL;
	part.period = as_signed(profile->period_ns);
	part.n_comment = 1;
	part.comment = &title;
	put(pprof, &part);
}

int profile_write_pprof(const struct profile *profile, FILE *to)
{
	struct pprof pprof = { .profile = profile };
	int err = gzip_begin(&pprof.gzip, to);

	if (err)
		return err;
	put_head(&pprof);
	put_texts(&pprof);
	put_frames(&pprof);
	profile_each_stack(profile, put_stack, &pprof);
	gzip_end(&pprof.gzip);
	return pprof.err ? pprof.err : ferror(to) ? -EIO : 0;
}

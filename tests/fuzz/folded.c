// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a file of folded lines. What is read is written as folded lines and read again, which gives the same
 * weights, and compared with itself, which gives no difference; every other format is written, too.
 */
#include "flame/profile.h"
#include "flame/profile_parts.h"
#include "fuzz.h"

static struct profile *read_bytes(const void *data, size_t size, uint64_t *bad_lines)
{
	/* fmemopen() refuses nothing at all, which is a file as well. */
	FILE *from = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "re");
	struct profile *profile;

	must(from, "there is memory");
	profile = profile_read_folded(from, "fuzz", bad_lines);
	fclose(from);
	must(profile, "a file is read, whatever is in it");
	return profile;
}

static int write_text(const struct profile *profile, FILE *to)
{
	return profile_write_text(profile, to, 10, 80);
}

static char *written(const struct profile *profile, int (*write)(const struct profile *profile, FILE *to), size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	must(to, "there is memory");
	must(!write(profile, to), "it is written");
	fclose(to);
	return text;
}

static void write_all(const struct profile *profile)
{
	static int (*const writers[])(const struct profile *profile, FILE *to) = {
		write_text,	     profile_write_html, profile_write_svg, profile_write_speedscope,
		profile_write_pprof, profile_write_json,
	};

	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		size_t size;

		free(written(profile, writers[i], &size));
	}
}

static void check_again(const struct profile *profile)
{
	uint64_t bad_lines;
	size_t size;
	char *text = written(profile, profile_write_folded, &size);
	struct profile *again = read_bytes(text, size, &bad_lines);

	must(!bad_lines, "what is written is no bad line");
	must(again->total == profile->total, "what is written has the same weight");
	must(again->before == profile->before, "what is written was as much before");
	profile_free(again);
	free(text);
}

static void check_difference(const struct profile *profile)
{
	struct profile *difference = profile_difference(profile, profile, false);

	must(difference, "there is memory");
	for (size_t i = 0; i < difference->node_count; i++)
		must(difference->nodes[i].value == difference->nodes[i].before, "it differs not from itself");
	profile_free(difference);
}

static void check_recursion(const struct profile *profile)
{
	struct profile *folded = profile_fold_recursion(profile);

	must(folded, "there is memory");
	must(folded->total == profile->total, "recursion is folded without a loss");
	must(folded->node_count <= profile->node_count, "recursion is folded into less");
	profile_free(folded);
}

static void fuzz(const uint8_t *data, size_t size)
{
	uint64_t bad_lines;
	struct profile *profile = read_bytes(data, size, &bad_lines);

	check_again(profile);
	if (!profile->is_difference)
		check_difference(profile);
	check_recursion(profile);
	write_all(profile);
	profile_free(profile);
}

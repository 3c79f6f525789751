// SPDX-License-Identifier: BSD-2-Clause
/* Zydis against the decoder that was there before, over every function of the VMs of this machine. */
#include "probe/entry.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "decoder_before.h"
#include "probe/x86.h"
#include "target/image.h"

struct numbers {
	size_t functions, instructions, sizes, only_before, only_zydis, places, cheap;
};

static void compare_sizes(struct numbers *n, const char *name, const unsigned char *code, size_t size)
{
	for (size_t at = 0, length = 1; length && at < size; at += length) {
		size_t before = before_size(code + at, size - at);

		length = x86_size(code + at, size - at);
		n->instructions++;
		if (before == length)
			continue;
		n->sizes += before && length;
		n->only_before += before && !length;
		n->only_zydis += !before && length;
		fprintf(stderr, "size: %s+0x%zx: before %zu, Zydis %zu: %02x %02x %02x %02x\n", name, at, before,
			length, code[at], size - at > 1 ? code[at + 1] : 0, size - at > 2 ? code[at + 2] : 0,
			size - at > 3 ? code[at + 3] : 0);
	}
}

static void compare_places(struct numbers *n, const char *name, const unsigned char *code, size_t size)
{
	struct entry_place before = {}, after = {};
	bool had = before_find_cheap_in(code, size, &before), has = entry_find_cheap_in(code, size, &after);

	n->cheap += has;
	if (had == has && before.offset == after.offset && !memcmp(before.now, after.now, sizeof(after.now)))
		return;
	n->places++;
	fprintf(stderr, "place: %s: before %d at %zu, Zydis %d at %zu\n", name, had, before.offset, has, after.offset);
}

static void compare(const char *path)
{
	struct numbers n = {};
	struct image *image;
	const struct image_symbol *symbols;
	const char *why;
	size_t count;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	cr_assert(eq(int, image_open(fd, &image, &why), 0));
	symbols = image_symbols(image, &count);
	for (size_t i = 0; i < count; i++) {
		unsigned char *code = malloc(symbols[i].size + 1);

		if (symbols[i].is_function && symbols[i].size &&
		    !image_read_code(image, symbols[i].address, code, symbols[i].size)) {
			n.functions++;
			compare_sizes(&n, symbols[i].name, code, symbols[i].size);
			compare_places(&n, symbols[i].name, code, symbols[i].size);
		}
		free(code);
	}
	fprintf(stderr,
		"%s: %zu functions, %zu instructions; other lengths: %zu, only before: %zu, only Zydis: %zu; "
		"cheap places: %zu, others: %zu\n",
		path, n.functions, n.instructions, n.sizes, n.only_before, n.only_zydis, n.cheap, n.places);
	cr_expect(eq(sz, n.sizes, 0));
	image_free(image);
	close(fd);
}

Test(decoder, zydis_decides_as_the_decoder_before_it)
{
	glob_t found = {};

	glob("/usr/lib/erlang/erts-*/bin/beam.smp", 0, NULL, &found);
	glob("/root/.cache/erlbpf/otp-*/erts-*/bin/beam.smp", GLOB_APPEND, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		compare(found.gl_pathv[i]);
	globfree(&found);
}

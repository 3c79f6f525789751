// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as what is compared with known builds. By the first byte: an ELF file; the table of frames; or code,
 * constants and data of a build whose functions begin where the input says, which are compared with themselves turned
 * around and with the references of a release. Whoever names a function names one that is there.
 */
#include <errno.h>
#include <sys/mman.h>

#include "target/reader/reader_protocol.h"

#define FUZZ_MEMORY READER_MAX_MEMORY

#include "fuzz.h"
#include "match/graph/binary.h"
#include "match/facts.h"
#include "elf/elf_file.h"
#include "match/match.h"
#include "match/pairing.h"
#include "match/reference.h"
#include "match/graph/scan.h"
#include "match/votes.h"

#define CODE 0x1000
#define CONSTANTS 0x200000
#define DATA 0x400000
#define MOST_FUNCTIONS 64

static void try_file(const uint8_t *data, size_t size)
{
	struct elf_file file = { .fd = memfd_create("fuzz", MFD_CLOEXEC), .size = size };
	struct match match;
	const char *why = NULL;

	must(file.fd >= 0 && write(file.fd, data, size) == (ssize_t)size, "there is a file");
	if (!elf_file_open(&file, &why)) {
		int err = match_make(&file, &match);

		must(!err || err == -ENOMEM, "nothing else fails");
		for (size_t i = 0; i < match.count; i++)
			must(match.symbols[i].name && *match.symbols[i].name, "a name is a name");
		match_free(&match);
	}
	elf_file_close(&file);
	close(file.fd);
}

static void try_frames(const uint8_t *data, size_t size)
{
	struct binary_function *functions = NULL;
	size_t count = 0;

	must(!frames_read(data, size, 0x10000, &functions, &count), "there is memory");
	must(count <= size / 4, "a function takes some bytes");
	free(functions);
}

static int compare_functions(const void *a, const void *b)
{
	const struct binary_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Functions begin at the bytes of the input; one ends where the next begins. */
static void make_functions(struct binary *b, const uint8_t *starts, size_t count)
{
	size_t kept = 0;

	b->functions = calloc(count + 1, sizeof(*b->functions));
	must(b->functions, "there is memory");
	for (size_t i = 0; i < count; i++)
		b->functions[i].start = CODE + starts[i] * (b->sections[0].size / 256 + 1) % b->sections[0].size;
	qsort(b->functions, count, sizeof(*b->functions), compare_functions);
	for (size_t i = 0; i < count; i++) {
		if (!kept || b->functions[i].start > b->functions[kept - 1].start)
			b->functions[kept++] = b->functions[i];
	}
	b->function_count = kept;
	for (size_t i = 0; i < kept; i++) {
		uint32_t end = i + 1 < kept ? b->functions[i + 1].start : CODE + b->sections[0].size;

		b->functions[i].size = end - b->functions[i].start;
	}
}

static void add_section(struct binary *b, enum binary_kind kind, uint32_t address, const uint8_t *data, size_t size)
{
	struct binary_section *s = &b->sections[b->section_count++];

	*s = (struct binary_section){ kind, address, (uint32_t)size, malloc(size) };
	must(s->data, "there is memory");
	memcpy(s->data, data, size);
}

static struct reference_set set;

__attribute__((constructor)) static void read_references(void)
{
	size_t size;
	const void *table = reference_table(29, &size);

	must(!reference_set_read(table, size, &set), "the table can be read");
}

static void compare_with_references(const struct binary *b, const struct graph *graph)
{
	struct effort effort = { EFFORT_MOST };
	struct pairing pairing = {};
	struct votes votes = {};

	must(!pairing_make(&set.all[0].graph, graph, &effort, &pairing), "there is memory");
	for (size_t i = 0; i < graph->count; i++)
		must(pairing.reverse[i] == PAIRING_NONE || pairing.partner[pairing.reverse[i]] == i, "pairs are pairs");
	must(!votes_count(&set.all[0], b, graph, &pairing, &votes), "there is memory");
	votes_decide(&votes, 1);
	votes_free(&votes);
	pairing_free(&pairing);
}

static void try_build(const uint8_t *data, size_t size, bool has_references)
{
	size_t count = size > 4 ? 1 + data[0] % MOST_FUNCTIONS : 0, left = size - 1 - count;
	struct binary b = {
		.has_fixed_place = size && data[size - 1] & 1,
		.arch = size && data[size - 1] & 2 ? ARCH_AARCH64 : ARCH_X86_64,
		.linked_address = DATA,
		.linked_size = size ? data[size - 1] : 0,
	};
	struct graph graph = {};
	struct pairing pairing = {};
	struct effort effort = { EFFORT_MOST };
	struct anchors_tables tables;
	struct facts facts;

	if (!count || size < count + 32)
		return;
	add_section(&b, BINARY_CODE, CODE, data + 1 + count, left - left / 2);
	add_section(&b, BINARY_CONSTANTS, CONSTANTS, data + size - left / 2, left / 4);
	add_section(&b, BINARY_DATA, DATA, data + size - left / 4, left / 4);
	make_functions(&b, data + 1, count);
	anchors_tables(&b, &tables);
	facts_find(&b, &tables, &facts);
	if (!scan(&b, &tables, &effort, &graph)) {
		must(!pairing_make(&graph, &graph, &effort, &pairing), "there is memory");
		pairing_free(&pairing);
		if (has_references)
			compare_with_references(&b, &graph);
	}
	graph_free(&graph);
	binary_close(&b);
}

static void fuzz(const uint8_t *data, size_t size)
{
	if (!size)
		return;
	/* A reference takes a thousand times as long as the rest. */
	if (!data[0])
		try_build(data + 1, size - 1, true);
	else if (data[0] % 4 == 1)
		try_file(data + 1, size - 1);
	else if (data[0] % 4 == 2)
		try_frames(data + 1, size - 1);
	else
		try_build(data + 1, size - 1, false);
}

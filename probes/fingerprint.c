// SPDX-License-Identifier: BSD-2-Clause
/*
 * Makes a table of references (user/match/reference.h) from builds of a release that have their symbols:
 *
 *   fingerprint RELEASE BEAM... > probes/fingerprints/RELEASE.table
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "elf/elf_file.h"
#include "match/graph/binary.h"
#include "match/reference.h"
#include "match/graph/scan.h"

struct symbol {
	uint32_t address, size;
	const char *name;
	bool is_function, is_static;
};

struct build {
	struct binary binary;
	struct graph graph;
	struct symbol *symbols; /* by address, the best name first */
	size_t symbol_count;
};

static struct build builds[REFERENCES_MAX];
static size_t build_count;

static _Noreturn void fail(const char *file, const char *why)
{
	fprintf(stderr, "fingerprint: %s: %s\n", file, why);
	exit(1);
}

static void *must(void *memory)
{
	if (!memory)
		fail("memory", "there is too little of it");
	return memory;
}

/* Symbols. */

/* A copy that the compiler made with other arguments, or a part, is not the function. */
static bool is_whole(const char *name)
{
	return !strchr(name, '.');
}

static void take_symbol(struct build *b, const char *file, const Elf64_Sym *s, const char *name, bool is_hidden)
{
	unsigned char type = ELF64_ST_TYPE(s->st_info);
	bool is_local = ELF64_ST_BIND(s->st_info) == STB_LOCAL && ELF64_ST_VISIBILITY(s->st_other) == STV_DEFAULT;

	if ((type != STT_FUNC && type != STT_OBJECT) || s->st_shndx == SHN_UNDEF || !s->st_value || !is_whole(name))
		return;
	if (s->st_value > UINT32_MAX || s->st_size > UINT32_MAX)
		fail(file, "its addresses are too large");
	b->symbols = must(array_grow(b->symbols, b->symbol_count, sizeof(*b->symbols)));
	b->symbols[b->symbol_count++] = (struct symbol){ (uint32_t)s->st_value, (uint32_t)s->st_size, name,
							 type == STT_FUNC, is_local && !is_hidden };
}

static void *read_whole(const struct elf_file *file, const Elf64_Shdr *s, const char *path)
{
	char *data = must(malloc(s->sh_size + 1));

	data[s->sh_size] = '\0';
	if (!elf_file_read(file, s->sh_offset, data, s->sh_size))
		fail(path, "it cannot be read");
	return data;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->is_static != y->is_static)
		return x->is_static ? 1 : -1;
	if (strlen(x->name) != strlen(y->name))
		return strlen(x->name) < strlen(y->name) ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void read_symbols(struct build *b, const struct elf_file *file, const char *path)
{
	const Elf64_Shdr *table = elf_file_of_type(file, SHT_SYMTAB);
	const Elf64_Sym *all;
	const char *names;
	bool is_hidden = false; /* GNU ld writes hidden ones behind a file without a name */

	if (!table || table->sh_link >= file->count)
		fail(path, "it has no symbols");
	all = read_whole(file, table, path);
	names = read_whole(file, &file->sections[table->sh_link], path);
	for (size_t i = 0; i < table->sh_size / sizeof(*all); i++) {
		if (ELF64_ST_TYPE(all[i].st_info) == STT_FILE)
			is_hidden = !all[i].st_name;
		else
			take_symbol(b, path, &all[i], names + all[i].st_name, is_hidden);
	}
	qsort(b->symbols, b->symbol_count, sizeof(*b->symbols), by_address);
}

static void read_build(struct build *b, const char *path)
{
	struct elf_file file = { .fd = open(path, O_RDONLY) };
	struct effort effort = { EFFORT_MOST };
	struct anchors_tables tables;
	struct stat st;
	const char *why = "it cannot be read";
	int err = file.fd < 0 || fstat(file.fd, &st) ? -ENOEXEC : 0;

	if (!err) {
		file.size = (uint64_t)st.st_size;
		err = elf_file_open(&file, &why);
	}
	if (!err)
		err = binary_open(&file, &b->binary);
	if (!err)
		anchors_tables(&b->binary, &tables);
	if (!err)
		err = scan(&b->binary, &tables, &effort, &b->graph);
	if (err)
		fail(path, err == -ENOMEM ? "there is too little memory" : why);
	read_symbols(b, &file, path);
	elf_file_close(&file);
	close(file.fd);
}

/* The first symbol of a function at this address, or of an object around it; NULL: none. */
static const struct symbol *symbol_at(const struct build *b, uint32_t address, bool is_function)
{
	size_t first = 0, end = b->symbol_count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (b->symbols[middle].address <= address)
			first = middle + 1;
		else
			end = middle;
	}
	for (const struct symbol *found = NULL; first--;) {
		const struct symbol *s = &b->symbols[first];

		if (found && s->address != found->address)
			return found;
		if (s->is_function == is_function &&
		    (is_function ? s->address == address : address - s->address < s->size))
			found = s;
		else if (!found && s->address != address && s->size)
			return NULL;
		if (!first)
			return found;
	}
	return NULL;
}

/* Dictionaries. */

static uint32_t *features;
static size_t feature_count, feature_room;
static const char **names;
static size_t name_count;

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_name(const char *name)
{
	names = must(array_grow(names, name_count, sizeof(*names)));
	names[name_count++] = name;
}

static void gather(const struct build *b)
{
	const struct relation *r = &b->graph.relations[HAS_FEATURES];

	for (size_t i = 0; i < r->first[b->graph.count]; i++) {
		if (!array_has_room_for(features, feature_room, feature_count + 1))
			must(NULL);
		features[feature_count++] = r->items[i];
	}
	for (size_t i = 0; i < b->symbol_count; i++)
		add_name(b->symbols[i].name);
}

static void sort_dictionaries(void)
{
	size_t kept = 0;

	qsort(features, feature_count, sizeof(*features), compare_words);
	for (size_t i = 0; i < feature_count; i++) {
		if (!kept || features[i] != features[kept - 1])
			features[kept++] = features[i];
	}
	feature_count = kept;
	kept = 0;
	qsort(names, name_count, sizeof(*names), compare_texts);
	for (size_t i = 0; i < name_count; i++) {
		if (!kept || strcmp(names[i], names[kept - 1]))
			names[kept++] = names[i];
	}
	name_count = kept;
}

static uint32_t number_of_name(const char *name)
{
	const char **found = bsearch(&name, names, name_count, sizeof(*names), compare_texts);

	return (uint32_t)(found - names);
}

/* The table. */

static unsigned char *out;
static size_t out_size, out_room;

static void put_byte(unsigned char byte)
{
	if (!array_has_room_for(out, out_room, out_size + 1))
		must(NULL);
	out[out_size++] = byte;
}

static void put(uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_byte((unsigned char)(value | 0x80));
	put_byte((unsigned char)value);
}

static void put_distances(const uint32_t *items, size_t count)
{
	uint32_t last = 0;

	put(count);
	for (size_t i = 0; i < count; i++) {
		put(items[i] - last);
		last = items[i];
	}
}

static void put_dictionaries(void)
{
	size_t bytes = 0;

	for (size_t i = 0; i < name_count; i++)
		bytes += strlen(names[i]) + 1;
	put(bytes);
	for (size_t i = 0; i < name_count; i++) {
		for (size_t k = 0; k <= strlen(names[i]); k++)
			put_byte((unsigned char)names[i][k]);
	}
	put_distances(features, feature_count);
}

static void put_features(const struct relation *r, uint32_t function)
{
	uint32_t last = 0;

	put(relation_size(r, function));
	for (uint32_t i = r->first[function]; i < r->first[function + 1]; i++) {
		const uint32_t *found = bsearch(&r->items[i], features, feature_count, sizeof(*features),
						compare_words);

		put((uint32_t)(found - features) - last);
		last = (uint32_t)(found - features);
	}
}

static void put_items(const struct relation *r, uint32_t function)
{
	put_distances(r->items + r->first[function], relation_size(r, function));
}

/* Objects are numbered in the order of their addresses. */
struct objects {
	const struct symbol **all;
	size_t count;
};

static uint32_t number_of_object(const struct objects *objects, const struct symbol *wanted)
{
	size_t first = 0, end = objects->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (objects->all[middle]->address < wanted->address)
			first = middle + 1;
		else
			end = middle;
	}
	return (uint32_t)first;
}

static void gather_objects(const struct build *b, struct objects *objects)
{
	for (size_t i = 0; i < b->symbol_count; i++) {
		const struct symbol *s = &b->symbols[i];

		if (s->is_function || !s->size || symbol_at(b, s->address, false) != s)
			continue;
		objects->all = must(array_grow(objects->all, objects->count, sizeof(*objects->all)));
		objects->all[objects->count++] = s;
	}
}

static void put_touches(const struct build *b, const struct objects *objects, uint32_t function)
{
	const struct relation *r = &b->graph.relations[TOUCHES];
	uint32_t count = 0;

	for (uint32_t i = r->first[function]; i < r->first[function + 1]; i++)
		count += symbol_at(b, TOUCHED_ADDRESS(r->items[i]), false) != NULL;
	put(count);
	for (uint32_t i = r->first[function]; i < r->first[function + 1]; i++) {
		uint32_t address = TOUCHED_ADDRESS(r->items[i]);
		const struct symbol *s = symbol_at(b, address, false);

		if (!s)
			continue;
		put(2 * number_of_object(objects, s) + TOUCHED_IS_COMPUTED(r->items[i]));
		put(address - s->address);
	}
}

static void put_build(const struct build *b)
{
	const struct graph *g = &b->graph;
	struct objects objects = {};

	gather_objects(b, &objects);
	put(g->count);
	for (uint32_t i = 0; i < g->count; i++) {
		const struct symbol *s = symbol_at(b, b->binary.functions[i].start, true);

		put(g->instructions[i]);
		put(g->registers[i]);
		put(s ? 1 + 2 * (uint64_t)number_of_name(s->name) + s->is_static : 0);
		put_features(&g->relations[HAS_FEATURES], i);
		put_items(&g->relations[CALLS], i);
		put_items(&g->relations[TAKES], i);
		put_touches(b, &objects, i);
	}
	put(g->anchor_count);
	for (size_t i = 0; i < g->anchor_count; i++) {
		put(g->anchors[i].key);
		put(g->anchors[i].function);
	}
	put(objects.count);
	for (size_t i = 0; i < objects.count; i++) {
		put(number_of_name(objects.all[i]->name));
		put(objects.all[i]->size);
		put(binary_kind_of_data(&b->binary, objects.all[i]->address));
	}
	free(objects.all);
}

static void write_table(void)
{
	uLongf size = compressBound(out_size);
	unsigned char *packed = must(malloc(size));
	uint64_t whole = out_size;

	if (compress2(packed, &size, out, out_size, 9) != Z_OK || fwrite(&whole, sizeof(whole), 1, stdout) != 1 ||
	    fwrite(packed, size, 1, stdout) != 1 || fflush(stdout))
		fail("the table", strerror(errno));
	free(packed);
}

int main(int argc, char **argv)
{
	int release = argc > 3 ? atoi(argv[1]) : 0;

	if (!release || argc - 2 > REFERENCES_MAX) {
		fprintf(stderr, "usage: fingerprint RELEASE BEAM BEAM... > TABLE (two builds at least, by different "
				"compilers)\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		read_build(&builds[build_count], argv[i]);
		gather(&builds[build_count++]);
	}
	sort_dictionaries();
	put(REFERENCE_VERSION);
	put((uint64_t)release);
	put(build_count);
	put_dictionaries();
	for (size_t i = 0; i < build_count; i++)
		put_build(&builds[i]);
	write_table();
	return 0;
}

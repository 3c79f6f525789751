// SPDX-License-Identifier: BSD-2-Clause
/*
 * A loader needs no section headers, so everything that it uses can be found without them: dynamic symbols and
 * relocations through PT_DYNAMIC, the build-id in PT_NOTE, the unwind table through PT_GNU_EH_FRAME. The bounds of
 * code, constants and data within a segment depend on the linker: GNU ld for arm64, and older versions for x86-64, put
 * tables, code and constants into one segment, in this order; lld puts constants after the tables.
 */
#include "elf/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MAX_SEGMENTS 128
#define MAX_SECTIONS (4 * MAX_SEGMENTS)
#define MAX_TAGS 1024
#define MAX_SYMBOLS (1u << 22)
#define MAX_CHAIN (1u << 16) /* symbols of one bucket */
#define MAX_NOTES 4096	     /* bytes */
#define WITHIN SHT_LOUSER    /* type of a section that lies within another */
#define PART 1024	     /* words per read */

/* The dynamic table. 0: the entry is missing. */
struct dynamic {
	uint64_t address, size; /* of the table */
	uint64_t symbols, hash, gnu_hash, strings, strings_size;
	uint64_t relocations, relocations_size, linked, linked_size;
	uint64_t init, fini;
};

struct taker {
	struct elf_file *file;
	Elf64_Phdr segments[MAX_SEGMENTS];
	size_t segment_count;
	struct dynamic dynamic;
	Elf64_Shdr sections[MAX_SECTIONS];
	size_t count;
	char names[MAX_SECTIONS * 16];
	size_t names_size;
};

/* The segment that has these bytes in the file, or NULL. */
static const Elf64_Phdr *segment_of(const struct taker *t, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < t->segment_count; i++) {
		const Elf64_Phdr *s = &t->segments[i];

		if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr <= s->p_filesz &&
		    size <= s->p_filesz - (address - s->p_vaddr))
			return s;
	}
	return NULL;
}

static bool read_memory(const struct taker *t, uint64_t address, void *to, size_t size)
{
	const Elf64_Phdr *s = segment_of(t, address, size);

	return s && elf_file_read(t->file, s->p_offset + (address - s->p_vaddr), to, size);
}

/* NULL: no room, or not in the file. */
static Elf64_Shdr *add(struct taker *t, const char *name, uint32_t type, uint64_t flags, uint64_t address,
		       uint64_t size)
{
	const Elf64_Phdr *in = segment_of(t, address, type == SHT_NOBITS ? 0 : size);
	Elf64_Shdr *section = &t->sections[t->count];
	size_t length = strlen(name) + 1;

	if (!in || !size || t->count == MAX_SECTIONS || length > sizeof(t->names) - t->names_size)
		return NULL;
	t->count++;
	*section = (Elf64_Shdr){
		.sh_name = (uint32_t)t->names_size,
		.sh_type = type,
		.sh_flags = SHF_ALLOC | flags,
		.sh_addr = address,
		.sh_offset = in->p_offset + (address - in->p_vaddr),
		.sh_size = size,
	};
	memcpy(t->names + t->names_size, name, length);
	t->names_size += length;
	return section;
}

/* Tables of the dynamic linker. */

static void take_tag(struct dynamic *d, const Elf64_Dyn *tag)
{
	switch (tag->d_tag) {
	case DT_SYMTAB: d->symbols = tag->d_un.d_ptr; break;
	case DT_STRTAB: d->strings = tag->d_un.d_ptr; break;
	case DT_STRSZ: d->strings_size = tag->d_un.d_val; break;
	case DT_HASH: d->hash = tag->d_un.d_ptr; break;
	case DT_GNU_HASH: d->gnu_hash = tag->d_un.d_ptr; break;
	case DT_RELA: d->relocations = tag->d_un.d_ptr; break;
	case DT_RELASZ: d->relocations_size = tag->d_un.d_val; break;
	case DT_JMPREL: d->linked = tag->d_un.d_ptr; break;
	case DT_PLTRELSZ: d->linked_size = tag->d_un.d_val; break;
	case DT_INIT: d->init = tag->d_un.d_ptr; break;
	case DT_FINI: d->fini = tag->d_un.d_ptr; break;
	default: break;
	}
}

static bool read_dynamic(struct taker *t)
{
	_cleanup_free_ Elf64_Dyn *tags = malloc(MAX_TAGS * sizeof(*tags));
	const Elf64_Phdr *s = t->segments;
	size_t left = t->segment_count, count;

	t->file->lacks_memory |= !tags;
	while (left && s->p_type != PT_DYNAMIC)
		s++, left--;
	if (!left || !tags)
		return false;
	count = s->p_filesz / sizeof(*tags);
	count = count < MAX_TAGS ? count : MAX_TAGS;
	if (!elf_file_read(t->file, s->p_offset, tags, count * sizeof(*tags)))
		return false;
	t->dynamic = (struct dynamic){ .address = s->p_vaddr, .size = s->p_filesz };
	for (size_t i = 0; i < count && tags[i].d_tag != DT_NULL; i++)
		take_tag(&t->dynamic, &tags[i]);
	return true;
}

/* The largest of `count` words. */
static bool find_largest(const struct taker *t, uint64_t address, size_t count, uint32_t *largest)
{
	uint32_t words[PART];

	*largest = 0;
	for (size_t at = 0; at < count; at += PART) {
		size_t n = count - at < PART ? count - at : PART;

		if (!read_memory(t, address + 4 * at, words, 4 * n))
			return false;
		for (size_t i = 0; i < n; i++)
			*largest = words[i] > *largest ? words[i] : *largest;
	}
	return true;
}

/* The number of words in a hash chain; the last has its lowest bit set. 0: the chain does not end. */
static size_t length_of_chain(const struct taker *t, uint64_t address)
{
	uint32_t word;

	for (size_t n = 0; n < MAX_CHAIN && read_memory(t, address + 4 * n, &word, sizeof(word)); n++) {
		if (word & 1)
			return n + 1;
	}
	return 0;
}

/* The last bucket has the highest symbol numbers. Symbols before the first hashed one are undefined. */
static size_t count_by_gnu_hash(const struct taker *t)
{
	uint32_t head[4]; /* buckets, number of the first symbol, words of the Bloom filter, its shift */
	uint32_t largest;
	uint64_t buckets;
	size_t length;

	if (!read_memory(t, t->dynamic.gnu_hash, head, sizeof(head)) || head[0] > MAX_SYMBOLS ||
	    head[1] > MAX_SYMBOLS || head[2] > MAX_SYMBOLS)
		return 0;
	buckets = t->dynamic.gnu_hash + sizeof(head) + 8ull * head[2];
	if (!find_largest(t, buckets, head[0], &largest) || largest > MAX_SYMBOLS)
		return 0;
	if (largest < head[1])
		return head[1];
	length = length_of_chain(t, buckets + 4ull * head[0] + 4ull * (largest - head[1]));
	return length ? largest + length : 0;
}

static size_t count_symbols(const struct taker *t)
{
	uint32_t head[2]; /* buckets, symbols */
	size_t count = t->dynamic.gnu_hash ? count_by_gnu_hash(t) : 0;

	if (!count && t->dynamic.hash && read_memory(t, t->dynamic.hash, head, sizeof(head)))
		count = head[1];
	return count <= MAX_SYMBOLS ? count : 0;
}

static void take_tables(struct taker *t)
{
	const struct dynamic *d = &t->dynamic;
	Elf64_Shdr *symbols = add(t, ".dynsym", SHT_DYNSYM, 0, d->symbols, count_symbols(t) * sizeof(Elf64_Sym));

	if (symbols) {
		symbols->sh_entsize = sizeof(Elf64_Sym);
		symbols->sh_link = (uint32_t)t->count;
		if (!add(t, ".dynstr", SHT_STRTAB, 0, d->strings, d->strings_size))
			symbols->sh_link = 0;
	}
	add(t, ".rela.dyn", SHT_RELA, 0, d->relocations, d->relocations_size);
	add(t, ".rela.plt", SHT_RELA, 0, d->linked, d->linked_size);
}

/* Notes and the unwind table. */

static size_t padded(size_t size, uint64_t align)
{
	return align == 8 ? (size + 7) & ~(size_t)7 : (size + 3) & ~(size_t)3;
}

/* Finds the build-id among the notes of a segment. */
static void take_notes(struct taker *t, const Elf64_Phdr *s)
{
	unsigned char notes[MAX_NOTES];
	size_t size = s->p_filesz < sizeof(notes) ? s->p_filesz : sizeof(notes);
	Elf64_Nhdr head;

	if (!elf_file_read(t->file, s->p_offset, notes, size))
		return;
	for (size_t at = 0; at + sizeof(head) <= size;) {
		size_t name = at + sizeof(head), description, end;

		memcpy(&head, notes + at, sizeof(head));
		if (head.n_namesz > MAX_NOTES || head.n_descsz > MAX_NOTES)
			return;
		description = name + padded(head.n_namesz, s->p_align);
		end = description + head.n_descsz;
		if (end > size)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && !memcmp(notes + name, "GNU", 4)) {
			add(t, ".note.gnu.build-id", SHT_NOTE, 0, s->p_vaddr + at, end - at);
			return;
		}
		at = description + padded(head.n_descsz, s->p_align);
	}
}

#define PCREL_SDATA4 0x1b /* encoding of the table's address: a 4-byte distance */

/* The section extends to the end of its segment, because the table has an end mark. */
static void take_frames(struct taker *t, const Elf64_Phdr *header)
{
	const Elf64_Phdr *s;
	unsigned char head[8]; /* version, three encodings, distance */
	uint64_t address;
	int32_t distance;

	if (!elf_file_read(t->file, header->p_offset, head, sizeof(head)) || head[0] != 1 || head[1] != PCREL_SDATA4)
		return;
	memcpy(&distance, head + 4, sizeof(distance));
	address = header->p_vaddr + 4 + (uint64_t)(int64_t)distance;
	s = segment_of(t, address, 1);
	if (s)
		add(t, ".eh_frame", WITHIN, 0, address, s->p_vaddr + s->p_filesz - address);
}

/* Contents of segments. */

static uint64_t end_of_file(const Elf64_Phdr *s)
{
	return s->p_vaddr + s->p_filesz;
}

static bool is_within(const Elf64_Phdr *s, uint64_t address)
{
	return address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz;
}

/* The end of the dynamic linker's tables, which come first in a segment. */
static uint64_t behind_tables(const struct taker *t, const Elf64_Phdr *s)
{
	uint64_t behind = s->p_vaddr;

	for (size_t i = 0; i < t->count; i++) {
		const Elf64_Shdr *table = &t->sections[i];

		if ((table->sh_type == SHT_DYNSYM || table->sh_type == SHT_STRTAB || table->sh_type == SHT_RELA) &&
		    is_within(s, table->sh_addr) && table->sh_addr + table->sh_size > behind)
			behind = table->sh_addr + table->sh_size;
	}
	return behind;
}

static void take_range(struct taker *t, const char *name, uint64_t flags, uint64_t from, uint64_t to)
{
	if (to > from)
		add(t, name, SHT_PROGBITS, flags, from, to - from);
}

#define ALIGN 16 /* of the data after the last function */

static void take_code(struct taker *t, const Elf64_Phdr *s)
{
	uint64_t from = behind_tables(t, s), to = end_of_file(s);
	bool is_mixed = from > s->p_vaddr;

	if (is_mixed && t->dynamic.init >= from && is_within(s, t->dynamic.init))
		from = t->dynamic.init;
	if (is_mixed && t->dynamic.fini >= from && is_within(s, t->dynamic.fini))
		to = (t->dynamic.fini + ALIGN) & ~(uint64_t)(ALIGN - 1);
	if (to > end_of_file(s))
		to = end_of_file(s);
	take_range(t, ".text", SHF_EXECINSTR, from, to);
	take_range(t, ".rodata", 0, to, end_of_file(s));
}

/*
 * Data that is read-only after relocation (RELRO) comes first in the segment. It has the linker's address table, after
 * .dynamic.
 */
static void take_data(struct taker *t, const Elf64_Phdr *s)
{
	uint64_t to = end_of_file(s), dynamic = t->dynamic.address, behind = dynamic + t->dynamic.size;
	uint64_t relro = s->p_vaddr;

	for (size_t i = 0; i < t->segment_count; i++) {
		const Elf64_Phdr *its = &t->segments[i];

		if (its->p_type == PT_GNU_RELRO && its->p_vaddr == s->p_vaddr && its->p_memsz <= s->p_memsz)
			relro = its->p_vaddr + its->p_memsz < to ? its->p_vaddr + its->p_memsz : to;
	}
	if (is_within(s, dynamic) && behind > dynamic && behind <= relro) {
		take_range(t, ".data.rel.ro", SHF_WRITE, s->p_vaddr, dynamic);
		take_range(t, ".got", SHF_WRITE, behind, relro);
	} else {
		take_range(t, ".data.rel.ro", SHF_WRITE, s->p_vaddr, relro);
	}
	take_range(t, ".data", SHF_WRITE, relro, to);
	if (s->p_memsz > s->p_filesz)
		add(t, ".bss", SHT_NOBITS, SHF_WRITE, to, s->p_memsz - s->p_filesz);
}

static void take_segment(struct taker *t, const Elf64_Phdr *s)
{
	if (s->p_type == PT_NOTE)
		take_notes(t, s);
	else if (s->p_type == PT_GNU_EH_FRAME)
		take_frames(t, s);
	else if (s->p_type == PT_INTERP)
		add(t, ".interp", WITHIN, 0, s->p_vaddr, s->p_filesz);
	else if (s->p_type == PT_LOAD && s->p_flags & PF_X)
		take_code(t, s);
	else if (s->p_type == PT_LOAD && s->p_flags & PF_W)
		take_data(t, s);
	else if (s->p_type == PT_LOAD)
		take_range(t, ".rodata", 0, behind_tables(t, s), end_of_file(s));
}

static bool read_segments(struct taker *t)
{
	const Elf64_Ehdr *elf = &t->file->header;

	t->segment_count = elf->e_phnum;
	if (!elf->e_phnum || elf->e_phnum > MAX_SEGMENTS || elf->e_phentsize != sizeof(*t->segments) ||
	    !elf_file_read(t->file, elf->e_phoff, t->segments, elf->e_phnum * sizeof(*t->segments)))
		return false;
	for (size_t i = 0; i < t->segment_count; i++) {
		const Elf64_Phdr *s = &t->segments[i];

		if (s->p_filesz > s->p_memsz || s->p_vaddr + s->p_memsz < s->p_vaddr)
			return false;
	}
	return true;
}

static int keep(const struct taker *t)
{
	struct elf_file *f = t->file;
	Elf64_Shdr *sections = calloc(t->count, sizeof(*sections));
	char *names = malloc(t->names_size);

	free(f->sections);
	free(f->names);
	f->sections = sections;
	f->names = names;
	f->count = 0;
	f->names_size = 0;
	if (!sections || !names)
		return -ENOMEM;
	memcpy(sections, t->sections, t->count * sizeof(*sections));
	memcpy(names, t->names, t->names_size);
	f->count = (uint32_t)t->count;
	f->names_size = t->names_size;
	return 0;
}

int elf_segments_take(struct elf_file *f)
{
	/* Section 0 and the name at offset 0 are reserved. */
	_cleanup_free_ struct taker *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->file = f;
	t->count = t->names_size = 1;
	if (!read_segments(t) || !read_dynamic(t))
		return f->lacks_memory ? -ENOMEM : 0;
	take_tables(t);
	for (size_t i = 0; i < t->segment_count; i++)
		take_segment(t, &t->segments[i]);
	return keep(t);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "target/image/image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io/read_at.h"
#include "elf/elf_file.h"
#include "match/match.h"
#include "target/image/image_blocks.h"
#include "target/image/image_build.h"
#include "target/image/image_flat.h"

struct image {
	struct image_file file;
	char *flat; /* the other members point into it */
	struct flat_header header;
	const struct flat_segment *segments;
	const struct flat_section *sections;
	struct image_symbol *symbols; /* sorted by name */
	const char *names;
	char **contents; /* of sections that were requested, by number */
	struct image_blocks *blocks;
	size_t flat_size;
};

/*
 * Limits the total, because a user can run or map many files. Each image gets a part of what is left, so that small
 * ones still fit after others have taken as much as they may.
 */
#define USUAL_BUDGET (512u << 20)
#define PART 8

static struct {
	size_t most, taken;
} budget = { .most = USUAL_BUDGET };

void image_limit_all(size_t bytes)
{
	budget.most = bytes;
}

static bool may_take(size_t size)
{
	return budget.taken < budget.most && size <= (budget.most - budget.taken) / PART;
}

/* A symbol of the image replaces the flat one in place. */
_Static_assert(sizeof(struct image_symbol) == sizeof(struct flat_symbol), "symbols are turned over in place");

static bool take_symbols(struct image *image, char *at)
{
	image->symbols = (struct image_symbol *)(void *)at;
	for (size_t i = 0; i < image->header.symbols; i++) {
		struct flat_symbol flat;

		memcpy(&flat, at + i * sizeof(flat), sizeof(flat));
		if (flat.name >= image->header.names)
			return false;
		image->symbols[i] = (struct image_symbol){
			.name = image->names + flat.name,
			.address = flat.address,
			.size = flat.size,
			.is_function = flat.flags & FLAT_FUNCTION,
			.is_local = flat.flags & FLAT_LOCAL,
			.is_matched = flat.flags & FLAT_MATCHED,
		};
	}
	return true;
}

static bool segments_make_sense(const struct image *image)
{
	for (size_t i = 0; i < image->header.segments; i++) {
		const struct flat_segment *s = &image->segments[i];

		if (s->in_file > s->in_memory || s->address + s->in_memory < s->address ||
		    s->offset + s->in_file < s->offset)
			return false;
	}
	for (size_t i = 0; i < image->header.sections; i++) {
		if (image->sections[i].name >= image->header.names)
			return false;
	}
	return true;
}

static bool take_flat(struct image *image, size_t size)
{
	struct flat_header *h = &image->header;
	size_t segments, sections, symbols;

	if (size < sizeof(*h))
		return false;
	memcpy(h, image->flat, sizeof(*h));
	if (h->segments > FLAT_MAX_SEGMENTS || h->sections > ELF_FILE_MAX_SECTIONS || !h->names || h->names > size ||
	    (h->arch != ARCH_X86_64 && h->arch != ARCH_AARCH64))
		return false;
	segments = h->segments * sizeof(*image->segments);
	sections = h->sections * sizeof(*image->sections);
	symbols = (size_t)h->symbols * sizeof(*image->symbols);
	if (size != sizeof(*h) + segments + sections + symbols + h->names || image->flat[size - 1])
		return false;
	image->segments = (void *)(image->flat + sizeof(*h));
	image->sections = (void *)(image->flat + sizeof(*h) + segments);
	image->names = image->flat + size - h->names;
	return segments_make_sense(image) && take_symbols(image, image->flat + sizeof(*h) + segments + sections);
}

int image_take(void *flat, size_t size, const struct image_file *file, struct image **image)
{
	struct image *taken = calloc(1, sizeof(*taken));

	if (!taken) {
		free(flat);
		return -ENOMEM;
	}
	taken->flat = flat;
	taken->file = *file;
	if (!take_flat(taken, size)) {
		taken->header.sections = 0;
		image_free(taken);
		return -EINVAL;
	}
	taken->contents = calloc(taken->header.sections + 1, sizeof(*taken->contents));
	if (!taken->contents || !may_take(size)) {
		image_free(taken);
		return -ENOMEM;
	}
	taken->flat_size = size;
	budget.taken += size;
	taken->blocks = image_blocks_new(file, taken->header.file_size);
	*image = taken;
	return 0;
}

int image_open(int fd, struct image **image, const char **why)
{
	struct image_file file = { .fd = fd, .read = read_at };
	void *flat;
	size_t size;
	int err = image_build(fd, &image_limits_usual, NULL, &flat, &size, why);

	return err ? err : image_take(flat, size, &file, image);
}

void image_free(struct image *image)
{
	if (!image)
		return;
	for (size_t i = 0; image->contents && i < image->header.sections; i++) {
		budget.taken -= image->contents[i] ? image->sections[i].size : 0;
		free(image->contents[i]);
	}
	budget.taken -= image->flat_size;
	image_blocks_free(image->blocks);
	free(image->contents);
	free(image->flat);
	free(image);
}

enum arch image_arch(const struct image *image)
{
	return image->header.arch;
}

uint64_t image_entry(const struct image *image)
{
	return image->header.entry;
}

uint64_t image_start(const struct image *image)
{
	const struct flat_segment *first = image->segments;

	return image->header.segments && !first->offset ? first->address : 0;
}

const struct image_symbol *image_symbol(const struct image *image, const char *name)
{
	size_t first = 0, end = image->header.symbols;
	const struct image_symbol *found;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (strcmp(image->symbols[middle].name, name) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	if (first == image->header.symbols || strcmp(image->symbols[first].name, name))
		return NULL;
	found = &image->symbols[first];
	/* If static symbols share a name, it is unknown which one is meant. */
	for (size_t i = first + 1; found->is_local && i < image->header.symbols; i++) {
		if (strcmp(image->symbols[i].name, name))
			break;
		if (image->symbols[i].address != found->address)
			return NULL;
	}
	return found;
}

int image_symbol_compare(const struct image_symbol *a, const struct image_symbol *b)
{
	size_t n = strlen(a->name), m = strlen(b->name);

	if (a->is_local != b->is_local)
		return a->is_local ? 1 : -1;
	if (n != m)
		return n < m ? -1 : 1;
	return strcmp(a->name, b->name);
}

const struct image_symbol *image_symbols(const struct image *image, size_t *count)
{
	*count = image->header.symbols;
	return image->symbols;
}

bool image_is_matched(const struct image *image)
{
	return image->header.match == MATCH_DONE || image->header.match == MATCH_TOO_DIFFERENT;
}

bool image_is_inlined(const struct image *image)
{
	return image->header.match == MATCH_INLINED;
}

bool image_has_no_frame_pointer(const struct image *image)
{
	return image->header.config & FLAT_NO_FRAME_POINTER;
}

bool image_has_large_mutex(const struct image *image)
{
	return image->header.config & FLAT_LARGE_MUTEX;
}

const char *image_why_hidden(const struct image *image)
{
	return match_why(image->header.match);
}

/* Code must be in the file. Data may be in the zeroed memory after it. */
static uint64_t extent_of(const struct flat_segment *s, uint32_t flag)
{
	return flag & PF_X ? s->in_file : s->in_memory;
}

static const struct flat_segment *segment_of(const struct image *image, uint64_t address, uint32_t flag)
{
	for (size_t i = 0; i < image->header.segments; i++) {
		const struct flat_segment *s = &image->segments[i];

		if ((!flag || s->flags & flag) && address >= s->address && address - s->address < extent_of(s, flag))
			return s;
	}
	return NULL;
}

static int offset_in(const struct image *image, uint64_t address, uint32_t flag, uint64_t *offset)
{
	const struct flat_segment *s = segment_of(image, address, flag);

	if (!s)
		return -ENOENT;
	/* Memory after p_filesz is not in the file. */
	if (address - s->address >= s->in_file)
		return -ENOENT;
	*offset = s->offset + (address - s->address);
	return *offset < image->header.file_size ? 0 : -ENOENT;
}

int image_code_offset(const struct image *image, uint64_t address, uint64_t *offset)
{
	return offset_in(image, address, PF_X, offset);
}

int image_data_offset(const struct image *image, uint64_t address, uint64_t *offset)
{
	return offset_in(image, address, PF_W, offset);
}

static int read_in(const struct image *image, uint64_t address, uint32_t flag, void *buf, size_t size)
{
	const struct flat_segment *s = segment_of(image, address, flag);
	uint64_t in;

	if (!s)
		return -ENOENT;
	in = address - s->address;
	if (in > s->in_file || size > s->in_file - in)
		return -ENOENT;
	if (image_blocks_read(image->blocks, s->offset + in, buf, size))
		return 0;
	return image->file.read(image->file.fd, s->offset + in, buf, size);
}

int image_read(const struct image *image, uint64_t address, void *buf, size_t size)
{
	return read_in(image, address, 0, buf, size);
}

int image_read_code(const struct image *image, uint64_t address, void *buf, size_t size)
{
	return read_in(image, address, PF_X, buf, size);
}

bool image_code_segment(const struct image *image, size_t i, uint64_t *address, uint64_t *size)
{
	for (size_t k = 0; k < image->header.segments; k++) {
		const struct flat_segment *s = &image->segments[k];

		if (!(s->flags & PF_X) || i--)
			continue;
		*address = s->address;
		*size = s->in_file;
		return true;
	}
	return false;
}

int image_read_string(const struct image *image, const char *symbol, char *buf, size_t size)
{
	const struct image_symbol *found = image_symbol(image, symbol);
	size_t want = size - 1;

	if (!found)
		return -ENOENT;
	if (found->size && found->size < want)
		want = (size_t)found->size;
	memset(buf, 0, size);
	return image_read(image, found->address, buf, want);
}

/* Reads a section on first use and keeps it. 0, -EINVAL if the file is truncated, or another -errno. */
static int keep_content(const struct image *image, size_t i)
{
	const struct flat_section *s = &image->sections[i];
	char *content;
	int err;

	if (image->contents[i])
		return 0;
	content = may_take(s->size) ? malloc(s->size) : NULL;
	if (!content)
		return -ENOMEM;
	err = image->file.read(image->file.fd, s->offset, content, s->size);
	if (err) {
		free(content);
		return err == -ENOENT ? -EINVAL : err;
	}
	image->contents[i] = content;
	budget.taken += s->size;
	return 0;
}

static int section_content(const struct image *image, size_t i, struct image_section *found)
{
	const struct flat_section *s = &image->sections[i];
	int err;

	if (s->type == SHT_NOBITS) {
		found->size = s->size;
		return 0;
	}
	if (s->offset > image->header.file_size || s->size > image->header.file_size - s->offset)
		return -EINVAL;
	if (!s->size)
		return 0;
	err = keep_content(image, i);
	found->data = (const unsigned char *)image->contents[i];
	found->size = found->data ? s->size : 0;
	return err;
}

/* The number of the section with that name; the number of sections if there is none. */
static size_t find_section(const struct image *image, const char *name)
{
	size_t i = 0;

	while (i < image->header.sections && strcmp(image->names + image->sections[i].name, name))
		i++;
	return i;
}

int image_section(const struct image *image, const char *name, size_t limit, struct image_section *found)
{
	size_t i = find_section(image, name);
	const struct flat_section *s = &image->sections[i];

	if (i == image->header.sections)
		return -ENOENT;
	*found = (struct image_section){ .offset = s->offset, .address = s->address };
	return s->size > limit ? -EFBIG : section_content(image, i, found);
}

bool image_has_section(const struct image *image, const char *name)
{
	return find_section(image, name) < image->header.sections;
}

#define MAX_RELOCATIONS (16u << 20)
#define MAX_DATA (16u << 20)

static bool is_relative(const struct image *image, const Elf64_Rela *relocation)
{
	return ELF64_R_TYPE(relocation->r_info) ==
	       (image_arch(image) == ARCH_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE);
}

/* Position-independent executables have their pointers here. False: there are no such relocations. */
static bool find_relocation(const struct image *image, uint64_t address, bool *is_there)
{
	struct image_section section;
	Elf64_Rela relocation;
	bool has_any = false;

	if (image_section(image, ".rela.dyn", MAX_RELOCATIONS, &section) || !section.data)
		return false;
	for (size_t at = 0; at + sizeof(relocation) <= section.size && !*is_there; at += sizeof(relocation)) {
		memcpy(&relocation, section.data + at, sizeof(relocation));
		if (!is_relative(image, &relocation))
			continue;
		has_any = true;
		*is_there = (uint64_t)relocation.r_addend == address;
	}
	return has_any;
}

static bool has_word(const struct image *image, const char *name, uint64_t wanted)
{
	struct image_section section;
	uint64_t word;

	if (image_section(image, name, MAX_DATA, &section) || !section.data)
		return false;
	for (size_t at = 0; at + sizeof(word) <= section.size; at += sizeof(word)) {
		memcpy(&word, section.data + at, sizeof(word));
		if (word == wanted)
			return true;
	}
	return false;
}

bool image_points_to(const struct image *image, uint64_t address)
{
	bool is_there = false;

	if (find_relocation(image, address, &is_there))
		return is_there;
	return has_word(image, ".data", address) || has_word(image, ".data.rel.ro", address) ||
	       has_word(image, ".rodata", address);
}

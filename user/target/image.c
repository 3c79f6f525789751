// SPDX-License-Identifier: BSD-2-Clause
#include "target/image.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MAX_SEGMENTS 128
#define MAX_SYMBOLS (1 << 20)
#define MAX_SYMTAB_BYTES (MAX_SYMBOLS * sizeof(Elf64_Sym))
#define MAX_SECTIONS 4096

struct image {
	int fd;
	Elf *elf;
	uint64_t file_size;
	enum arch arch;
	uint64_t entry;
	size_t names_index; /* of the section names */
	Elf64_Phdr segments[MAX_SEGMENTS];
	size_t segment_count;
	struct image_symbol *symbols; /* sorted by name */
	size_t symbol_count;
};

static int fail(const char **why, const char *reason)
{
	*why = reason;
	return -ENOEXEC;
}

static int read_header(struct image *image, const char **why)
{
	GElf_Ehdr header;

	if (elf_kind(image->elf) != ELF_K_ELF || gelf_getclass(image->elf) != ELFCLASS64)
		return fail(why, "it is not a 64-bit ELF file");
	if (!gelf_getehdr(image->elf, &header))
		return fail(why, "its ELF header is truncated");
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return fail(why, "it is not little-endian");
	if (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)
		return fail(why, "it is for another CPU architecture");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return fail(why, "it is not an executable");
	image->arch = header.e_machine == EM_AARCH64 ? ARCH_AARCH64 : ARCH_X86_64;
	image->entry = header.e_entry;
	return 0;
}

static int read_segments(struct image *image, const char **why)
{
	size_t count;

	if (elf_getphdrnum(image->elf, &count) || count > MAX_SEGMENTS)
		return fail(why, "its program headers are invalid");
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->elf, (int)i, &segment))
			return fail(why, "its program headers are truncated");
		if (segment.p_type != PT_LOAD)
			continue;
		if (segment.p_filesz > segment.p_memsz || segment.p_vaddr + segment.p_memsz < segment.p_vaddr ||
		    segment.p_offset + segment.p_filesz < segment.p_offset)
			return fail(why, "a segment is invalid");
		image->segments[image->segment_count++] = segment;
	}
	return 0;
}

static bool is_wanted(const GElf_Sym *symbol)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC);
}

static int add_symbols(struct image *image, const GElf_Shdr *table, Elf_Data *data)
{
	size_t count = data->d_size / sizeof(Elf64_Sym);
	struct image_symbol *grown;

	if (!count || image->symbol_count + count > MAX_SYMBOLS)
		return 0;
	/* Exactly as many as the table has, since as a rule there are two tables. */
	grown = realloc(image->symbols, (image->symbol_count + count) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	image->symbols = grown;
	for (size_t i = 0; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, (int)i, &symbol) || !is_wanted(&symbol))
			continue;
		name = elf_strptr(image->elf, table->sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		grown[image->symbol_count++] = (struct image_symbol){
			.name = name,
			.address = symbol.st_value,
			.size = symbol.st_size,
			.is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC,
			.is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL,
		};
	}
	return 0;
}

/* By name, the exported one first. */
static int compare_symbols(const void *a, const void *b)
{
	const struct image_symbol *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->is_local - y->is_local;
}

/* Is the section's content in the file, so that reading it cannot take more memory than that? */
static bool is_in_file(const struct image *image, const GElf_Shdr *header)
{
	return header->sh_type != SHT_NOBITS && header->sh_offset <= image->file_size &&
	       header->sh_size <= image->file_size - header->sh_offset;
}

/* .dynsym is what a stripped file keeps; .symtab has the static functions too, where it is left. */
static int read_symbols(struct image *image)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		int err;

		if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) ||
		    !is_in_file(image, &header) || header.sh_size > MAX_SYMTAB_BYTES)
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_buf)
			continue;
		err = add_symbols(image, &header, data);
		if (err)
			return err;
	}
	if (image->symbol_count)
		qsort(image->symbols, image->symbol_count, sizeof(*image->symbols), compare_symbols);
	return 0;
}

static int read_all(struct image *image, const char **why)
{
	size_t sections;
	int err = read_header(image, why);

	if (!err)
		err = read_segments(image, why);
	if (err)
		return err;
	if (elf_getshdrnum(image->elf, &sections) || sections > MAX_SECTIONS)
		return fail(why, "its section headers are invalid");
	if (elf_getshdrstrndx(image->elf, &image->names_index))
		return fail(why, "it has no section names");
	return read_symbols(image);
}

int image_open(int fd, struct image **image, const char **why)
{
	struct image *opened;
	struct stat st;
	int err;

	*why = "it cannot be read";
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return fail(why, "it is not a regular file");
	elf_version(EV_CURRENT);
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return -ENOMEM;
	opened->fd = fd;
	opened->file_size = (uint64_t)st.st_size;
	opened->elf = elf_begin(fd, ELF_C_READ, NULL);
	err = opened->elf ? read_all(opened, why) : fail(why, "libelf cannot read it");
	if (err) {
		image_free(opened);
		return err;
	}
	*image = opened;
	return 0;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	free(image->symbols);
	free(image);
}

enum arch image_arch(const struct image *image)
{
	return image->arch;
}

uint64_t image_entry(const struct image *image)
{
	return image->entry;
}

uint64_t image_start(const struct image *image)
{
	const Elf64_Phdr *first = image->segments;

	return image->segment_count && !(first->p_offset & 0xfff) && first->p_offset < 0x1000
		       ? first->p_vaddr - first->p_offset
		       : 0;
}

const struct image_symbol *image_symbol(const struct image *image, const char *name)
{
	size_t first = 0, end = image->symbol_count;
	const struct image_symbol *found;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (strcmp(image->symbols[middle].name, name) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	if (first == image->symbol_count || strcmp(image->symbols[first].name, name))
		return NULL;
	found = &image->symbols[first];
	/* Of static symbols that share a name nobody knows which one is meant. */
	for (size_t i = first + 1; found->is_local && i < image->symbol_count; i++) {
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
	*count = image->symbol_count;
	return image->symbols;
}

/* Code must be in the file; data may be zeroed memory behind it. */
static uint64_t extent_of(const Elf64_Phdr *s, uint32_t flag)
{
	return flag & PF_X ? s->p_filesz : s->p_memsz;
}

static const Elf64_Phdr *segment_of(const struct image *image, uint64_t address, uint32_t flag)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const Elf64_Phdr *s = &image->segments[i];

		if ((!flag || s->p_flags & flag) && address >= s->p_vaddr && address - s->p_vaddr < extent_of(s, flag))
			return s;
	}
	return NULL;
}

static int offset_in(const struct image *image, uint64_t address, uint32_t flag, uint64_t *offset)
{
	const Elf64_Phdr *s = segment_of(image, address, flag);

	if (!s)
		return -ENOENT;
	/* Behind p_filesz is memory that comes from no file. */
	if (address - s->p_vaddr >= s->p_filesz)
		return -ENOENT;
	*offset = s->p_offset + (address - s->p_vaddr);
	return *offset < image->file_size ? 0 : -ENOENT;
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
	const Elf64_Phdr *s = segment_of(image, address, flag);
	uint64_t in;

	if (!s)
		return -ENOENT;
	in = address - s->p_vaddr;
	if (in > s->p_filesz || size > s->p_filesz - in)
		return -ENOENT;
	return pread(image->fd, buf, size, (off_t)(s->p_offset + in)) == (ssize_t)size ? 0 : -ENOENT;
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
	for (size_t k = 0; k < image->segment_count; k++) {
		const Elf64_Phdr *s = &image->segments[k];

		if (!(s->p_flags & PF_X) || i--)
			continue;
		*address = s->p_vaddr;
		*size = s->p_filesz;
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

int image_section(const struct image *image, const char *name, size_t limit, struct image_section *found)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(image->elf, section))) {
		const char *its_name;
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header))
			continue;
		its_name = elf_strptr(image->elf, image->names_index, header.sh_name);
		if (!its_name || strcmp(its_name, name))
			continue;
		*found = (struct image_section){ .offset = header.sh_offset, .address = header.sh_addr };
		if (header.sh_size > limit)
			return -EFBIG;
		if (header.sh_type == SHT_NOBITS) {
			found->size = header.sh_size;
			return 0;
		}
		if (!is_in_file(image, &header))
			return -EINVAL;
		data = elf_rawdata(section, NULL);
		if (header.sh_size && (!data || !data->d_buf))
			return -EINVAL;
		found->data = header.sh_size ? data->d_buf : NULL;
		found->size = header.sh_size ? data->d_size : 0;
		return 0;
	}
	return -ENOENT;
}

#define MAX_RELOCATIONS (64u << 20)
#define MAX_DATA (64u << 20)

static bool is_relative(const struct image *image, const Elf64_Rela *relocation)
{
	return ELF64_R_TYPE(relocation->r_info) ==
	       (image_arch(image) == ARCH_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE);
}

/* Position-independent executables have their pointers here. False if there are no such relocations. */
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

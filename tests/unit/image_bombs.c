// SPDX-License-Identifier: BSD-2-Clause
/* Small files that say that they are large: what they cost is bounded. Each test has 256 MiB of memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/process/sanitizer.h"
#include "check.h"
#include "elf_builder.h"
#include "target/image/image_build.h"

#define MEMORY (256ULL << 20)
#define TABLE_AT (1ULL << 20)	/* where a bomb has its symbols */
#define STRINGS_AT (1ULL << 30) /* and their names; between are holes */
#define MILLION 1000000

static const struct elf_symbol functions[] = { { .name = "apple", .address = ELF_CODE } };
static const struct elf_spec plain = { .dynamic = functions, .dynamic_count = COUNT(functions) };

static void limit_memory(void)
{
	struct rlimit limit = { MEMORY, MEMORY };

	if (IS_SANITIZED)
		return;
	cr_assert(eq(int, setrlimit(RLIMIT_DATA, &limit), 0));
}

/* A file whose .dynsym has `count` symbols, which are holes so far, and whose .dynstr has `bytes`. */
static int make_bomb(uint64_t count, uint64_t bytes)
{
	struct elf_made file;
	Elf64_Shdr *table, *strings;
	int fd;

	elf_build(&plain, &file);
	table = elf_section(&file, ".dynsym");
	strings = elf_section(&file, ".dynstr");
	table->sh_offset = TABLE_AT;
	table->sh_size = count * sizeof(Elf64_Sym);
	strings->sh_offset = STRINGS_AT;
	strings->sh_size = bytes;
	fd = elf_write(file.bytes, file.size);
	cr_assert(eq(int, ftruncate(fd, (off_t)(STRINGS_AT + bytes)), 0));
	elf_free(&file);
	return fd;
}

/* Symbols from `from` on, whose names begin `step` bytes after one another. */
static void put_symbols(int fd, size_t count, size_t step)
{
	static Elf64_Sym part[1024];

	for (size_t from = 0; from < count; from += COUNT(part)) {
		for (size_t i = 0; i < COUNT(part); i++)
			part[i] = (Elf64_Sym){
				.st_name = (uint32_t)((from + i) * step),
				.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				.st_shndx = 1,
				.st_value = ELF_CODE + from + i,
			};
		cr_assert(eq(long, (long)pwrite(fd, part, sizeof(part), (off_t)(TABLE_AT + from * sizeof(*part))),
			     (long)sizeof(part)));
	}
}

static void put_strings(int fd, const char *text, size_t size, size_t times)
{
	for (size_t i = 0; i < times; i++)
		cr_assert(eq(long, (long)pwrite(fd, text, size, (off_t)(STRINGS_AT + i * size)), (long)size));
}

static size_t symbols_of(int fd)
{
	struct image *image;
	const char *why;
	size_t count;

	limit_memory();
	cr_assert(eq(int, image_open(fd, &image, &why), 0), "%s", why);
	image_symbols(image, &count);
	image_free(image);
	close(fd);
	return count;
}

Test(image_bombs, a_million_symbols_in_a_file_of_holes_have_no_names)
{
	cr_expect(eq(sz, symbols_of(make_bomb(MILLION, 4096)), 0));
}

Test(image_bombs, a_table_of_a_billion_symbols_is_not_read)
{
	cr_expect(eq(sz, symbols_of(make_bomb(40ULL << 20, 4096)), 0));
}

Test(image_bombs, a_string_table_of_four_gigabytes_is_not_read)
{
	cr_expect(eq(sz, symbols_of(make_bomb(1, 4ULL << 30)), 0));
}

Test(image_bombs, symbols_that_share_one_long_string_cost_no_more_than_their_names)
{
	static char text[600 << 10];
	int fd = make_bomb(MILLION, sizeof(text));

	memset(text, 'a', sizeof(text) - 1);
	put_strings(fd, text, sizeof(text), 1);
	put_symbols(fd, sizeof(text) / 2, 1);
	cr_expect(eq(sz, symbols_of(fd), 0));
}

/* Each name is short enough, and all together are not. */
Test(image_bombs, names_that_overlap_count_with_their_whole_length)
{
	static char text[2048];
	int fd = make_bomb(MILLION, 600 << 10);

	memset(text, 'a', sizeof(text) - 1);
	put_strings(fd, text, sizeof(text), 300);
	put_symbols(fd, 256 << 10, 2);
	cr_expect(eq(sz, symbols_of(fd), 0));
}

Test(image_bombs, as_many_symbols_as_are_allowed_are_sorted)
{
	static char text[64 << 10];
	int fd = make_bomb(IMAGE_MAX_SYMBOLS, 48 << 20);

	for (size_t i = 0; i < sizeof(text); i += 64)
		memcpy(text + i, "a_name_of_some_length_as_all_names_of_these_symbols_are", 56);
	put_strings(fd, text, sizeof(text), (48 << 20) / sizeof(text));
	put_symbols(fd, IMAGE_MAX_SYMBOLS, 64);
	cr_expect(eq(sz, symbols_of(fd), IMAGE_MAX_SYMBOLS));
}

/* What is kept of all files of a process that runs a thousand is bounded, and large ones leave room for small ones. */
Test(image_bombs, many_images_take_no_more_than_all_may_take)
{
	enum { MANY = 1000, MOST = 4 << 20 };
	static char text[4096];
	static struct image *images[MANY];
	int fd = make_bomb(16, sizeof(text));
	struct elf_opened small;
	size_t count = 0, symbols;
	const char *why;

	memset(text, 'a', sizeof(text) - 1);
	put_strings(fd, text, sizeof(text), 1);
	put_symbols(fd, 16, 1);
	image_limit_all(MOST);
	while (count < MANY && !image_open(fd, &images[count], &why))
		count++;
	image_symbols(images[0], &symbols);
	cr_expect(gt(sz, symbols * (sizeof(text) - 200) * count, MOST / 2));
	cr_expect(le(sz, symbols * (sizeof(text) - 200) * count, MOST));
	elf_open_spec(&plain, &small);
	cr_expect(ne(ptr, small.image, NULL));
	elf_close(&small);
	while (count)
		image_free(images[--count]);
	cr_expect(eq(int, image_open(fd, &images[0], &why), 0));
	image_free(images[0]);
	close(fd);
}

/* One static symbol under one name, at one place, however often. */
Test(image_bombs, static_symbols_that_are_the_same_are_one)
{
	struct elf_symbol same[100];
	struct elf_spec spec = { .all = same, .all_count = COUNT(same) };
	struct elf_opened o;
	size_t count;

	for (size_t i = 0; i < COUNT(same); i++)
		same[i] = (struct elf_symbol){ .name = "init", .address = ELF_CODE, .is_local = true };
	elf_open_spec(&spec, &o);
	image_symbols(o.image, &count);
	cr_expect(eq(sz, count, 1));
	cr_expect(ne(ptr, (void *)image_symbol(o.image, "init"), NULL));
	elf_close(&o);
}

Test(image_bombs, a_file_that_does_not_have_what_is_needed_is_refused)
{
	static const char *const needed[] = { "apple", "enif_send", NULL }, *const has[] = { "apple", NULL };
	struct elf_made file;
	const char *why;
	void *flat = NULL;
	size_t size;
	int fd;

	elf_build(&plain, &file);
	fd = elf_write(file.bytes, file.size);
	cr_expect(eq(int, image_build(fd, &image_limits_usual, needed, &flat, &size, &why), -ENOEXEC));
	expect_text(why, "it lacks the required symbols");
	cr_assert(eq(int, image_build(fd, &image_limits_usual, has, &flat, &size, &why), 0));
	cr_expect(le(sz, size, image_most_bytes(&image_limits_usual)));
	free(flat);
	close(fd);
	elf_free(&file);
}

/* What a reader hands over that was taken over by its file. */
Test(image_bombs, a_flat_image_that_lies_is_refused)
{
	struct elf_made file;
	const char *why;
	void *flat;
	size_t size, refused = 0;
	int fd;

	elf_build(&plain, &file);
	fd = elf_write(file.bytes, file.size);
	cr_assert(eq(int, image_build(fd, &image_limits_usual, NULL, &flat, &size, &why), 0));
	for (size_t at = 0; at < size; at++) {
		for (int bit = 0; bit < 8; bit += 7) {
			struct image_file none = { .fd = -1 };
			unsigned char *copy = malloc(size);
			struct image *image;
			size_t count;

			memcpy(copy, flat, size);
			copy[at] ^= (unsigned char)(1 << bit);
			if (image_take(copy, size, &none, &image)) {
				refused++;
				continue;
			}
			image_symbols(image, &count);
			image_symbol(image, "apple");
			image_start(image);
			image_free(image);
		}
	}
	cr_expect(gt(sz, refused, 0));
	for (size_t less = 1; less <= size; less++) {
		struct image_file none = { .fd = -1 };
		unsigned char *copy = malloc(size);
		struct image *image;

		memcpy(copy, flat, size);
		cr_expect(eq(int, image_take(copy, size - less, &none, &image), -EINVAL));
	}
	free(flat);
	close(fd);
	elf_free(&file);
}

// SPDX-License-Identifier: BSD-2-Clause
/* Prints what the functions and data of a VM are called by comparison, whatever it says itself: match-names FILE. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_file.h"
#include "match/match.h"

int main(int argc, char **argv)
{
	struct elf_file file = { .fd = argc == 2 ? open(argv[1], O_RDONLY) : -1 };
	struct match match = {};
	const char *why = "it cannot be read";
	struct stat st;
	int err = file.fd < 0 || fstat(file.fd, &st) ? 1 : 0;

	if (!err) {
		file.size = (uint64_t)st.st_size;
		err = elf_file_open(&file, &why);
	}
	if (!err)
		err = match_make(&file, &match);
	if (!err)
		why = match.result == MATCH_DONE ? NULL : match_why(match.result);
	if (why)
		fprintf(stderr, "match-names: %s\n", why);
	for (size_t i = 0; !err && i < match.count; i++)
		printf("%x %s %s\n", match.symbols[i].address, match.symbols[i].is_function ? "function" : "object",
		       match.symbols[i].name);
	match_free(&match);
	elf_file_close(&file);
	close(file.fd);
	return err ? 1 : 0;
}

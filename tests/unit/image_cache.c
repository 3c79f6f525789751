// SPDX-License-Identifier: BSD-2-Clause
/* What was found by comparison is kept in a folder, which does not grow without end. */
#include "target/image/image_build.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "match/match.h"
#include "target/image/image_flat.h"

#define MOST_FILES 32

static char folder[] = "/tmp/erlbpf-image-cache-XXXXXX";

/* With a file as a process leaves one that was killed while it wrote. */
static void make_folder(void)
{
	static const struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	char left[sizeof(folder) + 16];
	int fd;

	cr_assert(ne(ptr, mkdtemp(folder), NULL));
	setenv("ERLBPF_MATCHED", folder, 1);
	snprintf(left, sizeof(left), "%s/.new-1", folder);
	fd = open(left, O_CREAT | O_WRONLY, 0600);
	cr_assert(ge(int, fd, 0));
	futimens(fd, long_ago);
	close(fd);
}

static void remove_folder(void)
{
	DIR *dir = opendir(folder);

	for (const struct dirent *entry; (entry = readdir(dir));)
		unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(folder);
}

static size_t count_files(bool *has_left)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	*has_left = false;
	for (const struct dirent *entry; (entry = readdir(dir));) {
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
		*has_left |= !strncmp(entry->d_name, ".new-", strlen(".new-"));
	}
	closedir(dir);
	return count;
}

Test(image_cache, the_oldest_goes_whatever_it_is_called, .init = make_folder, .fini = remove_folder)
{
	struct flat_header header = { .match = MATCH_DONE };
	bool has_left;

	for (int key = 0; key < MOST_FILES - 1; key++)
		image_cache_put(&key, sizeof(key), &header, sizeof(header));
	cr_expect(eq(sz, count_files(&has_left), MOST_FILES));
	cr_expect(has_left);
	for (int key = MOST_FILES; key < MOST_FILES + 2; key++)
		image_cache_put(&key, sizeof(key), &header, sizeof(header));
	cr_expect(eq(sz, count_files(&has_left), MOST_FILES));
	cr_expect(not(has_left));
}

/* Who runs files with many long names fills no disk. */
Test(image_cache, a_large_one_is_not_kept, .init = make_folder, .fini = remove_folder)
{
	size_t size = 5 << 20;
	struct flat_header *header = calloc(1, size);
	bool has_left;
	int key = 1;

	header->match = MATCH_DONE;
	image_cache_put(&key, sizeof(key), header, size);
	cr_expect(eq(sz, count_files(&has_left), 1));
	free(header);
}

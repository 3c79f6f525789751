// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any texts as the tables of sockets in /proc/PID/net: the input, at bytes 0xff cut into files, of which the last is
 * the rest. Paths of AF_UNIX are what whoever bound them wrote. Each inode that the texts name, and some that they do
 * not, is looked up.
 */
#include "fuzz.h"
#include "target/socket_table.h"

#define INODES 256 /* that are looked up by number, named or not */

static char *texts_of(const uint8_t **data, size_t *size, bool is_last)
{
	const uint8_t *end = *size && !is_last ? memchr(*data, 0xff, *size) : NULL;
	size_t length = end ? (size_t)(end - *data) : *size;
	char *text = fuzz_text(*data, length);

	length += end ? 1 : 0;
	*data += length;
	*size -= length;
	return text;
}

static void check(struct socket_table *table, uint64_t inode)
{
	struct socket_addresses found;
	bool is_found = socket_table_find(table, inode, &found);

	must(memchr(found.local, '\0', sizeof(found.local)), "a local address ends");
	must(memchr(found.peer, '\0', sizeof(found.peer)), "the address of a peer ends");
	must(is_found || (!*found.local && !*found.peer && found.way == SOCKET_WAY_UNKNOWN),
	     "nothing is said of what is not there");
	must(!is_found || inode, "no socket has the inode 0");
}

/* Whatever number is in the texts, as an inode. */
static void check_named(struct socket_table *table, const uint8_t *data, size_t size)
{
	uint64_t inode = 0;

	for (size_t i = 0; i < size; i++) {
		if (data[i] >= '0' && data[i] <= '9') {
			inode = inode * 10 + (uint64_t)(data[i] - '0');
		} else if (inode) {
			check(table, inode);
			inode = 0;
		}
	}
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct socket_table *table = socket_table_new();
	const uint8_t *rest = data;
	size_t left = size;

	must(table, "there is memory");
	for (enum socket_file file = 0; file < SOCKET_FILES; file++)
		must(!socket_table_add(table, file, texts_of(&rest, &left, file + 1 == SOCKET_FILES)),
		     "a text is read, whatever is in it");
	for (uint64_t inode = 0; inode < INODES; inode++)
		check(table, inode);
	check_named(table, data, size);
	socket_table_free(table);
}

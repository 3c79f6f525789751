// SPDX-License-Identifier: BSD-2-Clause
/* Sockets as the kernel lists them, and as a hostile path makes the list look. */
#include "target/socket_table.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#define TCP_TITLE "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
#define UNIX_TITLE "Num       RefCount Protocol Flags    Type St Inode Path\n"
#define REST "00000000:00000000 00:00000000 00000000     0        0 "

static const char *const texts[SOCKET_FILES] = {
	[SOCKET_FILE_TCP] = TCP_TITLE "   0: 0100007F:1F90 00000000:0000 0A " REST "101 1 0 100 0 0 10 0\n"
				      "   1: 0100007F:1F90 0100007F:C350 01 " REST "102 1 0 20 4 30 10 -1\n"
				      "   2: 0100007F:C350 0100007F:1F90 01 " REST "103 1 0 20 4 30 10 -1\n"
				      "   3: 0100007F:C351 0100007F:1F90 06 " REST "0 3 0\n",
	[SOCKET_FILE_TCP6] = TCP_TITLE
	"   0: 00000000000000000000000001000000:1F91 00000000000000000000000001000000:C352 01 " REST "104 1 0\n"
	"   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:C353 01 " REST "105 1 0\n",
	[SOCKET_FILE_UDP] = TCP_TITLE "  77: 00000000:0035 00000000:0000 07 " REST "106 2 0 0\n"
				      "  78: 0100007F:0036 0100007F:0037 01 " REST "107 2 0 0\n",
	[SOCKET_FILE_UNIX] = UNIX_TITLE "0000000000000000: 00000002 00000000 00010000 0001 01   108 /run/a b\n"
					"0000000000000000: 00000003 00000000 00000000 0001 03   109\n"
					/* One socket, whose path goes on in the next lines. */
					"0000000000000000: 00000003 00000000 00000000 0001 03   110 /x\n"
					"0000000000000000: 00000003 00000000 00000000 0001 03   108 /forged\n"
					"0000000000000000: 00000003 00000000 00000000 0001 03   102 /forged\n"
					"0: 0100007F:0001 0100007F:0002 01 " REST "111 1 0\n",
};

static struct socket_table *table;

static void make_table(void)
{
	table = socket_table_new();
	for (enum socket_file file = 0; file < SOCKET_FILES; file++) {
		if (texts[file])
			cr_assert(eq(int, socket_table_add(table, file, strdup(texts[file])), 0));
	}
}

static void free_table(void)
{
	socket_table_free(table);
}

static void expect_socket(uint64_t inode, const char *local, const char *peer, enum socket_way way)
{
	struct socket_addresses found;

	cr_assert(socket_table_find(table, inode, &found), "%d", (int)inode);
	expect_text(found.local, local, "%d", (int)inode);
	expect_text(found.peer, peer, "%d", (int)inode);
	cr_expect(eq(int, (int)found.way, (int)way), "%d", (int)inode);
}

Test(socket_table, has_the_addresses_and_which_side_connected, .init = make_table, .fini = free_table)
{
	expect_socket(101, "127.0.0.1:8080", "", SOCKET_WAY_UNKNOWN);
	expect_socket(102, "127.0.0.1:8080", "127.0.0.1:50000", SOCKET_ACCEPTED);
	expect_socket(103, "127.0.0.1:50000", "127.0.0.1:8080", SOCKET_CONNECTED);
	expect_socket(104, "[::1]:8081", "[::1]:50002", SOCKET_CONNECTED);
	expect_socket(105, "127.0.0.1:8080", "127.0.0.2:50003", SOCKET_ACCEPTED);
	expect_socket(106, "0.0.0.0:53", "", SOCKET_WAY_UNKNOWN);
	expect_socket(107, "127.0.0.1:54", "127.0.0.1:55", SOCKET_CONNECTED);
	expect_socket(109, "", "", SOCKET_WAY_UNKNOWN);
	expect_socket(110, "/x", "", SOCKET_WAY_UNKNOWN);
}

Test(socket_table, believes_no_path_that_forges_lines, .init = make_table, .fini = free_table)
{
	struct socket_addresses found;

	cr_expect(not(socket_table_find(table, 108, &found)));
	cr_expect(not(socket_table_find(table, 111, &found)));
	cr_expect(not(socket_table_find(table, 0, &found)));
	cr_expect(not(socket_table_find(table, 999, &found)));
}

static struct socket_table *table_of(const char *text)
{
	struct socket_table *made = socket_table_new();

	cr_assert(eq(int, socket_table_add(made, SOCKET_FILE_TCP, strdup(text)), 0));
	return made;
}

Test(socket_table, survives_lines_that_are_cut_or_nonsense)
{
	static const char *const lines[] = {
		"",
		"\n\n\n",
		"0:",
		"   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000 0 0",
		"   1: 0100007F 0100007F:C350 01 " REST "102",
		"   1: 0100007F:1F90 0100007F:ZZZZ 01 " REST "102",
		"   1: 0100007:1F90 0100007F:C350 01 " REST "102",
		"   1: 0100007F:1F90000 0100007F:C350 01 " REST "102",
		"1 2 3 0A 5 6 7 8 9 102",
	};
	struct socket_addresses found;

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct socket_table *made = table_of(lines[i]);

		cr_expect(not(socket_table_find(made, 102, &found)), "%s", lines[i]);
		socket_table_free(made);
	}
}

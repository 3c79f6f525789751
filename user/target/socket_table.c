// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lines of /proc/net/tcp, tcp6, udp and udp6 have only numbers. A line of /proc/net/unix ends with a path that the
 * socket's owner has chosen, of any bytes but NUL: it may forge whole lines. So an inode that is listed twice is
 * ignored, and no path can say anything about an inet socket.
 *
 * Source: get_tcp4_sock() of net/ipv4/tcp_ipv4.c and its siblings; unix_seq_show() of net/unix/af_unix.c.
 */
#include "target/socket_table.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "target/reader/reader.h"

#define MAX_TEXT (16u << 20) /* per file: 100,000 sockets */
#define PIECE (1u << 20)     /* that a reader returns at once */
#define PORTS 65536
#define LISTENERS_TEXT 65536 /* that is read for listening sockets: about 400 */
#define MAX_LISTENERS 512
#define STATE_LISTENS 10 /* TCP_LISTEN */

struct entry {
	uint64_t inode;
	const char *line; /* NUL-terminated */
	enum socket_file file;
};

struct socket_table {
	char *texts[SOCKET_FILES];
	struct entry *entries;
	size_t count;
	bool is_sorted;
	bool is_cut; /* there were more sockets, so the set of listening ports is incomplete */
	bool listens[PORTS];
};

/* Skips `count` words. */
static const char *behind_words(const char *line, int count)
{
	for (int i = 0; i < count; i++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	return line + strspn(line, " ");
}

/* Reads ADDRESS:PORT. The address has 8 or 32 digits: 32-bit words in the byte order of the machine. */
static bool read_address(const char *word, bool is_six, uint32_t address[4], unsigned int *port)
{
	size_t words = is_six ? 4 : 1;
	char end;

	if (strspn(word, "0123456789ABCDEF") != words * 8)
		return false;
	for (size_t i = 0; i < words; i++) {
		if (sscanf(word + i * 8, "%8" SCNx32, &address[i]) != 1)
			return false;
	}
	return sscanf(word + words * 8, ":%4x%c", port, &end) == 2 && end == ' ';
}

static bool is_zero(const uint32_t address[4], bool is_six)
{
	return !address[0] && (!is_six || (!address[1] && !address[2] && !address[3]));
}

static void write_address(const uint32_t address[4], bool is_six, unsigned int port, char *to)
{
	bool is_mapped = is_six && !address[0] && !address[1] && address[2] == htonl(0xffff);
	char text[INET6_ADDRSTRLEN];

	if (is_six && !is_mapped) {
		inet_ntop(AF_INET6, address, text, sizeof(text));
		snprintf(to, SOCKET_ADDRESS_SIZE, "[%s]:%u", text, port);
	} else {
		inet_ntop(AF_INET, is_mapped ? &address[3] : address, text, sizeof(text));
		snprintf(to, SOCKET_ADDRESS_SIZE, "%s:%u", text, port);
	}
}

static bool is_six(enum socket_file file)
{
	return file == SOCKET_FILE_TCP6 || file == SOCKET_FILE_UDP6;
}

static bool is_tcp(enum socket_file file)
{
	return file == SOCKET_FILE_TCP || file == SOCKET_FILE_TCP6;
}

static void note_listener(struct socket_table *table, enum socket_file file, const char *line)
{
	unsigned int port, state;
	uint32_t address[4];

	if (is_tcp(file) && sscanf(behind_words(line, 3), "%x", &state) == 1 && state == STATE_LISTENS &&
	    read_address(behind_words(line, 1), is_six(file), address, &port))
		table->listens[port % PORTS] = true;
}

static int add_line(struct socket_table *table, enum socket_file file, const char *line)
{
	struct entry entry = { .line = line, .file = file };

	/* "sl local rem st queues timer retrnsmt uid timeout inode", "Num RefCount Protocol Flags Type St Inode Path"
	 */
	if (sscanf(behind_words(line, file == SOCKET_FILE_UNIX ? 6 : 9), "%" SCNu64, &entry.inode) != 1 || !entry.inode)
		return 0;
	note_listener(table, file, line);
	if (!array_has_room(table->entries, table->count))
		return -ENOMEM;
	table->entries[table->count++] = entry;
	return 0;
}

int socket_table_add(struct socket_table *table, enum socket_file file, char *text)
{
	char *line = text, *next;
	int err = 0;

	free(table->texts[file]);
	table->texts[file] = text;
	table->is_sorted = false;
	for (; !err && *line; line = next) {
		size_t length = strcspn(line, "\n");

		next = line + length + (line[length] != '\0');
		line[length] = '\0';
		err = add_line(table, file, line);
	}
	return err;
}

struct socket_table *socket_table_new(void)
{
	return calloc(1, sizeof(struct socket_table));
}

void socket_table_free(struct socket_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < SOCKET_FILES; i++)
		free(table->texts[i]);
	free(table->entries);
	free(table);
}

/* Reads the file. *is_cut: it is longer than MAX_TEXT. NULL: it does not exist. */
static char *read_text(pid_t pid, const char *name, bool *is_cut)
{
	size_t size = 0, room = 0;
	char *text = NULL;
	ssize_t n = 1;

	while (n > 0 && size < MAX_TEXT) {
		if (!array_has_room_for(text, room, size + PIECE + 1))
			break;
		n = reader_file(pid, name, size, text + size, PIECE);
		size += n > 0 ? (size_t)n : 0;
	}
	*is_cut |= n > 0;
	if (text)
		text[size] = '\0';
	return text;
}

struct socket_table *socket_table_read(pid_t pid)
{
	static const char *const names[SOCKET_FILES] = { "net/tcp", "net/tcp6", "net/udp", "net/udp6", "net/unix" };
	struct socket_table *table = socket_table_new();
	int err = table ? 0 : -ENOMEM;

	for (enum socket_file file = 0; !err && file < SOCKET_FILES; file++) {
		char *text = read_text(pid, names[file], &table->is_cut);

		if (text)
			err = socket_table_add(table, file, text);
	}
	if (!err)
		return table;
	socket_table_free(table);
	errno = -err;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

/* The first entry with that inode, or NULL. */
static const struct entry *first_of(struct socket_table *table, uint64_t inode)
{
	size_t low = 0, high = table->count;

	if (!table->is_sorted && table->count)
		qsort(table->entries, table->count, sizeof(*table->entries), compare);
	table->is_sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->count && table->entries[low].inode == inode ? &table->entries[low] : NULL;
}

static enum socket_way way_of(const struct socket_table *table, enum socket_file file, unsigned int port)
{
	if (is_tcp(file) && table->listens[port % PORTS])
		return SOCKET_ACCEPTED;
	return is_tcp(file) && table->is_cut ? SOCKET_WAY_UNKNOWN : SOCKET_CONNECTED;
}

static bool find_inet(const struct socket_table *table, const struct entry *entry, struct socket_addresses *found)
{
	bool six = is_six(entry->file);
	uint32_t local[4], peer[4];
	unsigned int port, peer_port;

	if (!read_address(behind_words(entry->line, 1), six, local, &port) ||
	    !read_address(behind_words(entry->line, 2), six, peer, &peer_port))
		return false;
	if (port || !is_zero(local, six))
		write_address(local, six, port, found->local);
	if (!peer_port && is_zero(peer, six))
		return true;
	write_address(peer, six, peer_port, found->peer);
	found->way = way_of(table, entry->file, port);
	return true;
}

bool socket_table_find(struct socket_table *table, uint64_t inode, struct socket_addresses *addresses)
{
	const struct entry *entry = first_of(table, inode), *end;

	*addresses = (struct socket_addresses){};
	if (!entry)
		return false;
	end = table->entries + table->count;
	if (entry + 1 < end && entry[1].inode == inode && entry[1].file == entry->file)
		return false;
	if (entry->file != SOCKET_FILE_UNIX)
		return find_inet(table, entry, addresses);
	snprintf(addresses->local, sizeof(addresses->local), "%s", behind_words(entry->line, 7));
	return true;
}

/*
 * "sl local rem st tx_queue:rx_queue ...". For a listening socket, rx_queue is the length of its accept queue. False:
 * the socket does not listen.
 */
static bool read_listener(const char *line, bool six, struct socket_listener *listener)
{
	unsigned int state;
	uint32_t address[4];

	*listener = (struct socket_listener){};
	if (sscanf(behind_words(line, 3), "%x %*x:%x", &state, &listener->waiting) != 2)
		return false;
	return state == STATE_LISTENS && read_address(behind_words(line, 1), six, address, &listener->port) &&
	       sscanf(behind_words(line, 9), "%" SCNu64, &listener->inode) == 1;
}

static size_t add_listeners(char *text, bool six, struct socket_listener *listeners, size_t count, size_t most,
			    unsigned int least_waiting)
{
	char *rest = NULL, *line = strtok_r(text, "\n", &rest);

	/* The first line has the column names. */
	while (line && count < most && (line = strtok_r(NULL, "\n", &rest))) {
		if (!read_listener(line, six, &listeners[count]))
			break;
		count += listeners[count].waiting >= least_waiting;
	}
	return count;
}

static size_t read_listeners(pid_t pid, struct socket_listener *listeners, size_t most, unsigned int least_waiting)
{
	static const char *const names[] = { "net/tcp", "net/tcp6" };
	_cleanup_free_ char *text = malloc(LISTENERS_TEXT + 1);
	size_t count = 0;

	for (int i = 0; text && i < 2; i++) {
		ssize_t size = reader_file(pid, names[i], 0, text, LISTENERS_TEXT);

		if (size <= 0)
			continue;
		text[size] = '\0';
		count = add_listeners(text, i == 1, listeners, count, most, least_waiting);
	}
	return count;
}

size_t socket_listeners(pid_t pid, struct socket_listener *listeners, size_t most)
{
	return read_listeners(pid, listeners, most, 1);
}

static size_t on_port(const struct socket_listener *listeners, size_t count, unsigned int port)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += listeners[i].port == port;
	return found;
}

size_t socket_own_ports(pid_t pid, unsigned int *ports, size_t most)
{
	_cleanup_free_ struct socket_listener *listeners = calloc(MAX_LISTENERS, sizeof(*listeners));
	size_t count = listeners ? read_listeners(pid, listeners, MAX_LISTENERS, 0) : 0, own = 0;

	for (size_t i = 0; i < count && own < most; i++) {
		if (on_port(listeners, count, listeners[i].port) == 1 && socket_number(pid, listeners[i].inode) >= 0)
			ports[own++] = listeners[i].port;
	}
	return own;
}

int socket_number(pid_t pid, uint64_t inode)
{
	char path[64], wanted[64], link[64];
	const struct dirent *entry;
	int number = -1;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	snprintf(wanted, sizeof(wanted), "socket:[%" PRIu64 "]", inode);
	folder = opendir(path);
	while (folder && number < 0 && (entry = readdir(folder))) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);

		if (length <= 0)
			continue;
		link[length] = '\0';
		if (!strcmp(link, wanted))
			number = atoi(entry->d_name);
	}
	if (folder)
		closedir(folder);
	return number;
}

uint64_t socket_inode(pid_t pid, int fd)
{
	struct reader_identity identity;
	char name[32];

	snprintf(name, sizeof(name), "fd/%d", fd);
	return !reader_identify(pid, name, &identity) && identity.is_socket ? identity.inode : 0;
}

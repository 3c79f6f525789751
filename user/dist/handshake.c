// SPDX-License-Identifier: BSD-2-Clause
#include "dist/handshake.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/duration.h"

#define MESSAGE_SIZE 1024 /* the longest message has a name of 255 bytes */
#define NAME_SIZE 256

/*
 * DFLAG_* that OTP 25 and later require, and those for what is read here. Without DFLAG_PUBLISHED (this node is
 * hidden), fragments and the atom cache.
 */
#define FLAG_EXTENDED_REFERENCES 0x4
#define FLAG_FUN_TAGS 0x10
#define FLAG_NEW_FUN_TAGS 0x80
#define FLAG_EXTENDED_PIDS_PORTS 0x100
#define FLAG_EXPORT_PTR_TAG 0x200
#define FLAG_BIT_BINARIES 0x400
#define FLAG_NEW_FLOATS 0x800
#define FLAG_UTF8_ATOMS 0x10000
#define FLAG_MAP_TAG 0x20000
#define FLAG_BIG_CREATION 0x40000
#define FLAG_HANDSHAKE_23 0x1000000
#define FLAG_UNLINK_ID 0x2000000
#define FLAG_MANDATORY_25_DIGEST UINT64_C(0x1000000000)
#define FLAG_V4_NC UINT64_C(0x400000000)

#define FLAGS                                                                                                          \
	(FLAG_EXTENDED_REFERENCES | FLAG_FUN_TAGS | FLAG_NEW_FUN_TAGS | FLAG_EXTENDED_PIDS_PORTS |                     \
	 FLAG_EXPORT_PTR_TAG | FLAG_BIT_BINARIES | FLAG_NEW_FLOATS | FLAG_UTF8_ATOMS | FLAG_MAP_TAG |                  \
	 FLAG_BIG_CREATION | FLAG_HANDSHAKE_23 | FLAG_UNLINK_ID | FLAG_MANDATORY_25_DIGEST | FLAG_V4_NC)

/* Layouts of messages, after the length. Numbers are big-endian. */
struct name_message {
	char tag; /* 'N' */
	uint64_t flags;
	uint32_t creation;
	uint16_t length;
} __attribute__((packed));

struct challenge_message {
	char tag; /* 'N' */
	uint64_t flags;
	uint32_t challenge, creation;
	uint16_t length;
} __attribute__((packed));

struct reply_message {
	char tag; /* 'r' */
	uint32_t challenge;
	unsigned char digest[DIGEST_SIZE];
} __attribute__((packed));

struct ack_message {
	char tag; /* 'a' */
	unsigned char digest[DIGEST_SIZE];
} __attribute__((packed));

/* 0 or -errno. */
static int wait_for(int fd, short event, uint64_t until_ns)
{
	struct pollfd poll_fd = { .fd = fd, .events = event };
	int got;

	do {
		uint64_t now = duration_now();

		got = poll(&poll_fd, 1, now < until_ns ? (int)((until_ns - now) / NS_PER_MS) + 1 : 0);
	} while (got < 0 && errno == EINTR);
	return got > 0 ? 0 : got ? -errno : -ETIMEDOUT;
}

/* 0: try again. */
static int error_of(int err)
{
	if (err == EAGAIN || err == EINTR)
		return 0;
	return err == ECONNRESET ? -EPIPE : -err;
}

int handshake_receive(int fd, void *to, size_t size, uint64_t until_ns)
{
	size_t done = 0;
	int err = 0;

	while (!err && done < size) {
		ssize_t got;

		err = wait_for(fd, POLLIN, until_ns);
		if (err)
			break;
		got = recv(fd, (char *)to + done, size - done, MSG_DONTWAIT);
		if (got <= 0)
			err = got ? error_of(errno) : -EPIPE;
		done += got > 0 ? (size_t)got : 0;
	}
	return err;
}

int handshake_send(int fd, const void *from, size_t size, uint64_t until_ns)
{
	size_t done = 0;
	int err = 0;

	while (!err && done < size) {
		ssize_t sent;

		err = wait_for(fd, POLLOUT, until_ns);
		if (err)
			break;
		sent = send(fd, (const char *)from + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (sent < 0)
			err = error_of(errno);
		done += sent > 0 ? (size_t)sent : 0;
	}
	return err;
}

/* A handshake message begins with its length (two bytes). */
static int say(const struct handshake *h, const void *head, size_t head_size, const char *name)
{
	char message[2 + sizeof(struct challenge_message) + NAME_SIZE];
	size_t length = strlen(name);
	uint16_t size = htons((uint16_t)(head_size + length));

	if (length >= NAME_SIZE)
		return -ENAMETOOLONG;
	memcpy(message, &size, sizeof(size));
	memcpy(message + 2, head, head_size);
	memcpy(message + 2 + head_size, name, length);
	return handshake_send(h->fd, message, 2 + head_size + length, h->until_ns);
}

/* The message's size, or -errno. */
static ssize_t hear(const struct handshake *h, char message[MESSAGE_SIZE])
{
	uint16_t size;
	int err = handshake_receive(h->fd, &size, sizeof(size), h->until_ns);

	size = ntohs(size);
	if (!err && (!size || size > MESSAGE_SIZE))
		err = -EPROTO;
	if (!err)
		err = handshake_receive(h->fd, message, size, h->until_ns);
	return err ? err : size;
}

static int say_name(const struct handshake *h)
{
	const struct name_message name = {
		.tag = 'N',
		.flags = htobe64(FLAGS),
		.creation = htonl(h->creation),
		.length = htons((uint16_t)strlen(h->us)),
	};

	return say(h, &name, sizeof(name), h->us);
}

static bool is_status(const char *message, ssize_t size, const char *status)
{
	return (size_t)size == strlen(status) && !memcmp(message, status, (size_t)size);
}

/* "ok": continue. "nok", "alive": our name is in use. "not_allowed": refused, or in use. */
static int hear_status(const struct handshake *h)
{
	char message[MESSAGE_SIZE];
	ssize_t size = hear(h, message);

	if (size < 0)
		return (int)size;
	if (is_status(message, size, "snok") || is_status(message, size, "salive"))
		return -EEXIST;
	return is_status(message, size, "sok") ? 0 : message[0] == 's' ? -EACCES : -EPROTO;
}

/* The name must be that of the wanted node. */
static int hear_challenge(const struct handshake *h, uint32_t *challenge)
{
	char message[MESSAGE_SIZE];
	struct challenge_message head;
	ssize_t size = hear(h, message);
	size_t length = strlen(h->node);

	if (size < 0)
		return (int)size;
	if ((size_t)size < sizeof(head))
		return -EPROTO;
	memcpy(&head, message, sizeof(head));
	if (head.tag != 'N' || ntohs(head.length) != length || (size_t)size < sizeof(head) + length ||
	    memcmp(message + sizeof(head), h->node, length) != 0)
		return -EPROTO;
	*challenge = ntohl(head.challenge);
	return 0;
}

static int say_reply(const struct handshake *h, const struct handshake_proof *proof)
{
	struct reply_message reply = { .tag = 'r', .challenge = htonl(proof->challenge) };

	memcpy(reply.digest, proof->digest, DIGEST_SIZE);
	return say(h, &reply, sizeof(reply), "");
}

/* A node that rejects our digest closes the connection. */
static int hear_ack(const struct handshake *h, const struct handshake_proof *proof)
{
	char message[MESSAGE_SIZE];
	ssize_t size = hear(h, message);

	if (size < 0)
		return size == -EPIPE ? -EACCES : (int)size;
	if (size != sizeof(struct ack_message) || message[0] != 'a')
		return -EPROTO;
	return memcmp(message + offsetof(struct ack_message, digest), proof->expected, DIGEST_SIZE) ? -EACCES : 0;
}

int handshake_run(const struct handshake *h)
{
	struct handshake_proof proof;
	uint32_t challenge;
	int err = say_name(h);

	if (!err)
		err = hear_status(h);
	if (!err)
		err = hear_challenge(h, &challenge);
	if (!err)
		err = h->prove(h->data, challenge, &proof);
	if (!err)
		err = say_reply(h, &proof);
	return err ? err : hear_ack(h, &proof);
}

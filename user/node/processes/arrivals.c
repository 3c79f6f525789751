// SPDX-License-Identifier: BSD-2-Clause
/*
 * A mailbox is three lists in order: messages that the receiver has scanned (sig_qs.first), those behind signals other
 * than messages (sig_qs.cont), and those sent since the receiver last fetched (sig_inq). Each has the address of its
 * last link, which is the first word of its last message. When the receiver fetches, the lists are joined, and messages
 * keep their addresses.
 *
 * Source: ErtsSignalPrivQueues, ErtsSignalInQueue and ErtsMessage in erl_message.h, ERTS_PROC_SIG_MAKE_TAG in
 * erl_proc_sig_queue.h; fields as in probes/fields.def.
 */
#include "node/processes/arrivals.h"

#include <errno.h>
#include <string.h>

#include "node/atoms/atoms.h"
#include "node/memory/fields.h"
#include "node/atoms/pids.h"
#include "target/reader/procfs.h"

#define MESSAGE_SIZE 40	  /* the part that is read: link, data, term, token, sender */
#define SENDER_AT 32	  /* offset in it */
#define MOST_SIGNALS 64	  /* non-message signals in a list */
#define TRIES 4		  /* for a mailbox whose receiver is running */
#define MOST_PROCESS 1024 /* at least the bytes of struct process */

enum { FIRST, LAST, CONT, CONT_LAST, IN_FIRST, IN_LAST, WORDS };

static const char *const word_names[WORDS] = {
	[FIRST] = "process.queue_last",	       [LAST] = "process.queue_last",
	[CONT] = "process.queue_cont",	       [CONT_LAST] = "process.queue_cont_last",
	[IN_FIRST] = "process.in_queue_first", [IN_LAST] = "process.in_queue_last",
};

static int read_words(const struct target *target, uint64_t process, uint64_t words[WORDS])
{
	struct procfs_piece pieces[WORDS];
	int64_t offset;

	for (int i = 0; i < WORDS; i++) {
		if (field_offset(target->vm, word_names[i], &offset))
			return -ENOENT;
		/* sig_qs.first is the word before sig_qs.last. */
		offset -= i == FIRST ? 8 : 0;
		pieces[i] = (struct procfs_piece){ .address = process + (uint64_t)offset, .to = &words[i], .size = 8 };
	}
	procfs_pieces(target->pid, pieces, WORDS);
	for (int i = 0; i < WORDS; i++) {
		if (!pieces[i].is_read)
			return -EFAULT;
	}
	return 0;
}

/* The last link of an empty list is in the process itself. */
static uint64_t newest_of(uint64_t process, const uint64_t words[WORDS])
{
	uint64_t newest = words[IN_FIRST] ? words[IN_LAST] : words[CONT] ? words[CONT_LAST] : words[LAST];

	return newest >= process && newest < process + MOST_PROCESS ? 0 : newest;
}

uint64_t arrivals_mark(const struct target *target, uint64_t process)
{
	uint64_t words[WORDS];

	return read_words(target, process, words) ? 0 : newest_of(process, words);
}

/* The receive position is the address of a link: at first that of the list, in the process itself. */
struct oldest_message arrivals_oldest(const struct target *target, uint64_t process)
{
	struct oldest_message oldest = {};
	struct procfs_piece pieces[2];
	int64_t first, save;
	uint64_t at = 0;

	if (field_offset(target->vm, "process.queue_first", &first) || field_offset(target->vm, "process.save", &save))
		return oldest;
	pieces[0] = (struct procfs_piece){ .address = process + (uint64_t)first, .to = &oldest.address, .size = 8 };
	pieces[1] = (struct procfs_piece){ .address = process + (uint64_t)save, .to = &at, .size = 8 };
	procfs_pieces(target->pid, pieces, 2);
	if (!pieces[0].is_read || !pieces[1].is_read)
		return (struct oldest_message){};
	oldest.is_passed = at && at != process + (uint64_t)first;
	return oldest;
}

/* Tags of signals look like the header of an external pid; one kind will become a message (see bpf/enqueued.bpf.h). */
static bool is_message(uint64_t term)
{
	return (term & 0x3f) != 0x30 || (term >> 6 & 0xff) == 15;
}

static uint64_t sender_of(const struct erl_pid_layout *pids, uint64_t term)
{
	if (pid_of_term(pids, term))
		return pid_of_term(pids, term);
	if (port_of_term(pids, term))
		return port_of_term(pids, term);
	return atom_of_term(term) == ATOM_NONE ? 0 : erl_id_of(ERL_ID_ATOM, atom_of_term(term));
}

/* The message after `at`: the next of its list, or the first of the next list. 0: none. */
static uint64_t behind(uint64_t link, const uint64_t words[WORDS], int *list)
{
	static const int firsts[] = { CONT, IN_FIRST };

	while (!link && *list < 2)
		link = words[firsts[(*list)++]];
	return link;
}

int arrivals_since(const struct target *target, const struct erl_pid_layout *pids, uint64_t process, uint64_t mark,
		   struct arrivals *arrivals)
{
	uint64_t words[WORDS], newest, at = mark, message[MESSAGE_SIZE / 8];
	int err = read_words(target, process, words), list = 0;

	arrivals->count = 0;
	arrivals->is_whole = true;
	if (err)
		return err;
	newest = newest_of(process, words);
	for (int i = 0; at != newest && i < ARRIVALS_MOST + MOST_SIGNALS; i++) {
		message[0] = 0;
		if (at && procfs_memory(target->pid, at, message, 8))
			return -EFAULT;
		at = behind(message[0], words, &list);
		if (!at || procfs_memory(target->pid, at, message, sizeof(message)))
			return -EFAULT;
		if (!is_message(message[2]))
			continue;
		if (arrivals->count == ARRIVALS_MOST)
			break;
		arrivals->senders[arrivals->count++] = sender_of(pids, message[4]);
	}
	arrivals->is_whole = mark && at == newest;
	/* The marked message may be gone, and then the walk was meaningless. */
	if (at != newest && arrivals->count < ARRIVALS_MOST)
		return -EFAULT;
	return 0;
}

/*
 * -EAGAIN: the receiver has removed the oldest message. Others may be gone, too, and reused memory may lead anywhere,
 * also into a cycle.
 */
static int read_list(const struct target *target, uint64_t process, uint64_t *addresses, size_t *count, size_t most)
{
	uint64_t words[WORDS], again[WORDS], message[MESSAGE_SIZE / 8], at;
	int list = 0, err = read_words(target, process, words);

	*count = 0;
	if (err)
		return err;
	at = behind(words[FIRST], words, &list);
	for (size_t i = 0; at && *count < most && i < most + MOST_SIGNALS; i++, at = behind(message[0], words, &list)) {
		err = procfs_memory(target->pid, at, message, sizeof(message));
		if (!err && at == words[FIRST])
			err = read_words(target, process, again);
		if (err || (at == words[FIRST] && again[FIRST] != at))
			return -EAGAIN;
		if (is_message(message[2]))
			addresses[(*count)++] = at;
	}
	return 0;
}

size_t arrivals_list(const struct target *target, uint64_t process, uint64_t *addresses, size_t most)
{
	size_t count = 0;

	for (int i = 0; i < TRIES; i++) {
		int err = read_list(target, process, addresses, &count, most);

		if (err != -EAGAIN)
			return err ? 0 : count;
	}
	return 0;
}

void arrivals_before(const struct target *target, const struct erl_pid_layout *pids, uint64_t process,
		     struct arrivals *arrivals)
{
	uint64_t addresses[ARRIVALS_MOST], senders[ARRIVALS_MOST];
	struct procfs_piece pieces[ARRIVALS_MOST];
	size_t count = arrivals_list(target, process, addresses, ARRIVALS_MOST);

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ .address = addresses[i] + SENDER_AT, .to = &senders[i], .size = 8 };
	procfs_pieces(target->pid, pieces, count);
	arrivals->count = 0;
	arrivals->is_whole = false;
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].is_read)
			arrivals->senders[arrivals->count++] = sender_of(pids, senders[i]);
	}
}

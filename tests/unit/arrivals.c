// SPDX-License-Identifier: BSD-2-Clause
/* Mailboxes: a process and its messages as OTP 25 has them, in our own memory. */
#include "node/processes/arrivals.h"

#include <string.h>
#include <unistd.h>

#include "check.h"
#include "node/memory/fields.h"
#include "target/target.h"

#define SIGNAL 0x30 /* the tag of one that is no message */
#define TERM 0xf    /* a small integer */

struct message {
	uint64_t next, data, term, token, sender;
};

static uint64_t process[128];
static struct message messages[4];
static struct vm vm = { .otp = 25, .like = 25, .flavor = FLAVOR_JIT };
static struct target target = { .vm = &vm };

static uint64_t address_of(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

/* Messages of these terms, the last of which leads to `last`. */
static void fill(const uint64_t terms[4], uint64_t last)
{
	int64_t first;

	target.pid = getpid();
	memset(process, 0, sizeof(process));
	cr_assert(eq(int, field_offset(&vm, "process.in_queue_first", &first), 0));
	process[first / 8] = address_of(messages);
	for (int i = 0; i < 4; i++)
		messages[i] = (struct message){ .next = i < 3 ? address_of(&messages[i + 1]) : last, .term = terms[i] };
}

Test(arrivals, signals_that_are_no_messages_are_passed)
{
	uint64_t found[4] = {};

	fill((uint64_t[]){ SIGNAL, TERM, SIGNAL, TERM }, 0);
	cr_assert(eq(sz, arrivals_list(&target, address_of(process), found, 4), 2));
	cr_expect(eq(u64, found[0], address_of(&messages[1])));
	cr_expect(eq(u64, found[1], address_of(&messages[3])));
}

/* What is read while the receiver takes it may be so. */
Test(arrivals, a_list_that_leads_in_a_circle_ends)
{
	uint64_t found[4] = {};

	fill((uint64_t[]){ SIGNAL, SIGNAL, SIGNAL, SIGNAL }, address_of(&messages[1]));
	cr_expect(eq(sz, arrivals_list(&target, address_of(process), found, 4), 0));
	fill((uint64_t[]){ TERM, SIGNAL, SIGNAL, SIGNAL }, address_of(&messages[1]));
	cr_expect(eq(sz, arrivals_list(&target, address_of(process), found, 4), 1));
}

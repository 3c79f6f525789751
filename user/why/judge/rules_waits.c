// SPDX-License-Identifier: BSD-2-Clause
/* Processes that wait for each other, for another node, for a name, a lock, a disk or a connection: signs of crowds.h
 * and io_waits.h. */
#include "why/judge/finding.h"

#define MANY_WAIT 5 /* processes for the same */
#define VERY_MANY_WAIT 20
#define MANY_IN_HANDLERS 10	     /* of logger; a few of those that log much wait there for a moment */
#define SOME_WAIT 3		     /* processes, for one that does nothing at all */
#define LONG_IO_NS (500 * NS_PER_MS) /* a slow disk takes less */
#define LONG_WAIT_NS (5 * NS_PER_S)  /* for a peer: a slow one takes less */

static void judge_io_wait(struct judgement *j)
{
	const struct sign_io_wait *wait = &j->signs->io_wait;
	char who[WHO_TEXT], longest[32];
	struct finding *f;

	if (wait->longest_ns < LONG_IO_NS)
		return;
	f = finding_add(j, IO_WAIT, OF_IO_WAIT, wait->longest_ns >= 2 * LONG_IO_NS);
	f->who = &wait->who;
	finding_say(f, "%s waits for %s in %s: the disk or the file system does not answer", who_text(&wait->who, who),
		    duration_format(wait->longest_ns, longest),
		    wait->who.doing[0] ? wait->who.doing : "a function that is not known");
	finding_show(f, "%.1f of %zu dirty I/O schedulers wait so, on average%s%s", wait->threads,
		     j->signs->dirty_io.schedulers, wait->place[0] ? "; in the kernel in " : "", wait->place);
	finding_show_stack(f, &wait->who);
	finding_more(f, "files -p PID");
}

/* The first who sends too much waits for the driver, only those after it are suspended. */
void judge_send(struct judgement *j)
{
	const struct sign_crowd *send = &j->signs->send_wait;
	char who[WHO_TEXT];
	struct finding *f;

	if (!send->idle || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, PORT_BUSY, OF_BUSY, send->idle >= MANY_WAIT);
	f->who = &send->who;
	finding_say(f, "%s waits all the time to send: its connection is full, as the peer does not read",
		    who_text(&send->who, who));
	finding_show(f, "%llu processes of those that were looked at send so, %llu of them all the time",
		     (unsigned long long)send->processes, (unsigned long long)send->idle);
	finding_show_stack(f, &send->who);
	finding_more(f, "sockets -p PID");
}

static void judge_circle(struct judgement *j)
{
	const struct sign_circle *circle = &j->signs->circle;
	char one[WHO_TEXT], other[WHO_TEXT];
	struct finding *f;

	if (!circle->processes)
		return;
	f = finding_add(j, DEADLOCK, OF_CIRCLE, true);
	f->who = &circle->one;
	finding_say(f, "%s and %s wait for answers of each other%s: neither will answer", who_text(&circle->one, one),
		    who_text(&circle->other, other), circle->processes > 2 ? ", over others" : "");
	finding_show(f, "%zu processes wait in a circle", circle->processes);
	finding_show_stack(f, &circle->one);
	if (circle->other.stack[0])
		finding_show(f, "the other: %s", circle->other.stack);
	finding_more(f, "messages --by pair -p PID");
}

static void judge_names(struct judgement *j)
{
	const struct sign_crowd *dns = &j->signs->dns_wait;
	char who[WHO_TEXT];
	struct finding *f;

	if (!dns->still)
		return;
	f = finding_add(j, DNS_WAIT, OF_CROWD, dns->still >= MANY_WAIT);
	f->who = &dns->who;
	finding_say(f, "%s waits for the address of a host: the name server does not answer, or slowly",
		    who_text(&dns->who, who));
	finding_show(f, "%llu processes of those that were looked at wait so, %llu for long",
		     (unsigned long long)dns->processes, (unsigned long long)dns->still);
	finding_show_stack(f, &dns->who);
	finding_more(f, "sockets -p PID");
}

static void judge_locks(struct judgement *j)
{
	const struct sign_crowd *lock = &j->signs->lock_wait, *held = &j->signs->lock_held;
	char who[WHO_TEXT];
	struct finding *f;

	if (lock->processes < MANY_WAIT)
		return;
	f = finding_add(j, LOCK_WAIT, OF_CROWD, false);
	f->who = held->processes ? &held->who : &lock->who;
	finding_say(f, "%llu processes wait for locks of global, as %s keeps one", (unsigned long long)lock->processes,
		    held->processes ? who_text(&held->who, who) : "somebody on this or another node");
	finding_show(f, "one that waits is %s", who_text(&lock->who, who));
	finding_show_stack(f, f->who);
	finding_more(f, "messages --by pair -p PID");
}

/* What it did so far was for nothing, and it waits before it does so again. */
static void judge_restarts_of_mnesia(struct judgement *j)
{
	const struct sign_crowd *restart = &j->signs->mnesia_restart;
	char who[WHO_TEXT];
	struct finding *f;

	if (restart->processes < MANY_WAIT)
		return;
	f = finding_add(j, LOCK_WAIT, OF_CROWD, false);
	f->who = &restart->who;
	finding_say(f,
		    "%llu transactions of mnesia, such as that of %s, have to begin anew, as others have locks that "
		    "they want: they read what they write later, and then want to write what others have read",
		    (unsigned long long)restart->processes, who_text(&restart->who, who));
	finding_show(f, "mnesia:read/3 with a write lock lets them wait instead");
	finding_show_stack(f, &restart->who);
	finding_more(f, "messages --by pair -p PID");
}

/* Many wait for a moment where transactions are many. One in a transaction that does nothing keeps its locks. */
static void judge_mnesia(struct judgement *j)
{
	const struct sign_crowd *wait = &j->signs->mnesia_wait, *held = &j->signs->mnesia_held;
	uint64_t processes = wait->processes + j->signs->mnesia_restart.processes;
	char who[WHO_TEXT];
	struct finding *f;

	if (processes < MANY_WAIT)
		return;
	if (!held->idle) {
		judge_restarts_of_mnesia(j);
		return;
	}
	f = finding_add(j, LOCK_WAIT, OF_CROWD, false);
	f->who = &held->who;
	finding_say(f, "%llu processes wait for locks of mnesia, as %s is in a transaction and does nothing, in %s",
		    (unsigned long long)processes, who_text(&held->who, who), held->who.doing);
	finding_show(f, "one that waits is %s",
		     who_text(wait->processes ? &wait->who : &j->signs->mnesia_restart.who, who));
	finding_show_stack(f, f->who);
	finding_more(f, "messages --by pair -p PID");
}

/* It runs in who logs, however long it takes. */
static void judge_handlers(struct judgement *j)
{
	const struct sign_crowd *handler = &j->signs->handler_wait;
	char who[WHO_TEXT];
	struct finding *f;

	if (handler->processes < MANY_IN_HANDLERS)
		return;
	f = finding_add(j, LOG_BACKLOG, OF_CROWD, false);
	f->who = &handler->who;
	finding_say(f, "%llu processes that log wait in a handler of logger, such as %s in %s",
		    (unsigned long long)handler->processes, who_text(&handler->who, who), handler->who.doing);
	finding_show(f, "a handler is called by who logs, and what it waits for holds all of them up");
	finding_show_stack(f, &handler->who);
	finding_more(f, "profile --wall -p PID");
}

/* Who starts it or another one waits, too: applications are started one after the other. */
static void judge_starts(struct judgement *j)
{
	const struct sign_crowd *start = &j->signs->start_wait;
	const struct sign_who *last = j->signs->started.id ? &j->signs->started : &start->who;
	char who[WHO_TEXT];
	struct finding *f;

	if (!start->idle || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, START_STUCK, OF_CROWD, false);
	f->who = last;
	finding_say(f, "an application does not get started, as %s has done nothing all the time: it waits in %s",
		    who_text(last, who), last->doing[0] ? last->doing : "a function that is not known");
	finding_show(f, "who starts it: %s", start->who.stack);
	finding_show_stack(f, last);
	finding_more(f, "messages --by pair -p PID");
}

static void judge_peers(struct judgement *j)
{
	const struct sign_crowd *peer = &j->signs->peer_wait;
	char who[WHO_TEXT];
	struct finding *f;

	if (peer->idle < MANY_WAIT || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, PEER_WAIT, OF_CROWD, false);
	f->who = &peer->who;
	finding_say(f,
		    "%llu processes wait all the time for answers of other nodes, such as %s: a node or the network "
		    "does not answer",
		    (unsigned long long)peer->idle, who_text(&peer->who, who));
	finding_show(f, "%llu of those that were looked at wait so", (unsigned long long)peer->processes);
	finding_show_stack(f, &peer->who);
	finding_more(f, "dist -p PID");
}

static const char *stack_of(const struct sign_who *who)
{
	return who->stack[0] ? who->stack : "a function that is not known";
}

/* Its mailbox is empty, so it has taken the questions and keeps the answers back: it has nothing to give any more. */
static void judge_asked(struct judgement *j)
{
	const struct sign_asked *asked = &j->signs->asked;
	char who[WHO_TEXT], longest[32];
	struct finding *f;

	if (asked->askers < MANY_WAIT)
		return;
	f = finding_add(j, ANSWER_WAIT, OF_ANSWER, asked->askers >= VERY_MANY_WAIT);
	f->who = &asked->who;
	finding_say(
		f,
		"%llu processes wait for answers of %s, for up to %s so far: it has read what they ask, and answers "
		"later, as a pool does in which nothing is free",
		(unsigned long long)asked->askers, who_text(&asked->who, who),
		duration_format(asked->longest_ns, longest));
	if (asked->holders)
		finding_show(f, "%llu processes that it monitors do not wait for it, such as %s, which %s %s",
			     (unsigned long long)asked->holders, who_text(&asked->holder, who),
			     asked->holder.is_waiting ? "waits in" : "works in", stack_of(&asked->holder));
	finding_show(f, "one that waits is %s: %s", who_text(&asked->asker, who), stack_of(&asked->asker));
	finding_show_stack(f, &asked->who);
	finding_more(f, "messages --by pair -p PID");
}

static void judge_accepts(struct judgement *j)
{
	const struct sign_unaccepted *unaccepted = &j->signs->unaccepted;
	const struct sign_crowd *accepting = &j->signs->accept_wait;
	char who[WHO_TEXT];
	struct finding *f;

	if (unaccepted->floor < MANY_WAIT)
		return;
	f = finding_add(j, ACCEPT_WAIT, OF_CROWD, true);
	f->who = unaccepted->who.id ? &unaccepted->who : NULL;
	finding_say(f,
		    "%llu connections to TCP port %u wait for being accepted, at least %llu all the time: who should "
		    "accept them does not, or too slowly",
		    (unsigned long long)unaccepted->waiting, unaccepted->port, (unsigned long long)unaccepted->floor);
	if (f->who)
		finding_show(f, "the socket belongs to %s", who_text(f->who, who));
	if (accepting->processes)
		finding_show(f, "%llu processes wait for connections, perhaps at other sockets, such as %s",
			     (unsigned long long)accepting->processes, who_text(&accepting->who, who));
	else
		finding_show(f, "no process of those that were looked at waits for connections, at any socket");
	if (f->who)
		finding_show_stack(f, f->who);
	finding_more(f, "sockets -p PID");
}

/* Where so many ask that messages pile up, a finding of the mailbox says it. */
static bool is_said(const struct judgement *j, uint64_t id)
{
	const struct signs *s = j->signs;

	for (size_t i = 0; i < s->mailbox_count; i++) {
		const struct sign_mailbox *mailbox = &s->mailboxes[i];

		for (size_t k = 0; k < j->count; k++) {
			if (j->findings[k].who == &mailbox->who &&
			    (mailbox->who.id == id || mailbox->waits_for.id == id))
				return true;
		}
	}
	return false;
}

static void judge_chain(struct judgement *j)
{
	const struct sign_chain *chain = &j->signs->chain;
	char who[WHO_TEXT];
	struct finding *f;

	if (chain->processes < SOME_WAIT || j->signs->elapsed_ns < LONG_WAIT_NS || is_said(j, chain->who.id))
		return;
	f = finding_add(j, SERVER_WAITS, OF_CROWD, false);
	f->who = &chain->who;
	finding_say(
		f,
		"%s has done nothing all the time, and %llu processes wait for its answer, or for the answer of one "
		"that waits for it",
		who_text(&chain->who, who), (unsigned long long)chain->processes);
	finding_show(f, "it waits in %s", chain->who.doing[0] ? chain->who.doing : "a function that is not known");
	finding_show_stack(f, &chain->who);
	finding_more(f, "messages --by pair -p PID");
}

/* However few ask: each waits until all before it have their answers. */
static void judge_slow(struct judgement *j)
{
	const struct sign_slow *slow = &j->signs->slow;
	char who[WHO_TEXT], longest[32];
	struct finding *f;

	if (slow->askers < SOME_WAIT || !slow->floor || is_said(j, slow->who.id))
		return;
	f = finding_add(j, SERVER_SLOW, OF_CROWD, false);
	f->who = &slow->who;
	finding_say(f,
		    "%s takes long for each answer: %llu processes wait for one, for up to %s so far, while it %s %s",
		    who_text(&slow->who, who), (unsigned long long)slow->askers,
		    duration_format(slow->longest_ns, longest), slow->who.is_waiting ? "waits in" : "works in",
		    slow->who.doing[0] ? slow->who.doing : "a function that is not known");
	finding_show(f, "its mailbox holds at least %llu message%s all the time", (unsigned long long)slow->floor,
		     slow->floor == 1 ? "" : "s");
	finding_show(f, "one that waits is %s: %s", who_text(&slow->asker, who), stack_of(&slow->asker));
	finding_show_stack(f, &slow->who);
	finding_more(f, "messages --by pair -p PID --erl-pid '%s'", slow->who.pid);
}

/* Who monitors or is linked to something of that node is told each time that it is gone. */
static void judge_flaps(struct judgement *j)
{
	const struct sign_flaps *flaps = &j->signs->flaps;
	struct finding *f;

	if (flaps->times < FLAPS_LEAST)
		return;
	f = finding_add(j, CONNECTION_FLAPS, OF_FLAPS, false);
	finding_say(f,
		    "the connection to node %s is lost, or cannot be made, and is made again all the time: %llu times "
		    "while "
		    "this node was watched",
		    flaps->peer, (unsigned long long)flaps->times);
	finding_show(f,
		     "%zu node%s %s so; the cookie, a proxy, net_ticktime, a node of the same name or "
		     "erlang:disconnect_node/1 may be why",
		     flaps->peers, flaps->peers == 1 ? "" : "s", flaps->peers == 1 ? "is" : "are");
	finding_more(f, "dist -p PID");
}

void judge_waits(struct judgement *j)
{
	judge_flaps(j);
	judge_io_wait(j);
	judge_circle(j);
	judge_chain(j);
	judge_slow(j);
	judge_names(j);
	judge_locks(j);
	judge_mnesia(j);
	judge_handlers(j);
	judge_starts(j);
	judge_peers(j);
	judge_asked(j);
	judge_accepts(j);
}

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
	char name[PROCESS_TEXT], longest[32];
	struct finding *f;

	if (wait->longest_ns < LONG_IO_NS)
		return;
	f = finding_add(j, IO_WAIT, OF_IO_WAIT, wait->longest_ns >= 2 * LONG_IO_NS);
	f->process = &wait->process;
	finding_say(f, "%s waits for %s in %s: the disk or the file system does not answer",
		    process_text(&wait->process, name), duration_format(wait->longest_ns, longest),
		    wait->process.function[0] ? wait->process.function : "a function that is not known");
	finding_show(f, "%.1f of %zu dirty I/O schedulers wait so, on average%s%s", wait->threads,
		     j->signs->dirty_io.schedulers, wait->place[0] ? "; in the kernel in " : "", wait->place);
	finding_show_stack(f, &wait->process);
	finding_more(f, "files -p PID");
}

/* The first who sends too much waits for the driver, only those after it are suspended. */
void judge_send(struct judgement *j)
{
	const struct sign_wait_group *send = &j->signs->send_wait;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!send->idle || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, PORT_BUSY, OF_BUSY, send->idle >= MANY_WAIT);
	f->process = &send->process;
	finding_say(f, "%s waits all the time to send: its connection is full, as the peer does not read",
		    process_text(&send->process, name));
	finding_show(f, "%llu processes of those that were looked at send so, %llu of them all the time",
		     (unsigned long long)send->processes, (unsigned long long)send->idle);
	finding_show_stack(f, &send->process);
	finding_more(f, "sockets -p PID");
}

static void judge_circle(struct judgement *j)
{
	const struct sign_deadlock *circle = &j->signs->circle;
	char one[PROCESS_TEXT], other[PROCESS_TEXT];
	struct finding *f;

	if (!circle->processes)
		return;
	f = finding_add(j, DEADLOCK, OF_CIRCLE, true);
	f->process = &circle->one;
	finding_say(f, "%s and %s wait for answers of each other%s: neither will answer",
		    process_text(&circle->one, one), process_text(&circle->other, other),
		    circle->processes > 2 ? ", over others" : "");
	finding_show(f, "%zu processes wait in a circle", circle->processes);
	finding_show_stack(f, &circle->one);
	if (circle->other.stack[0])
		finding_show(f, "the other: %s", circle->other.stack);
	finding_more(f, "messages --by pair -p PID");
}

static void judge_names(struct judgement *j)
{
	const struct sign_wait_group *dns = &j->signs->dns_wait;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!dns->still)
		return;
	f = finding_add(j, DNS_WAIT, OF_CROWD, dns->still >= MANY_WAIT);
	f->process = &dns->process;
	finding_say(f, "%s waits for the address of a host: the name server does not answer, or slowly",
		    process_text(&dns->process, name));
	finding_show(f, "%llu processes of those that were looked at wait so, %llu for long",
		     (unsigned long long)dns->processes, (unsigned long long)dns->still);
	finding_show_stack(f, &dns->process);
	finding_more(f, "sockets -p PID");
}

static void judge_locks(struct judgement *j)
{
	const struct sign_wait_group *lock = &j->signs->lock_wait, *held = &j->signs->lock_held;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (lock->processes < MANY_WAIT)
		return;
	f = finding_add(j, LOCK_WAIT, OF_CROWD, false);
	f->process = held->processes ? &held->process : &lock->process;
	finding_say(f, "%llu processes wait for locks of global, as %s keeps one", (unsigned long long)lock->processes,
		    held->processes ? process_text(&held->process, name) : "somebody on this or another node");
	finding_show(f, "one that waits is %s", process_text(&lock->process, name));
	finding_show_stack(f, f->process);
	finding_more(f, "messages --by pair -p PID");
}

/* What it did so far was for nothing, and it waits before it does so again. */
static void judge_restarts_of_mnesia(struct judgement *j)
{
	const struct sign_wait_group *restart = &j->signs->mnesia_restart;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (restart->processes < MANY_WAIT)
		return;
	f = finding_add(j, LOCK_WAIT, OF_CROWD, false);
	f->process = &restart->process;
	finding_say(f,
		    "%llu transactions of mnesia, such as that of %s, have to begin anew, as others have locks that "
		    "they want: they read what they write later, and then want to write what others have read",
		    (unsigned long long)restart->processes, process_text(&restart->process, name));
	finding_show(f, "mnesia:read/3 with a write lock lets them wait instead");
	finding_show_stack(f, &restart->process);
	finding_more(f, "messages --by pair -p PID");
}

/* Many wait for a moment where transactions are many. One in a transaction that does nothing keeps its locks. */
static void judge_mnesia(struct judgement *j)
{
	const struct sign_wait_group *wait = &j->signs->mnesia_wait, *held = &j->signs->mnesia_held;
	uint64_t processes = wait->processes + j->signs->mnesia_restart.processes;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (processes < MANY_WAIT)
		return;
	if (!held->idle) {
		judge_restarts_of_mnesia(j);
		return;
	}
	f = finding_add(j, LOCK_WAIT, OF_CROWD, false);
	f->process = &held->process;
	finding_say(f, "%llu processes wait for locks of mnesia, as %s is in a transaction and does nothing, in %s",
		    (unsigned long long)processes, process_text(&held->process, name), held->process.function);
	finding_show(f, "one that waits is %s",
		     process_text(wait->processes ? &wait->process : &j->signs->mnesia_restart.process, name));
	finding_show_stack(f, f->process);
	finding_more(f, "messages --by pair -p PID");
}

/* It runs in who logs, however long it takes. */
static void judge_handlers(struct judgement *j)
{
	const struct sign_wait_group *handler = &j->signs->handler_wait;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (handler->processes < MANY_IN_HANDLERS)
		return;
	f = finding_add(j, LOG_BACKLOG, OF_CROWD, false);
	f->process = &handler->process;
	finding_say(f, "%llu processes that log wait in a handler of logger, such as %s in %s",
		    (unsigned long long)handler->processes, process_text(&handler->process, name),
		    handler->process.function);
	finding_show(f, "a handler is called by who logs, and what it waits for holds all of them up");
	finding_show_stack(f, &handler->process);
	finding_more(f, "profile --wall -p PID");
}

/* Who starts it or another one waits, too: applications are started one after the other. */
static void judge_starts(struct judgement *j)
{
	const struct sign_wait_group *start = &j->signs->start_wait;
	const struct sign_process *last = j->signs->started.id ? &j->signs->started : &start->process;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!start->idle || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, START_STUCK, OF_CROWD, false);
	f->process = last;
	finding_say(f, "an application does not get started, as %s has done nothing all the time: it waits in %s",
		    process_text(last, name), last->function[0] ? last->function : "a function that is not known");
	finding_show(f, "who starts it: %s", start->process.stack);
	finding_show_stack(f, last);
	finding_more(f, "messages --by pair -p PID");
}

static void judge_peers(struct judgement *j)
{
	const struct sign_wait_group *peer = &j->signs->peer_wait;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (peer->idle < MANY_WAIT || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, PEER_WAIT, OF_CROWD, false);
	f->process = &peer->process;
	finding_say(f,
		    "%llu processes wait all the time for answers of other nodes, such as %s: a node or the network "
		    "does not answer",
		    (unsigned long long)peer->idle, process_text(&peer->process, name));
	finding_show(f, "%llu of those that were looked at wait so", (unsigned long long)peer->processes);
	finding_show_stack(f, &peer->process);
	finding_more(f, "dist -p PID");
}

static const char *stack_of(const struct sign_process *process)
{
	return process->stack[0] ? process->stack : "a function that is not known";
}

/* Its mailbox is empty, so it has taken the questions and keeps the answers back: it has nothing to give any more. */
static void judge_asked(struct judgement *j)
{
	const struct sign_late_answers *asked = &j->signs->asked;
	char name[PROCESS_TEXT], longest[32];
	struct finding *f;

	if (asked->callers < MANY_WAIT)
		return;
	f = finding_add(j, ANSWER_WAIT, OF_ANSWER, asked->callers >= VERY_MANY_WAIT);
	f->process = &asked->process;
	finding_say(
		f,
		"%llu processes wait for answers of %s, for up to %s so far: it has read what they ask, and answers "
		"later, as a pool does in which nothing is free",
		(unsigned long long)asked->callers, process_text(&asked->process, name),
		duration_format(asked->longest_ns, longest));
	if (asked->holders)
		finding_show(f, "%llu processes that it monitors do not wait for it, such as %s, which %s %s",
			     (unsigned long long)asked->holders, process_text(&asked->holder, name),
			     asked->holder.is_waiting ? "waits in" : "works in", stack_of(&asked->holder));
	finding_show(f, "one that waits is %s: %s", process_text(&asked->caller, name), stack_of(&asked->caller));
	finding_show_stack(f, &asked->process);
	finding_more(f, "messages --by pair -p PID");
}

static void judge_accepts(struct judgement *j)
{
	const struct sign_accept_queue *unaccepted = &j->signs->unaccepted;
	const struct sign_wait_group *accepting = &j->signs->accept_wait;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (unaccepted->least < MANY_WAIT)
		return;
	f = finding_add(j, ACCEPT_WAIT, OF_CROWD, true);
	f->process = unaccepted->process.id ? &unaccepted->process : NULL;
	finding_say(f,
		    "%llu connections to TCP port %u wait for being accepted, at least %llu all the time: who should "
		    "accept them does not, or too slowly",
		    (unsigned long long)unaccepted->waiting, unaccepted->port, (unsigned long long)unaccepted->least);
	if (f->process)
		finding_show(f, "the socket belongs to %s", process_text(f->process, name));
	if (accepting->processes)
		finding_show(f, "%llu processes wait for connections, perhaps at other sockets, such as %s",
			     (unsigned long long)accepting->processes, process_text(&accepting->process, name));
	else
		finding_show(f, "no process of those that were looked at waits for connections, at any socket");
	if (f->process)
		finding_show_stack(f, f->process);
	finding_more(f, "sockets -p PID");
}

/* Where so many ask that messages pile up, a finding of the mailbox says it. */
static bool is_said(const struct judgement *j, uint64_t id)
{
	const struct signs *s = j->signs;

	for (size_t i = 0; i < s->mailbox_count; i++) {
		const struct sign_mailbox *mailbox = &s->mailboxes[i];

		for (size_t k = 0; k < j->count; k++) {
			if (j->findings[k].process == &mailbox->process &&
			    (mailbox->process.id == id || mailbox->waits_for.id == id))
				return true;
		}
	}
	return false;
}

static void judge_chain(struct judgement *j)
{
	const struct sign_stalled *chain = &j->signs->chain;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (chain->processes < SOME_WAIT || j->signs->elapsed_ns < LONG_WAIT_NS || is_said(j, chain->process.id))
		return;
	f = finding_add(j, SERVER_WAITS, OF_CROWD, false);
	f->process = &chain->process;
	finding_say(
		f,
		"%s has done nothing all the time, and %llu processes wait for its answer, or for the answer of one "
		"that waits for it",
		process_text(&chain->process, name), (unsigned long long)chain->processes);
	finding_show(f, "it waits in %s",
		     chain->process.function[0] ? chain->process.function : "a function that is not known");
	finding_show_stack(f, &chain->process);
	finding_more(f, "messages --by pair -p PID");
}

/* However few ask: each waits until all before it have their answers. */
static void judge_slow(struct judgement *j)
{
	const struct sign_slow_server *slow = &j->signs->slow;
	char name[PROCESS_TEXT], longest[32];
	struct finding *f;

	if (slow->callers < SOME_WAIT || !slow->least || is_said(j, slow->process.id))
		return;
	f = finding_add(j, SERVER_SLOW, OF_CROWD, false);
	f->process = &slow->process;
	finding_say(f,
		    "%s takes long for each answer: %llu processes wait for one, for up to %s so far, while it %s %s",
		    process_text(&slow->process, name), (unsigned long long)slow->callers,
		    duration_format(slow->longest_ns, longest), slow->process.is_waiting ? "waits in" : "works in",
		    slow->process.function[0] ? slow->process.function : "a function that is not known");
	finding_show(f, "its mailbox holds at least %llu message%s all the time", (unsigned long long)slow->least,
		     slow->least == 1 ? "" : "s");
	finding_show(f, "one that waits is %s: %s", process_text(&slow->caller, name), stack_of(&slow->caller));
	finding_show_stack(f, &slow->process);
	finding_more(f, "messages --by pair -p PID --erl-pid '%s'", slow->process.pid);
}

/* Who monitors or is linked to something of that node is told each time that it is gone. */
static void judge_reconnects(struct judgement *j)
{
	const struct sign_reconnects *flaps = &j->signs->flaps;
	struct finding *f;

	if (flaps->times < RECONNECTS_LEAST)
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
	judge_reconnects(j);
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

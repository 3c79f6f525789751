// SPDX-License-Identifier: BSD-2-Clause
/* Processes that wait: for each other, another node, a host name, a lock, a disk, or a connection. */
#include "why/judge/finding.h"

#define MANY_WAIT 5 /* processes that wait for the same thing */
#define VERY_MANY_WAIT 20
#define MANY_IN_HANDLERS 10	     /* of logger; a busy logger always has a few for a moment */
#define SOME_WAIT 3		     /* processes that wait for an idle one */
#define LONG_IO_NS (500 * NS_PER_MS) /* a slow disk takes less */
#define LONG_WAIT_NS (5 * NS_PER_S)  /* for a peer; a slow one answers sooner */

static void judge_io_wait(struct judgement *j)
{
	const struct sign_io_wait *wait = &j->signs->io_wait;
	char name[PROCESS_TEXT], longest[32];
	struct finding *f;

	if (wait->longest_ns < LONG_IO_NS)
		return;
	f = finding_add(j, IO_WAIT, wait->longest_ns >= 2 * LONG_IO_NS);
	f->process = &wait->process;
	finding_say(f, "%s has waited %s in %s: the disk or the file system does not respond",
		    process_text(&wait->process, name), duration_format(wait->longest_ns, longest),
		    wait->process.function[0] ? wait->process.function : "an unknown function");
	finding_show(f, "%.1f of %zu dirty I/O schedulers wait like this on average%s%s", wait->threads,
		     j->signs->schedulers.dirty_io.schedulers, wait->place[0] ? "; kernel function: " : "",
		     wait->place);
	finding_show_stack(f, &wait->process);
}

/* The first sender to a full connection waits in the driver; only later ones are suspended. */
void judge_send(struct judgement *j)
{
	const struct sign_wait_group *send = &j->signs->waits.send;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!send->idle || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, PORT_BUSY, send->idle >= MANY_WAIT);
	f->process = &send->process;
	finding_say(f, "%s waits all the time to send: its connection is full because the peer does not read",
		    process_text(&send->process, name));
	finding_show(f, "%llu sampled processes wait to send, %llu of them all the time",
		     (unsigned long long)send->processes, (unsigned long long)send->idle);
	finding_show_stack(f, &send->process);
	finding_more(f, "sockets -p PID");
}

static void judge_circle(struct judgement *j)
{
	const struct sign_deadlock *circle = &j->signs->waits.deadlock;
	char one[PROCESS_TEXT], other[PROCESS_TEXT];
	struct finding *f;

	if (!circle->processes)
		return;
	f = finding_add(j, DEADLOCK, true);
	f->process = &circle->one;
	finding_say(f, "%s and %s wait for replies of each other%s: deadlock", process_text(&circle->one, one),
		    process_text(&circle->other, other), circle->processes > 2 ? ", through others" : "");
	finding_show(f, "%zu processes form the cycle", circle->processes);
	finding_show_stack(f, &circle->one);
	if (circle->other.stack[0])
		finding_show(f, "the other: %s", circle->other.stack);
}

static void judge_names(struct judgement *j)
{
	const struct sign_wait_group *dns = &j->signs->waits.dns;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!dns->still)
		return;
	f = finding_add(j, DNS_WAIT, dns->still >= MANY_WAIT);
	f->process = &dns->process;
	finding_say(f, "%s waits for a host name lookup: the name server is slow or does not answer",
		    process_text(&dns->process, name));
	finding_show(f, "%llu sampled processes wait like this, %llu for long", (unsigned long long)dns->processes,
		     (unsigned long long)dns->still);
	finding_show_stack(f, &dns->process);
}

static void judge_locks(struct judgement *j)
{
	const struct sign_wait_group *lock = &j->signs->waits.global_lock, *held = &j->signs->waits.global_lock_held;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (lock->processes < MANY_WAIT)
		return;
	f = finding_add(j, LOCK_WAIT, false);
	f->process = held->processes ? &held->process : &lock->process;
	finding_say(f, "%llu processes wait for locks of global because %s holds one",
		    (unsigned long long)lock->processes,
		    held->processes ? process_text(&held->process, name) : "a process on this or another node");
	finding_show(f, "one of them: %s", process_text(&lock->process, name));
	finding_show_stack(f, f->process);
}

/* A transaction that is restarted loses its work, and waits before it retries. */
static void judge_restarts_of_mnesia(struct judgement *j)
{
	const struct sign_wait_group *restart = &j->signs->waits.mnesia_restart;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (restart->processes < MANY_WAIT)
		return;
	f = finding_add(j, LOCK_WAIT, false);
	f->process = &restart->process;
	finding_say(f,
		    "%llu mnesia transactions, such as that of %s, keep restarting: they read records before they "
		    "write them, and others hold read locks on these",
		    (unsigned long long)restart->processes, process_text(&restart->process, name));
	finding_show(f, "mnesia:read/3 with a write lock makes them wait instead of restart");
	finding_show_stack(f, &restart->process);
}

/* Many transactions always wait for a moment. An idle process in a transaction is different: it keeps its locks. */
static void judge_mnesia(struct judgement *j)
{
	const struct sign_wait_group *wait = &j->signs->waits.mnesia, *held = &j->signs->waits.mnesia_held;
	uint64_t processes = wait->processes + j->signs->waits.mnesia_restart.processes;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (processes < MANY_WAIT)
		return;
	if (!held->idle) {
		judge_restarts_of_mnesia(j);
		return;
	}
	f = finding_add(j, LOCK_WAIT, false);
	f->process = &held->process;
	finding_say(f, "%llu processes wait for locks of mnesia because %s is idle in a transaction, in %s",
		    (unsigned long long)processes, process_text(&held->process, name), held->process.function);
	finding_show(f, "one of them: %s",
		     process_text(wait->processes ? &wait->process : &j->signs->waits.mnesia_restart.process, name));
	finding_show_stack(f, f->process);
}

/* A handler runs in the logging process. */
static void judge_handlers(struct judgement *j)
{
	const struct sign_wait_group *handler = &j->signs->waits.log_handler;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (handler->processes < MANY_IN_HANDLERS)
		return;
	f = finding_add(j, LOG_BACKLOG, false);
	finding_weigh(f, LOCK_WAIT);
	f->process = &handler->process;
	finding_say(f, "%llu logging processes wait in a handler of logger, such as %s in %s",
		    (unsigned long long)handler->processes, process_text(&handler->process, name),
		    handler->process.function);
	finding_show(f, "handlers run in the logging process: a slow one blocks every process that logs");
	finding_show_stack(f, &handler->process);
}

/* Applications start one after the other, so one that hangs blocks the rest. */
static void judge_starts(struct judgement *j)
{
	const struct sign_wait_group *start = &j->signs->waits.start;
	const struct sign_process *last = j->signs->waits.started.id ? &j->signs->waits.started : &start->process;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (!start->idle || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, START_STUCK, false);
	f->process = last;
	finding_say(f, "an application does not start because %s is stuck in %s", process_text(last, name),
		    last->function[0] ? last->function : "an unknown function");
	finding_show(f, "started by: %s", start->process.stack);
	finding_show_stack(f, last);
}

static void judge_peers(struct judgement *j)
{
	const struct sign_wait_group *peer = &j->signs->waits.peer;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (peer->idle < MANY_WAIT || j->signs->elapsed_ns < LONG_WAIT_NS)
		return;
	f = finding_add(j, PEER_WAIT, false);
	f->process = &peer->process;
	finding_say(f,
		    "%llu processes wait all the time for replies of other nodes, such as %s: a node or the network "
		    "does not respond",
		    (unsigned long long)peer->idle, process_text(&peer->process, name));
	finding_show(f, "%llu sampled processes wait like this", (unsigned long long)peer->processes);
	finding_show_stack(f, &peer->process);
}

static const char *stack_of(const struct sign_process *process)
{
	return process->stack[0] ? process->stack : "an unknown function";
}

/* The mailbox is empty, so the server has taken the requests and holds the replies back, like an exhausted pool. */
static void judge_asked(struct judgement *j)
{
	const struct sign_late_answers *asked = &j->signs->waits.late_answers;
	char name[PROCESS_TEXT], longest[32];
	struct finding *f;

	if (asked->callers < MANY_WAIT)
		return;
	f = finding_add(j, ANSWER_WAIT, asked->callers >= VERY_MANY_WAIT);
	f->process = &asked->process;
	finding_say(f,
		    "%llu processes wait for replies of %s, for up to %s so far: it took their requests and has not "
		    "replied, like an exhausted pool",
		    (unsigned long long)asked->callers, process_text(&asked->process, name),
		    duration_format(asked->longest_ns, longest));
	if (asked->holders)
		finding_show(f, "%llu processes that it monitors do not wait for it, such as %s, which %s %s",
			     (unsigned long long)asked->holders, process_text(&asked->holder, name),
			     asked->holder.is_waiting ? "waits in" : "runs", stack_of(&asked->holder));
	finding_show(f, "one of them: %s: %s", process_text(&asked->caller, name), stack_of(&asked->caller));
	finding_show_stack(f, &asked->process);
}

static void judge_accepts(struct judgement *j)
{
	const struct sign_accept_queue *unaccepted = &j->signs->accept_queue;
	const struct sign_wait_group *accepting = &j->signs->waits.accept;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (unaccepted->least < MANY_WAIT)
		return;
	f = finding_add(j, ACCEPT_WAIT, true);
	f->process = unaccepted->process.id ? &unaccepted->process : NULL;
	finding_say(f,
		    "%llu connections to TCP port %u are not accepted, at least %llu all the time: the acceptor is "
		    "stuck or slow",
		    (unsigned long long)unaccepted->waiting, unaccepted->port, (unsigned long long)unaccepted->least);
	if (f->process)
		finding_show(f, "the socket belongs to %s", process_text(f->process, name));
	if (accepting->processes)
		finding_show(f, "%llu processes accept connections, perhaps on other sockets, such as %s",
			     (unsigned long long)accepting->processes, process_text(&accepting->process, name));
	else
		finding_show(f, "no sampled process accepts connections on any socket");
	if (f->process)
		finding_show_stack(f, f->process);
}

/* Is the process named by a finding about a mailbox? */
static bool is_named(const struct judgement *j, uint64_t id)
{
	const struct signs *s = j->signs;

	for (size_t i = 0; i < s->mailboxes.count; i++) {
		const struct sign_mailbox *mailbox = &s->mailboxes.worst[i];

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
	const struct sign_stalled *chain = &j->signs->waits.stalled;
	char name[PROCESS_TEXT];
	struct finding *f;

	if (chain->processes < SOME_WAIT || j->signs->elapsed_ns < LONG_WAIT_NS || is_named(j, chain->process.id))
		return;
	f = finding_add(j, SERVER_WAITS, false);
	f->process = &chain->process;
	finding_say(f, "%s is idle all the time while %llu processes wait for its reply, directly or through others",
		    process_text(&chain->process, name), (unsigned long long)chain->processes);
	finding_show(f, "it waits in %s", chain->process.function[0] ? chain->process.function : "an unknown function");
	finding_show_stack(f, &chain->process);
}

/* Even a few callers suffice: each waits until all before it have their replies. */
static void judge_slow(struct judgement *j)
{
	const struct sign_slow_server *slow = &j->signs->waits.slow_server;
	char name[PROCESS_TEXT], longest[32];
	struct finding *f;

	if (slow->callers < SOME_WAIT || !slow->least || is_named(j, slow->process.id))
		return;
	f = finding_add(j, SERVER_SLOW, false);
	f->process = &slow->process;
	finding_say(f, "%s takes long for each reply: %llu processes wait for one, for up to %s so far, while it %s %s",
		    process_text(&slow->process, name), (unsigned long long)slow->callers,
		    duration_format(slow->longest_ns, longest), slow->process.is_waiting ? "waits in" : "runs",
		    slow->process.function[0] ? slow->process.function : "an unknown function");
	finding_show(f, "its mailbox holds at least %llu message%s all the time", (unsigned long long)slow->least,
		     slow->least == 1 ? "" : "s");
	finding_show(f, "one of them: %s: %s", process_text(&slow->caller, name), stack_of(&slow->caller));
	finding_show_stack(f, &slow->process);
}

/* Each loss of the connection also ends all monitors and links to that node. */
static void judge_reconnects(struct judgement *j)
{
	const struct sign_reconnects *flaps = &j->signs->reconnects;
	struct finding *f;

	if (flaps->times < RECONNECTS_LEAST)
		return;
	f = finding_add(j, CONNECTION_FLAPS, false);
	finding_say(f,
		    "the connection to node %s keeps failing: %llu connections or attempts while this node was watched",
		    flaps->peer, (unsigned long long)flaps->times);
	finding_show(f,
		     "%zu node%s affected; possible causes: the cookie, a proxy, net_ticktime, a node of the same "
		     "name, erlang:disconnect_node/1",
		     flaps->peers, flaps->peers == 1 ? " is" : "s are");
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

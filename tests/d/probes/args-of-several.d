/* args[] have their types if all probes of the clause agree on them, and where the provider is left out. */
/* @options: -q -e */

struct task_struct *task;

io:::start, io:::done { trace(args[0]->b_bcount); trace(args[1]->dev_name); }
proc:::signal-send, proc:::signal-discard { trace(args[1]->pr_fname); }
sched:::off-cpu, wakeup { trace(args[0]->pr_lwpid); }
sched_switch { task = args[2]; trace(args[2]->pid); }
proc:::exit, proc:::exec-failure { trace(args[0]); }

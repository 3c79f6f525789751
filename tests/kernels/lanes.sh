# What is tried in a guest: one function for each lane, which fails by its exit code. `sh lanes.sh LANE`. A line that
# begins with "note:" is shown even if the lane passes.
# shellcheck shell=sh disable=SC2086

LIMIT=600	# tenths of a second, for anything that is waited for

export ERLBPF_MAX_OVERHEAD=0	# the lanes count, and a guest is slow

fail() {
	echo "$*"
	for pid in $(pidof erlbpf); do
		echo "process $pid: $(tr '\000' ' ' < /proc/$pid/cmdline), $(grep -e State -e SigPnd -e ShdPnd /proc/$pid/status | tr '\n' ' ')"
		cat /proc/$pid/task/*/stack
	done
	exit 1
}

# wait_until WHAT COMMAND...
wait_until() {
	what=$1
	shift
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt $LIMIT ] || fail "not in time: $what"
		sleep 0.1
	done
}

# --- The fake BEAM ------------------------------------------------------------------------------

# fake_start [PROGRAM]
fake_start() {
	rm -f /tmp/to /tmp/from
	mkfifo /tmp/to /tmp/from
	${1:-fake-beam} < /tmp/to > /tmp/from &
	FAKE=$!
	exec 3> /tmp/to 4< /tmp/from
	read -r answer <&4
}

# fake COMMAND...: its answer is in $answer
fake() {
	echo "$*" >&3
	read -r answer <&4
}

# How many bytes of its text differ from its file.
changed_bytes() {
	grep ' r-xp .*/fake-beam' /proc/$FAKE/maps | while read -r range _ offset _; do
		from=$((0x${range%-*} / 4096))
		pages=$((0x${range#*-} / 4096 - from))
		dd if=/proc/$FAKE/mem bs=4096 skip=$from count=$pages of=/tmp/text 2> /dev/null
		dd if=/proc/$FAKE/exe bs=4096 skip=$((0x$offset / 4096)) count=$pages of=/tmp/text.file 2> /dev/null
		cmp -l /tmp/text /tmp/text.file | wc -l
	done
}

is_clean() {
	fake semaphores
	[ "$answer" = 0 ] && [ "$(changed_bytes)" = 0 ]
}

expect_clean() {
	is_clean || fail "left: $answer semaphores, $(changed_bytes) bytes of text"
}

# --- erlbpf -------------------------------------------------------------------------------------

# As which user, with which capabilities and in which way erlbpf is run.
AS=

has_said() {
	grep -q "$1" /tmp/out /tmp/err || ! kill -0 $TRACE 2> /dev/null
}

# What a D program of ours has, as its output tells when its probes are live.
touch /tmp/out /tmp/err
D_LIVE='tick-1ms /!is_live/ { is_live = 1; printf("Tracing\n"); }'

# trace ARGS...: returns when all probes are live
trace() {
	: > /tmp/out
	: > /tmp/err
	$AS erlbpf "$@" > /tmp/out 2> /tmp/err &
	TRACE=$!
	wait_until "probes are live" has_said Tracing
	grep -q Tracing /tmp/out /tmp/err || fail "erlbpf $* ended: $(tail -n 3 /tmp/err)"
}

has_ended() {
	! kill -0 $TRACE 2> /dev/null || grep -q '^State:.Z' /proc/$TRACE/status 2> /dev/null
}

trace_end() {
	kill $TRACE
	wait_until "erlbpf ends" has_ended
	wait $TRACE || fail "erlbpf ended with $?: $(tail -n 3 /tmp/err)"
}

# expect PATTERN: what erlbpf printed has a line like this
expect() {
	grep -q -- "$1" /tmp/out || fail "no $1 in: $(tail -n 20 /tmp/out /tmp/err)"
}

# refused MESSAGE ARGS...: erlbpf ends with 4 and this one line
refused() {
	message=$1
	shift
	$AS erlbpf "$@" > /tmp/out 2> /tmp/err && fail "erlbpf $* was not refused"
	code=$?
	grep -q -- "$message" /tmp/err || fail "erlbpf $* ended with $code, without '$message': $(cat /tmp/err)"
	[ $code = 4 ] && [ "$(wc -l < /tmp/err)" = 1 ] || fail "erlbpf $* ended with $code: $(cat /tmp/err)"
}

# Hits of several threads, all of them counted, and nothing left behind.
count_exactly() {
	trace count process-spawn -p $FAKE -j
	fake threads 4 process-spawn 5000
	trace_end
	expect '"probes":{"process-spawn":{"events":20000,"lost":0}}'
	expect_clean
}

# The same with D: a count, a sum and a histogram. What has no room is reported; that may be a tick of D_LIVE, too.
aggregate_exactly() {
	trace -q -p $FAKE -n "$D_LIVE" -n '
		erlang$target:::process-spawn { @n = count(); @sum = sum(1); @all = quantize(1); }
		END { printa("count %@d\n", @n); printa("sum %@d\n", @sum); printa("all %@d\n", @all); }'
	fake threads 8 process-spawn 5000
	trace_end
	drops=$(grep -o '[0-9]* drops\{0,1\} on CPU' /tmp/err | awk '{ sum += $1 } END { print sum + 0 }')
	counted=$(sed -n 's/^count //p' /tmp/out)
	[ "${counted:-0}" -le 40000 ] && [ "${counted:-0}" -ge $((40000 - drops)) ] ||
		fail "${counted:-none} of 40000 are counted, $drops drops: $(tail -n 20 /tmp/out /tmp/err)"
	expect "^sum $counted\$"
	expect "^ *1 |@* $counted *\$"
	expect_clean
}

# With these capabilities and no other, as a user who has none.
only_with() {
	caps=-all$(printf ',+%s' "$@")
	[ "$1" ] || caps=-all
	AS="/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=$caps --ambient-caps=$caps --bounding-set=$caps"
}

has_multi() {
	erlbpf doctor | grep -q uprobe_multi
}

# --- Lanes --------------------------------------------------------------------------------------

lane_refused() {
	fake_start
	refused 'this kernel is too old: erlbpf needs Linux 5.15 or later' count -p $FAKE
	erlbpf -q -n 'BEGIN { exit(0); }' 2> /tmp/err && fail "D was not refused"
	grep -q 'this kernel is too old: erlbpf needs Linux 5.15 or later' /tmp/err || fail "$(cat /tmp/err)"
	expect_clean
}

lane_fake() {
	fake_start
	count_exactly
	trace trace process-exit -p $FAKE -j
	fake fire process-exit 3
	trace_end
	[ "$(grep -c '"args":"p=<0.100.0> reason=process-exit arg1"' /tmp/out)" = 3 ] || fail "$(cat /tmp/out)"
	aggregate_exactly
}

# Every probe of the catalogue, each of which fires once.
lane_all() {
	fake_start
	trace trace -p $FAKE -j --unsafe
	fake fire-all
	trace_end
	expect '"type":"summary".*"lost":0'
	grep '"type":"event"' /tmp/out | grep -o '"probe":"[^"]*"' | sort > /tmp/fired
	[ "$(wc -l < /tmp/fired)" -gt 1000 ] && [ ! "$(uniq -d /tmp/fired)" ] || fail "$(wc -l < /tmp/fired) probes"
	expect_clean
}

# One perf event and link for each site, as on kernels without uprobe_multi.
lane_perf() {
	export ERLBPF_ATTACH=perf
	fake_start
	count_exactly
	aggregate_exactly
}

# Links for all processes of a file, as on Linux 6.6 to 6.9.
lane_inode() {
	export ERLBPF_ATTACH=inode
	fake_start
	count_exactly
	aggregate_exactly
}

# Sites that have a nop5 behind the nop, of which Linux 6.18 to 7.2 would make a call.
lane_nop5() {
	fake_start fake-beam-nop5
	count_exactly
	aggregate_exactly
}

lane_nobtf() {
	mount -t tmpfs tmpfs /sys/kernel/btf
	trap 'umount /sys/kernel/btf' EXIT
	fake_start
	count_exactly
	aggregate_exactly
}

lane_capabilities() {
	fake_start
	only_with ''
	refused 'permission denied: run erlbpf with sudo, or with the capabilities BPF, PERFMON and SYS_PTRACE' count -p $FAKE
	only_with perfmon sys_ptrace
	refused 'permission denied: run erlbpf with sudo, or with the capabilities BPF, PERFMON and SYS_PTRACE' count -p $FAKE
	only_with bpf sys_ptrace
	refused 'permission denied: the capability PERFMON is missing; run erlbpf with sudo' count -p $FAKE
	only_with bpf perfmon
	refused 'permission denied: the capability SYS_PTRACE is missing; run erlbpf with sudo' count -p $FAKE
	expect_clean
	if has_multi; then
		only_with bpf perfmon sys_ptrace
	else
		only_with bpf perfmon sys_ptrace
		$AS erlbpf count process-spawn -p $FAKE > /tmp/out 2> /tmp/err && fail "attached without SYS_ADMIN"
		grep -q 'CAP_SYS_ADMIN is required' /tmp/err || fail "$(cat /tmp/err)"
		only_with bpf perfmon sys_ptrace sys_admin
	fi
	count_exactly
}

# No memory may be locked, and nobody may raise this.
lane_memlock() {
	fake_start
	only_with bpf perfmon sys_ptrace sys_admin
	ulimit -l 0
	count_exactly
	aggregate_exactly
}

CPU=/sys/devices/system/cpu/cpu1/online

# CPU 1 is not there at the start, then it comes and goes.
lane_hotplug() {
	fake_start
	echo 0 > $CPU
	trace count process-spawn -p $FAKE -j
	touch /tmp/toggle
	while [ -e /tmp/toggle ]; do
		echo 1 > $CPU
		echo 0 > $CPU
		echo >> /tmp/toggle.count
	done &
	rounds=0
	until [ "$(cat /tmp/toggle.count 2> /dev/null | wc -l)" -ge 5 ]; do
		fake threads 4 process-spawn 2500
		rounds=$((rounds + 1))
	done
	rm /tmp/toggle
	wait $!
	trace_end
	echo 1 > $CPU
	expect "\"probes\":{\"process-spawn\":{\"events\":$((rounds * 10000)),\"lost\":0}}"
	expect_clean
}

# erlbpf uses none of the CPU's debug registers: as many can be taken for the process while it is traced.
lane_debug_registers() {
	fake_start
	before=$(debug-registers $FAKE)
	[ "$before" -gt 0 ] || fail "this machine has no debug registers"
	trace -q -p $FAKE -n 'erlang$target:::process-* { @n = count(); } profile-97 { @t = count(); }' -n "$D_LIVE"
	during=$(debug-registers $FAKE)
	trace_end
	[ "$before" = "$during" ] || fail "$before debug registers are free, $during while erlbpf runs"
}

# Programs may be preempted anywhere.
lane_preempt() {
	mode=$(sed 's/.*(\(.*\)).*/\1/' /sys/kernel/debug/sched/preempt)
	trap 'echo $mode > /sys/kernel/debug/sched/preempt' EXIT
	echo full > /sys/kernel/debug/sched/preempt
	grep -q '(full)' /sys/kernel/debug/sched/preempt || fail "preempt=full is not there"
	fake_start
	count_exactly
	aggregate_exactly
}

# The kernel cannot be unlocked again, so this is the last lane of a guest.
lane_lockdown() {
	fake_start
	echo integrity > /sys/kernel/security/lockdown
	count_exactly
	aggregate_exactly
	echo confidentiality > /sys/kernel/security/lockdown
	refused 'the kernel is locked down (confidentiality).*boot with lockdown=integrity' count -p $FAKE
	expect_clean
}

# Centiseconds since the guest began.
now() {
	read -r uptime _ < /proc/uptime
	echo "${uptime%.*}${uptime#*.}"
}

# The commands are shorter than any pause, so there is none.
until_semaphores_are() {
	asked=0
	fake semaphores
	until test "$answer" "$1" "$2" || ! kill -0 $TRACE 2> /dev/null; do
		asked=$((asked + 1))
		[ $asked -lt 100000 ] || fail "$answer semaphores are raised, not $*"
		fake semaphores
	done
}

is_over() {
	! pidof erlbpf > /dev/null && is_clean
}

kill_now() {
	[ "$answer" = 0 ] || [ "$answer" -ge $all ] || middle=$((middle + 1))
	begin=$(now)
	kill -9 $TRACE
	wait $TRACE
	wait_until "nothing is left by kill $((made + 1))" is_over
	took=$(($(now) - begin))
	[ $took -le $slowest ] || slowest=$took
	made=$((made + 1))
}

# Killed while it attaches and while it detaches, at moments that the semaphores tell. The kernel's command line says how
# many times (kills=200).
lane_kill() {
	made=0 middle=0 slowest=0 half=$((${kills:-10} / 2))
	fake_start
	trace count 'process-*' -p $FAKE
	fake semaphores
	all=$answer
	trace_end
	for part in $(seq $half); do
		erlbpf count 'process-*' -p $FAKE > /tmp/out 2> /tmp/err &
		TRACE=$!
		until_semaphores_are -ge $((all * part / (half + 1) + 1))
		kill_now
		trace count 'process-*' -p $FAKE
		kill $TRACE
		until_semaphores_are -le $((all * part / (half + 1)))
		kill_now
	done
	count_exactly
	echo "note: $made kills, $middle of them with some of $all semaphores raised; 0 left something; clean after at most $((slowest * 10)) ms"
}

# --- A real BEAM ------------------------------------------------------------------------------------

# A guest has one thread of the host for all of its CPUs: schedulers that look for work for a while before they sleep take
# the time of those who have some.
BEAM_CALM="+sbwt none +sbwtdcpu none +sbwtdio none"

# beam_start FLAVOUR [COMMAND...]: by which it is started
beam_start() {
	flavour=$1
	shift
	rm -f /tmp/to /tmp/from
	mkfifo /tmp/to /tmp/from
	ROOTDIR=/otp BINDIR=/otp/$flavour/bin EMU=beam PROGNAME=erl \
		"$@" /otp/$flavour/bin/erlexec $BEAM_CALM -noshell -pa /otp/tests -s ctl main < /tmp/to > /tmp/from 2> /tmp/beam.err &
	BEAM=$!
	exec 3> /tmp/to 4< /tmp/from
	# Newer ones warn of a machine without network first.
	while read -r answer <&4 && [ "$answer" != ready ]; do
		echo "$answer" >> /tmp/beam.err
	done
	[ "$answer" = ready ] || fail "no BEAM: $(cat /tmp/beam.err)"
	eval_erlang 'logger:set_primary_config(level, none), lists:seq(1, 2), ok'
}

eval_erlang() {
	echo "$*." >&3
	read -r answer <&4
	case $answer in
	"= "*) ;;
	*) fail "$* -> $answer" ;;
	esac
}

# Instructions that this kernel's verifier looked at in a program of spawn-exit, which has names and terms: at most so many.
MOST_VERIFIED=60000

# beam FLAVOUR [COMMAND...]
beam() {
	beam_start "$@"
	trace spawn-exit -p $BEAM -j -vv
	verified=$(grep -a -o 'processed [0-9]* insns' /tmp/err | tr -dc '0-9\n' | sort -n | tail -n 1)
	[ "${verified:-$MOST_VERIFIED}" -lt $MOST_VERIFIED ] || fail "the verifier looked at $verified instructions"
	eval_erlang '[begin {_, M} = spawn_monitor(fun() -> exit({oops, N}) end), receive {_, M, _, _, _} -> ok end end || N <- lists:seq(1, 100)], ok'
	trace_end
	told=$(grep -c '"event":"exit".*"reason":"{oops,[0-9]*}"' /tmp/out)
	[ "$told" = 100 ] || fail "$(cat /tmp/err); $told of 100 reasons are whole; others: $(grep '"event":"exit"' /tmp/out |
		sed 's/.*"reason"//' | grep -v '{oops,[0-9]*}' | sort | uniq -c | head -n 3)"
	expect '"process-exit":{"events":100,"lost":0}'
	trace -q -p $BEAM -n 'erlang$target:::message-send { @n = count(); }' -n "$D_LIVE"
	eval_erlang '[begin self() ! x, receive x -> ok end end || _ <- lists:seq(1, 1000)], ok'
	trace_end
	[ "$(tr -dc 0-9 < /tmp/out)" -ge 1000 ] || fail "messages: $(cat /tmp/out)"
	erlbpf doctor -p $BEAM -j > /tmp/out
	expect '"leftovers":{"breakpoints":0,"semaphores":0'
}

# What is read of a process is where this architecture has it.
expect_members() {
	eval_erlang 'P = spawn(fun() -> register(stuck, self()), receive never -> ok end end), [P ! x || _ <- lists:seq(1, 37)], ok'
	erlbpf top -p $BEAM --sort queue -j 1 1 > /tmp/out
	expect '"name":"stuck"[^}]*"queue":37,[^}]*"initial_call":"erlang:apply/2"'
}

# With libraries of its own, in a root of its own.
lane_beam_hidden() {
	for name in dev proc tmp; do
		mkdir -p /hidden/$name
		mount --bind /$name /hidden/$name
	done
	trap 'umount /hidden/dev /hidden/proc /hidden/tmp' EXIT
	beam hidden chroot /hidden
	erlbpf list -v message-send -p $BEAM > /tmp/out
	expect matched
	expect_members
	erlbpf doctor -p $BEAM > /tmp/out 2>&1
	echo "note: $(grep -e 'from functions found by comparison' -e '^  matched' /tmp/out | tr -s ' ' | tr '\n' ';')"
}

lane_beam_stock() {
	beam stock
	expect_members
}

lane_beam_notes() {
	beam notes
}

# A line for each piece of the node's code, files' and the JIT's: what it has.
code_sums() {
	grep ' r.xp\| r.xs' /proc/$BEAM/maps | grep -v '\[v' | while read -r range _; do
		from=$((0x${range%-*} / 4096))
		pages=$((0x${range#*-} / 4096 - from))
		[ $pages -lt 8192 ] || pages=8192
		echo "$range $(dd if=/proc/$BEAM/mem bs=4096 skip=$from count=$pages 2> /dev/null | md5sum)"
	done
}

# expect_registers COUNT: so many are free
expect_registers() {
	free=$(debug-registers $BEAM)
	[ "$free" = "$1" ] || fail "$free debug registers are free, not $1"
}

call_four() {
	eval_erlang "[called:call(P, F, {500, 3}) || F <- [leaf, outer, loop, factorial]], ok"
}

# Four Erlang functions by debug registers, while threads of the node come and go: as many calls as the node itself
# counts, and not a byte of its code is another. The functions call themselves and each other.
lane_beam_hw() {
	beam_start stock
	eval_erlang 'P = called:start(), T = passing:start(), passing:stop(T), ok'
	call_four
	expect_registers 4
	code_sums > /tmp/code.before
	trace calls 'called:[lof]*/1' --entry --unsafe -p $BEAM -j
	expect_registers 0
	eval_erlang 'T2 = passing:start(), ok'
	call_four
	code_sums > /tmp/code.during
	eval_erlang 'N = passing:stop(T2)'
	threads=${answer#= }
	[ "$threads" -ge 20 ] || fail "$threads threads came and went"
	trace_end
	expect_registers 4
	code_sums > /tmp/code.after
	cmp /tmp/code.before /tmp/code.during && cmp /tmp/code.before /tmp/code.after || fail "the node's code has changed"
	eval_erlang '[erlang:trace_pattern({called, F, 1}, true, [local, call_count]) || F <- [leaf, outer, loop, factorial]], ok'
	call_four
	for function in leaf outer loop factorial; do
		eval_erlang "element(2, erlang:trace_info({called, $function, 1}, call_count))"
		expect "\"key\":\"called:$function/1\",\"calls\":${answer#= },"
		echo "note: called:$function/1 ${answer#= } calls"
	done
	expect '"lost":0'
	echo "note: $(wc -l < /tmp/code.before) pieces of code, $threads threads came and went"
}

TOOLS="${TOOLS:-sched-latency gc heap copy slices run-queue migrate tasks timers ets locks spawn-exit births calls mailbox messages dist
	ports drivers files aio sockets trace count uprobe user-trace off-cpu top}"

# What the verifier has against the first program that it refuses.
why_not() {
	program=$(sed -n 's/.*cannot load the BPF program \([a-z_0-9]*\).*/\1/p' /tmp/err | head -n 1)
	erlbpf "$@" -vv 2>&1 < /dev/null | grep -a "^erlbpf: $program:" | tail -n 1 | tail -c 600
}

# The verifier of this kernel lets every tool's programs pass.
lane_beam_tools() {
	beam_start stock
	refused=
	for tool in $TOOLS; do
		[ $tool != uprobe ] || tool="uprobe erts_send_message"
		[ $tool != off-cpu ] || tool="profile --off-cpu"
		: > /tmp/err
		erlbpf $tool -p $BEAM > /tmp/out 2> /tmp/err < /dev/null &
		TRACE=$!
		wait_until "$tool attaches" has_said Tracing
		if grep -q Tracing /tmp/err; then
			trace_end
		else
			refused="$refused $tool"
			why_not $tool -p $BEAM
		fi
	done
	[ ! "$refused" ] || fail "refused: $refused"
}

"lane_$1"

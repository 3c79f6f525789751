#!/bin/sh
# A stock node with a workload, and how long its messages wait before their receiver runs.
set -eu
build=${1:-build}
seconds=3
fifo=$(mktemp -u)
mkfifo "$fifo"
trap 'rm -f "$fifo"; [ -z "${node:-}" ] || kill "$node" 2> /dev/null || true' EXIT

sleep 60 > "$fifo" &
keeper=$!
erl -noshell -pa "$build/erl" -s demo main < "$fifo" > "$fifo.out" &
node=$!
until grep -q ready "$fifo.out" 2> /dev/null; do sleep 0.1; done
rm -f "$fifo.out"

echo "A node of $(dpkg-query -W -f='${Package} ${Version}' erlang-base 2> /dev/null || echo Erlang) runs as process $node, as it came from the distribution."
echo "\$ erlbpf sched-latency -p $node -d $seconds"
"$build/erlbpf" sched-latency -p "$node" -d "$seconds"
kill "$keeper" 2> /dev/null || true

%% Functions that are in each other when something is done.
-module(stacked).
-export([outer/1, deep/2]).

outer(What) -> [middle(What)].
middle(What) -> {middle, inner(What)}.
inner(What) -> [do(What) | What].

do(send) -> [self() ! sent];
do(spawn) -> [spawn(lists, seq, [1, 2])];
do(gc) -> [garbage_collect()];
do(exit) -> [exit(normal)];
do(_) -> [].

deep(0, What) -> [do(What)];
deep(N, What) -> [N | deep(N - 1, What)].

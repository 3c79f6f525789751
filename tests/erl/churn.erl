%% A process whose stack and heap change all the time.
-module(churn).
-export([run/0]).

run() ->
    garbage = deep(200, lists:seq(1, 50)),
    receive after rand:uniform(3) - 1 -> ok end,
    run().

deep(0, _) -> garbage;
deep(N, List) ->
    case deep(N - 1, lists:reverse([N | List])) of
        garbage -> garbage;
        Other -> {Other, List}
    end.

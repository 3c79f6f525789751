%% Clients of RabbitMQ, each with a connection and a queue of its own, that publish a message for each that they get. Compiled when
%% it is wanted, against the headers of RabbitMQ's client.
-module(amqp_load).
-export([start/3, start/4, pause/1, run/1, open/1, exchange/2]).

-include_lib("amqp_client/include/amqp_client.hrl").

%% N clients, with so many messages on their way in each.
start(Port, N, Messages) ->
    start(Port, N, Messages, 0).

%% Each comes after that many milliseconds again, so that the load is the same whatever becomes of the server.
start(Port, N, Messages, PauseMs) ->
    logger:set_primary_config(level, error),
    Clients = [spawn(fun() -> client(Port, Messages, PauseMs) end) || _ <- lists:seq(1, N)],
    persistent_term:put(?MODULE, Clients),
    [begin C ! {self(), ready}, receive {C, ready} -> ok after 30000 -> exit(no_client) end end || C <- Clients],
    ok.

%% From now on, each comes after that many milliseconds.
pause(PauseMs) ->
    [C ! {pause, PauseMs} || C <- persistent_term:get(?MODULE)],
    ok.

%% Messages that came within Ms.
run(Ms) ->
    Clients = persistent_term:get(?MODULE),
    First = counts(Clients),
    timer:sleep(Ms),
    counts(Clients) - First.

%% A queue, with one that publishes to it and gets all that comes.
open(Port) ->
    {ok, Connection} = amqp_connection:start(#amqp_params_network{host = "127.0.0.1", port = Port}),
    {ok, Channel} = amqp_connection:open_channel(Connection),
    #'queue.declare_ok'{queue = Queue} = amqp_channel:call(Channel, #'queue.declare'{exclusive = true}),
    #'basic.consume_ok'{} = amqp_channel:subscribe(Channel, #'basic.consume'{queue = Queue, no_ack = true}, self()),
    receive #'basic.consume_ok'{} -> {Channel, Queue} end.

%% So many messages, there and back.
exchange({Channel, Queue}, Messages) ->
    [publish(Channel, Queue) || _ <- lists:seq(1, Messages)],
    [receive {#'basic.deliver'{}, _} -> ok end || _ <- lists:seq(1, Messages)],
    ok.

counts(Clients) ->
    [C ! {self(), count} || C <- Clients],
    lists:sum([receive {C, N} -> N end || C <- Clients]).

client(Port, Messages, PauseMs) ->
    {Channel, Queue} = open(Port),
    [publish(Channel, Queue) || _ <- lists:seq(1, Messages)],
    loop(Channel, Queue, PauseMs, 0).

loop(Channel, Queue, PauseMs, N) ->
    receive
        {#'basic.deliver'{}, _} -> publish_after(PauseMs, Channel, Queue), loop(Channel, Queue, PauseMs, N + 1);
        publish -> publish(Channel, Queue), loop(Channel, Queue, PauseMs, N);
        {pause, NewMs} -> loop(Channel, Queue, NewMs, N);
        {From, ready} -> From ! {self(), ready}, loop(Channel, Queue, PauseMs, N);
        {From, count} -> From ! {self(), N}, loop(Channel, Queue, PauseMs, N)
    end.

publish_after(0, Channel, Queue) -> publish(Channel, Queue);
publish_after(PauseMs, _, _) ->
    %% By chance, so that those which were held up together do not stay together.
    erlang:send_after(round(-PauseMs * math:log(rand:uniform())), self(), publish).

publish(Channel, Queue) ->
    amqp_channel:cast(Channel, #'basic.publish'{routing_key = Queue}, #amqp_msg{payload = <<0:(100 * 8)>>}).

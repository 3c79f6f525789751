%% A process that sends terms of every kind to another, one after the other, when it is told to. For
%% each it writes its name and what ~0p makes of it into a file, in hexadecimal, since that may hold
%% anything.
-module(terms).
-export([main/1]).

main([File]) ->
    send(File, fun() -> whole() ++ records() ++ cut() end);
main([File, Seed, Count]) ->
    rand:seed(exsss, number(Seed)),
    send(File, fun() -> [{random, {made, fun() -> random(3) end}} || _ <- lists:seq(1, number(Count))] end).

number(Word) ->
    list_to_integer(atom_to_list(Word)).

send(File, Terms) ->
    Sink = spawn(fun sink/0),
    io:format("ready ~p ~p~n", [self(), Sink]),
    io:get_line(""),
    Lines = [show(Sink, Name, Term) || {Name, Term} <- Terms()],
    ok = file:write_file(atom_to_list(File), Lines),
    io:format("end~n"),
    io:get_line(""),
    halt(0).

sink() ->
    receive _ -> sink() end.

show(Sink, Name, {made, Make}) ->
    show(Sink, Name, Make());
show(Sink, Name, Term) ->
    Sink ! Term,
    Text = unicode:characters_to_binary(io_lib:format(format_of(Term), [Term])),
    [atom_to_list(Name), $\s, << <<(hd(integer_to_list(N, 16)))>> || <<N:4>> <= Text >>, $\n].

%% What is UTF-8 is shown as such.
format_of(Term) when is_binary(Term) -> "~0tp";
format_of(_) -> "~0p".

%% Made at run time, where the compiler would make a literal.
new(Term) ->
    binary_to_term(term_to_binary(Term)).

%% {made, _}: a large one that would not fit any more once garbage collection has scattered it.
whole() ->
    [{small, 42}, {negative, -1}, {zero, 0},
     {largest_small, (1 bsl 59) - 1}, {smallest_small, -(1 bsl 59)},
     {bignum, 1 bsl 59}, {negative_bignum, -(1 bsl 64)}, {long_bignum, new(-(3 bsl 1900) + 17)},
     {zeros_in_bignum, new(10000000000000000000000000000000000000001)},
     {atom, ok}, {quoted_atom, 'hello world'}, {reserved_atom, 'when'}, {maybe_atom, 'maybe'}, {else_atom, 'else'},
     {empty_atom, ''}, {upper_atom, 'Abc'}, {at_atom, 'n@h'}, {escaped_atom, list_to_atom("a'\\\n\e\d\201b")},
     {latin_atom, list_to_atom([223, 224])}, {latin_upper_atom, list_to_atom([192, 97])},
     {unicode_atom, list_to_atom([1076, 1072])}, {emoji_atom, list_to_atom([97, 16#1f600])},
     {atom_of_64, list_to_atom(lists:duplicate(64, $b))}, {atom_of_65, list_to_atom(lists:duplicate(65, $c))},
     {longest_atom, list_to_atom(lists:duplicate(255, 16#1f600))},
     {floats, new([1.0, -0.0, 0.0, 0.1, 1.0e10, 1.5e-5, 123456.789, 1.0e22, 1.0e23, 5.0e-324,
                   1.7976931348623157e308, 0.001, 0.0001, 1.0e-5, 100.0, 1000.0, 10000.0, 3.0e15])},
     {more_floats, new([9007199254740991.0, 9007199254740992.0, 9007199254740994.0, 12345678901.0,
                        -123456789012345680.0, 2.2250738585072014e-308, 1/3, -2/3, 1.0e100, 1.0e-100,
                        4.35, 0.5, 1234567890.0, 12345678900.0])},
     {powers, new([math:pow(2, N) || N <- [-44, -1074, -1022, 53, 54, 60, 89, 122, -24, 1023]])},
     {nil, []}, {list, new([1, 2, 3])}, {literal_list, [a, b, c]}, {improper, new([a | b])},
     {improper_longer, new([1, 2, {x} | <<"t">>])}, {nested_lists, new([[], [[]], [[1], "a"], [a | [b]]])},
     {string, new("hello")}, {escaped_string, new("q\"b\\ \n\t\e\v\b\f\r")}, {latin_string, new([229, 228, 246])},
     {no_string, new([1, 104, 105])}, {delete_is_no_character, new([127])}, {wide_is_no_string, new([1076])},
     {string_with_tail, new("ab" ++ [foo])}, {improper_string, new([97, 98 | 99])},
     {long_string, {made, fun() -> new(lists:duplicate(100, $x)) end}},
     {literal_string, "this is a string that the compiler has put among the literals"},
     {consed, {made, fun() -> lists:foldl(fun(N, L) -> [N | L] end, [], lists:seq(1, 60)) end}},
     {tuple, new({a, 1, "s", <<"b">>})}, {empty_tuple, {}}, {one, new({1})}, {deep, deep(15)},
     {wide, list_to_tuple(lists:seq(1, 150))},
     {empty_map, #{}}, {map, new(#{a => 1, b => 2, 'Z' => [x], "k" => {v}})},
     {atom_map, new(#{zebra => 1, apple => 2, mango => 3, terms => 4, never_seen_before => 5})},
     {mixed_map, new(#{1 => a, 1.0 => b, {t} => c, [l] => d, <<"b">> => e, a => f})},
     {map_in_map, new(#{a => #{b => #{c => #{}}}})}, {literal_map, #{one => 1, two => 2}},
     {full_flat_map, maps:from_list([{N, N} || N <- lists:seq(1, 32)])},
     {hash_map, maps:from_list([{N, N * 2} || N <- lists:seq(1, 40)])},
     {hash_map_of_atoms, maps:from_list([{list_to_atom("key" ++ integer_to_list(N)), N} || N <- lists:seq(1, 36)])},
     {empty_binary, <<>>}, {binary, new(<<"hello">>)}, {number_binary, new(<<0, 1, 254, 255>>)},
     {latin_binary, new(<<229, 228, 246>>)}, {utf8_binary, new(<<"åäö"/utf8>>)},
     {escaped_binary, new(<<"q\"\\\n\0">>)}, {escaped_text_binary, new(<<"q\"\\\n">>)},
     {binary_of_64, binary:copy(<<"a">>, 64)}, {binary_of_65, binary:copy(<<"a">>, 65)},
     {binary_of_256, binary:copy(<<"0123456789abcdef">>, 16)},
     {sub_binary, binary:part(binary:copy(<<"0123456789">>, 20), 33, 50)},
     {sub_of_heap, sub(new(<<"abcdefghijklm">>))}, {at_odd_bits, odd(new(<<"abcdefghijklm">>))},
     {appended, appended(<<>>, 30)}, {appended_far, appended(binary:copy(<<"z">>, 100), 20)},
     {bits, new(<<5:3>>)}, {bits_behind_text, new(<<"ab", 1:1>>)}, {bits_behind_numbers, new(<<1, 2, 3:7>>)},
     {large_bits, large_bits(binary:copy(<<"xyz">>, 70))},
     {pid, self()}, {old_pid, list_to_pid("<0.10.0>")}, {init_pid, whereis(init)}, {port, hd(erlang:ports())},
     {reference, make_ref()}, {magic_reference, atomics:new(1, [])}, {alias, alias()},
     {monitor_alias, monitor(process, whereis(init), [{alias, reply_demonitor}])},
     {local_fun, fun() -> ok end}, {closure, closure(self(), make_ref())}, {export_fun, fun lists:map/2},
     {quoted_export_fun, fun 'Elixir.Foo':'n@h'/1}, {reserved_export_fun, fun erlang:'not'/1},
     {unloaded_fun, fun no_such_module:f/3}, {shell_fun, erl_fun()},
     {external_pid, external_pid('a@b', 88, 3)}, {external_port, external_port('a@b', 17)},
     {external_reference, external_ref('c@d')}, {earlier_self, external_pid(node(), 99, 1)},
     {call, {'$gen_call', {self(), [alias | monitor(process, whereis(init), [{alias, demonitor}])]}, {get, "key"}}},
     {down, {'DOWN', make_ref(), process, self(), {badarg, [{erlang, hd, [[]], [{error_info, #{}}]}]}}},
     {everything, {new([1, "two", <<"three">>]), #{k => {self(), make_ref()}}, 4.0, fun lists:map/2, 1 bsl 70}},
     {shared, shared(new([1, 2]), 4)}].

%% OTP 29 has records that are no tuples, and only its compiler can read them.
records() ->
    case list_to_integer(erlang:system_info(otp_release)) >= 29 of
        true -> made("-module(made). -export([records/0]). -record #empty{}. "
                     "-record #'Order'{zebra = 0, 'True' = 1, apple = two, mango = \"s\"}. "
                     "records() -> [{empty_record, #empty{}}, {record, #'Order'{}}, "
                     "{nested_record, #'Order'{mango = #'Order'{apple = [#empty{}]}, zebra = {self(), <<1:3>>}}}].");
        false -> []
    end.

made(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, made, Code} = compile:forms(forms(Tokens, [])),
    {module, made} = code:load_binary(made, "made.erl", Code),
    made:records().

forms([], []) -> [];
forms([{dot, _} = Dot | Tokens], Form) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse(Form, [Dot])),
    [Parsed | forms(Tokens, [])];
forms([Token | Tokens], Form) -> forms(Tokens, [Token | Form]).

%% More than a snapshot holds.
cut() ->
    [{cut_string, new(lists:duplicate(2000, $y))}, {cut_list, new(lists:seq(1000, 3000))},
     {cut_tuple, list_to_tuple(lists:seq(1, 2000))}, {cut_binary, binary:copy(<<"w">>, 100000)},
     {cut_number_binary, binary:copy(<<1>>, 1000)},
     {cut_map, maps:from_list([{N, N} || N <- lists:seq(1, 1000)])},
     {cut_behind, {first, new(lists:duplicate(500, a)), <<"last">>}},
     {cut_deep, deep(100)}, {cut_bignum, 1 bsl 10000},
     {cut_part, {a, binary:copy(<<"v">>, 300), b, "tail"}}].

deep(0) -> [bottom];
deep(N) -> {N, deep(N - 1)}.

%% With /binary, OTP 25 would compile it to an instruction that OTP 29 does not load.
sub(<<_, Part:5/binary, _/bits>>) -> Part.
odd(<<_:3, Part:45/bits, _/bits>>) -> Part.
large_bits(<<_:5, Part:1000/bits, _/bits>>) -> Part.

appended(Binary, 0) -> Binary;
appended(Binary, N) -> appended(<<Binary/binary, (64 + N)>>, N - 1).

closure(A, B) -> fun(X) -> {A, B, X} end.

erl_fun() ->
    {ok, Tokens, _} = erl_scan:string("fun(X) -> X end."),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    {value, Fun, _} = erl_eval:exprs(Expressions, []),
    Fun.

shared(Term, 0) -> Term;
shared(Term, N) -> shared({Term, Term}, N - 1).

%% The external term format makes terms of nodes that there are none.
external_pid(Node, Number, Serial) ->
    binary_to_term(<<131, 88, (atom(Node))/binary, Number:32, Serial:32, 7:32>>).

external_port(Node, Number) ->
    binary_to_term(<<131, 89, (atom(Node))/binary, Number:32, 7:32>>).

external_ref(Node) ->
    binary_to_term(<<131, 90, 3:16, (atom(Node))/binary, 7:32, 1:32, 2:32, 3:32>>).

atom(Atom) ->
    Text = atom_to_binary(Atom),
    <<119, (byte_size(Text)), Text/binary>>.

%% Of any kind. Numbers in lists are no characters, so that a list shows what it is from its begin on.
random(0) -> random_leaf(rand:uniform(14));
random(Depth) ->
    case rand:uniform(6) of
        1 -> [random(Depth - 1) || _ <- lists:seq(1, rand:uniform(8))];
        2 -> list_to_tuple([random(Depth - 1) || _ <- lists:seq(1, rand:uniform(6))]);
        3 -> maps:from_list([{random(Depth - 2 + rand:uniform(2) - 1), random(Depth - 1)}
                             || Depth > 1, _ <- lists:seq(1, rand:uniform(5))]);
        4 -> maps:from_list([{random_leaf(rand:uniform(8)), N} || N <- lists:seq(1, rand:uniform(40))]);
        5 -> [random(Depth - 1) | random(Depth - 1)];
        6 -> random(0)
    end.

random_leaf(1) -> 300 + rand:uniform(1 bsl 50);
random_leaf(2) -> -rand:uniform(1 bsl rand:uniform(200));
random_leaf(3) -> 1 bsl (59 + rand:uniform(200)) + rand:uniform(1 bsl 60);
random_leaf(4) -> random_float();
random_leaf(5) -> list_to_atom(random_text(rand:uniform(9)));
random_leaf(6) -> random_text(rand:uniform(20));
random_leaf(7) -> list_to_binary(random_text(rand:uniform(90)));
random_leaf(8) -> list_to_tuple(lists:seq(1, rand:uniform(5) - 1));
random_leaf(9) -> make_ref();
random_leaf(10) -> list_to_pid("<0." ++ integer_to_list(rand:uniform(32767)) ++ "." ++ integer_to_list(rand:uniform(8000)) ++ ">");
random_leaf(11) -> Size = rand:uniform(50), <<0, (rand:bytes(Size))/binary, (rand:uniform(8)):(rand:uniform(8))>>;
random_leaf(12) -> Text = list_to_binary(random_text(80)), binary:part(Text, rand:uniform(70), rand:uniform(10));
random_leaf(13) -> lists:nth(rand:uniform(4), [fun lists:map/2, fun random/1, fun() -> ok end, fun io:format/2]);
random_leaf(14) -> lists:nth(rand:uniform(4), [[], {}, #{}, <<>>]).

random_text(Length) ->
    [lists:nth(rand:uniform(12), "abcXYZ_ \"'\n" ++ [233]) || _ <- lists:seq(1, Length)].

random_float() ->
    case <<(rand:uniform(1 bsl 64) - 1):64>> of
        <<Float/float>> -> Float;
        _ -> random_float()
    end.

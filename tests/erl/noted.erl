%% A NIF with notes: work(N, Name) fires noted:::work-done, and tells how often the probe is wanted.
-module(noted).
-export([load/0, work/2]).

load() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

work(_N, _Name) -> erlang:nif_error(not_loaded).

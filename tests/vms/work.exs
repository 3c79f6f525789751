# What tests/vms/test_systems.py has Elixir do.
defmodule Work do
  use GenServer

  def init(table), do: {:ok, :ets.new(table, [])}

  def handle_call({:age, key}, _from, table) do
    {:reply, :ets.lookup(table, key), table}
  end

  # So many tasks at once, each of which calls the server.
  def tasks(number) do
    1..number
    |> Enum.map(fn n -> Task.async(fn -> GenServer.call(Work, {:age, n}) end) end)
    |> Enum.each(&Task.await/1)
  end
end

{:ok, _} = GenServer.start_link(Work, :ages, name: Work)
# It reads lists of characters.
:ok = :io.setopts(binary: false)
:ctl.main()

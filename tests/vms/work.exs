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

  # So many users at once, each of whom asks ten times, and gets a page.
  def requests(number) do
    1..number
    |> Task.async_stream(fn n -> Enum.map_join(1..10, &page(n * &1)) end, max_concurrency: 8)
    |> Stream.run()
  end

  defp page(n) do
    GenServer.call(Work, {:age, n})
    Enum.map_join(1..50, ", ", &String.upcase("user #{n + &1}"))
  end
end

{:ok, _} = GenServer.start_link(Work, :ages, name: Work)
# It reads lists of characters.
:ok = :io.setopts(binary: false)
:ctl.main()

# The Elixir application of tests/vms/test_erlang_functions.py.
defmodule Shop do
  def order(n), do: Enum.sum([price(n), price(1)])
  def price(n), do: n * 2
  def digest(text), do: :crypto.hash(:md5, text)
  def set(n), do: :array.from_list([n, 1])
  def factorial(0), do: 1
  def factorial(n), do: n * factorial(n - 1)
  def fail(n), do: throw(n)
  def serve(), do: receive(do: (:stop -> :ok))
  def echo(first, second), do: {second, [first]}

  # fail/1 ends 100 calls, its own and those of the fun around it; serve/0 goes on for ever.
  def work() do
    spawn(&serve/0)
    for n <- 1..100, do: {order(n), digest("text"), set(n), factorial(5), catch_fail(n)}
    :done
  end

  defp catch_fail(n), do: catch_it(fn -> fail(n) end)
  defp catch_it(f), do: (try do f.() catch n -> n end)

  # Some ms each.
  def slow(n), do: Enum.reduce(1..n, 0, fn i, sum -> rem(sum * i + 1, 1_000_003) end)
  def slow_recursion(0, n), do: slow(n)
  def slow_recursion(depth, n), do: slow(n) + slow_recursion(depth - 1, n)
  def slow_failure(n), do: throw(slow(n))
end

# It reads lists of characters.
:ok = :io.setopts(binary: false)
:ctl.main()

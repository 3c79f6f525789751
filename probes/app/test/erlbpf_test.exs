# SPDX-License-Identifier: BSD-2-Clause
# The package as code of Elixir uses it.
defmodule ErlbpfTest do
  use ExUnit.Case, async: true

  test "a probe takes any term of Elixir" do
    for term <- [%{id: 1}, [a: 1], "text", 1..3, MapSet.new([1]), &is_atom/1] do
      assert :erlbpf.probe(:order_placed, term) == :ok
    end
  end

  test "modules are names, too" do
    assert :erlbpf.probe(__MODULE__) == :ok
  end

  test "strings of Elixir are texts" do
    assert :erlbpf.p(1, "text", ["io", "data"])
    assert :erlbpf.put_tag("tag") == :undefined
    assert :erlbpf.get_tag() == "tag"
  end

  test "a span gives what the function gives, and passes on what it raises" do
    assert :erlbpf.span(:order, %{}, fn -> :done end) == :done
    assert_raise ArgumentError, fn -> :erlbpf.span(:order, fn -> raise ArgumentError end) end
    assert catch_throw(:erlbpf.span(:order, fn -> throw(:away) end)) == :away
  end

  test "names can be declared" do
    assert :erlbpf.declare([:order_placed, __MODULE__]) == :ok
    assert :erlbpf.marks(__MODULE__) == [:"$erlbpf:Elixir.ErlbpfTest"]
  end

  test "events of telemetry have the names that Phoenix and Ecto give them" do
    assert :erlbpf_telemetry.name([:phoenix, :endpoint, :stop]) == :"phoenix.endpoint.stop"
    assert :erlbpf_telemetry.attach([[:my_app, :repo, :query]]) == {:error, :no_telemetry}
  end
end

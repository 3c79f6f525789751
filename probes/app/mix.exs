defmodule Erlbpf.MixProject do
  use Mix.Project

  def project do
    [
      app: :erlbpf,
      version: "0.1.0",
      language: :erlang,
      description: "Probes of Erlang and Elixir code, for erlbpf",
      deps: []
    ]
  end

  def application, do: []
end

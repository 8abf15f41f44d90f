import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";

export default defineConfig({
  input: { path: "./openapi.json" },
  output: { path: "./gen" },
  // The tag of a row is in the headers of an answer.
  plugins: [pluginOas(), pluginTs(), pluginClient({ dataReturnType: "full" })],
});

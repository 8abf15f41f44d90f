import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";

const server = `
import { createServer } from "node:http";
import { belongsTo, createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryBlobs } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { openapi } from "restwright/openapi";
import { sqliteStorage } from "restwright/sqlite";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { z } from "zod";

const topics = defineResource("topics", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string(), topicId: z.int().nullable().optional() }),
  generated: { id: "increment" },
  relations: { topic: belongsTo("topics", "topicId") },
  scope: () => ({ text: { ne: "hidden" } }),
});
const blobs = memoryBlobs();
const use = [jobs(), batch(), transfer({ blobs }), uploads({ blobs, types: ["image/png"] }), openapi({ info: { title: "Notes", version: "1" } })];
const service = createService({ resources: [topics, notes], storage: sqliteStorage({ path: ":memory:" }), use });
const server = createServer(nodeHandler(service)).listen(0, async () => {
  const notes = \`http://127.0.0.1:\${server.address().port}/notes\`;
  const created = await fetch(notes, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text: "a" }) });
  const listed = await fetch(notes);
  console.log(created.status, listed.status, listed.headers.has("etag"));
  // What loads on demand: a key, a JSON Patch, a call from code, a relation, an answer to a Request.
  const topic = await service.asSystem().topics.create({ name: "t" });
  const keyed = () => fetch(notes, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "0123456789abcdef" },
    body: JSON.stringify({ text: "b", topicId: topic.id }),
  });
  const [first, second] = [await (await keyed()).json(), await (await keyed()).json()];
  const patched = await fetch(\`\${notes}/\${first.id}\`, {
    method: "PATCH",
    headers: { "content-type": "application/json-patch+json" },
    body: JSON.stringify([{ op: "replace", path: "/text", value: "c" }]),
  });
  const shown = await service.fetch(new Request(\`http://local/notes/\${first.id}?include=topic\`));
  console.log(first.id === second.id, (await patched.json()).text, (await shown.json()).topic?.name);
  // What makes it is loaded by this request.
  const document = await (await fetch(notes.replace("notes", "openapi.json"))).json();
  const described = ["/notes", "/notes/batch", "/notes/import", "/uploads"].every((path) => path in document.paths);
  console.log(described, document.paths["/uploads"].post.summary);
  server.close();
  await service.close();
});
`;

const parsers = `
import { selectFields } from "restwright/fields";
import { applyJsonPatch } from "restwright/patch";
import { defineQuery } from "restwright/query";
import { z } from "zod";

const order = z.object({ id: z.int(), total: z.number(), note: z.string() });
const orders = defineQuery(order);
const query = orders.parse("total[gte]=5&note=" + "%C3%A9".repeat(100));
const signer = { sign: (text) => String(text.length), verify: (text, code) => code === String(text.length) };
const cursors = orders.cursors(query, signer);
const patched = applyJsonPatch({ total: 1 }, [{ op: "replace", path: "/total", value: 2 }]);
report(JSON.stringify([query.filter.op, selectFields(order, "id")({ id: 1, total: 5, note: "" }), patched, cursors.read(cursors.write({ direction: "after", values: ["é"] })).values]));
`;

/** Runs a script where nothing of Node is: what a browser has beside the language is given by name. */
const browser = `
const { readFileSync } = require("node:fs");
const { createContext, runInContext } = require("node:vm");
const context = createContext({ TextEncoder, TextDecoder, URL, atob, btoa, report: console.log });
runInContext(readFileSync("out/parsers.js", "utf8"), context);
`;

const vite = (input: string) => `export default {
  build: { ssr: ${JSON.stringify(input)}, outDir: "out/vite", target: "node20", rollupOptions: { output: { entryFileNames: "server.js" } } },
  ssr: { noExternal: true },
};`;

const webpack = `export default {
  mode: "production", target: "node20", entry: "./server.js", experiments: { outputModule: true },
  output: { path: process.cwd() + "/out/webpack", filename: "server.mjs", module: true, chunkFormat: "module" },
};`;

const rollupPlugins = ["@rollup/plugin-commonjs", "@rollup/plugin-json", "@rollup/plugin-node-resolve"];

const rollup = `import commonjs from "@rollup/plugin-commonjs";
import json from "@rollup/plugin-json";
import resolve from "@rollup/plugin-node-resolve";
export default {
  input: "server.js", plugins: [resolve({ preferBuiltins: true }), commonjs(), json()], logLevel: "silent", external: ["libsql"],
  output: { file: "out/rollup.mjs", inlineDynamicImports: true },
};`;

describe("Bundles", () => {
  const consumer = new Consumer("module");
  beforeAll(async () => {
    consumer.write("server.js", server);
    consumer.write("parsers.js", parsers);
    consumer.write("browser.cjs", browser);
    consumer.write("vite.config.js", vite("server.js"));
    consumer.write("webpack.config.js", webpack);
    consumer.write("rollup.config.js", rollup);
    await consumer.install([inject("tarball"), "zod", "libsql", "esbuild", "vite", "webpack", "webpack-cli", "rollup", ...rollupPlugins]);
  });
  afterAll(() => consumer.remove());

  const bundle = (command: string) => consumer.run("npx", ["--no-install", ...command.split(" ")]);
  const answers = ["201 200 true", "true c t", "true Upload a file, or begin a resumable upload", ""].join("\n");
  const serve = async (file: string) => expect(await consumer.run(process.execPath, [file])).toBe(answers);

  test("of esbuild serve, as an ES module", async () => {
    await bundle("esbuild server.js --bundle --platform=node --format=esm --outfile=out/esbuild.mjs");
    await serve("out/esbuild.mjs");
  });

  test("of esbuild serve, as CommonJS", async () => {
    await bundle("esbuild server.js --bundle --platform=node --format=cjs --outfile=out/esbuild.cjs --log-override:empty-import-meta=silent");
    await serve("out/esbuild.cjs");
  });

  test("of Vite serve, with nothing left outside", async () => {
    await bundle("vite build --logLevel error");
    await serve("out/vite/server.js");
  });

  test("of Rollup serve, in one file", async () => {
    await bundle("rollup --config rollup.config.js --silent");
    await serve("out/rollup.mjs");
  });

  test("of webpack serve", async () => {
    await bundle("webpack");
    await serve("out/webpack/server.mjs");
  });

  test("of the parsers need nothing of Node", async () => {
    await bundle("esbuild parsers.js --bundle --platform=browser --format=iife --outfile=out/parsers.js");
    const written = JSON.parse(await consumer.run(process.execPath, ["browser.cjs"]));
    expect(written).toEqual(["and", { id: 1 }, { total: 2 }, ["é"]]);
  });
});

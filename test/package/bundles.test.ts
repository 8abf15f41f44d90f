import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";

const server = `
import { createServer } from "node:http";
import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryBlobs } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { sqliteStorage } from "restwright/sqlite";
import { transfer } from "restwright/transfer";
import { uploads } from "restwright/uploads";
import { z } from "zod";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const blobs = memoryBlobs();
const use = [jobs(), batch(), transfer({ blobs }), uploads({ blobs, types: ["image/png"] })];
const service = createService({ resources: [notes], storage: sqliteStorage({ path: ":memory:" }), use });
const server = createServer(nodeHandler(service)).listen(0, async () => {
  const notes = \`http://127.0.0.1:\${server.address().port}/notes\`;
  const created = await fetch(notes, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text: "a" }) });
  const listed = await fetch(notes);
  console.log(created.status, listed.status, listed.headers.has("etag"));
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

describe("Bundles", () => {
  const consumer = new Consumer("module");
  beforeAll(async () => {
    consumer.write("server.js", server);
    consumer.write("parsers.js", parsers);
    consumer.write("browser.cjs", browser);
    consumer.write("vite.config.js", vite("server.js"));
    consumer.write("webpack.config.js", webpack);
    await consumer.install([inject("tarball"), "zod", "libsql", "esbuild", "vite", "webpack", "webpack-cli"]);
  });
  afterAll(() => consumer.remove());

  const bundle = (command: string) => consumer.run("npx", ["--no-install", ...command.split(" ")]);
  const serve = async (file: string) => expect(await consumer.run(process.execPath, [file])).toBe("201 200 true\n");

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

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "tsup";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../src/client/", import.meta.url));
const kibibyte = 1_024;

/** What an empty bundle with one import and one call has, as size-limit takes it off. */
const emptyBytes = 46;

/** What the platforms of the client have in common. */
const common = {
  AbortController,
  AbortSignal,
  Blob,
  Headers,
  ReadableStream,
  Request,
  TextDecoder,
  TextEncoder,
  btoa,
  clearTimeout,
  crypto,
  queueMicrotask,
  setTimeout,
};

/** Bundles a program for pages, and tells what it is made of and its size, minified and compressed. */
async function bundle(program: string, external: string[] = []): Promise<{ inputs: string[]; bytes: number; text: string }> {
  const folder = mkdtempSync(join(tmpdir(), "restwright-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "page.ts"), program.replaceAll("@", root));
  await build({
    entry: { page: join(folder, "page.ts") },
    outDir: join(folder, "out"),
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    splitting: false,
    metafile: true,
    external,
    config: false,
    silent: true,
    dts: false,
    noExternal: external.length === 0 ? [/./] : [],
  });
  const outputs = readdirSync(join(folder, "out"));
  const meta = outputs.find((name) => name.startsWith("metafile")) ?? "";
  const script = outputs.find((name) => name.endsWith("js") && !name.startsWith("metafile")) ?? "";
  const { inputs } = JSON.parse(readFileSync(join(folder, "out", meta), "utf8")) as { inputs: Record<string, unknown> };
  const text = readFileSync(join(folder, "out", script), "utf8");
  return {
    text,
    inputs: Object.keys(inputs).filter((name) => !name.endsWith("page.ts")),
    bytes: gzipSync(text).length - emptyBytes,
  };
}

test("The client is bundled with its own files only, and requests for single rows need at most 4.2 KB", async () => {
  const everything = await bundle('import * as client from "@index.ts"; console.log(client);');
  expect(everything.inputs.length).toBeGreaterThan(15);
  expect(everything.inputs.filter((name) => !name.includes("src/client/"))).toEqual([]);
  expect(everything.bytes).toBeLessThanOrEqual(12.3 * kibibyte);
  const single = await bundle('import { createClient } from "@createClient.ts"; console.log(createClient);', [
    "./more.js",
    "./failure.js",
    "./redirects.js",
  ]);
  expect(single.bytes).toBeLessThanOrEqual(4.2 * kibibyte);
});

test("Uploads need at most 3 KB", async () => {
  const uploads = await bundle('import { startUpload } from "@uploads/index.ts"; console.log(startUpload);');
  expect(uploads.inputs.filter((name) => !name.includes("src/client/"))).toEqual([]);
  expect(uploads.bytes).toBeLessThanOrEqual(3 * kibibyte);
});

test.each(["reactAdmin", "refine"])("The data provider of %s is bundled with files of the client only, and needs at most 5 KB", async (folder) => {
  const provider = await bundle(`import * as provider from "@${folder}/index.ts"; console.log(provider);`);
  expect(provider.inputs.length).toBeGreaterThan(5);
  expect(provider.inputs.filter((name) => !name.includes("src/client/"))).toEqual([]);
  expect(provider.bytes).toBeLessThanOrEqual(5 * kibibyte);
});

test("The client runs with what browsers, Node, Bun, Deno and Workers have in common", async () => {
  const program = `
    import { attempt, createClient } from "@index.ts";
    import { startUpload } from "@uploads/index.ts";
    const shop = createClient({ baseUrl: "http://shop.test", fetch: answer });
    globalThis.result = (async () => {
      const rows = [];
      for await (const row of shop.users.walk({ where: { or: [{ id: 1 }] } })) rows.push(row);
      for await (const row of shop.users.export()) rows.push(row);
      const events = [];
      for await (const event of shop.users.watch()) {
        events.push(event.kind);
        break;
      }
      const live = shop.users.live({ sort: "id" });
      await new Promise((resolve) => live.subscribe(() => live.get().state === "live" && resolve()));
      rows.push(...live.get().rows);
      live.close();
      const made = await shop.users.create({ name: "Ada" });
      const failed = await attempt(shop.users.get(9));
      const upload = await startUpload(shop, new Blob(["hello"]), { storage: false }).done;
      return { rows, events, made, failed: failed.error.name, upload: upload.status };
    })();`;
  const { text } = await bundle(program);
  const json = (value: unknown, status = 200, type = "application/json") =>
    new Response(JSON.stringify(value), { status, headers: { "content-type": type, location: "/uploads/7", "upload-offset": "5" } });
  const answers: Readonly<Record<string, () => Response>> = {
    "POST /searches": () => json({ data: [{ id: 1 }], meta: { nextCursor: null } }),
    "GET /users/export?format=ndjson": () => json({ id: 2 }),
    "GET /users": () => new Response("event: ready\ndata: {}\n\n", { headers: { "content-type": "text/event-stream" } }),
    "GET /users?sort=id&count=none": () => json({ data: [{ id: 4 }], meta: { nextCursor: null } }),
    "POST /users": () => json({ id: 3 }, 201),
    "GET /users/9": () => json({ status: 404, detail: "None.", code: "NOT_FOUND" }, 404, "application/problem+json"),
    "POST /uploads": () => json(null, 201),
    "PATCH /uploads/7": () => json(null),
    "GET /uploads/7": () => json({ status: "ready" }),
  };
  const answer = async ({ method, url }: Request) => answers[`${method} ${url.replace("http://shop.test", "")}`]?.() ?? Response.error();
  const context = createContext({ ...common, answer, result: undefined });
  runInContext(text.replace(/^export .*$/m, ""), context);
  expect(await context["result"]).toEqual({
    rows: [{ id: 1 }, { id: 2 }, { id: 4 }],
    events: ["ready"],
    made: { id: 3 },
    failed: "NotFoundError",
    upload: "ready",
  });
});

test("A page that cannot load the errors of answers has a NetworkError", async () => {
  const program = `
    import { attempt, createClient } from "@index.ts";
    const shop = createClient({ baseUrl: "http://shop.test", fetch: answer, maxRetries: 1 });
    globalThis.result = attempt(shop.users.get(9));`;
  const { text } = await bundle(program, ["./failure.js", "./more.js", "./redirects.js"]);
  const answer = async () => new Response('{"status":404}', { status: 404, headers: { "content-type": "application/problem+json" } });
  const context = createContext({ ...common, answer, result: undefined });
  // A script of this context cannot import.
  runInContext(text, context);
  const { error } = await context["result"];
  expect(error).toMatchObject({ name: "NetworkError", attempts: 2, cause: { code: "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING" } });
});

test("Live rows that a page cannot load have failed", async () => {
  const program = `
    import { createClient } from "@index.ts";
    const live = createClient({ baseUrl: "http://shop.test" }).users.live();
    globalThis.result = new Promise((resolve) => live.subscribe(() => resolve(live.get())));`;
  const { text } = await bundle(program, ["./failure.js", "./more.js", "./redirects.js"]);
  const context = createContext({ ...common, result: undefined });
  runInContext(text, context);
  expect(await context["result"]).toMatchObject({ rows: [], state: "failed", error: { code: "ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING" } });
});

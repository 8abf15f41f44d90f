import { afterAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";
import { type Program, startProgram } from "./program.js";
import { readQuickStart } from "./quickStart.js";

const frameworks: Readonly<Record<string, readonly string[]>> = {
  express: ["express"],
  fastify: ["fastify"],
  hono: ["@hono/node-server", "hono"],
  koa: ["koa", "koa-mount"],
  node: [],
};

/** Node 20 has no driver of its own, so that the README tells its users to install one. */
const driver = process.getBuiltinModule("node:sqlite") === undefined ? ["libsql"] : [];

describe.each(Object.entries(frameworks))("The README's quick start for %s", (host, packages) => {
  const consumer = new Consumer("module");
  let program: Program | undefined;
  afterAll(async () => {
    await program?.stop();
    consumer.remove();
  });

  test("is at most 25 lines and imports restwright, zod and the framework only", () => {
    const quickStart = readQuickStart(host);
    expect(quickStart.code.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
    expect([...quickStart.packages].sort()).toEqual([...packages, "zod"].sort());
  });

  test("starts from the packed tarball with nothing else installed", async () => {
    const { code, packages } = readQuickStart(host);
    consumer.write("server.js", code);
    await consumer.install([inject("tarball"), ...packages, ...driver]);
    program = await startProgram(consumer.folder, "server.js");
  });

  test("creates, reads, patches, lists and deletes, and refuses a stale tag", async () => {
    const users = `${program?.origin}/v1/users`;
    const created = await send(users, "POST", { name: "Ada", email: "ada@example.com" });
    expect(created).toMatchObject({ status: 201, body: { name: "Ada", email: "ada@example.com" } });
    const user = new URL(created.headers.get("location") ?? "", users).href;

    const read = await send(user, "GET");
    expect(read).toMatchObject({ status: 200, body: created.body });
    const tag = read.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"/);
    expect(await send(user, "GET", undefined, { "if-none-match": tag })).toMatchObject({ status: 304 });

    const patched = await send(user, "PATCH", { name: "Ada Lovelace" }, { "if-match": tag });
    expect(patched).toMatchObject({ status: 200, body: { name: "Ada Lovelace", email: "ada@example.com" } });
    const stale = await send(user, "PATCH", { name: "Nobody" }, { "if-match": tag });
    expect(stale).toMatchObject({ status: 412, body: { code: "PRECONDITION_FAILED" } });

    const list = await send(`${users}?sort=-createdAt&perPage=10`, "GET");
    expect(list).toMatchObject({ status: 200, body: { data: [{ name: "Ada Lovelace" }], meta: { total: 1 } } });

    expect(await send(user, "DELETE")).toMatchObject({ status: 204 });
    expect(await send(user, "GET")).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  });
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

async function send(url: string, method: string, value?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const body = value === undefined ? {} : { body: JSON.stringify(value), headers: { "content-type": "application/json", ...headers } };
  const response = await fetch(url, { method, headers, ...body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

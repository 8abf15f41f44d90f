// @long

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProgram } from "../package/program.js";
import { needs } from "../tools/engines.js";
import { programFolder } from "../tools/programFolder.js";
import { ownSchema } from "../tools/storage/postgresSchema.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/storage.md"), "utf8");

function programOf(title: string): string {
  const [, code] = new RegExp(`<!-- program: ${title} -->\n\`\`\`ts\n([\\s\\S]*?)^\`\`\``, "m").exec(page) ?? [];
  if (code === undefined) throw new Error(`docs/storage.md has no program "${title}".`);
  return code;
}

/** Starts a program of the page as a process of its own, until the test has finished. @returns its address */
async function start(title: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = programFolder();
  const file = join(folder, "program.ts");
  writeFileSync(file, programOf(title).replace('"notes.db"', JSON.stringify(join(folder, "notes.db"))));
  const program = await startProgram(root, file, environment, ["--import", "tsx"]);
  onTestFinished(async () => void (await program.stop()));
  return program.origin;
}

async function expectServes(origin: string): Promise<void> {
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${origin}${path}`, { method, headers: { "content-type": "application/json", ...headers }, ...sent });
    const text = await answer.text();
    return { status: answer.status, etag: answer.headers.get("etag") ?? "", body: text === "" ? undefined : JSON.parse(text) };
  };
  const created = await send("POST", "/notes", { text: "one" });
  expect(created.status).toBe(201);
  await send("POST", "/notes", { text: "two" });
  const path = `/notes/${created.body.id}`;
  expect((await send("GET", path)).body).toEqual(created.body);
  const changed = await send("PATCH", path, { text: "three" }, { "if-match": created.etag });
  expect([changed.status, changed.body.text]).toEqual([200, "three"]);
  expect((await send("PATCH", path, { text: "four" }, { "if-match": created.etag })).status).toBe(412);
  const texts = async (query: string) => (await send("GET", `/notes${query}`)).body.data.map(({ text }: { text: string }) => text);
  expect(await texts("")).toEqual(["three", "two"]);
  expect(await texts("?sort=-id")).toEqual(["two", "three"]);
  expect(await texts("?text=two")).toEqual(["two"]);
  expect((await send("DELETE", path)).status).toBe(204);
  expect((await send("GET", path)).status).toBe(404);
}

describe("the programs of docs/storage.md", () => {
  test("a file", async () => expectServes(await start("a file")));
  test("a store of your own", async () => expectServes(await start("a store of your own")));

  test("existing tables (set POSTGRES_URL to run)", needs("postgres"), async () => {
    const schema = ownSchema();
    const connectionString = await schema.create();
    onTestFinished(() => schema.drop());
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query("create table app_notes (id bigint generated always as identity primary key, text text not null)");
    await client.end();
    await expectServes(await start("existing tables", { DATABASE_URL: connectionString }));
  });
});

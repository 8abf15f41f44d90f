import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { patched } from "../guides/patched.js";
import { needs } from "../tools/engines.js";
import { ownSchema } from "../tools/storage/postgresSchema.js";
import { Consumer } from "./consumer.js";
import { type Program, startProgram } from "./program.js";

const guide = readFileSync(new URL("../../docs/guides/existing-express-postgres.md", import.meta.url), "utf8");

/** A block of the guide, and the file that the text above it names last. */
interface Block {
  readonly language: string;
  readonly text: string;
  readonly file: string;
}

const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(({ 1: language = "", 2: text = "", index }): Block => {
  const named = [...guide.slice(0, index).matchAll(/`(\w+\.(?:js|sql))`/g)];
  return { language, text, file: named.at(-1)?.[1] ?? "" };
});

describe("the guide to an existing application (set POSTGRES_URL to run)", needs("postgres"), () => {
  const schema = ownSchema();
  const consumer = new Consumer("commonjs");
  let connectionString = "";
  let program: Program | undefined;

  beforeAll(async () => {
    // psql reads no "+" as a space.
    connectionString = (await schema.create()).replaceAll("+", "%20");
  });
  afterAll(async () => {
    await program?.stop();
    consumer.remove();
    await schema.drop();
  });

  const runLine = async (line: string) => {
    const [, command = "", status] = /^(.*?)(?:\s+# (\d{3}))?$/.exec(line) ?? [];
    if (command === "node app.js") {
      await program?.stop();
      program = await startProgram(consumer.folder, "app.js", { DATABASE_URL: connectionString });
    } else if (command.startsWith("npm install ")) {
      const names = command.split(" ").slice(2);
      await consumer.install(names.map((name) => (name === "restwright" ? inject("tarball") : name)));
    } else {
      const started = command.replace("localhost:3000", new URL(program?.origin ?? "http://localhost:3000").host);
      const written = await consumer.run("bash", ["-c", `export DATABASE_URL='${connectionString}'; ${started}`]);
      if (command.startsWith("curl ")) expect(written.split(" ")[1], command).toBe(status);
    }
  };

  const follow = async ({ language, text, file }: Block) => {
    if (language === "sh") for (const line of text.trimEnd().split("\n")) await runLine(line);
    else if (language === "diff") consumer.write(file, patched(readFileSync(join(consumer.folder, file), "utf8"), text));
    else consumer.write(file, text);
  };

  test("can be followed step by step from an empty folder", async () => {
    for (const block of blocks) await follow(block);
    expect(blocks.length).toBeGreaterThan(8);
  });

  test("leaves the tables with the columns that they had", async () => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const text =
      "select string_agg(column_name, ' ' order by ordinal_position) as names from information_schema.columns where table_schema = current_schema() and table_name = 'orders'";
    const { rows } = await client.query(text);
    await client.end();
    expect(rows).toEqual([{ names: "id customer_id total note placed_at deleted_at" }]);
  });
});

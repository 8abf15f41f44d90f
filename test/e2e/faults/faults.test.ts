// @long

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../tools/temporary.js";
import { failToStartShop, startShop } from "../shop/shopProcess.js";

const oneLine = /^restwright shop cannot start: [^\n]+\n$/;

test("a data folder that cannot be made stops the start with one line that names it", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const { code, stderr } = await failToStartShop({ DATA_DIR: join(file, "data") });
  expect(code).toBe(1);
  expect(stderr).toMatch(oneLine);
  expect(stderr).toContain(file);
});

test("a corrupt data file stops the start with one line that names it, and is left as it is", async () => {
  const DATA_DIR = temporaryFolder();
  const file = join(DATA_DIR, "shop.db");
  const content = "this is no database ".repeat(1_000);
  writeFileSync(file, content);
  const { code, stderr } = await failToStartShop({ DATA_DIR });
  expect(code).toBe(1);
  expect(stderr).toMatch(oneLine);
  expect(stderr).toContain("shop.db");
  expect(readFileSync(file, "utf8")).toBe(content);
});

test("a folder where the data file should be stops the start with one line", async () => {
  const DATA_DIR = temporaryFolder();
  mkdirSync(join(DATA_DIR, "shop.db"));
  const { code, stderr } = await failToStartShop({ DATA_DIR });
  expect(code).toBe(1);
  expect(stderr).toMatch(oneLine);
});

test("a database that is not there stops the start with one line, without the password", async () => {
  const { code, stderr } = await failToStartShop({ DATABASE_URL: "postgres://shop:hunter2@127.0.0.1:1/shop" });
  expect(code).toBe(1);
  expect(stderr).toMatch(oneLine);
  expect(stderr).not.toContain("hunter2");
});

test("two processes serve one data folder: what one has acknowledged the other shows", async () => {
  const DATA_DIR = temporaryFolder();
  const [first, second] = [await startShop("fastify", { DATA_DIR }), await startShop("koa", { DATA_DIR })];
  const create = (origin: string, number: number) =>
    fetch(`${origin}/users`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "n", email: `n${number}@example.com` }),
    });
  const answers = await Promise.all(Array.from({ length: 60 }, (_, number) => create(number % 2 === 0 ? first.origin : second.origin, number)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 201));
  for (const { origin } of [first, second]) {
    const list = (await (await fetch(`${origin}/users`)).json()) as { meta: { total: number } };
    expect(list.meta.total).toBe(60);
  }
  await Promise.all([first.stop("SIGTERM"), second.stop("SIGTERM")]);
});

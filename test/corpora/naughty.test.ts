// @long

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { randomOf } from "../fuzz/random.js";
import { readHeaders } from "./positions.js";
import { addressOf, sendNaughty } from "./sendNaughty.js";
import { corporaStage } from "./stage.js";

const stage = corporaStage();
const addresses = stage.operations.map(addressOf);
await stage.service.close();

const seed = 20_261_124;

// `test/long/naughty.ts` sends every string at every position.
describe("naughty strings at every position of a request", () => {
  test.each(addresses.map((address, index) => [address, index] as const))("do no harm at %s", async (address, index) => {
    const { faults, positions } = await sendNaughty(address, randomOf(seed + index), 1);
    expect(faults).toEqual([]);
    expect(positions).toBeGreaterThan(3 * readHeaders.length);
  });
});

test("the positions include every header that the sources read", () => {
  const src = fileURLToPath(new URL("../../src/", import.meta.url));
  const paths = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !/^(?:webhooks|testing|client)\//.test(path),
  );
  const names = paths.flatMap((path) =>
    [...readFileSync(`${src}${path}`, "utf8").matchAll(/headers\.get\("([^"]+)"\)/g)].map(([, name = ""]) => name),
  );
  expect(new Set(names).size).toBeGreaterThan(15);
  expect([...new Set(names)].filter((name) => !(readHeaders as readonly string[]).includes(name))).toEqual([]);
});

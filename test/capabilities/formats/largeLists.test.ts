// @long

import { setImmediate } from "node:timers/promises";
import { createService, defineResource } from "restwright";
import { csv, formats, ndjson } from "restwright/formats";
import { memoryStorage } from "restwright/memory";
import { xml } from "restwright/xml";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { requestOf } from "../../tools/client.js";
import { sender } from "./stage.js";

const things = defineResource("things", {
  schema: z.object({ id: z.int(), any: z.record(z.string(), z.string()) }),
  generated: { id: "increment" },
  accepts: ["json", "xml"],
});
const service = createService({
  resources: [things],
  storage: memoryStorage(),
  logger: false,
  use: [formats({ use: [csv(), ndjson(), xml()] })],
});
const send = sender(service);

/** The longest turn of the event loop while something runs, in milliseconds of processor time. */
async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const running = run().finally(() => {
    isDone = true;
  });
  let before = process.cpuUsage();
  while (!isDone) {
    await setImmediate();
    const now = process.cpuUsage();
    longest = Math.max(longest, (now.user - before.user + now.system - before.system) / 1_000);
    before = now;
  }
  await running;
  return longest;
}

const members = Object.fromEntries(Array.from({ length: 950 }, (_, index) => [`member${index}`, `é&<${"x".repeat(100)}>`]));

beforeAll(async () => {
  for (let made = 0; made < 100; made++) {
    const body = JSON.stringify({ any: members });
    const { status } = await send("/things", { method: "POST", headers: { "content-type": "application/json", prefer: "return=minimal" }, body });
    if (status !== 201) throw new Error(`The row was answered with ${status}.`);
  }
});

describe.each([
  ["application/xml", 100 * 950],
  ["application/x-ndjson", 100],
  ["text/csv", 101],
])("a list of 10 MB as %s", (accept, count) => {
  test("is whole, and does not hold the event loop", async () => {
    const { status, headers, text } = await send("/things?perPage=100", { headers: { accept } });
    expect([status, headers["content-type"]?.split(";")[0]]).toEqual([200, accept]);
    expect(text.length).toBeGreaterThan(10_000_000);
    expect(text.match(accept === "application/xml" ? /<member\d+>/g : /\n/g)).toHaveLength(count);
    // Without a client, which would make a text of the bytes.
    const given = requestOf({ target: "/things?perPage=100", headers: { accept } });
    const request = () => service.handle(given);
    const turns = [await longestTurn(request), await longestTurn(request), await longestTurn(request)];
    expect(Math.min(...turns)).toBeLessThan(50);
  });
});

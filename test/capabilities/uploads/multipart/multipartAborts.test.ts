// @slow

import { readdirSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { ClientGone, parseMultipart } from "../../../../src/capabilities/uploads/index.js";
import { integer, randomOf } from "../../../fuzz/random.js";
import { beginForm, formServer } from "./formServer.js";
import { formOf, partOf } from "./forms.js";

const events = ["readable", "data", "end", "error", "close", "aborted"] as const;
const random = randomOf(7);
const form = formOf(
  partOf('name="a"', "1"),
  partOf('name="f"; filename="f"', "x".repeat(200_000)),
  partOf('name="g"; filename="g"', "y".repeat(200_000)),
);

function listeners(incoming: IncomingMessage): readonly number[] {
  return events.map((event) => incoming.listenerCount(event));
}

test("200 forms that clients or readers end somewhere leave no descriptor, listener or reader behind", async () => {
  const left: { readonly before: readonly number[]; readonly after: readonly number[]; readonly isGone: boolean }[] = [];
  let requests = 0;
  const server = await formServer(async (incoming) => {
    const before = listeners(incoming);
    requests += 1;
    try {
      for await (const part of parseMultipart(incoming)) {
        if (integer(random, 4) === 0) break;
        if (integer(random, 8) === 0) throw new Error("A reader fails.");
        if (part.kind === "field" || integer(random, 3) === 0) continue;
        for await (const chunk of part.bytes) if (integer(random, 6) === 0 && chunk.length > 0) break;
      }
    } finally {
      // The body is let go of in the same turn; with the answer Node begins to listen itself.
      await new Promise(setImmediate);
      left.push({ before, after: listeners(incoming), isGone: incoming.destroyed });
    }
  });
  const descriptors = () => readdirSync("/proc/self/fd").length;
  const open = descriptors();
  for (let round = 0; round < 10; round++) {
    const sockets = await Promise.all(
      Array.from({ length: 20 }, () => beginForm(server.port, form.slice(0, integer(random, form.length)), form.length)),
    );
    await expect.poll(() => requests, { interval: 5 }).toBe(20 * (round + 1));
    for (const socket of sockets) socket.destroy();
  }
  await server.settled();
  expect(left).toHaveLength(200);
  const answered = left.filter(({ isGone }) => !isGone);
  expect(answered.length).toBeGreaterThan(50);
  for (const { before, after } of answered) expect(after).toEqual(before);
  await expect.poll(descriptors).toBeLessThanOrEqual(open);
  await server.close();
});

test("a client that goes away ends the form as such", async () => {
  const ends: unknown[] = [];
  const server = await formServer(async (incoming) => {
    try {
      for await (const part of parseMultipart(incoming)) if (part.kind === "file") for await (const chunk of part.bytes) ends.push(chunk.length > 0);
    } catch (error) {
      ends.push(error);
      throw error;
    }
  });
  const socket = await beginForm(server.port, form.slice(0, 100_000), form.length);
  await expect.poll(() => ends).toContain(true);
  socket.destroy();
  await expect.poll(() => ends.at(-1)).toBeInstanceOf(ClientGone);
  await server.close();
});

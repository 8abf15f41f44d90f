// @slow

import { gzipSync } from "node:zlib";
import { decodeBody } from "restwright/compression";
import { expect, test } from "vitest";
import { cpuMsSince } from "../../tools/cpuMs.js";

/** 1 GiB of zeros: members of gzip may follow one another. */
function bombOf(): Buffer {
  const member = gzipSync(Buffer.alloc(32 * 1_048_576));
  return Buffer.concat(Array.from({ length: 32 }, () => member));
}

test("1 GiB of zeros costs the memory of the limit, and does not hold the event loop", async () => {
  const bytes = bombOf();
  const limitBytes = 10 * 1_048_576;
  let longestMs = 0;
  let before = process.cpuUsage();
  const clock = setInterval(() => {
    longestMs = Math.max(longestMs, cpuMsSince(before));
    before = process.cpuUsage();
  }, 1);
  const memory = process.memoryUsage().rss;
  await expect(decodeBody(bytes, "gzip", { limitBytes })).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE", extensions: { maximum: limitBytes } });
  clearInterval(clock);
  expect(process.memoryUsage().rss - memory).toBeLessThan(8 * limitBytes);
  expect(longestMs).toBeLessThan(250);
  // Once is enough: what comes out of a nested one is data.
  const nested = gzipSync(bytes);
  const once = await decodeBody(nested, "gzip", { limitBytes });
  expect(Buffer.from(once).equals(bytes)).toBe(true);
});

import { parseList } from "structured-headers";
import { expect, test } from "vitest";
import { addRateLimitHeaders, type Counted } from "../../../src/capabilities/rateLimit/headers.js";
import type { ResponseHeaders } from "../../../src/ground/http/message.js";

const day: Counted = {
  policy: { name: "day", limit: 1_000, windowMs: 86_400_000 },
  taken: { allowed: true, remaining: 400, resetMs: 50_000_400, retryMs: 0 },
};
const minute: Counted = {
  policy: { name: "minute", limit: 60, windowMs: 60_000 },
  taken: { allowed: true, remaining: 10, resetMs: 30_001, retryMs: 0 },
};

function headersOf(counted: readonly Counted[], nowMs: number): ResponseHeaders {
  const headers: ResponseHeaders = {};
  addRateLimitHeaders(headers, counted, nowMs);
  return headers;
}

test("the headers name every policy, and the tightest one in the older form", () => {
  expect(headersOf([day, minute], 1_700_000_000_500)).toEqual({
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "10",
    "x-ratelimit-reset": "1700000031",
    "ratelimit-policy": '"day";q=1000;w=86400, "minute";q=60;w=60',
    ratelimit: '"day";r=400;t=50001, "minute";r=10;t=31',
  });
  const refused = { ...day, taken: { allowed: false, remaining: 0, resetMs: 900, retryMs: 900 } };
  expect(headersOf([minute, refused], 0)).toMatchObject({ "x-ratelimit-limit": "1000" });
  expect(headersOf([], 0)).toEqual({});
});

test("the headers of the draft are structured fields to a public parser", () => {
  const headers = headersOf([day, minute], 0);
  const read = (name: string) => parseList(String(headers[name])).map(([name, parameters]) => [name, Object.fromEntries(parameters)]);
  expect(read("ratelimit-policy")).toEqual([
    ["day", { q: 1_000, w: 86_400 }],
    ["minute", { q: 60, w: 60 }],
  ]);
  expect(read("ratelimit")).toEqual([
    ["day", { r: 400, t: 50_001 }],
    ["minute", { r: 10, t: 31 }],
  ]);
});

import { createRequire } from "node:module";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CachePolicyClass, PolicyRequest } from "../../language/conditional/cachePolicy.js";
import { cacheSite, schemes } from "./cacheSite.js";

const CachePolicy = createRequire(import.meta.url)("http-cache-semantics") as CachePolicyClass;
const site = cacheSite();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function exchange(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await fetch(`${site.origin}${path}`, { method, headers });
  const text = await answer.text();
  const asked: PolicyRequest = { method, url: path, headers: { ...headers, host: new URL(site.origin).host } };
  const answered = { status: answer.status, headers: Object.fromEntries(answer.headers) };
  return { asked, answered, text, policy: (shared: boolean) => new CachePolicy(asked, answered, { shared }) };
}

const secondsOf = (policy: { timeToLive(): number }) => Math.round(policy.timeToLive() / 1_000);

describe.each(Object.entries(schemes))("http-cache-semantics, for callers with %s,", (_, as) => {
  test("lets a shared cache answer everybody for a shared collection", async () => {
    const path = await site.create("products", "a");
    for (const target of [path, "/products", `${path}?fields=title`]) {
      const { policy, asked } = await exchange(target, as("ann"));
      expect([policy(true).storable(), secondsOf(policy(true)), secondsOf(policy(false))]).toEqual([true, 300, 60]);
      const kept = policy(true);
      for (const headers of [as("bob"), {}]) {
        const other = { ...asked, headers: { host: asked.headers["host"] ?? "", ...headers } };
        expect(kept.satisfiesWithoutRevalidation(other)).toBe(true);
      }
    }
  });

  test("lets no shared cache store a private answer, and no cache give it to another caller", async () => {
    const path = await site.create("orders", "of ann");
    for (const target of [path, "/orders"]) {
      const { policy, asked } = await exchange(target, as("ann"));
      expect([policy(true).storable(), policy(false).storable(), secondsOf(policy(false))]).toEqual([false, true, 40]);
      const host = asked.headers["host"] ?? "";
      const kept = policy(false);
      expect(kept.satisfiesWithoutRevalidation(asked)).toBe(true);
      for (const headers of [as("bob"), {}]) {
        const other = { ...asked, headers: { host, ...headers } };
        expect(kept.satisfiesWithoutRevalidation(other)).toBe(false);
        expect(kept.revalidationHeaders(other)["if-none-match"]).toBeUndefined();
      }
    }
  });
});

describe("http-cache-semantics", () => {
  test.each([
    [true, 300],
    [false, 60],
  ])("(shared: %s) finds an answer stale after %d seconds, and fresh again after a 304", async (shared, seconds) => {
    const path = await site.create("products", "a");
    const { policy, asked } = await exchange(path);
    const kept = policy(shared);
    vi.setSystemTime(Date.now() + (seconds - 1) * 1_000);
    expect(kept.satisfiesWithoutRevalidation(asked)).toBe(true);
    vi.setSystemTime(Date.now() + 2_000);
    expect(kept.satisfiesWithoutRevalidation(asked)).toBe(false);
    const { host: _, ...sent } = kept.revalidationHeaders(asked);
    const again = await exchange(path, sent);
    expect(again.answered.status).toBe(304);
    const refreshed = kept.revalidatedPolicy(asked, again.answered);
    expect([refreshed.modified, secondsOf(refreshed.policy)]).toEqual([false, seconds]);
    await site.change(path, "b");
    expect(kept.revalidatedPolicy(asked, (await exchange(path, sent)).answered).modified).toBe(true);
  });

  test.each([
    ["a missing row", "/products/999", {}, 404],
    ["a wrong query", "/products?nope=1", {}, 400],
    ["wrong credentials", "/products", { authorization: "Bearer eve" }, 401],
    ["no credentials", "/orders", {}, 401],
    ["a failed precondition", "/products", { "if-match": '"x"' }, 412],
  ])("finds no-store on %s", async (_, path, headers, status) => {
    const { answered, policy } = await exchange(path, headers);
    expect([answered.status, policy(true).storable(), policy(false).storable()]).toEqual([status, false, false]);
  });

  test("finds the head of a row as fresh as the row", async () => {
    const path = await site.create("products", "a");
    const { policy } = await exchange(path, {}, "HEAD");
    expect([policy(true).storable(), secondsOf(policy(true))]).toEqual([true, 300]);
  });
});

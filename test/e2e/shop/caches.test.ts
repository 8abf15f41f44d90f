// @long

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cacheSite, schemes } from "../../capabilities/cache/cacheSite.js";
import { type Engine, needs } from "../../tools/engines.js";
import { eventually } from "../../tools/eventually.js";
import { type ProxyCache, type StartCache, startNginx, startVarnish } from "./proxyCaches.js";

const caches: readonly (readonly [string, Engine, StartCache])[] = [
  ["nginx", "nginx", startNginx],
  ["Varnish", "varnish", startVarnish],
];

/** How long shared caches may use an answer, stale or not. */
const times = { maxAge: 1, sMaxAge: 2, staleWhileRevalidate: 3 };
/** Caches count whole seconds: after this an answer is stale. */
const staleMs = (times.sMaxAge + 1) * 1_000 + 300;
/** After this it is used no more. */
const pastMs = staleMs + times.staleWhileRevalidate * 1_000;

/** An answer is certain to be fresh for this long. */
const freshMs = (times.sMaxAge - 1) * 1_000;
const maxTries = 5;

/** Makes a check on fresh answers again if it fails after they may have become stale, as on a machine that stands still for a while. */
async function whileFresh(check: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const startedMs = performance.now();
    try {
      return await check();
    } catch (error) {
      if (tries === maxTries || performance.now() - startedMs < freshMs) throw error;
    }
  }
}

for (const [name, engine, start] of caches) {
  describe(`a service behind ${name} (set ${name === "nginx" ? "NGINX" : "VARNISHD"} to run)`, needs(engine), () => {
    const site = cacheSite(times);
    let cache: ProxyCache;
    beforeAll(async () => {
      cache = await start(site.port);
    }, 60_000);
    afterAll(() => cache?.stop());
    const seenOf = (target: string) => site.seen.filter((seen) => seen.target === target);

    async function read(target: string, headers: Record<string, string> = {}, method = "GET") {
      const answer = await fetch(`${cache.origin}${target}`, { method, headers });
      const isStored = answer.headers.get("x-cache") !== "MISS" && answer.headers.get("x-cache") !== null;
      return { status: answer.status, headers: answer.headers, text: await answer.text(), isStored };
    }

    describe.each(Object.entries(schemes))("for callers with %s", (_, as) => {
      test("gives everybody the answer of a shared collection without asking", () =>
        whileFresh(async () => {
          const target = await site.create("products", "a lamp");
          const answers = [await read(target, as("ann")), await read(target, as("bob")), await read(target)];
          expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [200, answers[0]?.text]));
          expect(answers.map(({ isStored }) => isStored)).toEqual([false, true, true]);
          expect(seenOf(target)).toHaveLength(1);
        }));

      test("never gives one caller the answer of another", async () => {
        const target = await site.create("orders", "of ann");
        const list = "/orders?sort=-id&perPage=1";
        for (let turn = 0; turn < 2; turn++) {
          const own = [await read(target, as("ann")), await read(list, as("ann")), await read(target, as("ann"))];
          expect(own.map(({ status, text }) => [status, text.includes("of ann")])).toEqual(own.map(() => [200, true]));
          const others = [await read(target, as("bob")), await read(target), await read(list, as("bob")), await read(list)];
          expect(others.map(({ status, text }) => [status, text.includes("of ann")])).toEqual([404, 401, 200, 401].map((status) => [status, false]));
        }
        // Nothing of it was stored, not even for its own caller.
        expect(seenOf(target)).toHaveLength(8);
      });
    });

    test.concurrent("never gives a row that has changed after its time", async () => {
      let target = "";
      await whileFresh(async () => {
        target = await site.create("products", "before");
        const first = await read(target);
        await site.change(target, "after");
        expect((await read(target)).text).toBe(first.text);
      });
      await sleep(pastMs);
      expect((await read(target)).text).toContain("after");
    });

    test.concurrent("may give the stale answer while it asks, and has the new one then", async () => {
      const target = await site.create("products", "before");
      await read(target);
      await site.change(target, "after");
      await sleep(staleMs);
      const { text, status } = await read(target);
      expect([status, /before|after/.test(text)]).toEqual([200, true]);
      await eventually(async () => expect((await read(target)).text).toContain("after"));
    });

    test.concurrent("asks with the tag, and a 304 makes the answer fresh again", async () => {
      const target = await site.create("products", "a");
      const first = await read(target);
      await whileFresh(async () => {
        await sleep(pastMs);
        const before = seenOf(target).length;
        const second = await read(target);
        expect([second.status, second.text, second.headers.get("etag")]).toEqual([200, first.text, first.headers.get("etag")]);
        expect(seenOf(target).slice(before)[0]).toMatchObject({ status: 304, ifNoneMatch: first.headers.get("etag") });
        expect((await read(target)).isStored).toBe(true);
        expect(seenOf(target)).toHaveLength(before + 1);
      });
    });

    test("answers HEAD and If-None-Match from its store", () =>
      whileFresh(async () => {
        const target = await site.create("products", "a");
        const { headers } = await read(target);
        const head = await read(target, {}, "HEAD");
        expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", headers.get("etag")]);
        const unchanged = await read(target, { "if-none-match": headers.get("etag") ?? "" });
        expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
        expect(seenOf(target)).toHaveLength(1);
      }));

    test("stores no error, so that what was wrong or missing is right at once", async () => {
      const missing = "/products?title=later";
      const wrong = [
        ["/products/9999", {}, 404],
        ["/products?nope=1", {}, 400],
        ["/orders?perPage=2", {}, 401],
        ["/products?id=1", { authorization: "Bearer eve" }, 401],
      ] as const;
      for (let turn = 0; turn < 2; turn++) {
        for (const [target, headers, status] of wrong) expect([target, (await read(target, headers)).status]).toEqual([target, status]);
      }
      for (const [target] of wrong) expect(seenOf(target)).toHaveLength(2);
      await site.create("products", "later");
      expect((await read(missing)).text).toContain("later");
    });
  });
}

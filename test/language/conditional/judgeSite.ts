import { createServer } from "node:http";
import { defineResource } from "restwright";
import { apiKey, bearer, hashApiKey } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../../src/testing/clock.js";
import { listen, type RunningHost } from "../../adapters/hosts/host.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";

const notes = defineResource("notes", {
  schema: z.object({ id: z.string().regex(/^[a-z]+$/), text: z.string(), price: z.number().optional() }),
  access: { price: { read: ({ id }) => id === "ada" } },
});

/** What the server saw of a request, and how it answered. */
export interface Seen {
  readonly line: string;
  readonly ifNoneMatch: string | undefined;
  readonly cacheControl: string | undefined;
  readonly status: number;
}

export interface Site {
  readonly origin: string;
  /** In the order of arrival. */
  readonly seen: Seen[];
  /** Writes a note and forgets what was seen. @returns its tag */
  put(id: string, text: string): Promise<string>;
}

const dayMs = 86_400_000;

/**
 * A service behind node:http, whose requests are written down.
 *
 * Its clock stands at yesterday: caches may guess that what is so old stays fresh for hours, and dates never tell that a row has changed.
 */
export function judgeSite(options: Partial<FullServiceOptions> = {}): Site {
  const clock = new FakeClock(Date.now() - dayMs);
  const service = fullService({ resources: [notes], storage: memoryStorage(), clock, ...options });
  const seen: Seen[] = [];
  let running: RunningHost | undefined;
  const listener = nodeHandler(service);
  beforeAll(async () => {
    running = await listen(
      createServer((incoming, outgoing) => {
        const { method = "", url = "", headers } = incoming;
        seen.push({
          line: `${method} ${url}`,
          ifNoneMatch: headers["if-none-match"],
          cacheControl: headers["cache-control"],
          get status() {
            return outgoing.statusCode;
          },
        });
        listener(incoming, outgoing);
      }),
    );
  });
  afterAll(async () => {
    await running?.close();
    await service.close();
  });
  return {
    seen,
    get origin() {
      return `http://127.0.0.1:${running?.port}`;
    },
    async put(id, text) {
      const headers = { "content-type": "application/json", authorization: "Bearer ada" };
      const { status, headers: answered } = await fetch(`${this.origin}/notes/${id}`, { method: "PUT", headers, body: JSON.stringify({ text }) });
      if (status > 201) throw new Error(`PUT was answered ${status}.`);
      seen.length = 0;
      return answered.get("etag") ?? "";
    },
  };
}

const people: Record<string, { readonly id: string }> = { ada: { id: "ada" }, bob: { id: "bob" } };
const keys = new Map(Object.keys(people).map((name) => [hashApiKey(name), people[name]]));

/** Names are tokens, and keys too. */
export const auth = [bearer((token) => people[token]), apiKey((hash) => keys.get(hash))];
/** Credentials of one of them. */
export const as = (name: string) => ({ authorization: `Bearer ${name}` });
export const asJson = { "content-type": "application/json" };

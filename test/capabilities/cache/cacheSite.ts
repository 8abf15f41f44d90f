import { createServer } from "node:http";
import { defineResource, type Principal, type Verifier } from "restwright";
import { apiKey, basic, bearer, hashApiKey } from "restwright/auth";
import type { ResourceCache } from "restwright/cache";
import { memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { listen, type RunningHost } from "../../adapters/hosts/host.js";
import { fullService } from "../../tools/fullService.js";

const schema = z.object({ id: z.int(), title: z.string() });
/** The times of the shared collection; private answers are fresh for 40 seconds. */
const usualTimes: ResourceCache = { maxAge: 60, sMaxAge: 300 };

const people = new Map<string, Principal>(["ann", "bob"].map((id) => [id, { id, tenant: id }]));
const keys = new Map([...people].map(([name, principal]) => [hashApiKey(name), principal]));

/** As the session middleware of an app would be asked. */
const session: Verifier = {
  scheme: "Session",
  headers: ["Cookie"],
  challenge: () => undefined,
  verify({ headers }) {
    const name = /(?:^|; )session=(\w+)/.exec(headers.get("cookie") ?? "")?.[1];
    return name === undefined ? null : (people.get(name) ?? null);
  },
};

/** The credentials of a caller, by their scheme. */
export const schemes: Readonly<Record<string, (name: string) => Record<string, string>>> = {
  bearer: (name) => ({ authorization: `Bearer ${name}` }),
  "API key": (name) => ({ "x-api-key": name }),
  Basic: (name) => ({ authorization: `Basic ${Buffer.from(`${name}:${name}`).toString("base64")}` }),
  "a session": (name) => ({ cookie: `session=${name}` }),
};

/** A GET or HEAD that reached the service, and its answer. */
export interface Seen {
  readonly target: string;
  readonly ifNoneMatch: string | undefined;
  readonly status: number;
}

/** A service behind node:http that takes every scheme. Its answers are dated by the clock of the test. */
export function cacheSite(times = usualTimes) {
  const orders = defineResource("orders", { schema, generated: { id: "increment" }, cache: { private: true, maxAge: 40 } });
  const products = defineResource("products", {
    schema,
    generated: { id: "increment" },
    anonymous: "read",
    cache: { public: true, shared: true, ...times },
  });
  const service = fullService({
    resources: [orders, products],
    storage: memoryStorage(),
    logger: false,
    auth: [
      bearer((token) => people.get(token)),
      apiKey((hash) => keys.get(hash)),
      basic(({ username, password }) => (username === password ? people.get(username) : undefined)),
      session,
    ],
  });
  const listener = nodeHandler(service);
  const seen: Seen[] = [];
  let running: RunningHost | undefined;
  beforeAll(async () => {
    running = await listen(
      createServer((incoming, outgoing) => {
        outgoing.setHeader("date", new Date().toUTCString());
        const { method = "", url = "", headers } = incoming;
        const read: Seen = {
          target: url,
          ifNoneMatch: headers["if-none-match"],
          get status() {
            return outgoing.statusCode;
          },
        };
        if (method === "GET" || method === "HEAD") seen.push(read);
        listener(incoming, outgoing);
      }),
    );
  });
  afterAll(async () => {
    await running?.close();
    await service.close();
  });
  const site = {
    seen,
    get port() {
      return running?.port ?? 0;
    },
    get origin() {
      return `http://127.0.0.1:${running?.port}`;
    },
    /** Writes a row without a cache. @returns its path */
    async create(collection: string, title: string, name = "ann"): Promise<string> {
      const headers = { "content-type": "application/json", authorization: `Bearer ${name}` };
      const answer = await fetch(`${site.origin}/${collection}`, { method: "POST", headers, body: JSON.stringify({ title }) });
      return answer.headers.get("location") ?? "";
    },
    async change(path: string, title: string): Promise<void> {
      const headers = { "content-type": "application/merge-patch+json", authorization: "Bearer ann" };
      await fetch(`${site.origin}${path}`, { method: "PATCH", headers, body: JSON.stringify({ title }) });
    },
  };
  return site;
}

// @slow

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { createClient } from "restwright/client";
import { afterAll, expect, test, vi } from "vitest";
import { eventually } from "../../tools/eventually.js";
import { propertyRuns } from "../../tools/propertyRuns.js";
import type { ShopService } from "../shopStage.js";
import { quickly, wire } from "./rowServer.js";

interface Row {
  readonly id: number;
  readonly total: number;
}

/** A write of a row, its end, or what makes a service forget where its clients are. */
type Step = { readonly kind: "write"; readonly row: Row } | { readonly kind: "remove"; readonly id: number } | { readonly kind: "forget" };

/** The least service that keeps the promises of the stream: rows whose total is 0 or more, and what happened to them. Connections break off after so many bytes. */
class Service {
  readonly rows = new Map<number, Row>();
  readonly #log: string[] = [];
  #oldest = 0;
  #stream: { readonly response: ServerResponse; left: number } | undefined;
  readonly #budgets: number[];
  readonly server = createServer((request, response) => {
    const { accept, "last-event-id": last } = request.headers;
    if (accept !== "text/event-stream") return void this.#answerList(new URL(request.url ?? "", "http://a"), response);
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    this.#stream = { response, left: this.#budgets.shift() ?? Number.POSITIVE_INFINITY };
    this.#send(quickly);
    if (last === undefined) this.#send(this.#ready());
    else if (Number(last) < this.#oldest) this.#send(wire("reset") + this.#ready());
    else this.#send(this.#log.slice(Number(last)).join(""));
  });

  constructor(budgets: readonly number[]) {
    this.#budgets = [...budgets];
  }

  #ready(): string {
    return wire("ready", {}, String(this.#log.length));
  }

  take(step: Step): void {
    if (step.kind === "forget") {
      this.#oldest = this.#log.length;
      this.#send(wire("reset") + (this.#log.length % 2 === 0 ? this.#ready() : ""), this.#log.length % 2 === 1);
      return;
    }
    const id = step.kind === "write" ? step.row.id : step.id;
    const before = this.rows.get(id);
    const position = this.#log.length + 1;
    // Not each event has a position.
    const named = position % 3 === 0 ? undefined : String(position);
    const version = `v${position}`;
    if (step.kind === "remove") this.#tell(wire("removed", { id, version }, named));
    else if (step.row.total < 0) this.#tell(wire("left", { id }, named));
    else this.#tell(wire(before ? "changed" : "created", { id, version, row: step.row }, named));
    if (step.kind === "remove") this.rows.delete(id);
    else this.rows.set(id, step.row);
    if (position % 3 === 0) this.#send(`id: ${position}\n\n`);
  }

  #tell(event: string): void {
    this.#log.push(event);
    this.#send(event);
  }

  /** Sends as many bytes as the connection has left. */
  #send(text: string, isEnd = false): void {
    const stream = this.#stream;
    if (!stream || stream.response.destroyed || stream.response.writableEnded) return;
    const bytes = Buffer.from(text).subarray(0, stream.left);
    stream.left -= bytes.length;
    stream.response.write(bytes, () => stream.left === 0 && stream.response.destroy());
    if (isEnd) stream.response.end();
  }

  get listed(): Row[] {
    return [...this.rows.values()].filter(({ total }) => total >= 0).toSorted((a, b) => a.total - b.total || a.id - b.id);
  }

  /** Pages of two rows, by a cursor: the rows change while a client reads them. */
  async #answerList(url: URL, response: ServerResponse): Promise<void> {
    const [total = Number.NEGATIVE_INFINITY, id = 0] = url.searchParams.get("cursor")?.split(",").map(Number) ?? [];
    const page = this.listed.filter((row) => row.total > total || (row.total === total && row.id > id)).slice(0, 2);
    const last = page.at(-1);
    await setImmediate();
    const nextCursor = page.length === 2 && last ? `${last.total},${last.id}` : null;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: page, meta: { nextCursor } }));
  }
}

// The waits between connections are random; here they are short.
const random = vi.spyOn(Math, "random").mockReturnValue(0);
afterAll(() => random.mockRestore());

const id = fc.integer({ min: 1, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("write" as const), row: fc.record({ id, total: fc.integer({ min: -1, max: 3 }) }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const) }) },
);
/** The bytes of a connection. Each has the first line, so that the next one is opened at once. */
const budget = fc.integer({ min: quickly.length, max: 400 });
/** A step, and how many turns of the event loop come after it. */
const steps = fc.array(fc.tuple(step, fc.nat({ max: 8 })), { maxLength: 20 });

test("Connections that break off at any byte leave the rows of the service", async () => {
  const follow = async (given: readonly (readonly [Step, number])[], budgets: readonly number[]) => {
    const service = new Service(budgets);
    await new Promise<void>((resolve) => service.server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(service.server.address() as AddressInfo).port}`;
    const live = createClient<ShopService>({ baseUrl } as never).orders.live({ sort: "total" });
    try {
      live.start();
      for (const [each, turns] of given) {
        service.take(each);
        for (let turn = 0; turn < turns; turn += 1) await setImmediate();
      }
      await eventually(() => expect(live.get()).toEqual({ rows: service.listed, state: "live" }));
    } finally {
      live.close();
      service.server.closeAllConnections();
      await new Promise((resolve) => service.server.close(resolve));
    }
  };
  await fc.assert(fc.asyncProperty(steps, fc.array(budget, { maxLength: 6 }), follow), { numRuns: propertyRuns(1_000) });
});

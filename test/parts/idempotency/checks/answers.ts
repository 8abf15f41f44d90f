import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { lines } from "../../../adapters/hosts/client.js";
import { type IdempotentHost, type Made, withHost } from "./host.js";

const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
const large = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251));

const answers: [string, Made][] = [
  ["JSON", { status: 201, body: { id: "ch_1", note: "Grüße 😀" } }],
  ["text", { body: "Grüße 😀\r\n" }],
  ["bytes", { body: bytes, headers: { "Content-Type": "application/pdf" } }],
  ["large bytes", { body: large, headers: { "Content-Type": "image/png" } }],
  ["large text", { body: "ä".repeat(40_000) }],
  ["nothing", { status: 204 }],
  ["nothing with 201", { status: 201, headers: { Location: "/charges/1" } }],
  ["a redirection", { status: 303, headers: { Location: "/charges/1" } }],
  ["a stream", { stream: chunks(bytes, large), headers: { "Content-Type": "application/octet-stream" } }],
];

async function* chunks(...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

export function answerChecks(host: IdempotentHost): void {
  it.each(answers)("replays %s byte for byte", async (_, made) => {
    let runs = 0;
    const act = (): Made => {
      runs += 1;
      return made.stream ? { ...made, stream: chunks(bytes, large) } : made;
    };
    await withHost(host, act, async (post) => {
      const first = await post();
      const again = await post();
      expect(first.status).toBe(made.status ?? 200);
      expect(first.headers["idempotent-replayed"]).toBeUndefined();
      expect([again.status, again.headers["content-type"], again.headers["location"]]).toEqual([
        first.status,
        first.headers["content-type"],
        first.headers["location"],
      ]);
      expect(again.body.equals(first.body)).toBe(true);
      expect([again.headers["idempotent-replayed"], again.headers["cache-control"]]).toEqual(["true", "no-store"]);
    });
    expect(runs).toBe(1);
  });

  it("answers what the handler meant to send, not only the same twice", async () => {
    await withHost(
      host,
      () => ({ body: bytes, headers: { "Content-Type": "application/pdf" } }),
      async (post) => {
        expect((await post()).body.equals(bytes)).toBe(true);
        expect((await post()).body.equals(bytes)).toBe(true);
      },
    );
  });

  it("replays the handler's own headers, and none that belongs to one exchange", async () => {
    const headers = { "X-Charge": "ch_1", ETag: '"v1"', "Cache-Control": "max-age=60", "Set-Cookie": "session=1", "X-RateLimit-Remaining": "3" };
    await withHost(
      host,
      () => ({ body: {}, headers }),
      async (post) => {
        const first = await post();
        const again = await post();
        expect([first.headers["x-charge"], first.headers["cache-control"], first.headers["x-ratelimit-remaining"]]).toEqual([
          "ch_1",
          "max-age=60",
          "3",
        ]);
        expect(lines(first, "set-cookie").some((line) => line.startsWith("session="))).toBe(true);
        expect([again.headers["x-charge"], again.headers["etag"], again.headers["cache-control"]]).toEqual(["ch_1", '"v1"', "no-store"]);
        expect([again.headers["x-ratelimit-remaining"], lines(again, "set-cookie").some((line) => line.startsWith("session="))]).toEqual([
          undefined,
          false,
        ]);
      },
    );
  });

  it("leaves to what stands in front what it sets for each request", async () => {
    await withHost(
      host,
      () => ({ body: {} }),
      async (post) => {
        const first = await post();
        const again = await post();
        expect(Number(again.headers["x-outer"])).toBe(Number(first.headers["x-outer"]) + 1);
        expect([again.headers["vary"], lines(again, "set-cookie").length]).toEqual(["Origin", 1]);
      },
    );
  });

  it("replays an answer that was sent in a coding without it", async () => {
    const headers = { "Content-Type": "text/plain", "Content-Encoding": "gzip" };
    await withHost(
      host,
      () => ({ body: gzipSync("Grüße"), headers }),
      async (post) => {
        const first = await post();
        expect([first.headers["content-encoding"], first.body.equals(gzipSync("Grüße"))]).toEqual(["gzip", true]);
        const again = await post();
        expect([again.headers["content-encoding"], again.body.toString()]).toEqual([undefined, "Grüße"]);
      },
    );
  });

  it.each([400, 401, 403, 404, 409, 412, 422, 428, 429])("does not keep a %i, and takes the corrected request under the same key", async (status) => {
    let runs = 0;
    await withHost(
      host,
      () => ({ status: ++runs === 1 ? status : 201, body: { runs } }),
      async (post) => {
        expect((await post()).status).toBe(status);
        const corrected = await post({ json: { amount: 6 } });
        expect([corrected.status, corrected.headers["idempotent-replayed"]]).toEqual([201, undefined]);
      },
    );
    expect(runs).toBe(2);
  });

  it("keeps a status of 4xx that it is told of", async () => {
    let runs = 0;
    await withHost(
      host,
      () => ({ status: 402, body: { declined: ++runs } }),
      async (post) => {
        await post();
        const again = await post();
        expect([again.status, again.body.toString(), again.headers["idempotent-replayed"]]).toEqual([402, '{"declined":1}', "true"]);
      },
      { storesStatus: (status) => status === 402 },
    );
  });
}

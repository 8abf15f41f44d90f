import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { RawConnection } from "../../../adapters/hosts/rawConnection.js";
import { eventually } from "../../../tools/eventually.js";
import { type IdempotentHost, key, type Seen, withHost } from "./host.js";

const fifty = Array.from({ length: 50 }, (_, index) => index);

/** A handler that waits until it is told to go on. */
function waiting() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const seen: Seen[] = [];
  const act = async (one: Seen) => {
    const run = seen.push(one);
    await released;
    return { status: 201, body: { run } };
  };
  return { seen, act, release };
}

export function raceChecks(host: IdempotentHost): void {
  it("runs the handler once for 50 parallel requests; the answers are 201 or 409", async () => {
    let runs = 0;
    const act = async () => {
      runs += 1;
      await sleep(50);
      return { status: 201, body: { runs } };
    };
    await withHost(host, act, async (post) => {
      const answers = await Promise.all(fifty.map(() => post()));
      const created = answers.filter(({ status }) => status === 201);
      const refused = answers.filter(({ status }) => status === 409);
      expect(created.length).toBeGreaterThan(0);
      expect(created.length + refused.length).toBe(50);
      expect(new Set(created.map(({ body }) => body.toString()))).toEqual(new Set(['{"runs":1}']));
      for (const { headers, body } of refused) {
        expect([headers["retry-after"], JSON.parse(body.toString()).code]).toEqual(["1", "IDEMPOTENCY_KEY_IN_FLIGHT"]);
      }
    });
    expect(runs).toBe(1);
  });

  it("lets the others wait for the first where it is told to", async () => {
    let runs = 0;
    const act = async () => {
      runs += 1;
      await sleep(50);
      return { status: 201, body: { runs } };
    };
    await withHost(
      host,
      act,
      async (post) => {
        const answers = await Promise.all(fifty.map(() => post()));
        expect(answers.filter(({ status }) => status === 201).length).toBe(50);
        expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === undefined).length).toBe(1);
      },
      { waitMs: 20_000 },
    );
    expect(runs).toBe(1);
  });

  it("answers 422 to another payload while the first is in flight", async () => {
    const { seen, act, release } = waiting();
    await withHost(host, act, async (post) => {
      const first = post();
      await eventually(() => expect(seen.length).toBe(1));
      expect([(await post({ json: { amount: 6 } })).status, (await post()).status]).toEqual([422, 409]);
      release();
      expect((await first).status).toBe(201);
    });
    expect(seen.length).toBe(1);
  });

  it("goes on when the client goes away, and replays to it later", async () => {
    const { seen, act, release } = waiting();
    await withHost(host, act, async (post, port, connections) => {
      const connection = new RawConnection(port);
      const head = `Host: x\r\nX-User: ada\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}`;
      connection.write(`POST /charges HTTP/1.1\r\n${head}\r\nContent-Length: 12\r\n\r\n{"amount":5}`);
      await eventually(() => expect(seen.length).toBe(1));
      connection.destroy();
      await eventually(async () => expect(await connections()).toBe(0));
      expect((await post()).status).toBe(409);
      release();
      await eventually(async () => {
        const again = await post();
        expect([again.status, again.body.toString(), again.headers["idempotent-replayed"]]).toEqual([201, '{"run":1}', "true"]);
      });
    });
    expect(seen.length).toBe(1);
  });

  it("answers what the faster try has stored when its own lease is over", async () => {
    const releases: (() => void)[] = [];
    const seen: Seen[] = [];
    const act = async (one: Seen) => {
      const run = seen.push(one);
      await new Promise<void>((resolve) => releases.push(resolve));
      return { status: 201, body: { run }, headers: { "X-Run": String(run) } };
    };
    await withHost(
      host,
      act,
      async (post) => {
        const slow = post();
        await eventually(() => expect(releases.length).toBe(1));
        await sleep(30);
        const fast = post();
        await eventually(() => expect(releases.length).toBe(2));
        releases[1]?.();
        expect((await fast).body.toString()).toBe('{"run":2}');
        releases[0]?.();
        const { status, headers, body } = await slow;
        expect([status, headers["x-run"], body.toString(), headers["idempotent-replayed"]]).toEqual([201, "2", '{"run":2}', "true"]);
        expect(Number(headers["x-outer"])).toBeGreaterThan(0);
      },
      { leaseMs: 20 },
    );
    expect(seen[0]?.operationId).toBe(seen[1]?.operationId);
  });
}

import { expect, it } from "vitest";
import { send } from "../../../adapters/hosts/client.js";
import { type IdempotentHost, key, type Seen, withHost } from "./host.js";

/** A handler that counts. */
export function counting(): { readonly seen: Seen[]; readonly act: (seen: Seen) => { status: number; body: unknown } } {
  const seen: Seen[] = [];
  return { seen, act: (one) => ({ status: 201, body: { charge: seen.push(one) } }) };
}

export function keyChecks(host: IdempotentHost): void {
  it("lets requests without a key pass, each for itself", async () => {
    const { seen, act } = counting();
    await withHost(host, act, async (_, port) => {
      const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
      expect([(await send(port, "/charges", sent)).body.toString(), (await send(port, "/charges", sent)).body.toString()]).toEqual([
        '{"charge":1}',
        '{"charge":2}',
      ]);
      expect(seen.map(({ operationId }) => operationId)).toEqual([undefined, undefined]);
    });
  });

  it("requires a key where it is told to", async () => {
    const { seen, act } = counting();
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" };
    await withHost(
      host,
      act,
      async (_, port) => {
        const { status, headers, body } = await send(port, "/charges", sent);
        expect([status, headers["content-type"], JSON.parse(body.toString()).code]).toEqual([
          400,
          "application/problem+json",
          "IDEMPOTENCY_KEY_REQUIRED",
        ]);
        expect(headers["x-request-id"]).toBe(JSON.parse(body.toString()).requestId);
        expect((await send(port, "/charges", { method: "GET" })).status).toBe(201);
      },
      { required: true },
    );
    expect(seen.length).toBe(1);
  });

  it.each(["", "short", "0123456789 abcdef", `${key},${key}`, `${key}, ${key}`, '"unbalanced-0123456', "x".repeat(256), "ünïcödé-0123456789"])(
    "refuses the key %j",
    async (bad) => {
      const { seen, act } = counting();
      await withHost(host, act, async (post) => {
        const { status, body } = await post({ key: Buffer.from(bad).toString("latin1") });
        expect([status, JSON.parse(body.toString()).code]).toEqual([400, "IDEMPOTENCY_KEY_INVALID"]);
      });
      expect(seen.length).toBe(0);
    },
  );

  it("takes a key bare or quoted", async () => {
    const { seen, act } = counting();
    await withHost(host, act, async (post) => {
      await post();
      expect((await post({ key: `"${key}"` })).headers["idempotent-replayed"]).toBe("true");
    });
    expect(seen.length).toBe(1);
  });

  it.each(["GET", "HEAD", "OPTIONS"])("takes no notice of a key on %s", async (method) => {
    const { seen, act } = counting();
    await withHost(host, act, async (_, port) => {
      for (const _ of [1, 2]) await send(port, "/charges", { method, headers: { "Idempotency-Key": key } });
    });
    expect(seen.map(({ operationId }) => operationId)).toEqual([undefined, undefined]);
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])("replays a %s", async (method) => {
    const { seen, act } = counting();
    await withHost(host, act, async (post) => {
      await post({ method });
      expect((await post({ method })).headers["idempotent-replayed"]).toBe("true");
    });
    expect(seen.length).toBe(1);
  });

  it("never shares a key between two principals", async () => {
    const { seen, act } = counting();
    await withHost(host, act, async (post) => {
      const users = ["ada", "bob", "ada", "bob"];
      const answers = [];
      for (const user of users) answers.push((await post({ headers: { "X-User": user } })).body.toString());
      expect(answers).toEqual(['{"charge":1}', '{"charge":2}', '{"charge":1}', '{"charge":2}']);
    });
    expect(new Set(seen.map(({ operationId }) => operationId)).size).toBe(2);
  });

  it("lets callers without credentials share keys, or refuses them", async () => {
    const { seen, act } = counting();
    const sent = { method: "POST", headers: { "Content-Type": "application/json", "Idempotency-Key": key }, body: "{}" };
    await withHost(host, act, async (_, port) => {
      await send(port, "/charges", sent);
      expect((await send(port, "/charges", sent)).headers["idempotent-replayed"]).toBe("true");
    });
    await withHost(
      host,
      act,
      async (_, port) => {
        const { status, headers } = await send(port, "/charges", sent);
        expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="charges"']);
      },
      { anonymous: "refuse", challenge: 'Bearer realm="charges"' },
    );
    expect(seen.length).toBe(1);
  });

  it("tells the handler an operation id that is the same in each try", async () => {
    const seen: Seen[] = [];
    const act = (one: Seen) => ({ status: seen.push(one) === 1 ? 500 : 201 });
    await withHost(host, act, async (post) => {
      expect([(await post()).status, (await retried(post)).status]).toEqual([500, 201]);
    });
    expect(seen[0]?.operationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen[1]?.operationId).toBe(seen[0]?.operationId);
  });
}

/** Sends again until the key is free: a failed try gives it back within a millisecond or so. */
export async function retried<R extends { readonly status: number }>(post: () => Promise<R>): Promise<R> {
  for (let tries = 0; tries < 5_000; tries++) {
    const received = await post();
    if (received.status !== 409) return received;
  }
  throw new Error("The key was not given back.");
}

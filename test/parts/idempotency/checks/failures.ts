import { expect, it } from "vitest";
import { memoryIdempotency } from "../../../../adapters/memory.js";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import type { IdempotencyStore } from "../../../../src/ground/storage/idempotency.js";
import { type IdempotentHost, type Seen, withHost } from "./host.js";
import { counting, retried } from "./keys.js";

/** A handler that fails the first time. */
function failing(error: Error) {
  const seen: Seen[] = [];
  const act = (one: Seen) => {
    if (seen.push(one) === 1) throw error;
    return { status: 201, body: { run: seen.length } };
  };
  return { seen, act };
}

const down = () => Promise.reject(new Error("The server is down."));
const rejecting = (failure: Partial<IdempotencyStore>): IdempotencyStore => ({ ...memoryIdempotency(), ...failure });

export function failureChecks(host: IdempotentHost): void {
  it("lets an error reach the host's own error page, and runs the next try", async () => {
    const { seen, act } = failing(new Error("The provider is down."));
    await withHost(host, act, async (post) => {
      const first = await post();
      expect([first.status, first.headers["x-host-error"], first.body.toString()]).toEqual([500, "1", "host error"]);
      const again = await retried(post);
      expect([again.status, again.headers["x-host-error"], again.headers["idempotent-replayed"]]).toEqual([201, undefined, undefined]);
    });
    expect(seen[1]?.operationId).toBe(seen[0]?.operationId);
  });

  it("takes an error of 4xx for a refusal: the corrected request goes under the same key", async () => {
    const { act } = failing(Object.assign(new Error("No such card."), { status: 404 }));
    await withHost(host, act, async (post) => {
      const first = await post();
      expect([first.status, first.headers["x-host-error"]]).toEqual([404, "1"]);
      expect((await post({ json: { amount: 6 } })).status).toBe(201);
    });
  });

  it("leaves a problem that the handler throws to the host's own error page", async () => {
    const { act } = failing(new ProblemError("FORBIDDEN", "Not this card."));
    await withHost(host, act, async (post) => {
      const first = await post();
      expect([first.status, first.headers["x-host-error"]]).toEqual([403, "1"]);
    });
  });

  it("keeps a 5xx where it is told to", async () => {
    let runs = 0;
    await withHost(
      host,
      () => ({ status: 502, body: { run: ++runs } }),
      async (post) => {
        await post();
        const again = await post();
        expect([again.status, again.body.toString(), again.headers["idempotent-replayed"]]).toEqual([502, '{"run":1}', "true"]);
      },
      { storeServerErrors: true },
    );
    expect(runs).toBe(1);
  });

  it("does not run again after an error where 5xx are kept", async () => {
    const { seen, act } = failing(new Error("The provider is down."));
    await withHost(
      host,
      act,
      async (post) => {
        const first = await post();
        const again = await post();
        expect([first.status, first.headers["x-host-error"]]).toEqual([500, "1"]);
        expect([again.status, again.headers["idempotent-replayed"]]).toEqual([500, "true"]);
      },
      { storeServerErrors: true },
    );
    expect(seen.length).toBe(1);
  });

  it("answers 503 while the store is down, and runs nothing", async () => {
    const { seen, act } = counting();
    await withHost(
      host,
      act,
      async (post) => {
        const { status, headers, body } = await post();
        expect([status, headers["retry-after"], JSON.parse(body.toString()).code]).toEqual([503, "5", "STORAGE_UNAVAILABLE"]);
      },
      { store: rejecting({ begin: down }) },
    );
    expect(seen.length).toBe(0);
  });

  it("runs without its guarantee while the store is down, where it is told to", async () => {
    const { seen, act } = counting();
    const messages: string[] = [];
    await withHost(host, act, async (post) => expect([(await post()).status, (await post()).status]).toEqual([201, 201]), {
      store: rejecting({ begin: down }),
      failOpen: true,
      onError: (_, message) => messages.push(message),
    });
    expect([seen.length, seen[0]?.operationId?.length, messages.length]).toEqual([2, 36, 2]);
  });

  it("answers the client when the store fails after the handler is done, and says so", async () => {
    const { act } = counting();
    const messages: string[] = [];
    await withHost(host, act, async (post) => expect((await post()).body.toString()).toBe('{"charge":1}'), {
      store: rejecting({ complete: down }),
      onError: (_, message) => messages.push(message),
    });
    expect(messages.length).toBe(1);
  });

  it("brings the store up before its first record, again after a failure", async () => {
    const { act } = counting();
    let migrations = 0;
    const migrate = async () => {
      migrations += 1;
      if (migrations === 1) throw new Error("The database starts.");
    };
    await withHost(
      host,
      act,
      async (post) => expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([503, 201, 201]),
      {
        store: rejecting({ migrate }),
      },
    );
    expect(migrations).toBe(2);
  });
}

import type { Wakeups } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../../tools/client.js";
import { eventually } from "../../../tools/eventually.js";
import { WakeupHub } from "../../../tools/storage/memoryWakeups.js";
import { never, registerHook, startProcess } from "./stage.js";

const all = ["hook order.created", "job first", "mail order.created"];

/** A process that only answers requests, and one that only works, on one storage. */
async function twoProcesses(wakeups: (hub: WakeupHub) => Wakeups | false, pollMs: number | "usual" = never) {
  const [storage, hub] = [memoryStorage(), new WakeupHub()];
  const asking = await startProcess({ storage, wakeups: wakeups(hub), work: false });
  const working = await startProcess({ storage, wakeups: wakeups(hub), work: true, pollMs });
  await registerHook(asking);
  return { storage, hub, asking, working };
}

/** Waits until nothing that was due is left to be looked for. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

describe("two processes with a channel", () => {
  test("begin each other's jobs, deliveries and events of subscribers without a poll", async () => {
    const { asking, working } = await twoProcesses((hub) => hub.connect());
    await settled();
    await asking.service.submit("first");
    await asking.order();
    await eventually(() => expect(working.began.toSorted()).toEqual(all));
    expect(asking.began).toEqual([]);
  });

  test("begin each piece of work once, although every message comes three times", async () => {
    const { asking, working } = await twoProcesses((hub) => {
      const inner = hub.connect();
      return { ...inner, send: async (topics) => void (await Promise.all([inner.send(topics), inner.send(topics), inner.send(topics)])) };
    });
    await settled();
    await asking.service.submit("first");
    await asking.order();
    await eventually(() => expect(working.began.toSorted()).toEqual(all));
    await settled();
    expect(working.began.toSorted()).toEqual(all);
  });

  test("find by their polls what a channel loses that accepts everything", async () => {
    const lossy: Wakeups = { send: async () => {}, listen: async () => ({ close: async () => {} }) };
    const { asking, working } = await twoProcesses(() => lossy, 50);
    await asking.service.submit("first");
    await asking.order();
    await eventually(() => expect(working.began.toSorted()).toEqual(all));
  });

  test("lose no time of a request by a channel that never answers", async () => {
    const dead: Wakeups = { send: () => new Promise(() => {}), listen: () => new Promise(() => {}) };
    const { asking, working } = await twoProcesses(() => dead, 50);
    const startedMs = performance.now();
    for (let turn = 0; turn < 20; turn++) await asking.order();
    // One answer of the channel is waited for 500 ms, by nobody here.
    expect(performance.now() - startedMs).toBeLessThan(20 * 400);
    await eventually(() => expect(working.began.length).toBe(40));
    await Promise.all([asking.close(), working.close()]);
  });

  test("send nothing for an event that nobody gets, and nothing with `wakeups: false`", async () => {
    const [storage, hub] = [memoryStorage(), new WakeupHub()];
    const alone = await startProcess({ storage, wakeups: hub.connect(), work: false });
    await alone.service.emit({ type: "report.ready", data: {} });
    await settled();
    expect(new Set(hub.sent.map((topic) => topic.split("@")[0]))).toEqual(new Set(["subscriber:mail"]));
    const silent = await startProcess({ storage: memoryStorage(), wakeups: false, work: true });
    await silent.order();
    await eventually(() => expect(silent.began).toEqual(["mail order.created"]));
    expect(hub.listeners).toBe(0);
  });
});

describe("work that becomes due without a new write", () => {
  test("a job that its process gives back as it closes goes on in another at once", async () => {
    const [storage, hub] = [memoryStorage(), new WakeupHub()];
    const held = { run: (_: unknown, { signal }: { readonly signal: AbortSignal }) => until(signal) };
    const first = await startProcess({ storage, wakeups: hub.connect(), work: true, ...held });
    const second = await startProcess({ storage, wakeups: hub.connect(), work: true, jobs: { concurrency: 1 } });
    await first.service.submit("given-back");
    await eventually(() => expect([...first.began, ...second.began]).toContain("job given-back"));
    if (!first.began.includes("job given-back")) return;
    await settled();
    await first.close();
    await eventually(() => expect(second.began).toEqual(["job given-back"]));
  });

  test("a job that is tried again begins on time in another process, also where it was told only of the first attempt", async () => {
    const [storage, hub] = [memoryStorage(), new WakeupHub()];
    let attempts = 0;
    const failing = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("Not yet.");
      return { status: "completed" } as const;
    };
    const first = await startProcess({ storage, wakeups: hub.connect(), work: true, run: failing });
    await first.service.submit("again");
    await eventually(() => expect(attempts).toBe(1));
    const startedMs = performance.now();
    const second = await startProcess({ storage, wakeups: hub.connect(), work: true });
    await first.close();
    await eventually(() => expect(second.began).toEqual(["job again"]));
    // The pause after a first failure.
    expect(performance.now() - startedMs).toBeGreaterThan(3_000);
  });
});

describe("service.wake()", () => {
  test("looks for work of all kinds in its own process, and tells no other", async () => {
    const storage = memoryStorage();
    const [asking, working] = [
      await startProcess({ storage, wakeups: false, work: false }),
      await startProcess({ storage, wakeups: false, work: true }),
    ];
    await registerHook(asking);
    await asking.service.submit("first");
    await asking.order();
    asking.service.wake();
    await settled();
    expect(working.began).toEqual([]);
    working.service.wake();
    await eventually(() => expect(working.began.toSorted()).toEqual(all));
  });

  test("does nothing where there is nothing to wake", async () => {
    const process = await startProcess({ storage: memoryStorage(), work: false });
    process.service.wake();
    await process.close();
    process.service.wake();
    expect((await clientOf(process.service)({ target: "/orders" })).status).toBe(503);
  });
});

/** Ends when the service asks for it. */
function until(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

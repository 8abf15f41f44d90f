import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { systemTimers, type Timers } from "../../../../../src/ground/http/timers.js";
import { type HeardEvent, parseEvents } from "../../../../capabilities/jobs/parseEvents.js";
import { eventually } from "../../../../tools/eventually.js";
import { fullService } from "../../../../tools/fullService.js";
import { send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const hasty: Timers = { setTimeout: (run, ms) => systemTimers.setTimeout(run, ms / 10) };
const step = { total: 4, counts: {}, cursor: null } as const;

/** Somebody who listens to a job. */
interface Listener {
  readonly events: readonly HeardEvent[];
  readonly ended: "end" | "failure" | undefined;
  leave(): void;
}

function listen(port: number, path: string): Listener {
  let text = "";
  let ended: Listener["ended"];
  const outgoing = request({ port, host: "127.0.0.1", path, headers: { accept: "text/event-stream" }, agent: false }, (incoming) => {
    incoming.on("data", (chunk) => {
      text += chunk;
    });
    incoming.on("close", () => {
      ended = incoming.complete ? "end" : "failure";
    });
    incoming.on("error", () => undefined);
  });
  outgoing.on("error", () => undefined);
  outgoing.end();
  return {
    get events() {
      return parseEvents(text).events;
    },
    get ended() {
      return ended;
    },
    leave: () => outgoing.destroy(),
  };
}

/** Events have to reach the client while the job goes on, and a client that leaves has to be heard of. */
export function eventChecks(host: Host): void {
  const storage = memoryStorage();
  const jobs = storage.jobs ?? expect.fail("The memory storage has no jobs.");
  let polls = 0;
  const counting: typeof jobs = {
    ...jobs,
    get: (id) => {
      polls += 1;
      return jobs.get(id);
    },
  };
  const service = fullService({ resources: [things], storage: { ...storage, jobs: counting }, timers: hasty, jobs: { work: false } });
  let running: RunningHost;
  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "" });
  });
  afterAll(async () => {
    await service.close();
    await running.close();
  });

  async function begunJob() {
    const headers = { "content-type": "application/json", prefer: "respond-async" };
    const { headers: accepted } = await send(running.port, "/things/batch", { method: "POST", headers, body: '{"items":[{"name":"a"}]}' });
    const [job = expect.fail()] = await jobs.claim({ types: ["batch"], leaseMs: 60_000, max: 1, maxPerTenant: 100 });
    return { path: accepted.location ?? "", lease: job.lease };
  }

  const heard = (listener: Listener, count: number) => eventually(() => expect(listener.events).toHaveLength(count));

  it("sends each event of a job when it happens, and ends with the job", async () => {
    const { path, lease } = await begunJob();
    const listener = listen(running.port, path);
    await heard(listener, 1);
    for (const processed of [1, 2, 3]) {
      await jobs.advance(lease, { ...step, processed });
      await heard(listener, processed + 1);
    }
    expect(listener.ended).toBeUndefined();
    await jobs.finish(lease, { status: "completed" });
    await eventually(() => expect(listener.ended).toBe("end"));
    expect(listener.events.map(({ event, data }) => [event, data.progress])).toEqual([
      ["progress", 0],
      ["progress", 0.25],
      ["progress", 0.5],
      ["progress", 0.75],
      ["end", 1],
    ]);
  });

  it("asks nothing more of the store once the clients have left", async () => {
    const { path } = await begunJob();
    const listeners = Array.from({ length: 20 }, () => listen(running.port, path));
    for (const listener of listeners) await heard(listener, 1);
    for (const listener of listeners) listener.leave();
    const fallsSilent = async () => {
      const before = polls;
      await sleep(60);
      expect(polls).toBe(before);
    };
    await eventually(fallsSilent);
  });
}

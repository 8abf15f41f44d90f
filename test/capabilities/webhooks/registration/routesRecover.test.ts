import { describe, expect, onTestFinished, test } from "vitest";
import type { JobHandler } from "../../../../src/capabilities/jobs/run/handler.js";
import { JobRunner } from "../../../../src/capabilities/jobs/run/runner.js";
import { recoverHandler } from "../../../../src/capabilities/webhooks/delivery/recover.js";
import { settle } from "../../jobs/stage.js";
import { existing, offersOf, RoutesStage } from "./routesStage.js";

const since = "2026-01-01T00:00:00.000Z";
const post = (id: string, body: unknown = { since }) => ({ method: "POST", target: `/webhooks/${id}/recover`, body });

/** Does the jobs that wait. */
async function work(stage: RoutesStage, change: (handler: JobHandler) => JobHandler = (handler) => handler): Promise<JobRunner> {
  const { clock, environment, settings, jobStore: store } = stage;
  const { logger, random } = environment;
  const handlers = [change(recoverHandler(settings, environment))];
  const runner = new JobRunner({ store, handlers, timers: clock, clock, random, logger });
  onTestFinished(async () => {
    const closing = runner.close({ graceMs: 0 });
    clock.advance(0);
    await closing;
  });
  runner.start();
  for (let turn = 0; turn < 20; turn++) await settle();
  return runner;
}

async function replays(stage: RoutesStage, webhook: string): Promise<readonly string[]> {
  const found = await stage.deliveries.list({ webhook, order: "asc", limit: 1_000 });
  return found.filter(({ trigger }) => trigger === "replay").map(({ event }) => event);
}

describe("POST /webhooks/{id}/recover", () => {
  test("answers 202 with a job, which sends again what did not arrive", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const made = await stage.deliver(id, ["dead", "succeeded", "canceled", "pending"]);
    stage.clock.advance(1_000);
    const { status, headers, json } = await stage.send(post(id));
    expect([status, headers["location"], json.type, json.status]).toEqual([202, `/jobs/${json.id}`, "webhook-recover", "queued"]);
    await work(stage);
    const { json: job } = await stage.send({ target: String(headers["location"]) });
    expect(job).toMatchObject({ status: "completed", processedRows: 2, result: { replayed: 2 } });
    expect(await replays(stage, id)).toEqual([made[0], made[2]].map((delivery) => existing(delivery).replace("dlv", "evt")));
    expect(stage.woken).toBeGreaterThan(1);
  });

  test("sends what was asked for: states and a span of time", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const made = await stage.deliver(id, ["succeeded", "succeeded", "dead", "succeeded"]);
    stage.clock.advance(1_000);
    const body = { since: "2026-01-01T00:00:00.001Z", until: "2026-01-01T00:00:00.003Z", statuses: ["succeeded"] };
    await stage.send(post(id, body));
    await work(stage);
    expect(await replays(stage, id)).toEqual([existing(made[1]).replace("dlv", "evt")]);
  });

  test("sends an event once, whatever its earlier deliveries came to, and no tests", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const [dead = ""] = await stage.deliver(id, ["dead"]);
    await stage.send({ method: "POST", target: `/webhooks/${id}/deliveries/${dead}/replay` });
    stage.transport.results.push({ status: 404, latencyMs: 1, bodyHead: new Uint8Array(0), truncated: false });
    await stage.send({ method: "POST", target: `/webhooks/${id}/test` });
    stage.clock.advance(1_000);
    await stage.send(post(id));
    await work(stage);
    expect(await replays(stage, id)).toHaveLength(1);
  });

  test("goes on where an earlier try stopped, and doubles nothing", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    await stage.deliver(
      id,
      Array.from({ length: 250 }, () => "dead" as const),
    );
    stage.clock.advance(1_000);
    const { json } = await stage.send(post(id));
    let advances = 0;
    await work(stage, (handler) => ({
      ...handler,
      run: (job, call) =>
        handler.run(job, {
          ...call,
          async advance(jobs, advance) {
            await call.advance(jobs, advance);
            advances += 1;
            if (advances === 2) throw new Error("The transaction is lost.");
          },
        }),
    }));
    expect(await replays(stage, id)).toHaveLength(100);
    stage.clock.advance(10_000);
    for (let turn = 0; turn < 20; turn++) await settle();
    const { json: job } = await stage.send({ target: `/jobs/${json.id}` });
    expect(job).toMatchObject({ status: "completed", processedRows: 250, result: { replayed: 250 } });
    const events = await replays(stage, id);
    expect([events.length, new Set(events).size]).toEqual([250, 250]);
  });

  test("fails where the webhook is not active any more", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    await stage.deliver(id, ["dead"]);
    stage.clock.advance(1_000);
    const { json } = await stage.send(post(id));
    await stage.webhooks.update(id, { active: false });
    await work(stage);
    const { json: job } = await stage.send({ target: `/jobs/${json.id}` });
    expect([job.status, job.error.code, job.result]).toEqual(["failed", "WEBHOOK_INACTIVE", { replayed: 0 }]);
  });

  test.each([
    [{}, "/since"],
    [{ since: "yesterday" }, "/since"],
    [{ since: "2025-12-17T23:59:59Z" }, "/since"],
    [{ since: "2026-01-02T00:00:00Z" }, "/since"],
    [{ since, until: since }, "/until"],
    [{ since, until: 5 }, "/until"],
    [{ since, statuses: [] }, "/statuses"],
    [{ since, statuses: ["pending"] }, "/statuses"],
    [{ since, statuses: "dead" }, "/statuses"],
    [{ since, status: "dead" }, "/status"],
    [[], ""],
  ])("refuses %j at %j", async (body, pointer) => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const { status, json } = await stage.send(post(id, body));
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, "VALIDATION_FAILED", pointer]);
    expect(await stage.jobStore.countQueued(undefined)).toBe(0);
  });

  test("reaches 14 days back to the second", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    expect((await stage.send(post(id, { since: "2025-12-18T00:00:00Z" }))).status).toBe(202);
  });

  test("is refused while the webhook is not active, where too many jobs wait, and where there are no jobs", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register({ active: false });
    expect((await stage.send(post(id))).json.code).toBe("WEBHOOK_INACTIVE");
    await stage.send({ method: "PATCH", target: `/webhooks/${id}`, body: { active: true } });
    for (let count = 0; count < 2; count++) expect((await stage.send(post(id))).status).toBe(202);
    const refused = await stage.send(post(id));
    expect([refused.status, refused.json.code]).toEqual([429, "TOO_MANY_JOBS"]);
    const without = await stage.send({ ...post(id), context: { environment: { ...stage.environment, offers: offersOf({}) } } });
    expect([without.status, without.json.code]).toEqual([501, "JOBS_UNSUPPORTED"]);
  });

  test("makes one job for all tries of one operation, which commits with what joins it", async () => {
    const stage = new RoutesStage();
    const { id } = await stage.register();
    const context = { operationId: "01KAJ2Q8", insertsUnderOperationId: true };
    const [first, second] = [await stage.send({ ...post(id), context }), await stage.send({ ...post(id), context })];
    expect([second.status, second.text]).toEqual([202, first.text]);
    const broken = async () => {
      throw new Error("The record is gone.");
    };
    await expect(stage.send({ ...post(id), context: { operationId: "other", joins: [broken] } })).rejects.toThrow("is gone");
    expect(await stage.jobStore.countQueued(undefined)).toBe(1);
  });
});

import { expect, test } from "vitest";
import { Unavailable } from "../../../src/ground/storage/errors.js";
import { awayStore, type LostClaims, losingStore, type Outage } from "../../tools/storage/awayStore.js";
import { HeldHandler, JobStage, settle } from "./stage.js";

/** A runner that has begun a job when its store goes away. */
async function begun(options: object = {}) {
  const stage = new JobStage();
  const outage: Outage = { isAway: false };
  const handler = new HeldHandler();
  const id = await stage.create();
  const runner = stage.runner(handler.run, { store: awayStore(stage.store, outage), ...options });
  runner.start();
  await settle();
  outage.isAway = true;
  return { stage, outage, handler, id, runner };
}

test("an end that could not be stored is stored within three seconds after the store is back", async () => {
  const { stage, outage, handler, id } = await begun();
  handler.at().end();
  await stage.pass(7_000);
  expect((await stage.get(id)).status).toBe("processing");
  outage.isAway = false;
  await stage.pass(3_000);
  expect(await stage.get(id)).toMatchObject({ status: "completed", result: "done", attempts: 0 });
});

test("a step that failed because the store was away goes on within three seconds, and does not count as an attempt", async () => {
  const { stage, outage, handler, id } = await begun();
  handler.at().fail(new Unavailable("The connection was cut."));
  await stage.pass(7_000);
  expect(handler.tries).toHaveLength(1);
  outage.isAway = false;
  await stage.pass(3_000);
  expect(handler.tries).toHaveLength(2);
  expect((await stage.get(id)).attempts).toBe(0);
});

test("a step that fails in this way while the store answers counts, so that it does not begin for ever", async () => {
  const { stage, outage, handler, id } = await begun();
  outage.isAway = false;
  handler.at().fail(new Unavailable("The connection was cut."));
  await stage.pass(60_000, 1_000);
  expect(handler.tries).toHaveLength(2);
  expect((await stage.get(id)).attempts).toBe(1);
});

test("a worker looks again soon after the store is back, however rarely it polls", async () => {
  const { stage, outage, handler } = await begun({ pollMs: 60_000, concurrency: 2, maxPerTenant: 2 });
  await stage.create();
  handler.at().end();
  await stage.pass(70_000, 1_000);
  expect(handler.tries).toHaveLength(1);
  outage.isAway = false;
  await stage.pass(3_000);
  expect(handler.tries).toHaveLength(2);
});

test("a service that closes does not wait for a store that is away", async () => {
  const { handler, runner, stage } = await begun();
  handler.at().end();
  await settle();
  const closed = runner.close({ graceMs: 1_000 });
  await stage.pass(3_000);
  await closed;
});

test("jobs whose claim lost its answer run soon, whatever other runners of the process have in progress, and those go on", async () => {
  const stage = new JobStage();
  const lost: LostClaims = { left: 0 };
  const [first, second] = [new HeldHandler(), new HeldHandler()];
  const options = { concurrency: 4, maxPerTenant: 4, pollMs: 60_000 };
  stage.runner(first.run, options).start();
  await stage.create({ id: "of the first" });
  await stage.pass(60_000, 1_000);
  expect(first.ids).toEqual(["of the first"]);
  lost.left = 3;
  for (const id of ["lost", "lost too"]) await stage.create({ id });
  stage.runner(second.run, { ...options, store: losingStore(stage.store, lost) }).start();
  await settle();
  expect([lost.left, second.ids]).toEqual([2, []]);
  await stage.pass(3_000);
  expect([lost.left, second.ids]).toEqual([0, ["lost", "lost too"]]);
  first.at().end();
  await settle();
  expect(await stage.get("of the first")).toMatchObject({ status: "completed", attempts: 0 });
  expect((await stage.get("lost")).attempts).toBe(0);
});

test("a store that is away when leases are to be released is asked again before the next claim", async () => {
  const stage = new JobStage();
  const [lost, outage]: [LostClaims, Outage] = [{ left: 1 }, { isAway: false }];
  const handler = new HeldHandler();
  await stage.create();
  stage.runner(handler.run, { store: awayStore(losingStore(stage.store, lost), outage) }).start();
  await settle();
  outage.isAway = true;
  await stage.pass(10_000);
  expect(handler.ids).toEqual([]);
  outage.isAway = false;
  await stage.pass(3_000);
  expect(handler.ids).toEqual(["job1"]);
});

test("a runner that closes releases the jobs of a claim whose answer was lost", async () => {
  const stage = new JobStage();
  const handler = new HeldHandler();
  await stage.create();
  const runner = stage.runner(handler.run, { store: losingStore(stage.store, { left: 1 }) });
  runner.start();
  await settle();
  await runner.close();
  const claimed = await stage.store.claim({ types: ["test"], leaseMs: 1_000, max: 1, maxPerTenant: 1 });
  expect(claimed.map(({ id, attempts }) => [id, attempts])).toEqual([["job1", 0]]);
  expect(handler.ids).toEqual([]);
});

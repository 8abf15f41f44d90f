import { ProblemError } from "restwright";
import { expect, test } from "vitest";
import { submitJob } from "../../../src/capabilities/jobs/submit/submit.js";
import type { NewJob } from "../../../src/ground/storage/queue/jobs.js";
import { OperationsStage } from "./operationsStage.js";

const job = (id: string, tenant?: string): NewJob => ({ id, type: "test", tenant, owner: "ann", input: { id } });

test("a submitted job waits in the store, and a worker is woken", async () => {
  const stage = new OperationsStage();
  const state = await submitJob(stage.settings, job("a"));
  expect(state).toMatchObject({ id: "a", status: "queued", owner: "ann" });
  expect([await stage.get("a"), stage.woken]).toEqual([state, 1]);
});

test("a job that is submitted again stays as it is, even where no more may wait", async () => {
  const stage = new OperationsStage();
  for (const id of ["a", "b", "c"]) await submitJob(stage.settings, job(id));
  await stage.claim();
  await submitJob(stage.settings, job("d"));
  expect(await submitJob(stage.settings, job("a"))).toMatchObject({ id: "a", status: "processing" });
});

test("a tenant may have no more jobs waiting than the settings say, whatever other tenants have", async () => {
  const stage = new OperationsStage();
  for (const id of ["a", "b", "c"]) await submitJob(stage.settings, job(id, "t1"));
  const refused: unknown = await submitJob(stage.settings, job("d", "t1")).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ProblemError);
  expect(refused).toMatchObject({ code: "TOO_MANY_JOBS", status: 429, headers: { "retry-after": "10" }, extensions: { maximum: 3 } });
  expect(await stage.store.get("d")).toBeUndefined();
  await submitJob(stage.settings, job("d", "t2"));
  await submitJob(stage.settings, job("e"));
});

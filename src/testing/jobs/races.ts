import assert from "node:assert/strict";
import { together } from "../queue/queue.js";
import type { JobScenario } from "./scenario.js";
import type { JobStage } from "./stage.js";

async function createMany(stage: JobStage, count: number, tenant?: string): Promise<string> {
  const type = stage.name();
  await together(() => stage.create({ type, ...(tenant !== undefined && { tenant }) }), count);
  return type;
}

export const jobRaceScenarios: readonly JobScenario[] = [
  {
    name: "of 20 concurrent creates of one id exactly one succeeds, and its job is stored",
    async run(stage) {
      const [id, type] = [stage.name(), stage.name()];
      const created = await together((index) => stage.store.create(stage.job({ id, type, input: index })));
      assert.equal(created.filter(Boolean).length, 1);
      assert.equal((await stage.claimOne(type)).input, created.indexOf(true));
    },
  },
  {
    name: "20 concurrent claims together respect the limit of a tenant",
    async run(stage) {
      for (let round = 0; round < 5; round++) {
        const type = await createMany(stage, 10, stage.name());
        const claimed = (await together(() => stage.claim(type, { maxPerTenant: 2, max: 1 }))).flat();
        assert.equal(claimed.length, 2);
        assert.equal(new Set(claimed.map(({ id }) => id)).size, 2);
      }
    },
  },
  {
    name: "a concurrent cancel and claim: either the job is not claimed, or its worker learns of the cancellation",
    async run(stage) {
      for (let round = 0; round < 10; round++) {
        const { id, type } = await stage.create();
        const [canceled, claimed] = await Promise.all([stage.store.cancel(id), stage.claim(type)]);
        assert.equal(canceled, claimed.length === 0 ? "canceled" : "requested");
        for (const { lease } of claimed) assert.equal(await stage.store.extend(lease, 60_000), "cancel");
      }
    },
  },
  {
    name: "of 20 concurrent finishes exactly one succeeds, and its result is stored",
    async run(stage) {
      const { id, lease } = await stage.begun();
      const finished = await together((index) => stage.store.finish(lease, { status: "completed", result: index }));
      assert.equal(finished.filter(Boolean).length, 1);
      assert.equal((await stage.state(id)).result, finished.indexOf(true));
    },
  },
];

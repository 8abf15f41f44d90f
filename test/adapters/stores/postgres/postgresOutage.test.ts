// @slow

import { createService, defineResource } from "restwright";
import { hooks } from "restwright/hooks";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { cuttable } from "./cuttable.js";

describe("after PostgreSQL was away (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("a request whose key could not be released is repeated within seconds, and done once", async () => {
    const schema = ownSchema();
    const way = await cuttable(new URL(await schema.create()));
    let isCutting = true;
    const notes = defineResource("notes", {
      schema: z.object({ id: z.int(), text: z.string() }),
      generated: { id: "increment" },
      hooks: {
        afterWrite() {
          if (isCutting) way.cut();
          isCutting = false;
        },
      },
    });
    const service = createService({
      resources: [notes],
      storage: postgresStorage({ connectionString: way.url }),
      logger: false,
      secrets: ["a secret of the service itself, long enough"],
      use: [hooks()],
    });
    onTestFinished(async () => {
      await service.close({ graceMs: 0 });
      way.close();
      await schema.drop();
    });
    await service.start();
    const send = clientOf(service);
    const post = () => send({ method: "POST", target: "/notes", body: { text: "once" }, headers: { "idempotency-key": "0123456789abcdef" } });
    expect((await post()).status).toBe(503);
    expect((await post()).status).toBe(503);
    way.mend();
    const mendedMs = performance.now();
    // Without more, the lease of the first attempt would end after a minute.
    await expect.poll(async () => (await post()).status, { timeout: 20_000, interval: 200 }).toBe(201);
    expect(performance.now() - mendedMs).toBeLessThan(15_000);
    expect((await send({ target: "/notes" })).json.data).toHaveLength(1);
  });
});

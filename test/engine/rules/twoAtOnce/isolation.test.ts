// @slow

import { createService, defineResource, type Isolation, type Resource } from "restwright";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { postgresStorage } from "restwright/postgres";
import { transfer } from "restwright/transfer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { TransactionCollections } from "../../../../src/engine/calls/index.js";
import { clientOf } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

/** A service on PostgreSQL whose hooks note the isolation that they run in. */
async function openStrict(isolation: Isolation | undefined, usual?: string) {
  const schema = ownSchema();
  const address = new URL(await schema.create());
  if (usual !== undefined) address.searchParams.set("options", `${address.searchParams.get("options")} -c default_transaction_isolation=${usual}`);
  const levels: string[] = [];
  const note = async (tx: unknown) => {
    const [row] = await (tx as TransactionCollections).sql("select current_setting('transaction_isolation') as level");
    levels.push(String(row?.["level"]));
  };
  const strict = defineResource("strict", {
    schema: z.object({ id: z.int(), n: z.int() }),
    generated: { id: "increment" },
    hooks: { isolation, beforeWrite: ({ tx }) => note(tx) },
  });
  const plain = defineResource("plain", {
    schema: z.object({ id: z.int(), n: z.int() }),
    generated: { id: "increment" },
    hooks: {
      async afterWrite({ tx, row }) {
        await (tx as unknown as TransactionCollections).of(strict as unknown as Resource).create({ n: row.n });
      },
    },
  });
  const service = createService({
    resources: [strict, plain] as readonly Resource[],
    storage: postgresStorage({ connectionString: address.href }),
    logger: false,
    secrets: ["a secret of the service itself, long enough"],
    use: [hooks(), batch(), transfer()],
  });
  await service.start();
  return {
    levels,
    strict: strict as unknown as Resource,
    service,
    send: clientOf(service),
    async close() {
      await service.close();
      await schema.drop();
    },
  };
}

const strict = { prefer: "handling=strict" };
const csv = { "content-type": "text/csv" };
const merge = { "content-type": "application/merge-patch+json" };

describe("the isolation of hooks on PostgreSQL (set POSTGRES_URL to run)", needs("postgres"), () => {
  let stage: Awaited<ReturnType<typeof openStrict>>;
  beforeAll(async () => {
    stage = await openStrict("serializable");
  });
  afterAll(() => stage.close());

  const ways: readonly (readonly [string, object])[] = [
    ["POST", { method: "POST", target: "/strict", body: { n: 1 } }],
    ["PATCH", { method: "PATCH", target: "/strict/1", body: { n: 2 }, headers: merge }],
    ["PUT", { method: "PUT", target: "/strict/1", body: { n: 3 } }],
    ["a batch", { method: "POST", target: "/strict/batch", body: { items: [{ n: 1 }, { n: 2 }] } }],
    ["an atomic batch", { method: "POST", target: "/strict/batch", body: { items: [{ n: 1 }, { n: 2 }] }, headers: strict }],
    [
      "a batch of requests",
      { method: "POST", target: "/batch", body: { operations: [{ method: "POST", url: "/strict", body: { n: 1 } }] }, headers: strict },
    ],
    ["an import", { method: "POST", target: "/strict/import", body: "n\n1\n2\n", headers: csv }],
    ["an atomic import", { method: "POST", target: "/strict/import?onError=stop", body: "n\n1\n2\n", headers: csv }],
    ["the hook of another collection", { method: "POST", target: "/plain", body: { n: 1 } }],
    ["DELETE", { method: "DELETE", target: "/strict/1" }],
  ];
  test.each(ways)("is that of each write by %s", async (_, sent) => {
    stage.levels.length = 0;
    const { status, text } = await stage.send(sent as never);
    expect(status, text).toBeLessThan(300);
    expect(stage.levels.length).toBeGreaterThan(0);
    expect(new Set(stage.levels)).toEqual(new Set(["serializable"]));
  });

  test("is that of calls of code, also if it catches what the first attempt meets", async () => {
    stage.levels.length = 0;
    const tried: string[] = [];
    await stage.service.transaction({ id: "ann" }, async (given) => {
      const tx = given as unknown as TransactionCollections;
      await tx
        .of(stage.strict)
        .create({ n: 1 })
        .catch((error: Error) => tried.push(error.message));
    });
    expect(tried).toEqual(['The transaction needs the isolation "serializable", and begins again with it.']);
    expect(stage.levels).toEqual(["serializable"]);
  });
});

describe("the isolation that the operator has set (set POSTGRES_URL to run)", needs("postgres"), () => {
  const cases: readonly (readonly [string | undefined, Isolation | undefined, string])[] = [
    [undefined, undefined, "read committed"],
    [undefined, "snapshot", "repeatable read"],
    ["serializable", undefined, "serializable"],
    ["serializable", "snapshot", "serializable"],
    ["repeatable\\ read", "committed", "repeatable read"],
    ["repeatable\\ read", "serializable", "serializable"],
  ];
  test.each(cases)("%s, with %s of the rule, is %s", async (usual, asked, level) => {
    const { send, levels, close } = await openStrict(asked, usual);
    expect((await send({ method: "POST", target: "/strict", body: { n: 1 } })).status).toBe(201);
    expect(levels).toEqual([level]);
    await close();
  });
});

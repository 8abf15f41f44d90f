// @slow

import { defineResource, hasMany, type OperationName, ProblemError, type Storage } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { takesKey } from "../../../../src/engine/operation/operation.js";
import { endedJob } from "../../../capabilities/batch/batchJobStage.js";
import { Receiver } from "../../../capabilities/webhooks/emissionStage.js";
import { clientOf, type Received, type Sent } from "../../../tools/client.js";
import { type FullServiceOptions, fullService, routesOf } from "../../../tools/fullService.js";
import { codesOf, type WayToCreate, waysToCreate } from "./waysToCreate.js";

interface Rules {
  readonly operations?: readonly OperationName[];
  readonly requireIdempotencyKey?: boolean;
  /** Called by the effect of a create, with its operation id. */
  readonly effect?: (operationId: string) => void;
}

function tables({ operations, requireIdempotencyKey, effect }: Rules) {
  const common = {
    schema: z.object({ id: z.string(), ownerId: z.string(), amount: z.number(), status: z.enum(["pending", "done"]).default("pending") }),
    readOnly: ["status"],
    operations,
    requireIdempotencyKey,
    events: { "payment.created": { on: "create" } },
  } as const;
  const payments =
    effect === undefined
      ? defineResource("payments", common)
      : defineResource("payments", {
          ...common,
          async create(_, { operationId }) {
            effect(operationId);
            return { status: "done" as const };
          },
        });
  const owners = defineResource("owners", { schema: z.object({ id: z.string() }), relations: { payments: hasMany("payments", "ownerId") } });
  return [payments, owners];
}

const key = { "idempotency-key": "0123456789abcdef" };

async function setUp(open: () => Storage, rules: Rules, options: Partial<FullServiceOptions> = {}) {
  const storage = open();
  const service = fullService({
    resources: tables(rules),
    storage,
    blobs: memoryBlobs(),
    webhooks: { transport: new Receiver(), work: false },
    secrets: ["a secret of the service itself"],
    ...options,
  });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const made = await send({ method: "PUT", target: "/owners/o1", body: {} });
  if (made.status !== 201) throw new Error(made.text);
  return {
    /** Sends, and waits for the end of a job. */
    async finish(sent: Sent): Promise<Received> {
      const answer = await send(sent);
      if (answer.status !== 202) return answer;
      const job = String(answer.headers["location"]);
      const { document } = await endedJob(send, job);
      const report = job.startsWith("/imports") ? await send({ target: `${job}/errors`, headers: { accept: "application/json" } }) : undefined;
      return { ...answer, text: JSON.stringify(document) + (report?.text ?? "") };
    },
    send,
    async statusOf(id: string): Promise<string | undefined> {
      const answer = await send({ target: `/payments/${id}` });
      return answer.status === 200 ? answer.json.status : undefined;
    },
  };
}

const stores: readonly [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

const ways = waysToCreate.map((way): [string, WayToCreate] => [way.name, way]);

test("the table names every operation of the router that can create a row", () => {
  const service = fullService({ resources: tables({}), storage: memoryStorage(), blobs: memoryBlobs() });
  const names = routesOf(service)
    .flatMap(({ operations }) => operations)
    .filter(takesKey);
  const known = new Set(waysToCreate.flatMap(({ operations }) => operations));
  const rest = names.map(({ name }) => name).filter((name) => !known.has(name) && !name.startsWith("owners.create") && name !== "owners.replace");
  const changing = /\.(?:update|remove|removeMany|batchUpdate|batchRemove|bulkUpdate|cancel|resume)$/;
  expect(rest.filter((name) => !changing.test(name) && !/^owners\.(?:batchCreate|import)$|^exports\./.test(name))).toEqual([]);
  expect([...known].filter((name) => !names.some((operation) => operation.name === name))).toEqual([]);
});

describe.each(stores)("every way that creates, on %s", (_, open) => {
  test.each(ways)("%s has the effect once, under an operation id, and sets what it returns", async (_name, way) => {
    const effects: string[] = [];
    const { finish, statusOf } = await setUp(open, { effect: (id) => effects.push(id) });
    const first = await finish(way.request({ id: "p1", headers: key }));
    expect([codesOf(first), await statusOf("p1"), effects.length]).toEqual([[], "done", 1]);
    const again = await finish(way.request({ id: "p1", headers: key }));
    expect([again.status, effects.length]).toEqual([first.status, 1]);
    const other = await finish(way.request({ id: "p2" }));
    expect([codesOf(other), await statusOf("p2"), new Set(effects).size]).toEqual([[], "done", 2]);
  });

  test.each(ways)("%s creates nothing if the effect is refused", async (_name, way) => {
    const effect = () => {
      throw new ProblemError("FORBIDDEN", "The card has been declined.");
    };
    const { finish, statusOf } = await setUp(open, { effect });
    expect(codesOf(await finish(way.request({ id: "p1" })))).toContain("FORBIDDEN");
    expect(await statusOf("p1")).toBeUndefined();
  });

  test.each(["an import", "an import that upserts"])(
    "%s whose effect fails is tried again under the same operation ids, and doubles no row",
    async (name) => {
      const effects: string[] = [];
      const effect = (id: string) => {
        effects.push(id);
        if (effects.length === 2) throw new Error("The provider has not answered.");
      };
      const { send } = await setUp(open, { effect });
      const way = waysToCreate.find((each) => each.name === name) ?? expect.fail();
      const request = { ...way.request({ id: "p1", headers: key }), body: "id,ownerId,amount\np1,o1,7\np2,o1,8\n" };
      expect((await send(request)).status).toBe(500);
      expect((await send(request)).status).toBe(200);
      expect((await send({ target: "/payments" })).json.meta.total).toBe(2);
      expect(new Set(effects).size).toBe(2);
    },
  );

  const strict = ways.filter(([, way]) => way.strict !== undefined);
  test.each(strict)("%s with an effect cannot be all or nothing", async (_name, way) => {
    const effects: string[] = [];
    const { send, statusOf } = await setUp(open, { effect: (id) => effects.push(id) });
    const answer = await send(way.strict?.({ id: "p1" }) ?? expect.fail());
    expect([answer.status, answer.json.code, effects, await statusOf("p1")]).toEqual([501, "ATOMIC_UNSUPPORTED", [], undefined]);
  });

  test.each(ways)("%s needs a key where creating does, and takes that of its batch", async (_name, way) => {
    const { finish, statusOf } = await setUp(open, { requireIdempotencyKey: true });
    expect(codesOf(await finish(way.request({ id: "p1" })))).toContain("IDEMPOTENCY_KEY_REQUIRED");
    expect(await statusOf("p1")).toBeUndefined();
    expect(codesOf(await finish(way.request({ id: "p1", headers: key })))).toEqual([]);
    expect(await statusOf("p1")).toBe("pending");
    const strictly = way.strict?.({ id: "p2", headers: { "idempotency-key": "fedcba9876543210" } });
    if (strictly === undefined) return;
    expect(codesOf(await finish(strictly))).toEqual([]);
    expect(await statusOf("p2")).toBe("pending");
  });

  test.each(ways)("%s is refused where clients may not create", async (_name, way) => {
    const { finish, statusOf } = await setUp(open, { operations: ["list", "read", "replace", "update", "remove"] });
    const answer = await finish(way.request({ id: "p1" }));
    expect(codesOf(answer)).not.toEqual([]);
    expect([way.name.startsWith("PUT") && answer.status === 404, await statusOf("p1")]).toEqual([
      way.name === "PUT" || way.name === "PUT below a parent",
      undefined,
    ]);
  });

  test.each(ways)("%s asks authorize for the action create", async (_name, way) => {
    const effects: string[] = [];
    const { finish, statusOf } = await setUp(
      open,
      { effect: (id) => effects.push(id) },
      { authorize: ({ action, collection }) => action !== "create" || collection === "owners" },
    );
    expect(codesOf(await finish(way.request({ id: "p1" })))).toContain("FORBIDDEN");
    expect([await statusOf("p1"), effects]).toEqual([undefined, []]);
  });

  test.each(ways)("%s causes the event", async (_name, way) => {
    const { finish, send } = await setUp(open, { effect: () => {} });
    const hook = await send({ method: "POST", target: "/webhooks", body: { url: "https://example.test/hook", events: ["payment.created"] } });
    await finish(way.request({ id: "p1" }));
    const log = await send({ target: `/webhooks/${hook.json.id}/deliveries` });
    expect(log.json.data).toMatchObject([{ type: "payment.created" }]);
  });
});

import { createService, defineResource, type ServiceOptions } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

const never = () => new Promise<never>(() => {});
const schema = z.object({ id: z.int(), n: z.int(), owner: z.string().optional() });
const ann = { scheme: "Test", challenge: () => "Test", verify: () => ({ id: "ann" }) };
const key = { "idempotency-key": "one-operation-of-ann" };

interface Case {
  readonly rule: string;
  readonly resource?: object;
  readonly options?: Partial<ServiceOptions>;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const cases: readonly Case[] = [
  { rule: `"scope" of "notes"`, resource: { scope: never } },
  { rule: `"stamp.owner" of "notes"`, resource: { stamp: { owner: never } } },
  { rule: `"create" of "notes"`, resource: { create: never }, headers: key },
  { rule: `"authorize"`, options: { authorize: never } },
  { rule: `the verifier of "Test"`, options: { auth: [{ ...ann, verify: never }] } },
  { rule: `"tenant"`, options: { tenant: never } },
  { rule: `"trustMethodOverride"`, options: { trustMethodOverride: never }, target: "/notes/1", headers: { "x-http-method-override": "PATCH" } },
];

function open({ resource = {}, options = {} }: Pick<Case, "resource" | "options">) {
  const logged: string[] = [];
  const nothing = () => {};
  const logger = { error: ({ err }: { err?: unknown }) => void logged.push(String(err)), warn: nothing, info: nothing, debug: nothing };
  const notes = defineResource("notes", { schema, generated: { id: "increment" }, ...resource } as never);
  const limits = { ruleMs: 40 };
  const service = createService({
    resources: [notes],
    storage: memoryStorage(),
    auth: [ann],
    limits,
    idempotency: { leaseMs: 200 },
    logger,
    secrets: ["a secret of the service itself, long enough"],
    ...options,
  } as ServiceOptions);
  return { service, send: clientOf(service), logged };
}

describe("A rule of the developer that never settles", () => {
  test.each(cases)("is a 503 that names it, logged once: $rule", async ({ rule, target = "/notes", headers = {}, ...given }) => {
    const { send, logged, service } = open(given);
    const answer = await send({ method: "POST", target, body: { n: 1 }, headers });
    expect([answer.status, answer.json.code, answer.headers["content-type"]]).toEqual([503, "HOOK_TIMEOUT", "application/problem+json"]);
    expect(answer.json.detail).toContain(`${rule} took longer than `);
    expect(logged).toEqual([expect.stringContaining(rule)]);
    await service.close({ graceMs: 0 });
  });

  test("holds a call from code no longer than a request", async () => {
    const { service } = open({ resource: { scope: never } });
    const shop = service.as({ id: "ann" }) as unknown as Record<string, { list(): Promise<unknown> }>;
    await expect(shop["notes"]?.list()).rejects.toMatchObject({ code: "HOOK_TIMEOUT", status: 503 });
  });

  test("keeps its time in reads, and what settles in time is not limited", async () => {
    const slow = open({ options: { authorize: async () => never() } });
    expect((await slow.send({ method: "GET", target: "/notes" })).status).toBe(503);
    const quick = open({
      resource: { scope: async () => true, stamp: { owner: async () => "ann" } },
      options: { authorize: async () => true, tenant: async () => undefined },
    });
    expect((await quick.send({ method: "POST", target: "/notes", body: { n: 1 } })).json).toMatchObject({ n: 1, owner: "ann" });
    expect((await quick.send({ method: "GET", target: "/notes" })).json.data).toHaveLength(1);
  });
});

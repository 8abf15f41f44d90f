import { type Capability, createService, defineResource, type Resource } from "restwright";
import { actions } from "restwright/actions";
import { job, jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { openapi } from "restwright/openapi";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../../tools/eventually.js";

const logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const orders = defineResource("orders", {
  schema: z.object({ id: z.int(), total: z.int() }),
  generated: { id: "increment" },
  actions: ({ action }) => ({
    invoice: action({
      on: "row",
      run: async ({ row, tx }) => {
        await tx.jobs.enqueue("invoice", { order: row.id });
      },
    }),
    preview: action({ on: "collection", method: "GET", run: ({ tx }) => tx.jobs.enqueue("invoice", { order: 1 }) }),
  }),
});

function opened<const Use extends readonly Capability[], const R extends readonly Resource[]>(use: Use, resources: R) {
  const service = createService({ resources, storage: memoryStorage(), logger, anonymous: "allow", use });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return service;
}

test("an action enqueues jobs with its transaction, and a GET refuses to", async () => {
  const invoiced: number[] = [];
  const invoice = job({ input: z.object({ order: z.int() }), run: ({ input }) => invoiced.push(input.order) });
  const service = opened([jobs({ handlers: { invoice } }), actions(), openapi({ info: { title: "Orders", version: "1" } })], [orders]);
  const { id } = await service.asSystem().orders.create({ total: 5 });
  const posted = await service.fetch(new Request(`http://x/orders/${id}/invoice`, { method: "POST" }));
  expect([posted.status, await posted.json()]).toEqual([200, { id, total: 5 }]);
  await eventually(() => expect(invoiced).toEqual([id]));
  expect((await service.fetch(new Request("http://x/orders/preview"))).status).toBe(500);
  await expect(service.asSystem().orders.preview(undefined)).rejects.toThrow('it cannot call "tx.jobs.enqueue"');
  expect(invoiced).toEqual([id]);
  const document = (await (await service.fetch(new Request("http://x/openapi.json"))).json()) as { paths: Record<string, { get: object }> };
  expect(document.paths["/jobs/{id}/events"]?.get).toMatchObject({ summary: "Follow a job", operationId: expect.any(String) });
});

test("without handlers there is nothing to enqueue, and no path", async () => {
  const service = opened([jobs()], []);
  await expect(service.asSystem().transaction((tx) => tx.jobs.enqueue("invoice"))).rejects.toThrow('needs jobs({ handlers }) in "use"');
  await expect((service.jobs.enqueue as (name: string) => Promise<unknown>)("invoice")).rejects.toThrow("jobs() has none");
  expect((await service.fetch(new Request("http://x/jobs/7"))).status).toBe(404);
});

test("a collection may be called jobs in a service without handlers, and not with some", async () => {
  const named = defineResource("jobs", { schema: z.object({ id: z.int(), title: z.string() }), generated: { id: "increment" } });
  const service = opened([jobs()], [named]);
  const made = await service.asSystem().transaction((tx) => tx.of(named).create({ title: "a plumber" }));
  expect(made.title).toBe("a plumber");
  expect((await service.fetch(new Request("http://x/jobs"))).status).toBe(200);
  expect(() => opened([jobs({ handlers: { invoice: job({ run: () => 1 }) } })], [named])).toThrow('"jobs"');
});

test("the compiler knows the names of handlers and what they take", () => {
  const handlers = { invoice: job({ input: z.object({ order: z.int() }), run: ({ input }) => input.order }), plain: job({ run: () => 1 }) };
  const typed = () => {
    const service = opened([jobs({ handlers, schedules: [{ name: "nightly", cron: "0 2 * * *", job: "plain" }] })], []);
    void service.jobs.enqueue("invoice", { order: 7 }, { key: "7" });
    void service.jobs.enqueue("plain");
    // @ts-expect-error: there is no such handler
    void service.jobs.enqueue("invioce", { order: 7 });
    // @ts-expect-error: it takes a number
    void service.jobs.enqueue("invoice", { order: "seven" });
    // @ts-expect-error: it needs input
    void service.jobs.enqueue("invoice");
    // @ts-expect-error: there is no such handler
    jobs({ handlers, schedules: [{ name: "nightly", cron: "0 2 * * *", job: "plian" }] });
  };
  expect(typed).toBeTypeOf("function");
});

import { randomUUID } from "node:crypto";
import { sqliteStorage } from "restwright/sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { cuttable } from "../../adapters/stores/postgres/cuttable.js";
import { eventually, untilTrue } from "../../tools/eventually.js";
import type { Ends, Given, Order } from "./given.js";
import { ordersOf } from "./orders.js";

/** A recipe of docs/guides/queues.md, on its real engine. */
export interface Recipe {
  /** The name of the subscriber. */
  readonly subscriber: string;
  /** The address of the engine, with its port. */
  readonly url: URL;
  /** Whether the engine drops what was handed on twice. */
  readonly dropsDoubles: boolean;
  readonly open: (given: Given) => Promise<Ends>;
  /** Removes the queue and all that belongs to it. */
  readonly remove: (name: string) => Promise<unknown>;
}

/** A service with a recipe, by a way that can be cut, and what its worker got. */
export async function openRecipe({ url, open, remove }: Pick<Recipe, "url" | "open" | "remove">) {
  const name = `orders${randomUUID().replaceAll("-", "")}`;
  const service = ordersOf(sqliteStorage({ path: ":memory:" }));
  const way = await cuttable(url);
  const received: { id: string | undefined; order: Order }[] = [];
  // Clients and the service log a connection that a test cuts.
  const quiet = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const direct = await open({
    service,
    url: way.url,
    workerUrl: url.href,
    name,
    ship: async (id, order) => void received.push({ id, order }),
    log: () => undefined,
  });
  await service.start();
  onTestFinished(async () => {
    way.mend();
    await service.close();
    await direct.closeWorker();
    await direct.closeSender();
    way.close();
    await remove(name);
    quiet.mockRestore();
  });
  const create = async (email: string) => {
    const headers = { "content-type": "application/json" };
    return (await service.fetch(new Request("http://guide.test/orders", { method: "POST", headers, body: JSON.stringify({ email }) }))).status;
  };
  const emails = () => received.map(({ order }) => order.email).sort();
  const distinctEmails = () => [...new Map(received.map(({ id, order }) => [id, order.email])).values()].sort();
  return { service, way, received, create, emails, distinctEmails, name };
}

/** What each recipe promises, tested on its engine. */
export function testRecipe(recipe: Recipe): void {
  const { subscriber, dropsDoubles } = recipe;

  test("a worker gets each committed row once, and no row that was refused or rolled back", async () => {
    const { service, create, emails, received } = await openRecipe(recipe);
    const lost = service.asSystem().transaction(async (tx) => {
      await tx.orders.create({ email: "lost@example.org" });
      throw new Error("Rolled back.");
    });
    await expect(lost).rejects.toThrow("Rolled back.");
    expect(await create("nowhere")).toBe(422);
    const sent = Array.from({ length: 20 }, (_, index) => `${String(index).padStart(2, "0")}@example.org`);
    for (const email of sent) expect(await create(email)).toBe(201);
    await eventually(() => expect(emails()).toEqual(sent));
    await eventually(async () => expect(await service.subscribers.counts(subscriber)).toMatchObject({ succeeded: 20 }));
    expect(emails()).toEqual(sent);
    expect(received.every(({ id, order }) => /^evt_\w{26}$/.test(id ?? "") && Number.isInteger(order.orderId))).toBe(true);
  });

  test("rows are written while the engine is away, and all events arrive when it is back", async () => {
    const { service, way, create, distinctEmails } = await openRecipe(recipe);
    expect(await create("a@example.org")).toBe(201);
    await eventually(() => expect(distinctEmails()).toEqual(["a@example.org"]));
    way.cut();
    for (const letter of ["b", "c", "d"]) expect(await create(`${letter}@example.org`)).toBe(201);
    await untilTrue(async () => (await service.subscribers.list({ name: subscriber })).filter(({ attempts }) => attempts > 0).length >= 3);
    expect(distinctEmails()).toEqual(["a@example.org"]);
    way.mend();
    await eventually(() => expect(distinctEmails()).toEqual(["a", "b", "c", "d"].map((letter) => `${letter}@example.org`)));
    await eventually(async () => expect(await service.subscribers.counts(subscriber)).toMatchObject({ succeeded: 4 }));
  });

  test(`an event that is handed on twice is ${dropsDoubles ? "one job" : "two messages with one id"}`, async () => {
    const { service, create, emails, received } = await openRecipe(recipe);
    expect(await create("a@example.org")).toBe(201);
    await eventually(async () => expect(await service.subscribers.counts(subscriber)).toMatchObject({ succeeded: 1 }));
    await eventually(() => expect(emails()).toEqual(["a@example.org"]));
    await service.subscribers.replay({ name: subscriber, states: ["succeeded"] });
    await eventually(async () => expect(await service.subscribers.counts(subscriber)).toMatchObject({ succeeded: 1, pending: 0 }));
    // The queue works in order with one sender: what comes after the double shows that the double is not on its way.
    expect(await create("b@example.org")).toBe(201);
    const expected = dropsDoubles ? ["a", "b"] : ["a", "a", "b"];
    await eventually(() => expect(emails()).toEqual(expected.map((letter) => `${letter}@example.org`)));
    expect(new Set(received.map(({ id }) => id))).toHaveLength(2);
  });
}

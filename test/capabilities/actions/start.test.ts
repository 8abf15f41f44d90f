import { ConfigurationError, createService, hasMany } from "restwright";
import { actions, respond } from "restwright/actions";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withoutTransactions } from "../../tools/storage/batchStores.js";
import { type Given, ordersSchema, type Tools, withActions } from "./stage.js";

const run = () => undefined;
const onRow = { on: "row", run };

/** What a service with these actions is refused with. */
function refusal(define: unknown, { use = [actions()], storage = memoryStorage(), ...options }: Given = {}): string {
  try {
    const orders = withActions("orders", {
      schema: ordersSchema,
      generated: { id: "increment" },
      relations: { lines: hasMany("lines", "orderId") },
      actions: define,
      ...options,
    });
    const lines = withActions("lines", { schema: z.object({ id: z.int(), orderId: z.int() }) });
    createService({ resources: [orders, lines], storage, use });
    return "";
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

const named =
  (name: string, options: object = onRow) =>
  ({ action }: Tools) => ({ [name]: action({ ...options }) });

describe("a service does not start with", () => {
  test.each([
    ["a name that is no path", named("1st"), "must begin with a letter"],
    ["a name with a dot", named("a.b"), "must begin with a letter"],
    ["a fixed word of paths", named("import"), "has the name of a path"],
    ["another one", named("batch-delete"), "has the name of a path"],
    ["a method of calls", named("update"), "has already"],
    ["a member of promises", named("then"), "has already"],
    ["a member of transactions", named("emit"), "has already"],
    ["an operation of batches", named("batchCreate"), "has already"],
    ["the name of a relation", named("lines"), "relation of the collection"],
    ["no run", ({ action }: Tools) => ({ cancel: action({ on: "row" }) }), '"run" must be a function'],
    ["a wrong on", named("cancel", { on: "rows", run }), '"on" must be "row" or "collection"'],
    ["a wrong method", named("cancel", { ...onRow, method: "PUT" }), '"method" must be "POST" or "GET"'],
    ["an input that is no schema", named("cancel", { ...onRow, input: {} }), '"input" must be a zod object'],
    ["an input that is no object", named("cancel", { ...onRow, input: z.string() }), '"input" must be a zod object'],
    ["an output that is no schema", named("cancel", { ...onRow, output: {} }), '"output" must be a zod type'],
    ["an event of one word", named("cancel", { ...onRow, events: ["cancelled"] }), "dot notation"],
    ["a code in lower case", named("cancel", { ...onRow, problems: ["shipped"] }), "a code in upper case"],
    ["a code in lower case with a status", named("cancel", { ...onRow, problems: { shipped: 409 } }), "codes are in upper case"],
    ["a problem with a wrong status", named("cancel", { ...onRow, problems: { SHIPPED: 200 } }), "a status from 400 to 599"],
    ["a misspelled option", named("cancel", { ...onRow, evnets: [] }), 'did you mean "events"?'],
    ["a misspelled run", named("cancel", { on: "row", rum: run }), 'did you mean "run"?'],
    ["a batch of a GET", named("cancel", { ...onRow, method: "GET", batch: true }), "only an action on a row with the method POST"],
    ["a batch of a collection", named("cancel", { on: "collection", run, batch: true }), "only an action on a row with the method POST"],
    ["events of a GET", named("cancel", { ...onRow, method: "GET", events: ["a.b"] }), "a GET only reads"],
    ["a batch without batch()", named("cancel", { ...onRow, batch: true }), 'add batch() of "restwright/batch"'],
    ["events without a receiver", named("cancel", { ...onRow, events: ["order.cancelled"] }), "add webhooks("],
    ["options that action() did not make", () => ({ cancel: onRow }), 'must be made by the function "action"'],
    ["no object", () => [], "must return an object"],
  ])("%s", (_, define, expected) => {
    expect(refusal(define)).toContain(expected);
  });

  test("writes on a store without transactions", () => {
    const storage = withoutTransactions(memoryStorage());
    expect(refusal(named("cancel"), { storage })).toContain("has no transactions");
    expect(refusal(named("look", { ...onRow, method: "GET" }), { storage })).toBe("");
  });

  test("a batch of a collection without batches", () => {
    const options = { use: [actions(), batch()], batch: false };
    expect(refusal(named("cancel", { ...onRow, batch: true }), options)).toContain('"batch: false"');
  });

  test("a name that an id may be", () => {
    const schema = (id: z.ZodType) => ordersSchema.extend({ id } as never);
    const collection = { on: "collection", run };
    const made = (id: z.ZodType, more: object = {}) =>
      refusal(named("statistics", collection), { schema: schema(id), generated: {}, relations: {}, ...more });
    expect(made(z.string())).toContain("a name that an id of the collection may be");
    expect(made(z.string().refine(async () => false))).toContain("a name that an id of the collection may be");
    expect(made(z.uuid())).toBe("");
    expect(made(z.string(), { generated: { id: "ulid" } })).toBe("");
    expect(refusal(named("cancel"), { schema: schema(z.string()), generated: {}, relations: {} })).toBe("");
  });

  test("actions without actions()", () => {
    expect(refusal(named("cancel"), { use: [] })).toContain('add actions() of "restwright/actions"');
  });
});

describe("respond", () => {
  test("refuses what it does not know", () => {
    const refused = (value: unknown, options: object) => () => respond(value, options as never);
    expect(refused(1, { satus: 200 })).toThrow('did you mean "status"?');
    expect(refused(1, { status: 404 })).toThrow("from 200 to 399");
    expect(refused(1, { status: 204 })).toThrow("has no body");
    expect(refused(1, { headers: { "content-type": "text/plain" } })).toThrow("content-type");
    expect(refused(1, { headers: { a: "b\r\nc: d" } })).toThrow("headers");
    expect(respond(undefined)).toMatchObject({ status: 204 });
    expect(respond({ a: 1 }, { headers: { "X-A": "1" } })).toMatchObject({ status: 200, headers: { "x-a": "1" } });
  });
});

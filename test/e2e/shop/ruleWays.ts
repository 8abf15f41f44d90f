import { ProblemError } from "restwright";
import type { SubscriberApi } from "restwright/subscribers";
import { orders } from "../../../examples/shop/resources.js";
import type { FullService } from "../../tools/fullService.js";
import type { Answer, Ask, Body } from "./scopeStage.js";

/** What became of one row, whichever way it was written. */
export interface Outcome {
  readonly status: number;
  readonly code?: string | undefined;
  readonly pointer?: string | undefined;
}

/** Where an order is written. */
export interface Place {
  readonly ask: Ask;
  readonly service: FullService & SubscriberApi;
}

/** Creates an order as alice. */
export type CreateWay = (place: Place, order: object) => Promise<Outcome>;

/** Changes an order as alice. */
export type ChangeWay = (place: Place, id: number, changes: object) => Promise<Outcome>;

const ndjson = { "content-type": "application/x-ndjson" };
const csv = { "content-type": "text/csv" };
const jsonPatch = { "content-type": "application/json-patch+json" };
const strict = { prefer: "handling=strict" };

function outcomeOf(status: number, body: Partial<Body> | undefined): Outcome {
  if (status < 400) return { status };
  return { status, code: body?.code, pointer: body?.errors?.[0]?.pointer };
}

const whole = ({ status, json }: Answer) => outcomeOf(status, json);

/** The first item of a batch. Its pointers begin where the item says what it writes. */
function item({ text, json }: Answer): Outcome {
  const [result] = json.results ?? [];
  if (result === undefined) throw new Error(text);
  return outcomeOf(result.status, result.error);
}

/** The first row of an import: 200 if it was created or updated. */
function row({ status, text, json }: Answer): Outcome {
  if (status !== 200) return outcomeOf(status, json);
  if (json.result["failed"] === 0) return { status: 200 };
  const [error] = json.errors as unknown as readonly { readonly code: string; readonly errors: readonly { readonly field?: string }[] }[];
  if (error === undefined) throw new Error(text);
  const [fault] = error.errors;
  return { status: 422, code: error.code, pointer: fault?.field === undefined ? undefined : `/${fault.field}` };
}

/** A cell of CSV: a list is JSON. */
function cell(value: unknown): string {
  return `"${(typeof value === "object" ? JSON.stringify(value) : String(value)).replaceAll('"', '""')}"`;
}

const csvOf = (fields: object) => `${Object.keys(fields).join(",")}\n${Object.values(fields).map(cell).join(",")}\n`;

async function fromCode(run: () => Promise<unknown>): Promise<Outcome> {
  try {
    await run();
    return { status: 200 };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { status: error.status, code: error.code, pointer: error.errors[0]?.pointer };
  }
}

const alice = { id: "alice", tenant: "a", claims: { role: "admin" } };

export const createWays: Readonly<Record<string, CreateWay>> = {
  POST: async ({ ask }, order) => whole(await ask("alice", "POST /orders", order)),
  "POST in v2": async ({ ask }, order) => whole(await ask("alice", "POST /orders", order, { "x-api-version": "v2" })),
  "a batch": async ({ ask }, order) => item(await ask("alice", "POST /orders/batch", { items: [order] })),
  "a strict batch": async ({ ask }, order) => item(await ask("alice", "POST /orders/batch", { items: [order] }, strict)),
  "/batch": async ({ ask }, order) => item(await ask("alice", "POST /batch", { operations: [{ method: "POST", url: "/orders", body: order }] })),
  "an import of NDJSON": async ({ ask }, order) => row(await ask("alice", "POST /orders/import", JSON.stringify(order), ndjson)),
  "an import of CSV": async ({ ask }, order) => row(await ask("alice", "POST /orders/import", csvOf(order), csv)),
  "code for a principal": ({ service }, order) =>
    fromCode(() =>
      service
        .as(alice)
        .of(orders)
        .create(order as never),
    ),
  "code of the system": ({ service }, order) =>
    fromCode(() =>
      service
        .asSystem({ tenant: "a" })
        .of(orders)
        .create(order as never),
    ),
};

export const changeWays: Readonly<Record<string, ChangeWay>> = {
  PATCH: async ({ ask }, id, changes) => whole(await ask("alice", `PATCH /orders/${id}`, changes)),
  "PATCH in v2": async ({ ask }, id, changes) => whole(await ask("alice", `PATCH /orders/${id}`, changes, { "x-api-version": "v2" })),
  "JSON Patch": async ({ ask }, id, changes) => {
    const steps = Object.entries(changes).map(([name, value]) => ({ op: "add", path: `/${name}`, value }));
    return whole(await ask("alice", `PATCH /orders/${id}`, steps, jsonPatch));
  },
  PUT: async ({ ask }, id, changes) => {
    const { json } = await ask("alice", `GET /orders/${id}`);
    // The client leaves out what the server is to calculate.
    return whole(await ask("alice", `PUT /orders/${id}`, { ...json, total: undefined, ...changes }));
  },
  "a batch": async ({ ask }, id, changes) => item(await ask("alice", "PATCH /orders/batch", { items: [{ id, changes }] })),
  "a batch by a filter": async ({ ask }, id, changes) => item(await ask("alice", `POST /orders/bulk-update?id=${id}`, changes)),
  "/batch": async ({ ask }, id, changes) =>
    item(await ask("alice", "POST /batch", { operations: [{ method: "PATCH", url: `/orders/${id}`, body: changes }] })),
  "an import": async ({ ask }, id, changes) =>
    row(await ask("alice", "POST /orders/import?mode=update&key=id", JSON.stringify({ id, ...changes }), ndjson)),
  "code for a principal": ({ service }, id, changes) =>
    fromCode(() =>
      service
        .as(alice)
        .of(orders)
        .update(id, changes as never),
    ),
  "code of the system": ({ service }, id, changes) =>
    fromCode(() =>
      service
        .asSystem({ tenant: "a" })
        .of(orders)
        .update(id, changes as never),
    ),
};

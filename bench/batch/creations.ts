import { newUser } from "../requests/workloads.js";
import { requestText } from "../tools/message.js";

/** One user a request, or as many as the name says. */
export const kinds = ["single", "batch100", "batch1000"] as const;

export type Kind = (typeof kinds)[number];

/** How many users a request of a kind creates. */
export const itemsOf: Readonly<Record<Kind, number>> = { single: 1, batch100: 100, batch1000: 1_000 };

/** How a server wants many users: under `items` at a path of their own, or as an array where single ones go. */
export interface Wire {
  readonly path: string;
  readonly status: number;
  body(users: readonly unknown[]): unknown;
}

export const itemsWire: Wire = { path: "/users/batch", status: 200, body: (items) => ({ items }) };
export const arrayWire: Wire = { path: "/users", status: 201, body: (items) => items };

/** What is sent for a kind, and the status that it must be answered with. */
export interface Creations {
  readonly status: number;
  next(): string;
}

/** Requests for one server; each user has an e-mail address of its own. */
export function makeCreations(wire: Wire): Readonly<Record<Kind, Creations>> {
  let turn = 0;
  const user = () => {
    turn += 1;
    return { ...newUser, name: `New customer ${turn % 50}`, email: `new.customer.${turn}@example.com` };
  };
  const batch = (items: number): Creations => ({
    status: wire.status,
    next: () => requestText("POST", wire.path, {}, wire.body(Array.from({ length: items }, user))),
  });
  return {
    single: { status: 201, next: () => requestText("POST", "/users", {}, user()) },
    batch100: batch(itemsOf.batch100),
    batch1000: batch(itemsOf.batch1000),
  };
}

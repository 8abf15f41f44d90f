import { randomUUID } from "node:crypto";
import { newUser } from "../requests/workloads.js";
import { requestText } from "../tools/message.js";

/** A POST without a key, one with a key of its own, and one whose key was answered before. */
export const kinds = ["plain", "first", "replay"] as const;

export type Kind = (typeof kinds)[number];

/** Texts of requests for one server. The e-mail address is unique: a replay that ran again would be refused. */
export type Posts = Readonly<Record<Kind, () => string>>;

/** `replay` gives one request over and over; its first answer is the caller's to fetch. */
export function makePosts(): Posts {
  let turn = 0;
  const post = (headers: Readonly<Record<string, string>>) => {
    turn += 1;
    return requestText("POST", "/users", headers, { ...newUser, name: `New customer ${turn % 50}`, email: `new.customer.${turn}@example.com` });
  };
  const repeated = post(newKey());
  return { plain: () => post({}), first: () => post(newKey()), replay: () => repeated };
}

function newKey() {
  return { "idempotency-key": randomUUID() };
}

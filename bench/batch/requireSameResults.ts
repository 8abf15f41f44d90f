import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { newUser } from "../requests/workloads.js";
import { Connection } from "../tools/connection.js";
import { requestText } from "../tools/message.js";
import type { BatchEntrant } from "./entrants.js";

const ada = { ...newUser, name: "Ada", email: "Ada@example.com" };
const grace = { ...newUser, name: "Grace", email: "grace@example.com", bio: "Not shown." };

/** Bodies that all servers with the same wire must answer alike, in this order. */
const exchanges: readonly (readonly [status: number, body: unknown])[] = [
  [200, { items: [ada] }],
  [207, { items: [{ ...ada, email: "ADA@example.com" }, grace, grace] }],
  [
    207,
    {
      items: [{ name: "Nobody", email: "no address" }, { ...newUser, name: "Linus", email: "linus@example.com" }, 5, { ...ada, surname: "Lovelace" }],
    },
  ],
  [200, { items: [{ name: "Minimal", email: "minimal@example.com" }] }],
  [400, { items: [] }],
  [400, []],
  [413, { items: Array.from({ length: 1_001 }, () => ada) }],
];

/**
 * A comparison is fair only between servers that do the same: the same statuses, and the same results by value but for instants, versions, the texts of
 * problems and the numbers of ids behind a duplicate.
 *
 * @throws {AssertionError} naming the server whose answer differs
 */
export async function requireSameResults(entrants: readonly BatchEntrant[]): Promise<void> {
  const [own, ...others] = entrants;
  if (own === undefined) return;
  const same = others.filter(({ wire }) => wire === own.wire);
  for (const [status, body] of exchanges) {
    const expected = await exchange(own, status, body);
    for (const other of same) deepStrictEqual(await exchange(other, status, body), expected, other.name);
  }
  for (const other of others.filter(({ wire }) => wire !== own.wire)) await requireBoth(other);
}

/** A server with a wire of its own has to create both users of an array. */
async function requireBoth(entrant: BatchEntrant): Promise<void> {
  const created = await send(entrant, entrant.wire.status, [ada, grace]);
  const shown = Array.isArray(created) ? created.map(({ id, name, email }) => ({ id, name, email })) : created;
  const expected = [ada, grace].map(({ name, email }, index) => ({ id: 10_001 + index, name, email }));
  deepStrictEqual(shown, expected, entrant.name);
}

async function exchange(entrant: BatchEntrant, status: number, body: unknown): Promise<unknown> {
  const answer = await send(entrant, status, body);
  return status < 400 ? comparable(answer) : undefined;
}

async function send({ name, server, wire }: BatchEntrant, status: number, body: unknown): Promise<unknown> {
  const connection = await Connection.open(server.port);
  try {
    const received = await connection.send(requestText("POST", wire.path, {}, body));
    strictEqual(received.status, status, `${name}\n${received.body}`);
    return JSON.parse(received.body);
  } finally {
    connection.close();
  }
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Member for member, without what may differ. */
function comparable(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (name, value) => {
    if (name === "etag" || (typeof value === "string" && instant.test(value))) return typeof value;
    // A duplicate uses up a number in some stores.
    if (name === "id") return typeof value;
    if (name === "location") return value.replace(/\d+$/, "…");
    if (name === "error") return { status: value.status, code: value.code, members: Object.keys(value).sort() };
    return value;
  });
}

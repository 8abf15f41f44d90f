import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { Connection, type Received } from "../tools/connection.js";
import { requestText } from "../tools/message.js";
import type { Pair } from "./pair.js";
import { walkByCursor } from "./walk.js";
import { list20, list100, newUser } from "./workloads.js";

const mergePatch = { "content-type": "application/merge-patch+json" };
const user = { ...newUser, name: "Ada", email: "Ada@example.com" };

/** Requests that both servers must answer alike, in this order. */
const exchanges: readonly (readonly [status: number, request: string])[] = [
  [200, requestText("GET", "/users/77")],
  [200, requestText("GET", list20)],
  [200, requestText("GET", list100)],
  [200, requestText("GET", "/users?page=3&name=Customer%208&perPage=7")],
  [200, requestText("GET", "/users?page=9&status=inactive&perPage=100&fields=name,id")],
  [200, requestText("GET", "/users?page=100&perPage=100&sort=-id&fields=id,updatedAt,tags,address")],
  [201, requestText("POST", "/users", {}, user)],
  [200, requestText("PATCH", "/users/10001", mergePatch, { name: "Ada Lovelace", preferences: { locale: "en" }, address: null })],
  [200, requestText("PATCH", "/users/10001", { ...mergePatch, "if-match": "*" }, { status: "inactive" })],
  [404, requestText("GET", "/users/99999999")],
  [404, requestText("GET", "/users/abc")],
  [400, requestText("GET", "/users?colour=red")],
  [400, requestText("GET", "/users?status=asleep")],
  [400, requestText("GET", "/users?fields=id,passwordHash")],
  [400, requestText("GET", "/users?cursor=bm9uZQ.bm9uZQ")],
  [400, requestText("GET", "/users?page=102&perPage=100")],
  [422, requestText("POST", "/users", {}, { ...user, email: "ada@example.com" })],
  [422, requestText("POST", "/users", {}, { ...user, email: "no address" })],
  [422, requestText("POST", "/users", {}, { ...user, email: "other@example.com", surname: "Lovelace" })],
  [422, requestText("PATCH", "/users/10001", mergePatch, { preferences: { colour: "red" } })],
  [422, requestText("PATCH", "/users/10001", mergePatch, { name: null })],
  [412, requestText("PATCH", "/users/10001", { ...mergePatch, "if-match": '"other"' }, { name: "Nobody" })],
  [400, requestText("POST", "/users", {}, user).replace('{"', "{{")],
];

/**
 * A comparison is fair only between servers that do the same: the same statuses and header names, and the same bodies: in reads byte for byte but for
 * the texts of cursors, in writes by value but for instants.
 *
 * @throws {AssertionError} naming the request whose answers differ
 */
export async function requireSameAnswers({ restwright: { server: restwright }, floor: { server: floor } }: Pair): Promise<void> {
  // Before the writes: new rows have other instants on either side.
  await requireSameWalk(restwright.port, floor.port);
  for (const [status, request] of exchanges) {
    const [line = ""] = request.split("\r\n");
    const [one, other] = [await exchange(restwright.port, request), await exchange(floor.port, request)];
    strictEqual(one.status, status, `restwright: ${line}\n${one.body}`);
    strictEqual(other.status, status, `by hand: ${line}\n${other.body}`);
    deepStrictEqual(headerNames(one), headerNames(other), line);
    if (status === 200 && line.startsWith("GET")) requireSameReads(one, other, line);
    else if (status < 400) deepStrictEqual(withoutInstants(one), withoutInstants(other), line);
  }
  await requireNotModified(restwright.port);
  await requireNotModified(floor.port);
}

function requireSameReads(one: Received, other: Received, line: string): void {
  strictEqual(withoutCursors(one.body), withoutCursors(other.body), line);
  for (const name of ["link", "x-total-count"]) strictEqual(withoutCursors(headerOf(one, name)), withoutCursors(headerOf(other, name)), line);
}

const walks = [list20, "/users?name=Customer%2011&sort=createdAt&perPage=45", "/users?status=inactive&sort=-id&perPage=90"];

/** Each side is asked with its own cursors; those of another list are refused. */
async function requireSameWalk(restwright: number, floor: number): Promise<void> {
  for (const list of walks) {
    const [ours, theirs] = [await walkByCursor(restwright, list), await walkByCursor(floor, list)];
    strictEqual(ours.length, theirs.length, `pages of ${list}`);
    ok(ours.length > 5, `There are too few pages of ${list}.`);
    for (const [index, { target, received }] of ours.entries()) requireSameReads(received, theirs[index]?.received ?? received, target);
    for (const [port, steps] of [
      [restwright, ours],
      [floor, theirs],
    ] as const) {
      const elsewhere = `${steps[0]?.target}`.replace("Customer", "Client").replace("inactive", "active");
      strictEqual((await exchange(port, requestText("GET", elsewhere))).status, 400, elsewhere);
    }
  }
}

async function requireNotModified(port: number): Promise<void> {
  for (const target of ["/users/77", list20]) {
    const { head } = await exchange(port, requestText("GET", target));
    const tag = /\r\netag: *(\S+)/i.exec(head)?.[1];
    strictEqual((await exchange(port, requestText("GET", target, { "if-none-match": String(tag) }))).status, 304, target);
  }
}

/** Each on a connection of its own: frameworks close them after some errors. */
async function exchange(port: number, request: string): Promise<Received> {
  const connection = await Connection.open(port);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}

/** Headers that frameworks add or leave out by themselves. */
const framework = new Set(["connection", "keep-alive", "date", "content-length", "transfer-encoding"]);

function headerOf({ head }: Received, name: string): string {
  return new RegExp(`\\r\\n${name}: *(.*)`, "i").exec(head)?.[1] ?? "";
}

function headerNames({ status, head }: Received): string[] {
  const names = head
    .split("\r\n")
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(":")).toLowerCase());
  // What an error says of caching is no part of the comparison.
  return names.filter((name) => !framework.has(name) && (status < 400 || !["cache-control", "etag", "last-modified"].includes(name))).sort();
}

const cursor = /(cursor=|Cursor":")[\w-]+\.[\w-]+/g;

/** Whether there is a cursor can still be seen. */
function withoutCursors(text: string): string {
  return text.replace(cursor, "$1…");
}

const instant = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;

/** New rows have other instants on either side; and jsonb does not keep the order of members, so a written row is compared by value. */
function withoutInstants({ body }: Received): unknown {
  return JSON.parse(body.replace(instant, "null"));
}
